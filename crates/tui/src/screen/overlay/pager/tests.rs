use super::{NamedList, Pager};
use crate::screen::overlay::line_builder::LineBuilder;
use crate::screen::overlay::testing::{key, shots, shots_of, text};
use crate::screen::overlay::{Overlay, OverlayStep};
use crate::screen::theme::{Theme, dark, light};
use crate::testing::EVIL;
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use ratatui::style::Modifier;
use ratatui::text::Line;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A page of plain text, to the letter.
fn of_text(title: &str, text: String) -> Pager {
    let draw = move |width: u16, theme: &Theme| {
        let mut line_builder = LineBuilder::new(width, theme);
        line_builder.exact_in("", "", theme.text, &text);
        line_builder.into_lines()
    };
    Pager::new(title, Box::new(draw))
}

fn hundred() -> Pager {
    let words = |number: usize| if number.is_multiple_of(30) { "Thirty" } else { "plain" };
    let text = (1..=100).map(|number| format!("line {number} is {}", words(number))).collect::<Vec<_>>().join("\n");
    of_text("A page", text)
}

/// The first line on a screen of eleven lines after these keys.
fn first_after(pager: &mut Pager, keys: &[&str]) -> String {
    pager.render(80, 11, &dark());
    for name in keys {
        pager.key(key(name));
        pager.render(80, 11, &dark());
    }
    pager.render(80, 11, &dark()).lines[0].to_string()
}

#[test]
fn a_page() {
    assert_snapshot!(shots_of(&hundred()));
}

#[test]
fn a_short_page() {
    assert_snapshot!(shots_of(&of_text("Short", "one\ntwo".into())));
}

#[test]
fn a_search() {
    let mut pager = hundred();
    pager.render(80, 24, &dark());
    for name in ["/", "t", "h", "i", "r"] {
        pager.key(key(name));
    }
    assert_snapshot!(shots_of(&pager));
    pager.key(key("enter"));
    assert_snapshot!(shots_of(&pager));
    let picture = pager.render(80, 24, &dark());
    let marked = picture.lines.iter().filter(|line| line.style.add_modifier.contains(Modifier::REVERSED));
    assert_eq!(marked.map(Line::to_string).collect::<Vec<_>>(), ["line 30 is Thirty"]);
}

#[test]
fn keys_scroll() {
    let table: &[(&[&str], usize)] = &[
        (&["down"], 2),
        (&["j", "j", "k"], 2),
        (&["up"], 1),
        (&["pgdn"], 10),
        (&["space", "space", "b"], 10),
        (&["C-d"], 6),
        (&["C-d", "C-d", "C-u"], 6),
        (&["G"], 91),
        (&["end", "down", "up"], 90),
        (&["G", "g"], 1),
        (&["G", "home"], 1),
    ];
    for (keys, first) in table {
        let seen = first_after(&mut hundred(), keys);
        assert!(seen.starts_with(&format!("line {first} ")), "{keys:?}: {seen}");
    }
    assert!(first_after(&mut hundred().at_end(), &[]).starts_with("line 91 "));
}

#[test]
fn keys_search() {
    let found = |keys: &[&str]| {
        let mut pager = hundred();
        first_after(&mut pager, keys);
        let seen = text(&pager.render(120, 11, &dark()), 120, 11);
        seen.lines().last().unwrap().to_owned()
    };
    let thirty = ["/", "t", "h", "i", "r", "t", "y", "enter"];
    let then = |more: &[&'static str]| found(&[&thirty, more].concat());
    assert!(then(&[]).contains("found in line 30"));
    assert!(then(&["n"]).contains("found in line 60"));
    assert!(then(&["n", "n", "n"]).contains("found in line 30"));
    assert!(then(&["N"]).contains("found in line 90"));
    assert!(found(&["/", "T", "x", "enter"]).contains("Tx is nowhere"));
    assert!(found(&["/", "P", "l", "enter"]).contains("Pl is nowhere"));
    assert!(found(&["/", "x", "esc"]).contains("q closes"));
    assert!(found(&["/", "enter", "n", "N"]).contains("q closes"));
    assert!(found(&["/", "z", "back", "3", "0", "enter"]).contains("found in line 30"));
}

#[test]
fn a_search_and_its_place_survive_another_width() {
    let words = |number: usize| format!("paragraph {number} says many words so that it has to be broken somewhere. ");
    let mark = |number: usize| if number == 57 { "needle" } else { "hay" };
    let lines = (1..=100).map(|number| format!("{}{}", words(number).repeat(3), mark(number)));
    let mut pager = of_text("A page", lines.collect::<Vec<_>>().join("\n"));
    pager.render(80, 11, &dark());
    for name in ["/", "n", "e", "e", "d", "l", "e", "enter"] {
        pager.key(key(name));
    }
    for (width, height) in [(80, 11), (33, 11), (120, 24), (51, 8), (80, 11)] {
        let picture = pager.render(width, height, &dark());
        let marked = picture.lines.iter().filter(|line| line.style.add_modifier.contains(Modifier::REVERSED));
        let marked: Vec<String> = marked.map(Line::to_string).collect();
        assert!(matches!(marked.as_slice(), [line] if line.contains("needle")), "at {width}: {marked:?}");
    }
    // So does the place of somebody who only reads.
    let mut pager = hundred();
    assert!(first_after(&mut pager, &["pgdn", "pgdn"]).starts_with("line 19 "));
    assert!(pager.render(8, 11, &dark()).lines[0].to_string().starts_with("line 19"));
    assert!(first_after(&mut pager, &[]).starts_with("line 19 "));
    let mut pager = hundred().at_end();
    first_after(&mut pager, &[]);
    assert!(text(&pager.render(8, 11, &dark()), 8, 11).contains("line 100"), "the end stays in sight");
}

#[test]
fn a_list_breaks_between_words() {
    let row = |name: &str, words: &str| (name.to_owned(), words.to_owned());
    let rows = vec![
        row("enter", "send the prompt; while a turn runs it waits in the queue"),
        row("shift+enter, ctrl+enter, alt+enter, ctrl+j", "start a new line"),
        row(EVIL, EVIL),
    ];
    let names = ["Keys", "Commands"].map(|name| NamedList { name: name.into(), rows: rows.clone() });
    assert_snapshot!(shots_of(&Pager::of_lists("keys and commands", names.into())));
}

#[test]
fn it_closes() {
    assert!(hundred().is_full_screen());
    for name in ["q", "esc"] {
        assert_eq!(hundred().key(key(name)), OverlayStep::Close);
    }
    let mut pager = hundred();
    pager.key(key("/"));
    assert_eq!(pager.key(key("q")), OverlayStep::Stay);
    assert_eq!(pager.key(key("esc")), OverlayStep::Stay);
    assert_eq!(pager.key(key("esc")), OverlayStep::Close);
}

#[test]
fn lines_are_made_once_for_each_width_and_theme() {
    let made = Arc::new(AtomicUsize::new(0));
    let count = made.clone();
    let draw = move |_, _: &_| {
        count.fetch_add(1, Ordering::Relaxed);
        vec![Line::from("x")]
    };
    let mut pager = Pager::new("Counted", Box::new(draw));
    for (width, theme) in [(80, dark()), (80, dark()), (40, dark()), (40, light())] {
        pager.render(width, 10, &theme);
        pager.key(key("down"));
    }
    assert_eq!(made.load(Ordering::Relaxed), 3);
}

#[test]
fn text_and_title_cannot_act_on_the_terminal() {
    let mut pager = of_text(EVIL, format!("{EVIL}\n\t{EVIL}"));
    assert!(shots(24, |width, height, theme| pager.render(width, height, theme)).contains('␛'));
    pager.key(key("/"));
    pager.paste(EVIL);
    assert!(shots(3, |width, height, theme| pager.render(width, height, theme)).contains('␛'));
    for (width, height) in [(1, 0), (1, 1), (2, 2)] {
        pager.render(width, height, &dark());
    }
    of_text("", String::new()).render(10, 10, &dark());
}
