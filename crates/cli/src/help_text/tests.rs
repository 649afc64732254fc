use super::{visible_width, wrap_lines};
use pretty_assertions::assert_eq;

#[test]
fn lines_break_between_words_and_below_their_description() {
    let help = "A short line\n  \u{1b}[1mattach\u{1b}[0m   Join a running session\n      --plain\n          Print plain lines instead of it\n";
    let expected = "A short line\n  \u{1b}[1mattach\u{1b}[0m   Join a\n           running\n           session\n      --plain\n          Print plain\n          lines instead\n          of it\n";
    assert_eq!(wrap_lines(help, 24), expected);
    assert_eq!(wrap_lines(help, 40), help.replace("instead of it", "instead of\n          it"));
    assert_eq!(wrap_lines(help, 80), help);
}

#[test]
fn a_name_that_leaves_no_room_is_no_column() {
    let line = "  pollux -p \"explain src/main.rs\"        answer one prompt";
    let expected = "  pollux -p \"explain\n  src/main.rs\"       \n  answer one prompt";
    assert_eq!(wrap_lines(line, 24), expected);
}

#[test]
fn a_word_that_is_too_long_stays_whole() {
    assert_eq!(
        wrap_lines("see https://example.com/a/long/address now", 20),
        "see\nhttps://example.com/a/long/address\nnow"
    );
    assert_eq!(visible_width("\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m x"), 8);
}
