//! How others join: the attach command, the address with its token, and a code for a phone's camera.

use super::confirm_dialog::ConfirmDialog;
use super::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use super::scroll::{DialogParts, ScrollState};
use super::{Overlay, OverlayStep, UiEffect, is_leaving, unmodified_key};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent};
use qrcode::{Color, EcLevel, QrCode};
use ratatui::text::{Line, Span};
use std::time::Instant;

/// The empty border that cameras need around a code, in its own dots.
const QR_BORDER: usize = 2;
/// The fewest columns for words beside a code.
const MIN_TEXT_COLUMNS: usize = 34;

/// Where the endpoint is. It holds a secret, so it is never printed for debugging.
#[derive(Clone, PartialEq, Eq)]
pub struct EndpointAccess {
    /// The address of the page, without the token.
    pub url: String,
    /// The address of the WebSocket.
    pub ws: String,
    /// What lets a client in.
    pub token: Option<String>,
    /// The command that joins from another terminal.
    pub attach: String,
    /// Whether it is open, and who can close it.
    pub state: EndpointState,
}

/// How an endpoint stands, as seen from one terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointState {
    /// Others can join, and this terminal can end that.
    OpenHere,
    /// Others can join; only the terminal that holds the session can end that.
    OpenElsewhere,
    /// Nobody can join.
    Closed,
}

impl EndpointAccess {
    /// The port it is on.
    pub fn port(&self) -> Option<u16> {
        let (_, after) = self.url.trim_end_matches('/').rsplit_once(':')?;
        after.parse().ok()
    }

    /// Whether only programs of this machine reach it. A code for a camera would lead nowhere.
    fn is_this_machine(&self) -> bool {
        let host = self.url.split("://").nth(1).unwrap_or_default();
        ["127.", "localhost", "[::1]"].iter().any(|here| host.starts_with(here))
    }

    /// The address with its token, after the `#` where no server sees it.
    fn address(&self) -> String {
        match &self.token {
            Some(token) => format!("{}#token={token}", self.url),
            None => self.url.clone(),
        }
    }
}

/// The panel of the endpoint.
pub(crate) struct EndpointPanel {
    endpoint: EndpointAccess,
    message: Option<&'static str>,
    /// Whether it shall be closed: a letter may have been meant for the composer.
    confirm: Option<ConfirmDialog>,
    scroll: ScrollState,
}

impl EndpointPanel {
    pub(crate) fn new(endpoint: EndpointAccess) -> EndpointPanel {
        EndpointPanel { endpoint, message: None, confirm: None, scroll: ScrollState::default() }
    }

    fn words(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut line_builder = LineBuilder::new(width, theme);
        if self.endpoint.state == EndpointState::Closed {
            line_builder.words(theme.strong, "The endpoint is closed");
            line_builder.words_in(INDENT, INDENT, theme.text, "Nobody but this terminal is in the session.");
            return line_builder.into_lines();
        }
        line_builder.words(theme.strong, "This session is open to others");
        line_builder.words_in(INDENT, INDENT, theme.text, "from another terminal:");
        line_builder.exact_in(GUTTER, GUTTER_ON, theme.code, &self.endpoint.attach);
        let address = if self.endpoint.token.is_some() { "its address, with the token:" } else { "its address:" };
        line_builder.words_in(INDENT, INDENT, theme.text, address);
        line_builder.exact_in(GUTTER, GUTTER_ON, theme.link, &self.endpoint.address());
        line_builder.words_in(INDENT, INDENT, theme.text, "for programs, a WebSocket:");
        line_builder.exact_in(GUTTER, GUTTER_ON, theme.link, &self.endpoint.ws);
        if self.endpoint.is_this_machine() {
            let sentence = "This machine only: a phone or another computer cannot reach this address.";
            line_builder.words_in(INDENT, INDENT, theme.text, sentence);
        }
        if self.endpoint.token.is_some() {
            let own = "Programs of your own user on this machine join without the token.";
            line_builder.words_in(INDENT, INDENT, theme.text, own);
            let others = "Everybody else needs it, and whoever has it can prompt and approve here.";
            line_builder.words_in(INDENT, INDENT, theme.warn, others);
        }
        line_builder.into_lines()
    }

    fn hint(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut line_builder = LineBuilder::new(width, theme);
        if let Some(said) = self.message {
            line_builder.words_in(INDENT, INDENT, theme.good, said);
        }
        let keys = match self.endpoint.state {
            EndpointState::OpenHere => "c copy the address · x close the endpoint · Esc",
            EndpointState::OpenElsewhere => "c copy the address · Esc",
            EndpointState::Closed => "o open it · Esc",
        };
        line_builder.words_in(INDENT, INDENT, theme.dim, keys);
        line_builder.into_lines()
    }
}

impl Overlay for EndpointPanel {
    fn key(&mut self, key: KeyEvent) -> OverlayStep {
        if let Some(confirm) = &mut self.confirm {
            let step = confirm.key(key);
            if step == OverlayStep::Close {
                self.confirm = None;
                return OverlayStep::Stay;
            }
            return step;
        }
        if is_leaving(key) {
            return OverlayStep::Close;
        }
        let state = self.endpoint.state;
        match unmodified_key(key) {
            KeyCode::Esc | KeyCode::Char('q') => OverlayStep::Close,
            KeyCode::Char('c') if state != EndpointState::Closed => {
                self.message = Some(match self.endpoint.token {
                    Some(_) => "the address with its token is in the clipboard",
                    None => "the address is in the clipboard",
                });
                OverlayStep::Do(UiEffect::Copy(self.endpoint.address()))
            }
            KeyCode::Char('x') if state == EndpointState::OpenHere => {
                self.confirm = Some(ConfirmDialog::close_endpoint(Instant::now()));
                OverlayStep::Stay
            }
            KeyCode::Char('o') if state == EndpointState::Closed => OverlayStep::Finish(UiEffect::OpenEndpoint(None)),
            code => {
                self.scroll.key(code);
                OverlayStep::Stay
            }
        }
    }

    fn changes_at(&self) -> Option<Instant> {
        self.confirm.as_ref().and_then(ConfirmDialog::changes_at)
    }

    fn render(&self, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        if let Some(confirm) = &self.confirm {
            return confirm.render(width, height, theme);
        }
        let (columns, rows) = (usize::from(width), usize::from(height));
        let code = match self.endpoint.state {
            EndpointState::OpenHere | EndpointState::OpenElsewhere if self.endpoint.is_this_machine() => None,
            EndpointState::OpenHere | EndpointState::OpenElsewhere => qr_code_lines(&self.endpoint.address(), theme),
            EndpointState::Closed => None,
        };
        let Some(code) = code else { return self.lay_out(self.words(width, theme), width, height, theme) };
        let across = code.first().map_or(0, Line::width);
        let beside = columns.saturating_sub(across + 2);
        if beside >= MIN_TEXT_COLUMNS && code.len() < rows {
            let narrow = u16::try_from(beside).unwrap_or(u16::MAX);
            let words = self.words(narrow, theme);
            if words.len() < rows {
                return self.lay_out(side_by_side(code, words, across), width, height, theme);
            }
        }
        let mut body = self.words(width, theme);
        let hint = self.hint(width, theme).len();
        if across <= columns && body.len() + code.len() + hint <= rows {
            body.extend(code);
        } else {
            let mut line_builder = LineBuilder::new(width, theme);
            let needs = body.len() + code.len() + hint;
            let sentence = format!("A code for a phone would need {across} columns and {needs} lines here.");
            line_builder.words_in(INDENT, INDENT, theme.dim, &sentence);
            body.extend(line_builder.into_lines());
        }
        self.lay_out(body, width, height, theme)
    }

    fn is_full_screen(&self) -> bool {
        true
    }
}

impl EndpointPanel {
    fn lay_out(&self, body: Vec<Line<'static>>, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        let foot = RenderedLines::without_cursor(self.hint(width, theme));
        self.scroll.lay_out(DialogParts { body: body.into(), foot, ..DialogParts::default() }, width, height, theme)
    }
}

/// The code and, to the right of it, the words.
fn side_by_side(code: Vec<Line<'static>>, words: Vec<Line<'static>>, across: usize) -> Vec<Line<'static>> {
    let count = code.len().max(words.len());
    let (mut code, mut words) = (code.into_iter(), words.into_iter());
    let line = |_| {
        let mut line = code.next().unwrap_or_else(|| Line::from(" ".repeat(across)));
        line.spans.push(Span::raw("  "));
        line.spans.extend(words.next().unwrap_or_default().spans);
        line
    };
    (0..count).map(line).collect()
}

/// `text` as a code, two of its dots in each cell: what is light is drawn, what is dark is not.
fn qr_code_lines(text: &str, theme: &Theme) -> Option<Vec<Line<'static>>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let (side, colours) = (code.width(), code.to_colors());
    let light = |x: usize, y: usize| {
        let inside = x.checked_sub(QR_BORDER).zip(y.checked_sub(QR_BORDER)).filter(|(x, y)| *x < side && *y < side);
        inside.is_none_or(|(x, y)| colours[y * side + x] == Color::Light)
    };
    let whole = side + 2 * QR_BORDER;
    let row = |y: usize| {
        let cell = |x: usize| match (light(x, y), y + 1 < whole && light(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        Line::from(Span::styled((0..whole).map(cell).collect::<String>(), theme.qr))
    };
    Some((0..whole).step_by(2).map(row).collect())
}

#[cfg(test)]
mod tests;
