//! The table against this workspace, and against bad ones.

use super::*;
use crate::repo;

fn one(name: &str, rooms: &[&str], outside: &[&str]) -> WorkspaceCrate {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    WorkspaceCrate { name: name.into(), workspace_crates: set(rooms), external_crates: set(outside) }
}

#[test]
fn dependencies_point_the_way_the_table_says() {
    assert_eq!(check(&crates(&repo::root().unwrap()).unwrap()), []);
}

#[test]
fn a_room_that_reaches_too_far_is_a_fault() {
    let crates = [one("tui", &["session", "host"], &[]), one("wire", &["session"], &[]), one("cli", &["host"], &[])];
    assert_eq!(
        check(&crates),
        [
            TidyFault::file("crates/tui/Cargo.toml", "`tui` may not use `host`, only: session, files"),
            TidyFault::file("crates/wire/Cargo.toml", "`wire` may not use `session`, only: no other room"),
        ]
    );
}

#[test]
fn testkit_is_for_tests_even_in_cli() {
    assert_eq!(
        check(&[one("cli", &["testkit"], &[])]),
        [TidyFault::file("crates/cli/Cargo.toml", "`testkit` is for tests; name it under [dev-dependencies]")]
    );
}

#[test]
fn a_room_that_nobody_planned_is_a_fault() {
    assert_eq!(
        check(&[one("shed", &[], &[])]),
        [TidyFault::file(
            "crates/shed/Cargo.toml",
            "is not in the table of rooms; add it there and to docs/ARCHITECTURE.md"
        )]
    );
}

#[test]
fn lean_rooms_have_limits() {
    assert_eq!(
        check(&[one("session", &[], &["a", "b", "c", "d", "e", "f"]), one("cli", &[], &["g"])]),
        [TidyFault::file("crates/session/Cargo.toml", "stays at 5 crates of other people or fewer: a, b, c, d, e, f")]
    );
}

#[test]
fn what_ships_leaves_tests_and_chores_out() {
    let crates = [one("cli", &[], &["a"]), one("tui", &[], &["a", "b"]), one("testkit", &[], &["c"])];
    assert_eq!(shipped_crates(&crates), BTreeSet::from(["a", "b"]));
}
