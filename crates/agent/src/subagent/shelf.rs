//! The agents there are for a workspace: those that come with Pollux, the person's own, the workspace's if it is trusted.

use super::definition::{self, Definition};
use super::{built_in, invoke_agent};
use pollux_session::SessionId;
use pollux_tools::Declaration;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The longest file that is read.
const MAX_BYTES: u64 = 64 * 1024;
/// The most files of one directory.
const MAX_FILES: usize = 100;
/// How many workspaces are remembered, and how many conversations with agents elsewhere.
const REMEMBERED: usize = 256;

/// The files there were, each with its time and length.
type Stamp = Vec<(PathBuf, Option<(SystemTime, u64)>)>;
/// Reads an environment variable.
type Env = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What was read from files.
struct Known {
    stamp: Stamp,
    crew: Arc<Crew>,
}

/// The agents there are for a workspace, by name.
pub(crate) struct Crew {
    agents: Vec<Definition>,
    /// How a model is told of them. Made once: it is told with every call.
    pub(super) declaration: Declaration,
}

impl Deref for Crew {
    type Target = [Definition];

    fn deref(&self) -> &[Definition] {
        &self.agents
    }
}

/// Every agent that work can be handed to.
pub struct Subagents {
    /// The person's own files.
    own_dir: Option<PathBuf>,
    env: Env,
    known: Mutex<HashMap<PathBuf, Known>>,
    /// What was said about files already: everything is said once.
    told: Mutex<HashSet<String>>,
    /// The names that agents elsewhere gave to conversations, by the agents' digests.
    contexts: Mutex<HashMap<(SessionId, String), String>>,
}

impl Subagents {
    /// The built-in agents and those in the files of `own_dir` and of a trusted workspace's `.gemini/agents`. `env` reads
    /// the variables that hold the secrets of agents elsewhere.
    pub fn new(own_dir: Option<PathBuf>, env: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Subagents {
        Subagents {
            own_dir,
            env: Box::new(env),
            known: Mutex::default(),
            told: Mutex::default(),
            contexts: Mutex::default(),
        }
    }

    /// The agents for `workspace`, by name. Files are read again when they have changed.
    pub(crate) fn of(&self, workspace: &Path, trusted: bool) -> Arc<Crew> {
        let theirs = trusted.then(|| workspace.join(".gemini").join("agents"));
        let directories = self.own_dir.iter().chain(&theirs);
        let stamp: Stamp = directories.flat_map(|directory| files_in(directory)).collect();
        let mut known = lock(&self.known);
        if let Some(same) = known.get(workspace).filter(|known| known.stamp == stamp) {
            return same.crew.clone();
        }
        let agents = self.read(&stamp);
        let crew = Arc::new(Crew { declaration: invoke_agent::declaration(&agents), agents });
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(workspace.to_owned(), Known { stamp, crew: crew.clone() });
        crew
    }

    /// What a variable holds.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.env)(name)
    }

    /// The conversation `session` has with an agent elsewhere, by the digest of the agent: what one called a conversation
    /// is not told to another, though it has the same name.
    pub(crate) fn context(&self, session: SessionId, agent: &str) -> Option<String> {
        lock(&self.contexts).get(&(session, agent.to_owned())).cloned()
    }

    /// Remember a conversation with the agent of this digest.
    pub(crate) fn remember(&self, session: SessionId, agent: &str, context: &str) {
        let mut contexts = lock(&self.contexts);
        if contexts.len() >= REMEMBERED {
            contexts.clear();
        }
        contexts.insert((session, agent.to_owned()), context.to_owned());
    }

    /// Later files stand for earlier ones of the same name: what is nearest to the work counts.
    fn read(&self, stamp: &Stamp) -> Vec<Definition> {
        let mut agents = built_in::agents();
        for (path, _) in stamp {
            let text = match pollux_files::read_text(path, MAX_BYTES) {
                Ok(text) => text,
                Err(why) => {
                    self.tell(&format!("{}: {why}; the agent is left out", path.display()));
                    continue;
                }
            };
            match definition::read(&text) {
                Ok(read) => {
                    for (agent, warnings) in read {
                        for warning in warnings {
                            self.tell(&format!("{}:{}: {}", path.display(), warning.line, warning.why));
                        }
                        agents.retain(|known| known.name != agent.name);
                        agents.push(agent);
                    }
                }
                Err(fault) => {
                    self.tell(&format!("{}:{}: {}; the agent is left out", path.display(), fault.line, fault.why));
                }
            }
        }
        agents.sort_by(|a, b| a.name.cmp(&b.name));
        agents
    }

    fn tell(&self, news: &str) {
        let mut told = lock(&self.told);
        if told.len() >= REMEMBERED {
            told.clear();
        }
        if told.insert(news.to_owned()) {
            tracing::warn!("{news}");
        }
    }
}

fn files_in(directory: &Path) -> Stamp {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // A leading `_` sets a draft aside, as Gemini CLI has it.
        name.ends_with(".md") && !name.starts_with(['_', '.'])
    });
    paths.sort();
    paths.truncate(MAX_FILES);
    let meta = |path: &Path| fs::metadata(path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
    paths.into_iter().map(|path| (path.clone(), meta(&path))).collect()
}

/// What a panic left behind is a cache like any other.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn names(subagents: &Subagents, workspace: &Path, trusted: bool) -> Vec<String> {
        subagents.of(workspace, trusted).iter().map(|agent| agent.name.clone()).collect()
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
        let subagents = Subagents::new(Some(own.clone()), |_| None);
        assert_eq!(names(&subagents, &workspace, false), ["codebase_investigator", "generalist", "scout"]);
        let prompt_of = |trusted: bool| {
            let agents = subagents.of(&workspace, trusted);
            let agent = agents.iter().find(|agent| agent.name == "generalist").unwrap().clone();
            let definition::Kind::Local(local) = agent.kind else { panic!("it is local") };
            local.prompt
        };
        assert_ne!(prompt_of(false), "theirs");
        assert_eq!(prompt_of(true), "theirs");
        fs::remove_file(own.join("scout.md")).unwrap();
        assert_eq!(names(&subagents, &workspace, true), ["codebase_investigator", "generalist"]);
        let told: Vec<String> = lock(&subagents.told).iter().cloned().collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0]
                .ends_with("broken.md:1: the file does not begin with a line of three dashes; the agent is left out")
        );
    }

    #[test]
    fn a_conversation_with_an_agent_elsewhere_is_remembered_per_session() {
        let subagents = Subagents::new(None, |_| None);
        let session = |number: u128| SessionId(uuid::Uuid::from_u128(number));
        subagents.remember(session(1), "far", "c");
        assert_eq!(subagents.context(session(1), "far").as_deref(), Some("c"));
        assert_eq!((subagents.context(session(2), "far"), subagents.context(session(1), "near")), (None, None));
    }
}
