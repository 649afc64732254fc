//! The table against this workspace, and against bad ones.

use super::*;
use crate::repo;

fn one(name: &str, rooms: &[&str], outside: &[&str]) -> Crate {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Crate { name: name.into(), rooms: set(rooms), outside: set(outside) }
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
            Fault::file("crates/tui/Cargo.toml", "`tui` may not use `host`, only: session"),
            Fault::file("crates/wire/Cargo.toml", "`wire` may not use `session`, only: no other room"),
        ]
    );
}

#[test]
fn testkit_is_for_tests_even_in_cli() {
    assert_eq!(
        check(&[one("cli", &["testkit"], &[])]),
        [Fault::file("crates/cli/Cargo.toml", "`testkit` is for tests; name it under [dev-dependencies]")]
    );
}

#[test]
fn a_room_that_nobody_planned_is_a_fault() {
    assert_eq!(
        check(&[one("shed", &[], &[])]),
        [Fault::file(
            "crates/shed/Cargo.toml",
            "is not in the table of rooms; add it there and to docs/ARCHITECTURE.md"
        )]
    );
}

#[test]
fn lean_rooms_and_the_workspace_have_limits() {
    let many = Vec::from_iter((0..46).map(|number| format!("crate-{number:02}")));
    let many = Vec::from_iter(many.iter().map(String::as_str));
    assert_eq!(
        check(&[one("session", &[], &["a", "b", "c", "d", "e", "f"]), one("cli", &[], &many[..40])]),
        [
            Fault::file("crates/session/Cargo.toml", "stays at 5 crates of other people or fewer: a, b, c, d, e, f"),
            Fault::file("Cargo.toml", "46 crates of other people are in the product, the limit is 45"),
        ]
    );
    assert_eq!(check(&[one("cli", &[], &many[..45])]), []);
}
