//! Sending a message, and waiting for or streaming what follows.

use super::Ops;
use crate::audience::Audience;
use crate::dialect::{AnswerChunk, Dialect, Form, MessageDialect, Saying, Spot, coder_notice};
use crate::direct::Sent;
use crate::errors::Fault;
use crate::inbound::Inbound;
use crate::rooms::{Admitted, Place, Unnamed, mode_conflict};
use crate::scene::View;
use crate::snapshot::{self, History};
use crate::stream::Stream;
use crate::version::Version;
use pollux_session::{Seq, TaskKind, TaskStatus};
use pollux_wire::a2a::{StreamEvent, Task};
use pollux_wire::jsonrpc;

impl Ops {
    /// Send, wait until the turn rests or only asks remain unless the message says otherwise, and answer with the task.
    pub(crate) async fn send(&self, inbound: &Inbound) -> Result<Sent, Fault> {
        if let Some(message) = self.direct(inbound)? {
            return Ok(Sent::Message(Box::new(message)));
        }
        let admitted = self.admit(inbound).await?;
        if inbound.configuration.blocking.unwrap_or(true) {
            tokio::select! {
                ended = self.hall.feeds.stopped(&admitted, self.version) => ended?,
                () = self.hall.shutdown.cancelled() => {
                    let message = "the server is stopping; the message was accepted, ask for the task again later";
                    return Err(Fault::new(jsonrpc::INTERNAL_ERROR, message));
                }
            }
        }
        let history = History::from(inbound.configuration.history_length);
        let audience = self.audience(&admitted.place, Some(&inbound.extensions)).await?;
        let task = snapshot::whole(&self.hall.feeds, &admitted.place, history, audience).await?;
        Ok(Sent::Task(Box::new(task)))
    }

    /// Send, and stream what follows. A message that names no task gets the task first; in 1.0 every one does.
    pub(crate) async fn stream(&self, inbound: &Inbound, form: Form) -> Result<Stream, Fault> {
        self.check_streaming()?;
        if let Some(message) = self.direct(inbound)? {
            return Ok(Stream::of_one(form.write(StreamEvent::Message(message))));
        }
        let admitted = self.admit(inbound).await?;
        let audience = self.audience(&admitted.place, Some(&inbound.extensions)).await?;
        let dialect = match inbound.coder {
            Some(_) => Dialect::Coder(form),
            None => admitted.place.dialect(&self.hall.feeds, form, audience.extension).await?,
        };
        let mut stream = Stream::of_message(&self.hall.feeds, &admitted, dialect);
        if self.version == Version::V10
            && let Some(task) = self.asking(&admitted, audience).await?
        {
            stream.begin_with(form.write(StreamEvent::Task(Box::new(task))), Some(admitted.receipt.seq));
            stream.end();
            return Ok(stream);
        }
        let wants_task = inbound.task.is_none() || self.version == Version::V10;
        let Admitted { place, receipt, .. } = &admitted;
        let submitted =
            if wants_task { snapshot::submitted(&self.hall.feeds, place, receipt.seq, dialect).await? } else { None };
        // A task that begins with the message has said nothing yet.
        let may_be_speaking = inbound.task.is_some() || matches!(place.view, View::Session(_));
        let before = Seq(receipt.seq.0.saturating_sub(1));
        let begun = if may_be_speaking { self.begun_answer(place, before, dialect).await? } else { None };
        match submitted {
            Some(mut task) => {
                task.artifacts.extend(begun.map(AnswerChunk::artifact));
                stream.begin_with(dialect.write(StreamEvent::Task(Box::new(task))), Some(admitted.receipt.seq));
            }
            // An answer begins nothing; 1.0 wants the task first all the same.
            None if self.version == Version::V10 => {
                let scene = self.hall.feeds.glance(&*place.seat).await?;
                let task = snapshot::bare(place.seat.session(), place.view, &scene, audience);
                let task = snapshot::working(task);
                stream.begin_with(form.write(StreamEvent::Task(Box::new(task))), None);
            }
            None => {
                if let Some(answer) = begun {
                    let scene = self.hall.feeds.glance(&*place.seat).await?;
                    let spot = Spot::at_head(place.seat.session(), place.view, &scene);
                    let told = dialect.spell(&Saying::Answer(answer), &spot);
                    told.into_iter().for_each(|frame| stream.begin_with(frame.json, None));
                }
            }
        }
        self.begin_with_notices(&mut stream, inbound, place, dialect).await?;
        Ok(stream)
    }

    /// Tell a client what of its settings had no effect, before anything that was done without them.
    async fn begin_with_notices(
        &self,
        stream: &mut Stream,
        inbound: &Inbound,
        place: &Place,
        dialect: Dialect,
    ) -> Result<(), Fault> {
        let Dialect::Coder(form) = dialect else { return Ok(()) };
        let conflict = mode_conflict(&self.hall.feeds, place, &inbound.settings).await?;
        let lines: Vec<String> = inbound.ignored.iter().cloned().chain(conflict).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let scene = self.hall.feeds.at_head(&*place.seat).await?;
        let spot = Spot::at_head(place.seat.session(), place.view, &scene);
        stream.begin_with(coder_notice(lines.join(" "), &spot, form), None);
        Ok(())
    }

    /// The task, when it waits for people and the message waits behind them: what 1.0 calls interrupted, and ends with.
    async fn asking(&self, admitted: &Admitted, audience: Audience) -> Result<Option<Task>, Fault> {
        let Admitted { place, receipt, .. } = admitted;
        let Some((_, prompt)) = receipt.about else { return Ok(None) };
        let scene = self.hall.feeds.glance(&*place.seat).await?;
        let waits_behind = scene.state.turn.as_ref().is_some_and(|turn| turn.prompt != prompt);
        let asks = scene.status(place.view) == TaskStatus::InputRequired;
        Ok((waits_behind && asks).then(|| snapshot::bare(place.seat.session(), place.view, &scene, audience)))
    }

    /// What cannot be done as it is wanted is refused before anything happens.
    pub(crate) fn check_message(&self, inbound: &Inbound) -> Result<(), Fault> {
        self.check_extensions(&inbound.extensions)?;
        self.hall.check_lent(&inbound.settings)?;
        inbound.check_output_modes()
    }

    async fn admit(&self, inbound: &Inbound) -> Result<Admitted, Fault> {
        self.check_message(inbound)?;
        let push = self.wanted_push(inbound).await?;
        let unnamed = match (self.version, &inbound.coder) {
            (Version::V03, None) => Unnamed::Joins,
            // Clients of Google's a2a-server know nothing but tasks of their own.
            (Version::V03, Some(_)) => Unnamed::Begins(TaskKind::OpenEnded),
            // 1.0 has no word for a task that rests and goes on, so a task of its own ends with its turn.
            (Version::V10, _) => Unnamed::Begins(TaskKind::Once),
        };
        let extension = self.extension(Some(&inbound.extensions));
        let dialect = MessageDialect::A2a(Audience { version: self.version, extension });
        // Messages may hold whole files, so a copy is made only of those that need it.
        let declaring = (inbound.dialect != dialect).then(|| inbound.clone().in_dialect(dialect));
        let inbound = declaring.as_ref().unwrap_or(inbound);
        let admitted = self.hall.rooms.admit(&self.hall.feeds, &self.who, inbound, None, unnamed).await?;
        if let Some(config) = push {
            let message = Some(&inbound.extensions);
            self.push_to(&admitted.place, config, admitted.receipt.seq, message).await?;
        }
        Ok(admitted)
    }
}
