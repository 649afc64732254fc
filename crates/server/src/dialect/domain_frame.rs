//! What an entry says to those who watch. The rules are the same in every dialect.

use super::call::{before_vetting, describe_call, without_request};
use super::{AnswerChunk, PreviousStatus, artifact_of_call, remark};
use crate::message_files;
use crate::wire_state::{TaskScope, WireState};
use pollux_session::{
    CallId, CallOutcome, CommandId, Effect, Entry, EntryAuthor, Event, ItemKind, ModelUsage, NoticeLevel, PromptId,
    TaskClosing, TaskId, TaskStatus, TurnFailure, TurnOutcome, next,
};
use pollux_wire::a2a::{Artifact, TaskState};
use pollux_wire::devtool::ToolCall;

/// One thing to say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DomainFrame {
    /// The task stands elsewhere.
    State {
        /// Where.
        state: TaskState,
        /// Why it failed.
        failure: Option<TurnFailure>,
        /// What the turn that is over has cost.
        usage: Option<ModelUsage>,
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
    Artifact(Box<Artifact>),
    /// A prompt.
    Prompt {
        /// What was said.
        text: String,
        /// By whom.
        by: EntryAuthor,
        /// The id that its sender gave it.
        command: Option<CommandId>,
    },
    /// Something worth knowing that changes nothing about where the task stands.
    Remark {
        /// How loud.
        level: NoticeLevel,
        /// A line for people.
        line: String,
    },
    /// The task's message waits until another task is done.
    Queued {
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

impl DomainFrame {
    /// A change of state that needs no words.
    pub(crate) fn state(state: TaskState) -> DomainFrame {
        DomainFrame::State { state, failure: None, usage: None }
    }
}

/// The 0.3 word for where a task stands. At rest an open-ended task reads `completed`, and goes on by its id.
pub(crate) fn task_state(status: &TaskStatus) -> TaskState {
    match status {
        TaskStatus::Submitted => TaskState::Submitted,
        TaskStatus::Working => TaskState::Working,
        TaskStatus::InputRequired => TaskState::InputRequired,
        TaskStatus::Resting(TurnOutcome::Rested) | TaskStatus::Closed(TaskClosing::Completed) => TaskState::Completed,
        TaskStatus::Resting(TurnOutcome::Cancelled) | TaskStatus::Closed(TaskClosing::Cancelled) => TaskState::Canceled,
        TaskStatus::Resting(TurnOutcome::Failed { .. }) | TaskStatus::Closed(TaskClosing::Failed) => TaskState::Failed,
    }
}

/// What `entry`, which `wire_state` already holds, says to `view`.
pub(super) fn domain_frames(
    view: TaskScope,
    was: &PreviousStatus,
    wire_state: &WireState,
    entry: &Entry,
) -> Vec<DomainFrame> {
    // What belongs to no task concerns them all.
    let Some((task, _)) = entry.task else { return Vec::from_iter(remark::remark_of_entry(entry)) };
    if !view.covers(task) {
        return Vec::new();
    }
    let announced = announce_unvetted_call(was, wire_state, &entry.event);
    let told = announced.into_iter().chain(frame_of_event(was, view, wire_state, entry));
    let mut domain_frames =
        Vec::from_iter(told.chain(waits_behind(wire_state, entry).map(|line| DomainFrame::Queued { line })));
    if let Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } } = &entry.event {
        domain_frames.extend(artifact_of_call(*call, result).map(|artifact| DomainFrame::Artifact(Box::new(artifact))));
    }
    if wire_state.status(view) == TaskStatus::InputRequired && was.status != TaskStatus::InputRequired {
        domain_frames.push(DomainFrame::state(TaskState::InputRequired));
    }
    domain_frames
}

fn frame_of_event(was: &PreviousStatus, view: TaskScope, wire_state: &WireState, entry: &Entry) -> Option<DomainFrame> {
    match &entry.event {
        Event::Prompted { text, media, command, .. } => Some(DomainFrame::Prompt {
            text: message_files::describe_prompt(text, media),
            by: entry.by.clone(),
            command: command.clone(),
        }),
        Event::Requeued { text, .. } => {
            Some(DomainFrame::Prompt { text: text.clone(), by: entry.by.clone(), command: None })
        }
        Event::TurnStarted { .. } => Some(DomainFrame::state(TaskState::Working)),
        Event::Said { kind: ItemKind::Text, text, .. } => text_frame(text),
        Event::Piece { text, .. } => {
            let item = wire_state.state.turn.as_ref()?.item?;
            (item.1 == ItemKind::Text).then(|| text_frame(text)).flatten()
        }
        Event::ItemEnded { .. } => {
            let thought = wire_state.finished_thought().filter(|thought| !thought.trim().is_empty())?;
            Some(DomainFrame::Thought(thought.to_owned()))
        }
        Event::Retrying { reason, attempt, wait_ms } => Some(DomainFrame::Retrying {
            line: format!("the model call failed ({reason}); attempt {attempt} follows in {wait_ms} ms"),
            reason: reason.clone(),
        }),
        Event::Allowed { call, .. } => {
            let asked = wire_state.state.turn.as_ref()?.calls.get(call)?.ask.is_some();
            if asked {
                waiting_call_frame(wire_state, *call)
            } else {
                tool_call_of(wire_state, *call).map(without_request).map(call_frame)
            }
        }
        Event::Answered { call, allows: true, .. } => waiting_call_frame(wire_state, *call),
        Event::Asked { call, .. }
        | Event::CallStarted { call }
        | Event::Output { call, .. }
        | Event::CallEnded { call, .. } => tool_call_of(wire_state, *call).map(call_frame),
        Event::TurnEnded { outcome } => {
            let (state, failure) = match outcome {
                TurnOutcome::Rested => (TaskState::Completed, None),
                TurnOutcome::Cancelled => (TaskState::Canceled, None),
                TurnOutcome::Failed { failure } => (TaskState::Failed, Some(failure.clone())),
            };
            Some(DomainFrame::State { state, failure, usage: wire_state.spent() })
        }
        Event::StepEnded { citations, .. } => {
            (!citations.is_empty()).then(|| DomainFrame::Citations(citations.clone()))
        }
        Event::TaskClosed { .. } => {
            let state = task_state(&wire_state.status(view));
            (state != task_state(&was.status)).then(|| DomainFrame::state(state))
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
        | Event::Noted { .. }
        | Event::Released
        | Event::Opened(_)
        | Event::Equipped(_)
        | Event::Set { .. }
        | Event::Kept { .. }
        | Event::CompactWanted
        | Event::Compacted { .. }
        | Event::NotCompacted { .. }
        | Event::Uncompacted => remark::remark_of_entry(entry),
    }
}

/// Behind which task the prompt of `entry` waits, if it has to wait for another one's.
pub(super) fn waits_behind(wire_state: &WireState, entry: &Entry) -> Option<String> {
    let Event::Prompted { task, .. } = &entry.event else { return None };
    prompt_waits_behind(wire_state, *task, PromptId(entry.seq))
}

/// Behind which task the first waiting prompt of what `view` sees waits.
pub(crate) fn task_waits_behind(wire_state: &WireState, view: TaskScope) -> Option<String> {
    let first = wire_state.state.queue.iter().find(|waiting| view.covers(waiting.task))?;
    prompt_waits_behind(wire_state, first.task, first.id)
}

fn prompt_waits_behind(wire_state: &WireState, task: TaskId, prompt: PromptId) -> Option<String> {
    let before = wire_state.state.queue.iter().take_while(|waiting| waiting.id != prompt);
    let ahead = before.map(|waiting| waiting.task).last().or(wire_state.state.turn.as_ref().map(|turn| turn.task))?;
    let context = wire_state.context();
    (ahead != task).then(|| {
        format!(
            "task {task} waits until task {ahead} is done: tasks of context {context} that share a session take turns"
        )
    })
}

/// A call that ends before it was vetted has not been told of: first it is told as pending.
fn announce_unvetted_call(was: &PreviousStatus, wire_state: &WireState, event: &Event) -> Option<DomainFrame> {
    let Event::CallEnded { call, .. } = event else { return None };
    was.vetting.contains(call).then(|| tool_call_of(wire_state, *call)).flatten().map(before_vetting).map(call_frame)
}

/// The sources of what was said, as a text that goes on after it.
pub(crate) fn list_sources(sources: &[String]) -> String {
    format!("\n\nSources:\n{}", sources.join("\n"))
}

fn text_frame(text: &str) -> Option<DomainFrame> {
    (!text.is_empty()).then(|| DomainFrame::Text(text.to_owned()))
}

/// A call that may run now but has to wait for another one: its dialog closes, it does not run yet.
fn waiting_call_frame(wire_state: &WireState, call: CallId) -> Option<DomainFrame> {
    let starts_at_once = next(&wire_state.state).contains(&Effect::Run { call });
    if starts_at_once { None } else { tool_call_of(wire_state, call).map(without_request).map(call_frame) }
}

fn tool_call_of(wire_state: &WireState, call: CallId) -> Option<ToolCall> {
    let known = wire_state.state.turn.as_ref()?.calls.get(&call)?;
    Some(describe_call(wire_state, known))
}

fn call_frame(call: ToolCall) -> DomainFrame {
    DomainFrame::Call(Box::new(call))
}
