use super::*;
use pretty_assertions::assert_eq;

fn text(lines: &[Vec<Span<'static>>]) -> Vec<String> {
    lines.iter().map(|line| line.iter().map(|span| span.content.as_ref()).collect()).collect()
}

fn wrapped(source: &str, width: usize) -> Vec<String> {
    text(&wrap_words(&[clean_span(source, Style::new())], width))
}

#[test]
fn words_stay_whole_where_they_fit() {
    assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
    assert_eq!(wrapped("one  two", 20), ["one  two"]);
    assert_eq!(wrapped("one\n\ntwo ", 20), ["one", "", "two"]);
}

#[test]
fn what_is_wider_than_a_line_is_broken_inside() {
    assert_eq!(wrapped("ab 1234567890", 5), ["ab", "12345", "67890"]);
}

#[test]
fn wide_and_combining_characters_take_what_the_terminal_gives_them() {
    assert_eq!(wrapped("日本語テキスト", 6), ["日本語", "テキス", "ト"]);
    assert_eq!(wrapped("e\u{301}e\u{301}e\u{301}e\u{301} x", 4), ["e\u{301}e\u{301}e\u{301}e\u{301}", "x"]);
    assert_eq!(wrapped("👩‍👩‍👧 family", 4), ["👩‍👩‍👧", "fami", "ly"]);
}

#[test]
fn styles_stay_with_their_letters() {
    let bold = Style::new().add_modifier(ratatui::style::Modifier::BOLD);
    let lines = wrap_words(&[clean_span("plain bo", Style::new()), clean_span("ld end", bold)], 8);
    let expected =
        vec![vec![clean_span("plain", Style::new())], vec![clean_span("bo", Style::new()), clean_span("ld end", bold)]];
    assert_eq!(lines, expected);
}

#[test]
fn tabs_go_to_multiples_of_eight() {
    assert_eq!(text(&wrap_letters(&[clean_span("a\tb\n\tc", Style::new())], 20)), ["a       b", "        c"]);
    assert_eq!(wrapped("ab\tc\n\td", 20), ["ab      c", "        d"]);
}

#[test]
fn nothing_that_acts_on_a_terminal_is_left() {
    assert_eq!(wrapped("a\u{1b}[2Jb\u{202e}", 40), ["a␛[2Jb⟨U+202E⟩"]);
}

#[test]
fn a_line_under_way_is_broken_anew_for_another_width() {
    let mut flow = WordWrapper::new(20);
    flow.feed(&[clean_span("one two three fo", Style::new())]);
    flow.fit(9);
    flow.feed(&[clean_span("ur five", Style::new())]);
    assert_eq!(text(&flow.take_lines()), ["one two", "three"]);
    flow.fit(20);
    assert_eq!(text(&flow.end()), ["four five"]);
}
