//! Text that wants to act on the terminal, or to hide: in every field of an ask.

use super::*;
use pretty_assertions::assert_eq;

/// Every screen of the dialog, from the top to the bottom.
fn read_through(desk: &mut AskDialogTester, width: u16, height: u16) -> String {
    let mut all = desk.draws(width, height);
    for _ in 0..500 {
        desk.dialog.key_at(key("pgdn"), desk.now);
        let next = desk.draws(width, height);
        if all.ends_with(&next) {
            return all;
        }
        all.push_str(&next);
    }
    panic!("the end never came");
}

fn evil_asks() -> Vec<(&'static str, serde_json::Value, Ask)> {
    let options = || {
        let sly = AskOption { name: format!("Allow {EVIL}"), ..once_choice() };
        vec![sly, session_choice(Grant::Command { command: EVIL.into(), directory: None }), cancel_choice()]
    };
    let change = FileDiff {
        name: EVIL.into(),
        path: format!("/ws/{EVIL}"),
        old: Some(String::new()),
        new: EVIL.into(),
        patch: format!("--- a\n+++ b\n@@ -1,1 +1,2 @@ {EVIL}\n {EVIL}\n+\t{EVIL}\n{EVIL}"),
    };
    let schema = json!({ "properties": { EVIL: {
        "title": EVIL, "description": EVIL, "enum": [EVIL, "b"], "default": EVIL,
    } } });
    let asks = [
        AskDetails::Execute { command: format!("echo {EVIL}\n{EVIL}"), directory: EVIL.into() },
        AskDetails::Edit(change),
        AskDetails::Mcp { server: EVIL.into(), tool: EVIL.into(), version: McpToolVersion::default() },
        AskDetails::generic(EVIL),
        AskDetails::Generic { description: "other words".into(), schema: Some(schema) },
    ];
    asks.map(|details| (EVIL, json!({ "command": EVIL, EVIL: [EVIL] }), Ask::new(details, options()))).into()
}

#[test]
fn nothing_in_any_field_acts_on_the_terminal() {
    for ask in evil_asks() {
        for (width, height) in [(40, 24), (80, 24), (120, 10), (40, 10), (20, 5)] {
            let mut desk = AskDialogTester::with(vec![ask.clone()]);
            // `draws` looks at every span.
            let seen = read_through(&mut desk, width, height);
            assert!(seen.contains('␛'), "{seen}");
            desk.presses(&["e", "x", "tab", "esc", "down"]);
            desk.draws(width, height);
        }
    }
}

#[test]
fn the_whole_command_can_be_reached() {
    let command = (0..300).map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ") + "\n\n; rm -rf \"$HOME\"";
    for (width, height) in [(40, 24), (120, 24), (40, 10), (300, 10), (40, 5)] {
        let mut desk = AskDialogTester::running(&[&command]);
        let seen = read_through(&mut desk, width, height);
        let joined: String =
            seen.lines().filter_map(|line| line.strip_prefix("  │ ").or(line.strip_prefix("  ┆ "))).collect();
        // A space at the end of a line is there, but not in this text.
        let joined = joined.replace(' ', "");
        for word in 0..300 {
            assert!(joined.contains(&format!("word{word}")), "word{word} at {width}x{height}");
        }
        assert!(joined.contains(";rm-rf\"$HOME\""), "at {width}x{height}");
    }
}

#[test]
fn nothing_hides_behind_a_gap() {
    let desk = AskDialogTester::running(&[&format!("ls{}; rm -rf ~", " ".repeat(500))]);
    let seen = desk.draws(80, 24);
    assert!(seen.contains("│ ls ⟨500 spaces⟩ ; rm -rf ~"), "{seen}");
    assert!(seen.contains("2. Allow exactly this command in this session"), "{seen}");
}

#[test]
fn the_screen_says_how_much_is_above_and_below() {
    let command = (1..=40).map(|line| format!("echo {line}")).collect::<Vec<_>>().join("\n");
    let desk = AskDialogTester::running(&[&command]);
    let place = |key_name: &str| {
        desk.dialog.asks[0].scroll.key(key(key_name).code);
        let seen = desk.draws(120, 12);
        let line = seen.lines().find(|line| line.contains(" below · PgUp")).map(|line| line.trim().to_owned());
        line.unwrap_or_else(|| panic!("{seen}"))
    };
    let first = place("home");
    assert!(first.starts_with("↑ 0 above"), "{first}");
    let last = place("end");
    assert!(last.contains("↓ 0 below"), "{last}");
    assert_eq!(place("home"), first);
}

#[test]
fn every_size_of_screen_is_drawn() {
    for ask in evil_asks() {
        let desk = AskDialogTester::with(vec![ask]);
        for width in [1, 2, 3, 5, 10, 40, 300] {
            for height in [0, 1, 2, 3, 5, 100] {
                let picture = desk.dialog.render_at(width, height, &dark(), desk.now);
                assert!(picture.lines.len() <= usize::from(height));
            }
        }
    }
}
