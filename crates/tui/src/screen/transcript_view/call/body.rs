//! What there is to see of a call besides its line.

use super::{CallAppearance, CallDrawing, fact_text};
use crate::sanitize::one_line;
use crate::screen::theme::Theme;
use crate::screen::transcript_view::diff;
use crate::screen::transcript_view::margin::{DetailLevel, Margin};
use pollux_session::{
    CallArtifact, CallOutcome, CallResult, MARK_CHARS, ResultDisplay, ToolKind, describe_ending, plain,
};
use ratatui::text::Line;
use serde_json::Value;

/// After how many rows no further file of a patch is shown.
const PATCH_ROWS: usize = 60;
/// How many rows of output are shown.
const OUTPUT_ROWS: usize = 10;

impl CallDrawing<'_> {
    pub(super) fn body(
        &self,
        look: CallAppearance,
        detail: DetailLevel,
        margin: Margin,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let outcome = self.call.outcome.as_ref();
        if let Some(outcome) = outcome {
            let (_, words) = describe_ending(outcome);
            if !words.is_empty() && fact_text(&words).is_none() {
                lines.extend(margin.quoted_prose(&words, theme.bad, detail.limit(OUTPUT_ROWS), theme));
            }
        }
        let result = outcome.and_then(CallOutcome::result);
        match result.and_then(|result| result.display.as_ref()) {
            Some(ResultDisplay::Diff(change)) => lines.extend(diff::draw_diff(change, detail, margin, theme)),
            Some(ResultDisplay::Patch { files }) => {
                for (at, file) in files.iter().enumerate() {
                    if lines.len() >= detail.limit(PATCH_ROWS) {
                        lines.extend(margin.more(files.len() - at, "more file", theme));
                        break;
                    }
                    lines.extend(margin.quoted(&file.title(), theme.strong, 1, theme));
                    if let Some(change) = file.changed_content() {
                        lines.extend(diff::draw_diff(change, detail, margin, theme));
                    }
                }
            }
            Some(ResultDisplay::Text { .. }) | None => {}
        }
        if let Some(report) = self.report(look, detail) {
            // The calls of the agent stand above; what it was refused nobody else tells.
            lines.extend(self.output.rows_that_begin("✗", OUTPUT_ROWS, &margin, theme));
            lines.extend(margin.quoted_prose(&plain(report), theme.text, OUTPUT_ROWS, theme));
        } else if !self.output.is_empty() {
            let most = match look {
                // Besides its own line and the one that says how much is not shown.
                CallAppearance::Live { rows, .. } => rows.saturating_sub(2).min(OUTPUT_ROWS),
                CallAppearance::Started | CallAppearance::Ended => detail.limit(OUTPUT_ROWS),
            };
            let (newest, hidden) = self.output.newest(most, &margin, theme);
            lines.extend(margin.more(hidden, "earlier line", theme));
            lines.extend(newest);
        }
        if let Some(result) = result.filter(|_| self.report(look, detail).is_none()) {
            lines.extend(self.result_lines(result, detail, margin, theme));
        }
        lines
    }

    /// The report of an agent that has done its work: that is what a person looks for, and not how it got there.
    fn report(&self, look: CallAppearance, detail: DetailLevel) -> Option<&str> {
        let is_over = look == CallAppearance::Ended && detail == DetailLevel::Collapsed;
        let result =
            self.call.outcome.as_ref().filter(|_| is_over && self.call.kind == ToolKind::Delegate)?.result()?;
        let report = match &result.display {
            Some(ResultDisplay::Text { text }) => text.trim(),
            Some(ResultDisplay::Diff(_) | ResultDisplay::Patch { .. }) => return None,
            None => result.text.trim(),
        };
        (!report.is_empty()).then_some(report)
    }

    fn result_lines(
        &self,
        result: &CallResult,
        detail: DetailLevel,
        margin: Margin,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let most = detail.limit(OUTPUT_ROWS);
        match &result.display {
            Some(ResultDisplay::Text { text }) if !self.output.is_empty() || self.repeats_remark(text) => {}
            Some(ResultDisplay::Text { text }) if fact_text(text.trim()).is_none() => {
                lines.extend(margin.quoted(&plain(text.trim()), theme.text, most, theme));
            }
            Some(ResultDisplay::Text { .. } | ResultDisplay::Diff(_) | ResultDisplay::Patch { .. }) | None => {}
        }
        for left in &result.leaves {
            if let CallArtifact::Link { url, name, .. } = left {
                let (name, url) = (one_line(name, MARK_CHARS), one_line(url, usize::MAX));
                lines.extend(margin.text_below_sign("→ ", theme.dim, &format!("{name} ({url})")));
            }
        }
        if detail == DetailLevel::Expanded {
            let told = result.text.trim();
            // What an agent prints is how it got there.
            let is_report = self.call.kind == ToolKind::Delegate;
            if (self.output.is_empty() || is_report) && !told.is_empty() {
                lines.extend(margin.text_below_sign("→ ", theme.dim, "the model was told:"));
                lines.extend(margin.quoted(&plain(told), theme.text, usize::MAX, theme));
            }
            for media in &result.media {
                lines.extend(margin.text_below_sign(
                    "→ ",
                    theme.dim,
                    &format!("the model was shown {}", one_line(&media.name, 500)),
                ));
            }
            if let Some(whole) = &result.whole {
                let words = format!("it printed {} bytes; the log keeps the beginning and the end", whole.len);
                lines.extend(margin.text_below_sign("→ ", theme.dim, &words));
            }
        }
        lines
    }
}

/// Arguments as `name: value`; text of several lines as it is.
pub(super) fn arguments(args: &Value) -> String {
    let Some(named) = args.as_object() else { return format!("{args:#}") };
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other:#}"),
    };
    named.iter().map(line).collect::<Vec<_>>().join("\n")
}
