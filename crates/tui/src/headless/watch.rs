//! The loop over one prompt's turn: read entries, tell them, have asks answered or declined.

use super::decline::way_out;
use super::streams::{Streams, To};
use super::teller::{Ending, Teller, teller};
use super::{Asks, OnceSettings};
use crate::answer::{Answer, answer};
use crate::dialog::{Aim, Dialog, MIX_UP_SENTENCE};
use crate::form::Form;
use crate::lines::Typed;
use crate::page::{Page, Style};
use crate::pen::{Colour, Pen};
use crate::render::{answer_sign, ask_again, ask_block, ask_on, heading};
use crate::sanitize::one_line;
use crate::send::{PlainError, send};
use crate::view::{View, Whose};
use pollux_session::{
    At, By, Call, CallId, CancelScope, Command, Entry, Event, PromptId, PromptTarget, Seat, SendError, Seq, Standing,
    TurnOutcome,
};
use std::sync::Arc;
use tokio::io::AsyncWrite;

/// How many entries are read at once.
const BATCH: usize = 256;

/// One turn, watched.
pub(super) struct Watch<O, E> {
    seat: Arc<dyn Seat>,
    view: View,
    teller: Box<dyn Teller>,
    pen: Pen,
    streams: Streams<O, E>,
    asks: Asks,
    dialog: Dialog,
    cursor: Seq,
    prompt: PromptId,
    /// What was said when the first call was declined because nobody was there.
    declined: Option<String>,
    /// Whether the turn is being taken back: then nothing more is answered.
    stopping: bool,
}

impl<O: AsyncWrite + Unpin, E: AsyncWrite + Unpin> Watch<O, E> {
    pub(super) fn new(seat: Arc<dyn Seat>, output: O, errors: E, asks: Asks, settings: OnceSettings) -> Self {
        Watch {
            view: View::new(By::from(seat.who())),
            teller: teller(settings, Some(seat.session())),
            pen: Pen::new(Colour::Never),
            streams: Streams::new(output, errors),
            asks,
            dialog: Dialog::default(),
            cursor: Seq::START,
            prompt: PromptId(Seq::START),
            declined: None,
            stopping: false,
            seat,
        }
    }

    /// The time of the newest entry.
    pub(super) fn at(&self) -> At {
        self.view.state.at
    }

    /// Send the prompt.
    pub(super) async fn begin(&mut self, text: String, piped_len: usize) -> Result<(), PlainError> {
        self.catch_up().await?;
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        let prompt = Command::Prompt { target, text, media: Vec::new(), piped_len, dialect: None, parts: vec![] };
        let receipt = send(self.seat.as_ref(), prompt).await?;
        self.prompt = receipt.about.map_or(PromptId(receipt.seq), |(_, prompt)| prompt);
        Ok(())
    }

    /// Follow its turn to the end.
    pub(super) async fn follow(&mut self) -> Result<Ending, PlainError> {
        loop {
            for entry in self.seat.read(self.cursor, BATCH).await? {
                if let Some(ending) = self.take(&entry).await? {
                    return Ok(ending);
                }
            }
            self.flush().await?;
            self.wait().await?;
        }
    }

    /// Tell how it ended, and write all that is left to write.
    pub(super) async fn end(&mut self, ending: &Ending) -> Result<(), PlainError> {
        self.teller.end(ending);
        self.flush().await
    }

    /// Take the prompt back: out of the queue, or its turn cancelled. If the session is gone there is nothing to stop.
    pub(super) async fn stop(&mut self) -> Ending {
        self.stopping = true;
        let cancelled = |at| Ending::cancelled("the process was told to stop", at);
        match self.read_all().await {
            Ok(None) => {}
            Ok(Some(ending)) => return ending,
            Err(_) => return cancelled(self.at()),
        }
        let command = match self.view.state.standing(self.prompt) {
            Standing::Waiting => Command::Unqueue { prompt: self.prompt },
            Standing::Busy | Standing::OnlyAsks => Command::Cancel { scope: CancelScope::Turn },
            Standing::Over => return cancelled(self.at()),
        };
        // What the cancel has caused is in the log when it is accepted; a refusal means that it was over already.
        let _ = send(self.seat.as_ref(), command).await;
        match self.read_all().await {
            Ok(Some(ending)) => ending,
            Ok(None) | Err(_) => cancelled(self.at()),
        }
    }

    /// Learn where the session stands. What was said before is not told.
    async fn catch_up(&mut self) -> Result<(), PlainError> {
        let head = self.seat.changed(Seq::START).await?;
        while self.cursor < head {
            for entry in self.seat.read(self.cursor, BATCH).await? {
                self.view.apply(&entry, Whose::Other);
                self.cursor = entry.seq;
            }
        }
        Ok(())
    }

    /// Take all there is, without waiting for more.
    async fn read_all(&mut self) -> Result<Option<Ending>, PlainError> {
        loop {
            let entries = self.seat.read(self.cursor, BATCH).await?;
            if entries.is_empty() {
                return Ok(None);
            }
            for entry in entries {
                if let Some(ending) = self.take(&entry).await? {
                    return Ok(Some(ending));
                }
            }
        }
    }

    /// Until there is another entry or the person has typed something. Lines are taken at once, so that none typed
    /// before an ask was shown can answer it.
    async fn wait(&mut self) -> Result<(), PlainError> {
        let Asks::Person(lines) = &mut self.asks else {
            self.seat.changed(self.cursor).await?;
            return Ok(());
        };
        let line = tokio::select! {
            biased;
            changed = self.seat.changed(self.cursor) => return Ok(changed.map(|_| ())?),
            line = lines.next() => line.transpose().map_err(PlainError::Input)?,
        };
        let line = line.map(|typed| match typed {
            Typed::Line(line) => line,
            Typed::Keys(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        });
        match (line, self.asked()) {
            (Some(line), Some(call)) => self.reply(call, &line).await,
            (Some(_), None) => {
                self.say(Style::Dim, "not taken: nothing is asked right now");
                Ok(())
            }
            (None, asked) => {
                self.asks = Asks::Nobody;
                match asked {
                    Some(call) => self.decline(call).await,
                    None => Ok(()),
                }
            }
        }
    }

    /// The ask the person is looking at.
    fn asked(&self) -> Option<CallId> {
        self.dialog.current().filter(|_| self.is_mine())
    }

    async fn take(&mut self, entry: &Entry) -> Result<Option<Ending>, PlainError> {
        let mine = self.is_mine();
        let whose = if entry.by == self.view.me { Whose::Typed } else { Whose::Other };
        if self.concerns(entry) {
            self.teller.entry(&self.view, entry, whose, &mut self.pen);
            self.collect();
        }
        self.view.apply(entry, whose);
        self.cursor = entry.seq;
        match &entry.event {
            Event::TurnEnded { outcome } if mine => {
                // A turn that is being taken back is cancelled by that, not by a decline before it.
                let stopped = self.stopping && *outcome == TurnOutcome::Cancelled;
                let declined = self.declined.as_deref().filter(|_| !stopped);
                return Ok(Some(Ending::of_turn(outcome, declined, entry.at)));
            }
            Event::Unqueued { prompt } if *prompt == self.prompt => {
                return Ok(Some(Ending::cancelled("the prompt was taken out of the queue", entry.at)));
            }
            _ => {}
        }
        if let Some(call) = self.dialog.follow(&self.view, whose)
            && self.is_mine()
            && !self.stopping
        {
            match self.asks {
                Asks::Person(_) => self.show(call, ask_block),
                Asks::Nobody => self.decline(call).await?,
            }
        }
        Ok(None)
    }

    /// Whether the running turn answers this seat's prompt.
    fn is_mine(&self) -> bool {
        self.view.state.turn.as_ref().is_some_and(|turn| turn.prompt == self.prompt)
    }

    /// Whether an entry belongs to this prompt and its turn. Others' waiting prompts are beside it.
    fn concerns(&self, entry: &Entry) -> bool {
        match &entry.event {
            Event::Prompted { .. } => entry.seq == self.prompt.0,
            Event::TurnStarted { prompt, .. } => *prompt == self.prompt,
            Event::Unqueued { .. } | Event::Requeued { .. } => false,
            _ => self.is_mine(),
        }
    }

    fn show(&mut self, call: CallId, how: fn(&View, &Call, Option<&Form>) -> Page) {
        let Some(known) = self.view.call(call) else { return };
        let form = self.dialog.form();
        self.pen.draw(&how(&self.view, known, form));
        let sign = known.ask.as_ref().map(|ask| answer_sign(ask, form));
        self.pen.sign(&sign.unwrap_or_default());
    }

    async fn reply(&mut self, call: CallId, line: &str) -> Result<(), PlainError> {
        self.pen.returned();
        if line.trim().is_empty() {
            self.show(call, ask_again);
            return Ok(());
        }
        if self.dialog.aim(line) == Aim::Unsure {
            self.say(Style::Warn, MIX_UP_SENTENCE);
            self.show(call, ask_again);
            return Ok(());
        }
        let reply = self.dialog.read(&self.view, line);
        match answer(&self.view, call, reply).await {
            Answer::Send(command) => self.submit(command).await?,
            Answer::Next => self.show(call, ask_on),
            Answer::Unclear(accepted) => {
                self.say(Style::Warn, format!("that is no answer: type {accepted}"));
                self.show(call, ask_again);
            }
            Answer::Wrong(sentence) => {
                self.say(Style::Bad, sentence);
                self.show(call, ask_again);
            }
        }
        Ok(())
    }

    /// Nobody is there to be asked.
    async fn decline(&mut self, call: CallId) -> Result<(), PlainError> {
        let Some(known) = self.view.call(call) else { return Ok(()) };
        let about = heading(&self.view, call);
        let advice = way_out(known, self.view.state.mode);
        let sentence = format!("declined, because nobody is here to allow it: {about}\n{advice}");
        let no = known.ask.as_ref().and_then(|ask| ask.options.iter().find(|option| !option.allows));
        let command = match no {
            Some(option) => Command::Answer { call, option: option.id.clone(), edit: None },
            None => Command::Cancel { scope: CancelScope::Turn },
        };
        self.teller.warn(self.view.state.at, &sentence, &mut self.pen);
        self.declined.get_or_insert(sentence);
        self.submit(command).await
    }

    /// An answer that came too late is no failure: the log says what happened instead.
    async fn submit(&mut self, command: Command) -> Result<(), PlainError> {
        match send(self.seat.as_ref(), command).await {
            Ok(_) => Ok(()),
            Err(SendError::Refused(refusal)) => {
                self.say(Style::Warn, one_line(&refusal.to_string(), 1000));
                Ok(())
            }
            Err(lost @ SendError::Lost(_)) => Err(lost.into()),
        }
    }

    /// Say something to the person, whatever the format is.
    fn say(&mut self, style: Style, text: impl Into<String>) {
        let mut page = Page::default();
        page.line(style, text);
        self.pen.draw(&page);
    }

    /// Put what was told into its place: the answer's part of one entry before what is said of it.
    fn collect(&mut self) {
        self.streams.push(To::Output, self.teller.take());
        self.streams.push(To::Errors, self.pen.take());
    }

    async fn flush(&mut self) -> Result<(), PlainError> {
        self.collect();
        self.streams.flush().await.map_err(PlainError::Output)
    }
}
