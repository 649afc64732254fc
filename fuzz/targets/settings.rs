//! Settings files in their three forms: JSON and YAML say what other readers say, variables survive being written down, and
//! whatever a workspace's file holds, it only narrows.

#![no_main]

use pollux_cli::{FuzzedSettings, NarrowedSetting};
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = FuzzedSettings::read(text);
    if let Ok(strict @ Value::Object(_)) = serde_json::from_str::<Value>(text) {
        match &read.json {
            Ok(json) => assert_eq!(*json, strict, "{text:?}"),
            Err(why) => assert!(why.contains("is set twice"), "{why}: {text:?}"),
        }
        // YAML has JSON in it, but for a few escapes and long names.
        if let Ok(yaml) = &read.yaml {
            assert_eq!(*yaml, strict, "{text:?}");
        }
    }
    check_variables(text, &read);
    assert_eq!(read.servers, 0, "a workspace adds servers: {text:?}");
    for narrowed in &read.narrowed {
        check_narrowed(narrowed);
    }
});

fn check_variables(text: &str, read: &FuzzedSettings) {
    let mut written = String::new();
    for (name, value) in &read.variables {
        let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
        assert!(is_name && text.contains(name), "{name:?}");
        let value = value.replace('\\', r"\\").replace('"', r#"\""#);
        written.push_str(&format!("export {name}=\"{value}\" # it\n"));
    }
    let again = FuzzedSettings::read(&written);
    assert_eq!((&again.variables, again.bad_lines), (&read.variables, 0), "{written:?}");
    // A line at the end counts, whatever stands before it.
    let longer = FuzzedSettings::read(&format!("{text}\nLAST_ONE=1\n"));
    assert_eq!(longer.variables.last(), Some(&("LAST_ONE".into(), "1".into())), "{text:?}");
}

fn check_narrowed(NarrowedSetting { name, before, after }: &NarrowedSetting) {
    let names = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let (names_before, names_after) = (names(before), names(after));
    let is_narrower = match *name {
        "general.maxAttempts"
        | "model.maxSessionTurns"
        | "tools.shell.inactivityTimeout"
        | "tools.truncateToolOutputThreshold" => {
            let number = |value: &Value| value.as_i64().map(|number| if number < 0 { i64::MAX } else { number });
            number(after) < number(before) && after.as_i64() != Some(-1)
        }
        "context.fileFiltering.respectGitIgnore"
        | "context.fileFiltering.respectGeminiIgnore"
        | "security.disableYoloMode"
        | "security.disableAlwaysAllow" => *after == Value::Bool(true),
        "tools.exclude" | "tools.confirmationRequired" | "mcp.excluded" => {
            names_before.iter().all(|name| names_after.contains(name))
        }
        "tools.core" | "mcp.allowed" => names_after.iter().all(|name| names_before.contains(name)),
        "context.fileName" => names_after
            .iter()
            .all(|name| !name.contains('/') && !name.starts_with('.') && name.to_lowercase().ends_with(".md")),
        "context.fileFiltering.customIgnoreFilePaths" => {
            let is_outside = |name: &String| name.starts_with('/') || name.split('/').any(|part| part == "..");
            names_before.iter().all(|name| names_after.contains(name)) && !names_after.iter().any(is_outside)
        }
        _ => false,
    };
    assert!(is_narrower, "a workspace makes {name} {after} where it was {before}");
}
