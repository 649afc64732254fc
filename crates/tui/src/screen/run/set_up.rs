//! The terminal is taken, and the screen put together from what the process around gives it.

use super::outbox::Outbox;
use super::{DONE, Screen};
use crate::pen::Colour;
use crate::screen::app::{App, Beginning};
use crate::screen::chronicle::Tone;
use crate::screen::composer::Vim;
use crate::screen::input::Keyboard;
use crate::screen::keymap::Keymap;
use crate::screen::layer::confirm::Running;
use crate::screen::layer::trust::TrustDialog;
use crate::screen::settings::ScreenSettings;
use crate::screen::stage::Stage;
use crate::screen::terminal::{self, ColourQueries, Habits, RawTerminal};
use crate::screen::theme::{TerminalColours, ThemeSelection};
use pollux_session::{By, Seat};
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
        let habits = Habits::of(variable);
        let mut colours = TerminalColours::of(variable);
        let cursor = if settings.colour == Colour::Always && habits.colour_queries == ColourQueries::Harmless {
            let (cursor, background) = keyboard.ask_background()?;
            colours.background = background.or(colours.background);
            cursor
        } else {
            keyboard.ask_cursor()?
        };
        terminal.fresh_row(cursor)?;
        let stage = Stage::new(io::stdout(), size, settings.colour);
        let stage = stage.with_habits(habits).with_probe(terminal::size);
        let (keymap, faults) = match &settings.keys {
            Some(text) => Keymap::with_file(text),
            None => (Keymap::defaults(), Vec::new()),
        };
        let mut greeting = std::mem::take(&mut settings.greeting);
        greeting.push(std::mem::take(&mut settings.model_line));
        let mut app = App::new(Beginning {
            me: By::from(seat.who()),
            session: seat.session(),
            greeting,
            themes: ThemeSelection::new(settings.theme.as_deref(), colours, settings.colour),
            keymap,
            history: std::mem::take(&mut settings.history),
            vim: if settings.vim { Vim::On } else { Vim::Off },
            prices: settings.prices.take(),
            notices: settings.notices,
            running: if settings.joined { Running::Elsewhere } else { Running::Here },
        });
        for fault in faults {
            app.say(Tone::Warn, fault);
        }
        if let Some(turns_on) = settings.surroundings.undecided() {
            app.open(Box::new(TrustDialog::new(&settings.workspace, turns_on, Instant::now().into_std())));
        }
        let (doing, done) = mpsc::channel(DONE);
        Ok(Screen {
            outbox: Outbox::new(seat.clone()),
            notices: Some(seat.notices()),
            console: settings.console.take(),
            surroundings: settings.surroundings,
            models: settings.models,
            commands: settings.commands,
            first_prompt: settings.first_prompt,
            app,
            stage,
            keyboard,
            terminal,
            done,
            doing,
            files: None,
            looking_up: false,
            drawn: Instant::now(),
            settled: Instant::now(),
            title: None,
            left: None,
            seat,
        })
    }
}
