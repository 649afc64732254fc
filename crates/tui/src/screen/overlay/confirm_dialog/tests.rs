use super::{ConfirmDialog, QuitConsequences, SessionLocation};
use crate::screen::overlay::key_guard::GuardedOverlay;
use crate::screen::overlay::pickers::ClientRow;
use crate::screen::overlay::testing::{key, shots, shots_of, text};
use crate::screen::overlay::{Overlay, OverlayStep, UiEffect};
use crate::screen::theme::dark;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pollux_session::{ApprovalMode, Command, SessionSetting, UnixMillis};
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
        since: UnixMillis(0),
    }
}

#[test]
fn yolo() {
    assert_snapshot!(shots_of(&ConfirmDialog::yolo(None, long_ago())));
}

#[test]
fn removing_a_client() {
    assert_snapshot!(shots_of(&ConfirmDialog::remove_client(&zed("A2A zed"), long_ago())));
}

#[test]
fn leaving() {
    let here = QuitConsequences { turn: Some(SessionLocation::Here), waiting: 2, clients: 0, background: 1 };
    assert_snapshot!(shots_of(&ConfirmDialog::quit(&here, long_ago())));
    let elsewhere = QuitConsequences { turn: Some(SessionLocation::Elsewhere), waiting: 0, clients: 0, background: 0 };
    assert_snapshot!(shots_of(&ConfirmDialog::quit(&elsewhere, long_ago())));
    assert_snapshot!(shots_of(&ConfirmDialog::quit(&QuitConsequences { clients: 2, ..here }, long_ago())));
}

#[test]
fn only_a_yes_does_it() {
    let yolo =
        || OverlayStep::Finish(UiEffect::Send(Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) }));
    let table: &[(&[&str], OverlayStep)] = &[
        (&["y"], yolo()),
        (&["1"], yolo()),
        (&["up", "enter"], yolo()),
        (&["n"], OverlayStep::Close),
        (&["2"], OverlayStep::Close),
        (&["enter"], OverlayStep::Close),
        (&["esc"], OverlayStep::Close),
        (&["C-c"], OverlayStep::Close),
        (&["C-d"], OverlayStep::Close),
        (&["x"], OverlayStep::ForComposer),
        (&["q"], OverlayStep::ForComposer),
        (&["x", "y"], OverlayStep::ForComposer),
        (&["x", "1"], OverlayStep::ForComposer),
        (&["x", "enter"], OverlayStep::Stay),
        (&["up"], OverlayStep::Stay),
        (&["space"], OverlayStep::ForComposer),
        (&["C-y"], OverlayStep::Stay),
        (&["A-y"], OverlayStep::Stay),
    ];
    for (keys, wanted) in table {
        let mut confirm = ConfirmDialog::yolo(None, long_ago());
        let mut step = OverlayStep::Stay;
        for name in *keys {
            confirm.render(80, 24, &dark());
            step = confirm.key(key(name));
        }
        assert_eq!(step, *wanted, "{keys:?}");
    }
}

#[test]
fn only_shift_tab_leads_on_to_another_mode() {
    let default =
        OverlayStep::Finish(UiEffect::Send(Command::Set { setting: SessionSetting::Mode(ApprovalMode::Default) }));
    let says = |name| {
        let mut confirm = ConfirmDialog::yolo(Some(ApprovalMode::Default), long_ago());
        confirm.render(80, 24, &dark());
        confirm.key(key(name))
    };
    assert_eq!(["esc", "n", "enter", "2"].map(says), [const { OverlayStep::Close }; 4]);
    assert_eq!(says("backtab"), default);
}

#[test]
fn what_was_meant_for_the_composer_is_there_and_counts_for_nothing() {
    let start = Instant::now();
    for name in ["y", "Y", "1", "n", "enter"] {
        let step = if name == "enter" { OverlayStep::Stay } else { OverlayStep::ForComposer };
        let mut confirm = ConfirmDialog::yolo(None, start);
        confirm.render_at(80, 24, &dark(), start);
        for ms in [0, 399, 798] {
            let now = start + Duration::from_millis(ms);
            assert_eq!(confirm.key_at(key(name), now), step, "{name} after {ms} ms");
            let seen = text(&confirm.render_at(80, 24, &dark(), now), 80, 24);
            assert!(seen.contains("goes to the composer"), "{seen}");
        }
    }
    assert_eq!(ConfirmDialog::yolo(None, start).key_at(key("esc"), start), OverlayStep::Close, "safe at any time");
}

#[test]
fn whoever_types_a_line_answers_nothing_with_it() {
    let mut now = Instant::now();
    let mut confirm = ConfirmDialog::yolo(None, now);
    let mut press = |name: &str| {
        now += Duration::from_millis(500);
        confirm.render_at(80, 24, &dark(), now);
        confirm.key_at(key(name), now)
    };
    for name in ["/", "q", "u", "i", "t", "y", "n", "1"] {
        assert_eq!(press(name), OverlayStep::ForComposer, "{name}");
    }
    assert_eq!(press("enter"), OverlayStep::Stay);
    // An arrow turns to the question, and does nothing else.
    assert_eq!(press("up"), OverlayStep::Stay);
    assert_eq!(press("enter"), OverlayStep::Close);
}

#[test]
fn a_name_cannot_act_on_the_terminal() {
    let client = ClientRow { principal: EVIL.into(), how: EVIL.into(), rights: EVIL.into(), ..zed(EVIL) };
    let confirm = ConfirmDialog::remove_client(&client, long_ago());
    assert!(shots(10, |width, height, theme| confirm.render(width, height, theme)).contains('␛'));
}
