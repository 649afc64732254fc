//! What an ask is about, in full.

use crate::fenced_diff::{DescriptionPart, split_diffs};
use crate::sanitize::{count_gaps, one_line};
use crate::screen::overlay::ask_dialog::RenderMarkdown;
use crate::screen::overlay::diff::{write_diff, write_diff_rows};
use crate::screen::overlay::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use crate::screen::patch::rows_from_patch;
use crate::screen::theme::Theme;
use pollux_session::{Ask, AskDetails, describe_run, plural, stated_purpose};
use ratatui::text::{Line, Span};
use serde_json::Value;

/// The lines for what `ask` is about, of a call with these arguments. Nothing is cut.
pub(super) fn draw_details(ask: &Ask, args: &Value, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut line_builder = LineBuilder::new(width, theme);
    match &ask.details {
        AskDetails::Execute { command, directory } => {
            line_builder.words_in(INDENT, INDENT, theme.text, &format!("{}:", describe_run(directory, args)));
            line_builder.exact_in(GUTTER, GUTTER_ON, theme.strong, &count_gaps(command));
            if let Some(purpose) = stated_purpose(args) {
                line_builder.words_in(INDENT, INDENT, theme.dim, &purpose);
            }
        }
        AskDetails::Edit(change) => {
            let verb = if change.old.is_some() { "change" } else { "create" };
            let path = one_line(&change.path, usize::MAX);
            line_builder.words_in(INDENT, INDENT, theme.text, &format!("{verb} {path}:"));
            write_diff(&mut line_builder, change);
        }
        AskDetails::Patch { files } => {
            let words = format!("change {}:", plural(files.len(), "file"));
            line_builder.words_in(INDENT, INDENT, theme.text, &words);
            for file in files {
                line_builder.gap();
                line_builder.words_in(INDENT, INDENT, theme.strong, &file.title());
                if let Some(change) = file.changed_content() {
                    write_diff(&mut line_builder, change);
                }
            }
        }
        AskDetails::Generic { description, .. } => {
            for part in split_diffs(description) {
                match part {
                    DescriptionPart::Words(words) => {
                        line_builder.words_in(GUTTER, GUTTER_ON, theme.text, &count_gaps(words));
                    }
                    DescriptionPart::Diff(patch) => write_diff_rows(&mut line_builder, &rows_from_patch(patch), ""),
                }
            }
        }
        AskDetails::Mcp { server, tool, version } => {
            let (tool, server) = (one_line(tool, usize::MAX), one_line(server, usize::MAX));
            line_builder.words_in(INDENT, INDENT, theme.text, &format!("call {tool} of the MCP server {server} with:"));
            line_builder.exact_in(GUTTER, GUTTER_ON, theme.text, &format!("{args:#}"));
            if let Some(notice) = version.change_notice() {
                line_builder.words_in(INDENT, INDENT, theme.strong, notice);
            }
        }
    }
    if let Some(reason) = &ask.reason {
        line_builder.words_in(INDENT, INDENT, theme.dim, &one_line(reason, usize::MAX));
    }
    line_builder.into_lines()
}

/// A plan, or what is said before questions.
pub(super) fn draw_preface(text: &str, width: u16, theme: &Theme, markdown: RenderMarkdown) -> Vec<Line<'static>> {
    let margin = u16::try_from(GUTTER.chars().count()).unwrap_or_default();
    let lines = markdown(text, width.saturating_sub(margin).max(1), theme);
    let guttered = lines.into_iter().map(|mut line| {
        line.spans.insert(0, Span::styled(GUTTER, theme.dim));
        line
    });
    guttered.collect()
}
