//! A task as A2A shows it whole: folded from the log when somebody asks.

use crate::audience::Audience;
use crate::dialect::{
    Coder, Dialect, STOPPED, Spot, Told, answer_artifact, coder_asks, coder_call, coder_output, coder_word, ended,
    event_metadata, list_sources, made_by, message_id, pending_asks, state_in, status_words, task_waits_behind,
    thought_of, word,
};
use crate::errors::Fault;
use crate::feed::{Feeds, Tale};
use crate::files::{Brought, MOST_IN_HISTORY};
use crate::rooms::{Place, opened};
use crate::scene::{Scene, TurnText, View, timestamp};
use crate::version::Version;
use pollux_session::{
    CallOutcome, Closing, CommandId, Event, ItemKind, Line, Media, Seq, SessionId, TaskStatus as Status, Transcript,
    TurnId, TurnOutcome, plain,
};
use pollux_wire::a2a::{Artifact, Message, MessageTag, Metadata, Part, Role, Task, TaskState, TaskStatus, TaskTag};
use pollux_wire::coder::task_metadata;
use pollux_wire::devtool::{EventKind, ToolCall, ToolCallStatus};
use serde::Deserialize;
use serde_json::{Value, json};

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

/// The whole task at the newest entry.
pub(crate) async fn whole(feeds: &Feeds, place: &Place, history: History, audience: Audience) -> Result<Task, Fault> {
    let (mut task, brought) = of_tale(&*feeds.tale(&*place.seat).await?, place, history, audience);
    feeds.files.show(&mut task.history, brought, MOST_IN_HISTORY).await;
    Ok(task)
}

/// The whole task among many: files that came with its messages are only named.
pub(crate) async fn in_list(feeds: &Feeds, place: &Place, history: History, audience: Audience) -> Result<Task, Fault> {
    let (mut task, brought) = of_tale(&*feeds.tale(&*place.seat).await?, place, history, audience);
    feeds.files.show(&mut task.history, brought, 0).await;
    Ok(task)
}

/// The same, and the scene there.
pub(crate) async fn whole_in_scene(
    feeds: &Feeds,
    place: &Place,
    history: History,
    audience: Audience,
) -> Result<(Task, Scene), Fault> {
    let tale = feeds.tale(&*place.seat).await?;
    let ((mut task, brought), scene) = (of_tale(&tale, place, history, audience), tale.scene.clone());
    // Nobody waits for this session's tale while files are read.
    drop(tale);
    feeds.files.show(&mut task.history, brought, MOST_IN_HISTORY).await;
    Ok((task, scene))
}

/// The task, and the files that belong into its history.
fn of_tale(tale: &Tale, place: &Place, history: History, audience: Audience) -> (Task, Brought) {
    let session = place.seat.session();
    let mut task = bare(session, place.view, &tale.scene, audience);
    let spoken = Spoken::of(&tale.scene, place.view, audience);
    let told = told(session, place.view, &tale.scene, &tale.transcript, history, spoken);
    let with_files = told.iter().enumerate().filter(|(_, (_, media))| !media.is_empty());
    let brought = with_files.map(|(place, (_, media))| (place, media.to_vec())).collect();
    task.history = told.into_iter().map(|(message, _)| message).collect();
    task.artifacts = match spoken {
        Spoken::Rfc | Spoken::Generic => made(place.view, &tale.transcript, spoken),
        Spoken::Coder => printed(place.view, tale),
    };
    (task, brought)
}

/// The task without its history.
pub(crate) fn bare(session: SessionId, view: View, scene: &Scene, audience: Audience) -> Task {
    let status = scene.status(view);
    let spot = Spot::at_head(session, view, scene);
    let spoken = Spoken::of(scene, view, audience);
    let state = match spoken {
        Spoken::Rfc | Spoken::Generic => state_in(audience.version, word(&status), spot.rest),
        Spoken::Coder => coder_word(&status, view),
    };
    let mut parts: Vec<Part> = match (&status, spoken) {
        (Status::InputRequired, Spoken::Rfc | Spoken::Generic) => {
            pending_asks(scene).iter().map(|call| Part::data(json!(call))).collect()
        }
        (Status::InputRequired, Spoken::Coder) => {
            coder_asks(scene).iter().map(|call| Part::data(json!(call))).collect()
        }
        (Status::Resting(TurnOutcome::Failed { .. }) | Status::Closed(Closing::Failed), _) => {
            scene.failure(view).map(|failure| Part::text(&failure.message)).into_iter().collect()
        }
        (Status::Submitted, Spoken::Rfc | Spoken::Generic) => {
            task_waits_behind(scene, view).map(Part::text).into_iter().collect()
        }
        (_, Spoken::Coder) if state == TaskState::Canceled => vec![Part::text(STOPPED)],
        (Status::Submitted | Status::Working | Status::Resting(_) | Status::Closed(_), _) => Vec::new(),
    };
    if spoken != Spoken::Coder {
        parts.extend(status_words(state, &spot, audience).map(Part::text));
    }
    let coder = scene.coder(view).filter(|_| spoken == Spoken::Coder);
    let message = (!parts.is_empty()).then(|| say(&spot, Role::Agent, scene.state.head, parts));
    Task {
        kind: TaskTag::Task,
        id: view.wire_id(),
        context_id: scene.context().to_owned(),
        status: TaskStatus { state, message, timestamp: Some(timestamp(scene.changed(view))) },
        artifacts: Vec::new(),
        history: Vec::new(),
        metadata: coder
            .map(|coder| task_metadata(&coder.settings(), &coder.ignored(), state, scene.context()))
            .unwrap_or_default(),
    }
}

/// The task as an answer found it and let it go on: what follows may have ended it already, and is told after it.
pub(crate) fn working(task: Task) -> Task {
    let TaskStatus { timestamp, .. } = task.status;
    Task { status: TaskStatus { state: TaskState::Working, message: None, timestamp }, ..task }
}

/// In which dialect of its version a task is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoken {
    /// What is said is in the history.
    Rfc,
    /// What is said is in artifacts.
    Generic,
    Coder,
}

impl Spoken {
    fn of(scene: &Scene, view: View, audience: Audience) -> Spoken {
        if audience.version == Version::V03 && scene.coder(view).is_some() {
            return Spoken::Coder;
        }
        if audience.reads_answers_as_artifacts() { Spoken::Generic } else { Spoken::Rfc }
    }
}

/// What was said and done, each with the files that came with it.
fn told<'a>(
    session: SessionId,
    view: View,
    scene: &Scene,
    transcript: &'a Transcript,
    history: History,
    spoken: Spoken,
) -> Vec<(Message, &'a [Media])> {
    let spot = Spot::at_head(session, view, scene);
    let newest_first = transcript.lines().rev().filter_map(|line| match line {
        Line::Prompt { id, task, text, media, command, parts, .. } if view.covers(*task) => {
            let message_id = sent_as(command.as_ref(), session, id.0);
            let message = say(&spot, Role::User, id.0, prompt_parts(text, media, parts));
            Some((Message { message_id, ..message }, media.as_slice()))
        }
        Line::Item { kind: ItemKind::Text, .. } if spoken == Spoken::Generic => None,
        Line::Item { id, task, kind, text, .. } if view.covers(*task) && !text.is_empty() => {
            let part = match kind {
                ItemKind::Text => Part::text(text),
                ItemKind::Thought => Part::data(json!(thought_of(text))),
            };
            let kind = match kind {
                ItemKind::Text => EventKind::TextContent,
                ItemKind::Thought => EventKind::Thought,
            };
            Some((of_kind(say(&spot, Role::Agent, id.0, vec![part]), kind, &spot, spoken), &[][..]))
        }
        Line::Step { seq, task: Some(task), citations, .. }
            if view.covers(*task) && !citations.is_empty() && spoken == Spoken::Rfc =>
        {
            let text = list_sources(citations);
            let message = say(&spot, Role::Agent, *seq, vec![Part::text(text.trim_start())]);
            Some((of_kind(message, EventKind::TextContent, &spot, spoken), &[][..]))
        }
        Line::Call { id, task, .. } if view.covers(*task) => {
            let part = match spoken {
                Spoken::Rfc | Spoken::Generic => Part::data(json!(call_of(scene, line)?)),
                Spoken::Coder => Part::data(json!(coder_call(scene, line)?)),
            };
            let message = say(&spot, Role::Agent, id.0, vec![part]);
            Some((of_kind(message, EventKind::ToolCallUpdate, &spot, spoken), &[][..]))
        }
        _ => None,
    });
    let mut told: Vec<(Message, &[Media])> = match history {
        History::Whole => newest_first.collect(),
        History::Newest(length) => newest_first.take(length).collect(),
    };
    told.reverse();
    told
}

/// How long an answer may be that the history holds already.
const MOST_REPEATED: usize = 256 * 1024;

/// What the task has made: each turn's answer, and each file that was changed. Who reads answers nowhere else gets those of
/// turns that run, failed or were cancelled, too, as far as they have been said.
fn made(view: View, transcript: &Transcript, spoken: Spoken) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    let mut said = TurnText::unbounded();
    let mut running = None;
    for line in transcript.lines() {
        match line {
            Line::Turn { id, task, .. } => {
                said = TurnText::unbounded();
                running = Some(*id).filter(|_| view.covers(*task));
            }
            Line::Item { kind: ItemKind::Text, text, cut: false, task, .. } if view.covers(*task) => {
                said.begin(text);
            }
            Line::Item { cut: true, .. } | Line::Retry { .. } | Line::FellBack { .. } => said.take_step_back(),
            Line::Step { citations, .. } => {
                let sources = if spoken == Spoken::Generic { citations.as_slice() } else { &[] };
                said.end_step(sources);
            }
            Line::Call { id, task, outcome, ask, .. } if view.covers(*task) => {
                if spoken == Spoken::Generic && ask.is_some() {
                    artifacts.extend(running.and_then(|turn| answer(turn, &said, spoken)));
                    said.pause();
                }
                if let Some(CallOutcome::Succeeded { result }) = outcome {
                    artifacts.extend(made_by(*id, result));
                }
            }
            Line::End { turn, task, outcome, .. } if view.covers(*task) => {
                running = None;
                if spoken == Spoken::Generic || *outcome == TurnOutcome::Rested {
                    artifacts.extend(answer(*turn, &said, spoken));
                }
            }
            _ => {}
        }
    }
    artifacts.extend(running.filter(|_| spoken == Spoken::Generic).and_then(|turn| answer(turn, &said, spoken)));
    artifacts
}

fn answer(turn: TurnId, said: &TurnText, spoken: Spoken) -> Option<Artifact> {
    let text = Some(said.whole()).filter(|text| !text.trim().is_empty())?;
    let len = text.len();
    let repeated = spoken == Spoken::Generic || len <= MOST_REPEATED;
    let named = || format!("the answer has {len} bytes; read it in the task's history");
    Some(answer_artifact(turn, said.part(), if repeated { text } else { named() }))
}

/// What the task's commands printed, as its streams in the coder dialect tell it.
fn printed(view: View, tale: &Tale) -> Vec<Artifact> {
    let outputs = tale.transcript.lines().filter_map(|line| match line {
        Line::Call { id, task, output, .. } if view.covers(*task) && !output.is_empty() => {
            Some(coder_output(&tale.scene.wire_call_id(*id), plain(output).into_owned()))
        }
        _ => None,
    });
    outputs.collect()
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
        tool_call_id: scene.wire_call_id(*id),
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
pub(crate) async fn submitted(feeds: &Feeds, place: &Place, seq: Seq, dialect: Dialect) -> Result<Option<Task>, Fault> {
    let opened = opened(&*place.seat).await?;
    let context = opened.context.clone();
    let page = place.seat.read(Seq(seq.0.saturating_sub(1)), 1).await?;
    let Some((entry, Event::Prompted { text, media, command, parts, .. })) =
        page.first().map(|entry| (entry, &entry.event))
    else {
        return Ok(None);
    };
    let id = place.view.wire_id();
    let message = Message {
        kind: MessageTag::Message,
        role: Role::User,
        parts: prompt_parts(text, media, parts),
        message_id: sent_as(command.as_ref(), place.seat.session(), seq),
        task_id: Some(id.clone()),
        context_id: Some(context.as_str().to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    };
    let mut history = vec![message];
    let brought = if media.is_empty() { Vec::new() } else { vec![(0, media.clone())] };
    feeds.files.show(&mut history, brought, MOST_IN_HISTORY).await;
    let metadata = match dialect {
        Dialect::Coder(_) => {
            let scene = feeds.at_head(&*place.seat).await?;
            let coder = Coder::told(&opened, scene.edge(place.view));
            task_metadata(&coder.settings(), &coder.ignored(), TaskState::Submitted, opened.context.as_str())
        }
        Dialect::Rfc(..) | Dialect::Flat | Dialect::Page | Dialect::Named => Metadata::new(),
    };
    Ok(Some(Task {
        kind: TaskTag::Task,
        id,
        context_id: context.as_str().to_owned(),
        status: TaskStatus { state: TaskState::Submitted, message: None, timestamp: Some(timestamp(entry.at)) },
        artifacts: Vec::new(),
        history,
        metadata,
    }))
}

/// A prompt as parts: those that its sender wrote, else its words. The files to look at come from [`Files::show`].
///
/// [`Files::show`]: crate::files::Files::show
fn prompt_parts(text: &str, media: &[Media], written: &[Value]) -> Vec<Part> {
    let parts: Vec<Part> = written.iter().filter_map(|part| Part::deserialize(part).ok()).collect();
    let files = parts.iter().filter(|part| matches!(part, Part::File { file, .. } if file.is_elsewhere()));
    // What a seat sends is not checked; its parts count only if they are whole.
    if !parts.is_empty() && parts.len() == written.len() && files.count() == media.len() {
        return parts;
    }
    if text.is_empty() && !media.is_empty() { Vec::new() } else { vec![Part::text(text)] }
}

/// The id of a client's message: its own, or one made from its entry where the log has none.
fn sent_as(command: Option<&CommandId>, session: SessionId, seq: Seq) -> String {
    command.map_or_else(|| message_id(session, seq), |command| command.0.clone())
}

fn say(spot: &Spot<'_>, role: Role, seq: Seq, parts: Vec<Part>) -> Message {
    Message {
        kind: MessageTag::Message,
        role,
        parts,
        message_id: message_id(spot.session, seq),
        task_id: Some(spot.task.clone()),
        context_id: Some(spot.context.to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    }
}

fn of_kind(message: Message, kind: EventKind, spot: &Spot<'_>, spoken: Spoken) -> Message {
    match spoken {
        Spoken::Rfc | Spoken::Generic => Message { metadata: event_metadata(kind, spot, Told::default()), ..message },
        Spoken::Coder => message,
    }
}
