use super::*;
use crate::config::fake_machine::FakeMachine;
use pollux_policy::FolderTrust;
use pretty_assertions::assert_eq;

#[test]
fn the_agent_is_told_of_memory_and_commands() {
    let machine = FakeMachine::new()
        .file("home/.gemini/extensions/one/gemini-extension.json", r#"{"name": "one", "version": "1.0"}"#)
        .file("home/.gemini/extensions/one/GEMINI.md", "remember")
        .file("home/.gemini/extensions/one/commands/hi.toml", "prompt = 'hi'")
        .file("ws/.gemini/extensions/two/gemini-extension.json", r#"{"name": "two", "version": "2.0"}"#);
    let config = machine.in_workspace(FolderTrust::Untrusted);
    let folder = machine.path("home/.gemini/extensions/one");
    let memory = ExtensionMemory { file: folder.join("GEMINI.md"), folder: folder.clone() };
    assert_eq!(context_files(&config), [memory]);
    let note = ExtensionNote {
        name: "one".into(),
        version: "1.0".into(),
        active: true,
        commands: Some(folder.join("commands")),
    };
    assert_eq!(notes(&config), [note]);
}
