//! docs/SETTINGS.md says what the code does.

use crate::config::keys::{Elsewhere, FromWorkspace, KEYS, Key, Merge, UNUSED};
use crate::config::old_names::OLD_NAMES;
use crate::config::variables::reserved::{RESERVED_NAMES, RESERVED_PREFIXES};
use crate::settings_show::VARIABLES;
use pretty_assertions::assert_eq;

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/SETTINGS.md");
    std::fs::read_to_string(path).unwrap()
}

/// What stands between `<!-- name -->` and the next comment.
fn part(name: &str) -> String {
    let document = document();
    let (_, after) = document.split_once(&format!("<!-- {name} -->\n")).unwrap_or_else(|| panic!("no part {name}"));
    after.split("<!--").next().unwrap_or_default().trim().to_owned()
}

fn row(key: &Key) -> String {
    let preset = key.preset.value().map_or_else(|| "not set".into(), |value| format!("`{value}`"));
    let workspace = match key.workspace {
        FromWorkspace::Never => "no",
        FromWorkspace::Adds => "adds",
        FromWorkspace::Keeps => "keeps some",
        FromWorkspace::Lowers => "lowers",
        FromWorkspace::TurnsOn => "turns on",
        FromWorkspace::NamesMarkdown => "names `.md` files",
        FromWorkspace::AddsInside => "adds files inside it",
    };
    let also = key.elsewhere.iter().map(|elsewhere| match elsewhere {
        Elsewhere::Variable(name) => format!("`{name}`"),
        Elsewhere::Flag(flag) => format!("`{flag}`"),
    });
    let also = also.collect::<Vec<_>>().join(", ");
    let layers = match key.merge {
        Merge::Replaces => "replace",
        Merge::Adds => "add up",
    };
    let demand = key.kind.demand();
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
    assert_eq!(part("variables"), list(VARIABLES.iter().copied()));
}
