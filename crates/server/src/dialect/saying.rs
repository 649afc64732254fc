//! What an entry says to those who watch. The rules are the same in every dialect.

use super::call::{before_vetting, told_call, without_request};
use super::{AnswerChunk, Was, made_by, remark};
use crate::files;
use crate::scene::{Scene, View};
use pollux_session::{
    By, CallId, CallOutcome, Closing, CommandId, Effect, Entry, Event, Failure, ItemKind, Level, PromptId, TaskId,
    TaskStatus, TurnOutcome, Usage, next,
};
use pollux_wire::a2a::{Artifact, TaskState};
use pollux_wire::devtool::ToolCall;

/// One thing to say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Saying {
    /// The task stands elsewhere.
    State {
        /// Where.
        state: TaskState,
        /// Why it failed.
        failure: Option<Failure>,
        /// What the turn that is over has cost.
        usage: Option<Usage>,
    },
    /// More text of the agent.
    Text(String),
    /// A whole thought.
    Thought(String),
    /// The sources of what was said.
    Citations(Vec<String>),
    /// A tool call, whole.
    Call(Box<ToolCall>),
    /// A piece of a turn's answer, for those who read it as an artifact.
    Answer(AnswerChunk),
    /// Something the task has made, whole.
    Made(Box<Artifact>),
    /// A prompt.
    Prompt {
        /// What was said.
        text: String,
        /// By whom.
        by: By,
        /// The id that its sender gave it.
        command: Option<CommandId>,
    },
    /// Something worth knowing that changes nothing about where the task stands.
    Remark {
        /// How loud.
        level: Level,
        /// A line for people.
        line: String,
    },
    /// The task's message waits until another task is done.
    Waits {
        /// A line for people.
        line: String,
    },
    /// The model call is tried again.
    Retrying {
        /// A line for people.
        line: String,
        /// Why.
        reason: String,
    },
}

impl Saying {
    /// A change of state that needs no words.
    pub(crate) fn state(state: TaskState) -> Saying {
        Saying::State { state, failure: None, usage: None }
    }
}

/// The 0.3 word for where a task stands. At rest an open-ended task reads `completed`, and goes on by its id.
pub(crate) fn word(status: &TaskStatus) -> TaskState {
    match status {
        TaskStatus::Submitted => TaskState::Submitted,
        TaskStatus::Working => TaskState::Working,
        TaskStatus::InputRequired => TaskState::InputRequired,
        TaskStatus::Resting(TurnOutcome::Rested) | TaskStatus::Closed(Closing::Completed) => TaskState::Completed,
        TaskStatus::Resting(TurnOutcome::Cancelled) | TaskStatus::Closed(Closing::Cancelled) => TaskState::Canceled,
        TaskStatus::Resting(TurnOutcome::Failed { .. }) | TaskStatus::Closed(Closing::Failed) => TaskState::Failed,
    }
}

/// What `entry`, which `scene` already holds, says to `view`.
pub(super) fn sayings(view: View, was: &Was, scene: &Scene, entry: &Entry) -> Vec<Saying> {
    // What belongs to no task concerns them all.
    let Some((task, _)) = entry.task else { return Vec::from_iter(remark::of(entry)) };
    if !view.covers(task) {
        return Vec::new();
    }
    let announced = announced_at_last(was, scene, &entry.event);
    let told = announced.into_iter().chain(of_event(was, view, scene, entry));
    let mut sayings = Vec::from_iter(told.chain(waits_behind(scene, entry).map(|line| Saying::Waits { line })));
    if let Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } } = &entry.event {
        sayings.extend(made_by(*call, result).map(|artifact| Saying::Made(Box::new(artifact))));
    }
    if scene.status(view) == TaskStatus::InputRequired && was.status != TaskStatus::InputRequired {
        sayings.push(Saying::state(TaskState::InputRequired));
    }
    sayings
}

fn of_event(was: &Was, view: View, scene: &Scene, entry: &Entry) -> Option<Saying> {
    match &entry.event {
        Event::Prompted { text, media, command, .. } => {
            Some(Saying::Prompt { text: files::in_words(text, media), by: entry.by.clone(), command: command.clone() })
        }
        Event::Requeued { text, .. } => {
            Some(Saying::Prompt { text: text.clone(), by: entry.by.clone(), command: None })
        }
        Event::TurnStarted { .. } => Some(Saying::state(TaskState::Working)),
        Event::Said { kind: ItemKind::Text, text, .. } => some_text(text),
        Event::Piece { text, .. } => {
            let item = scene.state.turn.as_ref()?.item?;
            (item.1 == ItemKind::Text).then(|| some_text(text)).flatten()
        }
        Event::ItemEnded { .. } => {
            let thought = scene.finished_thought().filter(|thought| !thought.trim().is_empty())?;
            Some(Saying::Thought(thought.to_owned()))
        }
        Event::Retrying { reason, attempt, wait_ms } => Some(Saying::Retrying {
            line: format!("the model call failed ({reason}); attempt {attempt} follows in {wait_ms} ms"),
            reason: reason.clone(),
        }),
        Event::Allowed { call, .. } => {
            let asked = scene.state.turn.as_ref()?.calls.get(call)?.ask.is_some();
            if asked { waits_for_others(scene, *call) } else { told(scene, *call).map(without_request).map(boxed) }
        }
        Event::Answered { call, allows: true, .. } => waits_for_others(scene, *call),
        Event::Asked { call, .. }
        | Event::CallStarted { call }
        | Event::Output { call, .. }
        | Event::CallEnded { call, .. } => told(scene, *call).map(boxed),
        Event::TurnEnded { outcome } => {
            let (state, failure) = match outcome {
                TurnOutcome::Rested => (TaskState::Completed, None),
                TurnOutcome::Cancelled => (TaskState::Canceled, None),
                TurnOutcome::Failed { failure } => (TaskState::Failed, Some(failure.clone())),
            };
            Some(Saying::State { state, failure, usage: scene.spent() })
        }
        Event::StepEnded { citations, .. } => (!citations.is_empty()).then(|| Saying::Citations(citations.clone())),
        Event::TaskClosed { .. } => {
            let state = word(&scene.status(view));
            (state != word(&was.status)).then(|| Saying::state(state))
        }
        // A declined answer shows in the end of its call, a thought when it ends, a call once it is vetted, a task once it
        // is prompted.
        Event::Answered { allows: false, .. }
        | Event::Said { kind: ItemKind::Thought, .. }
        | Event::Called { .. }
        | Event::AskKept { .. }
        | Event::TaskOpened { .. }
        | Event::Commanded { .. }
        | Event::Spent { .. }
        | Event::Unqueued { .. } => None,
        Event::Attached { .. }
        | Event::Rewound { .. }
        | Event::Checkpointed(_)
        | Event::FellBack { .. }
        | Event::Released
        | Event::Opened(_)
        | Event::Equipped(_)
        | Event::Set { .. }
        | Event::Kept { .. }
        | Event::CompactWanted
        | Event::Compacted { .. }
        | Event::NotCompacted { .. }
        | Event::Uncompacted => remark::of(entry),
    }
}

/// Behind which task the prompt of `entry` waits, if it has to wait for another one's.
pub(super) fn waits_behind(scene: &Scene, entry: &Entry) -> Option<String> {
    let Event::Prompted { task, .. } = &entry.event else { return None };
    prompt_waits_behind(scene, *task, PromptId(entry.seq))
}

/// Behind which task the first waiting prompt of what `view` sees waits.
pub(crate) fn task_waits_behind(scene: &Scene, view: View) -> Option<String> {
    let first = scene.state.queue.iter().find(|waiting| view.covers(waiting.task))?;
    prompt_waits_behind(scene, first.task, first.id)
}

fn prompt_waits_behind(scene: &Scene, task: TaskId, prompt: PromptId) -> Option<String> {
    let before = scene.state.queue.iter().take_while(|waiting| waiting.id != prompt);
    let ahead = before.map(|waiting| waiting.task).last().or(scene.state.turn.as_ref().map(|turn| turn.task))?;
    let context = scene.context();
    (ahead != task).then(|| {
        format!(
            "task {task} waits until task {ahead} is done: tasks of context {context} that share a session take turns"
        )
    })
}

/// A call that ends before it was vetted has not been told of: first it is told as pending.
fn announced_at_last(was: &Was, scene: &Scene, event: &Event) -> Option<Saying> {
    let Event::CallEnded { call, .. } = event else { return None };
    was.vetting.contains(call).then(|| told(scene, *call)).flatten().map(before_vetting).map(boxed)
}

/// The sources of what was said, as a text that goes on after it.
pub(crate) fn list_sources(sources: &[String]) -> String {
    format!("\n\nSources:\n{}", sources.join("\n"))
}

fn some_text(text: &str) -> Option<Saying> {
    (!text.is_empty()).then(|| Saying::Text(text.to_owned()))
}

/// A call that may run now but has to wait for another one: its dialog closes, it does not run yet.
fn waits_for_others(scene: &Scene, call: CallId) -> Option<Saying> {
    let starts_at_once = next(&scene.state).contains(&Effect::Run { call });
    if starts_at_once { None } else { told(scene, call).map(without_request).map(boxed) }
}

fn told(scene: &Scene, call: CallId) -> Option<ToolCall> {
    let known = scene.state.turn.as_ref()?.calls.get(&call)?;
    Some(told_call(scene, known))
}

fn boxed(call: ToolCall) -> Saying {
    Saying::Call(Box::new(call))
}
