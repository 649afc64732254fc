//! Output, and the sign that asks for input.

use super::LineMode;
use crate::draw_list::{DrawList, TextStyle};
use crate::question_form::QuestionForm;
use crate::render::{answer_sign, render_ask_mention};
use crate::sanitize::one_line;
use crate::send::TerminalError;
use pollux_session::{CallId, CallState, Entry, Event, Notice, NoticeLevel, SessionView, plural};
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The request of a sign at the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputSign {
    Prompt,
    Answer(CallId),
    /// The person types while a turn runs.
    Typing,
}

impl<W: AsyncWrite + Unpin> LineMode<W> {
    pub(super) fn greet(&mut self) {
        let mut page = DrawList::default();
        for line in self.settings.greeting.iter().chain([&self.settings.model_line]) {
            page.line(TextStyle::Dim, line);
        }
        page.gap();
        self.draw(&page);
    }

    /// An ask behind the one on the screen is only mentioned.
    pub(super) fn say_another_asks(&mut self, entry: &Entry) {
        let open = self.view.asking().count();
        // Whoever is being asked already is not interrupted for it: the next ask says how many there are.
        if matches!(entry.event, Event::Asked { .. }) && open > 1 && self.sign.is_none() {
            let open = plural(open, "ask");
            let mut page = DrawList::default();
            page.line(TextStyle::Dim, format!("({open} open; the next one is shown when this one is answered)"));
            let ask_is_last = self.ask_is_last;
            self.draw(&page);
            self.ask_is_last = ask_is_last;
        }
    }

    pub(super) fn draw_notice(&mut self, notice: &Notice) {
        if notice.level >= self.settings.notices {
            let style = if notice.level >= NoticeLevel::Warn { TextStyle::Warn } else { TextStyle::Dim };
            let mut page = DrawList::default();
            page.line(style, one_line(&notice.text, 1000));
            self.draw(&page);
        }
    }

    pub(super) fn draw(&mut self, page: &DrawList) {
        if !page.0.is_empty() {
            self.writer.draw(page);
            self.sign = None;
            self.ask_is_last = false;
        }
    }

    pub(super) fn draw_ask(
        &mut self,
        call: CallId,
        how: fn(&SessionView, &CallState, Option<&QuestionForm>) -> DrawList,
    ) {
        if let Some(page) = self.view.call(call).map(|call| how(&self.view, call, self.current_ask.form())) {
            self.draw(&page);
            self.ask_is_last = true;
        }
    }

    pub(super) fn say(&mut self, style: TextStyle, text: impl Into<String>) {
        let mut page = DrawList::default();
        page.line(style, text);
        self.draw(&page);
    }

    /// Ask for input where the person has something to say: an answer, or a prompt when nothing runs.
    pub(super) fn show_sign(&mut self) {
        if !self.is_settled() || !self.inputs.has_lines() {
            return;
        }
        let sign = match self.current_ask.call() {
            Some(call) => InputSign::Answer(call),
            None if self.view.state().turn.is_none() => InputSign::Prompt,
            None => return,
        };
        if self.sign == Some(sign) || self.sign == Some(InputSign::Typing) {
            return;
        }
        match sign {
            InputSign::Typing => {}
            InputSign::Prompt => self.writer.draw_sign(if self.draft.is_empty() { "> " } else { "… " }),
            InputSign::Answer(call) => {
                // While something else prints, the ask is not repeated after each line of it.
                if !self.ask_is_last && !self.view.state().only_asks_remain() {
                    return;
                }
                if !self.ask_is_last {
                    self.draw_ask(call, render_ask_mention);
                }
                let ask = self.view.call(call).and_then(|call| call.ask.as_ref());
                self.writer.draw_sign(&ask.map(|ask| answer_sign(ask, self.current_ask.form())).unwrap_or_default());
            }
        }
        if sign == InputSign::Prompt && self.typed_line.is_empty() {
            self.typed_line = std::mem::take(&mut self.interrupted_line);
        }
        self.writer.draw_typed(&self.typed_line);
        self.sign = Some(sign);
    }

    pub(super) async fn flush(&mut self) -> Result<(), TerminalError> {
        let drawn = self.writer.take();
        if drawn.is_empty() {
            return Ok(());
        }
        self.output.write_all(drawn.as_bytes()).await.map_err(TerminalError::Output)?;
        self.output.flush().await.map_err(TerminalError::Output)
    }
}
