use super::{ACTIONS, Chord, KeyAction, Keymap};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use pretty_assertions::assert_eq;

fn press(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
    KeyEvent::new(code, modifiers)
}

#[test]
fn every_default_key_can_be_read_and_is_bound_once() {
    let spelled: Vec<&str> = ACTIONS.iter().flat_map(|info| info.keys).copied().collect();
    let read: Vec<_> = spelled.iter().map(|key| Chord::parse(key).unwrap()).collect();
    assert_eq!(Keymap::defaults().bindings.len(), spelled.len());
    for (at, chord) in read.iter().enumerate() {
        assert!(!read[..at].contains(chord), "{chord} is bound twice");
    }
}

#[test]
fn every_action_has_one_name() {
    let names: Vec<_> = Keymap::names().map(|(name, _)| name).collect();
    for (at, name) in names.iter().enumerate() {
        assert!(!names[..at].contains(name), "{name}");
    }
}

#[test]
fn a_press_is_the_same_however_the_terminal_spells_it() {
    let keys = Keymap::defaults();
    let (none, ctrl, shift, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::SHIFT, KeyModifiers::ALT);
    for (code, modifiers, action) in [
        (KeyCode::BackTab, none, Some(KeyAction::CycleMode)),
        (KeyCode::BackTab, shift, Some(KeyAction::CycleMode)),
        (KeyCode::Tab, shift, Some(KeyAction::CycleMode)),
        (KeyCode::Char('Z'), alt | shift, Some(KeyAction::Redo)),
        (KeyCode::Char('Z'), alt, Some(KeyAction::Redo)),
        (KeyCode::Char('z'), alt | shift, Some(KeyAction::Redo)),
        (KeyCode::Char('z'), alt, Some(KeyAction::Undo)),
        (KeyCode::Char('_'), ctrl | shift, Some(KeyAction::Undo)),
        (KeyCode::Char('7'), ctrl, Some(KeyAction::Undo)),
        (KeyCode::Char('?'), shift, Some(KeyAction::Help)),
        (KeyCode::Char('c'), ctrl, Some(KeyAction::Interrupt)),
        (KeyCode::Char('c'), ctrl | alt, None),
        (KeyCode::Char('C'), shift, None),
        (KeyCode::Enter, none, Some(KeyAction::Submit)),
        (KeyCode::Enter, shift, Some(KeyAction::NewLine)),
        (KeyCode::Enter, alt, Some(KeyAction::NewLine)),
        (KeyCode::Char('j'), ctrl, Some(KeyAction::NewLine)),
        (KeyCode::Up, alt, Some(KeyAction::EditQueue)),
    ] {
        assert_eq!(keys.action(&press(code, modifiers)), action, "{code:?} {modifiers:?}");
    }
    let mut released = press(KeyCode::Enter, none);
    released.kind = KeyEventKind::Release;
    assert_eq!(keys.action(&released), None, "a key that goes up does nothing");
}

#[test]
fn a_file_adds_moves_and_removes() {
    let (keys, complaints) = Keymap::with_file(
        r#"[
            // the person's own
            { "command": "app.clearScreen", "key": "F5" },
            { "command": "-app.toggleYolo", "key": "ctrl+y" },
            { "command": "edit.yank", "key": "ctrl+y" },
            { "command": "basic.confirm", "key": "opt+s" },
            { "command": "cursor.right", "key": "Å" },
            { "command": "edit.clear", "key": "shift+alt+pagedown" },
        ]"#,
    );
    assert_eq!(complaints, Vec::<String>::new());
    let (none, ctrl, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
    for (code, modifiers, action) in [
        (KeyCode::F(5), none, KeyAction::Redraw),
        (KeyCode::Char('l'), ctrl, KeyAction::Redraw),
        (KeyCode::Char('y'), ctrl, KeyAction::Yank),
        (KeyCode::Char('s'), alt, KeyAction::Submit),
        (KeyCode::Char('Å'), none, KeyAction::CursorRight),
        (KeyCode::PageDown, alt | KeyModifiers::SHIFT, KeyAction::ClearText),
    ] {
        assert_eq!(keys.action(&press(code, modifiers)), Some(action), "{code:?}");
    }
    let listing = keys.listing();
    let keys_of = |does: &str| listing.iter().find(|(_, row)| *row == does).map(|(keys, _)| keys.as_str());
    assert_eq!(keys_of("paste the last deleted text"), Some("Alt+Y, Ctrl+Y"));
    assert_eq!(keys_of("redraw the screen"), Some("Ctrl+L, F5"));
    assert_eq!(keys_of("switch yolo mode on (nothing asks) or off"), None, "nothing is listed that no key does");
    assert_eq!(keys.keys(KeyAction::Yolo), [""; 0]);
}

#[test]
fn a_key_taken_over_is_listed_where_it_counts() {
    let (keys, complaints) = Keymap::with_file(r#"[{ "command": "edit.undo", "key": "ctrl+p" }]"#);
    assert_eq!(complaints, Vec::<String>::new());
    let listing = keys.listing();
    assert!(!listing.iter().any(|(_, does)| *does == "previous prompt"));
    assert!(listing.contains(&("Ctrl+_, Ctrl+7, Alt+Z, Ctrl+P".into(), "undo")));
}

#[test]
fn what_cannot_be_followed_is_said_and_the_rest_counts() {
    let (keys, complaints) = Keymap::with_file(
        r#"[
            { "command": "app.fly", "key": "ctrl+g" },
            { "command": "text.newline", "key": "ctrl+g" },
            { "command": "edit.undo", "key": "ctrl+hyper" },
            { "command": "edit.undo", "key": "ctrl+" },
            { "command": "edit.undo" },
            { "key": "f5" },
            { "command": 5, "key": "f5" },
            "edit.undo",
            { "command": "-edit.undo", "key": "f5" },
            { "command": "-\u001b[2Jwild", "key": "f5" },
            { "command": "edit.redo", "key": "f6" }
        ]"#,
    );
    assert_eq!(keys.action(&press(KeyCode::F(6), KeyModifiers::NONE)), Some(KeyAction::Redo));
    insta::assert_snapshot!(complaints.join("\n"));
}

#[test]
fn files_that_are_no_list() {
    let shown = |text: &str| {
        let (keys, complaints) = Keymap::with_file(text);
        assert_eq!(keys, Keymap::defaults());
        complaints.join("\n")
    };
    assert_eq!(shown(""), "");
    insta::assert_snapshot!([shown("{}"), shown("[{]"), shown("\u{1b}]0;x")].join("\n"));
}

#[test]
fn the_listing() {
    let rows = Keymap::defaults().listing();
    let lines: Vec<String> = rows.iter().map(|(keys, does)| format!("{keys:<44} {does}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
