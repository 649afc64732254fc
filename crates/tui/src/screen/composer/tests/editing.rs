//! Editing, history, search, pastes and what is sent, key by key.

use super::{check, composer, press, shown};
use crate::screen::composer::{ComposerOutcome, PromptQueueState};
use crate::screen::keymap::KeyAction;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use pretty_assertions::assert_eq;

#[test]
fn motions_and_deletions() {
    check(&[
        ("", "|"),
        ("hello", "hello|"),
        ("hello<C-a>", "|hello"),
        ("hello<C-a><C-f><C-f>x", "hex|llo"),
        ("hello<C-b><C-b><Del>", "hel|o"),
        ("hello<Home><End>!", "hello!|"),
        ("one two<A-b>", "one |two"),
        ("one two<C-a><A-f>", "one| two"),
        ("one two<C-a><C-Right><C-Right>", "one two|"),
        ("one two<C-Left><A-Left>", "|one two"),
        ("a-b c/d<C-w>", "a-b |"),
        ("a-b c/d<A-BS>", "a-b c/|"),
        ("one two<C-a><A-d>", "| two"),
        ("one two<C-Left><C-u>", "|two"),
        ("one two<C-Left><C-k>", "one |"),
        ("one<C-u><C-u><C-w><BS><Del><A-d>", "|"),
        ("one two<C-w><C-a><A-y>", "two|one "),
        ("one two<C-a><C-k>x<A-y>", "xone two|"),
        ("one two<A-t>", "two one|"),
        ("one<A-t>", "one|"),
        ("ab<C-d>", "ab|"),
        ("ab<Left><C-d>", "a|"),
        ("ab<C-h>", "a|"),
    ]);
}

#[test]
fn lines() {
    check(&[
        ("a<S-Enter>b", "a\nb|"),
        ("a<C-Enter>b<A-Enter>c<C-j>d", "a\nb\nc\nd|"),
        ("a\\<Enter>b", "a\nb|"),
        ("one<C-j>two<C-a><C-u>", "one|two"),
        ("one<C-j>two<Up><C-k><C-k>", "one|"),
        ("long line<C-j>ab<C-j>longer line<Up>", "long line\nab|\nlonger line"),
        ("long line<C-j>ab<C-j>longer line<Up><Up>", "long line|\nab\nlonger line"),
        ("long line<C-j>ab<C-j>longer line<Up><Up><Down><Down>", "long line\nab\nlonger line|"),
        ("one<C-j>two<C-Home>", "|one\ntwo"),
        ("one<C-j>two<C-Home><C-End>", "one\ntwo|"),
        ("一二<C-j>abcd<Left><Up>", "一|二\nabcd"),
    ]);
}

#[test]
fn characters_as_people_see_them() {
    check(&[
        ("e\u{301}x<Left><BS>", "|x"),
        ("a👩‍👩‍👧b<Left><Left>", "a|👩‍👩‍👧b"),
        ("a👩‍👩‍👧<BS>", "a|"),
        ("🇩🇪🇫🇷<BS>", "🇩🇪|"),
        ("日本 語<A-b><A-b>", "|日本 語"),
    ]);
}

#[test]
fn undo_by_words_and_redo() {
    check(&[
        ("one two<C-_>", "one |"),
        ("one two<C-7><C-_>", "|"),
        ("one two<C-_><C-_><A-S-z>", "one |"),
        ("one two<C-_><C-_><A-Z><A-Z><A-Z>", "one two|"),
        ("one two<C-_>x<A-Z>", "one x|"),
        ("word<BS><BS><BS><C-_>", "word|"),
        ("one two<C-w><C-_>", "one two|"),
        ("one two<C-a><C-k><C-_>", "|one two"),
        ("ab<Left>c<C-_>", "a|b"),
        ("<C-_><A-Z>", "|"),
    ]);
}

#[test]
fn history_keeps_the_draft() {
    check(&[
        ("<Up>", "explain\nthis|"),
        ("<Up><Up>", "expl|ain\nthis"),
        ("<Up><Up><Up>", "!cargo test|"),
        ("<Up><Up><Up><Up>", "fix the tests|"),
        ("<C-p><C-p><C-p><C-p><C-p>", "fix the tests|"),
        ("<C-p><C-p><C-n>", "explain\nthis|"),
        ("draft<Left><C-p><C-p><C-n><C-n>", "draf|t"),
        ("draft<C-n><Down>", "draft|"),
        ("!ls<C-p><C-n>", "!ls|"),
        ("draft<C-p><C-_>", "draft|"),
        ("draft<C-p><C-p><C-_><C-_>", "draft|"),
        ("draft<C-p><C-p><C-_><C-_><A-Z><A-Z>", "!cargo test|"),
        ("!ls<C-u><Esc><C-_>", "!ls|"),
    ]);
}

#[test]
fn the_history_keeps_no_two_in_a_row() {
    let mut composer = composer();
    for prompt in ["again", "again", "  ", "last"] {
        composer.remember(prompt);
    }
    let mut seen = Vec::new();
    for _ in 0..3 {
        press(&mut composer, "<C-p>");
        seen.push(composer.text());
    }
    assert_eq!(seen, ["last", "again", "explain\nthis"]);
}

#[test]
fn what_is_sent() {
    for (spelled, sent) in [
        ("hello  ", Some("hello")),
        ("  hello", Some("  hello")),
        ("a<C-j>b", Some("a\nb")),
        ("!ls -l", Some("!ls -l")),
        (" !not a command", Some(" !not a command")),
        ("x<C-a>!", Some(" !x")),
        ("/quit", Some("/quit")),
        ("", None),
        (" <C-j> ", None),
        ("!", None),
        ("! ", None),
    ] {
        let mut composer = composer();
        press(&mut composer, spelled);
        let wanted = sent.map_or(ComposerOutcome::Nothing, |text| ComposerOutcome::Submit(text.into()));
        assert_eq!(press(&mut composer, "<Enter>"), wanted, "{spelled}");
        assert!(composer.is_empty() || sent.is_none(), "{spelled}");
    }
}

#[test]
fn the_shell_is_entered_and_left() {
    check(&[
        ("!", "!|"),
        ("!ls", "!ls|"),
        ("!<BS>", "|"),
        ("!ls<C-a><BS>", "|ls"),
        ("!ls<Esc>", "ls|"),
        ("a!", "a!|"),
        ("!!", "!!|"),
    ]);
    let mut composer = composer();
    press(&mut composer, "!ls");
    assert_eq!((composer.text().as_str(), composer.mode_word()), ("!ls", Some("shell")));
    composer.set_text("!pwd".into());
    assert_eq!(shown(&composer), "!pwd|");
    composer.set_text(String::new());
    assert!(composer.is_empty());
}

#[test]
fn what_is_not_the_composers() {
    for (spelled, action) in [
        ("<Esc>", KeyAction::Cancel),
        ("text<Esc>", KeyAction::Cancel),
        ("<C-c>", KeyAction::Interrupt),
        ("text<C-c>", KeyAction::Interrupt),
        ("<C-d>", KeyAction::Leave),
        ("<C-z>", KeyAction::Suspend),
        ("<S-Tab>", KeyAction::CycleMode),
        ("<C-y>", KeyAction::Yolo),
        ("<C-g>", KeyAction::ExternalEditor),
        ("<C-x><C-e>", KeyAction::ExternalEditor),
        ("<C-v>", KeyAction::PasteImage),
        ("<C-o>", KeyAction::OpenDetails),
        ("<C-t>", KeyAction::ToggleTodos),
        ("<C-l>", KeyAction::Redraw),
        ("?", KeyAction::Help),
        ("<A-Up>", KeyAction::EditQueue),
    ] {
        assert_eq!(press(&mut composer(), spelled), ComposerOutcome::Act(action), "{spelled}");
    }
    check(&[("what?", "what?|"), ("ab<C-x><Left>", "a|b"), ("<Tab>", "|"), ("!?", "!?|")]);
}

#[test]
fn up_takes_a_waiting_prompt_back_only_when_nothing_is_typed() {
    let mut composer = composer();
    composer.set_queue_state(PromptQueueState::Prompts);
    assert_eq!(press(&mut composer, "<Up>"), ComposerOutcome::Act(KeyAction::EditQueue));
    press(&mut composer, "x<Up>");
    assert_eq!(shown(&composer), "explain\nthis|");
}

#[test]
fn a_key_that_goes_up_types_nothing() {
    let mut composer = composer();
    let key = KeyEvent::new_with_kind(KeyCode::Char('x'), KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(composer.key(key), ComposerOutcome::Nothing);
    assert!(composer.is_empty());
}

#[test]
fn long_pastes_fold_and_go_as_one() {
    let long = "line\n".repeat(12);
    let mut composer = composer();
    press(&mut composer, "see ");
    composer.paste(long.clone());
    press(&mut composer, " ok");
    assert_eq!(shown(&composer), "see [Pasted text: 12 lines #1] ok|");
    assert_eq!(composer.text(), format!("see {long} ok"));
    press(&mut composer, "<BS><BS><BS><BS>");
    assert_eq!(shown(&composer), "see |");
    press(&mut composer, "<C-_>");
    assert_eq!(composer.text(), format!("see {long} ok"), "undoing brings all of it back");
    press(&mut composer, "<Left><Left><Left><Left>");
    assert_eq!(shown(&composer), "see |[Pasted text: 12 lines #1] ok", "the cursor passes it as one");
    press(&mut composer, "<Del>");
    composer.paste("x".repeat(501));
    assert_eq!(shown(&composer), "see [Pasted text: 501 characters #2]| ok");
    assert_eq!(press(&mut composer, "<Enter>"), ComposerOutcome::Submit(format!("see {} ok", "x".repeat(501))));
    composer.paste(long);
    assert_eq!(shown(&composer), "[Pasted text: 12 lines #1]|", "numbers begin again");
}

#[test]
fn what_was_cut_can_be_put_into_the_next_prompt_whole() {
    let long = "line\n".repeat(12);
    let mut composer = composer();
    composer.paste(long.clone());
    press(&mut composer, "<C-w>other<Enter>");
    press(&mut composer, "<A-y>");
    assert_eq!(composer.text(), long);
}

#[test]
fn what_is_too_much_is_cut_and_says_so() {
    let mut composer = composer();
    composer.paste("漢".repeat(6 << 20));
    composer.paste("漢\n".repeat(9));
    press(&mut composer, "x");
    let whole = (16 << 20) / 3;
    let cut = format!("[Pasted text: {whole} characters, cut #1][Pasted text: 0 characters, cut #2]x|");
    assert_eq!(shown(&composer), cut);
    assert_eq!(composer.text().chars().count(), whole + 1);
}

#[test]
fn short_pastes_are_text() {
    let mut composer = composer();
    composer.paste("a\r\nb\rc\td\u{1b}[31m".into());
    assert_eq!(shown(&composer), "a\nb\nc\td\u{1b}[31m|");
    composer.set_text(String::new());
    composer.paste("1\n2\n3\n4\n5".into());
    assert_eq!(composer.text(), "1\n2\n3\n4\n5");
    assert_eq!(shown(&composer), "1\n2\n3\n4\n5|");
}

#[test]
fn a_paste_never_becomes_a_command_unseen() {
    for text in ["!rm -rf /".to_owned(), format!("!{}", "x\n".repeat(9)), format!("/quit {}", "x\n".repeat(9))] {
        let mut composer = composer();
        composer.paste(text.clone());
        assert_eq!(press(&mut composer, "<Enter>"), ComposerOutcome::Submit(format!(" {}", text.trim_end())));
    }
    let mut composer = composer();
    press(&mut composer, "!");
    composer.paste("echo 1\n".repeat(9));
    assert_eq!(shown(&composer), format!("!{}|", "echo 1\n".repeat(9)), "what the shell runs is seen whole");
}

#[test]
fn a_character_that_stands_for_a_paste_cannot_be_smuggled_in() {
    let mut composer = composer();
    composer.paste("secret\n".repeat(9));
    press(&mut composer, "<C-w>");
    composer.paste("\u{100000}".into());
    press(&mut composer, "\u{100000}");
    assert_eq!(composer.text(), "\u{100000}\u{100000}", "it stands for itself and for nothing else");
    composer.set_text("a\u{100001}".into());
    assert_eq!(composer.text(), "a\u{100001}");
}

#[test]
fn search_in_the_history() {
    check(&[
        ("<C-r>test<Enter>", "!cargo test|"),
        ("<C-r>TEST<C-r><Enter>", "fix the tests|"),
        ("<C-r>test<C-r><C-r><C-r><Enter>", "fix the tests|"),
        ("draft<C-r>test<Esc>", "draft|"),
        ("draft<C-r>test<C-c>", "draft|"),
        ("draft<C-r>nowhere<Enter>", "draft|"),
        ("<C-r>testx<BS><Enter>", "!cargo test|"),
        ("<C-r>fix<C-a>", "|fix the tests"),
        ("<C-r>fix<Tab>x", "fix the testsx|"),
        ("<C-r>fix<Enter><C-p>", "explain\nthis|"),
        ("<C-r>?<Esc>", "|"),
    ]);
    let mut composer = composer();
    press(&mut composer, "<C-r>");
    assert_eq!(composer.mode_word(), Some("search"));
    composer.paste("plain\nmore".into());
    assert_eq!(press(&mut composer, "<Enter>"), ComposerOutcome::Changed);
    assert_eq!(composer.text(), "explain\nthis");
}
