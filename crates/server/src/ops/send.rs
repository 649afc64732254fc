//! Sending a message, and waiting for or streaming what follows.

use super::A2aOperations;
use crate::client_profile::ClientProfile;
use crate::dialect::{AnswerChunk, Dialect, DomainFrame, EventEncoding, FrameContext, MessageDialect, coder_notice};
use crate::direct::SendMessageResult;
use crate::errors::RequestError;
use crate::inbound::InboundMessage;
use crate::session_access::{AcceptedMessage, TaskHandle, UnaddressedMessage, mode_conflict};
use crate::task_snapshot::{self, HistoryLength};
use crate::task_stream::TaskStream;
use crate::version::A2aVersion;
use crate::wire_state::TaskScope;
use pollux_session::{CallId, Seq, TaskKind, TaskStatus};
use pollux_wire::a2a::{StreamEvent, Task};
use pollux_wire::jsonrpc;

impl A2aOperations {
    /// Send, wait until the turn rests or only asks remain unless the message says otherwise, and answer with the task.
    pub(crate) async fn send(&self, inbound: &InboundMessage) -> Result<SendMessageResult, RequestError> {
        if let Some(message) = self.answer_directly(inbound)? {
            return Ok(SendMessageResult::Message(Box::new(message)));
        }
        let admitted = self.admit(inbound).await?;
        if inbound.configuration.blocking.unwrap_or(true) {
            tokio::select! {
                ended = self.app.feeds.wait_until_stopped(&admitted, self.version) => ended?,
                () = self.app.shutdown.cancelled() => {
                    let message = "the server is stopping; the message was accepted, ask for the task again later";
                    return Err(RequestError::new(jsonrpc::INTERNAL_ERROR, message));
                }
            }
        }
        let history = HistoryLength::from(inbound.configuration.history_length);
        let audience = self.audience(&admitted.task, Some(&inbound.extensions)).await?;
        let handle = &admitted.task;
        let (task, wire_state) =
            task_snapshot::whole_task_and_state(&self.app.feeds, handle, history, audience).await?;
        let mut asks = wire_state.asked_calls(handle.scope);
        asks.retain(|call| call.0 > admitted.known_asks());
        self.app.feeds.record_shown_asks(&*handle.seat, &asks);
        Ok(SendMessageResult::Task(Box::new(task)))
    }

    /// Send, and stream what follows. A message that names no task gets the task first; in 1.0 every one does.
    pub(crate) async fn stream(
        &self,
        inbound: &InboundMessage,
        form: EventEncoding,
    ) -> Result<TaskStream, RequestError> {
        self.check_streaming()?;
        if let Some(message) = self.answer_directly(inbound)? {
            return Ok(TaskStream::of_one(form.write(StreamEvent::Message(message))));
        }
        let admitted = self.admit(inbound).await?;
        let audience = self.audience(&admitted.task, Some(&inbound.extensions)).await?;
        let dialect = match inbound.coder {
            Some(_) => Dialect::Coder(form),
            None => admitted.task.dialect(&self.app.feeds, form, audience.extension).await?,
        };
        let mut stream = TaskStream::of_message(&self.app.feeds, &admitted, dialect);
        if self.version == A2aVersion::V10
            && let Some((task, asks)) = self.task_if_asking(&admitted, audience).await?
        {
            stream.record_shown_asks(&asks);
            stream.begin_with(form.write(StreamEvent::Task(Box::new(task))), Some(admitted.receipt.seq));
            stream.end();
            return Ok(stream);
        }
        let wants_task = inbound.task.is_none() || self.version == A2aVersion::V10;
        let AcceptedMessage { task, receipt, .. } = &admitted;
        let submitted = if wants_task {
            task_snapshot::submitted_task(&self.app.feeds, task, receipt.seq, dialect).await?
        } else {
            None
        };
        // A task that begins with the message has said nothing yet.
        let may_be_speaking = inbound.task.is_some() || matches!(task.scope, TaskScope::Session(_));
        let before = Seq(receipt.seq.0.saturating_sub(1));
        let begun = if may_be_speaking { self.begun_answer(task, before, dialect).await? } else { None };
        match submitted {
            Some(mut task) => {
                task.artifacts.extend(begun.map(AnswerChunk::artifact));
                stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), Some(admitted.receipt.seq));
            }
            // An answer begins nothing; 1.0 wants the task first all the same.
            None if self.version == A2aVersion::V10 => {
                let wire_state = self.app.feeds.newest_state(&*task.seat).await?;
                let task = task_snapshot::bare_task(task.seat.session(), task.scope, &wire_state, audience);
                let task = task_snapshot::as_working(task);
                stream.begin_with(form.write(StreamEvent::Task(Box::new(task))), None);
            }
            None => {
                if let Some(answer) = begun {
                    let wire_state = self.app.feeds.newest_state(&*task.seat).await?;
                    let frame_context = FrameContext::at_head(task.seat.session(), task.scope, &wire_state);
                    let told = dialect.encode_frames(&DomainFrame::Answer(answer), &frame_context);
                    told.into_iter().for_each(|frame| stream.begin_with(frame.json, None));
                }
            }
        }
        self.begin_with_notices(&mut stream, inbound, task, dialect).await?;
        Ok(stream)
    }

    /// Tell a client what of its settings had no effect, before anything that was done without them.
    async fn begin_with_notices(
        &self,
        stream: &mut TaskStream,
        inbound: &InboundMessage,
        handle: &TaskHandle,
        dialect: Dialect,
    ) -> Result<(), RequestError> {
        let Dialect::Coder(form) = dialect else { return Ok(()) };
        let conflict = mode_conflict(&self.app.feeds, handle, &inbound.settings).await?;
        let lines: Vec<String> = inbound.ignored.iter().cloned().chain(conflict).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let wire_state = self.app.feeds.newest_state(&*handle.seat).await?;
        let frame_context = FrameContext::at_head(handle.seat.session(), handle.scope, &wire_state);
        stream.begin_with(coder_notice(lines.join(" "), &frame_context, form), None);
        Ok(())
    }

    /// The task and what it asks, when it waits for people and the message waits behind them: what 1.0 calls interrupted, and ends with.
    async fn task_if_asking(
        &self,
        admitted: &AcceptedMessage,
        audience: ClientProfile,
    ) -> Result<Option<(Task, Vec<CallId>)>, RequestError> {
        let AcceptedMessage { task, receipt, .. } = admitted;
        let Some((_, prompt)) = receipt.about else { return Ok(None) };
        let wire_state = self.app.feeds.newest_state(&*task.seat).await?;
        let waits_behind = wire_state.state.turn.as_ref().is_some_and(|turn| turn.prompt != prompt);
        let asks = wire_state.status(task.scope) == TaskStatus::InputRequired;
        Ok((waits_behind && asks).then(|| {
            let shown = task_snapshot::bare_task(task.seat.session(), task.scope, &wire_state, audience);
            (shown, wire_state.asked_calls(task.scope))
        }))
    }

    /// Refuse a message that cannot be done as it is wanted, before anything happens.
    pub(crate) fn check_message(&self, inbound: &InboundMessage) -> Result<(), RequestError> {
        self.check_extensions(&inbound.extensions)?;
        self.app.check_client_credentials(&inbound.settings)?;
        inbound.check_output_modes()
    }

    async fn admit(&self, inbound: &InboundMessage) -> Result<AcceptedMessage, RequestError> {
        self.check_message(inbound)?;
        let push = self.wanted_push(inbound).await?;
        let unnamed = match (self.version, &inbound.coder) {
            (A2aVersion::V03, None) => UnaddressedMessage::Joins,
            // Clients of Google's a2a-server know nothing but tasks of their own.
            (A2aVersion::V03, Some(_)) => UnaddressedMessage::Begins(TaskKind::OpenEnded),
            // 1.0 has no word for a task that rests and goes on, so a task of its own ends with its turn.
            (A2aVersion::V10, _) => UnaddressedMessage::Begins(TaskKind::Once),
        };
        let extension = self.extension(Some(&inbound.extensions));
        let dialect = match inbound.coder {
            Some(_) => MessageDialect::Coder(extension),
            None => MessageDialect::A2a(ClientProfile { version: self.version, extension }),
        };
        // Messages may hold whole files, so a copy is made only of those that need it.
        let declaring = (inbound.dialect != dialect).then(|| inbound.clone().in_dialect(dialect));
        let inbound = declaring.as_ref().unwrap_or(inbound);
        let admitted = self.app.sessions.admit(&self.app.feeds, &self.who, inbound, None, unnamed).await?;
        if let Some(config) = push {
            let message = Some(&inbound.extensions);
            self.push_to(&admitted.task, config, admitted.receipt.seq, message).await?;
        }
        Ok(admitted)
    }
}
