use super::*;
use pretty_assertions::assert_eq;

/// The output when `pieces` go in.
fn through(pieces: &[&str]) -> Vec<String> {
    let mut sequences = SequenceBuffer::default();
    let mut out: Vec<String> = pieces.iter().map(|piece| sequences.push((*piece).to_owned())).collect();
    out.push(sequences.finish());
    out
}

#[test]
fn a_piece_waits_for_the_end_of_its_last_sequence() {
    assert_eq!(through(&["plain", " text"]), ["plain", " text", ""]);
    assert_eq!(through(&["a\x1b", "[3", "1mred"]), ["a", "", "\x1b[31mred", ""]);
    assert_eq!(through(&["a\x1b]0;ti", "tle\x07b"]), ["a", "\x1b]0;title\x07b", ""]);
    assert_eq!(through(&["a\r", "\nb"]), ["a", "\r\nb", ""]);
    assert_eq!(through(&["a\r", "\r", "\nb"]), ["a", "", "\r\r\nb", ""]);
    assert_eq!(through(&["a\r", "b\x1b["]), ["a", "\rb", "\x1b["]);
}

#[test]
fn what_never_ends_is_not_held_back_for_ever() {
    let endless = format!("\x1b]{}", "x".repeat(MAX_SEQUENCE));
    assert_eq!(through(&[&endless, "y"]), [endless.as_str(), "y", ""]);
}

#[test]
fn a_cut_moves_out_of_a_sequence() {
    let text = "ab\x1b[31mcd\r\né";
    for (at, until, from) in
        [(2, 2, 2), (3, 2, 7), (5, 2, 7), (6, 2, 7), (7, 7, 7), (9, 9, 9), (10, 9, 11), (11, 11, 11), (12, 11, 13)]
    {
        assert_eq!((whole_until(text, at), whole_from(text, at)), (until, from), "{at}");
    }
}
