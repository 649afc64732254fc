use super::*;
use crate::screen::theme::{dark, plain};
use crate::testing::EVIL;
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

const EVERYTHING: &str = "\
# A heading with `code` in it

A paragraph with **bold**, *italics*, ~~struck~~ words, `inline code`, a [link](https://example.com/page), an
address <https://example.com> and a picture ![of a cat](cat.png \"Tom\").
It goes on here.\\
A hard break.

## Lists
- one
- two, which is so long that it has to be broken somewhere near the end of the line
  - nested
    1. deep
    2. deeper

  A second paragraph of two.
- [x] done
- [ ] not done

9. nine
10. ten

> A quote that is long enough to be broken at forty columns.
> > And one inside it.
>
> - with a list

```rust
fn main() {
\tprintln!(\"hello, {}\", 1 + 2); // and a comment that is rather long, so that it goes over the edge
}
```

| Name | What it does | Default |
|:-----|--------------|--------:|
| `width` | how many columns there are, and what happens to those that do not fit | 80 |
| 日本 | wide | 1 |

---

<details>raw <b>html</b></details>

[ref]: https://example.com/defined
Text with <kbd>keys</kbd> &amp; an entity.
";

/// Longer than a line that is waited for.
const LONG: &str = "a long line of several words that goes on and on, with *emphasis in it*, `code in it` and a [link](https://example.com), \
                    until it is so long that its end is not waited for any more, which takes more than a quarter of a thousand \
                    letters, and then some more of them";
const LONG_WIDE: &str = "漢字仮名交じり文は空白がないので言葉の間で切ることができない漢字仮名交じり文は空白がないので言葉の間で切ることができない漢字仮名交じり文は空白がない";

fn text_of(lines: &[Line<'static>]) -> String {
    let text = |line: &Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn everything_at_three_widths() {
    for width in [40, 80, 120] {
        let lines = render(EVERYTHING, width, &dark());
        for line in &lines {
            assert!(line.width() <= usize::from(width), "too wide: {line:?}");
        }
        assert_snapshot!(format!("everything_{width}"), text_of(&lines));
    }
}

#[test]
fn a_table_too_wide_for_columns_becomes_records() {
    let table = "| one | two | three | four | five | six |\n|---|---|---|---|---|---|\n\
                 | first value | second value | third value | fourth value | fifth value | sixth value |\n\
                 | a | b | c | d | e | f |\n";
    assert_snapshot!(text_of(&render(table, 40, &dark())));
}

#[test]
fn code_has_the_colours_of_its_language_and_none_in_the_plain_theme() {
    let code = "```rust\nlet x = \"text\";\n```\n";
    let colours = |theme: &Theme| {
        let lines = render(code, 80, theme);
        lines.iter().flat_map(|line| &line.spans).filter_map(|span| span.style.fg).collect::<Vec<_>>().len()
    };
    assert!(colours(&dark()) > 2);
    assert_eq!(colours(&plain()), 0);
    // A language nobody knows is shown all the same.
    assert_eq!(text_of(&render("```klingon\nqapla'\n```", 80, &dark())), "  qapla'");
}

#[test]
fn what_is_finished_leaves_and_the_rest_is_pending() {
    let mut markdown = MarkdownStream::default();
    markdown.push("First.\n\nSec");
    assert_eq!(text_of(&markdown.take_finished(80, &dark())), "First.");
    assert_eq!(text_of(&markdown.take_finished(80, &dark())), "");
    assert_eq!(text_of(&markdown.pending(80, &dark())), "\nSec");
    markdown.push("ond.\n```\nco");
    assert_eq!(text_of(&markdown.take_finished(80, &dark())), "\nSecond.");
    assert_eq!(text_of(&markdown.pending(80, &dark())), "  co");
    markdown.push("de\nmore");
    assert_eq!(text_of(&markdown.take_finished(80, &dark())), "  code");
    assert_eq!(text_of(&markdown.pending(80, &dark())), "  more");
    markdown.end();
    assert_eq!(text_of(&markdown.take_finished(80, &dark())), "  more");
    assert_eq!(text_of(&markdown.pending(80, &dark())), "");
}

/// What leaves after each piece of a text, between bars.
fn leaving(pieces: &[&str], width: u16) -> String {
    let mut markdown = MarkdownStream::default();
    let take = |piece: &&str| {
        markdown.push(piece);
        text_of(&markdown.take_finished(width, &dark()))
    };
    pieces.iter().map(take).collect::<Vec<_>>().join(" | ")
}

#[test]
fn items_quotes_and_the_lines_of_a_paragraph_leave_when_they_are_whole() {
    assert_eq!(leaving(&["- one\n- t", "wo\n", "- three\n", "\nend\n\n"], 80), " | - one | - two | - three\n\nend");
    let nested = ["1. one\n", "   - deep\n   - deeper\n", "   ```\n   code\n", "   ```\n2. two\n\n"];
    assert_eq!(leaving(&nested, 80), " | 1. one\n   - deep |    - deeper\n     code | 2. two");
    assert_eq!(leaving(&["> one\n", "> two\n", ">\n> three\n\n"], 80), " | │ one | │ two\n│ \n│ three");
    let words = "all work and no play makes a dull text; ".repeat(20);
    let left = leaving(&[&words], 40);
    assert!(left.lines().count() >= 16, "{left}");
    // Only what has to be seen as a whole waits.
    assert_eq!(leaving(&["| a | b |\n|--|--|\n| 1 | 2 |\n", "| 3 | 4 |\n", "\n"], 80), " |  | a  b\n─  ─\n1  2\n3  4");
}

#[test]
fn a_paragraph_goes_on_at_another_width_and_loses_nothing() {
    let words: Vec<String> = (0..400).map(|number| format!("word{number}")).collect();
    let (mut markdown, mut lines) = (MarkdownStream::default(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        markdown.push(&format!("{}{word}", if at == 0 { "- " } else { " " }));
        let width = [80, 30, 120, 41][at / 100];
        let taken = markdown.take_finished(width, &plain());
        assert!(taken.iter().all(|line| line.width() <= usize::from(width)), "{taken:?}");
        lines.extend(taken);
    }
    markdown.end();
    lines.extend(markdown.take_finished(60, &plain()));
    let told = text_of(&lines);
    assert_eq!(told.split_whitespace().skip(1).collect::<Vec<_>>(), words);
}

#[test]
fn a_link_that_says_something_else_than_where_it_leads_is_shown_with_both() {
    let text = "[https://good.example](https://evil.example) <me@example.com>";
    assert_eq!(text_of(&render(text, 80, &dark())), "https://good.example (https://evil.example) me@example.com");
}

#[test]
fn nothing_in_a_text_acts_on_the_terminal() {
    let evil = format!(
        "{EVIL}\n# {EVIL}\n- {EVIL}\n> `{EVIL}`\n\n[{EVIL}](http://x/{EVIL})\n\n![{EVIL}]({EVIL})\n\n|{EVIL}|\n|---|\n|{EVIL}|\n\n\
         ```{EVIL}\n{EVIL}\n```\n<b>{EVIL}</b>\n\n&#27;[2J &#x202e; &#7;\n\n    {EVIL}\n"
    );
    for line in render(&evil, 60, &dark()) {
        for span in line.spans {
            crate::testing::assert_harmless(&span.content.replace('\n', "\u{7}"));
            assert!(!span.content.contains('\t'));
        }
    }
}

#[test]
fn nesting_without_end_is_drawn_flat() {
    for deep in ["> ".repeat(3_000), "- ".repeat(3_000), "1. ".repeat(3_000)] {
        for width in [24, 40, 80] {
            let lines = render(&format!("{deep}bottom"), width, &dark());
            assert!(text_of(&lines).contains("bottom"), "{width}");
            assert!(lines.iter().all(|line| line.width() <= usize::from(width)));
        }
    }
}

fn arrived(text: &str, cuts: &[usize], width: u16) -> String {
    let mut markdown = MarkdownStream::default();
    let mut lines = Vec::new();
    let mut from = 0;
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.sort_unstable();
    for cut in cuts.into_iter().filter(|cut| text.is_char_boundary(*cut)) {
        markdown.push(&text[from..cut]);
        markdown.pending(width, &plain());
        lines.extend(markdown.take_finished(width, &plain()));
        from = cut;
    }
    markdown.push(&text[from..]);
    markdown.end();
    lines.extend(markdown.take_finished(width, &plain()));
    text_of(&lines)
}

#[test]
fn nothing_hides_behind_half_a_line_end() {
    for (text, hidden) in [
        ("Step 1 is safe.\r\rStep 2: rm -rf ~\n\nend", "Step 2: rm -rf ~"),
        ("word\r- an item", "an item"),
        ("one\r# two three\nend", "two three"),
    ] {
        let shown = text_of(&render(text, 80, &plain()));
        assert!(shown.contains(hidden) && !shown.contains('\r'), "{shown:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_looks_the_same_however_it_arrives(
        cuts in proptest::collection::vec(any::<usize>(), 0..12),
        width in 30u16..100,
    ) {
        prop_assert_eq!(arrived(EVERYTHING, &cuts, width), arrived(EVERYTHING, &[], width));
    }

    #[test]
    fn so_does_any_text(
        parts in proptest::collection::vec(
            prop::sample::select(vec![
                "word ", "\n", "\n\n", "- ", "  ", "    ", "```", "~~~\n", "1. ", "> ", "| a | b |\n|--|--|\n", "# ",
                "**", "`", "[x](y)", "---\n", "<b>", "\r\n", "\r", "\t", "日本", "===\n", "* ", "a | b\n", "\\", "_", "[", "- [x] ",
                LONG, LONG_WIDE, "\u{2028}",
            ]),
            0..40,
        ),
        cuts in proptest::collection::vec(any::<usize>(), 0..12),
        width in 30u16..100,
    ) {
        let text = parts.concat();
        let whole = render(&text, width, &plain());
        for line in &whole {
            prop_assert!(line.width() <= usize::from(width), "too wide in {:?}: {:?}", text, line);
        }
        prop_assert_eq!(arrived(&text, &cuts, width), text_of(&whole));
        // What is live looks as it will when it is finished, if nothing more comes.
        let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let mut markdown = MarkdownStream::default();
        markdown.push(&text[..half]);
        let mut lines = markdown.take_finished(width, &plain());
        lines.extend(markdown.pending(width, &plain()));
        prop_assert_eq!(text_of(&lines), text_of(&render(&text[..half], width, &plain())));
    }
}
