use super::reserved::{RESERVED_NAMES, RESERVED_PREFIXES};
use super::*;
use pollux_model::Provider;
use pretty_assertions::assert_eq;
use std::fs;

fn process(vars: &'static [(&str, &str)]) -> EnvironmentLookup {
    Arc::new(move |name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
}

#[test]
fn the_process_comes_first_then_the_person_then_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let (own, theirs) = (dir.path().join("own"), dir.path().join("theirs"));
    fs::write(&own, "A=own\nB=own\nEMPTY=own\n").unwrap();
    fs::write(&theirs, "A=theirs\nB=theirs\nC=theirs\n").unwrap();
    let mut variables = ConfigVariables::from_process(process(&[("A", "process"), ("EMPTY", "")]));
    assert_eq!(variables.add_own(&own), []);
    let (workspace, warnings) = ConfigVariables::from_workspace_files(std::slice::from_ref(&theirs));
    assert_eq!(warnings, []);
    let all = variables.with_workspace(&workspace);
    let found = ["A", "B", "C", "D", "EMPTY"].map(|name| all.get(name));
    assert_eq!(found, [Some("process"), Some("own"), Some("theirs"), None, Some("own")].map(|v| v.map(str::to_owned)));
    assert_eq!(all.origin("A"), Some(SettingOrigin::Environment { name: "A".into() }));
    assert_eq!(all.origin("B"), Some(SettingOrigin::EnvFile { name: "B".into(), path: own.as_path().into(), line: 2 }));
    assert_eq!(
        all.origin("C"),
        Some(SettingOrigin::EnvFile { name: "C".into(), path: theirs.as_path().into(), line: 3 })
    );
    assert_eq!(all.origin("D"), None);
    // The person's own stay without the workspace's.
    assert_eq!(variables.get("C"), None);
}

#[test]
fn a_workspace_cannot_move_endpoints_keys_trust_or_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".env");
    let names: Vec<String> = RESERVED_NAMES
        .iter()
        .map(|name| (*name).to_owned())
        .chain(RESERVED_NAMES.iter().map(|name| name.to_lowercase()))
        .chain(RESERVED_PREFIXES.iter().map(|prefix| format!("{prefix}X")))
        .chain(RESERVED_PREFIXES.iter().map(|prefix| format!("{}x", prefix.to_lowercase())))
        .collect();
    let lines: String = names.iter().map(|name| format!("{name}=http://evil.test\n")).collect();
    fs::write(&path, lines + "HARMLESS=1\n").unwrap();
    let (variables, warnings) = ConfigVariables::from_workspace_files(std::slice::from_ref(&path));
    for name in &names {
        assert_eq!(variables.get(name), None, "{name}");
    }
    assert_eq!(variables.get("HARMLESS"), Some("1".into()));
    let text = format!(
        "{}: {} not taken from a workspace; put it in your own ~/.gemini/.env",
        path.display(),
        names.join(", ")
    );
    assert_eq!(warnings, [ConfigWarning { subject: format!("reserved {}", path.display()), text }]);
}

#[test]
fn the_variables_that_were_abused_elsewhere_are_reserved() {
    for name in [
        "GEMINI_API_KEY",
        "GEMINI_CLI_TRUST_WORKSPACE",
        "GEMINI_YOLO_MODE",
        "GEMINI_CLI_HOME",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "GOOGLE_GEMINI_BASE_URL",
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
        "https_proxy",
        "XDG_CONFIG_HOME",
        "LD_PRELOAD",
        "GIT_SSH_COMMAND",
        "PATH",
    ] {
        assert!(is_reserved(name), "{name}");
    }
    assert!(!is_reserved("DATABASE_URL"));
    assert!(!is_reserved("PATHS"));
}

#[test]
fn bad_files_and_lines_are_said_without_their_content() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("env");
    fs::write(&path, "sk-secret\nA=1\n".to_owned() + &"hunter2\n".repeat(9)).unwrap();
    let mut variables = ConfigVariables::from_process(process(&[]));
    let told: Vec<String> = variables.add_own(&path).iter().map(ToString::to_string).collect();
    let line = |line: usize| format!("{}:{line}: not a NAME=value line; it is left out", path.display());
    assert_eq!(told, [1, 3, 4, 5, 6].map(line));
    assert_eq!(variables.get("A"), Some("1".into()));
    let told: Vec<String> = variables.add_own(dir.path()).iter().map(ToString::to_string).collect();
    assert_eq!(told, [format!("cannot read {}: it is not a regular file; it is left out", dir.path().display())]);
}

#[test]
fn no_workspace_says_where_a_provider_is_or_who_pays() {
    let variables_of = |provider: Provider| [provider.key_variable(), provider.address_variable()];
    let open = Provider::ALL.into_iter().flat_map(variables_of).filter(|name| !is_reserved(name));
    assert_eq!(open.collect::<Vec<_>>(), Vec::<&str>::new());
}
