//! Keys in, text and cursor out.

mod completing;
mod editing;
mod pictures;
mod queue;
mod random_keys;
mod rows;
mod vi;

use super::folded_pastes::is_stand_in;
use super::{CompletionCandidates, Composer, ComposerOutcome};
use crate::screen::keymap::Keymap;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{ArgumentInfo, CommandInfo};
use std::sync::Arc;

/// A composer with three earlier prompts.
pub(super) fn composer() -> Composer {
    let history = ["fix the tests", "!cargo test", "explain\nthis"].map(str::to_owned);
    Composer::new(Arc::new(Keymap::defaults()), history.to_vec())
}

/// Read `ab<C-a><Enter>` as keys.
pub(super) fn keys(spelled: &str) -> Vec<KeyEvent> {
    let mut keys = Vec::new();
    let mut rest = spelled;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|after| after.split_once('>')).filter(|(name, _)| name.len() > 1);
        match named {
            Some((name, after)) => {
                keys.push(key(name));
                rest = after;
            }
            None => {
                let modifiers = if first.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
                keys.push(KeyEvent::new(KeyCode::Char(first), modifiers));
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    keys
}

fn key(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = name;
    for (prefix, modifier) in [("C-", KeyModifiers::CONTROL), ("A-", KeyModifiers::ALT), ("S-", KeyModifiers::SHIFT)] {
        if let Some(after) = rest.strip_prefix(prefix) {
            modifiers |= modifier;
            rest = after;
        }
    }
    let code = match rest {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "BS" => KeyCode::Backspace,
        "Del" => KeyCode::Delete,
        letter => KeyCode::Char(letter.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

/// Press keys; what came of the last one.
pub(super) fn press(composer: &mut Composer, spelled: &str) -> ComposerOutcome {
    keys(spelled).into_iter().map(|key| composer.key(key)).last().unwrap_or(ComposerOutcome::Nothing)
}

/// The text with its cursor, folded texts by their labels, and a `!` before a command for the shell.
pub(super) fn shown(composer: &Composer) -> String {
    let (before, after) = composer.buffer.text().split_at(composer.buffer.cursor());
    let label = |text: &str| {
        let each = text.chars().map(|ch| match composer.pastes.label(ch) {
            Some(label) if is_stand_in(ch) => label.to_owned(),
            _ => ch.to_string(),
        });
        each.collect::<String>()
    };
    let sign = if composer.buffer.input_mode == super::InputMode::Shell { "!" } else { "" };
    format!("{sign}{}|{}", label(before), label(after))
}

/// Each row: keys, and what the text is then.
pub(super) fn check(table: &[(&str, &str)]) {
    for (spelled, wanted) in table {
        let mut composer = composer();
        press(&mut composer, spelled);
        assert_eq!(shown(&composer), *wanted, "after {spelled}");
    }
}

pub(super) fn offer_files(composer: &mut Composer) {
    let paths = [
        "Cargo.toml",
        "README.md",
        "notes.txt",
        "my notes (old).md",
        "src/lib.rs",
        "src/main.rs",
        "src/screen/composer.rs",
        "src/screen/composer/notes.rs",
        "tests/other/common_notes.rs",
    ];
    composer.offer(CompletionCandidates::Files(Arc::new(paths.map(str::to_owned).to_vec())));
}

pub(super) fn offer_commands(composer: &mut Composer) {
    let command = |name: &str, description: &str| CommandInfo {
        name: name.into(),
        description: description.into(),
        ..CommandInfo::default()
    };
    let tag = ArgumentInfo { name: "tag".into(), required: true, ..ArgumentInfo::default() };
    let mut chat = command("chat", "keep and take up conversations");
    chat.subcommands = vec![
        command("list", "list what was kept"),
        CommandInfo { arguments: vec![tag], ..command("save", "keep this conversation") },
    ];
    let mut commands = vec![
        chat,
        command("clear", "start afresh"),
        command("compress", "let a summary stand for the conversation so far, which makes room for more of it"),
        command("copy", "put the last answer into the clipboard"),
    ];
    commands.extend(["help", "memory", "model", "quit", "stats", "theme"].map(|name| command(name, "")));
    composer.offer(CompletionCandidates::Commands(commands, Vec::new()));
}
