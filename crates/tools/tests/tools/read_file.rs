//! `read_file` on real files.

use crate::tools::test_workspace::{ToolTestWorkspace, failure, hex, success};
use pollux_session::{AskDetails, BlobRef, CallError, CallResult, Grant, MediaContent, ResultDisplay, ToolKind};
use pollux_tools::{CallPreview, OutputStore};
use pretty_assertions::assert_eq;
use serde_json::json;
use sha2::{Digest, Sha256};

/// The text of lines `first` to `last` of a file of numbered lines.
fn numbered(first: usize, last: usize) -> String {
    (first..=last).map(|number| format!("line {number}\n")).collect()
}

#[tokio::test]
async fn a_small_file_is_returned_as_it_is() {
    let room = ToolTestWorkspace::new();
    for text in ["one\ntwo\n", "no newline at the end", "crlf\r\nlines\r\n", "\n\n"] {
        room.put("a.txt", text);
        let result = success(room.run("read_file", json!({ "file_path": "a.txt" })).await);
        assert_eq!(result.text, text);
    }
    room.put("a.txt", "\u{feff}with a mark");
    let notice = "[The file is UTF-8 with a byte order mark, and stays so when you change it.]";
    let result = success(room.run("read_file", json!({ "file_path": "a.txt" })).await);
    assert_eq!(result.text, format!("{notice}\n\nwith a mark"));
}

#[tokio::test]
async fn a_preview_says_what_will_be_read() {
    let room = ToolTestWorkspace::new();
    room.put("src/a.txt", "x");
    let summary = "Read src/a.txt".to_owned();
    assert_eq!(
        room.preview("read_file", json!({ "file_path": "src/a.txt" })).await,
        Ok(CallPreview {
            kind: ToolKind::Read,
            details: AskDetails::generic(summary.clone()),
            grant: Grant::Tool { tool: "read_file".into() },
            summary,
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        })
    );
}

#[tokio::test]
async fn lines_are_selected_and_the_rest_is_announced() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", numbered(1, 5000));
    let cases = [
        (json!(1), json!(null), 1, 2000, "[Lines 1-2000 of 5000.]\n[To read on, call read_file with start_line 2001.]"),
        (json!(4001), json!(null), 4001, 5000, "[Lines 4001-5000 of 5000.]"),
        (json!(10), json!(12), 10, 12, "[Lines 10-12 of 5000.]"),
        (json!(null), json!(3), 1, 3, "[Lines 1-3 of 5000.]"),
        (json!(4999), json!(9999), 4999, 5000, "[Lines 4999-5000 of 5000.]"),
        (json!(2), json!(5000), 2, 2001, "[Lines 2-2001 of 5000.]\n[To read on, call read_file with start_line 2002.]"),
    ];
    for (start, end, first, last, notice) in cases {
        let args = json!({ "file_path": "a.txt", "start_line": start, "end_line": end });
        let expected = CallResult {
            text: format!("{notice}\n\n{}", numbered(first, last)),
            display: Some(ResultDisplay::Text { text: format!("lines {first}-{last} of 5000 of a.txt") }),
            seen: vec![room.seen_version("a.txt", room.get("a.txt"))],
            ..CallResult::default()
        };
        assert_eq!(success(room.run("read_file", args).await), expected);
    }
}

#[tokio::test]
async fn long_lines_are_cut_between_characters() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", format!("{}\nshort\n{}\n", "é".repeat(2001), "é".repeat(2000)));
    let result = success(room.run("read_file", json!({ "file_path": "a.txt" })).await);
    let full = "é".repeat(2000);
    let cut = |count: usize, next: usize| {
        format!(
            "[Lines cut after 2000 characters: {count}. To see more of them, call read_file with start_column {next}.]"
        )
    };
    assert_eq!(result.text, format!("{}\n\n{full} [cut]\nshort\n{full}\n", cut(1, 2001)));
    let rest = json!({ "file_path": "a.txt", "start_column": 2001, "line_numbers": true });
    assert_eq!(success(room.run("read_file", rest).await).text, "1: é\n2: \n3: \n");
    // The whole of a long line is within reach.
    room.put("b.txt", format!("{}end", "x".repeat(5000)));
    let middle = json!({ "file_path": "b.txt", "start_column": 2001 });
    assert!(success(room.run("read_file", middle).await).text.starts_with(&cut(1, 4001)));
    let last = json!({ "file_path": "b.txt", "start_column": "4001" });
    assert!(success(room.run("read_file", last).await).text.ends_with("xend"));
}

#[tokio::test]
async fn lines_have_their_numbers_if_that_is_wanted() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\ntwo\nthree");
    let args = json!({ "file_path": "a.txt", "start_line": 2, "line_numbers": true });
    assert_eq!(success(room.run("read_file", args).await).text, "[Lines 2-3 of 3.]\n\n2: two\n3: three");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_marked_or_refused() {
    let room = ToolTestWorkspace::new();
    room.put("latin1.txt", b"caf\xe9\n");
    let result = success(room.run("read_file", json!({ "file_path": "latin1.txt" })).await);
    let notice = "[The file is Windows-1252, also called Latin-1, and stays so when you change it.]";
    assert_eq!(result.text, format!("{notice}\n\ncaf\u{e9}\n"));
    room.put("log.txt", b"caf\xc3\xa9 caf\xc3\xa9 caf\xe9\n");
    let result = success(room.run("read_file", json!({ "file_path": "log.txt" })).await);
    let notice = "[Bytes that are not UTF-8 are shown as \u{fffd}. They stay when you change other lines.]";
    assert_eq!(result.text, format!("{notice}\n\ncaf\u{e9} caf\u{e9} caf\u{fffd}\n"));
    room.put("data.bin", b"\0\x01");
    assert_eq!(
        failure(room.run("read_file", json!({ "file_path": "data.bin" })).await).message,
        "`data.bin` is not text, so it cannot be read; use run_shell_command if you need to"
    );
}

#[tokio::test]
async fn pictures_and_documents_are_kept_and_shown() {
    let room = ToolTestWorkspace::new();
    let cases: [(&str, &[u8], &str, &str); 3] = [
        ("picture.png", b"\x89PNG\0\0", "image/png", "an image"),
        ("paper.pdf", b"%PDF-1.7\n", "application/pdf", "a PDF document"),
        ("song.mp3", b"ID3\x04\0\xff", "audio/mpeg", "a sound"),
    ];
    for (path, bytes, media_type, what) in cases {
        room.put(path, bytes);
        let result = success(room.run("read_file", json!({ "file_path": path })).await);
        let blob = BlobRef { sha256: hex(&Sha256::digest(bytes)), len: bytes.len() as u64, media: media_type.into() };
        assert_eq!(room.output_store.read(&blob).unwrap(), bytes);
        let expected = CallResult {
            text: format!("[{path} is {what}: you are shown it with this result.]"),
            display: Some(ResultDisplay::Text { text: format!("{path} ({media_type}, {} bytes)", bytes.len()) }),
            media: vec![MediaContent { name: path.into(), blob }],
            ..CallResult::default()
        };
        assert_eq!(result, expected);
    }
}

#[tokio::test]
async fn a_picture_that_cannot_be_kept_is_a_failure() {
    let room = ToolTestWorkspace::new();
    room.put("picture.png", b"\x89PNG\0\0");
    room.output_store.full.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(failure(room.run("read_file", json!({ "file_path": "picture.png" })).await).kind, "no_space_left");
}

#[tokio::test]
async fn what_cannot_be_shown_is_refused_with_a_way_out() {
    let room = ToolTestWorkspace::new();
    room.put("a.zip", b"PK\x03\x04\0\0");
    let message = "`a.zip` is an archive, which cannot be shown; turn it into text with run_shell_command, or ask the \
                   person";
    let expected = CallError { kind: "read_content_failure".into(), message: message.into() };
    assert_eq!(failure(room.run("read_file", json!({ "file_path": "a.zip" })).await), expected);
}

#[tokio::test]
async fn a_drawing_is_text_unless_it_is_huge() {
    let room = ToolTestWorkspace::new();
    room.put("a.svg", "<svg/>");
    let result = success(room.run("read_file", json!({ "file_path": "a.svg" })).await);
    assert_eq!((result.text.as_str(), result.media.len()), ("<svg/>", 0));
    room.put("b.SVG", " ".repeat(1024 * 1024 + 1));
    assert_eq!(failure(room.run("read_file", json!({ "file_path": "b.SVG" })).await).kind, "file_too_large");
}

#[tokio::test]
async fn wide_files_end_early_between_lines() {
    let room = ToolTestWorkspace::with_settings(|settings| settings.output_chars = 100);
    room.put("a.txt", format!("{}\n", "x".repeat(299)).repeat(10));
    let result = success(room.run("read_file", json!({ "file_path": "a.txt", "start_line": 2 })).await);
    let text = format!("{}\n", "x".repeat(299)).repeat(3);
    assert_eq!(result.text, format!("[Lines 2-4 of 10.]\n[To read on, call read_file with start_line 5.]\n\n{text}"));
    room.put("b.txt", "y".repeat(1500));
    let result = success(room.run("read_file", json!({ "file_path": "b.txt" })).await);
    assert_eq!(result.text, "y".repeat(1500), "one line is always shown");
}

#[tokio::test]
async fn what_geminiignore_lists_is_not_read() {
    let room = ToolTestWorkspace::new();
    room.put(".geminiignore", "*.note\nprivate/\n!open.note\n");
    room.put("sub/.geminiignore", "notes.txt\n!sub.note\n");
    for path in
        ["a.note", "private/deep/a.txt", "sub/a.note", "sub/notes.txt", "notes.txt", "open.note", "sub/sub.note"]
    {
        room.put(path, "text");
    }
    room.link("a.note", "innocent.txt");
    for path in ["a.note", "private/deep/a.txt", "sub/a.note", "sub/notes.txt", "innocent.txt"] {
        let error = room.refusal("read_file", json!({ "file_path": path })).await;
        assert_eq!(error.kind, "invalid_tool_params", "{path}");
    }
    for path in ["notes.txt", "open.note", "sub/sub.note"] {
        assert_eq!(success(room.run("read_file", json!({ "file_path": path })).await).text, "text", "{path}");
    }
}

#[tokio::test]
async fn an_empty_file_says_so() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "");
    assert_eq!(success(room.run("read_file", json!({ "file_path": "a.txt" })).await).text, "[a.txt is empty.]");
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_its_kind() {
    let room = ToolTestWorkspace::new();
    room.put("dir/a.txt", "one line");
    assert_eq!(
        room.refusal("read_file", json!({ "file_path": "b.txt" })).await,
        CallError {
            kind: "file_not_found".into(),
            message: "`b.txt` does not exist in the workspace; list_directory shows what does".into(),
        }
    );
    assert_eq!(room.refusal("read_file", json!({ "file_path": "dir" })).await.kind, "target_is_directory");
    assert_eq!(room.refusal("read_file", json!({ "file_path": "dir/a.txt/b" })).await.kind, "path_is_not_a_directory");
    let beyond = failure(room.run("read_file", json!({ "file_path": "dir/a.txt", "start_line": 2 })).await);
    assert_eq!(beyond.message, "argument `start_line`: dir/a.txt ends at line 1");
}

#[tokio::test]
async fn a_file_over_the_limit_is_refused_by_its_length() {
    let room = ToolTestWorkspace::new();
    let large = std::fs::File::create(room.path("large.txt")).unwrap();
    large.set_len(20 * 1024 * 1024 + 1).unwrap();
    assert_eq!(failure(room.run("read_file", json!({ "file_path": "large.txt" })).await).kind, "file_too_large");
}
