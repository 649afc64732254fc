use super::*;
use pretty_assertions::assert_eq;

#[track_caller]
fn check(raw: &str, shown: &str) {
    assert_eq!(plain(raw), shown, "{raw:?}");
}

#[test]
fn text_without_controls_is_borrowed() {
    assert!(matches!(plain("one\n\ttwo é\n"), Cow::Borrowed("one\n\ttwo é\n")));
}

#[test]
fn sequences_and_controls_go_and_lines_stay() {
    check("\x1b[1;31mred\x1b[0m\r\n", "red\n");
    check("\x1b]0;a title\x07text", "text");
    check("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link");
    check("\x1b(B\x1b=\x1b7\x1b[?25lok", "ok");
    check("bell\x07 and \x00nothing\x7f\u{9b}", "bell and nothing");
    check("\x1bPq#0;2\x1b\\after", "after");
}

#[test]
fn a_line_that_was_drawn_over_is_what_it_was_last() {
    check("10%\r20%\r30%\ndone\n", "30%\ndone\n");
    check("a\r\r\nb", "a\nb");
    check("kept\r", "kept");
    check("one\nold\rnew", "one\nnew");
    check("\r20%", "\n20%");
    check("\n\r20%", "\n20%");
    check("⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0K> test\n", "> test\n");
    check("\x1b[1G\x1b[0K⠹", "⠹");
    check("kept\x1b[1G", "kept");
    check("one\n⠙\x1b[2K\x1b[1G", "one\n");
}

#[test]
fn what_is_no_sequence_hides_nothing() {
    check("\x1b", "");
    check("\x1b[31", "");
    check("\x1bé", "é");
    check("\x1b[3\nm", "\nm");
    let endless = format!("\x1b]{}", "x".repeat(2 * MAX_SEQUENCE));
    check(&endless, &endless[1..]);
}

#[test]
fn an_unfinished_sequence_has_no_length_yet() {
    for unfinished in ["\x1b", "\x1b[", "\x1b[1;", "\x1b]0;title", "\x1b]0;title\x1b", "\x1b("] {
        assert_eq!(sequence_len(unfinished), None, "{unfinished:?}");
    }
    for (text, len) in [("\x1b[m", 3), ("\x1bcx", 2), ("\x1b]0\x07x", 4), ("\x1b]0\x1b[m", 3), ("\x1b\x1b", 1)] {
        assert_eq!(sequence_len(text), Some(len), "{text:?}");
    }
}
