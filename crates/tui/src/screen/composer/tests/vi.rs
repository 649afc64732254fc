//! Vi's ways, key by key.

use super::{composer, press, shown};
use crate::screen::composer::{ComposerOutcome, VimSetting};
use crate::screen::keymap::KeyAction;
use pretty_assertions::assert_eq;

fn check(table: &[(&str, &str)]) {
    for (spelled, wanted) in table {
        let mut composer = composer();
        composer.set_vim(VimSetting::On);
        press(&mut composer, spelled);
        assert_eq!(shown(&composer), *wanted, "after {spelled}");
    }
}

#[test]
fn motions() {
    check(&[
        ("one two", "one two|"),
        ("one two<Esc>", "one tw|o"),
        ("one two<Esc>0", "|one two"),
        ("one two<Esc>hh", "one |two"),
        ("one two<Esc>hhhhhhhhhh", "|one two"),
        ("one two<Esc>0ll", "on|e two"),
        ("one two<Esc>0llllllllll", "one tw|o"),
        ("one two.three<Esc>0w", "one |two.three"),
        ("one two.three<Esc>0ww", "one two|.three"),
        ("one two.three<Esc>03w", "one two.|three"),
        ("one two.three<Esc>b", "one two.|three"),
        ("one two.three<Esc>3b", "one |two.three"),
        ("one two<Esc>0e", "on|e two"),
        ("one two<Esc>0ee", "one tw|o"),
        ("  one<Esc>0^", "  |one"),
        ("one<Esc>0$", "on|e"),
        ("a<C-j>b<C-j>  c<Esc>gg", "|a\nb\n  c"),
        ("a<C-j>b<C-j>  c<Esc>ggG", "a\nb\n  |c"),
        ("a<C-j>b<C-j>c<Esc>2G", "a\n|b\nc"),
        ("a<C-j>b<C-j>c<Esc>kk", "|a\nb\nc"),
        ("a<C-j>b<C-j>c<Esc>2kj", "a\n|b\nc"),
        ("one two<Esc>0ft", "one |two"),
        ("one two<Esc>0tt", "one| two"),
        ("one two<Esc>Fn", "o|ne two"),
        ("one two<Esc>Tn", "on|e two"),
        ("one two<Esc>0fz", "|one two"),
        ("one<Esc>0<BS>", "|one"),
    ]);
}

#[test]
fn inserting() {
    check(&[
        ("b<Esc>ia", "a|b"),
        ("a<Esc>ab", "ab|"),
        ("  b<Esc>Ia", "  a|b"),
        ("ab<Esc>0Ac", "abc|"),
        ("a<Esc>ob", "a\nb|"),
        ("b<Esc>Oa", "a|\nb"),
        ("<Esc>ia", "a|"),
    ]);
}

#[test]
fn deleting_changing_copying() {
    check(&[
        ("abc<Esc>x", "a|b"),
        ("abc<Esc>02x", "|c"),
        ("abc<Esc>X", "a|c"),
        ("one two<Esc>0dw", "|two"),
        ("one two<Esc>dw", "one t|w"),
        ("one two three<Esc>02dw", "|three"),
        ("one two three<Esc>0d2w", "|three"),
        ("one<C-j>two<Esc>ggdw", "|\ntwo"),
        ("one two<Esc>0D", "|"),
        ("one two<Esc>bD", "one| "),
        ("one two<Esc>0Cx", "x|"),
        ("one two<Esc>0cwx", "x| two"),
        ("a two<Esc>0cwx", "x| two"),
        ("a<C-j>b<C-j>c<Esc>kdd", "a\n|c"),
        ("a<C-j>b<Esc>dd", "|a"),
        ("a<Esc>dd", "|"),
        ("a<C-j>b<C-j>c<Esc>gg2dd", "|c"),
        ("a<C-j>b<C-j>c<Esc>ggdj", "|c"),
        ("a<C-j>b<C-j>c<Esc>dgg", "|"),
        ("a<C-j>b<Esc>ccx", "a\nx|"),
        ("a<C-j>b<C-j>c<Esc>ggyyGp", "a\nb\nc\n|a"),
        ("a<C-j>b<Esc>ggyyP", "|a\na\nb"),
        ("ab<Esc>xp", "a|b"),
        ("ab<Esc>0xp", "b|a"),
        ("ab<Esc>x0P", "|ba"),
        ("one two<Esc>0yw$p", "one twoone| "),
        ("ab<Esc>0x3p", "baa|a"),
        ("(a, b)<Esc>0dt)", "|)"),
        ("(a, b)<Esc>0df,", "| b)"),
        ("one<Esc>0rx", "|xne"),
        ("one<Esc>03rx", "xx|x"),
        ("one<Esc>04rx", "|one"),
        ("ab<Esc>0sx", "x|b"),
        ("a<C-j>b<Esc>Sx", "a\nx|"),
        ("one<Esc>0de", "|"),
        ("one<Esc>d<Esc>x", "o|n"),
        ("one<Esc>dzx", "o|n"),
        ("one<Esc>gzx", "o|n"),
    ]);
}

#[test]
fn undoing() {
    check(&[
        ("one two<Esc>bDu", "one |two"),
        ("one two<Esc>bDu<C-r>", "one| "),
        ("abc<Esc>xx2u", "ab|c"),
        ("abc<Esc>xu<C-r><C-r>", "a|b"),
    ]);
}

#[test]
fn modes_and_what_stays_the_same() {
    let mut composer = composer();
    assert_eq!(composer.mode_word(), None);
    composer.set_vim(VimSetting::On);
    assert_eq!(composer.mode_word(), Some("insert"));
    press(&mut composer, "hi<Esc>");
    assert_eq!(composer.mode_word(), Some("normal"));
    assert_eq!(press(&mut composer, "<Esc>"), ComposerOutcome::Act(KeyAction::Cancel));
    assert_eq!(press(&mut composer, "<C-c>"), ComposerOutcome::Act(KeyAction::Interrupt));
    assert_eq!(press(&mut composer, "<Enter>"), ComposerOutcome::Submit("hi".into()));
    assert_eq!(composer.mode_word(), Some("insert"), "the next prompt is typed at once");
    assert_eq!(press(&mut composer, "<Esc>?"), ComposerOutcome::Act(KeyAction::Help));
    press(&mut composer, "k");
    assert_eq!(shown(&composer), "explain\nthi|s", "up leads to the history");
    composer.set_vim(VimSetting::Off);
    press(&mut composer, "x");
    assert_eq!(shown(&composer), "explain\nthix|s");
}
