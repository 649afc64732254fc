//! What a stretch of the conversation took: model calls, tokens, money, tool calls, changed lines. A fold of entries.

use crate::prices::Prices;
use pollux_session::{At, CallId, CallOutcome, CallResult, Display, Edit, Entry, Event, FileDiff, TurnOutcome, Usage};
use std::collections::BTreeMap;

/// The fold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Model calls, by model and by what they were for.
    pub(crate) models: BTreeMap<String, BTreeMap<Role, Requests>>,
    /// Tool calls, by tool.
    pub(crate) tools: BTreeMap<String, Runs>,
    /// Lines that calls have added to files.
    pub(crate) lines_added: u64,
    /// Lines that calls have removed from files.
    pub(crate) lines_removed: u64,
    prices: Option<Prices>,
    model: String,
    /// Since when the model is waited for.
    thinking: Option<At>,
    /// Whether a command answers the turn, not a model.
    commanded: bool,
    /// Calls that are not over, with the tool's name and when they began.
    open: BTreeMap<CallId, (String, Option<At>)>,
}

/// The fold of the newest turn that asked a model: a command that is answered here, `/stats` itself among them, is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnTally {
    running: Tally,
    /// The newest one before it.
    before: Tally,
}

impl TurnTally {
    pub(crate) fn new(prices: Option<Prices>) -> TurnTally {
        TurnTally { running: Tally::new(prices), before: Tally::default() }
    }

    /// Fold one more entry in.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        if matches!(entry.event, Event::TurnStarted { .. }) {
            let begun = Tally::new(self.running.prices.clone());
            let over = std::mem::replace(&mut self.running, begun);
            if over.has_asked() {
                self.before = over;
            }
        }
        self.running.apply(entry);
    }

    /// What that turn took so far.
    pub(crate) fn newest(&self) -> &Tally {
        if self.running.has_asked() { &self.running } else { &self.before }
    }
}

/// What a model call was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// The answer.
    Answering,
    /// A summary.
    Compacting,
    /// Work a call had done on the side: a sub-agent, a search.
    Helping,
}

/// Model calls of one model in one role.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Requests {
    /// How many were made, failed ones included.
    pub(crate) count: u64,
    /// Those that failed, by why.
    pub(crate) errors: BTreeMap<String, u64>,
    /// How long they took together.
    pub(crate) latency_ms: u64,
    /// Their tokens.
    pub(crate) tokens: Usage,
    /// What the priced ones cost, in US dollars.
    pub(crate) dollars: f64,
    /// Those whose price is not known.
    pub(crate) unpriced: u64,
}

/// Calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    /// Those that are over.
    pub(crate) count: u64,
    /// Those that did their work.
    pub(crate) succeeded: u64,
    /// How long they ran together.
    pub(crate) duration_ms: u64,
    /// Those a person allowed.
    pub(crate) accepted: u64,
    /// Those a person declined.
    pub(crate) rejected: u64,
    /// Those a person allowed with changes or answers.
    pub(crate) modified: u64,
    /// Those nobody had to allow.
    pub(crate) unasked: u64,
}

impl Tally {
    pub(crate) fn new(prices: Option<Prices>) -> Tally {
        Tally { prices, ..Tally::default() }
    }

    /// Fold one more entry in.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        let at = entry.at;
        match &entry.event {
            Event::Equipped(equipment) if self.model.is_empty() => self.model.clone_from(&equipment.model),
            Event::TurnStarted { model, .. } => {
                self.model.clone_from(model);
                self.thinking = Some(at);
                self.commanded = false;
            }
            Event::Commanded { .. } => {
                self.thinking = None;
                self.commanded = true;
            }
            // A command hands its turn to the model this way.
            Event::Attached { .. } if self.commanded => {
                self.thinking = Some(at);
                self.commanded = false;
            }
            Event::Retrying { reason, wait_ms, .. } => {
                self.failed_request(at, reason);
                self.thinking = Some(At(at.0.saturating_add(*wait_ms)));
            }
            Event::StepEnded { .. } if self.commanded => {}
            Event::StepEnded { usage, .. } => self.request(Role::Answering, at, usage),
            Event::Compacted { usage, .. } => {
                let waiting = self.thinking.take();
                self.request(Role::Compacting, at, usage);
                self.thinking = waiting;
            }
            Event::FellBack { from, to, .. } => {
                self.failed_request(at, &format!("{from} cannot answer"));
                self.model.clone_from(to);
                self.thinking = Some(at);
            }
            Event::Spent { model, usage, .. } => {
                let asked = std::mem::replace(&mut self.model, model.clone());
                self.request(Role::Helping, at, usage);
                self.model = asked;
            }
            Event::Called { tool, .. } => {
                self.open.insert(CallId(entry.seq), (tool.clone(), None));
            }
            Event::Allowed { call, .. } => self.runs(*call).unasked += 1,
            Event::Answered { call, allows, edit, .. } => {
                let runs = self.runs(*call);
                match (allows, edit) {
                    (false, _) => runs.rejected += 1,
                    (true, Some(Edit::Content { .. } | Edit::Answers { .. })) => runs.modified += 1,
                    (true, None) => runs.accepted += 1,
                }
            }
            Event::CallStarted { call } => {
                if let Some((_, began)) = self.open.get_mut(call) {
                    *began = Some(at);
                }
            }
            Event::CallEnded { call, outcome } => self.call_ended(*call, outcome, at),
            Event::TurnEnded { outcome } => {
                if let TurnOutcome::Failed { failure } = outcome
                    && self.thinking.is_some()
                {
                    self.failed_request(at, &failure.kind);
                }
                self.thinking = None;
            }
            _ => {}
        }
    }

    /// Whether a command answers the turn at hand, not a model.
    pub(crate) fn is_commanded(&self) -> bool {
        self.commanded
    }

    /// Whether a model was asked.
    fn has_asked(&self) -> bool {
        !self.models.is_empty()
    }

    /// All model calls together.
    pub(crate) fn total(&self) -> Requests {
        let mut total = Requests::default();
        for requests in self.models.values().flat_map(BTreeMap::values) {
            total.add(requests);
        }
        total
    }

    /// All tool calls together.
    pub(crate) fn all_runs(&self) -> Runs {
        let mut all = Runs::default();
        for runs in self.tools.values() {
            all.count += runs.count;
            all.succeeded += runs.succeeded;
            all.duration_ms += runs.duration_ms;
            all.accepted += runs.accepted;
            all.rejected += runs.rejected;
            all.modified += runs.modified;
            all.unasked += runs.unasked;
        }
        all
    }

    fn request(&mut self, role: Role, at: At, usage: &Usage) {
        let price = self.prices.as_ref().and_then(|prices| prices.of(&self.model, usage));
        let latency = self.thinking.take().map_or(0, |since| at.0.saturating_sub(since.0));
        let requests = self.requests(role);
        requests.add(&Requests {
            count: 1,
            latency_ms: latency,
            tokens: *usage,
            dollars: price.unwrap_or(0.0),
            unpriced: u64::from(price.is_none()),
            ..Requests::default()
        });
    }

    fn failed_request(&mut self, at: At, why: &str) {
        let latency = self.thinking.take().map_or(0, |since| at.0.saturating_sub(since.0));
        let requests = self.requests(Role::Answering);
        requests.count += 1;
        requests.latency_ms += latency;
        *requests.errors.entry(why.to_owned()).or_default() += 1;
    }

    fn requests(&mut self, role: Role) -> &mut Requests {
        self.models.entry(self.model.clone()).or_default().entry(role).or_default()
    }

    fn runs(&mut self, call: CallId) -> &mut Runs {
        let tool = self.open.get(&call).map(|(tool, _)| tool.clone()).unwrap_or_default();
        self.tools.entry(tool).or_default()
    }

    fn call_ended(&mut self, call: CallId, outcome: &CallOutcome, at: At) {
        let began = self.open.get(&call).and_then(|(_, began)| *began);
        let runs = self.runs(call);
        runs.count += 1;
        runs.duration_ms += began.map_or(0, |began| at.0.saturating_sub(began.0));
        if let CallOutcome::Succeeded { result } = outcome {
            runs.succeeded += 1;
            if let CallResult { display: Some(Display::Diff(change)), .. } = result {
                let (added, removed) = changed_lines(change);
                self.lines_added += added;
                self.lines_removed += removed;
            }
        }
        self.open.remove(&call);
        if self.open.is_empty() && !self.commanded {
            self.thinking = Some(at);
        }
    }
}

impl Requests {
    /// Fold others in.
    pub(crate) fn add(&mut self, other: &Requests) {
        self.count += other.count;
        for (why, count) in &other.errors {
            *self.errors.entry(why.clone()).or_default() += count;
        }
        self.latency_ms += other.latency_ms;
        self.tokens.prompt += other.tokens.prompt;
        self.tokens.cached += other.tokens.cached;
        self.tokens.output += other.tokens.output;
        self.tokens.thoughts += other.tokens.thoughts;
        self.dollars += other.dollars;
        self.unpriced += other.unpriced;
    }

    /// How many failed.
    pub(crate) fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// What they cost; `None` unless the price of each is known.
    pub(crate) fn cost(&self) -> Option<f64> {
        (self.unpriced == 0 && self.count > self.failed()).then_some(self.dollars)
    }
}

/// Lines a patch adds and removes; its two header lines are no lines of the file.
fn changed_lines(change: &FileDiff) -> (u64, u64) {
    let body = change.patch.lines().skip_while(|line| !line.starts_with("@@"));
    body.fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
        Some(b'+') => (added + 1, removed),
        Some(b'-') => (added, removed + 1),
        _ => (added, removed),
    })
}

#[cfg(test)]
mod tests;
