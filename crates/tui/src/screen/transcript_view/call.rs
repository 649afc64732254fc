//! A call from the moment it is wanted: one line that says what it is and how it went, and what there is to see of it.

mod body;

use super::diff;
use super::margin::{DetailLevel, Margin, tone_sign, tone_style};
use super::printed_output::{OutputRetention, PrintedOutput};
use crate::sanitize::{count_gaps, one_line};
use crate::screen::markdown::word_wrap::clean_span;
use crate::screen::theme::Theme;
use body::arguments;
use pollux_session::{
    CallId, CallOutcome, Entry, Event, NoteTone, ResultDisplay, ToolKind, UnixMillis, describe_ending, format_duration,
    format_seconds, short_name, summarize_args,
};
use ratatui::style::Style;
use ratatui::text::Line;
use serde_json::Value;
use std::sync::Arc;

/// An error or a result longer than this is shown below the call's line.
const FACT_CHARS: usize = 120;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What is known of a call.
#[derive(Clone, Debug)]
pub(super) struct TranscriptCall {
    pub(super) id: CallId,
    /// The entry that wants it: tool and arguments.
    entry: Arc<Entry>,
    /// How many calls it was made for, one within the other.
    pub(super) depth: usize,
    pub(super) kind: ToolKind,
    pub(super) progress: CallProgress,
    pub(super) started_at: Option<UnixMillis>,
    /// Who declined it and when, if that was not this seat.
    pub(super) declined_by: Option<String>,
    /// What is said about it on lines of their own.
    pub(super) remarks: Vec<(NoteTone, String)>,
    pub(super) output: PrintedOutput,
    /// The workspace, which paths are shown without.
    workspace: String,
}

/// Where a call is in its life.
#[derive(Clone, Debug)]
pub(super) enum CallProgress {
    Vetting,
    Asking,
    Ready,
    Running,
    /// With the entry that says how; `None` when the log does not say.
    Ended(Option<Arc<Entry>>),
}

/// The line of a call that had others made is drawn twice: before theirs, and when it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallAppearance {
    /// At a moment, in so many rows.
    Live {
        now: UnixMillis,
        rows: usize,
    },
    Started,
    Ended,
}

/// Sign, its style, and what is said behind the call's name.
struct CallHeading {
    sign: &'static str,
    style: Style,
    facts: Vec<String>,
}

impl TranscriptCall {
    pub(super) fn new(called: &Arc<Entry>, depth: usize, workspace: &str, detail: DetailLevel) -> TranscriptCall {
        let keep = match detail {
            DetailLevel::Collapsed => OutputRetention::Tail,
            DetailLevel::Expanded => OutputRetention::All,
        };
        TranscriptCall {
            id: CallId(called.seq),
            entry: called.clone(),
            depth,
            kind: ToolKind::default(),
            progress: CallProgress::Vetting,
            started_at: None,
            declined_by: None,
            remarks: Vec::new(),
            output: PrintedOutput::new(keep),
            workspace: workspace.to_owned(),
        }
    }

    /// The same call with nothing printed, for the line that is drawn before it is over.
    pub(super) fn without_output(&self) -> TranscriptCall {
        TranscriptCall {
            entry: self.entry.clone(),
            progress: CallProgress::Running,
            declined_by: None,
            remarks: Vec::new(),
            output: PrintedOutput::new(OutputRetention::Tail),
            workspace: self.workspace.clone(),
            ..*self
        }
    }

    /// `run_shell_command npm test`.
    pub(super) fn title(&self) -> String {
        let (name, about) = self.names();
        if about.is_empty() { name } else { format!("{name} {about}") }
    }

    fn names(&self) -> (String, String) {
        let Event::Called { tool, args, .. } = &self.entry.event else { return (self.id.to_string(), String::new()) };
        let name = short_name(tool, args);
        // What it says to the person is in its ask or in its result.
        let about = if self.kind == ToolKind::Converse { String::new() } else { count_gaps(&summarize_args(args)) };
        let inside = about.strip_prefix(&self.workspace).and_then(|path| path.strip_prefix('/'));
        let inside = inside.filter(|path| !self.workspace.is_empty() && !path.is_empty()).map(str::to_owned);
        (name, inside.unwrap_or(about))
    }

    /// Whether a result says only what a remark says already: the answers of the person.
    fn repeats_remark(&self, text: &str) -> bool {
        self.remarks.iter().any(|(_, said)| said == text.trim())
    }

    fn args(&self) -> &Value {
        if let Event::Called { args, .. } = &self.entry.event { args } else { &Value::Null }
    }

    fn outcome(&self) -> Option<&CallOutcome> {
        match &self.progress {
            CallProgress::Ended(Some(entry)) => {
                if let Event::CallEnded { outcome, .. } = &entry.event {
                    Some(outcome)
                } else {
                    None
                }
            }
            CallProgress::Ended(None)
            | CallProgress::Vetting
            | CallProgress::Asking
            | CallProgress::Ready
            | CallProgress::Running => None,
        }
    }

    /// Everything there is to see of it.
    pub(super) fn lines(
        &self,
        look: CallAppearance,
        detail: DetailLevel,
        width: u16,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let margin = Margin::new(width, self.depth);
        let head = self.head(look, theme);
        let (name, about) = self.names();
        let mut spans = vec![clean_span(&name, theme.strong)];
        if !about.is_empty() {
            spans.push(clean_span(&format!(" {about}"), theme.text));
        }
        if !head.facts.is_empty() {
            let style = if head.style == theme.good { theme.dim } else { head.style };
            spans.push(clean_span(&format!("  {}", head.facts.join(" · ")), style));
        }
        let mut lines = margin.spans_below_sign(&format!("{} ", head.sign), head.style, &spans);
        if look == CallAppearance::Started {
            return lines;
        }
        let inner = margin.inner();
        if detail == DetailLevel::Expanded && !self.args().is_null() {
            lines.extend(inner.quoted(&arguments(self.args()), theme.dim, usize::MAX, theme));
        }
        for (tone, text) in &self.remarks {
            lines.extend(inner.text_below_sign(tone_sign(*tone), tone_style(*tone, theme), text));
        }
        lines.extend(self.body(look, detail, inner, theme));
        lines
    }

    fn head(&self, look: CallAppearance, theme: &Theme) -> CallHeading {
        let simple = |sign, style, fact: &str| CallHeading { sign, style, facts: Vec::from_iter(fact_text(fact)) };
        match (&self.progress, look) {
            (_, CallAppearance::Started) => simple("▸", theme.accent, ""),
            (CallProgress::Vetting, _) => simple("·", theme.dim, ""),
            (CallProgress::Asking, _) => simple("?", theme.warn, "waits for you"),
            (CallProgress::Ready, _) => simple("·", theme.dim, "may run"),
            (CallProgress::Running, CallAppearance::Live { now, .. }) => {
                let frame = usize::try_from(now.0 / 100 % SPINNER.len() as u64).unwrap_or(0);
                // Whole seconds: a running number should not flicker.
                let ran =
                    self.started_at.map(|began| now.0.saturating_sub(began.0) / 1_000).filter(|seconds| *seconds > 0);
                let ran = ran.map(format_seconds).unwrap_or_default();
                simple(SPINNER[frame], theme.accent, &ran)
            }
            (CallProgress::Running, CallAppearance::Ended) => simple("▸", theme.accent, "runs"),
            (CallProgress::Ended(_), _) => match self.outcome() {
                Some(outcome) => self.ended(outcome, theme),
                None => simple("✗", theme.bad, "nothing says how it ended"),
            },
        }
    }

    fn ended(&self, outcome: &CallOutcome, theme: &Theme) -> CallHeading {
        let (tone, mut words) = describe_ending(outcome);
        let result = outcome.result();
        let code = result.and_then(|result| result.exit_code);
        let (mut sign, mut style) = match tone {
            NoteTone::Good => ("✓", theme.good),
            NoteTone::Bad => ("✗", theme.bad),
            NoteTone::Warn | NoteTone::Info => ("-", theme.warn),
        };
        // The tool has done its work, but what it ran has failed, and that is what a person looks for.
        if matches!(outcome, CallOutcome::Succeeded { .. }) && code.is_some_and(|code| code != 0) {
            (sign, style) = ("✗", theme.bad);
        }
        if let (CallOutcome::Declined, Some(who)) = (outcome, &self.declined_by) {
            words = format!("declined by {who}");
        }
        let mut facts = Vec::from_iter(fact_text(&words));
        if let Some(result) = result {
            match &result.display {
                Some(ResultDisplay::Diff(change)) => facts.push(diff::diff_counts(change)),
                Some(ResultDisplay::Text { text }) if self.repeats_remark(text) => {}
                Some(ResultDisplay::Text { text }) => facts.extend(fact_text(text.trim())),
                None => {}
            }
        }
        facts.extend(code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
        let end = match &self.progress {
            CallProgress::Ended(Some(entry)) => Some(entry.at),
            _ => None,
        };
        facts.extend(self.started_at.zip(end).map(|(began, end)| format_duration(end.0.saturating_sub(began.0))));
        CallHeading { sign, style, facts }
    }
}

/// A text that can stand on the call's own line.
fn fact_text(text: &str) -> Option<String> {
    let is_short = !text.is_empty() && !text.contains('\n') && text.chars().count() <= FACT_CHARS;
    is_short.then(|| one_line(text, FACT_CHARS))
}
