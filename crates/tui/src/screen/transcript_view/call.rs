//! A call from the moment it is wanted: one line that says what it is and how it went, and what there is to see of it.

mod body;

use super::diff;
use super::margin::{DetailLevel, Margin, tone_sign, tone_style};
use super::printed_output::PrintedOutput;
use crate::render::ending_sign;
use crate::sanitize::{count_gaps, one_line};
use crate::screen::markdown::word_wrap::clean_span;
use crate::screen::overlay::fit;
use crate::screen::theme::Theme;
use body::arguments;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pollux_session::{
    CallOutcome, CallProgress, CallRemark, CallResult, CallView, NoteTone, ResultDisplay, UnixMillis, ViewItem,
    describe_change, describe_ending, format_duration, format_seconds, proposed_plan,
};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::Arc;

/// An error or a result longer than this is shown below the call's line.
const FACT_CHARS: usize = 120;
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// A call that is over, or as far as it goes while others are made for it.
#[derive(Debug)]
pub(super) struct SettledCall {
    pub(super) item: Arc<ViewItem>,
    pub(super) output: PrintedOutput,
    pub(super) zone: TimeZone,
}

/// A call, and what drawing it takes besides.
pub(super) struct CallDrawing<'a> {
    pub(super) call: &'a CallView,
    /// What it printed, as rows.
    pub(super) output: &'a PrintedOutput,
    /// Where the person is: times are told in their time.
    pub(super) zone: &'a TimeZone,
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

impl SettledCall {
    pub(super) fn lines(
        &self,
        look: CallAppearance,
        detail: DetailLevel,
        width: u16,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let Some(call) = self.item.content.as_call() else { return Vec::new() };
        CallDrawing { call, output: &self.output, zone: &self.zone }.lines(look, detail, width, theme)
    }
}

impl CallDrawing<'_> {
    /// Whether a result says only what a remark says already: the answers of the person.
    fn repeats_remark(&self, text: &str) -> bool {
        self.call.remarks.iter().any(|remark| remark.text == text.trim())
    }

    /// The plan that a person has approved, sent back or rejected: it stays to be read.
    fn decided_plan(&self) -> Option<&str> {
        let is_decided = matches!(self.call.outcome, Some(CallOutcome::Succeeded { .. } | CallOutcome::Declined));
        proposed_plan(&self.call.tool, &self.call.args).filter(|_| is_decided)
    }

    /// The hour and minute where the person is.
    fn local_time(&self, at: UnixMillis) -> String {
        let ms = i64::try_from(at.0).unwrap_or(i64::MAX);
        let time = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX);
        time.to_zoned(self.zone.clone()).strftime("%H:%M").to_string()
    }

    /// Everything there is to see of it.
    pub(super) fn lines(
        &self,
        look: CallAppearance,
        detail: DetailLevel,
        width: u16,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let margin = Margin::new(width, self.call.depth);
        let head = self.head(look, theme);
        let about = count_gaps(&self.call.about);
        let name = clean_span(&self.call.name, theme.strong);
        let about = (!about.is_empty()).then(|| clean_span(&format!(" {about}"), theme.text));
        let facts = (!head.facts.is_empty()).then(|| {
            let style = if head.style == theme.good { theme.dim } else { head.style };
            clean_span(&format!("  {}", head.facts.join(" · ")), style)
        });
        let sign = format!("{} ", head.sign);
        let mut lines = match look {
            // One row, so that it stays in sight, and what is cut is the subject: the end of a command beside the time that it
            // runs reads as its result.
            CallAppearance::Live { .. } => {
                let facts_width = facts.as_ref().map_or(0, Span::width);
                let named =
                    fit(std::iter::once(name).chain(about).collect(), margin.room().saturating_sub(facts_width)).spans;
                let spans: Vec<Span<'static>> = named.into_iter().chain(facts).collect();
                margin.spans_below_sign(&sign, head.style, &fit(spans, margin.room()).spans)
            }
            CallAppearance::Started | CallAppearance::Ended => {
                let spans: Vec<Span<'static>> = std::iter::once(name).chain(about).chain(facts).collect();
                margin.spans_below_sign(&sign, head.style, &spans)
            }
        };
        if look == CallAppearance::Started {
            return lines;
        }
        let inner = margin.inner();
        if let Some(plan) = self.decided_plan() {
            lines.extend(inner.quoted_markdown(plan, theme));
        } else if detail == DetailLevel::Expanded && !self.call.args.is_null() {
            lines.extend(inner.quoted(&arguments(&self.call.args), theme.dim, usize::MAX, theme));
        }
        for CallRemark { tone, text, at } in &self.call.remarks {
            let when = at.map(|at| format!(" · {}", self.local_time(at))).unwrap_or_default();
            let text = format!("{text}{when}");
            lines.extend(inner.text_below_sign(tone_sign(*tone), tone_style(*tone, theme), &text));
        }
        if detail == DetailLevel::Expanded && self.call.is_saved_before {
            let way_back = format!("saved before it: /restore {}", self.call.call.0.0);
            lines.extend(inner.text_below_sign(
                tone_sign(NoteTone::Info),
                tone_style(NoteTone::Info, theme),
                &way_back,
            ));
        }
        // What is said about it takes its room from what it prints.
        let look = match look {
            CallAppearance::Live { now, rows } => {
                CallAppearance::Live { now, rows: (rows + 1).saturating_sub(lines.len()) }
            }
            CallAppearance::Started | CallAppearance::Ended => look,
        };
        lines.extend(self.body(look, detail, inner, theme));
        lines
    }

    fn head(&self, look: CallAppearance, theme: &Theme) -> CallHeading {
        let simple = |sign, style, fact: &str| CallHeading { sign, style, facts: Vec::from_iter(fact_text(fact)) };
        match (self.call.progress, look) {
            (_, CallAppearance::Started) => simple("▸", theme.accent, ""),
            (CallProgress::Vetting, _) => simple("·", theme.dim, ""),
            (CallProgress::Asking, _) => simple("?", theme.warn, "waits for you"),
            (CallProgress::Ready, _) => simple("·", theme.dim, "waits its turn"),
            (CallProgress::Running, CallAppearance::Live { now, .. }) => {
                let frame = usize::try_from(now.0 / 100 % SPINNER.len() as u64).unwrap_or(0);
                // Whole seconds: a running number should not flicker.
                let ran = self
                    .call
                    .started_at
                    .map(|began| now.0.saturating_sub(began.0) / 1_000)
                    .filter(|seconds| *seconds > 0);
                let ran = ran.map(format_seconds).unwrap_or_default();
                simple(SPINNER[frame], theme.accent, &ran)
            }
            (CallProgress::Running, CallAppearance::Ended) => simple("▸", theme.accent, "runs"),
            (CallProgress::Ended, _) => match &self.call.outcome {
                Some(outcome) => self.ended(outcome, theme),
                None => simple("✗", theme.bad, "nothing says how it ended"),
            },
        }
    }

    fn ended(&self, outcome: &CallOutcome, theme: &Theme) -> CallHeading {
        let (tone, mut words) = describe_ending(outcome);
        let result = outcome.result();
        let code = result.and_then(|result| result.exit_code);
        // The tool has done its work, but what it ran has failed, and that is what a person looks for.
        let has_failed = tone == NoteTone::Good && result.is_some_and(CallResult::has_nonzero_exit);
        let tone = if has_failed { NoteTone::Bad } else { tone };
        let sign = ending_sign(tone);
        let style = match tone {
            NoteTone::Good => theme.good,
            NoteTone::Bad => theme.bad,
            NoteTone::Warn | NoteTone::Info => theme.warn,
        };
        if let (CallOutcome::Declined, Some((who, at))) = (outcome, &self.call.declined) {
            words = format!("declined by {who} · {}", self.local_time(*at));
        }
        let mut facts = Vec::from_iter(fact_text(&words));
        if let Some(result) = result {
            match &result.display {
                Some(ResultDisplay::Diff(change)) => facts.push(diff::diff_counts(change)),
                Some(ResultDisplay::Patch { .. }) => facts.push(describe_change(outcome)),
                Some(ResultDisplay::Text { text }) if self.repeats_remark(text) => {}
                Some(ResultDisplay::Text { text }) => facts.extend(fact_text(text.trim())),
                None => {}
            }
        }
        facts.extend(code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
        let ran = self.call.started_at.zip(self.call.ended_at);
        facts.extend(ran.map(|(began, end)| format_duration(end.0.saturating_sub(began.0))));
        CallHeading { sign, style, facts }
    }
}

/// A text that can stand on the call's own line.
fn fact_text(text: &str) -> Option<String> {
    let is_short = !text.is_empty() && !text.contains('\n') && text.chars().count() <= FACT_CHARS;
    is_short.then(|| one_line(text, FACT_CHARS))
}
