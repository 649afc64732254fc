//! Tasks that Google's a2a-server left in a bucket: `metadata.tar.gz`, which is gzipped JSON and no tar, and
//! `workspace.tar.gz`. It keeps no conversation, so each becomes a session at rest that says so, with its files.

use crate::bucket::Bucket;
use crate::error::BucketError;
use crate::fold::ReplicationFold;
use crate::restore_roots::RestoreRoot;
use crate::session_import::SessionImport;
use crate::{archive, keys, trees};
use flate2::read::GzDecoder;
use pollux_session::{
    Command, CommandEnvelope, CommandId, ContextId, Effect, Entry, EntryAuthor, ItemKind, ModelFragment, ModelUsage,
    Owner, PromptTarget, Report, Rights, SessionId, SessionInput, SessionOpened, SessionOverrides, SessionState,
    UnixMillis, Who, next, take,
};
use pollux_store::{NewSession, StoreError};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

const METADATA: &str = "metadata.tar.gz";
const WORKSPACE: &str = "workspace.tar.gz";

/// The most that is unpacked of a task's metadata.
const METADATA_BYTES: u64 = 1024 * 1024;

/// The command of the turn that records where a session came from.
const COMMAND: &str = "import";

/// The fields that the real server writes of a task.
#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "__persistedState")]
    persisted: Persisted,
    #[serde(rename = "_contextId")]
    context: Option<String>,
}

#[derive(Deserialize)]
struct Persisted {
    #[serde(rename = "_agentSettings")]
    settings: Value,
}

/// Take in every such task that the local log lacks; those that were.
pub(crate) async fn take_in(
    intake: &SessionImport<'_>,
    owner: &Owner,
    release: &str,
) -> Result<Vec<SessionId>, BucketError> {
    let mut taken = Vec::new();
    for (name, has_workspace) in tasks(intake.bucket).await? {
        let Ok(session) = name.parse::<SessionId>() else {
            intake.status.note(format!("task {name:?} of another server is left out: its id is no UUID"));
            continue;
        };
        if intake.log.head(session).await?.is_some() {
            continue;
        }
        match one(intake, session, owner, release, has_workspace).await {
            Ok(()) => taken.push(session),
            Err(error @ BucketError::Failed { .. }) => return Err(error),
            Err(error) => intake.status.note(format!("task {name} of another server is left out: {error}")),
        }
    }
    Ok(taken)
}

/// The tasks that the real server left, and whether each has its workspace with it.
async fn tasks(bucket: &Bucket) -> Result<BTreeMap<String, bool>, BucketError> {
    let keys = bucket.list(keys::TASKS).await?;
    let mut found = BTreeMap::new();
    for key in &keys {
        let parts: Vec<&str> = key.split('/').collect();
        if let [_, id, METADATA] = parts.as_slice() {
            found.insert((*id).to_owned(), keys.binary_search(&format!("{}/{id}/{WORKSPACE}", keys::TASKS)).is_ok());
        }
    }
    Ok(found)
}

async fn one(
    intake: &SessionImport<'_>,
    session: SessionId,
    owner: &Owner,
    release: &str,
    has_workspace: bool,
) -> Result<(), BucketError> {
    let key = format!("{}/{session}/{METADATA}", keys::TASKS);
    let damaged = |what: String| BucketError::Damaged { key: key.clone(), what };
    let packed = intake.bucket.get(&key).await?.ok_or_else(|| damaged("it is not there any more".into()))?;
    let mut text = Vec::new();
    let unpacked = GzDecoder::new(&*packed).take(METADATA_BYTES).read_to_end(&mut text);
    unpacked.map_err(|error| damaged(error.to_string()))?;
    let Metadata { persisted, context } = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
    let workspace = persisted.settings.get("workspacePath").and_then(Value::as_str).unwrap_or_default();
    if !Path::new(workspace).is_absolute() {
        return Err(damaged(format!("its workspace {workspace:?} is no absolute path")));
    }
    if has_workspace && let Some(ground) = ground_for(intake, workspace) {
        let key = format!("{}/{session}/{WORKSPACE}", keys::TASKS);
        let packed = intake.bucket.get(&key).await?.unwrap_or_default();
        let unpacked = tokio::task::spawn_blocking(move || archive::unpack(&packed, &ground)).await;
        unpacked.map_err(io::Error::other).map_err(BucketError::disk("a workspace cannot be unpacked"))??;
    }
    let label = context.as_deref().and_then(ContextId::new).or_else(|| ContextId::new(&session.to_string()));
    let opened = SessionOpened {
        main_task: session.main_task(),
        owner: owner.clone(),
        context: label.ok_or_else(|| damaged("it has no context".into()))?,
        workspace: workspace.to_owned(),
        overrides: SessionOverrides::default(),
        release: release.to_owned(),
        edge: json!({"dialect": "coder", "agentSettings": without_secrets(persisted.settings.clone())}),
    };
    let entries = Vec::from_iter(at_rest(&opened).into_iter().map(Arc::new));
    let mut fold = ReplicationFold::default();
    entries.iter().for_each(|entry| fold.apply(entry));
    let at = entries.first().map_or(UnixMillis(0), |first| first.at);
    let (owner, context, workspace) = (opened.owner, opened.context, opened.workspace);
    let new = NewSession { id: session, owner, context, workspace, opened: at, once: None, entries, marks: Vec::new() };
    match intake.log.adopt(new, fold.marks.into_values().collect()).await {
        Err(StoreError::Exists(_)) => Ok(()),
        adopted => Ok(adopted?),
    }
}

/// A session with one turn that says where it comes from. The model is told nothing of it.
fn at_rest(opened: &SessionOpened) -> Vec<Entry> {
    let at = UnixMillis(u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default());
    let who =
        Who { owner: opened.owner.clone(), principal: "bucket".into(), label: "bucket".into(), rights: Rights::all() };
    let (mut state, first) = SessionState::open(opened.clone(), EntryAuthor::from(&who), at);
    let mut entries = vec![first];
    let target = PromptTarget::Existing { task: opened.main_task };
    let command = Command::prompt(target, format!("/{COMMAND}"));
    let prompt = CommandEnvelope { id: CommandId(COMMAND.into()), who, at, command };
    let said = ModelFragment {
        kind: ItemKind::Text,
        text: "This task was left in the bucket by another server, which keeps no conversation. Its files are as \
               that server saved them. Go on from here."
            .into(),
        end: Some(Value::Null),
    };
    let done = Report::StepDone {
        fragments: vec![said],
        calls: Vec::new(),
        finish: "STOP".into(),
        usage: ModelUsage::default(),
        citations: Vec::new(),
        response: None,
    };
    // A fresh session refuses none of this.
    entries.extend(take(&mut state, &SessionInput::Command(prompt), at).unwrap_or_default());
    for report in [Report::Commanded { name: COMMAND.into() }, done] {
        let owed = next(&state).into_iter().find(|effect| matches!(effect, Effect::Think { .. }));
        let Some(effect) = owed else { break };
        entries.extend(take(&mut state, &SessionInput::Report { effect, report }, at).unwrap_or_default());
    }
    entries
}

/// A key that somebody sent with a task is not kept.
fn without_secrets(mut settings: Value) -> Value {
    if let Some(fields) = settings.as_object_mut() {
        fields.retain(|name, _| !matches!(name.as_str(), "apiKey" | "mcp_servers" | "mcpServers"));
    }
    settings
}

/// Where the workspace is to be unpacked, if anywhere.
fn ground_for(intake: &SessionImport<'_>, workspace: &str) -> Option<RestoreRoot> {
    match intake.grounds.to_restore(Path::new(workspace)) {
        Ok(ground) => trees::is_free(&ground).then_some(ground),
        Err(why) => {
            if trees::is_empty(Path::new(workspace)) {
                let what = format!("the files of another server's task are not put back to {workspace}, because {why}");
                intake.status.note(what);
            }
            None
        }
    }
}
