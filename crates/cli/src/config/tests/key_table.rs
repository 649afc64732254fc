//! The table of keys and the typed settings are one thing.

use super::*;
use crate::config::keys::{KEYS, UNUSED, find_key, is_group, is_unused};
use crate::config::old_names::OLD_NAMES;
use crate::config::setting_kind::SettingKind;
use pretty_assertions::assert_eq;

/// A file that sets `name` to `json`.
fn file(name: &str, json: &str) -> String {
    name.rsplit('.').fold(json.to_owned(), |inner, part| format!("{{{part:?}: {inner}}}"))
}

/// A value that is not the preset.
fn sample(key: &SettingKey) -> String {
    match (key.kind, key.default) {
        (SettingKind::Flag, keys::SettingDefault::Flag(preset)) => (!preset).to_string(),
        (SettingKind::Flag, _) => "true".into(),
        (SettingKind::Count { least, .. }, _) => least.to_string(),
        (SettingKind::Limit, _) => "1".into(),
        (SettingKind::Ratio, _) => "0.25".into(),
        (SettingKind::Text, _) => "\"sample\"".into(),
        (SettingKind::Names | SettingKind::NameOrNames, _) => "[\"SAMPLE.md\"]".into(),
        (SettingKind::Mode, _) => "\"plan\"".into(),
        (SettingKind::LogLevel, _) => "\"info\"".into(),
        (SettingKind::Notification, _) => "\"bell\"".into(),
    }
}

#[test]
fn every_key_in_the_table_changes_a_preference_and_names_its_line() {
    let usual = FakeMachine::new().load().preferences;
    for key in KEYS {
        let machine = FakeMachine::new().file("home/.gemini/settings.json", &file(key.name, &sample(key)));
        let config = machine.load();
        assert_ne!(config.preferences, usual, "{} has no effect", key.name);
        assert_eq!(machine.origin(&config, key.name), "home/.gemini/settings.json:1");
        assert_eq!(machine.warnings(&config), Vec::<String>::new());
    }
}

#[test]
fn a_trusted_workspace_changes_only_what_it_may() {
    for key in KEYS {
        let machine = FakeMachine::new().file("ws/.gemini/settings.json", &file(key.name, &sample(key)));
        let (trusted, untrusted) =
            (machine.in_workspace(FolderTrust::Trusted), machine.in_workspace(FolderTrust::Untrusted));
        // Their samples would switch a protection off.
        let widens = key.name.starts_with("context.fileFiltering.respect");
        let may = key.workspace != keys::WorkspacePermission::Never && !widens;
        assert_eq!(trusted.preferences != untrusted.preferences, may, "{}", key.name);
        assert_eq!(trusted.warnings.is_empty(), may, "{}", key.name);
    }
}

#[test]
fn no_name_is_two_things() {
    for key in KEYS {
        assert!(!UNUSED.contains(&key.name) && !is_group(key.name), "{}", key.name);
    }
    for (index, name) in UNUSED.iter().enumerate() {
        let others = UNUSED.iter().enumerate().filter(|(other, _)| *other != index);
        for (_, other) in others {
            assert!(!name.starts_with(&format!("{other}.")) && name != other, "{name} is listed twice");
        }
    }
}

#[test]
fn every_old_name_leads_to_a_name_that_is_known() {
    for (old, now) in OLD_NAMES {
        assert!(find_key(now).is_some() || is_unused(now) || is_group(now), "{old} leads to {now}");
        assert!(!is_unused(old), "{old} is also a name of its own");
    }
}

#[test]
fn every_flag_and_variable_in_the_table_sets_its_key() {
    let given = RunOverrides {
        model: Some("m".into()),
        mode: Some(ApprovalMode::Plan),
        checkpointing: Some(false),
        allowed_tools: vec!["t".into()],
        include_directories: vec!["/d".into()],
        allowed_servers: vec!["s".into()],
        policies: vec!["/p".into()],
        admin_policies: vec!["/q".into()],
        port: Some(1),
        serve_workspace: Some("/w".into()),
        workspace_roots: vec!["/r".into()],
        bucket: Some("b".into()),
        debug: true,
        agent_name: Some("a".into()),
        require_extension: true,
        card_key: Some("/k".into()),
        push_hosts: vec!["h".into()],
        mcp_hosts: vec!["h".into()],
    };
    let flags = FakeMachine::new().try_load(given).unwrap();
    for key in KEYS {
        for elsewhere in key.aliases {
            match elsewhere {
                keys::SettingAlias::Flag("--yolo") => {}
                keys::SettingAlias::Flag(flag) => assert_eq!(flags.origin(key.name), SettingOrigin::Flag(flag)),
                keys::SettingAlias::Variable(name) => {
                    let value = sample(key).trim_matches('"').to_owned();
                    let config = FakeMachine::new().var(name, &value).load();
                    assert_eq!(config.origin(key.name), SettingOrigin::Environment { name: (*name).to_owned() });
                }
            }
        }
        let by_flag = matches!(flags.origin(key.name), SettingOrigin::Flag(_));
        assert_eq!(by_flag, key.aliases.iter().any(|elsewhere| matches!(elsewhere, keys::SettingAlias::Flag(_))));
    }
}
