use super::*;
use pretty_assertions::assert_eq;

/// The pieces of a text, short: `( )` around a paragraph, `[ ]` around code, `{ }` around an item or a quote, `_` for an
/// empty line above.
fn pieces(text: &str) -> String {
    let mut cutter = MarkdownSplitter::default();
    cutter.push(text);
    cutter.end();
    pieces_text(cutter.take_ready())
}

fn pieces_text(pieces: VecDeque<MarkdownPiece>) -> String {
    let gap = |gap: BlockGap| if gap == BlockGap::Blank { "_" } else { "" };
    let told = |piece| match piece {
        MarkdownPiece::Leaf { text, gap: above } => format!("{}<{}>", gap(above), text.trim_end()),
        MarkdownPiece::ParagraphOpened { checkbox: task, gap: above } => {
            let task = match task {
                TaskCheckbox::No => "",
                TaskCheckbox::Open => "[ ] ",
                TaskCheckbox::Done => "[x] ",
            };
            format!("{}({task}", gap(above))
        }
        MarkdownPiece::Words(text) => text.replace(JOINT, "\n"),
        MarkdownPiece::ParagraphClosed => ")".to_owned(),
        MarkdownPiece::CodeOpened { language, gap: above } => format!("{}[{language}:", gap(above)),
        MarkdownPiece::CodeLine(line) => format!("{line};"),
        MarkdownPiece::CodeClosed => "]".to_owned(),
        MarkdownPiece::ItemOpened { mark, position: ListPosition::First(above) } => format!("{}{{{mark}", gap(above)),
        MarkdownPiece::ItemOpened { mark, position: ListPosition::Later } => format!("+{{{mark}"),
        MarkdownPiece::QuoteOpened { gap: above } => format!("{}{{>", gap(above)),
        MarkdownPiece::Closed => "}".to_owned(),
    };
    pieces.into_iter().map(told).collect()
}

#[test]
fn paragraphs_end_at_empty_lines() {
    assert_eq!(pieces("a\nb\n\n\nc"), "(a\nb)_(c)");
    assert_eq!(pieces("a\r\n\r\nb"), "(a)_(b)");
}

#[test]
fn items_are_pieces_of_their_own() {
    assert_eq!(pieces("- a\n\n  more\n\n- b\n\nafter"), "{- (a)_(more)}+{- (b)}_(after)");
    assert_eq!(pieces("9. a\n9. b\n   - c\n   - d\n1) e"), "{9. (a)}+{10. (b){- (c)}+{- (d)}}{1. (e)}");
    assert_eq!(pieces("- [x] a\n- [ ] b\n\n  [ ] c\n-\n- # d"), "{- ([x] a)}+{- ([ ] b)_([ ] c)}+{- }+{- <# d>}");
    // Signs of another kind are another list, and a rule is no list.
    assert_eq!(pieces("- a\n+ b\n\n* * *\n- - -"), "{- (a)}{- (b)}_<* * *><- - ->");
    // A line that is not indented goes on with the paragraph above it, unless it begins something.
    assert_eq!(pieces("- a\nlazy\n# head\n- b\n\nc"), "{- (a\nlazy)}<# head>{- (b)}_(c)");
    assert_eq!(pieces("text\n2. no list\n- a list\n10. one too"), "(text\n2. no list){- (a list)}{10. (one too)}");
}

#[test]
fn quotes_hold_blocks() {
    assert_eq!(pieces("> a\n> b\nlazy\n> > c\n\nd"), "{>(a\nb\nlazy){>(c)}}_(d)");
    assert_eq!(pieces("> - a\n> - b\n> ```\n> x\n> ```\ny"), "{>{- (a)}+{- (b)}[:x;]}(y)");
}

#[test]
fn code_comes_line_by_line() {
    assert_eq!(pieces("text\n```rust\nfn x() {\n\n}\n```\nend"), "(text)[rust:fn x() {;;};](end)");
    assert_eq!(pieces("1. a\n   ```\n   x\n\n     y\n   ```\n2. b"), "{1. (a)[:x;;  y;]}+{2. (b)}");
    assert_eq!(pieces("````\n```\n~~~~\n````\n"), "[:```;~~~~;]");
    assert_eq!(pieces("~~~\nx"), "[:x;]");
    assert_eq!(pieces("    x\n\ty\n      z\nno"), "[:x;y;  z;](no)");
    // Code inside a sentence.
    assert_eq!(pieces("``` a ``` b"), "(``` a ``` b)");
}

#[test]
fn what_the_next_line_makes_of_a_line_is_waited_for() {
    assert_eq!(pieces("a\n===\nb\n---\nc\nd\n---\n"), "<a\n===><b\n--->(c\nd)<--->");
    assert_eq!(pieces("a | b\n--|--\n1 | 2\n\nc"), "<a | b\n--|--\n1 | 2>_(c)");
    assert_eq!(pieces("text\na | b\n--|--\n1 | 2\n- c"), "(text\n)<a | b\n--|--\n1 | 2>{- (c)}");
    assert_eq!(pieces("a | b\nc | d\ne"), "(a | b\nc | d\ne)");
    assert_eq!(
        pieces("<b>\nx\n</b>\n\n<https://x.example> y\n\n[a]: b"),
        "<<b>\nx\n</b>>_(<https://x.example> y)_<[a]: b>"
    );
}

/// What is ready before the text ends.
fn ready(text: &str) -> String {
    let mut cutter = MarkdownSplitter::default();
    cutter.push(text);
    pieces_text(cutter.take_ready())
}

#[test]
fn what_cannot_change_any_more_is_ready_at_once() {
    assert_eq!(ready("- one\n- two\n- th"), "{- (one)}+{- ");
    assert_eq!(ready("1. one\n   - deep\n   - deeper\n   - de"), "{1. (one){- (deep)}+{- ");
    assert_eq!(ready("> one\n> two\n> three\n>\n> fo"), "{>(one\ntwo\nthree)");
    let words = "word ".repeat(100);
    let whole = ready(&words);
    assert!(whole.starts_with("(word word") && whole.len() > words.len() - 80, "{whole}");
    let whole = ready(&format!("- {words}"));
    assert!(whole.starts_with("{- (word word") && whole.len() > words.len() - 80, "{whole}");
    let whole = ready(&"漢字".repeat(300));
    assert!(whole.len() > 1_700, "{whole}");
}

#[test]
fn emphasis_code_and_links_are_not_cut() {
    let long = "word ".repeat(30);
    for (open, close) in [
        ("**", "**"),
        ("`` ` ", "``"),
        ("[", "](https://x.example/a_(b) \"a title\")"),
        ("<b ", ">"),
        ("_", "_"),
        ("~~", "~~"),
    ] {
        let runs = |text: &str| {
            let mut cutter = MarkdownSplitter::default();
            cutter.push(text);
            cutter.end();
            let is_words = |piece: &MarkdownPiece| matches!(piece, MarkdownPiece::Words(text) if text.contains(open));
            let holding: Vec<MarkdownPiece> = cutter.take_ready().into_iter().filter(is_words).collect();
            holding
        };
        let inside = format!("{open}{}{close}", long.trim_end());
        let holding = runs(&format!("{long}{inside} {long}"));
        assert!(matches!(&holding[..], [MarkdownPiece::Words(text)] if text.contains(&inside)), "{open}: {holding:?}");
    }
    // What nothing closes is text in the end.
    assert!(ready(&format!("*.rs {}", "word ".repeat(1_000))).len() > 2_000);
    assert!(ready(&format!("2 * 3, snake_case, a < b and \\* {}", "word ".repeat(100))).len() > 400);
}

#[test]
fn a_paragraph_of_megabytes_is_cut_in_one_go() {
    let whole = pieces(&"word ".repeat(1_000_000));
    assert_eq!(whole.len(), "(word)".len() + " word".len() * 999_999 + 1);
}
