use super::*;
use crate::config::fake_machine::FakeMachine;
use pollux_policy::FolderTrust;
use pretty_assertions::assert_eq;

const SETTINGS: &str = r#"{
  "model": {"name": "m\u001b[2J"},
  "tools": {"exclude": ["x"]},
  "ui": {"theme": "hush-theme"},
  "mcpServers": {
    "run": {"command": "npx", "args": ["--token=hush"], "env": {"TOKEN": "hush"}, "trust": true},
    "web": {"httpUrl": "https://me:hush@example.test/path?key=hush", "headers": {"Authorization": "hush"},
            "oauth": {"clientSecret": "hush"}},
    "sse": {"url": "http://127.0.0.1:9/hush"}
  }
}"#;

fn machine() -> FakeMachine {
    FakeMachine::new()
        .file("home/.gemini/settings.json", SETTINGS)
        .file("home/.gemini/.env", "OPENAI_API_KEY=hush")
        .file("ws/.gemini/settings.json", r#"{"tools": {"exclude": ["y"]}}"#)
        .var("GEMINI_API_KEY", "hush")
        .var("GOOGLE_GEMINI_BASE_URL", "https://hush.test")
}

fn shown(form: ListingFormat, trust: FolderTrust) -> String {
    let machine = machine();
    let mut out = Vec::new();
    write(&machine.in_workspace(trust), form, &mut out).unwrap();
    machine.strip_directory(&String::from_utf8(out).unwrap())
}

/// The lines of the table, columns parted by ` | `.
fn lines(text: &str) -> Vec<String> {
    let columns =
        |line: &str| line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect::<Vec<_>>().join(" | ");
    text.lines().map(columns).collect()
}

#[test]
fn every_setting_is_shown_with_its_origin() {
    let lines = lines(&shown(ListingFormat::Table, FolderTrust::Trusted));
    let wanted = [
        r#"model.name | "m\u{1b}[2J" | home/.gemini/settings.json:2"#,
        r#"tools.exclude | ["x", "y"] | home/.gemini/settings.json:3, ws/.gemini/settings.json:1"#,
        "tools.core | not set | default",
        "model.maxSessionTurns | no limit | default",
        "general.defaultApprovalMode | default | default",
        r#"mcpServers.run | runs "npx", 1 argument, 1 variable, trusted: never asks | home/.gemini/settings.json:6"#,
        r#"mcpServers.web | http "example.test", 1 header, oauth | home/.gemini/settings.json:7"#,
        r#"mcpServers.sse | http or sse "127.0.0.1:9", 0 headers | home/.gemini/settings.json:9"#,
        "GEMINI_API_KEY | set | environment GEMINI_API_KEY",
        "OPENAI_API_KEY | set | OPENAI_API_KEY in home/.gemini/.env:1",
        "ui.theme | set, not used | home/.gemini/settings.json:4",
        "ws/.gemini/settings.json: read",
        "home/.config/pollux/settings.json: not there",
    ];
    for line in wanted {
        assert!(lines.iter().any(|shown| shown == line), "no line {line} in {lines:#?}");
    }
}

#[test]
fn a_list_needs_no_columns() {
    let list = shown(ListingFormat::List(SettingsSelection::All), FolderTrust::Trusted);
    for line in [
        r#"- tools.exclude = `["x", "y"]` (home/.gemini/settings.json:3, ws/.gemini/settings.json:1)"#,
        "- tools.core = `not set` (default)",
        "- `ws/.gemini/settings.json`: read",
    ] {
        assert!(list.lines().any(|shown| shown == line), "no line {line} in {list}");
    }
}

#[test]
fn no_secret_is_shown_in_any_form() {
    for form in [ListingFormat::Table, ListingFormat::List(SettingsSelection::All), ListingFormat::Json] {
        let shown = shown(form, FolderTrust::Trusted);
        assert!(!shown.contains("hush"), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn an_untrusted_workspace_is_said_to_be_left_out() {
    let lines = lines(&shown(ListingFormat::Table, FolderTrust::Untrusted));
    let wanted = "ws/.gemini/settings.json: not read, the folder is not trusted";
    assert!(lines.iter().any(|line| line == wanted), "{lines:#?}");
}

#[test]
fn json_has_the_same_for_programs() {
    let json: Value = serde_json::from_str(&shown(ListingFormat::Json, FolderTrust::Trusted)).unwrap();
    let setting =
        |key: &str| json["settings"].as_array().unwrap().iter().find(|row| row["key"] == key).cloned().unwrap();
    let exclude = json!({
        "key": "tools.exclude",
        "value": ["x", "y"],
        "origins": ["home/.gemini/settings.json:3", "ws/.gemini/settings.json:1"],
        "meaning": "tools that the model is not offered",
    });
    assert_eq!(setting("tools.exclude"), exclude);
    assert_eq!(setting("model.maxSessionTurns")["value"], -1);
    assert_eq!(setting("tools.core")["value"], Value::Null);
    assert_eq!(
        json["variables"][0],
        json!({"name": "GEMINI_API_KEY", "set": true, "origin": "environment GEMINI_API_KEY"})
    );
    assert_eq!(json["variables"][2], json!({"name": "GOOGLE_API_KEY", "set": false, "origin": null}));
    assert_eq!(json["unused"], json!([{"key": "ui.theme", "origin": "home/.gemini/settings.json:4"}]));
    assert_eq!(json["files"][6], json!({"path": "ws/.gemini/settings.json", "state": "read"}));
    // Later ones win, and nothing wins over what the machine's administrator says.
    assert_eq!(json["files"][7], json!({"path": "etc/settings.json", "state": "read"}));
    assert_eq!(json["warnings"], json!([]));
}

#[test]
fn a_host_is_shown_without_what_is_around_it() {
    let cases =
        [("https://a.test/x", "a.test"), ("http://u:p@b.test:1?q", "b.test:1"), ("https://[::1]:2#f", "[::1]:2")];
    for (url, shown) in cases {
        assert_eq!(host(url), shown);
    }
}

#[test]
fn the_short_list_has_what_somebody_set_and_counts_the_rest() {
    let list = shown(ListingFormat::List(SettingsSelection::Set), FolderTrust::Trusted);
    for part in ["- model.name = ", "- tools.exclude = ", "- mcpServers.run = ", "- GEMINI_API_KEY = `set`"] {
        assert!(list.contains(part), "{part} is not in {list}");
    }
    assert!(list.ends_with("sets `general.defaultApprovalMode`.\n"), "{list}");
    assert!(!list.contains("(default)") && !list.contains("tools.core"), "{list}");
    let all = shown(ListingFormat::List(SettingsSelection::All), FolderTrust::Trusted);
    let defaults = all.lines().filter(|line| line.ends_with("(default)")).count();
    assert!(list.contains(&format!("\n{defaults} more have their default: `/settings all` lists them.\n")), "{list}");
    let mut out = Vec::new();
    let list = ListingFormat::List(SettingsSelection::Set);
    write(&FakeMachine::new().in_workspace(FolderTrust::Trusted), list, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().starts_with("Nothing is set: every setting has its default."));
}
