//! What the screen looks like.

use super::App;
use crate::screen::composer::queue_lines;
use crate::screen::inline_terminal::ScreenFrame;
use crate::screen::markdown::word_wrap::{clean_span, hang_lines, wrap_words};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::status_line::StatusLine;
use crate::screen::terminal_control::TerminalControl;
use crate::screen::todo_list;
use pollux_session::{UnixMillis, format_seconds, plural};
use ratatui::layout::Size;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use tokio::time::Instant;
use unicode_width::UnicodeWidthStr;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// How long one picture of the spinner stands, in milliseconds.
pub(crate) const SPIN_MS: u64 = 100;
/// The fewest rows that a dialog gets, whatever streams above it.
const DIALOG_ROWS: u16 = 10;
/// A dialog that has fewer rows gives none of them to the prompt that is being written.
const MIN_ROWS_FOR_DRAFT: u16 = 16;
/// The most characters and rows that tell how the connection is doing.
const BANNER_CHARS: usize = 400;
const BANNER_ROWS: usize = 5;
/// How high the live area may get where that is a choice. A terminal that gets lower moves its top rows into the
/// scrollback, and whatever of the live area is among them stays there; so it fits into any terminal of this height.
const LIVE_ROWS: u16 = 12;
/// What streams gets at least so many rows, whatever is below it.
const STREAM_ROWS: u16 = 6;
/// The most rows of the composer.
const COMPOSER_ROWS: u16 = 12;

impl App {
    /// The next frame. Finished lines are in it once.
    pub(crate) fn frame(&mut self, size: Size, now: UnixMillis) -> ScreenFrame {
        self.width = size.width;
        self.tell_ask_of_surroundings();
        self.transcript.set_asks_in_dialog(self.is_ask_on_screen());
        let above = self.transcript.finished(size.width, &self.themes.current);
        let below = self.below(size, now);
        let rows = u16::try_from(below.lines.len()).unwrap_or(u16::MAX);
        let left = size.height.saturating_sub(rows).saturating_sub(1);
        let room = LIVE_ROWS.saturating_sub(rows).max(STREAM_ROWS).min(left);
        let mut live = RenderedLines::without_cursor(self.transcript.live(
            &self.view,
            size.width,
            room,
            &self.themes.current,
            now,
        ));
        live.stack(below);
        ScreenFrame { above, live }
    }

    /// The page that takes the whole screen, if one does.
    pub(crate) fn page(&self, size: Size) -> Option<RenderedLines> {
        let layer = self.overlays.last().filter(|layer| layer.is_full_screen())?;
        let below = self.covered_asks(size.width);
        let rows = size.height.saturating_sub(u16::try_from(below.len()).unwrap_or(u16::MAX));
        let mut page = layer.render(size.width, rows, &self.themes.current);
        page.stack(RenderedLines::without_cursor(below));
        Some(page)
    }

    /// True if the dialog of an ask has the composer's place.
    fn is_ask_on_screen(&self) -> bool {
        self.ask_dialog.is_some() && !self.is_ask_aside && self.overlays.is_empty()
    }

    /// What says that asks are open behind what stands above the composer.
    fn covered_asks(&self, width: u16) -> Vec<Line<'static>> {
        match self.view.asking().count() {
            0 => Vec::new(),
            open => {
                let waits = if open == 1 { "waits" } else { "wait" };
                let sentence = format!("{} {waits} for you behind this", plural(open, "ask"));
                banner("? ", &sentence, width, self.themes.current.warn)
            }
        }
    }

    /// When something looks different although nothing happened.
    pub(crate) fn changes_at(&self) -> Option<std::time::Instant> {
        let above = self.overlays.last().or(self.ask_dialog.as_ref().filter(|_| !self.is_ask_aside));
        let of_layer = above.and_then(|layer| layer.changes_at());
        let hint = self.key_hint.as_ref().map(|hint| hint.until.into_std());
        of_layer.into_iter().chain(hint).min()
    }

    /// What the terminal's title says.
    pub(crate) fn title(&self) -> TerminalControl {
        let workspace = self.workspace();
        let name = workspace.rsplit('/').next().unwrap_or_default();
        let sign = match (&self.ask_dialog, &self.view.state().turn) {
            (Some(_), _) => "✋",
            (None, Some(_)) => "✦",
            (None, None) => "◇",
        };
        TerminalControl::Title(format!("{sign} pollux {name}"))
    }

    fn below(&self, size: Size, now: UnixMillis) -> RenderedLines {
        let width = size.width;
        let mut picture = RenderedLines::default();
        if let Some(doing) = self.view.activity(now) {
            let elapsed = format_seconds(doing.elapsed_ms / 1_000);
            let sign = SPINNER[usize::try_from(now.0 / SPIN_MS % 10).unwrap_or(0)];
            // In a dialog, Esc declines.
            let hint = match self.is_ask_on_screen() {
                true => format!("  ({elapsed})"),
                false => format!("  ({elapsed} · Esc to cancel)"),
            };
            let room = usize::from(width).saturating_sub(hint.len() + 2);
            let words = crate::sanitize::one_line(&doing.words, room);
            picture.lines.push(Line::from(vec![
                Span::styled(format!("{sign} "), self.themes.current.accent),
                Span::styled(words, self.themes.current.text),
                Span::styled(hint, self.themes.current.dim),
            ]));
        }
        if let Some(todos) = self.view.todos().filter(|_| self.todos_shown) {
            picture.lines.extend(todo_list::todo_lines(todos, width, &self.themes.current));
        }
        if let Some((taken, all)) = self.catching_up {
            let text = format!("reading what was said so far: {} of {}; Ctrl+C leaves", taken.0, all.0);
            picture.lines.extend(banner("… ", &text, width, self.themes.current.dim));
        }
        if let Some(trouble) = &self.process_status.connection_problem {
            picture.lines.extend(banner("! ", trouble, width, self.themes.current.warn));
            if self.process_status.pending_commands > 0 {
                let waiting = format!("  {} not sent yet", plural(self.process_status.pending_commands, "command"));
                picture.lines.push(Line::styled(waiting, self.themes.current.dim));
            }
        }
        if let Some(hint) = self.key_hint.as_ref().filter(|hint| Instant::now() < hint.until) {
            picture.lines.extend(banner("· ", &hint.text, width, self.themes.current.dim));
        }
        picture.lines.extend(queue_lines(&self.view.state().queue, width, &self.themes.current, self.view.reader()));
        if !self.overlays.is_empty() {
            picture.lines.extend(self.covered_asks(width));
        }
        picture.lines.push(Line::styled("─".repeat(usize::from(width)), self.themes.current.dim));
        let taken = u16::try_from(picture.lines.len()).unwrap_or(u16::MAX).saturating_add(1);
        let room = size.height.saturating_sub(taken);
        let layer = self.overlays.last().filter(|layer| !layer.is_full_screen());
        let asked = layer.or(self.ask_dialog.as_ref().filter(|_| !self.is_ask_aside));
        picture.stack(match asked {
            Some(layer) => {
                let room = room.max(DIALOG_ROWS.min(size.height.saturating_sub(1)));
                match self.composer.draft_row(width, &self.themes.current).filter(|_| room >= MIN_ROWS_FOR_DRAFT) {
                    Some(draft) => {
                        let mut dialog = layer.render(width, room - 1, &self.themes.current);
                        dialog.stack(draft);
                        dialog
                    }
                    None => layer.render(width, room, &self.themes.current),
                }
            }
            None => self.composer.render(width, COMPOSER_ROWS.min(room).max(1), &self.themes.current),
        });
        picture.lines.push(self.status().line(width, &self.themes.current));
        picture
    }

    fn status(&self) -> StatusLine {
        let spent = self.view.stats().total_model_calls();
        let context_left = self.process_status.context_window.filter(|window| *window > 0).map(|window| {
            let left = self.view.context_left(window) * 100 / window;
            u8::try_from(left).unwrap_or(100)
        });
        StatusLine {
            model: self.model(),
            context_left,
            tokens: spent.tokens.prompt + spent.tokens.output + spent.tokens.thoughts,
            dollars: spent.cost(),
            mode: self.view.state().mode,
            branch: self.process_status.branch.clone(),
            // Nobody knows who is there while the connection is down.
            port: self.process_status.port.filter(|_| self.process_status.connection_problem.is_none()),
            clients: self.process_status.clients,
            asks_aside: if self.is_ask_aside { self.view.asking().count() } else { 0 },
            in_background: self.process_status.background.as_ref().map_or(0, Vec::len),
            typing: self.composer.mode_word(),
        }
    }
}

/// A sentence behind a sign, on as many rows as it needs: what is wrong and what to do has to be read.
fn banner(sign: &'static str, text: &str, width: u16, style: Style) -> Vec<Line<'static>> {
    let text = clean_span(&crate::sanitize::one_line(text, BANNER_CHARS), style);
    let room = usize::from(width).saturating_sub(sign.width()).max(1);
    let mut lines =
        hang_lines(wrap_words(&[text], room), &Span::styled(sign, style), &Span::raw(" ".repeat(sign.width())));
    lines.truncate(BANNER_ROWS);
    lines
}
