//! Taking the stream of a task up, after a cursor or at the newest entry.

use super::Ops;
use crate::cursor::{self, Cursor};
use crate::dialect::{AnswerChunk, Dialect, Form, Spot, begun_answer, gap};
use crate::errors::Fault;
use crate::rooms::Place;
use crate::scene::{Scene, View};
use crate::snapshot::{self, History};
use crate::stream::Stream;
use crate::version::Version;
use pollux_session::{Seq, TaskStatus};
use pollux_wire::a2a::StreamEvent;
use pollux_wire::jsonrpc;

impl Ops {
    /// Follow a task. In 0.3 the stream ends when the task rests or waits for people, but that of a whole session goes on,
    /// since others may prompt it; in 1.0 it lasts until the task is closed; a closed one has nothing to follow but the rest
    /// of what a cursor has not seen.
    pub(crate) async fn follow(&self, id: &str, cursor: Option<&str>, form: Form) -> Result<Stream, Fault> {
        self.check_streaming()?;
        let place = self.place(id).await?;
        match cursor {
            Some(cursor) => self.go_on(&place, cursor, form).await,
            None => {
                self.refuse_closed(&place).await?;
                self.start_over(&place, form).await
            }
        }
    }

    /// The whole task, then what follows.
    async fn start_over(&self, place: &Place, form: Form) -> Result<Stream, Fault> {
        let audience = self.audience(place, None).await?;
        let (task, scene) = snapshot::whole_in_scene(&self.hall.feeds, place, History::Whole, audience).await?;
        let head = scene.state.head;
        let dialect = place.dialect(&self.hall.feeds, form, audience.extension).await?;
        let mut stream = self.after(place, dialect, head, head);
        stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), Some(head));
        if self.is_over(&scene, place.view) {
            stream.end();
        }
        Ok(stream)
    }

    /// The bare task, then what follows the cursor.
    async fn go_on(&self, place: &Place, cursor: &str, form: Form) -> Result<Stream, Fault> {
        let scene = self.hall.feeds.at_head(&*place.seat).await?;
        let (session, head) = (place.seat.session(), scene.state.head);
        match cursor::read(cursor, &*place.seat, head) {
            Cursor::Lost => {
                let mut stream = self.start_over(place, form).await?;
                let audience = self.audience(place, None).await?;
                let spot = Spot::at_head(session, place.view, &scene);
                stream.begin_before(gap(&spot, form, audience.extension));
                Ok(stream)
            }
            Cursor::At(after) => {
                let audience = self.audience(place, None).await?;
                let dialect = place.dialect(&self.hall.feeds, form, audience.extension).await?;
                let mut stream = self.after(place, dialect, after, head);
                let mut task = snapshot::bare(session, place.view, &scene, audience);
                let begun = self.begun_answer(place, after, dialect).await?;
                task.artifacts.extend(begun.map(AnswerChunk::artifact));
                stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), None);
                if after == head && self.is_over(&scene, place.view) {
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
        place: &Place,
        after: Seq,
        dialect: Dialect,
    ) -> Result<Option<AnswerChunk>, Fault> {
        if !dialect.tells_answers_as_artifacts() {
            return Ok(None);
        }
        Ok(begun_answer(place.view, &self.hall.feeds.at(&*place.seat, after).await?))
    }

    fn after(&self, place: &Place, dialect: Dialect, after: Seq, head: Seq) -> Stream {
        match (self.version, place.view) {
            (Version::V03, View::Task(_)) => Stream::of_place(&self.hall.feeds, place, dialect, after, head),
            (Version::V03, View::Session(_)) => Stream::of_session(&self.hall.feeds, place, dialect, after),
            (Version::V10, _) => Stream::of_task(&self.hall.feeds, place, dialect, after),
        }
    }

    /// Whether nothing follows where `scene` is.
    fn is_over(&self, scene: &Scene, view: View) -> bool {
        match (self.version, view) {
            (Version::V03, View::Session(_)) => false,
            (Version::V03, View::Task(_)) => scene.is_quiet(view),
            (Version::V10, _) => matches!(scene.status(view), TaskStatus::Closed(_)),
        }
    }

    async fn refuse_closed(&self, place: &Place) -> Result<(), Fault> {
        if self.version == Version::V03 {
            return Ok(());
        }
        match self.hall.feeds.at_head(&*place.seat).await?.status(place.view) {
            TaskStatus::Closed(closing) => {
                let (id, state) = (place.view.wire_id(), closing.name());
                let message = format!("task {id} is {state}: get it instead of following it");
                Err(Fault::new(jsonrpc::UNSUPPORTED_OPERATION, message))
            }
            _ => Ok(()),
        }
    }
}
