//! `inject`: what a prompt is given of the files it names.

use crate::room::Room;
use pollux_tools::{Injected, inject};
use pretty_assertions::assert_eq;

async fn injected(room: &Room, paths: &[&str]) -> Injected {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    inject(&room.root(), &paths).await
}

#[tokio::test]
async fn files_and_directories_are_framed_in_order() {
    let room = Room::new();
    room.put("b.txt", "bee\n");
    room.put("src/z.txt", "zed");
    room.put("src/a/x.txt", "ex\n");
    assert_eq!(
        injected(&room, &["b.txt", "src", "src/z.txt"]).await,
        Injected {
            text: "--- Content from referenced files ---\n\n--- b.txt ---\n\nbee\n\n\n--- src/a/x.txt ---\n\nex\n\n\n\
                   --- src/z.txt ---\n\nzed\n\n--- End of content ---\n"
                .into(),
            files: vec!["b.txt".into(), "src/a/x.txt".into(), "src/z.txt".into()],
            notes: vec![],
        }
    );
}

#[tokio::test]
async fn what_is_left_out_has_a_note() {
    let room = Room::new();
    room.put(".gitignore", "build/\n");
    room.put(".geminiignore", "*.key\n");
    room.put("d/a.key", "secret");
    room.put("d/p.png", b"\x89PNG\0");
    room.put("build/x.txt", "x");
    let result = injected(&room, &["gone.txt", "../outside/secret.txt", "d/a.key", "d", "build"]).await;
    assert_eq!((result.text.as_str(), result.files.len()), ("", 0));
    let root = room.root();
    assert_eq!(
        result.notes,
        [
            "`gone.txt` does not exist in the workspace; list_directory shows what does".to_owned(),
            format!("`../outside/secret.txt` is outside the workspace {}; use a path inside it", root.display()),
            "`d/a.key` is listed in .geminiignore, so it is not for you to read; ask the person if you need it"
                .to_owned(),
            "`d/p.png` is an image, and only text can be returned; ask the person what it shows, or turn it into text \
             with run_shell_command"
                .to_owned(),
            "`build` holds no file that is not ignored".to_owned(),
        ]
    );
}

#[tokio::test]
async fn each_file_and_all_together_are_capped() {
    let room = Room::new();
    let line = format!("{}\n", "x".repeat(999));
    for number in 0..6 {
        room.put(&format!("d/{number}.txt"), line.repeat(150));
    }
    let result = injected(&room, &["d"]).await;
    assert_eq!(result.files, ["d/0.txt", "d/1.txt", "d/2.txt", "d/3.txt"]);
    assert!(result.text.len() < 401_000, "{} bytes", result.text.len());
    let cut = |number: usize| format!("`d/{number}.txt` was cut after 100000 characters; read_file shows the rest");
    let mut notes: Vec<String> = (0..4).map(cut).collect();
    notes.push("2 files were left out: the prompt is full; name only what is needed".into());
    assert_eq!(result.notes, notes);
}

#[tokio::test]
async fn a_missing_workspace_is_a_note() {
    let room = Room::new();
    let result = inject(&room.path("gone"), &["a".to_owned()]).await;
    assert_eq!((result.text, result.notes.len()), (String::new(), 1));
}
