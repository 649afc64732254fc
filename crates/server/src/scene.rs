//! What a dialect must know to spell the next entry: the state, and the little text the state does not keep.

mod answer;

pub(crate) use answer::{Answer, MAX_ANSWER};

use crate::dialect::Rest;
use pollux_session::{
    At, CallId, CallOutcome, Entry, Event, ItemKind, SessionId, Setting, State, TaskId, TaskKind, TaskStatus, TurnId,
    TurnOutcome, Usage,
};
use std::collections::BTreeMap;
use uuid::Uuid;

/// How much of a running call's output is shown.
pub(crate) const LIVE_TAIL: usize = 64 * 1024;
/// How far the beginning of such a tail may move to be that of a line, in bytes.
const LINE_NEAR: usize = 4 * 1024;

/// The fold of a session's entries, as far as a dialect needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// The session's state.
    pub(crate) state: State,
    /// What the calls of the newest step have printed.
    live: BTreeMap<CallId, Live>,
    /// The thought being streamed.
    thought: Option<String>,
    /// The thought that the newest entry ended.
    finished_thought: Option<String>,
    /// What the running turn has answered so far.
    answer: Answer,
    /// The answer of the turn that the newest entry ended.
    finished_answer: Option<(TurnId, Answer)>,
    /// The model that answers: that of the newest turn, or a later choice made while none ran.
    model: String,
    /// What the newest turn has cost so far.
    spent: Usage,
    /// Whether the newest entry is always followed by another that changes where things stand.
    unsettled: bool,
}

/// The newest part of what a call printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Live {
    pub(crate) text: String,
    /// Bytes before it.
    pub(crate) cut: u64,
}

/// Which part of a session somebody looks at, and the id it has on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum View {
    /// All of it: the seeds' virtual task, which has the session's id.
    Session(SessionId),
    /// One task.
    Task(TaskId),
}

impl View {
    /// The task id on the wire.
    pub(crate) fn wire_id(self) -> String {
        match self {
            View::Session(id) => id.to_string(),
            View::Task(id) => id.to_string(),
        }
    }

    /// The id on the wire, as a number.
    pub(crate) fn uuid(self) -> Uuid {
        match self {
            View::Session(id) => id.0,
            View::Task(id) => id.0,
        }
    }

    /// The task that prompts sent to it belong to.
    pub(crate) fn task(self) -> TaskId {
        match self {
            View::Session(id) => id.main_task(),
            View::Task(id) => id,
        }
    }

    /// Whether something of `task` is seen.
    pub(crate) fn covers(self, task: TaskId) -> bool {
        match self {
            View::Session(_) => true,
            View::Task(own) => own == task,
        }
    }
}

impl Scene {
    /// Fold one more entry in.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        self.finished_thought = None;
        self.finished_answer = None;
        self.unsettled = false;
        match &entry.event {
            Event::Said { kind: ItemKind::Thought, text } => self.thought = Some(text.clone()),
            Event::Said { kind: ItemKind::Text, text } => {
                self.thought = None;
                self.answer.begin(text);
            }
            Event::Piece { text, .. } => match &mut self.thought {
                Some(thought) => thought.push_str(text),
                None => self.answer.go_on(text),
            },
            Event::ItemEnded { cut, .. } => {
                self.finished_thought = self.thought.take();
                // The model is asked again, all of the step anew.
                if *cut {
                    self.answer.forget_step();
                }
            }
            Event::Retrying { .. } | Event::FellBack { .. } => self.answer.forget_step(),
            Event::Opened(opened) => self.model = opened.overrides.model.clone().unwrap_or_default(),
            Event::Equipped(equipment) if self.state.model.is_none() => self.model.clone_from(&equipment.model),
            Event::Set { setting: Setting::Model(model) } if self.state.turn.is_none() => self.model.clone_from(model),
            Event::TurnStarted { model, .. } => {
                self.model.clone_from(model);
                self.spent = Usage::default();
                self.answer = Answer::default();
            }
            Event::StepEnded { usage, .. } => {
                self.live.clear();
                self.spend(*usage);
                self.answer.end_step();
            }
            Event::Compacted { usage, .. } if self.state.turn.is_some() => self.spend(*usage),
            Event::TurnEnded { outcome } => {
                self.live.clear();
                let answer = std::mem::take(&mut self.answer);
                let turn = self.state.turn.as_ref().filter(|_| *outcome == TurnOutcome::Rested);
                self.finished_answer = turn.map(|turn| (turn.id, answer));
            }
            Event::Output { call, offset, text } => self.live.entry(*call).or_default().append(*offset, text),
            // A declined answer is followed by the end of its call, a cancelled call by the end of the turn.
            Event::Answered { allows: false, .. } | Event::CallEnded { outcome: CallOutcome::Cancelled, .. } => {
                self.unsettled = true;
            }
            _ => {}
        }
        self.state.apply(entry);
    }

    /// The thought that the newest entry ended.
    pub(crate) fn finished_thought(&self) -> Option<&str> {
        self.finished_thought.as_deref()
    }

    /// The answer of the turn that the newest entry ended.
    pub(crate) fn finished_answer(&self) -> Option<&(TurnId, Answer)> {
        self.finished_answer.as_ref()
    }

    /// The model that answers.
    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    /// What the newest turn has cost so far, if anything.
    pub(crate) fn spent(&self) -> Option<Usage> {
        Some(self.spent).filter(|spent| *spent != Usage::default())
    }

    fn spend(&mut self, usage: Usage) {
        let Usage { prompt, cached, output, thoughts } = self.spent;
        self.spent = Usage {
            prompt: prompt.saturating_add(usage.prompt),
            cached: cached.saturating_add(usage.cached),
            output: output.saturating_add(usage.output),
            thoughts: thoughts.saturating_add(usage.thoughts),
        };
    }

    /// What a call has printed.
    pub(crate) fn live(&self, call: CallId) -> Option<&Live> {
        self.live.get(&call)
    }

    /// Where what `view` sees stands.
    pub(crate) fn status(&self, view: View) -> TaskStatus {
        let status = match view {
            View::Session(_) => self.state.session_status(),
            View::Task(task) => self.state.task_status(task).unwrap_or(TaskStatus::Submitted),
        };
        // In the middle of a commit nothing may be owed although more is to come.
        if status == TaskStatus::InputRequired && !self.waits_for_people() { TaskStatus::Working } else { status }
    }

    /// Whether what `view` sees rests, or waits for people.
    pub(crate) fn is_quiet(&self, view: View) -> bool {
        match self.status(view) {
            TaskStatus::InputRequired | TaskStatus::Resting(_) | TaskStatus::Closed(_) => true,
            TaskStatus::Submitted | TaskStatus::Working => false,
        }
    }

    /// What the end of a turn means for what `view` sees.
    pub(crate) fn rest(&self, view: View) -> Rest {
        let task = self.state.tasks.get(&view.task());
        if task.is_some_and(|task| task.closed.is_some()) {
            return Rest::ForGood;
        }
        let waits = self.state.queue.iter().any(|waiting| view.covers(waiting.task));
        let once = task.is_some_and(|task| task.kind == TaskKind::Once);
        match (waits, once) {
            (true, _) if !self.state.held => Rest::GoesOn,
            (false, true) => Rest::ForGood,
            (true | false, _) => Rest::TakesMore,
        }
    }

    /// Whether the running turn waits for nothing but people.
    pub(crate) fn waits_for_people(&self) -> bool {
        !self.unsettled && self.state.only_asks_remain()
    }

    /// The label of the session.
    pub(crate) fn context(&self) -> &str {
        self.state.opened.as_ref().map_or("", |opened| opened.context.as_str())
    }

    /// When what `view` sees changed last.
    pub(crate) fn changed(&self, view: View) -> At {
        match view {
            View::Session(_) => self.state.at,
            View::Task(task) => self.state.tasks.get(&task).map_or(self.state.at, |task| task.changed),
        }
    }
}

impl Live {
    fn append(&mut self, offset: u64, text: &str) {
        if offset > self.cut + self.text.len() as u64 {
            self.text.clear();
            self.cut = offset;
        }
        self.text.push_str(text);
        if self.text.len() > LIVE_TAIL {
            let from = self.text.len() - LIVE_TAIL;
            let from = self.text.ceil_char_boundary(from);
            // At a line if one is near, so that no escape sequence is cut in two.
            let from = self.text[from..].find('\n').filter(|at| *at < LINE_NEAR).map_or(from, |at| from + at + 1);
            self.text.drain(..from);
            self.cut += from as u64;
        }
    }

    /// The text, with a mark of what was cut off before it.
    pub(crate) fn shown(&self) -> String {
        match self.cut {
            0 => self.text.clone(),
            cut => format!("[… {cut} bytes before this are not shown …]\n{}", self.text),
        }
    }
}

/// Milliseconds as ISO 8601, UTC.
pub(crate) fn timestamp(at: At) -> String {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(millis).map(|time| format!("{time:.3}")).unwrap_or_default()
}
