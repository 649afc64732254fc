//! The whole screen, through the real stage, as a terminal shows it.

mod keys;
mod listings;
mod looks;
mod names;
mod writing;

use super::{App, AppEffect, AppSettings, ProcessStatus};
use crate::NotificationMethod;
use crate::ansi_writer::ColourMode;
use crate::screen::composer::VimSetting;
use crate::screen::inline_terminal::InlineTerminal;
use crate::screen::keymap::Keymap;
use crate::screen::overlay::confirm_dialog::SessionLocation;
use crate::screen::testing::{FakeTerminal, only_our_sequences};
use crate::screen::theme::{TRUE_COLOURS, ThemeSelection};
use crate::testing::{FakeSeat, FakeSession};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{
    CallError, CallOutcome, CallResult, EntryAuthor, ItemKind, ModelUsage, NoticeLevel, PolicyVerdict, Report, Seat,
    ToolKind, UnixMillis,
};
use ratatui::layout::Size;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A screen of one session.
struct ScreenTester {
    session: Arc<FakeSession>,
    seat: Arc<FakeSeat>,
    app: App,
    inline_terminal: InlineTerminal<FakeTerminal>,
    terminal: FakeTerminal,
}

impl ScreenTester {
    fn new(width: u16, height: u16) -> ScreenTester {
        let session = FakeSession::open();
        let seat = session.seat("terminal");
        let fake_terminal = FakeTerminal::new(width, height);
        let stage = InlineTerminal::new(fake_terminal.clone(), Size { width, height }, ColourMode::Always);
        let app = App::new(AppSettings {
            me: EntryAuthor::from(seat.who()),
            session: seat.session(),
            greeting: vec!["pollux 0.1.0 in /ws".into(), "offline demo, not an AI".into()],
            themes: ThemeSelection::new(Some("dark"), TRUE_COLOURS, ColourMode::Always),
            keymap: Keymap::defaults(),
            history: vec!["an earlier prompt".into()],
            vim: VimSetting::Off,
            prices: None,
            notices: NoticeLevel::Info,
            notifications: Some(NotificationMethod::Auto),
            session_location: SessionLocation::Here,
        });
        let mut table = ScreenTester { session, seat, app, inline_terminal: stage, terminal: fake_terminal };
        table.app.set_process_status(ProcessStatus {
            branch: Some("main".into()),
            context_window: Some(1_000_000),
            ..ProcessStatus::default()
        });
        table.follow();
        table
    }

    /// Take every entry that is new.
    fn follow(&mut self) {
        let cursor = self.app.cursor();
        for entry in self.session.entries().iter().filter(|entry| entry.seq > cursor) {
            self.app.take_entry(entry);
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
    fn take_effects(&mut self) -> Vec<AppEffect> {
        let errands = std::iter::from_fn(|| self.app.next_effect());
        errands
            .filter(|app_effect| {
                !matches!(app_effect, AppEffect::LookUpFiles | AppEffect::LookUpCommands | AppEffect::RefreshStatus)
            })
            .collect()
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
        let size = self.inline_terminal.size();
        let page = self.app.page(size);
        self.inline_terminal.set_page(page).unwrap();
        let frame = self.app.frame(size, UnixMillis(2_000));
        self.inline_terminal.show(frame).unwrap();
        only_our_sequences(&self.terminal.take_bytes()).unwrap();
        self.terminal.screen()
    }
}

#[test]
fn the_live_area_is_low_however_tall_what_streams_is() {
    let mut table = ScreenTester::new(80, 50);
    let command = crate::send::prompt_command(&*table.seat, "tabulate".into());
    table.seat.does("tabulate", command).unwrap();
    let rows: String = (0..60).map(|row| format!("| row {row} | of a table |\n")).collect();
    table.session.says(ItemKind::Text, &format!("| a | b |\n|---|---|\n{rows}"));
    table.follow();
    let frame = table.app.frame(Size { width: 80, height: 50 }, UnixMillis(2_000));
    assert_eq!(frame.live.lines.len(), 12);
    // The newest rows are those that are seen.
    let lines: Vec<String> = frame.live.lines.iter().map(ToString::to_string).collect();
    assert!(lines.iter().any(|line| line.contains("row 59")) && lines[0].contains("row 52"), "{lines:?}");
    assert!(!frame.above.iter().any(|line| line.to_string().contains("row")));
}

#[test]
fn a_command_leaves_the_context_as_full_as_it_was() {
    let mut table = ScreenTester::new(80, 24);
    let step = |usage| {
        let (fragments, calls, citations) = (Vec::new(), Vec::new(), Vec::new());
        Report::StepDone { fragments, calls, finish: "STOP".into(), usage, citations, response: None }
    };
    table.seat.prompts("go");
    table.session.thinks(step(ModelUsage { prompt: 400_000, ..ModelUsage::default() }));
    table.follow();
    assert!(table.sees().contains("60% context left"));
    table.seat.prompts("/about");
    table.session.thinks(Report::Commanded { name: "about".into() });
    table.session.thinks(step(ModelUsage::default()));
    table.follow();
    assert!(table.sees().contains("60% context left"));
}

#[test]
fn a_list_that_the_tool_refused_is_not_shown() {
    let mut table = ScreenTester::new(80, 24);
    table.seat.prompts("go");
    let list = |item: &str| ("write_todos", json!({ "todos": [{ "description": item, "status": "in_progress" }] }));
    let calls = table.session.calls(&[list("the real one"), list("two at once")]);
    for call in &calls {
        table.session.vets(*call, ToolKind::Read, PolicyVerdict::allow("its own list"));
        table.session.runs(*call, Report::Starting);
    }
    table.follow();
    assert!(!table.sees().contains("▸ the real one"), "nothing is written yet");
    table.session.ends_call(calls[0], CallResult::default());
    let error = CallError { kind: "bad_arguments".into(), message: "only one is in progress".into() };
    table.session.runs(calls[1], Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    table.follow();
    let seen = table.sees();
    assert!(seen.contains("▸ the real one") && !seen.contains("▸ two at once"), "{seen}");
}

/// The same scene at three widths, for a snapshot.
fn at_widths(scene: impl Fn(&mut ScreenTester)) -> String {
    let seen = [40, 80, 120].map(|width| {
        let mut table = ScreenTester::new(width, 24);
        scene(&mut table);
        format!("=== {width} columns\n{}", table.sees().trim_end())
    });
    seen.join("\n\n")
}
