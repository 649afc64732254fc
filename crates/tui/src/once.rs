//! One prompt, its answer on one stream and everything else on the other: `pollux -p`.

use crate::answer::answer;
use crate::dialog::{Aim, Dialog, MIX_UP_SENTENCE, Reply, read_reply};
use crate::lines::Lines;
use crate::page::{Page, Style};
use crate::pen::{Colour, Pen};
use crate::render::{ask_again, ask_block, heading, offered, render};
use crate::sanitize::one_line;
use crate::send::{PlainError, prompt as prompt_command, send};
use crate::view::{View, Whose};
use pollux_session::{
    By, CallId, CancelScope, Command, Entry, Event, ItemKind, PromptId, Seat, SendError, Seq, Standing, TurnOutcome,
};
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

/// How many entries are read at once.
const BATCH: usize = 256;

/// Who is there to be asked.
#[derive(Debug)]
pub enum Asks {
    /// A person, who types on these lines.
    Person(Lines),
    /// Nobody: what would be asked is declined, and the way to allow it is named.
    Nobody,
}

/// How the one turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The agent has done what it could.
    Rested,
    /// It has rested, but something it wanted to do was declined because nobody was there to allow it.
    Declined,
    /// It could not go on.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

impl Outcome {
    /// The exit code of the program. Work that was declined unasked is not done, and a script has to learn of it.
    pub fn exit_code(self) -> u8 {
        match self {
            Outcome::Rested => 0,
            Outcome::Declined | Outcome::Failed => 1,
            Outcome::Cancelled => 130,
        }
    }
}

/// Send `prompt`, print the answer to `output` and the rest (thoughts, calls, asks, errors) to `errors`, and return when
/// its turn is over. When `shutdown` is cancelled, so is the turn.
pub async fn run_once(
    seat: Arc<dyn Seat>,
    prompt: String,
    output: impl AsyncWrite + Unpin + Send,
    errors: impl AsyncWrite + Unpin + Send,
    asks: Asks,
    shutdown: CancellationToken,
) -> Result<Outcome, PlainError> {
    let mut once = Once {
        view: View::new(By::from(seat.who())),
        seat,
        output: Channel::new(output),
        errors: Channel::new(errors),
        asks,
        dialog: Dialog::default(),
        cursor: Seq::START,
        prompt: PromptId(Seq::START),
        declined: false,
    };
    once.catch_up().await?;
    let receipt = send(once.seat.as_ref(), prompt_command(once.seat.as_ref(), prompt)).await?;
    once.prompt = receipt.about.map_or(PromptId(receipt.seq), |(_, prompt)| prompt);
    let ended = tokio::select! {
        biased;
        () = shutdown.cancelled() => None,
        outcome = once.run() => Some(outcome?),
    };
    match ended {
        Some(outcome) => Ok(outcome),
        None => {
            once.stop().await;
            Ok(Outcome::Cancelled)
        }
    }
}

/// One turn, watched.
struct Once<O, E> {
    seat: Arc<dyn Seat>,
    view: View,
    output: Channel<O>,
    errors: Channel<E>,
    asks: Asks,
    dialog: Dialog,
    cursor: Seq,
    prompt: PromptId,
    declined: bool,
}

impl<O: AsyncWrite + Unpin, E: AsyncWrite + Unpin> Once<O, E> {
    /// Learn where the session stands. What was said before is not printed.
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

    async fn run(&mut self) -> Result<Outcome, PlainError> {
        loop {
            for entry in self.seat.read(self.cursor, BATCH).await? {
                if let Some(outcome) = self.take(&entry).await? {
                    self.flush().await?;
                    return Ok(outcome);
                }
            }
            self.flush().await?;
            self.wait().await?;
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
        match (line, self.asked()) {
            (Some(line), Some(call)) => self.reply(call, &line).await,
            (Some(_), None) => {
                self.errors.say(Style::Dim, "not taken: nothing is asked right now".into());
                self.flush().await
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

    async fn take(&mut self, entry: &Entry) -> Result<Option<Outcome>, PlainError> {
        let mine = self.is_mine();
        let whose = if entry.by == self.view.me { Whose::Typed } else { Whose::Other };
        if mine && !is_beside(&entry.event) {
            let page = render(&self.view, entry, whose);
            if self.is_answer(&entry.event) { self.output.pen.draw(&page) } else { self.errors.pen.draw(&page) }
        }
        self.view.apply(entry, whose);
        self.cursor = entry.seq;
        match &entry.event {
            Event::TurnEnded { outcome } if mine => return Ok(Some(self.outcome(outcome))),
            Event::Unqueued { prompt } if *prompt == self.prompt => return Ok(Some(Outcome::Cancelled)),
            _ => {}
        }
        if let Some(call) = self.dialog.follow(&self.view, whose)
            && self.is_mine()
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

    /// Whether an event is part of the answer's text.
    fn is_answer(&self, event: &Event) -> bool {
        let open = self.view.state.turn.as_ref().and_then(|turn| turn.item);
        match event {
            Event::Said { kind, .. } => *kind == ItemKind::Text,
            Event::Piece { .. } | Event::ItemEnded { .. } => matches!(open, Some((_, ItemKind::Text, _))),
            _ => false,
        }
    }

    fn outcome(&self, outcome: &TurnOutcome) -> Outcome {
        match outcome {
            TurnOutcome::Rested if self.declined => Outcome::Declined,
            TurnOutcome::Rested => Outcome::Rested,
            TurnOutcome::Failed { .. } => Outcome::Failed,
            TurnOutcome::Cancelled => Outcome::Cancelled,
        }
    }

    fn show(&mut self, call: CallId, how: fn(&View, &pollux_session::Call) -> Page) {
        let Some(known) = self.view.call(call) else { return };
        self.errors.pen.draw(&how(&self.view, known));
        let numbers = known.ask.as_ref().map(offered).unwrap_or_default();
        self.errors.pen.sign(&format!("answer {numbers}: "));
    }

    async fn reply(&mut self, call: CallId, line: &str) -> Result<(), PlainError> {
        self.errors.pen.returned();
        if self.dialog.aim(line) == Aim::Unsure {
            self.errors.say(Style::Warn, MIX_UP_SENTENCE.into());
            self.show(call, ask_again);
            return self.flush().await;
        }
        let ask = self.view.call(call).and_then(|call| call.ask.as_ref());
        let reply = ask.map_or(Reply::Unclear, |ask| read_reply(ask, line));
        match answer(&self.view, call, reply).await {
            Ok(Some(command)) => self.submit(command).await?,
            Ok(None) => self.show(call, ask_again),
            Err(sentence) => {
                self.errors.say(Style::Bad, sentence);
                self.show(call, ask_again);
            }
        }
        self.flush().await
    }

    /// Nobody is there to be asked.
    async fn decline(&mut self, call: CallId) -> Result<(), PlainError> {
        let about = heading(&self.view, call);
        let ask = self.view.call(call).and_then(|call| call.ask.as_ref());
        let command = match ask.and_then(|ask| ask.options.iter().find(|option| !option.allows)) {
            Some(option) => Command::Answer { call, option: option.id.clone(), edit: None },
            None => Command::Cancel { scope: CancelScope::Turn },
        };
        self.declined = true;
        self.errors.say(
            Style::Warn,
            format!(
                "declined, because nobody is here to allow it: {about}\n\
                 run again with --approval-mode auto_edit to allow file changes, or with --yolo to allow everything"
            ),
        );
        self.submit(command).await
    }

    /// An answer that came too late is no failure: the log says what happened instead.
    async fn submit(&mut self, command: Command) -> Result<(), PlainError> {
        match send(self.seat.as_ref(), command).await {
            Ok(_) => Ok(()),
            Err(SendError::Refused(refusal)) => {
                self.errors.say(Style::Warn, one_line(&refusal.to_string(), 1000));
                Ok(())
            }
            Err(lost @ SendError::Lost(_)) => Err(lost.into()),
        }
    }

    /// Take the prompt back: out of the queue, or its turn cancelled. If the session is gone there is nothing to stop.
    async fn stop(&mut self) {
        if self.catch_up().await.is_err() {
            return;
        }
        let command = match self.view.state.standing(self.prompt) {
            Standing::Waiting => Command::Unqueue { prompt: self.prompt },
            Standing::Busy | Standing::OnlyAsks => Command::Cancel { scope: CancelScope::Turn },
            Standing::Over => return,
        };
        let _ = send(self.seat.as_ref(), command).await;
    }

    async fn flush(&mut self) -> Result<(), PlainError> {
        self.output.flush().await?;
        self.errors.flush().await
    }
}

/// Whether an event is beside this turn: others' waiting prompts, and an end about which there is nothing to say.
fn is_beside(event: &Event) -> bool {
    matches!(
        event,
        Event::Prompted { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::TurnEnded { outcome: TurnOutcome::Rested }
    )
}

/// A stream and its pen.
struct Channel<W> {
    pen: Pen,
    writer: W,
}

impl<W: AsyncWrite + Unpin> Channel<W> {
    fn new(writer: W) -> Self {
        Channel { pen: Pen::new(Colour::Never), writer }
    }

    fn say(&mut self, style: Style, text: String) {
        let mut page = Page::default();
        page.line(style, text);
        self.pen.draw(&page);
    }

    async fn flush(&mut self) -> Result<(), PlainError> {
        let drawn = self.pen.take();
        if drawn.is_empty() {
            return Ok(());
        }
        self.writer.write_all(drawn.as_bytes()).await.map_err(PlainError::Output)?;
        self.writer.flush().await.map_err(PlainError::Output)
    }
}

#[cfg(test)]
mod tests;
