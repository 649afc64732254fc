//! Where sign-ins are kept: one file of the person's own that nobody else can read, replaced as a whole.

use super::SignInError;
use super::oauth_secret::OauthSecret;
use super::token_exchange::OauthClient;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(test)]
mod tests;

/// The longest file of sign-ins.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The file of sign-ins. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct McpTokenStore(Arc<PathBuf>);

/// One sign-in.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct StoredToken {
    /// The server's address as its entry has it: what was meant for one server never goes to another.
    pub(super) url: String,
    /// Where it is renewed.
    pub(super) token_url: String,
    pub(super) resource: String,
    pub(super) client: OauthClient,
    pub(super) access: OauthSecret,
    pub(super) refresh: Option<OauthSecret>,
    /// In seconds since 1970.
    pub(super) expires_at: Option<u64>,
}

impl McpTokenStore {
    /// The file at `path`. It need not be there.
    pub fn at(path: PathBuf) -> McpTokenStore {
        McpTokenStore(Arc::new(path))
    }

    /// Forget the sign-in to `server`. Returns whether there was one.
    pub async fn forget(&self, server: &str) -> Result<bool, SignInError> {
        let server = server.to_owned();
        self.change(move |all| all.remove(&server).is_some()).await
    }

    /// Something that differs for every sign-in to `server` at `url`, and tells nothing of it.
    pub(in crate::mcp) async fn fingerprint(&self, server: &str, url: &str) -> Option<Vec<u8>> {
        let token = self.load(server, url).await?;
        Some(Sha256::digest(token.access.reveal()).to_vec())
    }

    /// The sign-in to `server` at `url`. A file that cannot be read holds none, and that is said.
    pub(super) async fn load(&self, server: &str, url: &str) -> Option<StoredToken> {
        let path = self.0.clone();
        let read = tokio::task::spawn_blocking(move || read(&path)).await;
        let all = read.unwrap_or_else(|broken| Err(broken.into())).unwrap_or_else(|error| {
            tracing::warn!(%error, file = %self.0.display(), "the logins to MCP servers cannot be read");
            Map::new()
        });
        all.get(server).and_then(StoredToken::read).filter(|token| token.url == url)
    }

    /// Keep a sign-in.
    pub(super) async fn save(&self, server: &str, token: StoredToken) -> Result<(), SignInError> {
        let server = server.to_owned();
        self.change(move |all| {
            all.insert(server, token.write());
            true
        })
        .await
        .map(drop)
    }

    /// Let nobody else renew while this is held: a token that is renewed twice is often taken for a stolen one.
    pub(super) async fn lock_for_renewal(&self) -> Option<File> {
        let path = self.0.with_extension("renewing");
        let lock = move || {
            let file = File::options().create(true).append(true).open(path)?;
            file.lock()?;
            Ok::<_, io::Error>(file)
        };
        tokio::task::spawn_blocking(lock).await.ok()?.ok()
    }

    async fn change(
        &self,
        change: impl FnOnce(&mut Map<String, Value>) -> bool + Send + 'static,
    ) -> Result<bool, SignInError> {
        let path = self.0.clone();
        let changed = tokio::task::spawn_blocking(move || {
            let dir = path.parent().unwrap_or(Path::new("."));
            DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
            // Two programs that change the file at once would each lose the other's change.
            let lock = File::options().create(true).append(true).open(path.with_extension("lock"))?;
            lock.lock()?;
            let mut all = read(&path)?;
            if !change(&mut all) {
                return Ok(false);
            }
            write(dir, &path, &all)?;
            Ok::<_, io::Error>(true)
        });
        let why = match changed.await {
            Ok(Ok(changed)) => return Ok(changed),
            Ok(Err(error)) => error.to_string(),
            Err(broken) => broken.to_string(),
        };
        Err(SignInError::Keep { path: self.0.display().to_string(), why })
    }
}

fn read(path: &Path) -> io::Result<Map<String, Value>> {
    match pollux_files::read_whole(path, MAX_BYTES) {
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(Value::Object(mut all)) => match all.remove("servers") {
                Some(Value::Object(servers)) => Ok(servers),
                _ => Ok(Map::new()),
            },
            // The parser's words may quote what it read.
            _ => Err(io::Error::other("it is not a JSON object; move it away and log in again")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
        Err(error) => Err(error),
    }
}

/// Replace the file. A temporary file can be read by its owner alone, and stays so under its new name.
fn write(dir: &Path, path: &Path, servers: &Map<String, Value>) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    serde_json::to_writer_pretty(&mut file, &json!({ "servers": servers }))?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(dir)?.sync_all()
}

impl StoredToken {
    /// True if it is over, or will be before it has arrived.
    pub(super) fn is_over(&self) -> bool {
        const BEFORE: u64 = 30;
        self.expires_at.is_some_and(|at| at <= now().saturating_add(BEFORE))
    }

    fn read(value: &Value) -> Option<StoredToken> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(StoredToken {
            url: text("url")?,
            token_url: text("tokenUrl")?,
            resource: text("resource")?,
            client: OauthClient {
                id: text("clientId")?,
                secret: text("clientSecret").map(OauthSecret::new),
                basic: value.get("basic").and_then(Value::as_bool).unwrap_or_default(),
            },
            access: OauthSecret::new(text("accessToken")?),
            refresh: text("refreshToken").map(OauthSecret::new),
            expires_at: value.get("expiresAt").and_then(Value::as_u64),
        })
    }

    fn write(&self) -> Value {
        let secret = |secret: &Option<OauthSecret>| secret.as_ref().map(|secret| secret.reveal().to_owned());
        json!({
            "url": self.url,
            "tokenUrl": self.token_url,
            "resource": self.resource,
            "clientId": self.client.id,
            "clientSecret": secret(&self.client.secret),
            "basic": self.client.basic,
            "accessToken": self.access.reveal(),
            "refreshToken": secret(&self.refresh),
            "expiresAt": self.expires_at,
        })
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
