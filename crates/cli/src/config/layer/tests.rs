use super::*;
use pretty_assertions::assert_eq;

fn read(text: &str, whose: FileOwner) -> Result<(SettingsLayer, String), String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.json");
    std::fs::write(&path, text).unwrap();
    let shown = path.display().to_string();
    let lookup = |name: &str| (name == "SET").then(|| "from-env".to_owned());
    match SettingsLayer::read(&path, whose, &lookup) {
        Ok(layer) => Ok((layer.unwrap_or_default(), shown)),
        Err(error) => Err(error.to_string().replace(&shown, "FILE")),
    }
}

fn warnings(text: &str, whose: FileOwner) -> Vec<String> {
    let (layer, path) = read(text, whose).unwrap();
    layer.warnings.iter().map(|warning| warning.to_string().replace(&path, "FILE")).collect()
}

fn entries(text: &str, whose: FileOwner) -> Vec<String> {
    let (layer, path) = read(text, whose).unwrap();
    let shown =
        |entry: &SettingEntry| format!("{}={} {}", entry.key.name, entry.value, entry.origin).replace(&path, "FILE");
    let mut shown: Vec<String> = layer.entries.iter().map(shown).collect();
    shown.sort();
    shown
}

#[test]
fn both_forms_of_the_file_are_read() {
    let new = "{\n\"model\": {\"name\": \"m\"},\n\
               \"security\": {\"folderTrust\": {\"enabled\": true}}, \"tools\": {\"shell\": {\"inactivityTimeout\": 9}}}";
    let old = "{\n\"model\": \"m\",\n\"folderTrust\": true, \"shellInactivityTimeout\": 9}";
    let wanted = [
        "model.name=\"m\" FILE:2",
        "security.folderTrust.enabled=true FILE:3",
        "tools.shell.inactivityTimeout=9 FILE:3",
    ];
    assert_eq!(entries(new, FileOwner::Own), wanted);
    assert_eq!(entries(old, FileOwner::Own), wanted);
    assert_eq!(
        entries(r#"{"fileFiltering": {"respectGitIgnore": false}, "contextFileName": ["A.md"]}"#, FileOwner::Own),
        ["context.fileFiltering.respectGitIgnore=false FILE:1", "context.fileName=[\"A.md\"] FILE:1"]
    );
}

#[test]
fn the_new_name_counts_when_both_are_there() {
    let text = "{\"tools\": {\"exclude\": [\"a\"]},\n\"excludeTools\": [\"b\"]}";
    assert_eq!(entries(text, FileOwner::Own), ["tools.exclude=[\"a\"] FILE:1"]);
    assert_eq!(warnings(text, FileOwner::Own), ["FILE:2: tools.exclude is set again at FILE:1, which counts"]);
}

#[test]
fn variables_are_expanded_and_unset_ones_are_said() {
    assert_eq!(entries(r#"{"model": {"name": "${SET}-x"}}"#, FileOwner::Own), ["model.name=\"from-env-x\" FILE:1"]);
    assert_eq!(
        warnings(r#"{"model": {"name": "$GONE"}}"#, FileOwner::Own),
        ["FILE:1: the variable GONE is not set, so $GONE stays as it is"]
    );
}

#[test]
fn unknown_names_are_said_with_what_was_meant() {
    let cases = [
        (r#"{"modle": {"name": "m"}}"#, "FILE:1: there is no setting \"modle\"; did you mean model?"),
        (r#"{"model": {"nmae": "m"}}"#, "FILE:1: there is no setting \"model.nmae\"; did you mean model.name?"),
        (r#"{"autoAcept": true}"#, "FILE:1: there is no setting \"autoAcept\"; did you mean autoAccept?"),
        (r#"{"zzz": {"a": 1, "b": 2}}"#, "FILE:1: there is no setting \"zzz\"; it is ignored"),
        ("{\"x\\u001b[2J\\u202e\": 1}", "FILE:1: there is no setting \"x\\u{1b}[2J\\u{202e}\"; it is ignored"),
        (
            r#"{"mcpServers": {"s": {"command": "c", "arg": []}}}"#,
            "FILE:1: there is no setting \"mcpServers.s.arg\"; did you mean args?",
        ),
    ];
    for (text, warning) in cases {
        assert_eq!(warnings(text, FileOwner::Own), [warning], "{text}");
    }
}

#[test]
fn settings_we_do_not_use_are_kept_in_mind_and_nobody_is_warned() {
    let text = r#"{"$schema": "x", "theme": "a", "ui": {"footer": {"items": []}}, "hooks": {}, "security": {"auth": {"selectedType": "x"}}}"#;
    let (layer, _) = read(text, FileOwner::Own).unwrap();
    let names: Vec<&str> = layer.unused.iter().map(|unused| unused.name.as_str()).collect();
    assert_eq!(names, ["$schema", "ui.theme", "ui.footer.items", "hooks", "security.auth.selectedType"]);
    assert_eq!(warnings(text, FileOwner::Own), Vec::<String>::new());
}

#[test]
fn a_protection_that_has_no_effect_is_said() {
    let wanted = |name: &str| vec![format!("FILE:1: {name:?} has no effect in this release: do not rely on it")];
    assert_eq!(warnings(r#"{"tools": {"sandbox": "docker"}}"#, FileOwner::Own), wanted("tools.sandbox"));
    assert_eq!(
        warnings(r#"{"admin": {"secureModeEnabled": true}}"#, FileOwner::Own),
        wanted("admin.secureModeEnabled")
    );
    assert_eq!(warnings(r#"{"sandbox": false}"#, FileOwner::Own), Vec::<String>::new());
}

#[test]
fn a_broken_file_is_an_error_with_its_place() {
    let cases = [
        ("{\n  \"model\": }", "FILE, line 2, column 12: a closing brace } stands where a value is expected"),
        ("{\"model\": 5}", "FILE, line 1, column 11: model.name must be a non-empty string"),
        ("{\"tools\": []}", "FILE, line 1, column 11: tools must be an object"),
        ("{\"mcpServers\": []}", "FILE, line 1, column 16: mcpServers must be an object"),
        ("{\"model\":\n{\"fallback\": \"no\"}}", "FILE, line 2, column 14: model.fallback must be true or false"),
        (
            "{\"mcpServers\": {\"\": {}}}",
            "FILE, line 1, column 17: \"\" cannot be a server's name: 1 to 128 characters that can be seen",
        ),
        (
            "{\"mcpServers\": {\"a\\u0007\": {}}}",
            "FILE, line 1, column 17: \"a\\u{7}\" cannot be a server's name: 1 to 128 characters that can be seen",
        ),
    ];
    for (text, what) in cases {
        let wanted = format!("{what}; correct it or move the file away");
        assert_eq!(read(text, FileOwner::Own).map(|_| ()), Err(wanted), "{text}");
    }
}

#[test]
fn a_workspace_is_not_asked_about_what_it_may_not_set() {
    let text = r#"{
        "mcpServers": {"evil": {"command": "sh"}},
        "general": {"defaultApprovalMode": 5},
        "hooks": {"BeforeTool": []},
        "tools": {"exclude": ["x"], "allowed": ["y"]}
    }"#;
    assert_eq!(entries(text, FileOwner::Workspace), ["tools.exclude=[\"x\"] FILE:5"]);
    let not = |line: usize, name: &str| {
        format!("FILE:{line}: {name} is not taken from a workspace; set it in your own ~/.gemini/settings.json")
    };
    let wanted = [not(2, "mcpServers"), not(3, "general.defaultApprovalMode"), not(5, "tools.allowed")];
    assert_eq!(warnings(text, FileOwner::Workspace), wanted);
    let (layer, _) = read(text, FileOwner::Workspace).unwrap();
    assert_eq!((layer.servers.len(), layer.unused.len()), (0, 0));
}
