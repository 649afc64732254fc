//! What the tests of the layers share: keys by name, pictures as text, and what holds for every picture.

use super::Overlay;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::{Theme, dark};
use crate::testing::assert_harmless;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{EntryAuthor, EntryOrigin, SessionView};
use std::fmt::Write as _;

/// The key of this name: `C-s`, `enter`, `x`.
pub(super) fn key(name: &str) -> KeyEvent {
    let (modifiers, bare) = match name {
        name if name.starts_with("C-") => (KeyModifiers::CONTROL, &name[2..]),
        name if name.starts_with("A-") => (KeyModifiers::ALT, &name[2..]),
        name => (KeyModifiers::NONE, name),
    };
    let code = match bare {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "back" => KeyCode::Backspace,
        "space" => KeyCode::Char(' '),
        one => {
            let mut chars = one.chars();
            let ch = chars.next().unwrap();
            assert_eq!(chars.next(), None, "no key is called {name}");
            KeyCode::Char(ch)
        }
    };
    KeyEvent::new(code, modifiers)
}

/// The picture as text, after looking that it keeps to its screen and that nothing in it acts on a terminal.
pub(super) fn text(picture: &RenderedLines, width: u16, height: u16) -> String {
    assert!(picture.lines.len() <= usize::from(height), "{} lines of {height}", picture.lines.len());
    let mut text = String::new();
    for line in &picture.lines {
        let drawn = line.to_string();
        assert!(line.width() <= usize::from(width), "wider than {width}: {drawn:?}");
        assert!(!drawn.contains(['\n', '\t']), "{drawn:?}");
        assert_harmless(&drawn);
        let _ = writeln!(text, "{}", drawn.trim_end());
    }
    if let Some(cursor) = picture.cursor {
        assert!(cursor.x < width && usize::from(cursor.y) < picture.lines.len(), "{cursor:?} of {width}");
        let _ = writeln!(text, "(cursor at column {}, line {})", cursor.x, cursor.y);
    }
    text
}

/// The layer on screens of 40, 80 and 120 columns.
pub(super) fn shots(height: u16, picture: impl Fn(u16, u16, &Theme) -> RenderedLines) -> String {
    let shot = |width| format!("== {width}x{height}\n{}", text(&picture(width, height, &dark()), width, height));
    [40, 80, 120].map(shot).join("\n")
}

/// As [`shots`], for a layer.
pub(super) fn shots_of(layer: &dyn Overlay) -> String {
    shots(24, |width, height, theme| layer.render(width, height, theme))
}

/// What a terminal knows of a session.
pub(super) fn view_of(session: &crate::testing::FakeSession) -> SessionView {
    let mut view = SessionView::new(EntryAuthor::Client { principal: "local".into(), label: "terminal".into() });
    for entry in session.entries() {
        view.apply(&entry, EntryOrigin::Other);
    }
    view
}
