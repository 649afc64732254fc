//! `keybindings.json`: a list of `{ "command": "...", "key": "..." }`, with comments. A `-` before a command takes the
//! key away from it.

use super::Keymap;
use super::chord::Chord;
use super::key_action::{ACTIONS, KeyAction};
use crate::sanitize::one_line;
use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};

/// Change `keymap` as the file says; a sentence for everything in it that could not be followed. The rest counts.
pub(super) fn apply_bindings_file(keymap: &mut Keymap, text: &str) -> Vec<String> {
    let options = ParseOptions::default();
    let list = match parse_to_value(text, &options) {
        Ok(None) => return Vec::new(),
        Ok(Some(JsonValue::Array(list))) => list,
        Ok(Some(_)) => return vec![format!("the key bindings are no list; {FORM}")],
        Err(error) => {
            return vec![format!("the key bindings are not JSON: {}; {FORM}", one_line(&error.to_string(), 200))];
        }
    };
    let each = list.into_iter().enumerate();
    each.filter_map(|(at, binding)| {
        apply_binding(keymap, &binding).err().map(|what| format!("key binding {}: {what}", at + 1))
    })
    .collect()
}

const FORM: &str = "write [{ \"command\": \"input.newline\", \"key\": \"ctrl+o\" }]";

fn apply_binding(keymap: &mut Keymap, binding: &JsonValue<'_>) -> Result<(), String> {
    let JsonValue::Object(binding) = binding else { return Err(format!("it is no object; {FORM}")) };
    let word = |field: &str| match binding.get(field) {
        Some(JsonValue::String(word)) => Ok(word.trim()),
        Some(_) => Err(format!("\"{field}\" is no text; {FORM}")),
        None => Err(format!("it has no \"{field}\"; {FORM}")),
    };
    let (command, key) = (word("command")?, word("key")?);
    let shown = |text: &str| one_line(text, 80);
    let chord = Chord::parse(key).map_err(|what| format!("`{}` {what}", shown(key)))?;
    match command.strip_prefix('-') {
        None => keymap.bindings.push((chord, find_action(command)?)),
        Some(command) => {
            let (action, before) = (find_action(command)?, keymap.bindings.len());
            keymap.bindings.retain(|bound| *bound != (chord, action));
            if keymap.bindings.len() == before {
                return Err(format!("{chord} was not bound to `{command}`, so nothing was taken away"));
            }
        }
    }
    Ok(())
}

fn find_action(name: &str) -> Result<KeyAction, String> {
    // Gemini CLI tells sending from confirming; here they are one.
    let wanted = if name == "basic.confirm" { "input.submit" } else { name };
    let known = ACTIONS.iter().find(|info| info.name == wanted).map(|info| info.action);
    known.ok_or_else(|| format!("there is no command `{}`; {}", one_line(name, 80), suggest_commands(name)))
}

/// What may have been meant: a command of the same end, those of the same area, or the areas.
fn suggest_commands(name: &str) -> String {
    let area = |name: &'static str| name.split_once('.').map_or(name, |(area, _)| area);
    let same: Vec<&str> =
        ACTIONS.iter().map(|info| info.name).filter(|known| name.starts_with(&format!("{}.", area(known)))).collect();
    match nearest_command(name) {
        Some(near) => format!("{near} is the nearest"),
        None if !same.is_empty() => format!("there are {}", same.join(", ")),
        None => {
            let mut areas: Vec<&str> = ACTIONS.iter().map(|info| area(info.name)).collect();
            areas.sort_unstable();
            areas.dedup();
            format!("commands begin with {}.", areas.join("., "))
        }
    }
}

/// The command that shares the longest end with a name nobody knows: ends say what is done, starts only where.
fn nearest_command(name: &str) -> Option<&'static str> {
    let shared = |known: &str| {
        let pairs = known.chars().rev().zip(name.chars().rev());
        pairs.take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count()
    };
    let names = ACTIONS.iter().map(|info| info.name);
    names.max_by_key(|known| shared(known)).filter(|known| shared(known) >= 4)
}
