//! Files with protected names: what the tools show of them, and to whom.

use crate::tools::test_workspace::{RecordingCallContext, ToolTestWorkspace, call, failure, success};
use pollux_session::{AskDetails, CallOutcome, CallState, ToolKind};
use pollux_tools::ToolRunOutcome;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const SECRET: &str = "TOKEN=hunter2\n";
const SENTENCE: &str = "`.env` has a protected name (environment variables with secrets): the model sees its content only \
                        if you allow it";

fn workspace_with_secrets() -> ToolTestWorkspace {
    let room = ToolTestWorkspace::new();
    room.put(".env", SECRET);
    room.put("a.txt", "TOKEN of nobody\n");
    room
}

/// Run a call in a session that allows everything.
async fn run_in_yolo(room: &ToolTestWorkspace, call: &CallState) -> ToolRunOutcome {
    let (mut out, _pieces) = RecordingCallContext::new();
    out.reads_secrets = true;
    out.seen = room.seen_files();
    room.toolbox.run(&room.root(), call, &mut out).await
}

async fn secret_of(room: &ToolTestWorkspace, tool: &str, args: Value) -> Option<String> {
    room.preview(tool, args).await.unwrap().secret
}

#[tokio::test]
async fn reading_one_says_so_and_stays_reading() {
    let room = workspace_with_secrets();
    let preview = room.preview("read_file", json!({ "file_path": ".env" })).await.unwrap();
    assert_eq!(preview.kind, ToolKind::Read);
    assert_eq!(preview.details, AskDetails::generic(format!("Read .env\n{SENTENCE}")));
    assert_eq!(preview.secret.as_deref(), Some(SENTENCE));
    assert_eq!(secret_of(&room, "read_file", json!({ "file_path": "a.txt" })).await, None);
}

#[tokio::test]
async fn a_link_is_judged_by_its_name_and_by_where_it_leads() {
    let room = workspace_with_secrets();
    room.link(".env", "notes");
    room.link("a.txt", "server.key");
    room.put(".ssh/known_hosts", "host");
    room.link(".ssh", "public");
    for path in ["notes", "./notes", "server.key", "public/known_hosts"] {
        assert!(secret_of(&room, "read_file", json!({ "file_path": path })).await.is_some(), "{path}");
        let ran = room.run_call(&call("read_file", json!({ "file_path": path }))).await.0;
        assert_eq!(ran, ToolRunOutcome::Stale, "{path}");
    }
}

#[tokio::test]
async fn it_is_read_when_a_person_allowed_just_that_or_everything_is_allowed() {
    let room = workspace_with_secrets();
    let args = json!({ "file_path": ".env" });
    let allowed = room.preview_and_allow("read_file", args.clone(), None).await;
    assert_eq!(success(crate::tools::test_workspace::done(room.run_call(&allowed).await.0)).text, SECRET);
    let unasked = call("read_file", args);
    assert_eq!(room.run_call(&unasked).await.0, ToolRunOutcome::Stale);
    assert_eq!(success(crate::tools::test_workspace::done(run_in_yolo(&room, &unasked).await)).text, SECRET);
}

#[tokio::test]
async fn a_link_that_comes_to_lead_to_one_is_stale() {
    let room = workspace_with_secrets();
    room.link("a.txt", "notes");
    let args = json!({ "file_path": "notes" });
    let asked = room.preview_and_allow("read_file", args.clone(), None).await;
    std::fs::remove_file(room.path("notes")).unwrap();
    room.link(".env", "notes");
    assert_eq!(room.run_call(&asked).await.0, ToolRunOutcome::Stale, "another file was asked about");
    assert_eq!(room.run_call(&call("read_file", args)).await.0, ToolRunOutcome::Stale, "nobody was asked");
}

#[tokio::test]
async fn searches_leave_them_out_and_say_so() {
    let room = workspace_with_secrets();
    room.put("sub/id_rsa", "TOKEN of a key\n");
    room.put("sub/.env.example", "TOKEN=\n");
    for names_only in [false, true] {
        let args = json!({ "pattern": "TOKEN", "names_only": names_only });
        assert_eq!(secret_of(&room, "grep_search", args.clone()).await, None);
        let text = success(room.run("grep_search", args.clone()).await).text;
        assert!(text.contains("a.txt") && text.contains("sub/.env.example"), "{text}");
        assert!(!text.contains("hunter2") && !text.contains("id_rsa"), "{text}");
        let note = "[2 files with protected names were not searched. To see what one holds, call read_file, and the \
                    person is asked.]";
        assert!(text.ends_with(note), "{text}");
        let text =
            success(crate::tools::test_workspace::done(run_in_yolo(&room, &call("grep_search", args)).await)).text;
        assert!(text.contains("id_rsa"), "{text}");
    }
    let none = success(room.run("grep_search", json!({ "pattern": "TOKEN", "include_pattern": "*.txt" })).await).text;
    assert!(!none.contains("protected"), "{none}");
}

#[tokio::test]
async fn a_search_in_one_asks() {
    let room = workspace_with_secrets();
    room.put(".ssh/known_hosts", "TOKEN\n");
    for path in [".env", ".ssh", ".ssh/known_hosts"] {
        let args = json!({ "pattern": "TOKEN", "dir_path": path });
        assert!(secret_of(&room, "grep_search", args.clone()).await.is_some(), "{path}");
        assert_eq!(room.run_call(&call("grep_search", args.clone())).await.0, ToolRunOutcome::Stale, "{path}");
        let allowed = room.preview_and_allow("grep_search", args, None).await;
        let text = success(crate::tools::test_workspace::done(room.run_call(&allowed).await.0)).text;
        assert!(text.contains("TOKEN") && !text.contains("not searched"), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_mention_does_not_attach_one() {
    let room = workspace_with_secrets();
    room.put("d/key.pem", "PRIVATE");
    room.put("d/b.txt", "bee");
    room.link(".env", "notes");
    let paths: Vec<String> = [".env", "notes", "d"].map(str::to_owned).to_vec();
    let injected = room.toolbox.inject(&room.root(), &paths).await;
    assert_eq!(injected.files, ["d/b.txt"]);
    assert!(!injected.text.contains("hunter2") && !injected.text.contains("PRIVATE"), "{}", injected.text);
    let note = |path: &str| {
        format!(
            "`{path}` has a protected name, so it is not attached; to see it, call read_file, and the person is asked"
        )
    };
    assert_eq!(injected.notes, [note(".env"), note(".env"), note("d/key.pem")]);
}

#[tokio::test]
async fn names_are_no_secret() {
    let room = workspace_with_secrets();
    let listed = success(room.run("list_directory", json!({ "dir_path": "." })).await).text;
    assert!(listed.contains(".env"), "{listed}");
    let found = success(room.run("glob", json!({ "pattern": "**/.env" })).await).text;
    assert!(found.contains(".env"), "{found}");
}

#[tokio::test]
async fn a_change_asks_and_tells_the_model_nothing_of_what_was_there() {
    let room = workspace_with_secrets();
    room.put(".env", "A=1\nTOKEN=hunter2\nB=2\n");
    let replace = json!({ "file_path": ".env", "old_string": "A=1", "new_string": "A=2" });
    assert_eq!(secret_of(&room, "replace", replace.clone()).await.as_deref(), Some(SENTENCE));
    let asked = room.preview_and_allow("replace", replace, None).await;
    let result = success(crate::tools::test_workspace::done(room.run_call(&asked).await.0));
    let told = "Its content is not shown, because its name is protected; read_file asks for it.";
    assert_eq!(result.text, format!("Changed .env. {told}"));
    let write = json!({ "file_path": ".env", "content": "A=3\n" });
    assert_eq!(secret_of(&room, "write_file", write.clone()).await.as_deref(), Some(SENTENCE));
    let asked = room.preview_and_allow("write_file", write, Some("A=4\n")).await;
    let result = success(crate::tools::test_workspace::done(room.run_call(&asked).await.0));
    assert_eq!(result.text, format!("Replaced the content of .env. The person changed the result first. {told}"));
    let new = json!({ "file_path": "new/.env", "content": "A=\n" });
    assert_eq!(secret_of(&room, "write_file", new).await, None, "there is nothing to see yet");
}

#[tokio::test]
async fn guesses_at_one_all_fail_alike() {
    let room = workspace_with_secrets();
    room.put(".env", "A=1\nA=1\nTOKEN=hunter2\n");
    let guess = |old: &str, new: &str| json!({ "file_path": ".env", "old_string": old, "new_string": new });
    let mut told = Vec::new();
    for (old, new) in [("something else entirely", "x"), ("A=1", "A=2"), ("", "x")] {
        let outcome = room.preview("replace", guess(old, new)).await.unwrap_err();
        assert!(matches!(&outcome, CallOutcome::Failed { .. }));
        told.push(failure(outcome));
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
}

/// A repository may have any name: a file `.git` points to it.
#[tokio::test]
async fn a_repository_is_known_by_what_lies_in_it() {
    let room = ToolTestWorkspace::new();
    room.put(".git", "gitdir: ./.bare\n");
    room.put(".bare/HEAD", "ref: refs/heads/main\n");
    room.put(".bare/config", "url = https://me:hunter2@example.org\n");
    room.put(".bare/objects/info/packs", "");
    room.put(".bare/refs/heads/main", "");
    assert!(secret_of(&room, "read_file", json!({ "file_path": ".bare/config" })).await.is_some());
    let found = room.run("grep_search", json!({ "pattern": "hunter2" })).await;
    assert!(!success(found).text.contains("https://"));
    for path in [".bare/config", ".bare/hooks/pre-commit", ".bare/info/attributes"] {
        let preview = room.preview("write_file", json!({ "file_path": path, "content": "x" })).await.unwrap();
        assert_eq!(preview.protected.as_deref(), Some("a repository's own directory"), "{path}");
    }
    let preview = room.preview("write_file", json!({ "file_path": "main/config", "content": "x" })).await.unwrap();
    assert_eq!(preview.protected, None);
}
