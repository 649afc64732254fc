//! The terminal is taken, and the screen put together from what the process around gives it.

use super::outbox::Outbox;
use super::{MAX_PENDING_RESULTS, Screen};
use crate::ansi_writer::ColourMode;
use crate::screen::app::{App, AppSettings};
use crate::screen::composer::VimSetting;
use crate::screen::inline_terminal::InlineTerminal;
use crate::screen::input::Keyboard;
use crate::screen::keymap::Keymap;
use crate::screen::overlay::confirm_dialog::SessionLocation;
use crate::screen::overlay::trust_dialog::TrustDialog;
use crate::screen::settings::ScreenSettings;
use crate::screen::terminal::{self, ColourQueries, RawTerminal, TerminalQuirks};
use crate::screen::theme::{TerminalColours, ThemeSelection};
use pollux_session::{EntryAuthor, NoteTone, Seat};
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::Instant;

impl Screen {
    pub(super) fn set_up(seat: Arc<dyn Seat>, mut settings: ScreenSettings) -> io::Result<Screen> {
        let terminal = RawTerminal::enter()?;
        let mut keyboard = Keyboard::start()?;
        let size = terminal::size()?;
        let variable = |name: &str| std::env::var(name).ok();
        let habits = TerminalQuirks::from_environment(variable).with_notifications(settings.notifications);
        let mut colours = TerminalColours::from_environment(variable);
        let cursor = if settings.colour == ColourMode::Always && habits.colour_queries == ColourQueries::Harmless {
            let (cursor, background) = keyboard.ask_background()?;
            colours.background = background.or(colours.background);
            cursor
        } else {
            keyboard.ask_cursor()?
        };
        terminal.fresh_row(cursor)?;
        let stage = InlineTerminal::new(io::stdout(), size, settings.colour);
        let stage = stage.with_quirks(habits).with_probe(terminal::size);
        let (keymap, faults) = match &settings.keys {
            Some(text) => Keymap::with_file(text),
            None => (Keymap::defaults(), Vec::new()),
        };
        let mut greeting = std::mem::take(&mut settings.greeting);
        greeting.push(std::mem::take(&mut settings.model_line));
        let mut app = App::new(AppSettings {
            me: EntryAuthor::from(seat.who()),
            session: seat.session(),
            greeting,
            themes: ThemeSelection::new(settings.theme.as_deref(), colours, settings.colour),
            keymap,
            history: std::mem::take(&mut settings.history),
            vim: if settings.vim { VimSetting::On } else { VimSetting::Off },
            prices: settings.prices.take(),
            notices: settings.notices,
            notifications: settings.notifications,
            session_location: if settings.is_attached { SessionLocation::Elsewhere } else { SessionLocation::Here },
        });
        for fault in faults {
            app.say(NoteTone::Warn, fault);
        }
        if let Some(turns_on) = settings.environment.undecided_trust() {
            app.open(Box::new(TrustDialog::new(&settings.workspace, turns_on, Instant::now().into_std())));
        }
        let (doing, done) = mpsc::channel(MAX_PENDING_RESULTS);
        Ok(Screen {
            outbox: Outbox::new(seat.clone()),
            notices: Some(settings.notice_feed),
            console: settings.console.take(),
            environment: settings.environment,
            models: settings.models,
            commands: settings.commands,
            first_prompt: settings.first_prompt,
            app,
            inline_terminal: stage,
            keyboard,
            terminal,
            effect_results: done,
            effect_sender: doing,
            files: None,
            looking_up: false,
            last_drawn: Instant::now(),
            draw_after: Instant::now(),
            title: None,
            exit: None,
            seat,
        })
    }
}
