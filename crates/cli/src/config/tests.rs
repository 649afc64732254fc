use super::fake_machine::FakeMachine;
use super::*;
use pretty_assertions::assert_eq;
use std::fs;

mod documents;
mod key_table;

fn model(name: &str) -> String {
    format!("{{\n\"model\": {{\"name\": {name:?}}}}}")
}

#[test]
fn the_highest_layer_that_sets_a_value_wins_and_is_named() {
    let mut machine = FakeMachine::new();
    let seen = |machine: &FakeMachine, given: RunOverrides| {
        let config = machine.try_load(given).unwrap();
        (config.preferences.model.clone(), machine.origin(&config, "model.name"))
    };
    let wanted = |model: &str, origin: &str| (Some(model.to_owned()), origin.to_owned());
    assert_eq!(seen(&machine, RunOverrides::default()), (None, "default".into()));
    for path in [
        "etc/defaults.json",
        "home/.config/gemini-cli/config.yaml",
        "home/.gemini/config.yaml",
        "home/.gemini/settings.json",
        "home/.config/pollux/settings.json",
        "etc/settings.json",
    ] {
        let yaml = format!("model:\n  name: {path:?}\n");
        machine = machine.file(path, &if path.ends_with("yaml") { yaml } else { model(path) });
        assert_eq!(seen(&machine, RunOverrides::default()), wanted(path, &format!("{path}:2")));
    }
    machine = machine.file("home/.env", "\nGEMINI_MODEL=dot-env");
    assert_eq!(seen(&machine, RunOverrides::default()), wanted("dot-env", "GEMINI_MODEL in home/.env:2"));
    machine = machine.file("home/.gemini/.env", "GEMINI_MODEL=nearer-env");
    assert_eq!(seen(&machine, RunOverrides::default()), wanted("nearer-env", "GEMINI_MODEL in home/.gemini/.env:1"));
    machine = machine.var("GEMINI_MODEL", "process");
    assert_eq!(seen(&machine, RunOverrides::default()), wanted("process", "environment GEMINI_MODEL"));
    let flag = RunOverrides { model: Some("flag".into()), ..RunOverrides::default() };
    assert_eq!(seen(&machine, flag), wanted("flag", "flag --model"));
}

#[test]
fn every_flag_is_a_layer() {
    let machine =
        FakeMachine::new().file("home/.gemini/settings.json", r#"{"context": {"includeDirectories": ["/a"]}}"#);
    let given = RunOverrides {
        model: Some("m".into()),
        mode: Some(ApprovalMode::Yolo),
        allowed_tools: vec!["t".into()],
        include_directories: vec!["~/b".into(), "c".into()],
        allowed_servers: vec!["s".into()],
        ..RunOverrides::default()
    };
    let config = machine.try_load(given).unwrap().for_workspace(&machine.path("ws"), FolderTrust::Untrusted);
    let preferences = &config.preferences;
    assert_eq!(preferences.model.as_deref(), Some("m"));
    assert_eq!(preferences.mode, ApprovalMode::Yolo);
    assert_eq!(preferences.allowed_tools, ["t"]);
    assert_eq!(preferences.include_directories, ["/a".into(), machine.path("home/b"), machine.path("ws/c")]);
    assert_eq!(preferences.allowed_servers, Some(vec!["s".into()]));
    assert_eq!(machine.origin(&config, "general.defaultApprovalMode"), "flag --yolo");
}

#[test]
fn a_broken_file_of_the_person_or_the_machine_stops_the_program() {
    for path in
        ["home/.gemini/settings.json", "home/.config/pollux/settings.json", "etc/defaults.json", "etc/settings.json"]
    {
        let machine = FakeMachine::new().file(path, "{\n  \"model\": }");
        let wanted = format!(
            "{path}, line 2, column 12: a closing brace }} stands where a value is expected; correct it or move the file away"
        );
        assert_eq!(machine.try_load(RunOverrides::default()).map(|_| ()), Err(wanted));
    }
    let machine = FakeMachine::new();
    fs::create_dir_all(machine.path("home/.gemini/settings.json")).unwrap();
    let wanted = "cannot read home/.gemini/settings.json: it is not a regular file; correct that or move the file away";
    assert_eq!(machine.try_load(RunOverrides::default()).map(|_| ()), Err(wanted.into()));
}

#[test]
fn a_broken_workspace_file_is_left_out_and_said() {
    let machine = FakeMachine::new()
        .file("home/.gemini/settings.json", r#"{"tools": {"exclude": ["mine"]}}"#)
        .file("ws/.gemini/settings.json", r#"{"tools": {"exclude": ["theirs"]}, "mcp": 5}"#);
    let config = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(config.preferences.excluded_tools, ["mine"]);
    let why = "ws/.gemini/settings.json, line 1, column 43: mcp must be an object; correct it or move the file away";
    assert_eq!(machine.warnings(&config), [format!("the workspace's settings are left out: {why}")]);
    // The machine's overrides come after it.
    let theirs = &config.files[config.files.len() - 2];
    assert_eq!(theirs.path, machine.path("ws/.gemini/settings.json"));
    assert!(matches!(&theirs.state, SettingsFileState::Broken(told) if machine.strip_directory(told) == why));
}

#[test]
fn an_untrusted_workspace_has_no_say_and_is_not_even_opened() {
    let machine = FakeMachine::new()
        .file("ws/.gemini/settings.json", "not json")
        .file("ws/.gemini/.env", "A=1\nnonsense")
        .file("ws/.env", "B=1");
    let (own, config) = (machine.load(), machine.in_workspace(FolderTrust::Untrusted));
    assert_eq!(config.preferences, own.preferences);
    assert_eq!((config.variables.get("A"), config.variables.get("B")), (None, None));
    assert_eq!(machine.warnings(&config), Vec::<String>::new());
    let file = SettingsFile { path: machine.path("ws/.gemini/settings.json"), state: SettingsFileState::NotTrusted };
    assert_eq!(config.files[config.files.len() - 2], file);
}

#[test]
fn a_trusted_workspace_narrows_between_the_person_and_the_machine() {
    let machine = FakeMachine::new()
        .file("home/.gemini/settings.json", r#"{"tools": {"exclude": ["mine"]}, "model": {"maxSessionTurns": 9}}"#)
        .file(
            "ws/.gemini/settings.json",
            r#"{"tools": {"exclude": ["theirs"]}, "model": {"maxSessionTurns": 5}, "mcp": {"excluded": ["x"]}}"#,
        )
        .file("etc/settings.json", r#"{"model": {"maxSessionTurns": 7}}"#);
    let config = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(config.preferences.excluded_tools, ["mine", "theirs"]);
    assert_eq!(config.preferences.excluded_servers, ["x"]);
    assert_eq!(config.preferences.max_session_turns, Some(7));
    // Another workspace of the same person hears nothing of it.
    let other = config.for_workspace(&machine.path("other"), FolderTrust::Trusted);
    assert_eq!(other.preferences.excluded_tools, ["mine"]);
    assert_eq!(other.files.len(), 8);
}

#[test]
fn texts_of_a_workspace_see_the_workspaces_variables_only() {
    let machine = FakeMachine::new()
        .var("MY_SECRET", "hush")
        .file("home/.env", "MY_OTHER=hush")
        .file("ws/.env", "THEIRS=fine\nMY_TOOL=/evil")
        .file("ws/.gemini/settings.json", r#"{"tools": {"exclude": ["$MY_SECRET", "$MY_OTHER", "$THEIRS"]}}"#)
        .file("home/.gemini/settings.json", r#"{"mcpServers": {"s": {"command": "${MY_TOOL:-safe}"}}}"#);
    let config = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(config.preferences.excluded_tools, ["$MY_SECRET", "$MY_OTHER", "fine"]);
    let ConfiguredTransport::Stdio { command, .. } = &config.servers[0].server.transport else { panic!("not stdio") };
    assert_eq!(command, "safe");
    // And so do its agents.
    let seen = |name: &str| config.workspace_variables.get(name);
    assert_eq!(["MY_SECRET", "MY_OTHER", "THEIRS"].map(seen), [None, None, Some("fine".into())]);
    assert_eq!(machine.in_workspace(FolderTrust::Unknown).workspace_variables.get("THEIRS"), None);
}

#[test]
fn a_higher_layers_server_replaces_a_lower_ones_whole() {
    let machine = FakeMachine::new()
        .file(
            "home/.gemini/settings.json",
            r#"{"mcpServers": {"b": {"command": "b", "trust": true}, "a": {"command": "a"}}}"#,
        )
        .file("etc/settings.json", r#"{"mcpServers": {"b": {"url": "http://h"}}}"#);
    let config = machine.load();
    let seen: Vec<(&str, String, ServerTrust)> = config
        .servers
        .iter()
        .map(|server| (server.name.as_str(), machine.strip_directory(&server.origin.to_string()), server.server.trust))
        .collect();
    assert_eq!(
        seen,
        [
            ("a", "home/.gemini/settings.json:1".to_owned(), ServerTrust::Asks),
            ("b", "etc/settings.json:1".to_owned(), ServerTrust::Asks)
        ]
    );
}

#[test]
fn yolo_is_refused_where_it_is_switched_off() {
    let off = r#"{"security": {"disableYoloMode": true}}"#;
    let yolo = || RunOverrides { mode: Some(ApprovalMode::Yolo), ..RunOverrides::default() };
    let machine = FakeMachine::new().file("etc/settings.json", off);
    let wanted = "yolo mode is disabled by security.disableYoloMode (etc/settings.json:1); start without --yolo";
    assert_eq!(machine.try_load(yolo()).map(|_| ()), Err(wanted.into()));
    let machine = FakeMachine::new().file("ws/.gemini/settings.json", off);
    let config = machine.try_load(yolo()).unwrap().for_workspace(&machine.path("ws"), FolderTrust::Trusted);
    assert_eq!(config.preferences.mode, ApprovalMode::Default);
    let wanted = "ws/.gemini/settings.json:1: security.disableYoloMode holds in this workspace, so tools ask";
    assert_eq!(machine.warnings(&config), [wanted]);
}

#[test]
fn hooks_that_check_tools_are_told_and_refuse_yolo() {
    let hooks = r#"{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "check"}]}]}}"#;
    let yolo = || RunOverrides { mode: Some(ApprovalMode::Yolo), ..RunOverrides::default() };
    for file in ["home/.gemini/settings.json", "etc/settings.json"] {
        let machine = FakeMachine::new().file(file, hooks);
        let wanted = format!(
            "yolo mode is refused: hooks.BeforeTool ({file}:1) checks tool calls, and this release does not run hooks; \
             start without --yolo, or remove the hooks"
        );
        assert_eq!(machine.try_load(yolo()).map(|_| ()), Err(wanted));
        let config = machine.load();
        assert_eq!(machine.warnings(&config), [not_run(file)]);
        assert!(config.preferences.disable_yolo, "a session cannot switch to it either");
        let config = config.for_workspace(&machine.path("ws"), FolderTrust::Unknown);
        assert_eq!(machine.warnings(&config), Vec::<String>::new(), "it was told already");
        assert!(config.preferences.disable_yolo);
    }
    let file = "ws/.gemini/settings.json";
    let machine = FakeMachine::new().file(file, hooks);
    let config = machine.try_load(yolo()).unwrap().for_workspace(&machine.path("ws"), FolderTrust::Trusted);
    assert_eq!(config.preferences.mode, ApprovalMode::Default);
    let refused = format!("{file}:1: yolo mode is refused in this workspace, so tools ask");
    assert_eq!(machine.warnings(&config), [not_run(file), refused]);
    let config = machine.try_load(yolo()).unwrap().for_workspace(&machine.path("ws"), FolderTrust::Unknown);
    assert_eq!(config.preferences.mode, ApprovalMode::Yolo, "an untrusted folder's files are not even opened");
}

#[test]
fn hooks_of_extensions_count_and_those_that_are_off_do_not() {
    let file = "home/.gemini/extensions/guard/hooks/hooks.json";
    let manifest = r#"{"name": "guard", "version": "1.0.0"}"#;
    let with = |hooks: &str| {
        FakeMachine::new().file("home/.gemini/extensions/guard/gemini-extension.json", manifest).file(file, hooks)
    };
    for hooks in [r#"{"hooks": {"BeforeTool": [{}]}}"#, r#"{"BeforeTool": [{}]}"#, "{ broken"] {
        let machine = with(hooks);
        let config = machine.load().for_workspace(&machine.path("ws"), FolderTrust::Unknown);
        assert_eq!(machine.warnings(&config), [not_run(file)], "{hooks}");
        assert!(config.preferences.disable_yolo, "{hooks}");
    }
    for hooks in [r#"{"hooks": {"AfterTool": [{}]}}"#, r#"{"hooks": {"BeforeTool": []}}"#] {
        let machine = with(hooks);
        let config = machine.load().for_workspace(&machine.path("ws"), FolderTrust::Unknown);
        assert!(!config.preferences.disable_yolo && config.warnings.is_empty(), "{hooks}");
    }
    let off = r#"{"hooksConfig": {"enabled": false}, "hooks": {"BeforeTool": [{}]}}"#;
    let machine = with(r#"{"BeforeTool": [{}]}"#).file("home/.gemini/settings.json", off);
    let config = machine.load().for_workspace(&machine.path("ws"), FolderTrust::Unknown);
    assert!(!config.preferences.disable_yolo, "Gemini CLI would not run them either");
}

fn not_run(file: &str) -> String {
    format!(
        "{file}:1: hooks.BeforeTool is not run by this release: it checks no tool call, and yolo mode is refused while \
         it is set"
    )
}

#[test]
fn an_unknown_key_is_told_once_however_often_it_stands() {
    let machine = FakeMachine::new()
        .file("home/.gemini/settings.json", r#"{"modle": 1}"#)
        .file("home/.config/pollux/settings.json", r#"{"modle": 2}"#);
    let wanted = "home/.gemini/settings.json:1: there is no setting \"modle\"; did you mean model?";
    assert_eq!(machine.warnings(&machine.load()), [wanted]);
    assert_eq!(machine.warnings(&machine.in_workspace(FolderTrust::Trusted)), Vec::<String>::new());
}

#[test]
fn overrides_that_are_named_and_not_there_are_said() {
    let machine = FakeMachine::new();
    fs::remove_file(machine.path("etc/settings.json")).unwrap();
    let wanted = "GEMINI_CLI_SYSTEM_SETTINGS_PATH: there is no usable file, etc/settings.json was looked for";
    assert_eq!(machine.warnings(&machine.load()), [wanted]);
}

#[test]
fn a_home_directory_as_workspace_is_the_persons() {
    let machine = FakeMachine::new()
        .file("home/.gemini/settings.json", r#"{"model": {"disableLoopDetection": true}}"#)
        .file("home/.env", "GEMINI_API_KEY=k");
    let config = machine.load().for_workspace(&machine.path("home"), FolderTrust::Trusted);
    assert!(config.preferences.disable_loop_detection);
    assert_eq!(config.variables.get("GEMINI_API_KEY"), Some("k".into()));
    assert_eq!(machine.warnings(&config), Vec::<String>::new());
}

#[test]
fn the_environment_of_the_process_is_never_changed() {
    let before: Vec<_> = std::env::vars_os().collect();
    let machine =
        FakeMachine::new().file("home/.env", "POLLUX_TEST_LEAK=1").file("ws/.env", "POLLUX_TEST_LEAK2=1\nX_LEAK=1");
    let config = machine.in_workspace(FolderTrust::Trusted);
    assert_eq!(config.variables.get("POLLUX_TEST_LEAK"), Some("1".into()));
    assert_eq!(std::env::vars_os().collect::<Vec<_>>(), before);
}

#[test]
fn a_server_is_set_up_by_the_flag_then_the_environment_then_the_settings() {
    let serve = r#"{"serve": {"port": 1, "workspace": "~/w", "bucket": "gs://mine/tasks", "logLevel": "error"}}"#;
    let mut machine = FakeMachine::new();
    let seen = |machine: &FakeMachine| {
        let TypedSettings { port, serve_workspace, bucket, log_level, .. } = machine.load().preferences;
        (port, serve_workspace, bucket, log_level)
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(seen(&machine), (41242, None, None, None), "a bucket is used only when it is named");
    machine = machine.file("home/.gemini/settings.json", serve);
    assert_eq!(seen(&machine), (1, Some(machine.path("home/w")), text("gs://mine/tasks"), text("error")));
    machine = machine.var("PORT", "8080").var("A2A_GCS_BUCKET", "seeds").var("LOG_LEVEL", "verbose");
    machine = machine.var("CODER_AGENT_WORKSPACE_PATH", "/work");
    assert_eq!(seen(&machine), (8080, Some("/work".into()), text("seeds"), text("debug")));
    assert_eq!(machine.origin(&machine.load(), "serve.port"), "environment PORT");
    machine = machine.var("CODER_AGENT_PORT", "9").var("GCS_BUCKET_NAME", "real");
    assert_eq!(seen(&machine), (9, Some("/work".into()), text("real"), text("debug")));
    let given = RunOverrides { port: Some(7), bucket: Some("file:///b".into()), ..RunOverrides::default() };
    let config = machine.try_load(given).unwrap();
    assert_eq!((config.preferences.port, config.preferences.bucket.clone()), (7, text("file:///b")));
    assert_eq!(machine.origin(&config, "serve.bucket"), "flag --bucket");
}

#[test]
fn a_variable_that_makes_no_sense_does_not_count_and_is_told_without_its_value() {
    let machine = FakeMachine::new().var("PORT", "hush").var("LOG_LEVEL", "loud").var("CODER_AGENT_PORT", "70000");
    let config = machine.load();
    assert_eq!((config.preferences.port, config.preferences.log_level.clone()), (41242, None));
    let told: Vec<&str> = config.invalid_variables.iter().map(|misset| misset.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "environment CODER_AGENT_PORT: serve.port must be a whole number from 0 to 65535; correct it or unset it",
            "environment LOG_LEVEL: serve.logLevel must be \"error\", \"warn\", \"info\", \"debug\" or \"trace\"; \
             correct it or unset it",
        ]
    );
}

#[test]
fn accepting_by_itself_is_the_persons_to_switch_on() {
    let on = r#"{"tools": {"autoAccept": true}}"#;
    assert!(FakeMachine::new().file("home/.gemini/settings.json", on).load().preferences.auto_accept);
    let theirs =
        FakeMachine::new().file("ws/.gemini/settings.json", on).file("ws/.gemini/config.yaml", "autoAccept: true");
    let config = theirs.in_workspace(FolderTrust::Trusted);
    assert!(!config.preferences.auto_accept);
    assert_eq!(
        theirs.warnings(&config),
        [
            "ws/.gemini/config.yaml:1: tools.autoAccept is not taken from a workspace; set it in your own ~/.gemini/settings.json"
        ]
    );
}
