//! Which tools a rule names: a name, or a pattern with `*`.

use pollux_session::BuiltInTool;

/// A tool's name or a pattern: `*`, `mcp_*`, `mcp_<server>_*`, `mcp_*_<tool>`, `read_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolPattern(String);

impl ToolPattern {
    /// A pattern as written in a rule; names that tools used to have stand for the ones they have now.
    pub(crate) fn new(text: &str) -> ToolPattern {
        ToolPattern(BuiltInTool::current_name(text).to_owned())
    }

    /// Whether it names `tool`. For an MCP tool `mcp` is the server and its own name for the tool: `mcp_a_*` means the
    /// server `a` and not one called `a_b`, which the tool's name alone cannot tell apart.
    pub(crate) fn matches(&self, tool: &str, mcp: Option<(&str, &str)>) -> bool {
        let pattern = self.0.as_str();
        if pattern == tool {
            return true;
        }
        if let Some((server, name)) = mcp
            && let Some(rest) = pattern.strip_prefix("mcp_")
            && rest != "*"
        {
            let of_server = rest.strip_suffix("_*").is_some_and(|wanted| wanted == server);
            let of_tool = rest.strip_prefix("*_").is_some_and(|wanted| wanted == name);
            return of_server || of_tool;
        }
        fits(pattern, tool)
    }
}

/// Whether `text` fits `pattern`, in which each `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        let Some((_, behind)) = text.split_once(piece) else { return false };
        text = behind;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, tool, fits) in [
            ("*", "read_file", true),
            ("read_file", "read_file", true),
            ("read_file", "read_files", false),
            ("read_*", "read_file", true),
            ("read_*", "write_file", false),
            ("*_file", "write_file", true),
            ("r*_f*e", "read_file", true),
            ("r*_g*e", "read_file", false),
            // No text counts twice.
            ("*_file*file", "read_file", false),
            ("*_file*file", "read_file_of_file", true),
            ("search_file_content", "grep_search", true),
        ] {
            assert_eq!(ToolPattern::new(pattern).matches(tool, None), fits, "{pattern} {tool}");
        }
    }

    #[test]
    fn a_server_is_not_another_whose_name_begins_alike() {
        let tool = ("mcp_git_evil_push", Some(("git_evil", "push")));
        for (pattern, fits) in [
            ("mcp_*", true),
            ("*", true),
            ("mcp_git_*", false),
            ("mcp_git_evil_*", true),
            ("mcp_*_push", true),
            ("mcp_*_evil_push", false),
            ("mcp_git_evil_push", true),
        ] {
            assert_eq!(ToolPattern::new(pattern).matches(tool.0, tool.1), fits, "{pattern}");
        }
    }
}
