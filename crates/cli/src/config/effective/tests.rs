use super::*;
use crate::config::keys::find_key;
use pollux_session::ApprovalMode;
use pretty_assertions::assert_eq;

fn entry(name: &str, value: SettingValue, flag: &'static str) -> SettingEntry {
    SettingEntry { key: find_key(name).unwrap(), value, origin: SettingOrigin::Flag(flag) }
}

fn names(names: &[&str]) -> SettingValue {
    SettingValue::Names(names.iter().map(|name| (*name).to_owned()).collect())
}

/// The person's value when a workspace says `theirs`, or the refusal.
fn narrowed(name: &str, own: Option<SettingValue>, theirs: SettingValue) -> Result<Option<SettingValue>, String> {
    let mut effective = EffectiveSettings::defaults();
    if let Some(own) = own {
        effective.set(entry(name, own, "own"));
    }
    let before = effective.clone();
    match effective.narrow(entry(name, theirs, "theirs")) {
        None => Ok(effective.value(name).cloned()),
        Some(warning) => {
            assert_eq!(effective, before, "a refused value changes nothing");
            Err(warning.to_string())
        }
    }
}

fn refusal(name: &str, may: &str) -> Result<Option<SettingValue>, String> {
    let text =
        format!("flag theirs: {name} is ignored: a workspace may {may}; set it in your own ~/.gemini/settings.json");
    Err(text)
}

#[test]
fn a_higher_layer_replaces_a_value_and_adds_to_a_list_that_collects() {
    let mut effective = EffectiveSettings::defaults();
    effective.set(entry("model.name", SettingValue::Text("a".into()), "low"));
    effective.set(entry("model.name", SettingValue::Text("b".into()), "high"));
    effective.set(entry("tools.exclude", names(&["x", "y"]), "low"));
    effective.set(entry("tools.exclude", names(&["y", "z"]), "high"));
    effective.set(entry("tools.core", names(&["x"]), "low"));
    effective.set(entry("tools.core", names(&["y"]), "high"));
    let settled = |name: &str| effective.0.get(name).cloned().unwrap();
    let high = vec![SettingOrigin::Flag("high")];
    assert_eq!(
        settled("model.name"),
        EffectiveSetting { value: Some(SettingValue::Text("b".into())), origins: high.clone() }
    );
    let both = vec![SettingOrigin::Flag("low"), SettingOrigin::Flag("high")];
    assert_eq!(settled("tools.exclude"), EffectiveSetting { value: Some(names(&["x", "y", "z"])), origins: both });
    assert_eq!(settled("tools.core"), EffectiveSetting { value: Some(names(&["y"])), origins: high });
    assert_eq!(
        settled("tools.allowed"),
        EffectiveSetting { value: Some(names(&[])), origins: vec![SettingOrigin::Default] }
    );
}

#[test]
fn a_workspace_adds_to_what_is_forbidden() {
    assert_eq!(narrowed("tools.exclude", Some(names(&["a"])), names(&["b"])), Ok(Some(names(&["a", "b"]))));
    assert_eq!(narrowed("mcp.excluded", None, names(&["b"])), Ok(Some(names(&["b"]))));
}

#[test]
fn a_workspace_keeps_some_of_what_is_allowed_and_never_more() {
    assert_eq!(narrowed("tools.core", None, names(&["a"])), Ok(Some(names(&["a"]))));
    assert_eq!(narrowed("tools.core", Some(names(&["a", "b"])), names(&["b", "c"])), Ok(Some(names(&["b"]))));
    assert_eq!(narrowed("mcp.allowed", Some(names(&["a"])), names(&["c"])), Ok(Some(names(&[]))));
    // An empty list of the person's allows nothing, and a workspace cannot bring anything back.
    assert_eq!(narrowed("tools.core", Some(names(&[])), names(&["a"])), Ok(Some(names(&[]))));
}

#[test]
fn a_workspace_lowers_numbers_and_raises_none() {
    let turns = "model.maxSessionTurns";
    let limit = |limit| SettingValue::Limit(limit);
    assert_eq!(narrowed(turns, None, limit(Some(5))), Ok(Some(limit(Some(5)))));
    assert_eq!(narrowed(turns, Some(limit(Some(9))), limit(Some(5))), Ok(Some(limit(Some(5)))));
    assert_eq!(narrowed(turns, Some(limit(Some(5))), limit(Some(9))), refusal(turns, "only lower it"));
    assert_eq!(narrowed(turns, Some(limit(Some(5))), limit(None)), refusal(turns, "only lower it"));
    let attempts = "general.maxAttempts";
    assert_eq!(narrowed(attempts, None, SettingValue::Count(2)), Ok(Some(SettingValue::Count(2))));
    assert_eq!(
        narrowed(attempts, Some(SettingValue::Count(2)), SettingValue::Count(3)),
        refusal(attempts, "only lower it")
    );
}

#[test]
fn a_workspace_turns_protection_on_and_never_off() {
    let (yolo, git) = ("security.disableYoloMode", "context.fileFiltering.respectGitIgnore");
    assert_eq!(narrowed(yolo, None, SettingValue::Flag(true)), Ok(Some(SettingValue::Flag(true))));
    assert_eq!(
        narrowed(yolo, Some(SettingValue::Flag(true)), SettingValue::Flag(false)),
        refusal(yolo, "only turn it on")
    );
    assert_eq!(narrowed(git, None, SettingValue::Flag(false)), refusal(git, "only turn it on"));
}

#[test]
fn a_workspace_names_its_memory_files_and_no_others() {
    let name = "context.fileName";
    assert_eq!(narrowed(name, None, names(&["CLAUDE.md"])), Ok(Some(names(&["CLAUDE.md"]))));
    for bad in [".env", ".hidden.md", "../x.md", "a/x.md", "/etc/x.md", "passwd", "x.md/", "..", "~/x.md"] {
        let may = "only name .md files, without a path";
        assert_eq!(narrowed(name, None, names(&["OK.md", bad])), refusal(name, may), "{bad}");
    }
    let name = "context.fileFiltering.customIgnoreFilePaths";
    assert_eq!(narrowed(name, Some(names(&["/a"])), names(&["./b/c"])), Ok(Some(names(&["/a", "./b/c"]))));
    for bad in ["../x", "/x", "a/../../x"] {
        assert_eq!(narrowed(name, None, names(&[bad])), refusal(name, "only add files inside itself"), "{bad}");
    }
}

#[test]
fn what_a_workspace_may_never_set_is_refused_here_too() {
    let sets = [
        ("general.defaultApprovalMode", SettingValue::Mode(ApprovalMode::Plan)),
        ("model.name", SettingValue::Text("script:evil".into())),
        ("tools.allowed", names(&["run_shell_command"])),
        ("model.disableLoopDetection", SettingValue::Flag(true)),
        ("security.folderTrust.enabled", SettingValue::Flag(true)),
        ("context.includeDirectories", names(&["/"])),
    ];
    for (name, value) in sets {
        assert_eq!(narrowed(name, None, value), refusal(name, "not set it"));
    }
}
