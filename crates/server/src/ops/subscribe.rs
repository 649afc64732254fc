//! Taking the stream of a task up, after a cursor or at the newest entry.

use super::A2aOperations;
use crate::cursor::{self, Cursor};
use crate::dialect::{AnswerChunk, Dialect, EventEncoding, FrameContext, begun_answer, gap};
use crate::errors::RequestError;
use crate::session_access::TaskHandle;
use crate::stream_end::{EntryStanding, StreamEnd};
use crate::task_snapshot::{self, HistoryLength};
use crate::task_stream::TaskStream;
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState};
use pollux_session::{Seq, TaskStatus};
use pollux_wire::a2a::StreamEvent;
use pollux_wire::jsonrpc;

impl A2aOperations {
    /// Follow a task. In 0.3 the stream ends when the task rests or waits for people, but that of a whole session goes on,
    /// since others may prompt it; in 1.0 it lasts until the task is closed; a closed one has nothing to follow but the rest
    /// of what a cursor has not seen.
    pub(crate) async fn subscribe(
        &self,
        id: &str,
        cursor: Option<&str>,
        form: EventEncoding,
    ) -> Result<TaskStream, RequestError> {
        self.check_streaming()?;
        let handle = self.find_task(id).await?;
        match cursor {
            Some(cursor) => self.resume_stream(&handle, cursor, form).await,
            None => {
                self.refuse_closed(&handle).await?;
                self.stream_from_head(&handle, form).await
            }
        }
    }

    /// The whole task, then what follows.
    async fn stream_from_head(&self, handle: &TaskHandle, form: EventEncoding) -> Result<TaskStream, RequestError> {
        let audience = self.audience(handle, None).await?;
        let (task, wire_state) =
            task_snapshot::whole_task_and_state(&self.app.feeds, handle, HistoryLength::Whole, audience).await?;
        let head = wire_state.state.head;
        let dialect = handle.dialect(&self.app.feeds, form, audience.extension).await?;
        let mut stream = self.stream_after(handle, dialect, head, head);
        stream.record_shown_asks(&wire_state.asked_calls(handle.scope));
        stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), Some(head));
        if self.is_over(&wire_state, handle.scope) {
            stream.end();
        }
        Ok(stream)
    }

    /// The bare task, then what follows the cursor.
    async fn resume_stream(
        &self,
        handle: &TaskHandle,
        cursor: &str,
        form: EventEncoding,
    ) -> Result<TaskStream, RequestError> {
        let wire_state = self.app.feeds.newest_state(&*handle.seat).await?;
        let (session, head) = (handle.seat.session(), wire_state.state.head);
        match cursor::read(cursor, &*handle.seat, head) {
            Cursor::Lost => {
                let mut stream = self.stream_from_head(handle, form).await?;
                let audience = self.audience(handle, None).await?;
                let frame_context = FrameContext::at_head(session, handle.scope, &wire_state);
                stream.begin_before(gap(&frame_context, form, audience.extension));
                Ok(stream)
            }
            Cursor::At(after) => {
                let audience = self.audience(handle, None).await?;
                let dialect = handle.dialect(&self.app.feeds, form, audience.extension).await?;
                let mut stream = self.stream_after(handle, dialect, after, head);
                let mut task = task_snapshot::bare_task(session, handle.scope, &wire_state, audience);
                let begun = self.begun_answer(handle, after, dialect).await?;
                task.artifacts.extend(begun.map(AnswerChunk::artifact));
                stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), None);
                if after == head && self.is_over(&wire_state, handle.scope) {
                    stream.end();
                }
                Ok(stream)
            }
        }
    }

    /// The text that is in the middle of being said at `after`, for those to whom it is an artifact: without it a stream that
    /// begins there could not be folded.
    pub(super) async fn begun_answer(
        &self,
        handle: &TaskHandle,
        after: Seq,
        dialect: Dialect,
    ) -> Result<Option<AnswerChunk>, RequestError> {
        if !dialect.tells_answers_as_artifacts() {
            return Ok(None);
        }
        let state = self.app.feeds.state_at(&*handle.seat, after).await?;
        Ok(begun_answer(handle.scope, &state))
    }

    fn stream_after(&self, handle: &TaskHandle, dialect: Dialect, after: Seq, head: Seq) -> TaskStream {
        TaskStream::new(&self.app.feeds, handle, dialect, after, self.subscription_end(handle.scope, head))
    }

    /// True if nothing follows where `state` stands.
    fn is_over(&self, state: &WireState, scope: TaskScope) -> bool {
        let until = self.subscription_end(scope, state.state.head);
        until.after(&EntryStanding::of_state(scope, state)) == StreamEnd::Reached
    }

    fn subscription_end(&self, scope: TaskScope, head: Seq) -> StreamEnd {
        StreamEnd::of_subscription(self.version, scope, head)
    }

    async fn refuse_closed(&self, handle: &TaskHandle) -> Result<(), RequestError> {
        if self.version == A2aVersion::V03 {
            return Ok(());
        }
        match self.app.feeds.newest_state(&*handle.seat).await?.status(handle.scope) {
            TaskStatus::Closed(closing) => {
                let (id, state) = (handle.scope.wire_id(), closing.name());
                let message = format!("task {id} is {state}: get it instead of following it");
                Err(RequestError::new(jsonrpc::UNSUPPORTED_OPERATION, message))
            }
            _ => Ok(()),
        }
    }
}
