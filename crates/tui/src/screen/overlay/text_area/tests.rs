use super::{TextArea, TextAreaMode};
use crate::screen::theme::dark;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pretty_assertions::assert_eq;

fn press(pad: &mut TextArea, keys: &[&str]) {
    for key in keys {
        let (modifiers, name) = match key.strip_prefix("C-") {
            Some(name) => (KeyModifiers::CONTROL, name),
            None => (KeyModifiers::NONE, *key),
        };
        let code = match name {
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "enter" => KeyCode::Enter,
            "back" => KeyCode::Backspace,
            "del" => KeyCode::Delete,
            name => KeyCode::Char(name.chars().next().unwrap()),
        };
        assert!(pad.key(KeyEvent::new(code, modifiers)), "{key} is not taken");
    }
}

/// The text after these keys, with `|` where the cursor is.
fn after(rows: TextAreaMode, text: &str, keys: &[&str]) -> String {
    let mut pad = TextArea::new(rows, text);
    press(&mut pad, keys);
    let (line, at) = (pad.line, pad.at);
    pad.lines[line].insert(at, '|');
    pad.text()
}

#[test]
fn keys_change_one_line() {
    let table: &[(&[&str], &str)] = &[
        (&["x"], "one twox|"),
        (&["left", "back"], "one t|o"),
        (&["home", "del"], "|ne two"),
        (&["C-a", "x", "C-e", "y"], "xone twoy|"),
        (&["C-w"], "one |"),
        (&["C-left", "C-k"], "one |"),
        (&["C-left", "C-u"], "|two"),
        (&["home", "C-right", "C-right", "right", "back"], "one tw|"),
    ];
    for (keys, wanted) in table {
        assert_eq!(after(TextAreaMode::SingleLine, "one two", keys), *wanted, "{keys:?}");
    }
}

#[test]
fn keys_change_several_lines() {
    let table: &[(&[&str], &str)] = &[
        (&["down", "end", "enter", "x"], "ab\ncd\nx|\nef"),
        (&["down", "back"], "ab|cd\nef"),
        (&["end", "del"], "ab|cd\nef"),
        (&["end", "right", "left", "left"], "a|b\ncd\nef"),
        (&["end", "down", "down", "down", "up"], "ab\ncd|\nef"),
    ];
    for (keys, wanted) in table {
        assert_eq!(after(TextAreaMode::MultiLine, "ab\ncd\nef", keys), *wanted, "{keys:?}");
    }
}

#[test]
fn a_character_is_what_a_person_sees() {
    assert_eq!(after(TextAreaMode::SingleLine, "ae\u{301}", &["back"]), "a|");
    assert_eq!(after(TextAreaMode::SingleLine, "x👩‍👧", &["left"]), "x|👩‍👧");
}

#[test]
fn text_comes_back_to_the_letter() {
    for text in ["", "\n", "a\r\nb\n\n", "\tx\u{1b}[2J"] {
        assert_eq!(TextArea::new(TextAreaMode::MultiLine, text).text(), text);
    }
}

#[test]
fn pasted_line_breaks_are_ours() {
    let mut pad = TextArea::new(TextAreaMode::MultiLine, "");
    pad.insert("a\rb\r\nc\nd");
    assert_eq!(pad.text(), "a\nb\nc\nd");
    let mut pad = TextArea::new(TextAreaMode::SingleLine, "");
    pad.insert("a\r\nb");
    assert_eq!(pad.text(), "a b");
}

#[test]
fn the_cursor_stays_on_the_screen() {
    let text = (0..50).map(|number| format!("line {number} is so long")).collect::<Vec<_>>().join("\n");
    let mut pad = TextArea::new(TextAreaMode::MultiLine, &text);
    for step in 0..60 {
        let picture = pad.render("| ", "  ", 12, 5, &dark());
        assert!(picture.lines.len() <= 5);
        let cursor = picture.cursor.unwrap();
        let row = picture.lines[usize::from(cursor.y)].to_string();
        assert!(cursor.x < 12 && usize::from(cursor.y) < 5, "{cursor:?} at {step}");
        if step < 50 {
            assert!(picture.lines.iter().any(|line| line.to_string().contains(&format!("{step} "))), "{row} at {step}");
        }
        press(&mut pad, &["down"]);
    }
}

#[test]
fn one_endless_line_is_followed_too() {
    let pad = TextArea::new(TextAreaMode::SingleLine, &"x".repeat(1000));
    let picture = pad.render("", "", 10, 3, &dark());
    assert_eq!(picture.lines.len(), 3);
    assert_eq!(picture.cursor.map(|cursor| (cursor.x, cursor.y)), Some((1, 2)));
}
