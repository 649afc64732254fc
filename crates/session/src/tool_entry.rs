//! Names of tools in lists: in settings, in flags and in requests of clients.

use crate::BuiltInTool;

/// An entry of a list of tools: a name, or `name(words)` for the calls whose shell command begins with those words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEntry<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The words; `None` where the entry means all calls of the tool.
    pub words: Option<Vec<String>>,
}

impl<'a> ToolEntry<'a> {
    /// Read an entry. One whose bracket is not closed still means these words, never the whole tool.
    pub fn read(text: &'a str) -> ToolEntry<'a> {
        let (tool, words) = match text.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
            None => (text, None),
        };
        ToolEntry {
            tool: BuiltInTool::current_name(tool),
            words: words.map(|words| words.split_whitespace().map(str::to_owned).collect()),
        }
    }

    /// True if the tool runs shell commands: only then can words fit a call.
    pub fn is_shell(&self) -> bool {
        self.tool == BuiltInTool::RunShellCommand.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn an_entry_is_a_tool_with_or_without_words() {
        for (text, tool, words) in [
            ("read_file", "read_file", None),
            ("run_shell_command(git  status)", "run_shell_command", Some(vec!["git", "status"])),
            ("ShellTool(git)", "run_shell_command", Some(vec!["git"])),
            ("run_shell_command(git", "run_shell_command", Some(vec!["git"])),
            ("run_shell_command(echo (a))", "run_shell_command", Some(vec!["echo", "(a)"])),
            ("run_shell_command()", "run_shell_command", Some(vec![])),
        ] {
            let words = words.map(|words: Vec<&str>| words.into_iter().map(str::to_owned).collect());
            assert_eq!(ToolEntry::read(text), ToolEntry { tool, words }, "{text}");
        }
    }
}
