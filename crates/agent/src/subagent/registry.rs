//! The agents there are for a workspace: those that come with Pollux, the person's own, the workspace's if it is trusted.

use super::definition::{self, DefinitionSource, SubagentDefinition};
use super::{built_in, invoke_agent};
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::SessionId;
use pollux_tools::ToolSpec;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The longest file that is read.
const MAX_BYTES: u64 = 64 * 1024;
/// The most files of one directory.
const MAX_FILES: usize = 100;
/// The most workspaces, conversations with agents elsewhere, and warnings that are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The files there were.
type AgentFiles = Vec<AgentFile>;
/// Reads an environment variable.
type VariableLookup = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The variables that hold the secrets of agents elsewhere, by who wrote the agent's file. A workspace's file sends a secret
/// wherever it likes, so it gets only what the workspace itself brings.
pub struct AgentVariables {
    persons: VariableLookup,
    workspaces: VariableLookup,
}

impl AgentVariables {
    /// `persons` for the person's own files, `workspaces` for those of the workspace.
    pub fn new(
        persons: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
        workspaces: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> AgentVariables {
        AgentVariables { persons: Box::new(persons), workspaces: Box::new(workspaces) }
    }

    /// None at all.
    pub fn none() -> AgentVariables {
        AgentVariables::new(|_| None, |_| None)
    }
}

/// A file that agents are read from.
#[derive(PartialEq, Eq)]
struct AgentFile {
    path: PathBuf,
    source: DefinitionSource,
    /// Its time and length.
    state: Option<(SystemTime, u64)>,
}

/// The agents that were read from files.
struct CachedSubagents {
    stamp: AgentFiles,
    subagents: Arc<WorkspaceSubagents>,
}

/// The agents there are for a workspace, by name.
pub(crate) struct WorkspaceSubagents {
    agents: Vec<SubagentDefinition>,
    /// Their description for a model. Made once: it is sent with every call.
    pub(super) declaration: ToolSpec,
}

impl Deref for WorkspaceSubagents {
    type Target = [SubagentDefinition];

    fn deref(&self) -> &[SubagentDefinition] {
        &self.agents
    }
}

/// Every agent that work can be handed to.
pub struct SubagentRegistry {
    /// The person's own files.
    own_dir: Option<PathBuf>,
    variables: AgentVariables,
    cache: Mutex<LruCache<PathBuf, CachedSubagents>>,
    /// Warnings about files so far: each is given once.
    warned: Mutex<LruCache<String, ()>>,
    /// The names that agents elsewhere gave to conversations, by the agents' digests.
    contexts: Mutex<LruCache<(SessionId, String), String>>,
}

impl SubagentRegistry {
    /// The built-in agents and those in the files of `own_dir` and of a trusted workspace's `.gemini/agents`.
    pub fn new(own_dir: Option<PathBuf>, variables: AgentVariables) -> SubagentRegistry {
        SubagentRegistry {
            own_dir,
            variables,
            cache: Mutex::new(LruCache::sparse(REMEMBERED)),
            warned: Mutex::new(LruCache::sparse(REMEMBERED)),
            contexts: Mutex::new(LruCache::sparse(REMEMBERED)),
        }
    }

    /// The agents for `workspace`, by name. Files are read again when they have changed.
    pub(crate) fn for_workspace(&self, workspace: &Path, trusted: bool) -> Arc<WorkspaceSubagents> {
        let theirs = trusted.then(|| workspace.join(".gemini").join("agents"));
        // Where the workspace is the person's home, the files are the person's.
        let theirs = theirs.filter(|theirs| self.own_dir.as_ref() != Some(theirs));
        let own = self.own_dir.iter().flat_map(|directory| files_in(directory, DefinitionSource::Person));
        let theirs = theirs.iter().flat_map(|directory| files_in(directory, DefinitionSource::Workspace));
        let stamp: AgentFiles = own.chain(theirs).collect();
        let mut known = self.cache.lock();
        if let Some(same) = known.get(workspace).filter(|known| known.stamp == stamp) {
            return same.subagents.clone();
        }
        let agents = self.read(&stamp);
        let crew = Arc::new(WorkspaceSubagents { declaration: invoke_agent::declaration(&agents), agents });
        known.put(workspace.to_owned(), CachedSubagents { stamp, subagents: crew.clone() });
        crew
    }

    /// The value of a variable for a file of `source`.
    pub(crate) fn variable(&self, source: DefinitionSource, name: &str) -> Option<String> {
        match source {
            DefinitionSource::BuiltIn | DefinitionSource::Person => (self.variables.persons)(name),
            DefinitionSource::Workspace => (self.variables.workspaces)(name),
        }
    }

    /// The conversation `session` has with an agent elsewhere, by the digest of the agent: what one called a conversation
    /// is not told to another, though it has the same name.
    pub(crate) fn context(&self, session: SessionId, agent: &str) -> Option<String> {
        self.contexts.lock().get(&(session, agent.to_owned())).cloned()
    }

    /// Remember a conversation with the agent of this digest.
    pub(crate) fn remember(&self, session: SessionId, agent: &str, context: &str) {
        self.contexts.lock().put((session, agent.to_owned()), context.to_owned());
    }

    /// Later files stand for earlier ones of the same name: what is nearest to the work counts.
    fn read(&self, stamp: &AgentFiles) -> Vec<SubagentDefinition> {
        let mut agents = built_in::built_in_agents();
        for AgentFile { path, source, .. } in stamp {
            let text = match pollux_files::read_text(path, MAX_BYTES) {
                Ok(text) => text,
                Err(why) => {
                    self.warn_once(&format!("{}: {why}; the agent is left out", path.display()));
                    continue;
                }
            };
            match definition::read(&text, *source) {
                Ok(read) => {
                    for (agent, warnings) in read {
                        for warning in warnings {
                            self.warn_once(&format!("{}:{}: {}", path.display(), warning.line, warning.why));
                        }
                        agents.retain(|known| known.name != agent.name);
                        agents.push(agent);
                    }
                }
                Err(fault) => {
                    self.warn_once(&format!("{}:{}: {}; the agent is left out", path.display(), fault.line, fault.why));
                }
            }
        }
        agents.sort_by(|a, b| a.name.cmp(&b.name));
        agents
    }

    fn warn_once(&self, news: &str) {
        if self.warned.lock().put(news.to_owned(), ()).is_none() {
            tracing::warn!("{news}");
        }
    }
}

fn files_in(directory: &Path, source: DefinitionSource) -> AgentFiles {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // A leading `_` sets a draft aside, as Gemini CLI has it.
        name.ends_with(".md") && !name.starts_with(['_', '.'])
    });
    paths.sort();
    paths.truncate(MAX_FILES);
    let state = |path: &Path| fs::metadata(path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
    paths.into_iter().map(|path| AgentFile { state: state(&path), source, path }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn names(subagents: &SubagentRegistry, workspace: &Path, trusted: bool) -> Vec<String> {
        subagents.for_workspace(workspace, trusted).iter().map(|agent| agent.name.clone()).collect()
    }

    #[test]
    fn files_add_agents_and_stand_for_others_of_their_name() {
        let dir = tempfile::tempdir().unwrap();
        let (own, workspace) = (dir.path().join("own"), dir.path().join("workspace"));
        let theirs = workspace.join(".gemini/agents");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&theirs).unwrap();
        let agent = |name: &str, text: &str| format!("---\nname: {name}\ndescription: d\n---\n{text}\n");
        fs::write(own.join("scout.md"), agent("scout", "mine")).unwrap();
        fs::write(own.join("broken.md"), "no head").unwrap();
        fs::write(own.join("_draft.md"), agent("draft", "later")).unwrap();
        fs::write(theirs.join("generalist.md"), agent("generalist", "theirs")).unwrap();
        let subagents = SubagentRegistry::new(Some(own.clone()), AgentVariables::none());
        assert_eq!(names(&subagents, &workspace, false), ["codebase_investigator", "generalist", "scout"]);
        let prompt_of = |trusted: bool| {
            let agents = subagents.for_workspace(&workspace, trusted);
            let agent = agents.iter().find(|agent| agent.name == "generalist").unwrap().clone();
            let definition::SubagentKind::Local(local) = agent.kind else { panic!("it is local") };
            local.prompt
        };
        assert_ne!(prompt_of(false), "theirs");
        assert_eq!(prompt_of(true), "theirs");
        fs::remove_file(own.join("scout.md")).unwrap();
        assert_eq!(names(&subagents, &workspace, true), ["codebase_investigator", "generalist"]);
        let told: Vec<String> = subagents.warned.lock().iter().map(|(news, ())| news.clone()).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0]
                .ends_with("broken.md:1: the file does not begin with a line of three dashes; the agent is left out")
        );
    }

    #[test]
    fn a_workspaces_file_gets_only_the_workspaces_variables() {
        let dir = tempfile::tempdir().unwrap();
        let (own, workspace) = (dir.path().join("own"), dir.path().join("workspace"));
        let theirs = workspace.join(".gemini/agents");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&theirs).unwrap();
        let agent = |name: &str| {
            format!(
                "---\nname: {name}\nkind: remote\nagent_card_url: https://a.example\nauth:\n  type: http\n  \
                 token: $TOKEN\n---\n"
            )
        };
        fs::write(own.join("mine.md"), agent("mine")).unwrap();
        fs::write(theirs.join("theirs.md"), agent("theirs")).unwrap();
        let variables = AgentVariables::new(|_| Some("secret".into()), |name| (name == "DB").then(|| "db".into()));
        let subagents = SubagentRegistry::new(Some(own.clone()), variables);
        let source = |subagents: &SubagentRegistry, workspace: &Path, name: &str| {
            subagents.for_workspace(workspace, true).iter().find(|agent| agent.name == name).unwrap().source
        };
        let (mine, theirs) = (source(&subagents, &workspace, "mine"), source(&subagents, &workspace, "theirs"));
        assert_eq!((mine, theirs), (DefinitionSource::Person, DefinitionSource::Workspace));
        assert_eq!(subagents.variable(mine, "TOKEN").as_deref(), Some("secret"));
        assert_eq!((subagents.variable(theirs, "TOKEN"), subagents.variable(theirs, "DB")), (None, Some("db".into())));
        // Even one that takes the name of the person's own.
        fs::write(workspace.join(".gemini/agents/mine.md"), agent("mine")).unwrap();
        assert_eq!(source(&subagents, &workspace, "mine"), DefinitionSource::Workspace);
        // The home as a workspace holds the person's own files.
        let home = SubagentRegistry::new(Some(workspace.join(".gemini/agents")), AgentVariables::none());
        assert_eq!(source(&home, &workspace, "theirs"), DefinitionSource::Person);
    }

    #[test]
    fn a_conversation_with_an_agent_elsewhere_is_remembered_per_session() {
        let subagents = SubagentRegistry::new(None, AgentVariables::none());
        let session = |number: u128| SessionId(uuid::Uuid::from_u128(number));
        subagents.remember(session(1), "far", "c");
        assert_eq!(subagents.context(session(1), "far").as_deref(), Some("c"));
        assert_eq!((subagents.context(session(2), "far"), subagents.context(session(1), "near")), (None, None));
    }
}
