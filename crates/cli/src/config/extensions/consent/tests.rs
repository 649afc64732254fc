use crate::config::Config;
use crate::config::fake_machine::FakeMachine;
use pollux_policy::FolderTrust;
use pretty_assertions::assert_eq;

const MANIFEST: &str = "ws/.gemini/extensions/foo/gemini-extension.json";
const ENV: &str = "ws/.gemini/extensions/foo/.env";
const RECORD: &str = "home/.config/pollux/extension-consents.json";
const FOO: &str =
    r#"{"name": "foo", "version": "1", "mcpServers": {"s": {"command": "a", "args": ["b"], "timeout": 5}}}"#;

/// The names of the servers that would be started in `folder`.
fn started(machine: &FakeMachine, folder: &str) -> Vec<String> {
    let config = in_folder(machine, folder);
    config.servers.iter().map(|server| server.name.clone()).collect()
}

fn in_folder(machine: &FakeMachine, folder: &str) -> Config {
    machine.load().for_workspace(&machine.path(folder), FolderTrust::Trusted)
}

/// Allow what the one extension in `ws` asks for.
fn allow(machine: &FakeMachine) -> Result<(), String> {
    let config = in_folder(machine, "ws");
    let [extension] = config.extensions.as_slice() else { panic!("there is one") };
    extension.consent_request.as_ref().unwrap().allow(config.consents().unwrap())
}

#[test]
fn one_of_the_same_name_in_another_folder_is_not_started() {
    let everywhere = r#"{"foo": {"overrides": ["/*"]}}"#;
    let machine = FakeMachine::new()
        .file(MANIFEST, FOO)
        .file("other/.gemini/extensions/foo/gemini-extension.json", FOO)
        .file("home/.gemini/extensions/extension-enablement.json", everywhere);
    allow(&machine).unwrap();
    assert_eq!(started(&machine, "ws"), ["s"]);
    assert_eq!(started(&machine, "other"), Vec::<String>::new());
    let told = machine.warnings(&in_folder(&machine, "other")).join("\n");
    assert!(told.contains("extension foo brings tool servers (s), which are not started"), "{told}");
    assert!(told.ends_with("say in other: pollux extensions enable foo --scope workspace"), "{told}");
}

#[test]
fn what_has_changed_is_not_started_until_it_is_allowed_again() {
    let with = r#"{"name": "foo", "version": "1", "settings": [{"name": "n", "envVar": "FOO_KEY"}],
        "mcpServers": {"s": {"command": "a", "args": ["b"], "timeout": 5}}}"#;
    let cases = [
        (FOO.replace(r#""a""#, r#""z""#), ""),
        (FOO.replace(r#"["b"]"#, r#"["b", "c"]"#), ""),
        (FOO.replace(r#""timeout": 5"#, r#""env": {"x": "y"}"#), ""),
        (FOO.replace(r#""s":"#, r#""t":"#), ""),
        (with.to_owned(), "FOO_KEY=k"),
    ];
    for (changed, env) in cases {
        let mut machine = FakeMachine::new().file(MANIFEST, FOO);
        allow(&machine).unwrap();
        assert_eq!(started(&machine, "ws"), ["s"]);
        machine = machine.file(MANIFEST, &changed).file(ENV, env);
        assert_eq!(started(&machine, "ws"), Vec::<String>::new(), "{changed}");
        let told = machine.warnings(&in_folder(&machine, "ws")).join("\n");
        assert!(told.contains("which are not those you allowed, so they are not started"), "{told}");
        allow(&machine).unwrap();
        assert_eq!(started(&machine, "ws").len(), 1, "{changed}");
        machine = machine.file(MANIFEST, FOO);
        assert_eq!(started(&machine, "ws"), Vec::<String>::new(), "only the last word counts");
    }
}

#[test]
fn a_variable_of_the_workspace_does_not_change_what_runs() {
    let manifest = r#"{"name": "foo", "version": "1", "mcpServers": {"s": {"command": "$FOO_PROGRAM"}}}"#;
    let mut machine = FakeMachine::new().file(MANIFEST, manifest).file("ws/.env", "FOO_PROGRAM=a");
    allow(&machine).unwrap();
    assert_eq!(started(&machine, "ws"), ["s"]);
    machine = machine.file("ws/.env", "FOO_PROGRAM=z");
    assert_eq!(started(&machine, "ws"), Vec::<String>::new());
}

#[test]
fn layout_order_and_what_is_not_a_server_do_not_matter() {
    let mut machine = FakeMachine::new().file(MANIFEST, FOO);
    allow(&machine).unwrap();
    let same = r#"{"version": "2", "name": "foo", "excludeTools": ["glob"],
        "mcpServers": {"s": {"timeout": 5, "args": ["b"], /* the same */ "command": "a"}}}"#;
    machine = machine.file(MANIFEST, same);
    assert_eq!(started(&machine, "ws"), ["s"]);
}

#[test]
fn a_record_that_cannot_be_read_starts_nothing_and_is_not_overwritten() {
    let mut machine = FakeMachine::new().file(MANIFEST, FOO);
    allow(&machine).unwrap();
    for broken in ["", "{", "{}", r#"[{"folder": 5}]"#] {
        machine = machine.file(RECORD, broken);
        let config = in_folder(&machine, "ws");
        assert_eq!(config.servers.len(), 0, "{broken}");
        assert_eq!(config.extensions.len(), 1, "the rest of it counts");
        let told = machine.warnings(&config).join("\n");
        assert!(told.contains(RECORD) && told.contains("is started until that is corrected"), "{told}");
        let refused = allow(&machine).unwrap_err();
        assert!(refused.contains(RECORD) && refused.contains("the tool servers stay off"), "{refused}");
        assert_eq!(std::fs::read_to_string(machine.path(RECORD)).unwrap(), broken);
    }
}

#[test]
fn the_file_that_says_what_is_on_still_decides_that() {
    let off = r#"{"foo": {"overrides": ["!/*"]}}"#;
    let mut machine = FakeMachine::new().file(MANIFEST, FOO);
    allow(&machine).unwrap();
    machine = machine.file("home/.gemini/extensions/extension-enablement.json", off);
    assert_eq!(started(&machine, "ws"), Vec::<String>::new());
}

#[test]
fn a_running_server_sees_a_new_consent() {
    let machine = FakeMachine::new().file(MANIFEST, FOO);
    let watched = machine.load().watched(&machine.path("ws"), FolderTrust::Trusted);
    assert!(watched.contains(&machine.path(RECORD)), "{watched:?}");
}
