//! A task as A2A shows it whole: folded from the log when somebody asks.

use crate::dialect::{Spot, Told, ended, event_metadata, message_id, pending_asks, thought_of, word};
use crate::errors::Fault;
use crate::rooms::{Place, opened};
use crate::scene::{Scene, View, timestamp};
use pollux_session::{Event, ItemKind, Line, Seq, SessionId, TaskStatus as Status, Transcript, TurnOutcome};
use pollux_wire::a2a::{Message, MessageTag, Metadata, Part, Role, Task, TaskState, TaskStatus, TaskTag};
use pollux_wire::devtool::{EventKind, ToolCall, ToolCallStatus};
use serde_json::{Value, json};

/// How many entries are read at once.
const PAGE: usize = 512;

/// How much of a task's history is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum History {
    /// All of it.
    Whole,
    /// At most so many of the newest messages.
    Newest(usize),
}

impl From<Option<u32>> for History {
    fn from(length: Option<u32>) -> History {
        length.map_or(History::Whole, |length| History::Newest(length as usize))
    }
}

/// The whole task at the newest entry, and the scene there.
pub(crate) async fn whole(place: &Place, history: History) -> Result<(Task, Scene), Fault> {
    let mut scene = Scene::default();
    let mut transcript = Transcript::default();
    loop {
        let page = place.seat.read(scene.state.head, PAGE).await?;
        if page.is_empty() {
            break;
        }
        for entry in &page {
            scene.apply(entry);
            transcript.apply(entry);
        }
    }
    let session = place.seat.session();
    let mut task = bare(session, place.view, &scene);
    task.history = told(session, place.view, &scene, &transcript);
    if let History::Newest(length) = history {
        let surplus = task.history.len().saturating_sub(length);
        task.history.drain(..surplus);
    }
    Ok((task, scene))
}

/// The task without its history.
pub(crate) fn bare(session: SessionId, view: View, scene: &Scene) -> Task {
    let status = scene.status(view);
    let spot = Spot::at_head(session, view, scene);
    let parts: Vec<Part> = match &status {
        Status::InputRequired => pending_asks(scene).iter().map(|call| Part::Data { data: json!(call) }).collect(),
        Status::Resting(TurnOutcome::Failed { failure }) => vec![Part::text(&failure.message)],
        Status::Submitted | Status::Working | Status::Resting(_) | Status::Closed(_) => Vec::new(),
    };
    let message = (!parts.is_empty()).then(|| say(&spot, Role::Agent, scene.state.head, parts));
    Task {
        kind: TaskTag::Task,
        id: view.wire_id(),
        context_id: scene.context().to_owned(),
        status: TaskStatus { state: word(&status), message, timestamp: Some(timestamp(scene.changed(view))) },
        history: Vec::new(),
        metadata: Metadata::new(),
    }
}

fn told(session: SessionId, view: View, scene: &Scene, transcript: &Transcript) -> Vec<Message> {
    let spot = Spot::at_head(session, view, scene);
    let lines = transcript.lines().filter_map(|line| match line {
        Line::Prompt { id, task, text, .. } if view.covers(*task) => {
            Some(say(&spot, Role::User, id.0, vec![Part::text(text)]))
        }
        Line::Item { id, task, kind, text, .. } if view.covers(*task) && !text.is_empty() => {
            let part = match kind {
                ItemKind::Text => Part::text(text),
                ItemKind::Thought => Part::Data { data: json!(thought_of(text)) },
            };
            let kind = match kind {
                ItemKind::Text => EventKind::TextContent,
                ItemKind::Thought => EventKind::Thought,
            };
            Some(of_kind(say(&spot, Role::Agent, id.0, vec![part]), kind, &spot))
        }
        Line::Call { id, task, .. } if view.covers(*task) => {
            let part = Part::Data { data: json!(call_of(scene, line)?) };
            Some(of_kind(say(&spot, Role::Agent, id.0, vec![part]), EventKind::ToolCallUpdate, &spot))
        }
        _ => None,
    });
    lines.collect()
}

/// A call as the transcript remembers it; one of the running turn as it stands.
fn call_of(scene: &Scene, line: &Line) -> Option<ToolCall> {
    let Line::Call { id, tool, args, started, outcome, .. } = line else { return None };
    if let Some(call) = scene.state.turn.as_ref().and_then(|turn| turn.calls.get(id)) {
        return Some(crate::dialect::told_call(scene, call));
    }
    let (status, result) = match outcome {
        Some(outcome) => ended(outcome),
        None if *started => (ToolCallStatus::Executing, None),
        None => (ToolCallStatus::Pending, None),
    };
    Some(ToolCall {
        tool_call_id: id.to_string(),
        status,
        tool_name: tool.clone(),
        description: args.get("description").and_then(Value::as_str).map(str::to_owned),
        input_parameters: args.clone(),
        live_content: None,
        result,
        confirmation_request: None,
    })
}

/// The task as the prompt at `seq` began it, or joined it: the first event of the stream that the prompt opens.
pub(crate) async fn submitted(place: &Place, seq: Seq) -> Result<Option<Task>, Fault> {
    let context = opened(&*place.seat).await?.context;
    let page = place.seat.read(Seq(seq.0.saturating_sub(1)), 1).await?;
    let Some((entry, Event::Prompted { text, .. })) = page.first().map(|entry| (entry, &entry.event)) else {
        return Ok(None);
    };
    let id = place.view.wire_id();
    let message = Message {
        kind: MessageTag::Message,
        role: Role::User,
        parts: vec![Part::text(text)],
        message_id: message_id(place.seat.session(), seq),
        task_id: Some(id.clone()),
        context_id: Some(context.as_str().to_owned()),
        metadata: Metadata::new(),
    };
    Ok(Some(Task {
        kind: TaskTag::Task,
        id,
        context_id: context.as_str().to_owned(),
        status: TaskStatus { state: TaskState::Submitted, message: None, timestamp: Some(timestamp(entry.at)) },
        history: vec![message],
        metadata: Metadata::new(),
    }))
}

fn say(spot: &Spot<'_>, role: Role, seq: Seq, parts: Vec<Part>) -> Message {
    Message {
        kind: MessageTag::Message,
        role,
        parts,
        message_id: message_id(spot.session, seq),
        task_id: Some(spot.task.clone()),
        context_id: Some(spot.context.to_owned()),
        metadata: Metadata::new(),
    }
}

fn of_kind(message: Message, kind: EventKind, spot: &Spot<'_>) -> Message {
    Message { metadata: event_metadata(kind, spot.model, Told::default()), ..message }
}
