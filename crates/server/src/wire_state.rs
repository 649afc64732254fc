//! The state that a dialect needs to spell the next entry: the session's, and the little text that it does not keep.

mod call_output;
mod turn_text;

pub(crate) use call_output::CallOutputTail;
pub(crate) use turn_text::{TextChunk, TurnText};

use crate::call_id::WireCallId;
use crate::client_profile::ToolExtension;
use crate::dialect::{CoderClientSettings, MessageDialect, TaskContinuation};
use pollux_session::{
    CallId, CallOutcome, CallPhase, Entry, EntryAuthor, EntryContext, EntryOrigin, Event, EventNote, ItemKind,
    ModelUsage, SessionId, SessionSetting, SessionState, StepState, TaskId, TaskKind, TaskStatus, TurnFailure, TurnId,
    TurnOutcome, TurnState, UnixMillis, describe_entry,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// The fold of a session's entries, as far as a dialect needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WireState {
    /// The session's state.
    pub(crate) state: SessionState,
    /// The output of the calls of the newest step.
    call_output: BTreeMap<CallId, CallOutputTail>,
    /// The calls of the newest step that have begun to run.
    started: BTreeSet<CallId>,
    /// The thought being streamed.
    thought: Option<String>,
    /// The thought that the newest entry ended.
    finished_thought: Option<String>,
    /// The sentences about the newest entry.
    notes: Vec<EventNote>,
    /// The text of the running turn so far.
    turn_text: TurnText,
    /// The addition of the newest entry to it, and to which turn's.
    text_chunk: Option<(TurnId, TextChunk)>,
    /// The model that answers: that of the newest turn, or a later choice made while none ran.
    model: String,
    /// Tokens of the newest turn so far.
    spent: ModelUsage,
    /// Tokens of the newest model call of the newest turn.
    newest_usage: Option<ModelUsage>,
    /// True if the turn waited for people and the model has not gone on since.
    waited: bool,
    /// True if the newest entry is always followed by another that changes where things stand.
    unsettled: bool,
    /// The dialect of the newest message that came in one.
    newest_dialect: Option<String>,
    /// The declaration of the `development-tool` extension in the first message of each task.
    first_messages: BTreeMap<TaskId, ToolExtension>,
    /// The tasks in which any message has declared it.
    declaring_tasks: BTreeSet<TaskId>,
    /// The tasks whose newest turn ended because somebody declined a call.
    declined_tasks: BTreeSet<TaskId>,
}

/// Which part of a session somebody looks at, and the id it has on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TaskScope {
    /// All of it: the seeds' virtual task, which has the session's id.
    Session(SessionId),
    /// One task.
    Task(TaskId),
}

impl TaskScope {
    /// The task id on the wire.
    pub(crate) fn wire_id(self) -> String {
        match self {
            TaskScope::Session(id) => id.to_string(),
            TaskScope::Task(id) => id.to_string(),
        }
    }

    /// The id on the wire, as a number.
    pub(crate) fn uuid(self) -> Uuid {
        match self {
            TaskScope::Session(id) => id.0,
            TaskScope::Task(id) => id.0,
        }
    }

    /// The task that prompts sent to it belong to.
    pub(crate) fn task(self) -> TaskId {
        match self {
            TaskScope::Session(id) => id.main_task(),
            TaskScope::Task(id) => id,
        }
    }

    /// True if something of `task` is seen.
    pub(crate) fn covers(self, task: TaskId) -> bool {
        match self {
            TaskScope::Session(_) => true,
            TaskScope::Task(own) => own == task,
        }
    }
}

impl WireState {
    /// Fold one more entry in.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        self.waited = self.still_waited(&entry.event);
        // Several clients read one state, so the sentences are for none of them and name everybody.
        let (reader, origin) = (&EntryAuthor::Agent, EntryOrigin::Other);
        self.notes = describe_entry(&EntryContext { state: &self.state, entry, reader, origin });
        self.finished_thought = None;
        let mut chunk = None;
        self.unsettled = false;
        match &entry.event {
            Event::Said { kind: ItemKind::Thought, text, .. } => self.thought = Some(text.clone()),
            Event::Said { kind: ItemKind::Text, text, .. } => {
                self.thought = None;
                chunk = self.turn_text.begin(text);
            }
            Event::Piece { text, .. } => match &mut self.thought {
                Some(thought) => thought.push_str(text),
                None => chunk = self.turn_text.append(text),
            },
            Event::ItemEnded { cut, .. } => {
                self.finished_thought = self.thought.take();
                // The model is asked again, all of the step anew.
                if *cut {
                    self.turn_text.discard_step();
                }
            }
            Event::Retrying { .. } => self.turn_text.discard_step(),
            Event::FellBack { to, .. } => {
                self.turn_text.discard_step();
                self.model.clone_from(to);
            }
            Event::Prompted { task, dialect, .. } => {
                let came_in = dialect.as_deref().and_then(MessageDialect::from_name);
                let extension = came_in.map_or(ToolExtension::Unknown, MessageDialect::extension);
                self.first_messages.entry(*task).or_insert(extension);
                if extension == ToolExtension::Declared {
                    self.declaring_tasks.insert(*task);
                }
                self.newest_dialect = dialect.clone().or(self.newest_dialect.take());
            }
            Event::Opened(opened) => self.model = opened.overrides.model.clone().unwrap_or_default(),
            Event::Equipped(equipment) if self.state.model.is_none() => self.model.clone_from(&equipment.model),
            Event::Set { setting: SessionSetting::Model(model) } if self.state.turn.is_none() => {
                self.model.clone_from(model);
            }
            Event::TurnStarted { model, .. } => {
                self.model.clone_from(model);
                self.spent = ModelUsage::default();
                self.newest_usage = None;
                self.turn_text = TurnText::default();
            }
            Event::Asked { .. } => chunk = self.turn_text.pause(),
            Event::CallStarted { call } => drop(self.started.insert(*call)),
            Event::StepEnded { usage, citations, .. } => {
                self.call_output.clear();
                self.started.clear();
                self.spend(*usage);
                self.newest_usage = Some(*usage).filter(|usage| *usage != ModelUsage::default());
                chunk = self.turn_text.end_step(citations);
            }
            Event::Compacted { usage, .. } if self.state.turn.is_some() => self.spend(*usage),
            Event::TurnEnded { .. } => {
                self.call_output.clear();
                if let Some(turn) = &self.state.turn {
                    match turn.declined {
                        true => self.declined_tasks.insert(turn.task),
                        false => self.declined_tasks.remove(&turn.task),
                    };
                }
                chunk = std::mem::take(&mut self.turn_text).finish();
            }
            Event::Output { call, offset, text } => self.call_output.entry(*call).or_default().append(*offset, text),
            // A declined answer is followed by the end of its call, a cancelled call by the end of the turn.
            Event::Answered { allows: false, .. } | Event::CallEnded { outcome: CallOutcome::Cancelled, .. } => {
                self.unsettled = true;
            }
            // Where things stand is the state's matter, and the rest needs no words.
            Event::Equipped(_)
            | Event::Set { .. }
            | Event::Compacted { .. }
            | Event::Answered { .. }
            | Event::CallEnded { .. }
            | Event::TaskOpened { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Called { .. }
            | Event::Allowed { .. }
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::Spent { .. }
            | Event::TaskClosed { .. } => {}
        }
        self.text_chunk = self.state.turn.as_ref().map(|turn| turn.id).zip(chunk);
        self.state.apply(entry);
    }

    /// The sentences about the newest entry.
    pub(crate) fn notes(&self) -> &[EventNote] {
        &self.notes
    }

    /// The thought that the newest entry ended.
    pub(crate) fn finished_thought(&self) -> Option<&str> {
        self.finished_thought.as_deref()
    }

    /// The addition of the newest entry to the text of a turn.
    pub(crate) fn text_chunk(&self) -> Option<&(TurnId, TextChunk)> {
        self.text_chunk.as_ref()
    }

    /// The part of a text of `view` that is still being said which those who have read all the chunks know.
    pub(crate) fn text_so_far(&self, view: TaskScope) -> Option<(TurnId, TextChunk)> {
        let turn = self.state.turn.as_ref().filter(|turn| view.covers(turn.task))?;
        Some((turn.id, self.turn_text.told_so_far()?))
    }

    /// The declaration of the `development-tool` extension in any message of what `view` sees. Its clients declare it
    /// once, and in a session that all share their first message is not that of the task.
    pub(crate) fn declared(&self, view: TaskScope) -> ToolExtension {
        self.declaring_tasks.contains(&view.task()).into()
    }

    /// The declaration of the `development-tool` extension in the first message of what `view` sees.
    pub(crate) fn first_declared(&self, view: TaskScope) -> ToolExtension {
        self.first_messages.get(&view.task()).copied().unwrap_or(ToolExtension::Unknown)
    }

    /// The model that answers the newest turn, or will answer the first.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// The model that answers the turn that runs, or else the next one: what was set within a turn holds after it.
    pub(crate) fn model_now(&self) -> &str {
        match (&self.state.turn, &self.state.model) {
            (Some(_), _) => &self.model,
            (None, Some(chosen)) => chosen,
            (None, None) => &self.state.equipment.model,
        }
    }

    /// Tokens of the newest turn so far, if there are any.
    pub(crate) fn spent(&self) -> Option<ModelUsage> {
        Some(self.spent).filter(|spent| *spent != ModelUsage::default())
    }

    /// Tokens of the newest model call of the newest turn, if there are any.
    pub(crate) fn newest_usage(&self) -> Option<ModelUsage> {
        self.newest_usage
    }

    /// True if, before the newest entry, people were waited for in the step that goes on.
    pub(crate) fn was_waiting(&self) -> bool {
        self.waited
    }

    /// True if `event` comes in a step in which people were waited for.
    fn still_waited(&self, event: &Event) -> bool {
        let acts = self.state.turn.as_ref().is_some_and(|turn| turn.doing == StepState::Acting);
        let decides = matches!(event, Event::Answered { .. } | Event::Allowed { .. } | Event::CallEnded { .. });
        acts && (self.waited || (decides && self.waits_for_people()))
    }

    fn spend(&mut self, usage: ModelUsage) {
        let ModelUsage { prompt, cached, output, thoughts } = self.spent;
        self.spent = ModelUsage {
            prompt: prompt.saturating_add(usage.prompt),
            cached: cached.saturating_add(usage.cached),
            output: output.saturating_add(usage.output),
            thoughts: thoughts.saturating_add(usage.thoughts),
        };
    }

    /// The output of a call.
    pub(crate) fn call_output(&self, call: CallId) -> Option<&CallOutputTail> {
        self.call_output.get(&call)
    }

    /// True if a call of the newest step has begun to run.
    pub(crate) fn has_started(&self, call: CallId) -> bool {
        self.started.contains(&call)
    }

    /// Where what `view` sees stands.
    pub(crate) fn status(&self, view: TaskScope) -> TaskStatus {
        let status = match view {
            TaskScope::Session(_) => self.state.session_status(),
            TaskScope::Task(task) => self.state.task_status(task).unwrap_or(TaskStatus::Submitted),
        };
        // In the middle of a commit nothing may be owed although more is to come.
        if status == TaskStatus::InputRequired && !self.waits_for_people() { TaskStatus::Working } else { status }
    }

    /// Why the newest turn of what `view` sees failed, if it did. A task that was closed by that still knows.
    pub(crate) fn failure(&self, view: TaskScope) -> Option<&TurnFailure> {
        let task = match view {
            TaskScope::Session(_) => self.state.ended?,
            TaskScope::Task(task) => task,
        };
        match self.state.tasks.get(&task)?.last.as_ref()? {
            TurnOutcome::Failed { failure } => Some(failure),
            TurnOutcome::Rested | TurnOutcome::Cancelled => None,
        }
    }

    /// True if what `view` sees rests, or waits for people.
    pub(crate) fn is_quiet(&self, view: TaskScope) -> bool {
        match self.status(view) {
            TaskStatus::InputRequired | TaskStatus::Resting(_) | TaskStatus::Closed(_) => true,
            TaskStatus::Submitted | TaskStatus::Working => false,
        }
    }

    /// The consequence of the end of a turn for what `view` sees.
    pub(crate) fn continuation(&self, view: TaskScope) -> TaskContinuation {
        let task = self.state.tasks.get(&view.task());
        if task.is_some_and(|task| task.closed.is_some()) {
            return TaskContinuation::Closed;
        }
        let mut waiting = self.state.queue.iter().filter(|waiting| view.covers(waiting.task)).peekable();
        let waits = waiting.peek().is_some();
        let once = task.is_some_and(|task| task.kind == TaskKind::Once);
        match (waits, once) {
            (true, _) if waiting.any(|waiting| !waiting.held) => TaskContinuation::Queued,
            (false, true) => TaskContinuation::Closed,
            (true | false, _) => TaskContinuation::Open,
        }
    }

    /// True if the running turn waits for nothing but people.
    pub(crate) fn waits_for_people(&self) -> bool {
        !self.unsettled && self.state.only_asks_remain()
    }

    /// The calls about which people are asked, if what `view` sees waits for them.
    pub(crate) fn asked_calls(&self, view: TaskScope) -> Vec<CallId> {
        let turn = self.state.turn.as_ref().filter(|_| self.status(view) == TaskStatus::InputRequired);
        let calls = turn.into_iter().flat_map(|turn| turn.calls.values());
        calls.filter(|call| matches!(call.phase, CallPhase::Asking { .. })).map(|call| call.id).collect()
    }

    /// True if the newest turn of what `view` sees ended because somebody declined a call.
    pub(crate) fn was_declined(&self, view: TaskScope) -> bool {
        let task = match view {
            TaskScope::Session(_) => self.state.ended,
            TaskScope::Task(task) => Some(task),
        };
        task.is_some_and(|task| self.declined_tasks.contains(&task))
    }

    /// The turn of what `view` sees, if it waits for people.
    pub(crate) fn asking(&self, view: TaskScope) -> Option<&TurnState> {
        let turn = self.state.turn.as_ref().filter(|turn| view.covers(turn.task))?;
        (self.status(view) == TaskStatus::InputRequired).then_some(turn)
    }

    /// The settings of what `view` sees, if its clients are those of Google's a2a-server.
    pub(crate) fn coder_settings(&self, view: TaskScope) -> Option<CoderClientSettings<'_>> {
        self.state.opened.as_ref().and_then(|opened| CoderClientSettings::detect(opened, self.edge(view)))
    }

    /// The data for the edge of what `view` sees, besides the session's.
    pub(crate) fn edge(&self, view: TaskScope) -> &Value {
        match view {
            TaskScope::Session(_) => &Value::Null,
            TaskScope::Task(task) => self.state.tasks.get(&task).map_or(&Value::Null, |task| &task.edge),
        }
    }

    /// The dialect of the newest message to what `view` sees, by its name.
    pub(crate) fn newest_dialect(&self, view: TaskScope) -> Option<&str> {
        match view {
            TaskScope::Session(_) => self.newest_dialect.as_deref(),
            TaskScope::Task(task) => self.state.tasks.get(&task)?.dialect.as_deref(),
        }
    }

    /// The id by which clients know `call`.
    pub(crate) fn wire_call_id(&self, call: CallId) -> String {
        let session = self.state.opened.as_ref().map(|opened| SessionId(opened.main_task.0));
        session.map_or(WireCallId::from(call), |session| WireCallId::new(session, call)).to_string()
    }

    /// The label of the session.
    pub(crate) fn context(&self) -> &str {
        self.state.opened.as_ref().map_or("", |opened| opened.context.as_str())
    }

    /// When what `view` sees changed last.
    pub(crate) fn changed(&self, view: TaskScope) -> UnixMillis {
        match view {
            TaskScope::Session(_) => self.state.at,
            TaskScope::Task(task) => self.state.tasks.get(&task).map_or(self.state.at, |task| task.changed),
        }
    }
}

/// Milliseconds as ISO 8601, UTC.
pub(crate) fn timestamp(at: UnixMillis) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(millis).map(|time| format!("{time:.3}")).unwrap_or_default()
}
