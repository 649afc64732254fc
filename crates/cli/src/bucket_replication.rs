//! Sessions that are carried to a bucket: where to, with whose credentials, and what `/health` says of it.

use crate::config::ConfigVariables;
use crate::runtime::OWNER;
use crate::session_storage::SessionStorage;
use crate::settings::{GlobalSettings, UsageError};
use pollux_bucket::{BucketAddress, ReplicationStatus, ReplicationTarget, Replicator};
use pollux_server::HealthCheck;
use pollux_session::Owner;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The longest wait of a start for the sessions of a bucket. Later ones appear later.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest wait of a stop until everything is in the bucket. The rest is replicated at the next start.
const FINAL_UPLOAD_TIMEOUT: Duration = Duration::from_secs(8);
/// Where the data directory notes which workspaces are being put back.
const RESTORING: &str = "restoring";

/// The bucket that the settings name, if they name one. One that makes no sense is the person's to correct; one that
/// cannot be reached stops nothing.
pub(crate) fn bucket_address(global_settings: &GlobalSettings) -> anyhow::Result<Option<BucketAddress>> {
    let named = global_settings.config.preferences.bucket.as_deref();
    Ok(named.map(BucketAddress::parse).transpose().map_err(|error| UsageError(error.to_string()))?)
}

/// Make the directory that a session of the bucket may come back to.
pub(crate) fn create_workspace(address: Option<&BucketAddress>, workspace: &Path) -> anyhow::Result<()> {
    if address.is_some() && !workspace.exists() {
        let refuse = |error| UsageError(format!("{} cannot be the workspace: {error}", workspace.display()));
        std::fs::create_dir_all(workspace).map_err(refuse)?;
    }
    Ok(())
}

/// Begin to carry what is in `place`, which from then on is written through the carrier. Waits until what the bucket has
/// is here.
pub(crate) async fn start(
    global_settings: &GlobalSettings,
    workspace: &str,
    address: Option<BucketAddress>,
    place: &mut SessionStorage,
) -> Option<Replicator> {
    let address = address?;
    let mut own = vec![global_settings.data_dir.clone(), global_settings.runtime_dir.clone()];
    own.extend(address.directory().map(Path::to_owned));
    // Settings, trust, sign-ins and policies.
    own.extend(global_settings.user_directories.gemini_dir().map(Path::to_owned));
    own.extend(global_settings.user_directories.mcp_tokens().and_then(|tokens| tokens.parent().map(Path::to_owned)));
    let variables: ConfigVariables = global_settings.config.variables.clone();
    let carrier = Replicator::start(ReplicationTarget {
        address,
        variables: Arc::new(move |name| variables.get(name)),
        store: place.store.clone(),
        blobs: place.blobs.clone(),
        owner: Owner(OWNER.into()),
        workspace: workspace.into(),
        home: global_settings.user_directories.home().map(Path::to_owned),
        own,
        restoring: global_settings.data_dir.join(RESTORING),
        release: env!("CARGO_PKG_VERSION").into(),
    });
    place.store = carrier.store();
    carrier.ready(IMPORT_TIMEOUT).await;
    Some(carrier)
}

/// Carry what is left, and say so when that is not possible.
pub(crate) async fn finish(carrier: Option<Replicator>) {
    if let Some(carrier) = carrier
        && !carrier.finish(FINAL_UPLOAD_TIMEOUT).await
    {
        tracing::warn!(
            "not everything is in the bucket; the rest is carried at the next start with this data directory"
        );
    }
}

/// A check that also says what is wrong with the bucket.
pub(crate) fn with_bucket_status(check: HealthCheck, bucket: Option<ReplicationStatus>) -> HealthCheck {
    Arc::new(move || {
        let (check, bucket) = (check(), bucket.clone());
        Box::pin(async move {
            let mut health = check.await;
            health.trouble.extend(bucket.map(|bucket| bucket.public_trouble()).unwrap_or_default());
            health
        })
    })
}
