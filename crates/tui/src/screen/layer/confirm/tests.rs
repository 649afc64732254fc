use super::{AtStake, Confirm, Running};
use crate::screen::layer::guard::Guarded;
use crate::screen::layer::lists::ClientRow;
use crate::screen::layer::testing::{key, shots, shots_of, text};
use crate::screen::layer::{Deed, Layer, Step};
use crate::screen::theme::dark;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pollux_session::{At, Command, Mode, Setting};
use pretty_assertions::assert_eq;
use std::time::{Duration, Instant};

/// So long ago that keys count.
fn long_ago() -> Instant {
    Instant::now().checked_sub(Duration::from_secs(1)).unwrap()
}

fn zed(label: &str) -> ClientRow {
    ClientRow {
        id: 7,
        label: label.into(),
        principal: "token".into(),
        how: "WebSocket".into(),
        rights: "observe, prompt, approve".into(),
        since: At(0),
    }
}

#[test]
fn yolo() {
    assert_snapshot!(shots_of(&Confirm::yolo(None, long_ago())));
}

#[test]
fn removing_a_client() {
    assert_snapshot!(shots_of(&Confirm::remove_client(&zed("A2A zed"), long_ago())));
}

#[test]
fn leaving() {
    let here = AtStake { turn: Some(Running::Here), waiting: 2, clients: 0 };
    assert_snapshot!(shots_of(&Confirm::quit(&here, long_ago())));
    let elsewhere = AtStake { turn: Some(Running::Elsewhere), waiting: 0, clients: 0 };
    assert_snapshot!(shots_of(&Confirm::quit(&elsewhere, long_ago())));
    assert_snapshot!(shots_of(&Confirm::quit(&AtStake { clients: 2, ..here }, long_ago())));
}

#[test]
fn only_a_yes_does_it() {
    let yolo = || Step::Finish(Deed::Send(Command::Set { setting: Setting::Mode(Mode::Yolo) }));
    let table: &[(&[&str], Step)] = &[
        (&["y"], yolo()),
        (&["1"], yolo()),
        (&["up", "enter"], yolo()),
        (&["n"], Step::Close),
        (&["2"], Step::Close),
        (&["enter"], Step::Close),
        (&["esc"], Step::Close),
        (&["C-c"], Step::Close),
        (&["C-d"], Step::Close),
        (&["x"], Step::Stay),
        (&["up"], Step::Stay),
        (&["space"], Step::Stay),
        (&["C-y"], Step::Stay),
        (&["A-y"], Step::Stay),
    ];
    for (keys, wanted) in table {
        let mut confirm = Confirm::yolo(None, long_ago());
        let mut step = Step::Stay;
        for name in *keys {
            confirm.picture(80, 24, &dark());
            step = confirm.key(key(name));
        }
        assert_eq!(step, *wanted, "{keys:?}");
    }
}

#[test]
fn only_shift_tab_leads_on_to_another_mode() {
    let default = Step::Finish(Deed::Send(Command::Set { setting: Setting::Mode(Mode::Default) }));
    let says = |name| {
        let mut confirm = Confirm::yolo(Some(Mode::Default), long_ago());
        confirm.picture(80, 24, &dark());
        confirm.key(key(name))
    };
    assert_eq!(["esc", "n", "enter", "2"].map(says), [const { Step::Close }; 4]);
    assert_eq!(says("backtab"), default);
}

#[test]
fn a_yes_that_was_meant_for_the_composer_counts_for_nothing() {
    let start = Instant::now();
    for name in ["y", "Y", "1", "enter"] {
        let mut confirm = Confirm::yolo(None, start);
        confirm.picture_at(80, 24, &dark(), start);
        for ms in [0, 399, 798] {
            let now = start + Duration::from_millis(ms);
            assert_eq!(confirm.key_at(key(name), now), Step::Stay, "{name} after {ms} ms");
            let seen = text(&confirm.picture_at(80, 24, &dark(), now), 80, 24);
            assert!(seen.contains("keys are ignored"), "{seen}");
        }
        let later = start + Duration::from_millis(1198);
        assert!(!text(&confirm.picture_at(80, 24, &dark(), later), 80, 24).contains("keys are ignored"));
        assert_ne!(confirm.key_at(key(name), later), Step::Stay, "{name}");
    }
    for name in ["n", "esc"] {
        assert_eq!(Confirm::yolo(None, start).key_at(key(name), start), Step::Close, "{name} is safe at any time");
    }
}

#[test]
fn a_name_cannot_act_on_the_terminal() {
    let client = ClientRow { principal: EVIL.into(), how: EVIL.into(), rights: EVIL.into(), ..zed(EVIL) };
    let confirm = Confirm::remove_client(&client, long_ago());
    assert!(shots(10, |width, height, theme| confirm.picture(width, height, theme)).contains('␛'));
}
