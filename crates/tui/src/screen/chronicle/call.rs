//! A call from the moment it is wanted: one line that says what it is and how it went, and what there is to see of it.

mod body;

use super::diff;
use super::paint::{Detail, Margin, Tone};
use super::printout::{Keep, Printout};
use crate::page::Style as Ending;
use crate::render::{duration, ending, short_name, summary};
use crate::sanitize::{count_gaps, one_line};
use crate::screen::markdown::flow::span;
use crate::screen::theme::Theme;
use body::arguments;
use pollux_session::{At, CallId, CallOutcome, Display, Entry, Event, ToolKind};
use ratatui::style::Style;
use ratatui::text::Line;
use serde_json::Value;
use std::sync::Arc;

/// An error or a result longer than this is shown below the call's line.
const FACT_CHARS: usize = 120;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What is known of a call.
#[derive(Clone, Debug)]
pub(super) struct CallState {
    pub(super) id: CallId,
    /// The entry that wants it: tool and arguments.
    called: Arc<Entry>,
    /// How many calls it was made for, one within the other.
    pub(super) depth: usize,
    pub(super) kind: ToolKind,
    pub(super) phase: Phase,
    pub(super) began: Option<At>,
    /// Who declined it and when, if that was not this seat.
    pub(super) declined_by: Option<String>,
    /// What is said about it on lines of their own.
    pub(super) remarks: Vec<(Tone, String)>,
    pub(super) output: Printout,
    /// The workspace, which paths are shown without.
    workspace: String,
}

/// Where a call is in its life.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    Vetting,
    Asking,
    Ready,
    Running,
    /// With the entry that says how; `None` when the log does not say.
    Ended(Option<Arc<Entry>>),
}

/// The line of a call that had others made is drawn twice: before theirs, and when it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// At a moment, in so many rows.
    Live {
        now: At,
        rows: usize,
    },
    Begun,
    Over,
}

/// Sign, its style, and what is said behind the call's name.
struct Head {
    sign: &'static str,
    style: Style,
    facts: Vec<String>,
}

impl CallState {
    pub(super) fn new(called: &Arc<Entry>, depth: usize, workspace: &str, detail: Detail) -> CallState {
        let keep = match detail {
            Detail::Closed => Keep::Tail,
            Detail::Opened => Keep::All,
        };
        CallState {
            id: CallId(called.seq),
            called: called.clone(),
            depth,
            kind: ToolKind::default(),
            phase: Phase::Vetting,
            began: None,
            declined_by: None,
            remarks: Vec::new(),
            output: Printout::new(keep),
            workspace: workspace.to_owned(),
        }
    }

    /// The same call with nothing printed, for the line that is drawn before it is over.
    pub(super) fn without_output(&self) -> CallState {
        CallState {
            called: self.called.clone(),
            phase: Phase::Running,
            declined_by: None,
            remarks: Vec::new(),
            output: Printout::new(Keep::Tail),
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
        let Event::Called { tool, args, .. } = &self.called.event else { return (self.id.to_string(), String::new()) };
        let name = short_name(tool, args);
        // What it says to the person is in its ask or in its result.
        let about = if self.kind == ToolKind::Converse { String::new() } else { count_gaps(&summary(args)) };
        let inside = about.strip_prefix(&self.workspace).and_then(|path| path.strip_prefix('/'));
        let inside = inside.filter(|path| !self.workspace.is_empty() && !path.is_empty()).map(str::to_owned);
        (name, inside.unwrap_or(about))
    }

    /// Whether a result says only what a remark says already: the answers of the person.
    fn has_said(&self, text: &str) -> bool {
        self.remarks.iter().any(|(_, said)| said == text.trim())
    }

    fn args(&self) -> &Value {
        match &self.called.event {
            Event::Called { args, .. } => args,
            _ => &Value::Null,
        }
    }

    fn outcome(&self) -> Option<&CallOutcome> {
        match &self.phase {
            Phase::Ended(Some(entry)) => match &entry.event {
                Event::CallEnded { outcome, .. } => Some(outcome),
                _ => None,
            },
            Phase::Ended(None) | Phase::Vetting | Phase::Asking | Phase::Ready | Phase::Running => None,
        }
    }

    /// Everything there is to see of it.
    pub(super) fn lines(&self, look: Look, detail: Detail, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let margin = Margin::new(width, self.depth);
        let head = self.head(look, theme);
        let (name, about) = self.names();
        let mut spans = vec![span(&name, theme.strong)];
        if !about.is_empty() {
            spans.push(span(&format!(" {about}"), theme.text));
        }
        if !head.facts.is_empty() {
            let style = if head.style == theme.good { theme.dim } else { head.style };
            spans.push(span(&format!("  {}", head.facts.join(" · ")), style));
        }
        let mut lines = margin.signed(&format!("{} ", head.sign), head.style, &spans);
        if look == Look::Begun {
            return lines;
        }
        let inner = margin.inner();
        if detail == Detail::Opened && !self.args().is_null() {
            lines.extend(inner.quoted(&arguments(self.args()), theme.dim, usize::MAX, theme));
        }
        for (tone, text) in &self.remarks {
            lines.extend(inner.said(tone.sign(), tone.style(theme), text));
        }
        lines.extend(self.body(look, detail, inner, theme));
        lines
    }

    fn head(&self, look: Look, theme: &Theme) -> Head {
        let simple = |sign, style, fact: &str| Head { sign, style, facts: Vec::from_iter(fact_of(fact)) };
        match (&self.phase, look) {
            (_, Look::Begun) => simple("▸", theme.accent, ""),
            (Phase::Vetting, _) => simple("·", theme.dim, ""),
            (Phase::Asking, _) => simple("?", theme.warn, "waits for you"),
            (Phase::Ready, _) => simple("·", theme.dim, "may run"),
            (Phase::Running, Look::Live { now, .. }) => {
                let frame = usize::try_from(now.0 / 100 % SPINNER.len() as u64).unwrap_or(0);
                // Whole seconds: a running number should not flicker.
                let ran = self.began.map(|began| now.0.saturating_sub(began.0) / 1_000).filter(|seconds| *seconds > 0);
                let ran = ran.map(seconds_words).unwrap_or_default();
                simple(SPINNER[frame], theme.accent, &ran)
            }
            (Phase::Running, Look::Over) => simple("▸", theme.accent, "runs"),
            (Phase::Ended(_), _) => match self.outcome() {
                Some(outcome) => self.ended(outcome, theme),
                None => simple("✗", theme.bad, "nothing says how it ended"),
            },
        }
    }

    fn ended(&self, outcome: &CallOutcome, theme: &Theme) -> Head {
        let (style, mut words) = ending(outcome);
        let result = outcome.result();
        let code = result.and_then(|result| result.exit_code);
        let (mut sign, mut style) = match style {
            Ending::Good => ("✓", theme.good),
            Ending::Bad => ("✗", theme.bad),
            _ => ("-", theme.warn),
        };
        // The tool has done its work, but what it ran has failed, and that is what a person looks for.
        if matches!(outcome, CallOutcome::Succeeded { .. }) && code.is_some_and(|code| code != 0) {
            (sign, style) = ("✗", theme.bad);
        }
        if let (CallOutcome::Declined, Some(who)) = (outcome, &self.declined_by) {
            words = format!("declined by {who}");
        }
        let mut facts = Vec::from_iter(fact_of(&words));
        if let Some(result) = result {
            match &result.display {
                Some(Display::Diff(change)) => facts.push(diff::counts(change)),
                Some(Display::Text { text }) if self.has_said(text) => {}
                Some(Display::Text { text }) => facts.extend(fact_of(text.trim())),
                None => {}
            }
        }
        facts.extend(code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
        let end = match &self.phase {
            Phase::Ended(Some(entry)) => Some(entry.at),
            _ => None,
        };
        facts.extend(self.began.zip(end).map(|(began, end)| duration(end.0.saturating_sub(began.0))));
        Head { sign, style, facts }
    }
}

/// A text that can stand on the call's own line.
fn fact_of(text: &str) -> Option<String> {
    let is_short = !text.is_empty() && !text.contains('\n') && text.chars().count() <= FACT_CHARS;
    is_short.then(|| one_line(text, FACT_CHARS))
}

/// `4 s`, `2 min 5 s`.
pub(super) fn seconds_words(seconds: u64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { duration(seconds * 1_000) }
}
