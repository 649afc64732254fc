//! The whole screen, through the real stage, as a terminal shows it.

mod keys;
mod looks;
mod names;
mod writing;

use super::{App, Around, Beginning, Errand};
use crate::pen::Colour;
use crate::screen::composer::Vim;
use crate::screen::keymap::Keymap;
use crate::screen::layer::confirm::Running;
use crate::screen::stage::Stage;
use crate::screen::testing::{Glass, only_our_sequences};
use crate::screen::theme::{TRUE_COLOURS, ThemeSelection};
use crate::testing::{FakeSeat, Session};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{At, By, ItemKind, Level, Report, Seat, Usage};
use ratatui::layout::Size;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A screen of one session.
struct Table {
    session: Arc<Session>,
    seat: Arc<FakeSeat>,
    app: App,
    stage: Stage<Glass>,
    glass: Glass,
}

impl Table {
    fn of(width: u16, height: u16) -> Table {
        let session = Session::open();
        let seat = session.seat("terminal");
        let glass = Glass::new(width, height);
        let stage = Stage::new(glass.clone(), Size { width, height }, Colour::Always);
        let app = App::new(Beginning {
            me: By::from(seat.who()),
            session: seat.session(),
            greeting: vec!["pollux 0.1.0 in /ws".into(), "offline demo, not an AI".into()],
            themes: ThemeSelection::new(Some("dark"), TRUE_COLOURS, Colour::Always),
            keymap: Keymap::defaults(),
            history: vec!["an earlier prompt".into()],
            vim: Vim::Off,
            prices: None,
            notices: Level::Info,
            running: Running::Here,
        });
        let mut table = Table { session, seat, app, stage, glass };
        table.app.look_around(Around { branch: Some("main".into()), window: Some(1_000_000), ..Around::default() });
        table.follow();
        table
    }

    /// Take every entry that is new.
    fn follow(&mut self) {
        let cursor = self.app.cursor();
        for entry in self.session.entries().iter().filter(|entry| entry.seq > cursor) {
            self.app.take(entry);
        }
        self.app.settle();
    }

    fn presses(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.app.key(KeyEvent::new(code, modifiers));
    }

    fn types(&mut self, text: &str) {
        text.chars().for_each(|letter| self.presses(KeyCode::Char(letter), KeyModifiers::NONE));
    }

    fn enters(&mut self, text: &str) {
        self.types(text);
        self.presses(KeyCode::Enter, KeyModifiers::NONE);
    }

    /// What the screen wants done, looking things up left out.
    fn wants(&mut self) -> Vec<Errand> {
        let errands = std::iter::from_fn(|| self.app.errand());
        errands.filter(|errand| !matches!(errand, Errand::Files | Errand::Commands | Errand::LookAround)).collect()
    }

    /// What the terminal shows, once what is shown for a moment only is gone.
    fn sees(&mut self) -> String {
        while let Some(left) = self.app.changes_at().and_then(|at| at.checked_duration_since(Instant::now())) {
            std::thread::sleep(left + Duration::from_millis(1));
        }
        self.sees_now()
    }

    /// What the terminal shows at this moment.
    fn sees_now(&mut self) -> String {
        let size = self.stage.size();
        let page = self.app.page(size);
        self.stage.page(page).unwrap();
        let frame = self.app.frame(size, At(2_000));
        self.stage.show(frame).unwrap();
        only_our_sequences(&self.glass.take_bytes()).unwrap();
        self.glass.screen()
    }
}

#[test]
fn the_live_area_is_low_however_tall_what_streams_is() {
    let mut table = Table::of(80, 50);
    let command = crate::send::prompt(&*table.seat, "tabulate".into());
    table.seat.does("tabulate", command).unwrap();
    let rows: String = (0..60).map(|row| format!("| row {row} | of a table |\n")).collect();
    table.session.says(ItemKind::Text, &format!("| a | b |\n|---|---|\n{rows}"));
    table.follow();
    let frame = table.app.frame(Size { width: 80, height: 50 }, At(2_000));
    assert_eq!(frame.live.lines.len(), 12);
    // The newest rows are those that are seen.
    let lines: Vec<String> = frame.live.lines.iter().map(ToString::to_string).collect();
    assert!(lines.iter().any(|line| line.contains("row 59")) && lines[0].contains("row 52"), "{lines:?}");
    assert!(!frame.above.iter().any(|line| line.to_string().contains("row")));
}

#[test]
fn a_command_leaves_the_context_as_full_as_it_was() {
    let mut table = Table::of(80, 24);
    let step = |usage| {
        let (fragments, calls, citations) = (Vec::new(), Vec::new(), Vec::new());
        Report::StepDone { fragments, calls, finish: "STOP".into(), usage, citations, response: None }
    };
    table.seat.prompts("go");
    table.session.thinks(step(Usage { prompt: 400_000, ..Usage::default() }));
    table.follow();
    assert!(table.sees().contains("60% context left"));
    table.seat.prompts("/about");
    table.session.thinks(Report::Commanded { name: "about".into() });
    table.session.thinks(step(Usage::default()));
    table.follow();
    assert!(table.sees().contains("60% context left"));
}

/// The same scene at three widths, for a snapshot.
fn at_widths(scene: impl Fn(&mut Table)) -> String {
    let seen = [40, 80, 120].map(|width| {
        let mut table = Table::of(width, 24);
        scene(&mut table);
        format!("=== {width} columns\n{}", table.sees().trim_end())
    });
    seen.join("\n\n")
}
