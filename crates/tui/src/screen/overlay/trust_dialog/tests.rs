use super::TrustDialog;
use crate::screen::overlay::key_guard::GuardedOverlay;
use crate::screen::overlay::testing::{key, shots};
use crate::screen::overlay::{Overlay, OverlayStep, TrustChoice, UiEffect};
use crate::screen::theme::dark;
use crate::testing::EVIL;
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use std::time::{Duration, Instant};

fn dialog(folder: &str, found: &[&str]) -> (TrustDialog, Instant) {
    let now = Instant::now();
    let found = found.iter().map(|thing| (*thing).to_owned()).collect();
    (TrustDialog::new(folder, found, now), now + Duration::from_millis(400))
}

fn shot(folder: &str, found: &[&str], height: u16) -> String {
    let (dialog, now) = dialog(folder, found);
    shots(height, |width, height, theme| dialog.render_at(width, height, theme, now))
}

/// As `pollux trust` lists them (`BROUGHT` in the cli's `trust.rs`, which this crate may not use).
const FOUND: [&str; 4] = [
    ".gemini/settings.json: settings that narrow yours",
    ".env: variables",
    ".gemini/agents: agents",
    ".gemini/extensions: extensions, but for the tool servers of those you have not enabled",
];

#[test]
fn a_folder_that_has_things() {
    assert_snapshot!(shot("/home/ada/code/loom", &FOUND, 24));
}

#[test]
fn a_folder_that_has_things_on_a_small_screen() {
    assert_snapshot!(shot("/home/ada/code/loom", &FOUND, 10));
}

#[test]
fn a_folder_that_has_nothing() {
    assert_snapshot!(shot("/", &[], 24));
}

#[test]
fn trust_is_given_never_stumbled_into() {
    let trusts = |choice| OverlayStep::Finish(UiEffect::Trust(choice));
    let table: &[(&[&str], OverlayStep)] = &[
        (&["1"], OverlayStep::Stay),
        (&["2"], OverlayStep::Stay),
        (&["3"], OverlayStep::Stay),
        (&["2", "2"], OverlayStep::Stay),
        (&["1", "enter"], trusts(TrustChoice::Folder)),
        (&["2", "enter"], trusts(TrustChoice::Parent)),
        (&["2", "3", "enter"], trusts(TrustChoice::Never)),
        (&["enter"], trusts(TrustChoice::Never)),
        (&["esc"], trusts(TrustChoice::Never)),
        (&["down", "enter"], trusts(TrustChoice::Folder)),
        (&["y"], OverlayStep::ForComposer),
        (&["4"], OverlayStep::ForComposer),
        (&["C-c"], OverlayStep::Finish(UiEffect::Quit)),
        (&["x", "C-d"], OverlayStep::Finish(UiEffect::Quit)),
    ];
    for (keys, wanted) in table {
        let (mut dialog, now) = dialog("/home/ada/loom", &FOUND);
        let mut step = OverlayStep::Stay;
        for name in *keys {
            dialog.render_at(80, 24, &dark(), now);
            step = dialog.key_at(key(name), now);
        }
        assert_eq!(step, *wanted, "{keys:?}");
    }
}

#[test]
fn what_is_written_for_the_composer_trusts_nothing() {
    for sentence in ["fix 2 bugs", "2 bugs", "y 1", "bug 2"] {
        let (mut dialog, mut now) = dialog("/home/ada/loom", &FOUND);
        let letters = sentence.chars().map(String::from);
        for name in letters.chain(["enter".to_owned()]) {
            dialog.render_at(80, 24, &dark(), now);
            let is_for_composer = name != "enter" && !name.starts_with(char::is_numeric);
            let expected = if is_for_composer { OverlayStep::ForComposer } else { OverlayStep::Stay };
            assert_eq!(dialog.key_at(key(&name), now), expected, "{name} of {sentence}");
            // As slowly as anybody types: no pause tells it from an answer.
            now += Duration::from_secs(1);
        }
        let picture = shots(24, |width, height, theme| dialog.render_at(width, height, theme, now));
        let is_told = picture.contains("this waits for an answer first") || sentence.ends_with(char::is_numeric);
        assert!(is_told, "{picture}");
        dialog.key_at(key("1"), now);
        dialog.key_at(key("down"), now);
        dialog.render_at(80, 24, &dark(), now);
        assert_eq!(
            dialog.key_at(key("enter"), now),
            OverlayStep::Finish(UiEffect::Trust(TrustChoice::Parent)),
            "{sentence}"
        );
    }
}

#[test]
fn digits_go_on_working_after_a_stray_letter() {
    let (mut dialog, mut now) = dialog("/home/ada/loom", &FOUND);
    let mut press = |name: &str| {
        dialog.render_at(80, 24, &dark(), now);
        let step = dialog.key_at(key(name), now);
        now += Duration::from_secs(1);
        (step, shots(24, |width, height, theme| dialog.render_at(width, height, theme, now)))
    };
    press("x");
    let (_, seen) = press("1");
    assert!(seen.contains("❯ 1. Trust this folder (loom)") && seen.contains("press Enter twice"), "{seen}");
    assert_eq!(press("enter").0, OverlayStep::Stay);
    assert_eq!(press("enter").0, OverlayStep::Finish(UiEffect::Trust(TrustChoice::Folder)));
}

#[test]
fn keys_typed_ahead_decide_nothing() {
    let (mut dialog, now) = dialog("/home/ada/loom", &FOUND);
    dialog.render_at(80, 24, &dark(), now);
    assert_eq!(dialog.changes_at(), Some(now));
    let early = now - Duration::from_millis(1);
    assert_eq!(dialog.key_at(key("1"), early), OverlayStep::Stay);
    // A prompt that was begun before the question came goes on in the composer.
    assert_eq!(
        ["f", "i", "x", "2"].map(|name| dialog.key_at(key(name), early)),
        [const { OverlayStep::ForComposer }; 4]
    );
}

#[test]
fn names_cannot_act_on_the_terminal() {
    assert!(shot(&format!("/{EVIL}/{EVIL}"), &[EVIL], 24).contains('␛'));
}
