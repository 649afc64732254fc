//! The commands that the agent answers, as whoever starts the seat knows them.

use pollux_session::{CommandInfo, Pending};
use std::fmt;
use std::sync::Arc;

type Look = dyn Fn() -> Pending<'static, Vec<CommandInfo>> + Send + Sync;

/// What a line that begins with a slash may name besides the terminal's own words. Looked up when somebody asks: files
/// and servers come and go.
#[derive(Clone)]
pub struct Commands(Arc<Look>);

impl Commands {
    /// Commands by this function.
    pub fn new(look: impl Fn() -> Pending<'static, Vec<CommandInfo>> + Send + Sync + 'static) -> Commands {
        Commands(Arc::new(look))
    }

    /// All of them.
    pub(crate) async fn all(&self) -> Vec<CommandInfo> {
        (self.0)().await
    }

    /// Whether the agent answers `word`, or may: a server that is not ready yet has its prompts later.
    pub(crate) async fn knows(&self, word: &str) -> bool {
        is_servers(word) || self.all().await.iter().any(|command| command.name == word)
    }
}

impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Commands")
    }
}

/// Whether a word is `SERVER:PROMPT`.
fn is_servers(word: &str) -> bool {
    let parts = word.split_once(':');
    parts.is_some_and(|(server, prompt)| !server.is_empty() && !prompt.is_empty() && !server.contains('/'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_server_has_is_sent_on() {
        for (word, sent) in [("a:b", true), ("help", false), ("a:", false), ("etc/x:y", false), (":b", false)] {
            assert_eq!(super::is_servers(word), sent, "{word}");
        }
    }
}
