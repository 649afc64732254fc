use super::*;
use pretty_assertions::assert_eq;

/// Check that a terminal shows `shown` for `stream`, however it arrives.
#[track_caller]
fn check(stream: &str, shown: &str) {
    let render = |pieces: &mut dyn Iterator<Item = String>| {
        let mut sequences = super::super::escape_sequences::SequenceBuffer::default();
        let mut screen = OutputRenderer::new(40_000);
        for piece in pieces {
            screen.push(&sequences.push(piece));
        }
        screen.push(&sequences.finish());
        screen.finish(stream.len() as u64).text
    };
    assert_eq!(render(&mut std::iter::once(stream.to_owned())), shown, "in one piece: {stream:?}");
    assert_eq!(render(&mut stream.chars().map(String::from)), shown, "letter by letter: {stream:?}");
}

#[test]
fn lines_are_passed_through_as_they_are() {
    let wide = format!("{}\tend  \r\n", "x".repeat(1000));
    check(&wide, &wide.replace('\r', ""));
    check("\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain\r\n", "red and plain\n");
    check("no end", "no end");
    check("bell\x07\r\r\n\r\n", "bell\n\n");
}

#[test]
fn progress_collapses_to_its_last_state() {
    check("10%\r20%\r100%\r\ndone\r\n", "100%\ndone\n");
    check("abcdef\rxy\r\n", "xycdef\n");
    check("wait...\x1b[2K\rready\r\n", "ready\n");
    check("one\r\ntwo\r\n\x1b[2A\x1b[Kuno\r\n\x1b[1Bthree\r\n", "uno\ntwo\nthree\n");
    check("ab\x08\x08x\r\n", "xb\n");
}

#[test]
fn what_scrolled_away_stays_and_long_lines_are_whole() {
    let lines: String = (1..=200).map(|number| format!("line {number}\r\n")).collect();
    let shown = lines.replace('\r', "");
    check(&format!("{lines}50%\r99%\r\n{lines}"), &format!("{shown}99%\n{shown}"));
    let wide = "wide ".repeat(100);
    check(&format!("a\rb\r\n{wide}!\r\n"), &format!("b\n{wide}!\n"));
    check(&format!("{wide}!\r\nx\ry\r\n"), &format!("{wide}!\ny\n"));
}

#[test]
fn a_full_screen_program_leaves_what_was_there() {
    let program = "\x1b[?1049h\x1b[2J\x1b[5;1Hdrawn";
    check(&format!("before\r\n{program}\x1b[?1049lafter\r\n"), "before\nafter\n");
    check(&format!("before\r\n{program}"), "before\ndrawn\n");
    check("before\x1b[H\x1b[2Jafter\r\n", "after\n");
}

#[test]
fn wide_and_combining_letters_survive() {
    check("日本語\r日本\r\n", "日本語\n");
    check("\rcafe\u{301} 🎉 é\r\n", "cafe\u{301} 🎉 é\n");
}

#[test]
fn from_a_pipe_a_line_feed_begins_a_line() {
    let mut screen = OutputRenderer::new(40_000);
    screen.push("1%\r2%\nnext\r\nlast");
    assert_eq!(screen.finish(0).text, "2%\nnext\nlast\n");
}

#[test]
fn bytes_that_are_no_text_are_counted_and_not_told() {
    let mut screen = OutputRenderer::new(40_000);
    screen.push(&"\u{fffd}\0a".repeat(1000));
    assert_eq!(
        screen.finish(5000).text,
        "[5000 bytes of output are not text; send them to a file, or through a tool like xxd.]\n"
    );
    let mut screen = OutputRenderer::new(40_000);
    screen.push(&"a/path/that/find/prints\0".repeat(1000));
    assert!(!screen.finish(0).text.starts_with('['));
}

#[test]
fn the_excerpt_is_of_what_is_shown() {
    let mut screen = OutputRenderer::new(100);
    for number in 0..1000 {
        screen.push(&format!("\r{number:5}%"));
    }
    screen.push("\r\n");
    assert_eq!(screen.finish(0).text, "  999%\n");
    let mut screen = OutputRenderer::new(100);
    screen.push(&"\rline\r\n".repeat(500));
    let rendered = screen.finish(0);
    assert_eq!((rendered.text.chars().filter(|letter| *letter == 'l').count() < 30, rendered.cut), (true, true));
}

#[test]
fn no_stream_breaks_it() {
    // A plain generator, so that a failure can be had again.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let words = [
        "\x1b[",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "日",
        "e\u{301}",
        "\r",
        "\n",
        "\t",
        "\x08",
        "\x1bM",
        "\x1bc",
        "x",
        "🎉",
    ];
    let finals = b"ABCDEFGHJKLMPSTXZ@`abdefghilmnqrsu";
    for _ in 0..50 {
        let mut screen = OutputRenderer::new(1000);
        for _ in 0..2000 {
            let word = words[usize::try_from(next() % words.len() as u64).unwrap()];
            screen.push(word);
            if word == "\x1b[" {
                let last = char::from(finals[usize::try_from(next() % finals.len() as u64).unwrap()]);
                screen.push(&format!("{};{}{last}", next() % 200, next() % 200));
            }
        }
        assert!(matches!(screen.render_state, RenderState::Terminal(_)), "the terminal broke down");
        assert!(screen.finish(0).text.chars().count() < 1100);
    }
}
