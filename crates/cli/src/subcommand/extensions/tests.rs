use super::*;
use crate::config::fake_machine::FakeMachine;
use pollux_policy::FolderTrust;
use pretty_assertions::assert_eq;

fn machine() -> FakeMachine {
    FakeMachine::new()
        .file("home/.gemini/extensions/one/gemini-extension.json", r#"{"name": "one", "version": "1.0"}"#)
        .file("home/.gemini/extensions/one/GEMINI.md", "remember")
        .file("home/.gemini/extensions/one/commands/hi.toml", "prompt = 'hi'")
        .file("ws/.gemini/extensions/two/gemini-extension.json", r#"{"name": "two", "version": "2.0"}"#)
}

#[test]
fn they_are_listed_with_version_and_state() {
    let machine = machine();
    let config = machine.in_workspace(FolderTrust::Trusted);
    let mut out = Vec::new();
    write(&config, ListingFormat::Table, &mut out).unwrap();
    let table = machine.strip_directory(&String::from_utf8(out).unwrap());
    assert_eq!(
        table,
        "one 1.0  enabled   yours  home/.gemini/extensions/one\ntwo 2.0  enabled   the workspace's  ws/.gemini/extensions/two\n"
    );
    let mut out = Vec::new();
    write(&config, ListingFormat::Json, &mut out).unwrap();
    let told: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!((&told[0]["name"], &told[1]["isActive"]), (&json!("one"), &json!(true)));
    let mut out = Vec::new();
    write(&FakeMachine::new().in_workspace(FolderTrust::Trusted), ListingFormat::Table, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().starts_with("no extensions"));
}

#[test]
fn whoever_allows_tool_servers_is_told_what_they_are() {
    let manifest = r#"{"name": "three", "version": "1", "mcpServers": {
        "run": {"command": "node", "args": ["a b", "\u001b[2J"], "cwd": "/x", "env": {"KEY": "hidden"}},
        "call": {"url": "http://127.0.0.1/mcp", "headers": {"Authorization": "hidden"}}}}"#;
    let machine = FakeMachine::new().file("ws/.gemini/extensions/three/gemini-extension.json", manifest);
    let config = machine.in_workspace(FolderTrust::Trusted);
    let [three] = config.extensions.as_slice() else { panic!("there is one") };
    let mut out = Vec::new();
    allow(three.consent_request.as_ref().unwrap(), config.consents().unwrap(), &mut out).unwrap();
    let told = String::from_utf8(out).unwrap();
    let (first, lines) = told.split_once('\n').unwrap();
    assert!(first.contains("ws/.gemini/extensions/three\", until what it says of them changes:"), "{first}");
    assert_eq!(
        lines,
        "  run runs [\"node\", \"a b\", \"\\u{1b}[2J\"], in \"/x\", with the variables [\"KEY\"]\n  call calls \
         \"http://127.0.0.1/mcp\", with the headers [\"Authorization\"]\n"
    );
    assert_eq!(machine.in_workspace(FolderTrust::Trusted).servers.len(), 2);
}
