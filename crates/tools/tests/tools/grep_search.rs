//! `grep_search` in real files.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pollux_session::{CallResult, ResultDisplay};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

async fn text(room: &ToolTestWorkspace, args: Value) -> String {
    success(room.run("grep_search", args).await).text
}

#[tokio::test]
async fn a_few_matches_come_with_the_lines_around_them() {
    let room = ToolTestWorkspace::new();
    room.put("notes.txt", "alpha\nbeta\ndelta\n");
    assert_eq!(
        success(room.run("grep_search", json!({ "pattern": "BETA" })).await),
        CallResult {
            text: "1 match for \"BETA\" in the workspace:\n---\nFile: notes.txt\nL1- alpha\nL2: beta\nL3- delta\n---"
                .into(),
            display: Some(ResultDisplay::Text { text: "1 match in 1 file".into() }),
            ..CallResult::default()
        }
    );
    let preview = room.preview("grep_search", json!({ "pattern": "beta", "dir_path": "." })).await.unwrap();
    assert_eq!(preview.summary, "Search the workspace for \"beta\"");
}

#[tokio::test]
async fn many_matches_come_bare_and_sorted_by_path() {
    let room = ToolTestWorkspace::new();
    room.put("b.txt", "x1\r\nno\r\nx2\r\n");
    room.put("a/z.txt", "x3\n");
    room.put("a.txt", "x4\n");
    let expected = "4 matches for \"x\\d\" in the workspace:\n---\nFile: a/z.txt\nL1: x3\n---\nFile: a.txt\nL1: x4\n---\n\
                    File: b.txt\nL1: x1\nL3: x2\n---";
    assert_eq!(text(&room, json!({ "pattern": "x\\d" })).await, expected);
}

#[tokio::test]
async fn the_search_is_narrowed_by_every_argument() {
    let room = ToolTestWorkspace::new();
    room.put("a.rs", "fn one() {}\nfn two() {}\nFN three\n");
    room.put("src/b.ts", "fn one\n");
    room.put("src/deep/c.ts", "fn.one\n");
    let names = |text: String| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let cases = [
        (json!({ "pattern": "fn" }), vec!["a.rs", "src/b.ts", "src/deep/c.ts"]),
        (json!({ "pattern": "fn", "dir_path": "src" }), vec!["src/b.ts", "src/deep/c.ts"]),
        (json!({ "pattern": "fn", "dir_path": "a.rs" }), vec!["a.rs"]),
        (json!({ "pattern": "fn", "include_pattern": "*.ts" }), vec!["src/b.ts", "src/deep/c.ts"]),
        (json!({ "pattern": "fn", "include_pattern": "src/*.ts" }), vec!["src/b.ts"]),
        (json!({ "pattern": "fn.one", "fixed_strings": true }), vec!["src/deep/c.ts"]),
        (json!({ "pattern": "FN", "case_sensitive": true }), vec!["a.rs"]),
        (json!({ "pattern": "fn", "exclude_pattern": "one" }), vec!["a.rs"]),
    ];
    for (mut args, expected) in cases {
        args["names_only"] = json!(true);
        assert_eq!(names(text(&room, args.clone()).await), expected, "{args}");
    }
    let lines =
        text(&room, json!({ "pattern": "fn", "dir_path": "a.rs", "exclude_pattern": "one|three", "context": 0 }));
    assert_eq!(lines.await, "1 match for \"fn\" in `a.rs`:\n---\nFile: a.rs\nL2: fn two() {}\n---");
}

#[tokio::test]
async fn context_is_shown_as_asked_and_gaps_are_marked() {
    let room = ToolTestWorkspace::new();
    let lines: String =
        (1..=9).map(|number| format!("{}{number}\n", if number % 6 == 2 { "hit" } else { "" })).collect();
    room.put("a.txt", lines);
    let head = "2 matches for \"hit\" in the workspace:\n---\nFile: a.txt\n";
    let before = text(&room, json!({ "pattern": "hit", "before": 1.0 })).await;
    assert_eq!(before, format!("{head}L1- 1\nL2: hit2\n...\nL7- 7\nL8: hit8\n---"));
    let after = text(&room, json!({ "pattern": "hit", "after": 1 })).await;
    assert_eq!(after, format!("{head}L2: hit2\nL3- 3\n...\nL8: hit8\nL9- 9\n---"));
}

#[tokio::test]
async fn matches_are_limited_and_that_is_said() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "x\n".repeat(150));
    room.put("b.txt", "x\n".repeat(3));
    let all = text(&room, json!({ "pattern": "x" })).await;
    assert_eq!(all.matches(": x").count(), 100);
    assert!(all.starts_with("100 matches for"), "{all}");
    assert!(all.ends_with("\n[There are more; only 100 are shown. A narrower search finds fewer.]"), "{all}");
    let few = text(&room, json!({ "pattern": "x", "max_matches_per_file": 2, "context": 0 })).await;
    let expected =
        "4 matches for \"x\" in the workspace:\n---\nFile: a.txt\nL1: x\nL2: x\n---\nFile: b.txt\nL1: x\nL2: x\n---";
    assert_eq!(few, expected);
    let one = text(&room, json!({ "pattern": "x", "total_max_matches": 1, "context": 0 })).await;
    let expected = "1 match for \"x\" in the workspace:\n---\nFile: a.txt\nL1: x\n---\n\
                    [There are more; only 1 are shown. A narrower search finds fewer.]";
    assert_eq!(one, expected);
}

#[tokio::test]
async fn what_is_ignored_or_no_text_is_left_out() {
    let room = ToolTestWorkspace::new();
    room.put(".gitignore", "build/\n");
    room.put(".geminiignore", "*.key\n");
    room.put("build/a.txt", "needle");
    room.put("b.key", "needle");
    room.put("c.bin", b"needle\0needle");
    room.put(".git/d", "needle");
    room.link(room.outside(), "out");
    let none =
        "No line in the workspace matches \"needle|secret\". What .gitignore and .geminiignore list was left out.";
    assert_eq!(text(&room, json!({ "pattern": "needle|secret" })).await, none);
    let more = text(&room, json!({ "pattern": "needle|secret", "no_ignore": true, "names_only": true })).await;
    assert_eq!(more, "1 file in the workspace with a match for \"needle|secret\":\nbuild/a.txt");
}

#[tokio::test]
async fn nothing_found_names_the_files_that_were_searched() {
    let room = ToolTestWorkspace::new();
    room.put("a.rs", "fn main() {}");
    room.put("b.txt", "needle");
    let none = text(&room, json!({ "pattern": "needle", "include_pattern": "*.rs" })).await;
    assert!(none.starts_with("No line in files of the workspace that match `*.rs` matches \"needle\"."), "{none}");
    let none = text(&room, json!({ "pattern": "needle", "include_pattern": "*.py" })).await;
    let expected = "No file in the workspace matches the include_pattern `*.py`, so nothing was searched.";
    assert!(none.starts_with(expected), "{none}");
}

#[tokio::test]
async fn long_lines_are_cut() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", format!("{}\n", "é".repeat(501)));
    let expected = format!("L1: {} [cut]\n", "é".repeat(500));
    assert!(text(&room, json!({ "pattern": "é" })).await.contains(&expected));
    // What was searched for is in what is left.
    room.put("a.txt", format!("{}needle{}\n", "é".repeat(3000), "é".repeat(1000)));
    let expected = format!("L1: [cut] {}needle{} [cut]\n", "é".repeat(100), "é".repeat(394));
    assert!(text(&room, json!({ "pattern": "needle" })).await.contains(&expected));
    room.put("a.txt", format!("{}needle\n", "é".repeat(3000)));
    let expected = format!("L1: [cut] {}needle\n", "é".repeat(100));
    assert!(text(&room, json!({ "pattern": "needle" })).await.contains(&expected));
}

#[tokio::test]
async fn bad_patterns_and_places_are_refused() {
    let room = ToolTestWorkspace::new();
    let cases = [
        (json!({ "pattern": "(" }), "invalid_tool_params"),
        (json!({ "pattern": "a", "exclude_pattern": "[" }), "invalid_tool_params"),
        (json!({ "pattern": "a", "include_pattern": "{" }), "invalid_tool_params"),
        (json!({ "pattern": "a", "dir_path": "gone" }), "search_path_not_found"),
    ];
    for (args, kind) in cases {
        assert_eq!(room.refusal("grep_search", args).await.kind, kind);
    }
}
