//! The line mode: one loop over what others do, what the person types and Ctrl+C.

mod draw;
mod input_sources;
mod line_editor;
mod quit_detector;
mod typed_line;

use crate::agent_commands::AgentCommands;
use crate::ansi_writer::{AnsiWriter, ColourMode, LineWidth};
use crate::current_ask::CurrentAsk;
use crate::draw_list::{DrawList, TextStyle};
use crate::key_decoder::KeyDecoder;
use crate::line_input::{EchoSource, LineInput};
use crate::model_offers::ModelOffers;
use crate::own_entries::OwnEntries;
use crate::render::{render, render_ask};
use crate::send::TerminalError;
use crate::typed_command::TypedCommands;
use draw::InputSign;
use input_sources::{InputScope, InputSources, LineModeEvent};
use pollux_session::{
    Command, Entry, EntryAuthor, EntryOrigin, Event, Notice, NoticeLevel, PriceLookup, PromptId, Seat, Seq,
    SessionView, events_about,
};
use std::sync::Arc;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use typed_line::YoloQuestion;

/// The most entries that are drawn before the person is listened to again.
const BATCH: usize = 256;

/// Settings of the line mode.
#[derive(Debug)]
pub struct LineModeSettings {
    /// The model, as the status names it; the demo says that it is not an AI.
    pub model_line: String,
    /// Printed at the start: version, workspace, where others connect, how to get a real model.
    pub greeting: Vec<String>,
    pub colour: ColourMode,
    /// Where lines are broken.
    pub width: LineWidth,
    /// Lines of this process about itself, which would land in the middle of a line if it wrote to the terminal.
    pub console: Option<mpsc::Receiver<Notice>>,
    /// Notices below this level are not printed.
    pub notices: NoticeLevel,
    /// The models that `/model` offers.
    pub models: ModelOffers,
    /// The commands that the agent answers.
    pub commands: AgentCommands,
    /// Prices for `/stats`; `None` without costs.
    pub prices: Option<PriceLookup>,
    /// A prompt to begin with, as if it had been typed.
    pub first_prompt: Option<String>,
}

/// Why the line mode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// There is no more input (Ctrl+D). Input that is no terminal is worked off first.
    EndOfInput,
    /// The person said so.
    Quit,
    /// The process is stopping.
    Shutdown,
}

/// Sit at `seat` until the input ends, the person leaves or `shutdown` is cancelled. What the session holds already is
/// printed first. Each message on `interrupts` is one Ctrl+C.
pub async fn run_line_mode(
    seat: Arc<dyn Seat>,
    input: LineInput,
    output: impl AsyncWrite + Unpin + Send,
    settings: LineModeSettings,
    shutdown: CancellationToken,
    interrupts: mpsc::Receiver<()>,
) -> Result<ExitReason, TerminalError> {
    let mut plain = LineMode::new(seat, input, output, settings, interrupts);
    tokio::select! {
        biased;
        () = shutdown.cancelled() => {}
        ended = plain.run() => return ended,
    }
    plain.show_undelivered().await?;
    Ok(ExitReason::Shutdown)
}

/// The person's side of one session.
struct LineMode<W> {
    seat: Arc<dyn Seat>,
    settings: LineModeSettings,
    inputs: InputSources,
    echo: EchoSource,
    output: W,
    writer: AnsiWriter,
    view: SessionView,
    current_ask: CurrentAsk,
    typed_commands: TypedCommands,
    /// The answer to the ask of a command that the person has typed after `!`, until it is sent.
    allowing: Option<Command>,
    /// The newest entry drawn.
    cursor: Seq,
    /// The newest entry this seat has caused.
    awaited_seq: Seq,
    /// Prompts and answers of this seat that have not been drawn yet.
    own_entries: OwnEntries,
    /// True if the newest batch held all there was.
    caught_up: bool,
    /// The sign of the newest line on the screen.
    sign: Option<InputSign>,
    /// True if the ask on the screen was the last thing drawn.
    ask_is_last: bool,
    /// Lines that end in a backslash, waiting for the rest.
    draft: String,
    /// Text typed while an ask was open, for `>` to send.
    unsent_text: Option<String>,
    /// The queue as `/queue` last listed it: its numbers stay good when the queue moves on.
    listed_queue: Vec<PromptId>,
    /// True if Ctrl+C has just explained how to leave.
    exit_hint_shown: bool,
    /// The question about yolo, until the next line answers it.
    yolo_question: Option<YoloQuestion>,
    /// Keys that are only half here.
    key_decoder: KeyDecoder,
    /// The line that is being typed. It stands behind the sign, when there is one.
    typed_line: String,
    /// The prompt that is being sent, until the session has confirmed it.
    unconfirmed: Option<String>,
    /// A line that was half typed when an ask came in the way.
    interrupted_line: String,
    last_key_at: Option<Instant>,
}

impl<W: AsyncWrite + Unpin> LineMode<W> {
    fn new(
        seat: Arc<dyn Seat>,
        input: LineInput,
        output: W,
        mut settings: LineModeSettings,
        interrupts: mpsc::Receiver<()>,
    ) -> Self {
        LineMode {
            echo: input.echo(),
            inputs: InputSources::new(input, interrupts, seat.notices(), settings.console.take()),
            writer: AnsiWriter::wrapping(settings.colour, settings.width),
            view: SessionView::new(EntryAuthor::from(seat.who())).with_prices(settings.prices.clone()),
            current_ask: CurrentAsk::default(),
            typed_commands: TypedCommands::default(),
            allowing: None,
            cursor: Seq::START,
            awaited_seq: Seq::START,
            own_entries: OwnEntries::default(),
            caught_up: true,
            sign: None,
            ask_is_last: false,
            draft: String::new(),
            unsent_text: None,
            listed_queue: Vec::new(),
            exit_hint_shown: false,
            yolo_question: None,
            key_decoder: KeyDecoder::default(),
            typed_line: String::new(),
            unconfirmed: None,
            interrupted_line: String::new(),
            last_key_at: None,
            seat,
            settings,
            output,
        }
    }

    async fn run(&mut self) -> Result<ExitReason, TerminalError> {
        self.greet();
        self.flush().await?;
        let seat = Arc::clone(&self.seat);
        // A session always has its first entry, but a server elsewhere may have none.
        let Some(joined) = self.inputs.run_unless_quit(seat.changed(Seq::START)).await else {
            return Ok(ExitReason::Quit);
        };
        let joined = joined?;
        self.own_entries = OwnEntries::joined_at(joined);
        while self.cursor < joined {
            let Some(entries) = self.inputs.run_unless_quit(seat.read(self.cursor, BATCH)).await else {
                return Ok(ExitReason::Quit);
            };
            for entry in entries? {
                self.take_entry(&entry);
            }
            self.flush().await?;
        }
        if let Some(prompt) = self.settings.first_prompt.take()
            && let Some(ended) = self.take_first_prompt(prompt).await
        {
            self.flush().await?;
            return Ok(ended);
        }
        loop {
            if let Some(ended) = self.piped_input_exit() {
                self.flush().await?;
                return Ok(ended);
            }
            self.show_sign();
            self.flush().await?;
            let ended = match self.inputs.next(self.seat.as_ref(), self.cursor, self.input_scope()).await? {
                LineModeEvent::Interrupt => self.take_interrupt().await,
                LineModeEvent::Line(line) => self.take_line(line).await,
                LineModeEvent::Keys(bytes) => self.take_key_bytes(&bytes).await,
                LineModeEvent::TypingPaused => {
                    self.sign = None;
                    None
                }
                LineModeEvent::NoMoreLines => self.end_input().await,
                LineModeEvent::InputFailed(error) => return Err(TerminalError::Input(error)),
                LineModeEvent::Entries => {
                    self.read_batch().await?;
                    None
                }
                LineModeEvent::Notice(notice) => {
                    self.draw_notice(&notice);
                    None
                }
            };
            if let Some(ended) = ended {
                self.flush().await?;
                return Ok(ended);
            }
        }
    }

    async fn read_batch(&mut self) -> Result<(), TerminalError> {
        let entries = self.seat.read(self.cursor, BATCH).await?;
        for entry in &entries {
            self.take_entry(entry);
            if let Some(command) = self.allowing.take() {
                self.submit(command).await;
            }
        }
        // A short page does not say that there is no more.
        self.caught_up = self.seat.read(self.cursor, 1).await?.is_empty();
        self.flush().await
    }

    fn take_entry(&mut self, entry: &Entry) {
        let whose = self.own_entries.origin_of(self.view.reader(), entry);
        let page = render(&self.view, entry, whose);
        self.draw(&page);
        self.view.apply(entry, whose);
        self.cursor = entry.seq;
        if self.view.state().turn.is_some() {
            self.exit_hint_shown = false;
        }
        match &entry.event {
            Event::Prompted { text, .. } if whose == EntryOrigin::Typed => {
                self.typed_commands.take_prompt(PromptId(entry.seq), text);
            }
            Event::TurnEnded { .. } => self.typed_commands.end_turn(&self.view),
            Event::Asked { call, .. } => {
                self.allowing = self.typed_commands.answer(&self.view, *call);
                if self.allowing.is_some() {
                    return;
                }
            }
            events_about!(session, tasks, text, model, calls, context)
            | Event::Prompted { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Attached { .. }
            | Event::Allowed { .. }
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::Answered { .. } => {}
        }
        match self.current_ask.follow(&self.view, whose) {
            Some(call) => {
                // A key that was meant for another ask, or for a prompt, must never answer this one.
                self.inputs.forget_half_typed();
                self.set_line_aside();
                self.draw_ask(call, render_ask);
            }
            None => self.say_another_asks(entry),
        }
    }

    /// The scope in which lines are taken. Who writes into a pipe does not see the screen, so its lines are taken one
    /// by one, when there is a sign for them: an answer after a prompt is then an answer and not the next prompt.
    fn input_scope(&self) -> InputScope {
        if let Some(until) = self.hold_until() {
            return InputScope::OnlyKeys { until };
        }
        match (self.echo, self.sign) {
            (EchoSource::Terminal, _) | (EchoSource::Seat, Some(_)) => InputScope::Everything,
            (EchoSource::Seat, None) => InputScope::NotLines,
        }
    }

    /// True if everything there is, and everything this seat has caused, is drawn.
    fn is_settled(&self) -> bool {
        self.caught_up && self.cursor >= self.awaited_seq
    }

    /// Input from a pipe has ended: stay until what it asked for is done, or only a person could go on.
    fn piped_input_exit(&mut self) -> Option<ExitReason> {
        if self.inputs.has_lines() || !self.is_settled() {
            return None;
        }
        let mut page = DrawList::default();
        if self.view.state().only_asks_remain() {
            page.line(TextStyle::Warn, "the input has ended while an ask is open; it stays open in the session");
        } else if !self.view.is_idle() {
            return None;
        }
        page.fresh();
        self.draw(&page);
        Some(ExitReason::EndOfInput)
    }
}

#[cfg(test)]
mod tests;
