//! The line mode: one loop over what others do, what the person types and Ctrl+C.

mod doorstep;
mod draw;
mod inputs;
mod typed;
mod typing;

use crate::commands::Commands;
use crate::dialog::Dialog;
use crate::keys::Keys;
use crate::lines::{Echo, Lines};
use crate::mine::Mine;
use crate::offers::Offers;
use crate::page::{Page, Style};
use crate::pen::{Colour, Pen, Width};
use crate::prices::Prices;
use crate::render::{ask_block, render};
use crate::send::PlainError;
use crate::tally::{Tally, TurnTally};
use crate::typed_command::TypedCommands;
use crate::view::{View, Whose};
use draw::Sign;
use inputs::{Happened, Inputs, Listening};
use pollux_session::{By, Command, Entry, Event, Level, Notice, PromptId, Seat, Seq};
use std::sync::Arc;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How many entries are drawn before the person is listened to again.
const BATCH: usize = 256;

/// How the line mode looks.
#[derive(Debug)]
pub struct PlainSettings {
    /// The model, as the status names it; the demo says that it is not an AI.
    pub model_line: String,
    /// Printed at the start: version, workspace, where others connect, how to get a real model.
    pub greeting: Vec<String>,
    /// Whether colours are used.
    pub colour: Colour,
    /// Where lines are broken.
    pub width: Width,
    /// What this process says about itself, which would land in the middle of a line if it wrote to the terminal.
    pub console: Option<mpsc::Receiver<Notice>>,
    /// Notices below this level are not printed.
    pub notices: Level,
    /// The models that `/model` offers.
    pub models: Offers,
    /// The commands that the agent answers.
    pub commands: Commands,
    /// What `/stats` reckons costs by; `None` for none.
    pub prices: Option<Prices>,
    /// A prompt to begin with, as if it had been typed.
    pub first_prompt: Option<String>,
}

/// Why the line mode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There is no more input (Ctrl+D). Input that is no terminal is worked off first.
    EndOfInput,
    /// The person said so.
    Quit,
    /// The process is stopping.
    Shutdown,
}

/// Sit at `seat` until the input ends, the person leaves or `shutdown` is cancelled. What the session holds already is
/// printed first. Each message on `interrupts` is one Ctrl+C.
pub async fn run_plain(
    seat: Arc<dyn Seat>,
    input: Lines,
    output: impl AsyncWrite + Unpin + Send,
    settings: PlainSettings,
    shutdown: CancellationToken,
    interrupts: mpsc::Receiver<()>,
) -> Result<Ended, PlainError> {
    let mut plain = Plain::new(seat, input, output, settings, interrupts);
    tokio::select! {
        biased;
        () = shutdown.cancelled() => {}
        ended = plain.run() => return ended,
    }
    plain.show_undelivered().await?;
    Ok(Ended::Shutdown)
}

/// The person's side of one session.
struct Plain<W> {
    seat: Arc<dyn Seat>,
    settings: PlainSettings,
    inputs: Inputs,
    echo: Echo,
    output: W,
    pen: Pen,
    view: View,
    /// What the newest turn and the session took so far.
    turn_tally: TurnTally,
    tally: Tally,
    dialog: Dialog,
    typed_commands: TypedCommands,
    /// The answer to the ask of a command that the person has typed after `!`, until it is sent.
    allowing: Option<Command>,
    /// The newest entry drawn.
    cursor: Seq,
    /// The newest entry this seat has caused.
    awaited: Seq,
    /// Prompts and answers of this seat that have not been drawn yet.
    mine: Mine,
    /// Whether the newest batch held all there was.
    caught_up: bool,
    /// What the newest line on the screen asks for.
    sign: Option<Sign>,
    /// Whether the ask on the screen was the last thing drawn.
    ask_is_last: bool,
    /// Lines that end in a backslash, waiting for the rest.
    draft: String,
    /// Text typed while an ask was open, for `>` to send.
    kept: Option<String>,
    /// The queue as `/queue` last listed it: its numbers stay good when the queue moves on.
    listed: Vec<PromptId>,
    /// Whether Ctrl+C has just explained how to leave.
    hinted: bool,
    /// Keys that are only half here.
    keys: Keys,
    /// The line that is being typed. It stands behind the sign, when there is one.
    typing: String,
    /// The prompt that is being sent, until the session has confirmed it.
    unconfirmed: Option<String>,
    /// What was half typed when an ask came in the way.
    aside: String,
    newest_key: Option<Instant>,
}

impl<W: AsyncWrite + Unpin> Plain<W> {
    fn new(
        seat: Arc<dyn Seat>,
        input: Lines,
        output: W,
        mut settings: PlainSettings,
        interrupts: mpsc::Receiver<()>,
    ) -> Self {
        Plain {
            echo: input.echo(),
            inputs: Inputs::new(input, interrupts, seat.notices(), settings.console.take()),
            pen: Pen::wrapping(settings.colour, settings.width),
            view: View::new(By::from(seat.who())),
            turn_tally: TurnTally::new(settings.prices.clone()),
            tally: Tally::new(settings.prices.clone()),
            dialog: Dialog::default(),
            typed_commands: TypedCommands::default(),
            allowing: None,
            cursor: Seq::START,
            awaited: Seq::START,
            mine: Mine::default(),
            caught_up: true,
            sign: None,
            ask_is_last: false,
            draft: String::new(),
            kept: None,
            listed: Vec::new(),
            hinted: false,
            keys: Keys::default(),
            typing: String::new(),
            unconfirmed: None,
            aside: String::new(),
            newest_key: None,
            seat,
            settings,
            output,
        }
    }

    async fn run(&mut self) -> Result<Ended, PlainError> {
        self.greet();
        self.flush().await?;
        let seat = Arc::clone(&self.seat);
        // A session always has its first entry, but a server elsewhere may have none.
        let Some(joined) = self.inputs.unless_left(seat.changed(Seq::START)).await else {
            return Ok(Ended::Quit);
        };
        let joined = joined?;
        self.mine = Mine::since(joined);
        while self.cursor < joined {
            let Some(entries) = self.inputs.unless_left(seat.read(self.cursor, BATCH)).await else {
                return Ok(Ended::Quit);
            };
            for entry in entries? {
                self.take(&entry);
            }
            self.flush().await?;
        }
        if let Some(prompt) = self.settings.first_prompt.take()
            && let Some(ended) = self.begin_with(prompt).await
        {
            self.flush().await?;
            return Ok(ended);
        }
        loop {
            if let Some(ended) = self.worked_off() {
                self.flush().await?;
                return Ok(ended);
            }
            self.show_sign();
            self.flush().await?;
            let ended = match self.inputs.next(self.seat.as_ref(), self.cursor, self.listening()).await? {
                Happened::Interrupt => self.interrupted().await,
                Happened::Line(line) => self.typed(line).await,
                Happened::Keys(bytes) => self.pressed(&bytes).await,
                Happened::LongSilent => {
                    self.sign = None;
                    None
                }
                Happened::NoMoreLines => self.no_more_lines().await,
                Happened::Broken(error) => return Err(PlainError::Input(error)),
                Happened::Entries => {
                    self.read_batch().await?;
                    None
                }
                Happened::Notice(notice) => {
                    self.notice(&notice);
                    None
                }
            };
            if let Some(ended) = ended {
                self.flush().await?;
                return Ok(ended);
            }
        }
    }

    async fn read_batch(&mut self) -> Result<(), PlainError> {
        let entries = self.seat.read(self.cursor, BATCH).await?;
        for entry in &entries {
            self.take(entry);
            if let Some(command) = self.allowing.take() {
                self.submit(command).await;
            }
        }
        // A short page does not say that there is no more.
        self.caught_up = self.seat.read(self.cursor, 1).await?.is_empty();
        self.flush().await
    }

    fn take(&mut self, entry: &Entry) {
        let whose = self.mine.whose(&self.view.me, entry);
        let page = render(&self.view, entry, whose);
        self.draw(&page);
        self.view.apply(entry, whose);
        self.turn_tally.apply(entry);
        self.tally.apply(entry);
        self.cursor = entry.seq;
        if self.view.state.turn.is_some() {
            self.hinted = false;
        }
        match &entry.event {
            Event::Prompted { text, .. } if whose == Whose::Typed => {
                self.typed_commands.take_prompt(PromptId(entry.seq), text);
            }
            Event::TurnEnded { .. } => self.typed_commands.end_turn(),
            Event::Asked { call, .. } => {
                self.allowing = self.typed_commands.answer(&self.view, *call);
                if self.allowing.is_some() {
                    return;
                }
            }
            _ => {}
        }
        match self.dialog.follow(&self.view, whose) {
            Some(call) => {
                // A key that was meant for another ask, or for a prompt, must never answer this one.
                self.inputs.forget_half_typed();
                self.set_aside();
                self.draw_ask(call, ask_block);
            }
            None => self.say_another_asks(entry),
        }
    }

    /// Who writes into a pipe does not see the screen, so its lines are taken one by one, when there is a sign for them:
    /// an answer after a prompt is then an answer and not the next prompt.
    fn listening(&self) -> Listening {
        if let Some(until) = self.holding() {
            return Listening::OnlyKeys { until };
        }
        match (self.echo, self.sign) {
            (Echo::Terminal, _) | (Echo::Seat, Some(_)) => Listening::ToLines,
            (Echo::Seat, None) => Listening::ToOthers,
        }
    }

    /// Whether everything there is, and everything this seat has caused, is drawn.
    fn settled(&self) -> bool {
        self.caught_up && self.cursor >= self.awaited
    }

    /// Input from a pipe has ended: stay until what it asked for is done, or only a person could go on.
    fn worked_off(&mut self) -> Option<Ended> {
        if self.inputs.has_lines() || !self.settled() {
            return None;
        }
        let mut page = Page::default();
        if self.view.state.only_asks_remain() {
            page.line(Style::Warn, "the input has ended while an ask is open; it stays open in the session");
        } else if !self.view.is_idle() {
            return None;
        }
        page.fresh();
        self.draw(&page);
        Some(Ended::EndOfInput)
    }
}

#[cfg(test)]
mod tests;
