//! Credentials that clients lend sessions: a key that pays for their model calls, tool servers that only they have.
//! They are held in memory, for as long as the process lives, and are in no log.

use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};
use pollux_model::{ModelRegistry, Provider};
use pollux_session::{ClientCredentials, ClientMcpServer, SecretText, SessionId, TurnFailure};
use pollux_tools::{McpOptions, McpReach, McpServerConfig, McpServers, McpStatus, OutputStore};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

#[cfg(test)]
mod tests;

/// The most sessions for which credentials are held; the oldest go first.
const SESSIONS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();
/// The most servers that a session may be lent.
const SERVERS: usize = 16;
/// The most headers, arguments or variables that one of them may have.
const PARTS: usize = 64;
/// The longest key, address, name, header or argument.
const BYTES: usize = 8 * 1024;

/// The permission for clients to name programs to start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientPrograms {
    /// They may name addresses only.
    #[default]
    Refused,
    /// The operator lets them.
    Allowed,
}

/// Where the servers may be that clients lend: on the public internet, and where the operator says.
#[derive(Clone)]
struct ClientServerReach(McpReach);

impl Default for ClientServerReach {
    fn default() -> ClientServerReach {
        ClientServerReach(McpReach::Public { allowed_hosts: Arc::default() })
    }
}

/// Everything that is lent now.
#[derive(Default)]
pub(crate) struct ClientCredentialStore {
    programs: ClientPrograms,
    /// Where servers may be.
    reach: ClientServerReach,
    table: Mutex<CredentialTable>,
    hasher: RandomState,
}

struct CredentialTable {
    credentials: LruCache<SessionId, Arc<SessionCredentials>>,
    /// The servers that every session was ever lent, by name, each as a mark that tells it from others. It outlives the
    /// loan: what a person approved for a server must never reach another one of its name.
    known: HashMap<SessionId, BTreeMap<String, u64>>,
}

impl Default for CredentialTable {
    fn default() -> CredentialTable {
        CredentialTable { credentials: LruCache::sparse(SESSIONS), known: HashMap::new() }
    }
}

/// The credentials of one session.
pub(crate) struct SessionCredentials {
    key: Option<SecretText>,
    /// The first first.
    batches: Vec<Arc<ClientServerBatch>>,
    models_by_provider: Mutex<HashMap<Provider, Arc<ModelRegistry>>>,
}

/// Servers that came with one message. They run apart from those of other messages, so that more of them disturb none.
struct ClientServerBatch {
    servers: BTreeMap<String, McpServerConfig>,
    reach: McpReach,
    started: OnceLock<Option<Arc<McpServers>>>,
}

impl ClientCredentialStore {
    /// Nothing yet.
    pub(crate) fn new(programs: ClientPrograms) -> ClientCredentialStore {
        ClientCredentialStore { programs, ..ClientCredentialStore::default() }
    }

    /// An empty store whose servers may also be at `hosts`.
    pub(crate) fn with_hosts(&self, hosts: &[String]) -> ClientCredentialStore {
        let allowed_hosts = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        ClientCredentialStore {
            reach: ClientServerReach(McpReach::Public { allowed_hosts }),
            ..ClientCredentialStore::new(self.programs)
        }
    }

    /// An empty store whose clients may name programs or may not.
    pub(crate) fn with_programs(&self, programs: ClientPrograms) -> ClientCredentialStore {
        ClientCredentialStore { reach: self.reach.clone(), ..ClientCredentialStore::new(programs) }
    }

    /// The permission for clients to name programs.
    pub(crate) fn programs(&self) -> ClientPrograms {
        self.programs
    }

    /// Check that a session that was lent nothing yet could be lent this. `taken` is as for
    /// [`ClientCredentialStore::store`].
    pub(crate) fn check(&self, lent: ClientCredentials, taken: &[String]) -> Result<(), String> {
        let (_, entries) = self.validate(lent, taken)?;
        self.record_servers(&mut BTreeMap::new(), &entries)
    }

    /// The credentials in the form in which they are held, if nothing speaks against them.
    fn validate(
        &self,
        ClientCredentials { api_key, servers }: ClientCredentials,
        taken: &[String],
    ) -> Result<(Option<SecretText>, BTreeMap<String, McpServerConfig>), String> {
        if let Some(key) = &api_key {
            check_key(key)?;
        }
        check_server_count(servers.len())?;
        let mut entries = BTreeMap::new();
        for (name, server) in servers {
            check_name(&name, taken)?;
            let entry = server_config(server, self.programs, &self.reach.0)
                .map_err(|why| format!("the tool server {name:?}: {why}"))?;
            entries.insert(name, entry);
        }
        Ok((api_key, entries))
    }

    /// Hold what `session` is lent, besides what it was lent before: a key takes the place of the last one, servers that
    /// it has run on, and none can take the place of another. `taken` are the servers that the person has: a rule that
    /// names one of them may not come to mean another.
    pub(crate) fn store(&self, session: SessionId, lent: ClientCredentials, taken: &[String]) -> Result<(), String> {
        let (api_key, mut entries) = self.validate(lent, taken)?;
        let mut shelf = self.lock_table();
        let mut known = shelf.known.get(&session).cloned().unwrap_or_default();
        self.record_servers(&mut known, &entries)?;
        let (mut key, mut batches) = match shelf.credentials.peek(&session) {
            Some(held) => (held.key.clone(), held.batches.clone()),
            None => (None, Vec::new()),
        };
        key = api_key.or(key);
        entries.retain(|name, _| !batches.iter().any(|batch| batch.servers.contains_key(name)));
        if !entries.is_empty() {
            let (reach, started) = (self.reach.0.clone(), OnceLock::new());
            batches.push(Arc::new(ClientServerBatch { servers: entries, reach, started }));
        }
        if key.is_none() && batches.is_empty() {
            return Ok(());
        }
        if !known.is_empty() {
            shelf.known.insert(session, known);
        }
        shelf
            .credentials
            .put(session, Arc::new(SessionCredentials { key, batches, models_by_provider: Mutex::default() }));
        Ok(())
    }

    /// Add `entries` to the servers that a session knows, unless one would pass for a server that it knows already.
    fn record_servers(
        &self,
        known: &mut BTreeMap<String, u64>,
        entries: &BTreeMap<String, McpServerConfig>,
    ) -> Result<(), String> {
        let mut new = BTreeMap::new();
        for (name, entry) in entries {
            let McpServerConfig { command, args, env, url, headers, .. } = entry;
            let mark = self.hasher.hash_one((command, args, env, url, headers));
            match known.get(name) {
                Some(same) if *same == mark => {}
                Some(_) => {
                    return Err(format!(
                        "this session was lent another tool server as {name:?}, and what was approved for that one must \
                         not reach this one; send the same as before, or lend this one under a new name"
                    ));
                }
                None => {
                    if let Some(other) = known.keys().find(|other| are_alike(name, other)) {
                        return Err(format!(
                            "{name:?} is too like {other:?}, a tool server that this session was lent before; choose \
                             another name"
                        ));
                    }
                    new.insert(name.clone(), mark);
                }
            }
        }
        known.append(&mut new);
        check_server_count(known.len())
    }

    /// The credentials of `session`, if this process has them. Reading makes no loan younger.
    pub(crate) fn get(&self, session: SessionId) -> Option<Arc<SessionCredentials>> {
        self.lock_table().credentials.peek(&session).cloned()
    }

    fn lock_table(&self) -> MutexGuard<'_, CredentialTable> {
        self.table.lock()
    }
}

impl SessionCredentials {
    /// `models`, paid for with the key that was lent for the provider of `model`; as they are without one.
    pub(crate) fn models_with_key(&self, models: &Arc<ModelRegistry>, model: &str) -> Arc<ModelRegistry> {
        let Some(key) = &self.key else { return models.clone() };
        let provider = models.provider_of(model).unwrap_or(Provider::Gemini);
        let mut paid = self.models_by_provider.lock();
        paid.entry(provider).or_insert_with(|| Arc::new(models.with_key(provider, key.clone()))).clone()
    }

    /// True if a key was lent.
    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// The servers that were lent, started in `workspace` when they are first wanted. Those with a name that the person
    /// gave a server of this workspace are left out.
    pub(crate) fn servers(
        &self,
        workspace: &Path,
        keeper: &Arc<dyn OutputStore>,
        taken: &[String],
    ) -> Vec<Arc<McpServers>> {
        self.batches.iter().filter_map(|batch| batch.start(workspace, keeper, taken)).collect()
    }
}

impl ClientServerBatch {
    fn start(&self, workspace: &Path, keeper: &Arc<dyn OutputStore>, taken: &[String]) -> Option<Arc<McpServers>> {
        let start = || {
            let mut entries = self.servers.clone();
            entries.retain(|name, _| match check_name(name, taken) {
                Ok(()) => true,
                Err(why) => {
                    tracing::warn!("a lent tool server is not started: {why}");
                    false
                }
            });
            let (keeper, reach) = (Some(keeper.clone()), self.reach.clone());
            let options =
                McpOptions { directory: workspace.into(), output_store: keeper, reach, ..McpOptions::default() };
            (!entries.is_empty()).then(|| {
                let servers = McpServers::start(entries, options);
                tokio::spawn(log_failures(servers.status()));
                Arc::new(servers)
            })
        };
        self.started.get_or_init(start).clone()
    }
}

/// Log why servers are not there, until all of them are gone for good.
async fn log_failures(mut statuses: watch::Receiver<BTreeMap<String, McpStatus>>) {
    let mut told = BTreeMap::new();
    statuses.mark_changed();
    while statuses.changed().await.is_ok() {
        for (name, status) in &*statuses.borrow_and_update() {
            if let McpStatus::Failed { why } = status
                && told.insert(name.clone(), why.clone()).as_ref() != Some(why)
            {
                tracing::warn!("the lent MCP server {name} failed: {why}");
            }
        }
    }
}

/// The failure of a session whose key or servers this process does not have.
pub(crate) fn missing_credentials() -> TurnFailure {
    TurnFailure {
        kind: "lent_gone".into(),
        message:
            "a client lent this session an API key or tool servers, which are kept in memory only, and this process \
                  does not have them: it was started later, or too much has been lent since; send them again with the \
                  next message, or begin a new task"
                .into(),
    }
}

fn check_key(key: &SecretText) -> Result<(), String> {
    let key = key.reveal();
    let usable = !key.is_empty() && key.len() <= BYTES && key.chars().all(|c| c.is_ascii_graphic());
    if usable { Ok(()) } else { Err("the API key that is lent has characters that no key has, or none".into()) }
}

fn check_name(name: &str, taken: &[String]) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 128 || !name.chars().all(plain) {
        return Err(format!("{name:?} cannot be a tool server's name here: letters, digits and - _ . only"));
    }
    // The names of its tools begin with it, and so do the rules for them.
    match taken.iter().find(|own| are_alike(name, own)) {
        Some(own) => Err(format!("{name:?} is too like {own:?}, a tool server of this machine; choose another name")),
        None => Ok(()),
    }
}

fn are_alike(one: &str, other: &str) -> bool {
    // As in the names of their tools.
    let (one, other) = (one.replace('.', "_"), other.replace('.', "_"));
    one.starts_with(&other) || other.starts_with(&one)
}

fn check_server_count(servers: usize) -> Result<(), String> {
    if servers > SERVERS {
        return Err(format!("{servers} tool servers are lent, and a session may have {SERVERS}"));
    }
    Ok(())
}

fn server_config(
    server: ClientMcpServer,
    programs: ClientPrograms,
    reach: &McpReach,
) -> Result<McpServerConfig, String> {
    let reveal = |secrets: BTreeMap<String, SecretText>| {
        let revealed = secrets.into_iter().map(|(name, secret)| (name, secret.reveal().to_owned()));
        revealed.collect::<BTreeMap<String, String>>()
    };
    let fits = |parts: usize, longest: Option<usize>| {
        if parts > PARTS || longest.is_some_and(|longest| longest > BYTES) {
            return Err(format!("at most {PARTS} headers, arguments or variables of {BYTES} bytes each"));
        }
        Ok(())
    };
    match server {
        ClientMcpServer::Http { url, headers } => {
            if !(url.starts_with("http://") || url.starts_with("https://")) || url.len() > BYTES {
                return Err("its address must begin with https:// or http://".into());
            }
            reach.check(&url).map_err(|why| {
                format!("its address may not be used: {why}; the operator can allow its host with --mcp-host")
            })?;
            fits(headers.len(), headers.values().map(|value| value.reveal().len()).max())?;
            Ok(McpServerConfig { url: Some(url), headers: reveal(headers), ..McpServerConfig::default() })
        }
        ClientMcpServer::Program { .. } if programs == ClientPrograms::Refused => {
            Err("clients may not start programs here; lend an address, or start the server with \
                 --clients-may-start-programs"
                .into())
        }
        ClientMcpServer::Program { command, args, env } => {
            let values = env.values().map(|value| value.reveal().len());
            fits(args.len() + env.len(), args.iter().map(String::len).chain(values).chain([command.len()]).max())?;
            Ok(McpServerConfig { command: Some(command), args, env: reveal(env), ..McpServerConfig::default() })
        }
    }
}
