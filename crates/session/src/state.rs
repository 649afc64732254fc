//! What the entries so far amount to: just enough to decide the next one. Text lives in the transcript.

mod ask_closing;
mod checkpoints;
mod receipts;
mod summaries;

pub use checkpoints::SavedCheckpoint;

use crate::call::{CallOutcome, CallPhase, CallState, MediaContent, ToolKind};
use crate::command::{CommandFingerprint, SessionSetting};
use crate::describe::resumes_chat;
use crate::event::{
    ApprovalMode, Entry, EntryAuthor, Event, ItemKind, RuntimeDescription, SessionOpened, TaskClosing, TaskKind,
    TurnOutcome,
};
use crate::events_about;
use crate::ids::{CallId, ItemId, PromptId, Seq, TaskId, TurnId, UnixMillis};
use crate::seen_files::{SeenFile, SeenFiles};
use crate::{BuiltInCommand, CommandReceipt, Grant, GrantScope, explain_absent_command};
pub use ask_closing::{AskClosing, AskDecision};
use checkpoints::end_checkpointed_call;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
pub use summaries::SummaryStack;

/// How many decided asks are remembered, so that late answers learn who won.
const DECISIONS_KEPT: usize = 256;

/// The fold of a session's entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionState {
    /// The newest entry's number.
    pub head: Seq,
    /// The newest entry's time.
    pub at: UnixMillis,
    /// How the session began; `None` before entry 1.
    pub opened: Option<SessionOpened>,
    /// The model and tools at hand.
    pub equipment: RuntimeDescription,
    /// How freely tools run.
    pub mode: ApprovalMode,
    /// The model somebody chose for this session, by the name they used.
    pub model: Option<String>,
    /// Permissions given for the rest of the session, and by whom.
    pub grants: Vec<(Grant, EntryAuthor)>,
    /// Counts the changes of mode and grants; an open ask vetted under an older revision is vetted again.
    pub policy: u64,
    /// Lasting grants that are not in the person's policy file yet.
    pub keeping: Vec<PendingGrant>,
    /// The entry that wants the conversation compacted. No turn starts before that is done.
    pub compact_wanted: Option<Seq>,
    /// The summaries that stand for parts of the conversation as the model is told it now.
    pub summaries: SummaryStack,
    /// Prompts that wait, in the order in which they start.
    pub queue: VecDeque<QueuedPrompt>,
    /// The running turn.
    pub turn: Option<TurnState>,
    /// The task whose turn ended last.
    pub ended: Option<TaskId>,
    /// Every task the session has, by id.
    pub tasks: BTreeMap<TaskId, SessionTask>,
    /// The newest checkpoints, oldest first.
    pub checkpoints: Arc<VecDeque<SavedCheckpoint>>,
    /// The versions of files that the model was shown last.
    pub seen_files: Arc<SeenFiles>,
    /// The newest decided asks.
    pub decisions: VecDeque<AskDecision>,
    /// The newest accepted commands, oldest first.
    pub(crate) receipts: VecDeque<(CommandFingerprint, UnixMillis, CommandReceipt)>,
}

/// A lasting grant on its way to the person's policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingGrant {
    /// The entry that gave it.
    pub answer: Seq,
    /// What it allows.
    pub grant: Grant,
    /// How far it goes.
    pub reach: GrantScope,
}

/// A prompt that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedPrompt {
    /// Its id.
    pub id: PromptId,
    /// Its task.
    pub task: TaskId,
    /// Who sent it.
    pub by: EntryAuthor,
    /// What was said.
    pub text: String,
    /// Pictures, documents and sounds that came with it.
    pub media: Vec<MediaContent>,
    /// Whether a cancel or a no holds it until somebody prompts or releases the queue.
    pub held: bool,
}

/// The running turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnState {
    /// Its id.
    pub id: TurnId,
    /// The prompt it answers.
    pub prompt: PromptId,
    /// Who sent that.
    pub prompted_by: EntryAuthor,
    /// Its task.
    pub task: TaskId,
    /// The model somebody chose before it began.
    pub model: Option<String>,
    /// The model call it is at, from 1.
    pub step: u32,
    /// What the step is doing.
    pub doing: StepState,
    /// The newest entry before the step, what the prompt mentioned included.
    pub before_step: Seq,
    /// The command that answers it instead of the model.
    pub command: Option<String>,
    /// The item being streamed: its id, kind and length so far.
    pub item: Option<(ItemId, ItemKind, u64)>,
    /// What the provider calls the answer that is being streamed, or the one that the calls came with.
    pub response: Option<String>,
    /// The calls of the newest step that ended.
    pub calls: BTreeMap<CallId, CallState>,
    /// Bytes each running call has printed so far.
    pub printed: BTreeMap<CallId, u64>,
    /// Whether a person declined a call: then the turn rests when the others are done, and the person goes on.
    pub declined: bool,
}

/// What a step is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// The model is owed or speaking.
    Thinking,
    /// The model has spoken; its calls are being dealt with.
    Acting,
}

/// A task of the session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionTask {
    /// How it ends.
    pub kind: TaskKind,
    /// How its newest turn ended.
    pub last: Option<TurnOutcome>,
    /// How it was closed.
    pub closed: Option<TaskClosing>,
    /// How many entries belong to it.
    pub entries: u64,
    /// When its newest entry was made.
    pub changed: UnixMillis,
    /// What the edge wants to find again of it; null when there is nothing but what the session was opened with.
    pub edge: Value,
    /// The dialect of its newest message that came in one, in the edge's word.
    pub dialect: Option<String>,
}

impl TurnState {
    /// Calls that are not over yet.
    pub fn open_calls(&self) -> impl Iterator<Item = &CallState> {
        self.calls.values().filter(|call| !matches!(call.phase, CallPhase::Ended(_)))
    }

    /// All its calls in their order. One that stands for a superseded call is in its place.
    pub fn calls_in_order(&self) -> impl Iterator<Item = &CallState> {
        let mut calls: Vec<&CallState> = self.calls.values().collect();
        calls.sort_by_key(|call| call.place);
        calls.into_iter()
    }

    /// The calls that wait for a person, in their order.
    pub fn asking_calls(&self) -> impl Iterator<Item = &CallState> {
        self.calls_in_order().filter(|call| matches!(call.phase, CallPhase::Asking { .. }))
    }

    /// The open calls before `call` in the answer that it is part of, in their order. Calls that other calls make are part of
    /// none: whoever makes them waits where the order matters.
    pub fn calls_before(&self, call: &CallState) -> impl Iterator<Item = &CallState> {
        let (place, is_of_answer) = (call.place, call.parent.is_none());
        let mut before: Vec<&CallState> =
            self.open_calls().filter(|other| is_of_answer && other.parent.is_none() && other.place < place).collect();
        before.sort_by_key(|other| other.place);
        before.into_iter()
    }

    /// Whether what `call` works on may still change before its turn: an open call before it does not just read.
    pub(crate) fn may_change_before(&self, call: &CallState) -> bool {
        self.calls_before(call).any(|other| !(other.is_vetted() && other.kind == ToolKind::Read))
    }

    /// Whether `call` was made for `other`, or for one that was.
    pub(crate) fn is_made_for(&self, call: &CallState, other: CallId) -> bool {
        let mut parent = call.parent;
        // A call is younger than the one it was made for, so this comes to an end whatever a log says.
        while let Some(id) = parent.filter(|id| *id < call.id) {
            if id == other {
                return true;
            }
            parent = self.calls.get(&id).and_then(|above| above.parent).filter(|above| *above < id);
        }
        false
    }

    /// Whether a command of ours answers the prompt and the model has no part in it: what it wants, the person wants.
    pub fn is_beside_model(&self) -> bool {
        let word = self.command.as_deref().and_then(|name| name.split(' ').next());
        word.and_then(BuiltInCommand::from_name).is_some_and(|command| !command.asks_model())
    }
}

/// Whether a prompt is a command that is answered beside the conversation, as `/about` is and what `!` at the terminal runs:
/// it says nothing to the model that prompts which are held would follow.
fn is_answered_without_model(text: &str, piped_len: usize) -> bool {
    let Some(line) = text.strip_prefix('/').filter(|_| piped_len == 0) else { return false };
    let word = line.split(char::is_whitespace).next().unwrap_or_default();
    let asks_model = BuiltInCommand::from_name(word).map(BuiltInCommand::asks_model);
    asks_model.map_or_else(|| explain_absent_command(word).is_some(), |asks_model| !asks_model)
}

impl SessionState {
    /// The fold of `entries`.
    pub fn fold<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> SessionState {
        let mut state = SessionState::default();
        for entry in entries {
            state.apply(entry);
        }
        state
    }

    /// Fold one more entry in. Infallible: what is in the log happened.
    pub fn apply(&mut self, entry: &Entry) {
        self.head = entry.seq;
        self.at = entry.at;
        if let Some((id, number)) = entry.task
            && let Some(task) = self.tasks.get_mut(&id)
        {
            task.entries = number;
            task.changed = entry.at;
        }
        match &entry.event {
            Event::Opened(opened) => {
                self.mode = opened.overrides.mode.unwrap_or_default();
                self.model.clone_from(&opened.overrides.model);
                let given = opened.overrides.grants.iter().map(|grant| (grant.clone(), entry.by.clone()));
                self.grants.extend(given);
                self.tasks.insert(opened.main_task, SessionTask::new(TaskKind::OpenEnded, entry));
                self.opened = Some(opened.clone());
            }
            Event::Equipped(equipment) => self.equipment = equipment.clone(),
            Event::Set { setting: SessionSetting::Mode(mode) } => {
                self.mode = *mode;
                self.policy += 1;
                self.doubt_ready_calls();
            }
            Event::Set { setting: SessionSetting::Model(model) } => self.model = Some(model.clone()),
            Event::Set { setting: SessionSetting::EditsAsk } => {
                self.grants.retain(|(grant, _)| !grant.allows_file_changes());
                self.policy += 1;
                self.doubt_ready_calls();
            }
            Event::Set { setting: SessionSetting::WithoutGrant(taken) } => {
                self.grants.retain(|(grant, _)| grant != taken);
                self.policy += 1;
                self.doubt_ready_calls();
            }
            Event::FellBack { to, .. } => {
                self.model = Some(to.clone());
                if let Some(turn) = &mut self.turn {
                    turn.model = Some(to.clone());
                }
            }
            Event::Kept { grant, reach, .. } => {
                let done = self.keeping.iter().position(|keeping| keeping.grant == *grant && keeping.reach == *reach);
                done.map(|at| self.keeping.remove(at));
            }
            Event::CompactWanted => self.compact_wanted = Some(entry.seq),
            Event::Compacted { .. } => {
                self.compact_wanted = None;
                // A conversation that was saved is told like a summary, but it is none.
                match resumes_chat(self) {
                    true => self.summaries.replace_conversation(),
                    false => self.summaries.push(entry.seq),
                }
            }
            Event::NotCompacted { .. } => self.compact_wanted = None,
            Event::Uncompacted => self.summaries.take_newest_back(),
            Event::TaskOpened { task, kind, edge } => {
                self.tasks
                    .entry(*task)
                    .or_insert_with(|| SessionTask { edge: edge.clone(), ..SessionTask::new(*kind, entry) });
            }
            Event::Prompted { fingerprint, task, kind, text, media, piped_len, dialect, .. } => {
                self.summaries.pass_line(entry.seq);
                let known = self.tasks.entry(*task).or_insert_with(|| SessionTask::new(*kind, entry));
                known.dialect = dialect.clone().or(known.dialect.take());
                let id = PromptId(entry.seq);
                let (by, text, media) = (entry.by.clone(), text.clone(), media.clone());
                // What is held was written for a world that is gone; what is said now goes before it.
                let place = self.queue.iter().position(|waiting| waiting.held).unwrap_or(self.queue.len());
                if !is_answered_without_model(&text, *piped_len) {
                    self.release();
                }
                self.queue.insert(place, QueuedPrompt { id, task: *task, by, text, media, held: false });
                self.keep_receipt(fingerprint, entry.at, CommandReceipt::new(entry.seq, Some((*task, id))));
            }
            Event::Unqueued { prompt } => self.queue.retain(|waiting| waiting.id != *prompt),
            Event::Requeued { prompt, text } => {
                if let Some(waiting) = self.queue.iter_mut().find(|waiting| waiting.id == *prompt) {
                    waiting.text.clone_from(text);
                }
            }
            Event::Released => self.release(),
            Event::TurnStarted { prompt, task, .. } => {
                self.summaries.pass_line(entry.seq);
                let place = self.queue.iter().position(|waiting| waiting.id == *prompt);
                let prompted_by = place.and_then(|place| self.queue.remove(place)).map(|waiting| waiting.by);
                self.turn = Some(TurnState {
                    id: TurnId(entry.seq),
                    prompt: *prompt,
                    prompted_by: prompted_by.unwrap_or_else(|| entry.by.clone()),
                    task: *task,
                    model: self.model.clone(),
                    step: 1,
                    doing: StepState::Thinking,
                    before_step: entry.seq,
                    command: None,
                    item: None,
                    response: None,
                    calls: BTreeMap::new(),
                    printed: BTreeMap::new(),
                    declined: false,
                });
            }
            Event::TurnEnded { outcome } => {
                if *outcome == TurnOutcome::Cancelled {
                    self.queue.iter_mut().for_each(|waiting| waiting.held = true);
                }
                if let Some(turn) = self.turn.take() {
                    self.ended = Some(turn.task);
                    if let Some(task) = self.tasks.get_mut(&turn.task) {
                        task.last = Some(outcome.clone());
                    }
                }
            }
            Event::TaskClosed { task, closing } => {
                if let Some(task) = self.tasks.get_mut(task) {
                    task.closed = Some(*closing);
                }
            }
            Event::Rewound { to } => self.summaries.rewind(*to),
            Event::Checkpointed(checkpoint) => self.add_checkpoint(checkpoint, entry.seq, entry.at),
            Event::Attached { seen, .. } => {
                self.add_seen_files(seen);
                self.summaries.pass_line(entry.seq);
                self.apply_to_turn(entry);
            }
            Event::Said { .. } | Event::Called { .. } => {
                self.summaries.pass_line(entry.seq);
                self.apply_to_turn(entry);
            }
            Event::CallEnded { outcome, .. } => {
                self.add_seen_files(outcome.result().map_or(&[], |result| &result.seen));
                self.apply_to_turn(entry);
            }
            Event::Piece { .. }
            | Event::ItemEnded { .. }
            | events_about!(approval)
            | Event::Commanded { .. }
            | Event::Retrying { .. }
            | Event::StepEnded { .. }
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. } => self.apply_to_turn(entry),
        }
        while self.decisions.len() > DECISIONS_KEPT {
            self.decisions.pop_front();
        }
    }

    /// The prompts that start only when somebody prompts or releases the queue.
    pub fn held(&self) -> impl Iterator<Item = &QueuedPrompt> {
        self.queue.iter().filter(|waiting| waiting.held)
    }

    fn add_seen_files(&mut self, seen: &[SeenFile]) {
        // Whoever holds the list makes a change of it a copy, so there is none without need.
        if !seen.is_empty() {
            let known = Arc::make_mut(&mut self.seen_files);
            seen.iter().for_each(|file| known.add(file.clone()));
        }
    }

    fn release(&mut self) {
        self.queue.iter_mut().for_each(|waiting| waiting.held = false);
    }

    /// The events that only the running turn knows about.
    fn apply_to_turn(&mut self, entry: &Entry) {
        let Some(turn) = &mut self.turn else { return };
        match &entry.event {
            Event::Commanded { name } => turn.command = Some(name.clone()),
            Event::Attached { .. } => turn.before_step = entry.seq,
            Event::Said { kind, text, response } => {
                turn.item = Some((ItemId(entry.seq), *kind, text.len() as u64));
                turn.response.clone_from(response);
            }
            Event::Piece { text, .. } => {
                if let Some((_, _, len)) = &mut turn.item {
                    *len += text.len() as u64;
                }
            }
            Event::ItemEnded { .. } => turn.item = None,
            Event::StepEnded { response, .. } => {
                turn.doing = StepState::Acting;
                turn.response.clone_from(response);
                turn.calls.clear();
            }
            Event::Called { tool, args, replaces, parent, .. } => {
                let id = CallId(entry.seq);
                let mut place = id;
                // Two calls never stand for one wish of the model, wherever the log is cut.
                if let Some(old) = replaces.and_then(|old| turn.calls.get_mut(&old)) {
                    old.phase = CallPhase::Ended(CallOutcome::Superseded);
                    place = old.place;
                }
                turn.calls.insert(
                    id,
                    CallState {
                        id,
                        task: turn.task,
                        parent: *parent,
                        place,
                        response: turn.response.clone().filter(|_| parent.is_none()),
                        tool: tool.clone(),
                        args: args.clone(),
                        kind: ToolKind::default(),
                        ask: None,
                        chosen: None,
                        edit: None,
                        plan: None,
                        phase: CallPhase::Vetting,
                    },
                );
            }
            Event::Allowed { call, kind, plan, why } => {
                if let Some(call) = turn.calls.get_mut(call) {
                    if let CallPhase::Asking { since, .. } = call.phase {
                        let closing = AskClosing::Allowed { why: why.clone() };
                        self.decisions.push_back(AskDecision::new(call.id, since, entry, closing));
                    }
                    call.kind = *kind;
                    call.plan.clone_from(plan);
                    call.phase = CallPhase::Ready;
                }
            }
            Event::Asked { call, kind, ask, revision } => {
                if let Some(call) = turn.calls.get_mut(call) {
                    call.kind = *kind;
                    call.ask = Some(ask.clone());
                    call.phase = CallPhase::Asking { revision: *revision, since: entry.at };
                }
            }
            Event::Deferred { call } => {
                if let Some(call) = turn.calls.get_mut(call) {
                    call.phase = CallPhase::Deferred;
                }
            }
            Event::AskKept { call, revision } => {
                if let Some(call) = turn.calls.get_mut(call)
                    && let CallPhase::Asking { revision: vetted, .. } = &mut call.phase
                {
                    *vetted = *revision;
                }
            }
            Event::Answered { fingerprint, call, choice, allows, edit, grant, reach } => {
                let closing = AskClosing::Answered { choice: choice.clone(), by: entry.by.clone() };
                let opened = turn.calls.get(call).and_then(CallState::asks_since).unwrap_or(entry.at);
                self.decisions.push_back(AskDecision::new(*call, opened, entry, closing));
                if let Some(call) = turn.calls.get_mut(call) {
                    call.edit.clone_from(edit);
                    call.chosen = Some(choice.clone());
                    // Never ready for a moment: what a person declined cannot run, wherever the log is cut.
                    call.phase = if *allows { CallPhase::Ready } else { CallPhase::Ended(CallOutcome::Declined) };
                    // A call made for another one is that one's matter: it goes on and deals with it.
                    let declined = !allows && call.parent.is_none();
                    let first = declined && !turn.declined;
                    turn.declined |= declined;
                    // Prompts of other tasks did not ask for what was declined, and what was said after the first no knows it.
                    for waiting in self.queue.iter_mut().filter(|waiting| first && waiting.task == turn.task) {
                        waiting.held = true;
                    }
                }
                let receipt = CommandReceipt::new(entry.seq, Some((turn.task, turn.prompt)));
                if let Some(grant) = grant {
                    self.grants.push((grant.clone(), entry.by.clone()));
                    self.policy += 1;
                    // Given twice before it is written, it is written once.
                    let owed = |keeping: &PendingGrant| keeping.grant == *grant && keeping.reach == *reach;
                    if *reach != GrantScope::Session && !self.keeping.iter().any(owed) {
                        self.keeping.push(PendingGrant { answer: entry.seq, grant: grant.clone(), reach: *reach });
                    }
                }
                self.keep_receipt(fingerprint, entry.at, receipt);
            }
            Event::CallStarted { call } => {
                if let Some(call) = turn.calls.get_mut(call) {
                    call.phase = CallPhase::Running;
                }
            }
            Event::Output { call, offset, text } => {
                turn.printed.insert(*call, offset + text.len() as u64);
            }
            Event::CallEnded { call, outcome } => {
                turn.printed.remove(call);
                if let Some(call) = turn.calls.get_mut(call) {
                    if let CallPhase::Asking { since, .. } = call.phase {
                        let closing = AskClosing::from_outcome(outcome);
                        self.decisions.push_back(AskDecision::new(call.id, since, entry, closing));
                    }
                    call.phase = CallPhase::Ended(outcome.clone());
                    end_checkpointed_call(&mut self.checkpoints, call, entry.at);
                }
                let over = turn.doing == StepState::Acting && turn.open_calls().next().is_none();
                // After a declined call the turn ends: the person goes on, not the model.
                if over && !turn.declined {
                    turn.step += 1;
                    turn.doing = StepState::Thinking;
                    turn.before_step = entry.seq;
                    turn.response = None;
                }
            }
            events_about!(session, tasks, queue, context)
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::Spent { .. }
            | Event::Checkpointed(_)
            | Event::TurnStarted { .. }
            | Event::TurnEnded { .. } => {}
        }
    }

    /// After a change of mode, or when a grant is taken back, calls that policy alone allowed and that have not started are vetted again. What a
    /// person allowed stays allowed.
    fn doubt_ready_calls(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let answered = |id| self.decisions.iter().any(|decision| decision.call == id && decision.answer().is_some());
        for call in turn.calls.values_mut() {
            if call.phase == CallPhase::Ready && !answered(call.id) {
                call.phase = CallPhase::Vetting;
            }
        }
    }

    /// The task an event belongs to, seen from the state just before it.
    pub fn task_of(&self, event: &Event) -> Option<TaskId> {
        match event {
            events_about!(session)
            | Event::Released
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted => None,
            Event::TaskOpened { task, .. }
            | Event::Prompted { task, .. }
            | Event::TurnStarted { task, .. }
            | Event::TaskClosed { task, .. } => Some(*task),
            Event::Unqueued { prompt } | Event::Requeued { prompt, .. } => {
                self.queue.iter().find(|waiting| waiting.id == *prompt).map(|waiting| waiting.task)
            }
            events_about!(text, model, approval, calls)
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Attached { .. }
            | Event::TurnEnded { .. } => self.turn.as_ref().map(|turn| turn.task),
        }
    }
}

impl SessionTask {
    fn new(kind: TaskKind, entry: &Entry) -> SessionTask {
        let entries = entry.task.map_or(0, |(_, number)| number);
        SessionTask { kind, last: None, closed: None, entries, changed: entry.at, edge: Value::Null, dialect: None }
    }
}
