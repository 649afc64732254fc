//! No tool reaches outside the workspace unasked, by any path.

use crate::tools::test_workspace::{ToolTestWorkspace, call, done, success};
use pollux_tools::ToolRunOutcome;
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use std::fs;

/// The tools that only look.
const LOOKING: [&str; 4] = ["read_file", "glob", "grep_search", "list_directory"];

/// A call of each tool about a file or a directory.
fn calls_about(file: &str, directory: &str) -> [(&'static str, Value); 12] {
    let patch = |patch: String| ("apply_patch", json!({ "patch": format!("*** Begin Patch\n{patch}\n*** End Patch") }));
    [
        patch(format!("*** Update File: {file}\n@@\n-secret\n+changed")),
        patch(format!("*** Add File: {file}\n+changed")),
        patch(format!("*** Delete File: {file}")),
        patch(format!("*** Update File: {file}\n*** Move to: stolen.txt")),
        patch(format!("*** Update File: sub/inside.txt\n*** Move to: {file}")),
        ("read_file", json!({ "file_path": file })),
        ("write_file", json!({ "file_path": file, "content": "changed" })),
        ("replace", json!({ "file_path": file, "old_string": "secret", "new_string": "changed" })),
        ("glob", json!({ "pattern": "**/*", "dir_path": directory })),
        ("grep_search", json!({ "pattern": "secret", "dir_path": directory })),
        ("list_directory", json!({ "dir_path": directory })),
        ("run_shell_command", json!({ "command": "pwd", "dir_path": directory })),
    ]
}

#[tokio::test]
async fn every_way_out_is_closed() {
    let room = ToolTestWorkspace::new();
    room.put("sub/inside.txt", "inside");
    room.link("../outside", "relative-dir");
    room.link(room.outside(), "absolute-dir");
    room.link("../outside/secret.txt", "file-link");
    room.link("file-link", "link-to-link");
    room.link("../outside", "directory-link");
    let outside = room.outside().to_string_lossy().into_owned();
    let ways = [
        ("../outside/secret.txt".to_owned(), "../outside".to_owned()),
        ("sub/../../outside/secret.txt".to_owned(), "sub/../../outside".to_owned()),
        (format!("{outside}/secret.txt"), outside),
        ("relative-dir/secret.txt".to_owned(), "relative-dir".to_owned()),
        ("absolute-dir/secret.txt".to_owned(), "absolute-dir".to_owned()),
        ("file-link".to_owned(), "directory-link".to_owned()),
        ("link-to-link".to_owned(), "relative-dir/.".to_owned()),
        ("relative-dir/new.txt".to_owned(), "..".to_owned()),
        ("/etc/passwd".to_owned(), "/".to_owned()),
    ];
    for (file, directory) in ways {
        for (tool, args) in calls_about(&file, &directory) {
            if LOOKING.contains(&tool) && !args.to_string().contains("new.txt") {
                // A person is asked first: `outside.rs`.
                let preview = room.preview(tool, args.clone()).await.unwrap();
                assert!(preview.outside.is_some(), "{tool} {args}");
                let (ran, printed) = room.run_call(&call(tool, args.clone())).await;
                assert_eq!((ran, printed), (ToolRunOutcome::Stale, vec![]), "{tool} {args}");
                continue;
            }
            let error = room.refusal(tool, args.clone()).await;
            let kind = if tool == "read_file" { "file_not_found" } else { "path_not_in_workspace" };
            assert_eq!(error.kind, kind, "{tool} {args}: {error:?}");
        }
    }
    assert_eq!(fs::read_to_string(room.outside().join("secret.txt")).unwrap(), "secret");
    assert_eq!(fs::read_dir(room.outside()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_link_to_nothing_is_not_written_through() {
    let room = ToolTestWorkspace::new();
    room.link(room.outside().join("new.txt"), "outward");
    room.link("missing.txt", "inward");
    let write = |path: &str| json!({ "file_path": path, "content": "x" });
    assert_eq!(room.refusal("write_file", write("outward")).await.kind, "path_not_in_workspace");
    assert_eq!(room.refusal("write_file", write("inward")).await.kind, "file_not_found");
    assert!(!room.outside().join("new.txt").exists());
    assert!(room.path("outward").is_symlink() && room.path("inward").is_symlink());
}

#[tokio::test]
async fn dots_after_a_missing_directory_are_refused() {
    let room = ToolTestWorkspace::new();
    let error = room.refusal("write_file", json!({ "file_path": "missing/../../outside/x", "content": "" })).await;
    assert_eq!(error.kind, "invalid_tool_params");
}

#[tokio::test]
async fn links_that_stay_inside_work_and_show_where_they_lead() {
    let room = ToolTestWorkspace::new();
    room.put("real/a.txt", "old\n");
    room.link("real", "relative");
    room.link(room.path("real"), "absolute");
    for way in ["relative/a.txt", "absolute/a.txt", "real/../real/a.txt", "./real//a.txt"] {
        let read = success(room.run("read_file", json!({ "file_path": way })).await);
        assert_eq!(read.text, "old\n", "{way}");
        let preview = room.preview("write_file", json!({ "file_path": way, "content": "new" })).await.unwrap();
        assert_eq!(preview.summary, "Write real/a.txt", "{way}");
    }
    success(room.run("write_file", json!({ "file_path": "relative/a.txt", "content": "new" })).await);
    assert_eq!(room.get("real/a.txt"), "new");
    assert!(room.path("relative").is_symlink());
}

#[tokio::test]
async fn a_workspace_known_by_a_link_takes_either_name() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "text");
    let alias = room.alias();
    for workspace in [&alias, &room.root()] {
        for name in [alias.join("a.txt"), room.path("a.txt"), "a.txt".into()] {
            let read = call("read_file", json!({ "file_path": name }));
            let (mut out, _pieces) = crate::tools::test_workspace::RecordingCallContext::new();
            let ran = room.toolbox.run(workspace, &read, &mut out).await;
            assert_eq!(success(done(ran)).text, "text", "{} in {}", name.display(), workspace.display());
        }
    }
}

#[tokio::test]
async fn pipes_and_devices_are_refused_without_waiting() {
    let room = ToolTestWorkspace::new();
    mkfifoat(CWD, room.path("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
    room.put("sub/inside.txt", "inside");
    let expected = [
        ("apply_patch", "file_write_failure"),
        ("read_file", "read_content_failure"),
        ("write_file", "file_write_failure"),
        ("replace", "file_write_failure"),
        ("glob", "search_path_not_a_directory"),
        ("list_directory", "path_is_not_a_directory"),
        ("run_shell_command", "path_is_not_a_directory"),
    ];
    for (tool, args) in calls_about("pipe", "pipe") {
        match expected.iter().find(|(name, _)| *name == tool) {
            Some((_, kind)) => {
                assert_eq!(crate::tools::test_workspace::failure(room.run(tool, args).await).kind, *kind, "{tool}");
            }
            None => assert!(success(room.run(tool, args).await).text.starts_with("No line"), "{tool}"),
        }
    }
}
