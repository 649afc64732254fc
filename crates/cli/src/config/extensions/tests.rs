use super::*;
use crate::config::fake_machine::FakeMachine;
use crate::config::{Config, ConfiguredTransport, McpServerEntry};
use pollux_policy::FolderTrust;
use pretty_assertions::assert_eq;

const OWN: &str = "home/.gemini/extensions/one/gemini-extension.json";
const THEIRS: &str = "ws/.gemini/extensions/two/gemini-extension.json";

/// Name, version and state of each.
fn listed(config: &Config) -> Vec<String> {
    let one = |extension: &InstalledExtension| {
        format!("{} {} {}", extension.name, extension.version, if extension.enabled { "on" } else { "off" })
    };
    config.extensions.iter().map(one).collect()
}

fn server<'a>(config: &'a Config, name: &str) -> &'a McpServerEntry {
    &config.servers.iter().find(|server| server.name == name).unwrap().server
}

#[test]
fn an_extension_brings_servers_memory_commands_and_forbidden_tools() {
    let manifest = r#"{
        "name": "one", "version": "1.2.3", "description": "first",
        "mcpServers": {"s": {"command": "node", "args": ["${extensionPath}${/}s.js", "${workspacePath}", "$TOKEN"],
                             "trust": true}},
        "contextFileName": ["A.md", "docs/B.md"],
        "excludeTools": ["run_shell_command(rm -rf)"],
        "settings": [{"name": "Key", "envVar": "ONE_KEY", "sensitive": true}]
    }"#;
    let machine = FakeMachine::new()
        .file(OWN, manifest)
        .file("home/.gemini/extensions/one/A.md", "a")
        .file("home/.gemini/extensions/one/docs/B.md", "b")
        .file("home/.gemini/extensions/one/commands/hi.toml", "prompt = 'hi'")
        .file("home/.gemini/extensions/one/.env", "ONE_KEY=k")
        .file("home/.gemini/extensions/empty/notes.txt", "no extension")
        .var("TOKEN", "t");
    let config = machine.in_workspace(FolderTrust::Untrusted);
    assert_eq!(listed(&config), ["one 1.2.3 on"]);
    let found = server(&config, "s");
    assert_eq!(found.trust, crate::config::ServerTrust::Asks);
    let ConfiguredTransport::Stdio { args, env, .. } = &found.transport else { panic!("it is a program") };
    let path = |name: &str| machine.path(name).display().to_string();
    assert_eq!(*args, [path("home/.gemini/extensions/one/s.js"), path("ws"), "t".into()]);
    assert_eq!(env.get("ONE_KEY").map(|secret| secret.reveal()), Some("k"));
    let [one] = config.extensions.as_slice() else { panic!("there is one") };
    let files = ["A.md", "docs/B.md"].map(|name| machine.path("home/.gemini/extensions/one").join(name));
    assert_eq!(one.context_files, files);
    assert_eq!(one.commands, Some(machine.path("home/.gemini/extensions/one/commands")));
    assert_eq!(config.preferences.excluded_tools, ["run_shell_command(rm -rf)"]);
    assert_eq!(machine.origin(&config, "tools.exclude"), format!("{OWN}:6"));
    assert_eq!(
        machine.warnings(&config),
        [format!("{OWN}:3: mcpServers.s.trust is not for an extension to set: its tools ask")]
    );
}

#[test]
fn settings_go_before_extensions() {
    let manifest = r#"{"name": "one", "version": "1", "mcpServers": {"s": {"url": "http://extension/"}}}"#;
    let machine = FakeMachine::new()
        .file(OWN, manifest)
        .file("home/.gemini/settings.json", r#"{"mcpServers": {"s": {"url": "http://mine/"}}}"#);
    let config = machine.in_workspace(FolderTrust::Untrusted);
    assert!(
        matches!(&server(&config, "s").transport, ConfiguredTransport::HttpOrSse { url, .. } if url == "http://mine/")
    );
}

#[test]
fn a_bad_manifest_is_told_with_its_file_and_field_and_the_rest_goes_on() {
    let cases = [
        ("{", "gemini-extension.json:1:"),
        (r#"{"version": "1"}"#, "name is missing: it must be a non-empty string"),
        (r#"{"name": "x"}"#, "version is missing: it must be a non-empty string"),
        (r#"{"name": "../x", "version": "1"}"#, "name must be letters, digits, - _ and . only"),
        (r#"{"name": 5, "version": "1"}"#, "name must be a non-empty string"),
        (r#"{"name": "x", "version": "1", "excludeTools": "a"}"#, "excludeTools must be a list of non-empty strings"),
        (r#"{"name": "x", "version": "1", "mcpServers": {"s": {}}}"#, "mcpServers.s needs command, url or httpUrl"),
        (r#"{"name": "x", "version": "1", "settings": [{"name": "n"}]}"#, "envVar is missing"),
        (r#"{"name": "one", "version": "1"}"#, "the extension one is left out: one of that name is in"),
    ];
    for (bad, wanted) in cases {
        let machine = FakeMachine::new()
            .file("home/.gemini/extensions/a/gemini-extension.json", r#"{"name": "one", "version": "1"}"#)
            .file("home/.gemini/extensions/b/gemini-extension.json", bad);
        let config = machine.in_workspace(FolderTrust::Untrusted);
        assert_eq!(listed(&config), ["one 1 on"], "{bad}");
        let told = machine.warnings(&config).join("\n");
        assert!(told.contains("home/.gemini/extensions/b/gemini-extension.json") && told.contains(wanted), "{told}");
    }
}

#[test]
fn what_is_only_odd_is_told_and_the_extension_counts() {
    let manifest = r#"{"name": "one", "version": "1", "excludeTool": [], "contextFileName": ["../x.md", "none.md"],
        "mcpServers": {"s": {"url": "http://h/", "headers": {"a": "$NOWHERE"}}}, "settings": [{"name": "k", "envVar": "ONE_KEY"}]}"#;
    let machine = FakeMachine::new().file(OWN, manifest);
    let config = machine.in_workspace(FolderTrust::Untrusted);
    let told = machine.warnings(&config).join("\n");
    for wanted in [
        "an extension has no \"excludeTool\"; did you mean excludeTools?",
        "the extension one wants ONE_KEY: put ONE_KEY=… into home/.gemini/extensions/one/.env",
        "the variable NOWHERE is not set, so $NOWHERE stays as it is",
        "contextFileName: \"../x.md\" is not a file inside the extension",
        "contextFileName: there is no file \"none.md\" in the extension",
    ] {
        assert!(told.contains(wanted), "{wanted} is not in:\n{told}");
    }
}

#[test]
fn a_disabled_extension_is_listed_and_brings_nothing() {
    let manifest =
        r#"{"name": "one", "version": "1", "excludeTools": ["glob"], "mcpServers": {"s": {"command": "x"}}}"#;
    let mut machine = FakeMachine::new().file(OWN, manifest);
    let off = format!(r#"{{"one": {{"overrides": ["!{}/*"]}}}}"#, machine.path("ws").display());
    machine = machine.file("home/.gemini/extensions/extension-enablement.json", &off);
    let config = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(listed(&config), ["one 1 off"]);
    assert_eq!(config.preferences.excluded_tools, Vec::<String>::new());
    assert_eq!(config.servers.len(), 0);
    let elsewhere = machine.load().for_workspace(&machine.path("elsewhere"), FolderTrust::Untrusted);
    assert_eq!(listed(&elsewhere), ["one 1 on"]);
    machine = machine.file("home/.gemini/extensions/extension-enablement.json", "[");
    assert_eq!(listed(&machine.in_workspace(FolderTrust::Trusted)), ["one 1 off"], "a broken file switches nothing on");
}

#[test]
fn a_workspaces_extension_counts_when_it_is_trusted_and_its_servers_when_they_are_allowed() {
    let manifest =
        r#"{"name": "two", "version": "1", "excludeTools": ["glob"], "mcpServers": {"s": {"command": "$SECRET"}}}"#;
    let mut machine = FakeMachine::new().file(THEIRS, manifest).var("SECRET", "mine");
    assert_eq!(listed(&machine.in_workspace(FolderTrust::Untrusted)), Vec::<String>::new());
    let trusted = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(listed(&trusted), ["two 1 on"]);
    assert_eq!((trusted.preferences.excluded_tools.as_slice(), trusted.servers.len()), (&["glob".to_owned()][..], 0));
    let told = machine.warnings(&trusted).join("\n");
    assert!(told.contains("pollux extensions enable two --scope workspace"), "{told}");
    let on = format!(r#"{{"two": {{"overrides": ["{}/*"]}}}}"#, machine.path("ws").display());
    machine = machine.file("home/.gemini/extensions/extension-enablement.json", &on);
    let by_name = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(by_name.servers.len(), 0, "Gemini CLI's file knows names only");
    let [two] = by_name.extensions.as_slice() else { panic!("there is one") };
    two.consent_request.as_ref().unwrap().allow(by_name.consents().unwrap()).unwrap();
    let enabled = machine.in_workspace(FolderTrust::Trusted);
    let ConfiguredTransport::Stdio { command, .. } = &server(&enabled, "s").transport else {
        panic!("it is a program")
    };
    assert_eq!(command, "$SECRET", "the person's environment is none of its business");
}

#[test]
fn a_workspaces_extension_does_not_lead_out_of_it() {
    let machine = FakeMachine::new()
        .file("elsewhere/gemini-extension.json", r#"{"name": "x", "version": "1"}"#)
        .file("ws/.gemini/extensions/keep", "");
    std::os::unix::fs::symlink(machine.path("elsewhere"), machine.path("ws/.gemini/extensions/x")).unwrap();
    let config = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(listed(&config), Vec::<String>::new());
    assert!(machine.warnings(&config).join("\n").contains("leads out of the workspace"));
}

#[test]
fn a_linked_extension_is_read_where_it_lies() {
    let machine = FakeMachine::new().file("work/gemini-extension.json", r#"{"name": "linked", "version": "2"}"#);
    let link = format!(r#"{{"type": "link", "source": "{}"}}"#, machine.path("work").display());
    let machine = machine.file("home/.gemini/extensions/linked/.gemini-extension-install.json", &link);
    assert_eq!(listed(&machine.in_workspace(FolderTrust::Untrusted)), ["linked 2 on"]);
}
