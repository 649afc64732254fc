//! Names and values in text that is shown as Markdown: a file such as `__init__.py` must not be read as bold.

/// `text` as code that Markdown shows unchanged, whatever backquotes are in it.
pub fn code_span(text: &str) -> String {
    let ticks = "`".repeat(longest_backquote_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// The length of the longest run of backquotes in `text`: a fence must be longer.
pub fn longest_backquote_run(text: &str) -> usize {
    text.split(|ch| ch != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_fenced_by_more_backquotes_than_it_holds() {
        assert_eq!(code_span("__init__.py"), "`__init__.py`");
        assert_eq!(code_span("a`b"), "``a`b``");
        assert_eq!(code_span("``"), "``` `` ```");
    }
}
