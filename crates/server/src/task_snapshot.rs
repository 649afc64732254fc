//! A task as A2A shows it whole: folded from the log when somebody asks.

use crate::client_profile::ClientProfile;
use crate::dialect::{
    CoderClientSettings, Dialect, FrameContext, STOPPED, StepMetadata, answer_artifact, artifact_of_call, coder_asks,
    coder_call, coder_output, coder_word, describe_outcome, event_metadata, list_sources, message_id, pending_asks,
    standing_state, state_in_version, status_words, task_state, task_waits_behind, thought_of,
};
use crate::errors::RequestError;
use crate::feed::{SessionFeeds, TaskHistory};
use crate::message_files::{HistoryMedia, MAX_HISTORY_FILES};
use crate::session_access::{TaskHandle, read_opened};
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, TurnText, WireState, timestamp};
use pollux_session::{
    CallOutcome, CommandId, Event, ItemKind, MediaContent, Seq, SessionId, TaskClosing, TaskStatus as Status,
    Transcript, TranscriptLine, TurnId, TurnOutcome, plain,
};
use pollux_wire::a2a::{Artifact, Message, MessageTag, Metadata, Part, Role, Task, TaskState, TaskStatus, TaskTag};
use pollux_wire::coder::task_metadata;
use pollux_wire::devtool::{EventKind, ToolCall, ToolCallStatus};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The wanted length of a task's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryLength {
    /// All of it.
    Whole,
    /// At most so many of the newest messages.
    Newest(usize),
}

impl From<Option<u32>> for HistoryLength {
    fn from(length: Option<u32>) -> HistoryLength {
        length.map_or(HistoryLength::Whole, |length| HistoryLength::Newest(length as usize))
    }
}

/// The whole task at the newest entry.
pub(crate) async fn whole_task(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    history: HistoryLength,
    audience: ClientProfile,
) -> Result<Task, RequestError> {
    let (mut task, brought) = task_of_history(&feeds.task_history(&*handle.seat).await?, handle, history, audience);
    feeds.files.restore_parts(&mut task.history, brought, MAX_HISTORY_FILES).await;
    Ok(task)
}

/// The whole task among many: files that came with its messages are only named. Whoever gets it reads what it asks.
pub(crate) async fn task_in_list(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    history: HistoryLength,
    audience: ClientProfile,
) -> Result<Task, RequestError> {
    let task_history = feeds.task_history(&*handle.seat).await?;
    let (mut task, brought) = task_of_history(&task_history, handle, history, audience);
    let asks = task_history.state.asked_calls(handle.scope);
    drop(task_history);
    feeds.record_shown_asks(&*handle.seat, &asks);
    feeds.files.restore_parts(&mut task.history, brought, 0).await;
    Ok(task)
}

/// The whole task, and the state there.
pub(crate) async fn whole_task_and_state(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    history: HistoryLength,
    audience: ClientProfile,
) -> Result<(Task, Arc<WireState>), RequestError> {
    let task_history = feeds.task_history(&*handle.seat).await?;
    let ((mut task, brought), wire_state) =
        (task_of_history(&task_history, handle, history, audience), Arc::clone(&task_history.state));
    // Nobody waits for this session's history while files are read.
    drop(task_history);
    feeds.files.restore_parts(&mut task.history, brought, MAX_HISTORY_FILES).await;
    Ok((task, wire_state))
}

/// The task, and the files that belong into its history.
fn task_of_history(
    task_history: &TaskHistory,
    handle: &TaskHandle,
    history: HistoryLength,
    audience: ClientProfile,
) -> (Task, HistoryMedia) {
    let session = handle.seat.session();
    let mut task = bare_task(session, handle.scope, &task_history.state, audience);
    let task_dialect = TaskDialect::choose(&task_history.state, handle.scope, audience);
    let messages =
        history_messages(session, handle.scope, &task_history.state, task_history.transcript(), history, task_dialect);
    let with_files = messages.iter().enumerate().filter(|(_, (_, media))| !media.is_empty());
    let brought = with_files.map(|(index, (_, media))| (index, media.to_vec())).collect();
    task.history = messages.into_iter().map(|(message, _)| message).collect();
    task.artifacts = match task_dialect {
        TaskDialect::Rfc | TaskDialect::Generic => artifacts(handle.scope, task_history.transcript(), task_dialect),
        TaskDialect::Coder => output_artifacts(handle.scope, task_history),
    };
    (task, brought)
}

/// The task without its history.
pub(crate) fn bare_task(session: SessionId, view: TaskScope, wire_state: &WireState, audience: ClientProfile) -> Task {
    let status = wire_state.status(view);
    let frame_context = FrameContext::at_head(session, view, wire_state);
    let task_dialect = TaskDialect::choose(wire_state, view, audience);
    let own_word = || match task_dialect {
        TaskDialect::Rfc | TaskDialect::Generic => {
            state_in_version(audience.version, task_state(&status), frame_context.continuation)
        }
        TaskDialect::Coder => coder_word(&status, view),
    };
    // Where the dialects of 0.3 disagree, all views have the word of the newest message's; 1.0 says what each word means.
    let newest = standing_state(wire_state, view).filter(|_| audience.version == A2aVersion::V03);
    let state = newest.unwrap_or_else(own_word);
    let mut parts: Vec<Part> = match (&status, task_dialect) {
        (Status::InputRequired, TaskDialect::Rfc | TaskDialect::Generic) => {
            pending_asks(wire_state).iter().map(|call| Part::data(json!(call))).collect()
        }
        (Status::InputRequired, TaskDialect::Coder) => {
            coder_asks(wire_state).iter().map(|call| Part::data(json!(call))).collect()
        }
        (Status::Resting(TurnOutcome::Failed { .. }) | Status::Closed(TaskClosing::Failed), _) => {
            wire_state.failure(view).map(|failure| Part::text(&failure.message)).into_iter().collect()
        }
        (Status::Submitted, TaskDialect::Rfc | TaskDialect::Generic) => {
            task_waits_behind(wire_state, view).map(Part::text).into_iter().collect()
        }
        (_, TaskDialect::Coder) if state == TaskState::Canceled => vec![Part::text(STOPPED)],
        (Status::Submitted | Status::Working | Status::Resting(_) | Status::Closed(_), _) => Vec::new(),
    };
    if task_dialect != TaskDialect::Coder {
        parts.extend(status_words(state, &frame_context, audience).map(Part::text));
    }
    let coder = wire_state.coder_settings(view).filter(|_| task_dialect == TaskDialect::Coder);
    let message = (!parts.is_empty()).then(|| new_message(&frame_context, Role::Agent, wire_state.state.head, parts));
    Task {
        kind: TaskTag::Task,
        id: view.wire_id(),
        context_id: wire_state.context().to_owned(),
        status: TaskStatus { state, message, timestamp: Some(timestamp(wire_state.changed(view))) },
        artifacts: Vec::new(),
        history: Vec::new(),
        metadata: coder
            .map(|coder| task_metadata(&coder.settings(), &coder.ignored(), state, wire_state.context()))
            .unwrap_or_default(),
    }
}

/// The task as an answer found it and let it go on: what follows may have ended it already, and is told after it.
pub(crate) fn as_working(task: Task) -> Task {
    let TaskStatus { timestamp, .. } = task.status;
    Task { status: TaskStatus { state: TaskState::Working, message: None, timestamp }, ..task }
}

/// In which dialect of its version a task is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TaskDialect {
    /// Texts are in the history.
    Rfc,
    /// Texts are in artifacts.
    Generic,
    Coder,
}

impl TaskDialect {
    fn choose(wire_state: &WireState, view: TaskScope, audience: ClientProfile) -> TaskDialect {
        if audience.version == A2aVersion::V03 && wire_state.coder_settings(view).is_some() {
            return TaskDialect::Coder;
        }
        if audience.reads_answers_as_artifacts() { TaskDialect::Generic } else { TaskDialect::Rfc }
    }
}

/// The messages of the history, each with the files that came with it.
fn history_messages<'a>(
    session: SessionId,
    view: TaskScope,
    wire_state: &WireState,
    transcript: &'a Transcript,
    history: HistoryLength,
    task_dialect: TaskDialect,
) -> Vec<(Message, &'a [MediaContent])> {
    let frame_context = FrameContext::at_head(session, view, wire_state);
    let newest_first = transcript.lines().rev().filter_map(|line| match line {
        TranscriptLine::Prompt { id, task, text, media, command, parts, .. } if view.covers(*task) => {
            let message_id = message_id_of(command.as_ref(), session, id.0);
            let message = new_message(&frame_context, Role::User, id.0, prompt_parts(text, media, parts));
            Some((Message { message_id, ..message }, media.as_slice()))
        }
        TranscriptLine::Item { kind: ItemKind::Text, .. } if task_dialect == TaskDialect::Generic => None,
        TranscriptLine::Item { id, task, kind, text, .. } if view.covers(*task) && !text.is_empty() => {
            let part = match kind {
                ItemKind::Text => Part::text(text),
                ItemKind::Thought => Part::data(json!(thought_of(text))),
            };
            let kind = match kind {
                ItemKind::Text => EventKind::TextContent,
                ItemKind::Thought => EventKind::Thought,
            };
            Some((
                with_event_kind(
                    new_message(&frame_context, Role::Agent, id.0, vec![part]),
                    kind,
                    &frame_context,
                    task_dialect,
                ),
                &[][..],
            ))
        }
        TranscriptLine::Step { seq, task: Some(task), citations, .. }
            if view.covers(*task) && !citations.is_empty() && task_dialect == TaskDialect::Rfc =>
        {
            let text = list_sources(citations);
            let message = new_message(&frame_context, Role::Agent, *seq, vec![Part::text(text.trim_start())]);
            Some((with_event_kind(message, EventKind::TextContent, &frame_context, task_dialect), &[][..]))
        }
        TranscriptLine::Call { id, task, .. } if view.covers(*task) => {
            let part = match task_dialect {
                TaskDialect::Rfc | TaskDialect::Generic => Part::data(json!(call_of(wire_state, line)?)),
                TaskDialect::Coder => Part::data(json!(coder_call(wire_state, line)?)),
            };
            let message = new_message(&frame_context, Role::Agent, id.0, vec![part]);
            Some((with_event_kind(message, EventKind::ToolCallUpdate, &frame_context, task_dialect), &[][..]))
        }
        _ => None,
    });
    let mut messages: Vec<(Message, &[MediaContent])> = match history {
        HistoryLength::Whole => newest_first.collect(),
        HistoryLength::Newest(length) => newest_first.take(length).collect(),
    };
    messages.reverse();
    messages
}

/// The longest answer that is repeated although the history holds it already.
const MAX_REPEATED_ANSWER: usize = 256 * 1024;

/// The artifacts of the task: each turn's answer, and each file that was changed. Who reads answers nowhere else gets
/// those of turns that run, failed or were cancelled, too, as far as they have been said.
fn artifacts(view: TaskScope, transcript: &Transcript, task_dialect: TaskDialect) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    let mut said = TurnText::unbounded();
    let mut running = None;
    for line in transcript.lines() {
        match line {
            TranscriptLine::Turn { id, task, .. } => {
                said = TurnText::unbounded();
                running = Some(*id).filter(|_| view.covers(*task));
            }
            TranscriptLine::Item { kind: ItemKind::Text, text, cut: false, task, .. } if view.covers(*task) => {
                said.begin(text);
            }
            TranscriptLine::Item { cut: true, .. } | TranscriptLine::Retry { .. } | TranscriptLine::FellBack { .. } => {
                said.discard_step();
            }
            TranscriptLine::Step { citations, .. } => {
                let sources = if task_dialect == TaskDialect::Generic { citations.as_slice() } else { &[] };
                said.end_step(sources);
            }
            TranscriptLine::Call { id, task, outcome, ask, .. } if view.covers(*task) => {
                if task_dialect == TaskDialect::Generic && ask.is_some() {
                    artifacts.extend(running.and_then(|turn| answer(turn, &said, task_dialect)));
                    said.pause();
                }
                if let Some(CallOutcome::Succeeded { result }) = outcome {
                    artifacts.extend(artifact_of_call(*id, result));
                }
            }
            TranscriptLine::End { turn, task, outcome, .. } if view.covers(*task) => {
                running = None;
                if task_dialect == TaskDialect::Generic || *outcome == TurnOutcome::Rested {
                    artifacts.extend(answer(*turn, &said, task_dialect));
                }
            }
            _ => {}
        }
    }
    artifacts.extend(
        running.filter(|_| task_dialect == TaskDialect::Generic).and_then(|turn| answer(turn, &said, task_dialect)),
    );
    artifacts
}

fn answer(turn: TurnId, said: &TurnText, task_dialect: TaskDialect) -> Option<Artifact> {
    let text = Some(said.whole()).filter(|text| !text.trim().is_empty())?;
    let len = text.len();
    let repeated = task_dialect == TaskDialect::Generic || len <= MAX_REPEATED_ANSWER;
    let named = || format!("the answer has {len} bytes; read it in the task's history");
    Some(answer_artifact(turn, said.part(), if repeated { text } else { named() }))
}

/// The output of the task's commands, as its streams in the coder dialect tell it.
fn output_artifacts(view: TaskScope, task_history: &TaskHistory) -> Vec<Artifact> {
    let outputs = task_history.transcript().lines().filter_map(|line| match line {
        TranscriptLine::Call { id, task, output, .. } if view.covers(*task) && !output.is_empty() => {
            Some(coder_output(&task_history.state.wire_call_id(*id), plain(output).into_owned()))
        }
        _ => None,
    });
    outputs.collect()
}

/// A call as the transcript remembers it; one of the running turn as it stands.
fn call_of(wire_state: &WireState, line: &TranscriptLine) -> Option<ToolCall> {
    let TranscriptLine::Call { id, tool, args, started, outcome, .. } = line else { return None };
    if let Some(call) = wire_state.state.turn.as_ref().and_then(|turn| turn.calls.get(id)) {
        return Some(crate::dialect::describe_call(wire_state, call));
    }
    let (status, result) = match outcome {
        Some(outcome) => describe_outcome(outcome),
        None if *started => (ToolCallStatus::Executing, None),
        None => (ToolCallStatus::Pending, None),
    };
    Some(ToolCall {
        tool_call_id: wire_state.wire_call_id(*id),
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
pub(crate) async fn submitted_task(
    feeds: &SessionFeeds,
    handle: &TaskHandle,
    seq: Seq,
    dialect: Dialect,
) -> Result<Option<Task>, RequestError> {
    let opened = read_opened(&*handle.seat).await?;
    let context = opened.context.clone();
    let page = handle.seat.read(Seq(seq.0.saturating_sub(1)), 1).await?;
    let Some((entry, Event::Prompted { text, media, command, parts, .. })) =
        page.first().map(|entry| (entry, &entry.event))
    else {
        return Ok(None);
    };
    let id = handle.scope.wire_id();
    let message = Message {
        kind: MessageTag::Message,
        role: Role::User,
        parts: prompt_parts(text, media, parts),
        message_id: message_id_of(command.as_ref(), handle.seat.session(), seq),
        task_id: Some(id.clone()),
        context_id: Some(context.as_str().to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    };
    let mut history = vec![message];
    let brought = if media.is_empty() { Vec::new() } else { vec![(0, media.clone())] };
    feeds.files.restore_parts(&mut history, brought, MAX_HISTORY_FILES).await;
    let metadata = match dialect {
        Dialect::Coder(_) => {
            let wire_state = feeds.newest_state(&*handle.seat).await?;
            let coder = CoderClientSettings::assume(&opened, wire_state.edge(handle.scope));
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

/// A prompt as parts: those that its sender wrote, else its words. The files to look at come from [`MessageFiles::show`].
///
/// [`MessageFiles::show`]: crate::message_files::MessageFiles::restore_parts
fn prompt_parts(text: &str, media: &[MediaContent], written: &[Value]) -> Vec<Part> {
    let parts: Vec<Part> = written.iter().filter_map(|part| Part::deserialize(part).ok()).collect();
    let files = parts.iter().filter(|part| matches!(part, Part::File { file, .. } if file.is_elsewhere()));
    // What a seat sends is not checked; its parts count only if they are whole.
    if !parts.is_empty() && parts.len() == written.len() && files.count() == media.len() {
        return parts;
    }
    if text.is_empty() && !media.is_empty() { Vec::new() } else { vec![Part::text(text)] }
}

/// The id of a client's message: its own, or one made from its entry where the log has none.
fn message_id_of(command: Option<&CommandId>, session: SessionId, seq: Seq) -> String {
    command.map_or_else(|| message_id(session, seq), |command| command.0.clone())
}

fn new_message(frame_context: &FrameContext<'_>, role: Role, seq: Seq, parts: Vec<Part>) -> Message {
    Message {
        kind: MessageTag::Message,
        role,
        parts,
        message_id: message_id(frame_context.session, seq),
        task_id: Some(frame_context.task.clone()),
        context_id: Some(frame_context.context.to_owned()),
        extensions: Vec::new(),
        reference_task_ids: Vec::new(),
        metadata: Metadata::new(),
    }
}

fn with_event_kind(
    message: Message,
    kind: EventKind,
    frame_context: &FrameContext<'_>,
    task_dialect: TaskDialect,
) -> Message {
    match task_dialect {
        TaskDialect::Rfc | TaskDialect::Generic => {
            Message { metadata: event_metadata(kind, frame_context, StepMetadata::default()), ..message }
        }
        TaskDialect::Coder => message,
    }
}
