//! `inject`: what a prompt is given of the files it names.

use crate::tools::test_workspace::ToolTestWorkspace;
use pollux_tools::{InjectedFiles, OutputStore};
use pretty_assertions::assert_eq;

async fn injected(room: &ToolTestWorkspace, paths: &[&str]) -> InjectedFiles {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    room.toolbox.inject(&room.root(), &paths).await
}

#[tokio::test]
async fn files_and_directories_are_framed_in_order() {
    let room = ToolTestWorkspace::new();
    room.put("b.txt", "bee\n");
    room.put("src/z.txt", "zed");
    room.put("src/a/x.txt", "ex\n");
    assert_eq!(
        injected(&room, &["b.txt", "src", "src/z.txt"]).await,
        InjectedFiles {
            text: "--- Content from referenced files ---\n\n--- b.txt ---\n\nbee\n\n\n--- src/a/x.txt ---\n\nex\n\n\n\
                   --- src/z.txt ---\n\nzed\n\n--- End of content ---\n"
                .into(),
            files: vec!["b.txt".into(), "src/a/x.txt".into(), "src/z.txt".into()],
            media: vec![],
            notes: vec![],
            seen: [("b.txt", "bee\n"), ("src/a/x.txt", "ex\n"), ("src/z.txt", "zed")]
                .map(|(name, content)| room.seen_version(name, content))
                .into(),
        }
    );
}

#[tokio::test]
async fn what_is_left_out_has_a_note() {
    let room = ToolTestWorkspace::new();
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
            "`d/p.png` is an image and was left out; name it to show it".to_owned(),
            "`build` holds no files, or only ignored ones".to_owned(),
        ]
    );
}

#[tokio::test]
async fn each_file_and_all_together_are_capped() {
    let room = ToolTestWorkspace::new();
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

/// The line for the person is made of the notes, and must not say that all of it was read.
#[tokio::test]
async fn how_much_of_a_long_file_was_read_is_a_note() {
    let room = ToolTestWorkspace::new();
    room.put("long.txt", "x\n".repeat(2_001));
    room.put("short.txt", "x\n".repeat(2_000));
    let result = injected(&room, &["long.txt", "short.txt"]).await;
    assert_eq!(result.files, ["long.txt", "short.txt"]);
    assert_eq!(result.notes, ["`long.txt`: only lines 1-2000 of 2001; read_file shows the rest"]);
}

#[tokio::test]
async fn a_missing_workspace_is_a_note() {
    let room = ToolTestWorkspace::new();
    let result = room.toolbox.inject(&room.path("gone"), &["a".to_owned()]).await;
    assert_eq!((result.text, result.notes.len()), (String::new(), 1));
}

#[tokio::test]
async fn a_picture_that_is_named_is_shown_and_kept() {
    let room = ToolTestWorkspace::new();
    let picture = b"\x89PNG\r\n\x1a\n\0";
    room.put("p.png", picture);
    let result = injected(&room, &["p.png", "p.png"]).await;
    assert_eq!((result.files.as_slice(), result.notes.as_slice()), (["p.png".to_owned()].as_slice(), [].as_slice()));
    assert!(result.text.contains("--- p.png ---\n\n[an image, shown with this]\n"), "{}", result.text);
    let [media] = result.media.as_slice() else { panic!("{:?}", result.media) };
    assert_eq!((media.name.as_str(), media.blob.media.as_str()), ("p.png", "image/png"));
    assert_eq!(room.output_store.read(&media.blob).unwrap(), picture);
}

#[tokio::test]
async fn what_the_workspace_lacks_is_looked_for_in_added_directories() {
    let room = ToolTestWorkspace::with_outside();
    std::fs::write(room.outside().join("only.txt"), "there").unwrap();
    let result = injected(&room, &["only.txt", "nowhere.txt"]).await;
    let name = room.outside().join("only.txt").display().to_string();
    assert_eq!(result.files, std::slice::from_ref(&name));
    assert!(result.text.contains(&format!("--- {name} ---\n\nthere\n")), "{}", result.text);
    assert_eq!(result.notes, ["`nowhere.txt` does not exist in the workspace; list_directory shows what does"]);
}
