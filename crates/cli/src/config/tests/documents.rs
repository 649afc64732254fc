//! docs/SETTINGS.md says what the code does.

use crate::config::keys::{KEYS, LayerMerge, SettingAlias, SettingKey, UNUSED, WorkspacePermission};
use crate::config::old_names::OLD_NAMES;
use crate::config::variables::reserved::{RESERVED_NAMES, RESERVED_PREFIXES};
use crate::settings_show::variables;
use pretty_assertions::assert_eq;

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/SETTINGS.md");
    std::fs::read_to_string(path).unwrap()
}

/// The text between `<!-- name -->` and the next comment.
fn part(name: &str) -> String {
    let document = document();
    let (_, after) = document.split_once(&format!("<!-- {name} -->\n")).unwrap_or_else(|| panic!("no part {name}"));
    after.split("<!--").next().unwrap_or_default().trim().to_owned()
}

fn row(key: &SettingKey) -> String {
    let preset = key.default.value().map_or_else(|| "not set".into(), |value| format!("`{value}`"));
    let workspace = match key.workspace {
        WorkspacePermission::Never => "no",
        WorkspacePermission::Adds => "adds",
        WorkspacePermission::Keeps => "keeps some",
        WorkspacePermission::Lowers => "lowers",
        WorkspacePermission::TurnsOn => "turns on",
        WorkspacePermission::NamesMarkdown => "names `.md` files",
        WorkspacePermission::AddsInside => "adds files inside it",
    };
    let also = key.aliases.iter().map(|elsewhere| match elsewhere {
        SettingAlias::Variable(name) => format!("`{name}`"),
        SettingAlias::Flag(flag) => format!("`{flag}`"),
    });
    let also = also.collect::<Vec<_>>().join(", ");
    let layers = match key.merge {
        LayerMerge::Replaces => "replace",
        LayerMerge::Adds => "add up",
    };
    let demand = key.kind.describe_expected();
    format!("| `{}` | {} | {demand} | {preset} | {layers} | {workspace} | {also} |", key.name, key.meaning)
}

fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("- `{name}`")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_table_of_keys_is_the_code() {
    let head = "| key | meaning | must be | default | layers | trusted workspace | also set by |\n|---|---|---|---|---|---|---|";
    let rows: Vec<String> = KEYS.iter().map(row).collect();
    assert_eq!(part("keys"), format!("{head}\n{}", rows.join("\n")));
}

#[test]
fn the_other_lists_are_the_code() {
    assert_eq!(part("unused"), list(UNUSED.iter().copied()));
    let old = OLD_NAMES.iter().map(|(old, now)| format!("| `{old}` | `{now}` |")).collect::<Vec<_>>().join("\n");
    assert_eq!(part("old"), format!("| old | now |\n|---|---|\n{old}"));
    let prefixes = RESERVED_PREFIXES.iter().map(|prefix| format!("- `{prefix}…`"));
    let names = RESERVED_NAMES.iter().map(|name| format!("- `{name}`"));
    assert_eq!(part("reserved"), prefixes.chain(names).collect::<Vec<_>>().join("\n"));
    assert_eq!(part("variables"), list(variables()));
}
