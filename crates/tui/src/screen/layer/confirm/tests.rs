use super::{Confirm, Running};
use crate::screen::layer::lists::ClientRow;
use crate::screen::layer::testing::{key, shots, shots_of};
use crate::screen::layer::{Deed, Layer, Step};
use crate::screen::theme::dark;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pollux_session::{At, Command, Mode, Setting};
use pretty_assertions::assert_eq;

fn zed(label: &str) -> ClientRow {
    ClientRow {
        id: 7,
        label: label.into(),
        principal: "token phone".into(),
        how: "WebSocket".into(),
        rights: "may prompt and approve".into(),
        since: At(0),
    }
}

#[test]
fn yolo() {
    assert_snapshot!(shots_of(&Confirm::yolo()));
}

#[test]
fn removing_a_client() {
    assert_snapshot!(shots_of(&Confirm::remove_client(&zed("A2A zed"))));
}

#[test]
fn leaving() {
    assert_snapshot!(shots_of(&Confirm::quit(Running::Here, 2)));
    assert_snapshot!(shots_of(&Confirm::quit(Running::Elsewhere, 0)));
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
        (&["x"], Step::Stay),
        (&["up"], Step::Stay),
        (&["space"], Step::Stay),
        (&["C-y"], Step::Stay),
        (&["A-y"], Step::Stay),
    ];
    for (keys, wanted) in table {
        let mut confirm = Confirm::yolo();
        let mut step = Step::Stay;
        for name in *keys {
            confirm.picture(80, 24, &dark());
            step = confirm.key(key(name));
        }
        assert_eq!(step, *wanted, "{keys:?}");
    }
}

#[test]
fn a_name_cannot_act_on_the_terminal() {
    let client = ClientRow { principal: EVIL.into(), how: EVIL.into(), rights: EVIL.into(), ..zed(EVIL) };
    let confirm = Confirm::remove_client(&client);
    assert!(shots(10, |width, height, theme| confirm.picture(width, height, theme)).contains('␛'));
}
