//! The commands that the agent answers, as whoever starts the seat knows them.

use crate::sanitize::one_line;
use crate::terminal_command::SEND_AS_TEXT;
use pollux_session::{BoxFuture, BuiltInCommand, CommandInfo, CommandSeat, explain_absent_command};
use rapidfuzz::distance::damerau_levenshtein;
use std::fmt;
use std::sync::Arc;

type CommandLookup = dyn Fn() -> BoxFuture<'static, Vec<CommandInfo>> + Send + Sync;

/// The commands that a line which begins with a slash may name besides the terminal's own words. Looked up when
/// somebody asks: files and servers come and go.
#[derive(Clone)]
pub struct AgentCommands(Arc<CommandLookup>);

impl AgentCommands {
    /// Commands by this function.
    pub fn new(look: impl Fn() -> BoxFuture<'static, Vec<CommandInfo>> + Send + Sync + 'static) -> AgentCommands {
        AgentCommands(Arc::new(look))
    }

    /// All of them.
    pub(crate) async fn all(&self) -> Vec<CommandInfo> {
        (self.0)().await
    }

    /// True if the agent answers `word`, or may: a server that is not ready yet has its prompts later, and a session
    /// elsewhere that does not answer now has its commands again when it does.
    pub(crate) async fn may_answer(&self, word: &str) -> bool {
        if is_server_prompt(word) || explain_absent_command(word).is_some() {
            return true;
        }
        let all = self.all().await;
        all.is_empty() || all.iter().any(|command| command.name == word) || BuiltInCommand::from_name(word).is_some()
    }

    /// A sentence about a prompt that names a command which is not there. It is not sent: the model would make
    /// something up.
    pub async fn explain_unknown_command(&self, prompt: &str) -> Option<String> {
        let word = prompt.strip_prefix('/')?.split(char::is_whitespace).next()?;
        if !is_command_name(word) || self.may_answer(word).await {
            return None;
        }
        Some(self.describe_missing(word, None).await)
    }

    /// A sentence about such a prompt that nobody watches. The agent would only explain what it does not have, and a
    /// script would take that for an answer.
    pub async fn explain_unanswerable(&self, prompt: &str) -> Option<String> {
        let word = prompt.strip_prefix('/')?.split(char::is_whitespace).next()?;
        match explain_absent_command(word) {
            // A command file of the person's may have the name.
            Some(_) if self.all().await.iter().any(|command| command.name == word) => None,
            Some(explanation) => Some(explanation),
            None => self.explain_unknown_command(prompt).await,
        }
    }

    /// A sentence about a command that is not there, typed at this kind of terminal, if at one.
    pub(crate) async fn describe_missing(&self, word: &str, seat: impl Into<Option<CommandSeat>>) -> String {
        let seat = seat.into();
        let is_own = |command: &BuiltInCommand| match command.seat() {
            Some(CommandSeat::Terminal) => seat.is_some(),
            Some(CommandSeat::Screen) => seat == Some(CommandSeat::Screen),
            None => false,
        };
        let own = BuiltInCommand::ALL.into_iter().filter(is_own).map(|command| command.name());
        let all = self.all().await;
        let known = own.chain(all.iter().map(|command| command.name.as_str()));
        let advice = match nearest(word, known) {
            Some(near) => format!("did you mean /{near}? Else, "),
            None => "/help lists them; ".to_owned(),
        };
        format!("no command /{}; {advice}{SEND_AS_TEXT}", one_line(word, 200))
    }
}

impl fmt::Debug for AgentCommands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Commands")
    }
}

/// True if a word may be the name of a command: a path, a comment or an expression may not.
fn is_command_name(word: &str) -> bool {
    word.starts_with(|ch: char| ch.is_ascii_alphabetic())
        && word.chars().all(|ch| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | ':' | '.'))
}

/// The name that `word` is one slip away from. Shorter words are near to too many others.
fn nearest<'a>(word: &str, mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &&str| damerau_levenshtein::distance(word.chars(), name.chars()) == 1;
    names.find(near).filter(|_| word.len() >= 4)
}

/// True if a word is `SERVER:PROMPT`.
fn is_server_prompt(word: &str) -> bool {
    let parts = word.split_once(':');
    parts.is_some_and(|(server, prompt)| !server.is_empty() && !prompt.is_empty() && !server.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::AgentCommands;
    use pollux_session::{CommandInfo, CommandSeat};

    #[tokio::test]
    async fn a_prompt_that_names_no_command_is_told() {
        let help = || CommandInfo { name: "help".into(), ..CommandInfo::default() };
        let commands = AgentCommands::new(move || Box::pin(async move { vec![help()] }));
        for sent in
            ["/help me", "hello", "/etc/hosts is odd", "/* a comment */", "// another", " /nope", "/ nope", "/s:p"]
        {
            assert_eq!(commands.explain_unknown_command(sent).await, None, "{sent}");
        }
        let of_screen = "/theme works only at the full screen of a terminal that runs `pollux` or `pollux attach`.";
        assert_eq!(commands.explain_unanswerable("/theme dark").await.as_deref(), Some(of_screen));
        assert_eq!(commands.explain_unknown_command("/theme dark").await, None, "the agent explains it");
        let of_gemini_cli = commands.explain_unanswerable("/docs").await.unwrap_or_default();
        assert!(of_gemini_cli.starts_with("The documentation is in"), "{of_gemini_cli}");
        let near =
            "no command /helpx; did you mean /help? Else, to send the line to the agent, put a space before the slash";
        assert_eq!(commands.explain_unknown_command("/helpx").await.as_deref(), Some(near));
        let own = commands.describe_missing("thmee", CommandSeat::Screen).await;
        assert!(own.starts_with("no command /thmee; did you mean /theme?"), "{own}");
        let sentence =
            "no command /nope; /help lists them; to send the line to the agent, put a space before the slash";
        for refused in ["/nope", "/nope it"] {
            assert_eq!(commands.explain_unknown_command(refused).await.as_deref(), Some(sentence), "{refused}");
        }
    }

    #[tokio::test]
    async fn a_command_file_goes_before_the_explanation_of_its_name() {
        let plan = || CommandInfo { name: "plan".into(), ..CommandInfo::default() };
        let commands = AgentCommands::new(move || Box::pin(async move { vec![plan()] }));
        assert_eq!(commands.explain_unanswerable("/plan the release").await, None);
    }

    #[test]
    fn what_a_server_has_is_sent_on() {
        for (word, sent) in [("a:b", true), ("help", false), ("a:", false), ("etc/x:y", false), (":b", false)] {
            assert_eq!(super::is_server_prompt(word), sent, "{word}");
        }
    }
}
