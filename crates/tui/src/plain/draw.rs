//! What is printed, and the sign that asks for input.

use super::Plain;
use crate::form::Form;
use crate::page::{Page, Style};
use crate::render::{answer_sign, ask_again, plural};
use crate::sanitize::one_line;
use crate::send::PlainError;
use crate::view::View;
use pollux_session::{Call, CallId, Entry, Event, Level, Notice};
use tokio::io::{AsyncWrite, AsyncWriteExt};

/// What a sign at the start of a line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Prompt,
    Answer(CallId),
    /// The person types while a turn runs.
    Typing,
}

impl<W: AsyncWrite + Unpin> Plain<W> {
    pub(super) fn greet(&mut self) {
        let mut page = Page::default();
        for line in self.settings.greeting.iter().chain([&self.settings.model_line]) {
            page.line(Style::Dim, line);
        }
        page.gap();
        self.draw(&page);
    }

    /// An ask behind the one on the screen is only mentioned.
    pub(super) fn say_another_asks(&mut self, entry: &Entry) {
        let open = self.view.asking().count();
        if matches!(entry.event, Event::Asked { .. }) && open > 1 {
            let open = plural(open, "ask");
            let mut page = Page::default();
            page.line(Style::Dim, format!("({open} open; the next one is shown when this one is answered)"));
            let ask_is_last = self.ask_is_last;
            self.draw(&page);
            self.ask_is_last = ask_is_last;
        }
    }

    pub(super) fn notice(&mut self, notice: &Notice) {
        if notice.level >= self.settings.notices {
            let style = if notice.level >= Level::Warn { Style::Warn } else { Style::Dim };
            let mut page = Page::default();
            page.line(style, one_line(&notice.text, 1000));
            self.draw(&page);
        }
    }

    pub(super) fn draw(&mut self, page: &Page) {
        if !page.0.is_empty() {
            self.pen.draw(page);
            self.sign = None;
            self.ask_is_last = false;
        }
    }

    pub(super) fn draw_ask(&mut self, call: CallId, how: fn(&View, &Call, Option<&Form>) -> Page) {
        if let Some(page) = self.view.call(call).map(|call| how(&self.view, call, self.dialog.form())) {
            self.draw(&page);
            self.ask_is_last = true;
        }
    }

    pub(super) fn say(&mut self, style: Style, text: impl Into<String>) {
        let mut page = Page::default();
        page.line(style, text);
        self.draw(&page);
    }

    /// Ask for input where the person has something to say: an answer, or a prompt when nothing runs.
    pub(super) fn show_sign(&mut self) {
        if !self.settled() || !self.inputs.has_lines() {
            return;
        }
        let sign = match self.dialog.current() {
            Some(call) => Sign::Answer(call),
            None if self.view.state.turn.is_none() => Sign::Prompt,
            None => return,
        };
        if self.sign == Some(sign) || self.sign == Some(Sign::Typing) {
            return;
        }
        match sign {
            Sign::Typing => {}
            Sign::Prompt => self.pen.sign(if self.draft.is_empty() { "> " } else { "… " }),
            Sign::Answer(call) => {
                // While something else prints, the ask is not repeated after each line of it.
                if !self.ask_is_last && !self.view.state.only_asks_remain() {
                    return;
                }
                if !self.ask_is_last {
                    self.draw_ask(call, ask_again);
                }
                let ask = self.view.call(call).and_then(|call| call.ask.as_ref());
                self.pen.sign(&ask.map(|ask| answer_sign(ask, self.dialog.form())).unwrap_or_default());
            }
        }
        if sign == Sign::Prompt && self.typing.is_empty() {
            self.typing = std::mem::take(&mut self.aside);
        }
        self.pen.typed(&self.typing);
        self.sign = Some(sign);
    }

    pub(super) async fn flush(&mut self) -> Result<(), PlainError> {
        let drawn = self.pen.take();
        if drawn.is_empty() {
            return Ok(());
        }
        self.output.write_all(drawn.as_bytes()).await.map_err(PlainError::Output)?;
        self.output.flush().await.map_err(PlainError::Output)
    }
}
