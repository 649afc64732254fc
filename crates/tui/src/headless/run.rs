//! The loop over one prompt's turn: read entries, tell them, have asks answered or denied.

use super::denial_advice::how_to_allow;
use super::formatter::{HeadlessEnding, OutputFormatter, formatter_for};
use super::output_streams::{OutputStreams, OutputTarget};
use super::{AskResponder, HeadlessSettings};
use crate::ansi_writer::{AnsiWriter, ColourMode};
use crate::ask_reply::{ReplyOutcome, resolve_reply};
use crate::current_ask::{CurrentAsk, REPLACED_ASK_SENTENCE, ReplyTarget};
use crate::draw_list::{DrawList, TextStyle};
use crate::line_input::TypedInput;
use crate::question_form::QuestionForm;
use crate::render::{answer_sign, render_ask, render_ask_reminder, render_next_question};
use crate::sanitize::one_line;
use crate::send::{TerminalError, send_command};
use pollux_session::{
    CallId, CallState, CancelScope, Command, Entry, EntryAuthor, EntryOrigin, Event, PromptId, PromptStatus,
    PromptTarget, Seat, SendError, Seq, SessionView, UnixMillis, describe_heading, events_about,
};
use std::sync::Arc;
use tokio::io::AsyncWrite;

/// The most entries that are read at once.
const BATCH: usize = 256;

/// One turn, watched.
pub(super) struct HeadlessRun<O, E> {
    seat: Arc<dyn Seat>,
    view: SessionView,
    formatter: Box<dyn OutputFormatter>,
    writer: AnsiWriter,
    streams: OutputStreams<O, E>,
    responder: AskResponder,
    current_ask: CurrentAsk,
    cursor: Seq,
    prompt: PromptId,
    /// The advice when the first call was denied because nobody was there.
    denied: Option<String>,
    /// True if the turn is being taken back: then nothing more is answered.
    stopping: bool,
}

impl<O: AsyncWrite + Unpin, E: AsyncWrite + Unpin> HeadlessRun<O, E> {
    pub(super) fn new(
        seat: Arc<dyn Seat>,
        output: O,
        errors: E,
        responder: AskResponder,
        settings: HeadlessSettings,
    ) -> Self {
        HeadlessRun {
            view: SessionView::new(EntryAuthor::from(seat.who())),
            formatter: formatter_for(settings, Some(seat.session())),
            writer: AnsiWriter::new(ColourMode::Never),
            streams: OutputStreams::new(output, errors),
            responder,
            current_ask: CurrentAsk::default(),
            cursor: Seq::START,
            prompt: PromptId(Seq::START),
            denied: None,
            stopping: false,
            seat,
        }
    }

    /// The time of the newest entry.
    pub(super) fn newest_time(&self) -> UnixMillis {
        self.view.state().at
    }

    /// Send the prompt.
    pub(super) async fn begin(
        &mut self,
        text: String,
        piped_len: usize,
        left_turn: Option<PromptId>,
    ) -> Result<(), TerminalError> {
        self.catch_up().await?;
        if let Some(left) = left_turn {
            self.cancel_left_turn(left).await?;
        }
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        let prompt = Command::Prompt { target, text, media: Vec::new(), piped_len, dialect: None, parts: vec![] };
        let receipt = send_command(self.seat.as_ref(), prompt).await?;
        self.prompt = receipt.about.map_or(PromptId(receipt.seq), |(_, prompt)| prompt);
        Ok(())
    }

    /// Cancel the turn of this prompt, unless it is over. Turns that others have begun since are theirs.
    async fn cancel_left_turn(&mut self, left: PromptId) -> Result<(), TerminalError> {
        if self.view.state().turn.as_ref().is_none_or(|turn| turn.prompt != left) {
            return Ok(());
        }
        match send_command(self.seat.as_ref(), Command::Cancel { scope: CancelScope::Turn }).await {
            Ok(_) => {
                let sentence = "the turn that was still running in this session was cancelled";
                self.formatter.format_warning(self.newest_time(), sentence, &mut self.writer);
                Ok(())
            }
            // It has ended by itself.
            Err(SendError::Refused(_)) => Ok(()),
            Err(lost @ SendError::Lost(_)) => Err(lost.into()),
        }
    }

    /// Follow its turn to the end.
    pub(super) async fn follow(&mut self) -> Result<HeadlessEnding, TerminalError> {
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
    pub(super) async fn end(&mut self, ending: &HeadlessEnding) -> Result<(), TerminalError> {
        self.formatter.format_ending(ending);
        self.flush().await
    }

    /// Take the prompt back: out of the queue, or its turn cancelled. If the session is gone there is nothing to stop.
    pub(super) async fn stop(&mut self) -> HeadlessEnding {
        self.stopping = true;
        let cancelled = |at| HeadlessEnding::cancelled("the process was told to stop", at);
        match self.read_all().await {
            Ok(None) => {}
            Ok(Some(ending)) => return ending,
            Err(_) => return cancelled(self.newest_time()),
        }
        let command = match self.view.state().standing(self.prompt) {
            PromptStatus::Waiting => Command::Unqueue { prompt: self.prompt },
            PromptStatus::Busy | PromptStatus::OnlyAsks => Command::Cancel { scope: CancelScope::Turn },
            PromptStatus::Over => return cancelled(self.newest_time()),
        };
        // What the cancel has caused is in the log when it is accepted; a refusal means that it was over already.
        let _ = send_command(self.seat.as_ref(), command).await;
        match self.read_all().await {
            Ok(Some(ending)) => ending,
            Ok(None) | Err(_) => cancelled(self.newest_time()),
        }
    }

    /// Learn where the session stands. What was said before is not told.
    async fn catch_up(&mut self) -> Result<(), TerminalError> {
        let head = self.seat.changed(Seq::START).await?;
        while self.cursor < head {
            for entry in self.seat.read(self.cursor, BATCH).await? {
                self.view.apply(&entry, EntryOrigin::Other);
                self.cursor = entry.seq;
            }
        }
        Ok(())
    }

    /// Take all there is, without waiting for more.
    async fn read_all(&mut self) -> Result<Option<HeadlessEnding>, TerminalError> {
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
    async fn wait(&mut self) -> Result<(), TerminalError> {
        let AskResponder::Person(lines) = &mut self.responder else {
            self.seat.changed(self.cursor).await?;
            return Ok(());
        };
        let line = tokio::select! {
            biased;
            changed = self.seat.changed(self.cursor) => return Ok(changed.map(|_| ())?),
            line = lines.next() => line.transpose().map_err(TerminalError::Input)?,
        };
        let line = line.map(|typed| match typed {
            TypedInput::Line(line) => line,
            TypedInput::Keys(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        });
        match (line, self.person_ask()) {
            (Some(line), Some(call)) => self.reply(call, &line).await,
            (Some(_), None) => {
                self.say(TextStyle::Dim, "not taken: nothing is asked right now");
                Ok(())
            }
            (None, asked) => {
                self.responder = AskResponder::Nobody;
                match asked {
                    Some(call) => self.deny(call).await,
                    None => Ok(()),
                }
            }
        }
    }

    /// The ask the person is looking at.
    fn person_ask(&self) -> Option<CallId> {
        self.current_ask.call().filter(|_| self.is_mine())
    }

    async fn take(&mut self, entry: &Entry) -> Result<Option<HeadlessEnding>, TerminalError> {
        let mine = self.is_mine();
        let whose = if entry.by == *self.view.reader() { EntryOrigin::Typed } else { EntryOrigin::Other };
        if self.concerns(entry) {
            self.formatter.format_entry(&self.view, entry, whose, &mut self.writer);
            self.collect();
        }
        self.view.apply(entry, whose);
        self.cursor = entry.seq;
        if let Event::TurnEnded { outcome } = &entry.event
            && mine
        {
            return Ok(Some(HeadlessEnding::from_turn(outcome, self.denied.as_deref(), entry.at)));
        }
        if matches!(&entry.event, Event::Unqueued { prompt } if *prompt == self.prompt) {
            return Ok(Some(HeadlessEnding::cancelled("the prompt was taken out of the queue", entry.at)));
        }
        if let Some(call) = self.current_ask.follow(&self.view, whose)
            && self.is_mine()
            && !self.stopping
        {
            match self.responder {
                AskResponder::Person(_) => self.show(call, render_ask),
                AskResponder::Nobody => self.deny(call).await?,
            }
        }
        Ok(None)
    }

    /// True if the running turn answers this seat's prompt.
    fn is_mine(&self) -> bool {
        self.view.state().turn.as_ref().is_some_and(|turn| turn.prompt == self.prompt)
    }

    /// True if an entry belongs to this prompt and its turn. Others' waiting prompts are beside it.
    fn concerns(&self, entry: &Entry) -> bool {
        match &entry.event {
            Event::Prompted { .. } => entry.seq == self.prompt.0,
            Event::TurnStarted { prompt, .. } => *prompt == self.prompt,
            Event::Unqueued { .. } | Event::Requeued { .. } => false,
            events_about!(session, tasks, text, model, approval, calls, context)
            | Event::Released
            | Event::Commanded { .. }
            | Event::Attached { .. }
            | Event::TurnEnded { .. } => self.is_mine(),
        }
    }

    fn show(&mut self, call: CallId, how: fn(&SessionView, &CallState, Option<&QuestionForm>) -> DrawList) {
        let Some(known) = self.view.call(call) else { return };
        let form = self.current_ask.form();
        self.writer.draw(&how(&self.view, known, form));
        let sign = known.ask.as_ref().map(|ask| answer_sign(ask, form));
        self.writer.draw_sign(&sign.unwrap_or_default());
    }

    async fn reply(&mut self, call: CallId, line: &str) -> Result<(), TerminalError> {
        self.writer.mark_line_start();
        if line.trim().is_empty() {
            self.show(call, render_ask_reminder);
            return Ok(());
        }
        if self.current_ask.reply_target(line) == ReplyTarget::Unsure {
            self.say(TextStyle::Warn, REPLACED_ASK_SENTENCE);
            self.show(call, render_ask_reminder);
            return Ok(());
        }
        let reply = self.current_ask.read(&self.view, line);
        match resolve_reply(&self.view, call, reply).await {
            ReplyOutcome::Send(command) => self.submit(command).await?,
            ReplyOutcome::NextQuestion => self.show(call, render_next_question),
            ReplyOutcome::Unclear(accepted) => {
                self.say(TextStyle::Warn, format!("that is no answer: type {accepted}"));
                self.show(call, render_ask_reminder);
            }
            ReplyOutcome::Invalid(sentence) => {
                self.say(TextStyle::Bad, sentence);
                self.show(call, render_ask_reminder);
            }
        }
        Ok(())
    }

    /// Nobody is there to be asked: the model goes on without the call.
    async fn deny(&mut self, call: CallId) -> Result<(), TerminalError> {
        let Some(known) = self.view.call(call) else { return Ok(()) };
        let about = describe_heading(self.view.state(), call);
        let advice = how_to_allow(known, self.view.state().mode);
        let sentence = format!("denied, because nobody is here to allow it: {about}\n{advice}");
        self.formatter.format_warning(self.view.state().at, &sentence, &mut self.writer);
        self.denied.get_or_insert(sentence);
        self.submit(Command::Deny { call }).await
    }

    /// An answer that came too late is no failure: the log says what happened instead.
    async fn submit(&mut self, command: Command) -> Result<(), TerminalError> {
        match send_command(self.seat.as_ref(), command).await {
            Ok(_) => Ok(()),
            Err(SendError::Refused(refusal)) => {
                self.say(TextStyle::Warn, one_line(&refusal.to_string(), 1000));
                Ok(())
            }
            Err(lost @ SendError::Lost(_)) => Err(lost.into()),
        }
    }

    /// Say something to the person, whatever the format is.
    fn say(&mut self, style: TextStyle, text: impl Into<String>) {
        let mut page = DrawList::default();
        page.line(style, text);
        self.writer.draw(&page);
    }

    /// Put what was told into its place: the answer's part of one entry before what is said of it.
    fn collect(&mut self) {
        self.streams.push(OutputTarget::Output, self.formatter.take_output());
        self.streams.push(OutputTarget::Errors, self.writer.take());
    }

    async fn flush(&mut self) -> Result<(), TerminalError> {
        self.collect();
        self.streams.flush().await.map_err(TerminalError::Output)
    }
}
