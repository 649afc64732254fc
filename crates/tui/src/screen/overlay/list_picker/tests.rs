use super::{ListPicker, PickerRow};
use crate::screen::overlay::testing::{key, shots, shots_of, text};
use crate::screen::overlay::{Overlay, OverlayStep, UiEffect};
use crate::screen::theme::dark;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pretty_assertions::assert_eq;

fn picker(names: &[&str]) -> ListPicker {
    let row = |name: &&str| PickerRow {
        text: (*name).into(),
        detail: format!("about {name}"),
        effect: UiEffect::Prompt((*name).into()),
    };
    ListPicker::new("Which one?", "there is none", names.iter().map(row).collect())
}

fn many() -> ListPicker {
    let names: Vec<String> = (1..=60).map(|number| format!("number {number}")).collect();
    picker(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What the last of these keys came to; what is longer than a key's name is pasted.
fn press(picker: &mut ListPicker, keys: &[&str]) -> OverlayStep {
    picker.render(80, 24, &dark());
    let mut step = OverlayStep::Stay;
    for name in keys {
        step = match name.strip_prefix('"') {
            Some(words) => picker.paste(words.trim_end_matches('"')),
            None => picker.key(key(name)),
        };
        text(&picker.render(80, 24, &dark()), 80, 24);
    }
    step
}

#[test]
fn a_long_list() {
    let mut list = many();
    press(&mut list, &["pgdn", "pgdn"]);
    assert_snapshot!(shots_of(&list));
}

#[test]
fn a_list_that_is_narrowed_down() {
    let mut list = many();
    press(&mut list, &["4", "2"]);
    assert_snapshot!(shots_of(&list));
}

#[test]
fn a_list_without_a_match_and_one_without_rows() {
    let mut list = many();
    press(&mut list, &["\"zzz\""]);
    assert_snapshot!(shots_of(&list));
    assert_snapshot!(shots_of(&picker(&[])));
}

#[test]
fn keys_pick() {
    let picks = |name: &str| OverlayStep::Finish(UiEffect::Prompt(name.into()));
    let table: &[(&[&str], OverlayStep)] = &[
        (&["enter"], picks("alpha")),
        (&["down", "enter"], picks("beta")),
        (&["C-n", "C-n", "C-p", "enter"], picks("beta")),
        (&["tab", "tab", "tab", "tab", "enter"], picks("gamma")),
        (&["end", "enter"], picks("gamma")),
        (&["end", "home", "enter"], picks("alpha")),
        (&["pgdn", "up", "enter"], picks("beta")),
        (&["\"gm\"", "enter"], picks("gamma")),
        (&["\"gm\"", "back", "back", "enter"], picks("alpha")),
        (&["\"gm\"", "C-u", "enter"], picks("alpha")),
        (&["down", "\"a\"", "enter"], picks("alpha")),
        (&["\"zz\"", "enter"], OverlayStep::Stay),
        (&["back"], OverlayStep::Stay),
        (&["esc"], OverlayStep::Close),
        (&["\"gm\"", "esc"], OverlayStep::Close),
    ];
    for (keys, wanted) in table {
        assert_eq!(press(&mut picker(&["alpha", "beta", "gamma"]), keys), *wanted, "{keys:?}");
    }
}

#[test]
fn the_arrow_stays_on_the_screen() {
    let mut list = many();
    for _ in 0..70 {
        assert!(text(&list.render(40, 8, &dark()), 40, 8).contains("❯ "));
        list.key(key("down"));
    }
    assert!(text(&list.render(40, 8, &dark()), 40, 8).contains("❯ number 60"));
}

#[test]
fn what_is_typed_and_what_is_listed_cannot_act_on_the_terminal() {
    let mut list = picker(&[EVIL]);
    list.paste(&format!("{EVIL}\r\n"));
    assert!(shots(6, |width, height, theme| list.render(width, height, theme)).contains('␛'));
    for (width, height) in [(1, 1), (2, 3), (5, 0)] {
        list.render(width, height, &dark());
    }
}

#[test]
fn ctrl_c_and_ctrl_d_leave() {
    for name in ["C-c", "C-d"] {
        assert_eq!(press(&mut picker(&["alpha"]), &[name]), OverlayStep::Close, "{name}");
    }
}
