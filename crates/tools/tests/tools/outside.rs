//! Looking outside the workspace: asked about by the directory, and what was shown is what is opened.

use crate::tools::test_workspace::{RecordingCallContext, ToolTestWorkspace, call, done, failure, success};
use pollux_session::{AskDetails, CallState};
use pollux_tools::{CallPreview, ObeyedPlaces, ToolRunOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn looks(file: &Path, directory: &Path) -> [(&'static str, Value); 5] {
    [
        ("read_file", json!({ "file_path": file })),
        ("grep_search", json!({ "pattern": "needle", "dir_path": file })),
        ("grep_search", json!({ "pattern": "needle", "dir_path": directory })),
        ("glob", json!({ "pattern": "**/*", "dir_path": directory })),
        ("list_directory", json!({ "dir_path": directory })),
    ]
}

async fn preview(room: &ToolTestWorkspace, tool: &str, args: &Value) -> CallPreview {
    room.preview(tool, args.clone()).await.unwrap()
}

fn description(preview: &CallPreview) -> &str {
    match &preview.details {
        AskDetails::Generic { description, .. } => description,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_a_person_allowed_is_read_and_nothing_without_them() {
    let room = ToolTestWorkspace::new();
    let directory = room.outside();
    let file = directory.join("notes.txt");
    fs::write(&file, "a needle\n").unwrap();
    for (tool, args) in looks(&file, &directory) {
        let shown = preview(&room, tool, &args).await;
        assert_eq!(shown.outside.as_deref(), Some(directory.as_path()), "{tool}");
        let named = format!("outside the workspace, in the directory {}", directory.display());
        assert!(description(&shown).contains(&named), "{shown:?}");
        assert_eq!(room.run_call(&call(tool, args.clone())).await.0, ToolRunOutcome::Stale, "{tool}");
        let allowed = room.preview_and_allow(tool, args, None).await;
        let text = success(done(room.run_call(&allowed).await.0)).text;
        assert!(text.contains("needle") || text.contains("notes.txt"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn what_policy_has_judged_is_what_is_read() {
    let room = ToolTestWorkspace::new();
    let file = room.outside().join("notes.txt");
    fs::write(&file, "a needle\n").unwrap();
    let read = |path: &Path| call("read_file", json!({ "file_path": path }));
    let run = async |call: CallState, judged: AskDetails| {
        let (mut out, _pieces) = RecordingCallContext::new();
        out.judged = Some(judged);
        room.toolbox.run(&room.root(), &call, &mut out).await
    };
    let judged = preview(&room, "read_file", &json!({ "file_path": file })).await.details;
    assert_eq!(success(done(run(read(&file), judged.clone()).await)).text, "a needle\n");
    assert_eq!(run(read(&room.outside().join("secret.txt")), judged).await, ToolRunOutcome::Stale);
}

#[tokio::test]
async fn a_link_that_took_the_place_of_what_was_shown_is_not_followed() {
    let room = ToolTestWorkspace::new();
    let beside = room.root().parent().unwrap().join("beside");
    for directory in [room.outside().join("deep"), beside.clone()] {
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("a.txt"), "needle").unwrap();
    }
    let directory = room.outside().join("deep");
    let mut allowed = Vec::new();
    for (tool, args) in looks(&directory.join("a.txt"), &directory) {
        allowed.push(room.preview_and_allow(tool, args, None).await);
    }
    fs::rename(&directory, room.outside().join("moved")).unwrap();
    std::os::unix::fs::symlink(&beside, &directory).unwrap();
    for call in &allowed {
        assert_eq!(room.run_call(call).await.0, ToolRunOutcome::Stale, "{}", call.tool);
    }
    // The file itself, in a directory that is still there.
    fs::remove_file(&directory).unwrap();
    fs::create_dir(&directory).unwrap();
    std::os::unix::fs::symlink(beside.join("a.txt"), directory.join("a.txt")).unwrap();
    for call in &allowed[..2] {
        assert_eq!(room.run_call(call).await.0, ToolRunOutcome::Stale, "{}", call.tool);
    }
}

#[tokio::test]
async fn a_link_in_the_workspace_that_leads_out_is_asked_about_by_where_it_leads() {
    let room = ToolTestWorkspace::new();
    room.link(room.outside().join("secret.txt"), "way.txt");
    let shown = preview(&room, "read_file", &json!({ "file_path": "way.txt" })).await;
    assert_eq!(shown.outside, Some(room.outside()));
    assert!(description(&shown).contains("outside/secret.txt"), "{shown:?}");
}

#[tokio::test]
async fn protected_names_are_asked_about_too_and_left_out_of_searches() {
    let room = ToolTestWorkspace::new();
    fs::write(room.outside().join(".env"), "needle=1").unwrap();
    let shown = preview(&room, "read_file", &json!({ "file_path": room.outside().join(".env") })).await;
    assert!(shown.secret.is_some() && shown.outside.is_some(), "{shown:?}");
    let search = json!({ "pattern": "needle", "dir_path": room.outside() });
    let search = room.preview_and_allow("grep_search", search, None).await;
    let text = success(done(room.run_call(&search).await.0)).text;
    assert!(text.contains("No line") && !text.contains("needle=1"), "{text}");
}

#[tokio::test]
async fn what_is_polluxs_own_is_never_read_and_never_found() {
    let room = ToolTestWorkspace::new();
    let own = room.outside().join("state");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("log.txt"), "needle").unwrap();
    fs::write(room.outside().join("token"), "needle").unwrap();
    fs::write(room.outside().join("notes.txt"), "needle").unwrap();
    let (storage, files) = (vec![own.clone()], vec![room.outside().join("token")]);
    let room = room.with_tools(|settings| settings.obeyed = ObeyedPlaces { storage, files, ..ObeyedPlaces::default() });
    for (tool, args) in looks(&own.join("log.txt"), &own) {
        assert_eq!(room.refusal(tool, args).await.kind, "path_not_in_workspace", "{tool}");
    }
    let token = json!({ "file_path": room.outside().join("token") });
    assert!(room.refusal("read_file", token).await.message.contains("Pollux's own"));
    for (tool, args) in looks(&room.outside().join("notes.txt"), &room.outside()) {
        let shown = preview(&room, tool, &args).await;
        assert_eq!(shown.options.map(|options| options.len()), Some(2), "{tool}: once or not");
        let allowed = room.preview_and_allow(tool, args, None).await;
        let text = success(done(room.run_call(&allowed).await.0)).text;
        assert!(!text.contains("log.txt") && !text.contains("token") && !text.contains("state"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn files_of_the_kernel_and_what_is_not_there_ask_nothing() {
    let room = ToolTestWorkspace::new();
    for path in ["/proc/self/environ", "/dev/null", "/sys/kernel"] {
        let error = room.refusal("read_file", json!({ "file_path": path })).await;
        assert!(error.message.contains("the kernel's"), "{}", error.message);
    }
    let error = room.refusal("read_file", json!({ "file_path": room.outside().join("none") })).await;
    assert_eq!(error.kind, "file_not_found");
}

#[tokio::test]
async fn wide_directories_are_allowed_once_at_most() {
    let room = ToolTestWorkspace::new();
    let above = room.root().parent().unwrap().to_owned();
    for (directory, once_only) in [(Path::new("/"), true), (&above, true), (&room.outside(), false)] {
        let shown = preview(&room, "list_directory", &json!({ "dir_path": directory })).await;
        assert_eq!(shown.options.is_some(), once_only, "{}", directory.display());
    }
}

/// Outside the workspace nothing says where a project begins, so the ignore files of every directory above count.
#[tokio::test]
async fn what_an_ignore_file_above_lists_is_neither_read_nor_found() {
    let room = ToolTestWorkspace::with_settings(|settings| {
        settings.filtering.custom_ignore_files = vec![".aiignore".into()];
    });
    let project = room.outside().join("project");
    for (name, text) in [
        (".geminiignore", "private/\n"),
        (".aiignore", "hidden/\n"),
        ("private/deep/notes.txt", "needle"),
        ("hidden/notes.txt", "needle"),
        ("open/notes.txt", "needle"),
    ] {
        fs::create_dir_all(project.join(name).parent().unwrap()).unwrap();
        fs::write(project.join(name), text).unwrap();
    }
    std::os::unix::fs::symlink(project.join("open"), project.join("private/way")).unwrap();
    for directory in ["private/deep", "hidden", "open"] {
        let directory = project.join(directory);
        for (tool, args) in looks(&directory.join("notes.txt"), &directory) {
            let told = match room.preview(tool, args.clone()).await {
                Ok(_) => {
                    let allowed = room.preview_and_allow(tool, args, None).await;
                    format!("{:?}", room.run_call(&allowed).await.0)
                }
                Err(error) => failure(error).message,
            };
            let finds_nothing = ["is listed in", "No line in", "No file in", "0 files"];
            let found = !finds_nothing.iter().any(|nothing| told.contains(nothing));
            assert_eq!(found, directory.ends_with("open"), "{tool} {}: {told}", directory.display());
        }
    }
    let by_link = json!({ "file_path": project.join("private/way/notes.txt") });
    let refused = failure(room.preview("read_file", by_link).await.err().unwrap()).message;
    assert!(refused.contains("is listed in"), "{refused}");
}

#[tokio::test]
async fn a_search_that_begins_above_the_workspace_leaves_out_what_its_settings_keep() {
    let room = ToolTestWorkspace::with_settings(|settings| {
        settings.filtering.custom_ignore_files = vec![".aiignore".into()];
    });
    room.put(".aiignore", "hidden.txt\n");
    room.put("hidden.txt", "needle\n");
    room.put("open.txt", "needle\n");
    fs::write(room.outside().join("hidden.txt"), "needle\n").unwrap();
    let search = json!({ "pattern": "needle", "dir_path": room.root().parent().unwrap(), "names_only": true });
    let allowed = room.preview_and_allow("grep_search", search, None).await;
    let text = success(done(room.run_call(&allowed).await.0)).text;
    let found = |path: &Path| text.contains(path.to_str().unwrap());
    assert!(found(&room.root().join("open.txt")), "{text}");
    assert!(!found(&room.root().join("hidden.txt")), "{text}");
    // What is beside the workspace is no business of its settings.
    assert!(found(&room.outside().join("hidden.txt")), "{text}");
}
