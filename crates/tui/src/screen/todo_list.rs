//! What the agent has on its list, as `write_todos` told it last.

use super::theme::Theme;
use crate::sanitize::one_line;
use ratatui::text::{Line, Span};
use serde_json::Value;

/// The most items that are shown.
const MAX_ITEMS: usize = 12;

/// The list, by what was written last.
pub(crate) fn todo_lines(args: &Value, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let items: Vec<&Value> = args["todos"].as_array().into_iter().flatten().collect();
    let mut lines: Vec<Line<'static>> =
        items.iter().take(MAX_ITEMS).map(|item| todo_line(item, width, theme)).collect();
    if items.len() > MAX_ITEMS {
        lines.push(Line::styled(format!("  … {} more", items.len() - MAX_ITEMS), theme.dim));
    }
    lines
}

fn todo_line(item: &Value, width: u16, theme: &Theme) -> Line<'static> {
    let (sign, style) = match item["status"].as_str() {
        Some("completed") => ("✓ ", theme.good),
        Some("in_progress") => ("▸ ", theme.accent),
        Some("cancelled") => ("- ", theme.dim),
        _ => ("○ ", theme.text),
    };
    let text = one_line(item["description"].as_str().unwrap_or_default(), usize::from(width).saturating_sub(3));
    Line::from(vec![Span::styled(sign, style), Span::styled(text, style)])
}

#[cfg(test)]
mod tests {
    use crate::screen::theme::plain;
    use serde_json::json;

    #[test]
    fn each_item_has_a_sign_and_nothing_odd_breaks_it() {
        let args = json!({ "todos": [
            { "description": "read", "status": "completed" },
            { "description": "write\u{1b}[2J", "status": "in_progress" },
            { "description": "rest", "status": "pending" },
            { "status": 7 },
        ] });
        let lines: Vec<String> = super::todo_lines(&args, 40, &plain()).iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["✓ read", "▸ write␛[2J", "○ rest", "○ "]);
        assert_eq!(super::todo_lines(&json!({ "todos": "x" }), 40, &plain()), []);
    }
}
