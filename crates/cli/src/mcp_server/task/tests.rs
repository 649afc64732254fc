use super::at_most;
use pollux_session::Mode;

#[test]
fn a_request_may_narrow_the_mode_and_never_widen_it() {
    assert_eq!(at_most(Mode::Plan, Mode::Default).unwrap(), Mode::Plan);
    assert_eq!(at_most(Mode::Yolo, Mode::Yolo).unwrap(), Mode::Yolo);
    for (wanted, allowed) in
        [(Mode::Yolo, Mode::AutoEdit), (Mode::AutoEdit, Mode::Default), (Mode::Default, Mode::Plan)]
    {
        let why = at_most(wanted, allowed).unwrap_err().to_string();
        assert!(why.contains(&format!("--approval-mode {}", wanted.name())), "{why}");
    }
}
