//! Files that are not plain UTF-8, or whose lines end in different ways: what is not touched stays byte for byte.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

/// How a test writes down a text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    Utf8,
    Utf8WithMark,
    Utf8WithStrayByte,
    Utf16Little,
    Utf16Big,
    Latin1,
}

const ALL: [Written; 6] = [
    Written::Utf8,
    Written::Utf8WithMark,
    Written::Utf8WithStrayByte,
    Written::Utf16Little,
    Written::Utf16Big,
    Written::Latin1,
];

impl Written {
    fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Written::Utf8 => text.as_bytes().to_vec(),
            Written::Utf8WithMark => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            Written::Utf8WithStrayByte => [text.as_bytes(), b"\xff stray\n"].concat(),
            Written::Utf16Little => {
                [b"\xff\xfe".to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
            }
            Written::Utf16Big => {
                [b"\xfe\xff".to_vec(), text.encode_utf16().flat_map(u16::to_be_bytes).collect()].concat()
            }
            Written::Latin1 => text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect(),
        }
    }
}

/// The same change by each of the tools that can make it.
fn changes(lines: &[String], at: usize, new: &str, written: Written) -> Vec<(&'static str, Value)> {
    let old = &lines[at];
    let mut whole = lines.to_vec();
    whole[at] = new.to_owned();
    let patch = format!("*** Begin Patch\n*** Update File: a.txt\n@@\n-{old}\n+{new}\n*** End Patch");
    let mut changes = vec![
        ("replace", json!({ "file_path": "a.txt", "old_string": old, "new_string": new })),
        ("apply_patch", json!({ "patch": patch })),
    ];
    // A model cannot write a byte that stands for nothing.
    if written != Written::Utf8WithStrayByte {
        changes.push(("write_file", json!({ "file_path": "a.txt", "content": whole.join("\n") + "\n" })));
    }
    changes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn only_the_changed_line_changes_whatever_the_encoding_and_the_line_ends(
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n"]), 2..9),
        at in any::<prop::sample::Index>(),
        written in prop::sample::select(ALL.to_vec()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let lines: Vec<String> = (0..ends.len()).map(|nth| format!("{nth} naïve café")).collect();
        let at = at.index(ends.len());
        let file = |lines: &[String]| -> String { lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), *end]).collect() };
        let mut after = lines.clone();
        after[at] = "déjà vu".to_owned();
        for (tool, args) in changes(&lines, at, &after[at], written) {
            let room = ToolTestWorkspace::new();
            room.put("a.txt", written.bytes(&file(&lines)));
            runtime.block_on(async { success(room.run(tool, args).await) });
            prop_assert_eq!(std::fs::read(room.path("a.txt")).unwrap(), written.bytes(&file(&after)), "{} {:?}", tool, written);
        }
    }
}

#[tokio::test]
async fn what_can_be_read_is_named_and_can_be_found() {
    let names = [
        (Written::Utf8, ""),
        (Written::Utf8WithMark, "[The file is UTF-8 with a byte order mark, and stays so when you change it.]\n\n"),
        (Written::Utf16Little, "[The file is UTF-16, little-endian, and stays so when you change it.]\n\n"),
        (Written::Utf16Big, "[The file is UTF-16, big-endian, and stays so when you change it.]\n\n"),
        (Written::Latin1, "[The file is Windows-1252, also called Latin-1, and stays so when you change it.]\n\n"),
    ];
    for (written, notice) in names {
        let room = ToolTestWorkspace::new();
        room.put("a.txt", written.bytes("naïve\r\ncafé\n"));
        let read = success(room.run("read_file", json!({ "file_path": "a.txt" })).await);
        assert_eq!(read.text, format!("{notice}naïve\r\ncafé\n"));
        let found = success(room.run("grep_search", json!({ "pattern": "na.ve|CAFÉ" })).await);
        assert!(found.text.contains("1: naïve") && found.text.contains("2: café"), "{written:?}: {}", found.text);
    }
}

#[tokio::test]
async fn what_the_encoding_of_a_file_cannot_hold_is_refused() {
    let room = ToolTestWorkspace::new();
    let bytes = Written::Latin1.bytes("café\nnaïve\n");
    room.put("a.txt", &bytes);
    let told = "`a.txt` is Windows-1252, also called Latin-1, and keeps this encoding, which has no '→' (line 2 of the new \
                content); write that in other characters, or ask the person whether to turn the file into UTF-8 first";
    let args = json!({ "file_path": "a.txt", "old_string": "naïve", "new_string": "na→ve" });
    assert_eq!(room.refusal("replace", args).await.message, told);
    let args = json!({ "file_path": "a.txt", "content": "café\n→" });
    assert_eq!(room.refusal("write_file", args).await.message, told);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-naïve\n+→\n*** Add File: b.txt\n+b\n*** End Patch";
    assert!(room.refusal("apply_patch", json!({ "patch": patch })).await.message.contains(told));
    assert_eq!(std::fs::read(room.path("a.txt")).unwrap(), bytes);
    assert!(!room.path("b.txt").exists());
}

#[tokio::test]
async fn a_patch_that_moves_a_file_keeps_its_encoding() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", Written::Utf16Little.bytes("one\r\ntwo\r\n"));
    let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-two\n+zwei\n*** End Patch";
    success(room.run("apply_patch", json!({ "patch": patch })).await);
    assert_eq!(std::fs::read(room.path("b.txt")).unwrap(), Written::Utf16Little.bytes("one\r\nzwei\r\n"));
}

/// The encoding would tell whether the text was found in a file that the model may not see.
#[tokio::test]
async fn a_guess_at_a_secret_learns_nothing_from_its_encoding() {
    let room = ToolTestWorkspace::new();
    room.put(".env", Written::Latin1.bytes("KEY=é\n"));
    for old in ["KEY=é", "KEY=x"] {
        let args = json!({ "file_path": ".env", "old_string": old, "new_string": "→" });
        assert!(room.refusal("replace", args).await.message.contains("why is not said"));
    }
    let refusals = ["KEY=é", "KEY=x"].map(|old| {
        let patch = format!("*** Begin Patch\n*** Update File: .env\n@@\n-{old}\n+→\n*** End Patch");
        room.refusal("apply_patch", json!({ "patch": patch }))
    });
    let [right, wrong] = refusals;
    assert_eq!(right.await, wrong.await);
}
