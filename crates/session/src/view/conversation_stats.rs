//! Totals of a stretch of the conversation: model calls, tokens, money, tool calls, changed lines. A fold of entries.

use crate::events_about;
use crate::{
    AnswerEdit, CallId, CallOutcome, Entry, Event, ModelUsage, PriceLookup, ResultDisplay, SHELL_ATTACHMENT,
    TurnOutcome, UnixMillis,
};
use std::collections::BTreeMap;

/// The fold.
#[derive(Clone, Debug, Default)]
pub struct ConversationStats {
    /// Turns that a model answers, not a command.
    pub turns: u64,
    /// Model calls, by model and by what they were for.
    pub models: BTreeMap<String, BTreeMap<ModelCallPurpose, ModelCallStats>>,
    /// Tool calls, by tool.
    pub tools: BTreeMap<String, ToolCallStats>,
    /// Lines that calls have added to files.
    pub lines_added: u64,
    /// Lines that calls have removed from files.
    pub lines_removed: u64,
    prices: Option<PriceLookup>,
    model: String,
    /// Since when the model is waited for.
    model_call_since: Option<UnixMillis>,
    /// True if a command answers the turn, not a model.
    is_command_turn: bool,
    /// True if a model call was cancelled: what it took, nobody says.
    pub is_cut: bool,
    /// Calls that are not over.
    open_calls: BTreeMap<CallId, OpenCall>,
}

/// The fold of the newest turn that asked a model: a command that is answered here, `/stats` itself among them, is none.
#[derive(Clone, Debug, Default)]
pub struct TurnStats {
    running: ConversationStats,
    /// The newest one before it.
    previous: ConversationStats,
}

impl TurnStats {
    /// Nothing yet, with what tokens cost.
    pub fn new(prices: Option<PriceLookup>) -> TurnStats {
        TurnStats { running: ConversationStats::new(prices), previous: ConversationStats::default() }
    }

    /// Fold one more entry in.
    pub fn apply(&mut self, entry: &Entry) {
        if matches!(entry.event, Event::TurnStarted { .. }) {
            let begun = ConversationStats::new(self.running.prices.clone());
            let over = std::mem::replace(&mut self.running, begun);
            if over.has_model_calls() {
                self.previous = over;
            }
        }
        self.running.apply(entry);
    }

    /// Totals of that turn so far.
    pub fn newest(&self) -> &ConversationStats {
        if self.running.has_model_calls() { &self.running } else { &self.previous }
    }
}

/// The purpose of a model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelCallPurpose {
    /// The answer.
    Answering,
    /// A summary.
    Compacting,
    /// Work a call had done on the side: a sub-agent, a search.
    Helping,
}

/// Model calls of one model in one role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelCallStats {
    /// All calls, failed ones included.
    pub count: u64,
    /// Those that failed, by why.
    pub errors: BTreeMap<String, u64>,
    /// Their time together.
    pub latency_ms: u64,
    pub tokens: ModelUsage,
    /// The price of those whose price is known, in US dollars.
    pub dollars: f64,
    /// Those whose price is not known.
    pub unpriced: u64,
}

/// Calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCallStats {
    /// Those that are over.
    pub count: u64,
    /// Those that did their work, commands that ended with another exit code than 0 included, as Gemini CLI counts them.
    pub succeeded: u64,
    /// Those of them whose command ended with another exit code than 0.
    pub nonzero_exits: u64,
    /// Their time together.
    pub duration_ms: u64,
    /// Those a person allowed.
    pub accepted: u64,
    /// Those a person declined, or that were denied because nobody was there.
    pub rejected: u64,
    /// Those a person allowed with changes or answers.
    pub modified: u64,
    /// Those nobody had to allow.
    pub unasked: u64,
}

/// A call that is not over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OpenCall {
    tool: String,
    began: Option<UnixMillis>,
    is_asked: bool,
}

impl ConversationStats {
    /// Nothing yet, with what tokens cost.
    pub fn new(prices: Option<PriceLookup>) -> ConversationStats {
        ConversationStats { prices, ..ConversationStats::default() }
    }

    /// Fold one more entry in.
    pub fn apply(&mut self, entry: &Entry) {
        let at = entry.at;
        match &entry.event {
            Event::Equipped(equipment) if self.model.is_empty() => self.model.clone_from(&equipment.model),
            Event::TurnStarted { model, .. } => {
                self.model.clone_from(model);
                self.model_call_since = Some(at);
                self.is_command_turn = false;
                self.turns += 1;
            }
            Event::Commanded { .. } => {
                self.model_call_since = None;
                self.is_command_turn = true;
                self.turns = self.turns.saturating_sub(1);
            }
            // A command hands its turn to the model this way.
            Event::Attached { name, .. } if self.is_command_turn && !name.starts_with(SHELL_ATTACHMENT) => {
                self.model_call_since = Some(at);
                self.is_command_turn = false;
                self.turns += 1;
            }
            Event::Retrying { reason, wait_ms, .. } => {
                self.record_failed_call(at, reason);
                self.model_call_since = Some(UnixMillis(at.0.saturating_add(*wait_ms)));
            }
            Event::StepEnded { .. } if self.is_command_turn => {}
            Event::StepEnded { usage, .. } => self.record_model_call(ModelCallPurpose::Answering, at, usage),
            Event::Compacted { usage, .. } => {
                let waiting = self.model_call_since.take();
                self.record_model_call(ModelCallPurpose::Compacting, at, usage);
                self.model_call_since = waiting;
            }
            Event::FellBack { from, to, .. } => {
                self.record_failed_call(at, &format!("{from} cannot answer"));
                self.model.clone_from(to);
                self.model_call_since = Some(at);
            }
            Event::Spent { model, usage, .. } => {
                let asked = std::mem::replace(&mut self.model, model.clone());
                self.record_model_call(ModelCallPurpose::Helping, at, usage);
                self.model = asked;
            }
            Event::Called { tool, .. } => {
                self.open_calls.insert(CallId(entry.seq), OpenCall { tool: tool.clone(), ..OpenCall::default() });
            }
            Event::Allowed { call, .. } => self.tool_calls(*call).unasked += 1,
            Event::Answered { call, allows, edit, .. } => {
                let runs = self.tool_calls(*call);
                match (allows, edit) {
                    (false, _) => runs.rejected += 1,
                    (
                        true,
                        Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. } | AnswerEdit::Answers { .. }),
                    ) => runs.modified += 1,
                    (true, None) => runs.accepted += 1,
                }
            }
            Event::Asked { call, .. } => {
                if let Some(open) = self.open_calls.get_mut(call) {
                    open.is_asked = true;
                }
            }
            Event::CallStarted { call } => {
                if let Some(open) = self.open_calls.get_mut(call) {
                    open.began = Some(at);
                }
            }
            Event::CallEnded { call, outcome } => self.record_call_end(*call, outcome, at),
            Event::TurnEnded { outcome } => {
                if self.model_call_since.is_some() {
                    match outcome {
                        TurnOutcome::Failed { failure } => self.record_failed_call(at, &failure.kind),
                        TurnOutcome::Cancelled => self.is_cut = true,
                        TurnOutcome::Rested => {}
                    }
                }
                self.model_call_since = None;
            }
            events_about!(tasks, queue, text)
            | Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::Output { .. } => {}
        }
    }

    /// True if a command answers the turn at hand, not a model.
    pub fn is_command_turn(&self) -> bool {
        self.is_command_turn
    }

    /// True if a model was asked.
    pub fn has_model_calls(&self) -> bool {
        self.is_cut || !self.models.is_empty()
    }

    /// All model calls together.
    pub fn total_model_calls(&self) -> ModelCallStats {
        let mut total = ModelCallStats::default();
        for requests in self.models.values().flat_map(BTreeMap::values) {
            total.add(requests);
        }
        total
    }

    /// All tool calls together.
    pub fn total_tool_calls(&self) -> ToolCallStats {
        let mut all = ToolCallStats::default();
        for runs in self.tools.values() {
            all.count += runs.count;
            all.succeeded += runs.succeeded;
            all.nonzero_exits += runs.nonzero_exits;
            all.duration_ms += runs.duration_ms;
            all.accepted += runs.accepted;
            all.rejected += runs.rejected;
            all.modified += runs.modified;
            all.unasked += runs.unasked;
        }
        all
    }

    fn record_model_call(&mut self, role: ModelCallPurpose, at: UnixMillis, usage: &ModelUsage) {
        let price = self.prices.as_ref().and_then(|prices| prices.call_price(&self.model, usage));
        let latency = self.model_call_since.take().map_or(0, |since| at.0.saturating_sub(since.0));
        let requests = self.model_calls(role);
        requests.add(&ModelCallStats {
            count: 1,
            latency_ms: latency,
            tokens: *usage,
            dollars: price.unwrap_or(0.0),
            unpriced: u64::from(price.is_none()),
            ..ModelCallStats::default()
        });
    }

    fn record_failed_call(&mut self, at: UnixMillis, why: &str) {
        let latency = self.model_call_since.take().map_or(0, |since| at.0.saturating_sub(since.0));
        let requests = self.model_calls(ModelCallPurpose::Answering);
        requests.count += 1;
        requests.latency_ms += latency;
        *requests.errors.entry(why.to_owned()).or_default() += 1;
    }

    fn model_calls(&mut self, role: ModelCallPurpose) -> &mut ModelCallStats {
        self.models.entry(self.model.clone()).or_default().entry(role).or_default()
    }

    fn tool_calls(&mut self, call: CallId) -> &mut ToolCallStats {
        let tool = self.open_calls.get(&call).map(|open| open.tool.clone()).unwrap_or_default();
        self.tools.entry(tool).or_default()
    }

    fn record_call_end(&mut self, call: CallId, outcome: &CallOutcome, at: UnixMillis) {
        let open = self.open_calls.get(&call).cloned().unwrap_or_default();
        let runs = self.tool_calls(call);
        runs.count += 1;
        // Nobody was there to answer.
        runs.rejected += u64::from(open.is_asked && matches!(outcome, CallOutcome::Denied { .. }));
        runs.duration_ms += open.began.map_or(0, |began| at.0.saturating_sub(began.0));
        if let CallOutcome::Succeeded { result } = outcome {
            runs.succeeded += 1;
            runs.nonzero_exits += u64::from(result.has_nonzero_exit());
            for change in result.display.iter().flat_map(ResultDisplay::file_diffs) {
                let (added, removed) = change.changed_lines();
                self.lines_added += added;
                self.lines_removed += removed;
            }
        }
        self.open_calls.remove(&call);
        // A call that is cancelled ends with its turn, so the model is not asked again.
        let goes_on = !matches!(outcome, CallOutcome::Cancelled);
        if self.open_calls.is_empty() && !self.is_command_turn && goes_on {
            self.model_call_since = Some(at);
        }
    }
}

impl ToolCallStats {
    /// Those that a person sees succeed: the tool has done its work, and so has the command that it ran.
    pub fn seen_to_succeed(&self) -> u64 {
        self.succeeded.saturating_sub(self.nonzero_exits)
    }
}

impl ModelCallStats {
    /// Fold others in.
    pub fn add(&mut self, other: &ModelCallStats) {
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

    /// The number of failed calls.
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    /// The price; `None` unless the price of each call is known.
    pub fn cost(&self) -> Option<f64> {
        (self.unpriced == 0 && self.count > self.failed()).then_some(self.dollars)
    }
}
