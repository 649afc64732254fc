//! Nothing of the person is overwritten: a whole file is replaced, moved or removed only as the model has seen it.

use crate::tools::test_workspace::{SESSION, ToolTestWorkspace, call, done, failure, success};
use pollux_session::{Ask, CallOutcome, CallResult, CallState};
use pollux_tools::{CallPreview, ToolRunOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn write(file: &str, content: &str) -> Value {
    json!({ "file_path": file, "content": content })
}

fn replace(file: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": file, "old_string": old, "new_string": new })
}

fn patch(files: &str) -> Value {
    json!({ "patch": format!("*** Begin Patch\n{files}\n*** End Patch") })
}

async fn read(room: &ToolTestWorkspace, file: &str) -> CallResult {
    success(room.run("read_file", json!({ "file_path": file, "end_line": 1 })).await)
}

/// The preview of a call after others of its answer; the outcome of one that does not fit.
async fn preview_after(
    room: &ToolTestWorkspace,
    call: &CallState,
    before: &[CallState],
) -> Result<CallPreview, CallOutcome> {
    let session = SESSION.parse().unwrap();
    let preview = room.toolbox.preview_after(session, &room.root(), call, before, &room.seen_files()).await?;
    match &preview.misfit {
        Some(misfit) => Err(misfit.outcome.clone()),
        None => Ok(preview),
    }
}

#[tokio::test]
async fn a_file_that_was_never_seen_is_not_replaced() {
    let room = ToolTestWorkspace::new();
    room.put_unseen("a.txt", "mine\n");
    let error = room.refusal("write_file", write("a.txt", "x\n")).await;
    let told = "`a.txt` exists, and you have not seen what it holds, so it was left as it is; call read_file first, then make \
                this call again";
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("file_not_seen", told));
    assert_eq!(room.get("a.txt"), "mine\n");
    // What is there already is not lost.
    success(room.run("write_file", write("a.txt", "mine\n")).await);
    assert_eq!(read(&room, "a.txt").await.seen, [room.seen_version("a.txt", "mine\n")]);
    let written = success(room.run("write_file", write("a.txt", "x\n")).await);
    assert_eq!(written.seen, [room.seen_version("a.txt", "x\n")]);
}

#[tokio::test]
async fn a_file_that_has_changed_since_is_not_replaced_and_the_change_is_told() {
    let room = ToolTestWorkspace::new();
    room.put_unseen("a.txt", "one\ntwo\n");
    read(&room, "a.txt").await;
    room.put_unseen("a.txt", "one\ntwo\ncall the bank\n");
    let error = room.refusal("write_file", write("a.txt", "one\n")).await;
    let told = "`a.txt` has changed since you last saw it, by the person or by a program, so it was left as it is; call \
                read_file, then make this call again with what it holds now. What has changed:\n--- a.txt\n+++ a.txt\n\
                @@ -1,2 +1,3 @@\n one\n two\n+call the bank\n";
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("file_changed", told));
    assert_eq!(room.get("a.txt"), "one\ntwo\ncall the bank\n");
    // A refusal that tells some lines is no look at the file.
    assert_eq!(room.refusal("write_file", write("a.txt", "one\n")).await.kind, "file_changed");
    read(&room, "a.txt").await;
    success(room.run("write_file", write("a.txt", "one\n")).await);
}

#[tokio::test]
async fn what_has_changed_in_a_secret_or_is_long_is_not_told_in_full() {
    let room = ToolTestWorkspace::new();
    for file in ["long.txt", ".env"] {
        room.put(file, "KEY=1\n");
        success(room.run("write_file", write(file, "KEY=2\n")).await);
        room.put_unseen(file, "KEY=3\n".repeat(10_000));
    }
    let long = room.refusal("write_file", write("long.txt", "x")).await.message;
    assert!(long.contains("KEY=3") && long.contains("characters left out") && long.len() < 5_000, "{}", long.len());
    let secret = room.refusal("write_file", write(".env", "x")).await;
    assert_eq!((secret.kind.as_str(), secret.message.contains("KEY")), ("file_changed", false));
}

#[tokio::test]
async fn a_guess_at_a_secret_that_was_never_seen_learns_nothing() {
    let room = ToolTestWorkspace::new();
    room.put_unseen(".env", "KEY=1\n");
    let [right, wrong] = ["KEY=1\n", "KEY=2\n"].map(|guess| room.refusal("write_file", write(".env", guess)));
    assert_eq!(right.await, wrong.await);
}

#[tokio::test]
async fn what_a_call_leaves_is_known_and_what_it_did_not_know_stays_unknown() {
    let room = ToolTestWorkspace::new();
    success(room.run("write_file", write("a.txt", "one\ntwo\n")).await);
    let edited = success(room.run("replace", replace("a.txt", "two", "three")).await);
    assert_eq!(edited.seen, [room.seen_version("a.txt", "one\nthree\n")]);
    success(room.run("apply_patch", patch("*** Update File: a.txt\n@@\n-one\n+1")).await);
    success(room.run("write_file", write("a.txt", "new\n")).await);

    room.put_unseen("a.txt", "new\nof the person\n");
    let edited = success(room.run("replace", replace("a.txt", "new", "newer")).await);
    let note = "a.txt had changed since you last saw it, by the person or by a program: read it again before you rely on \
                the rest of it.";
    assert!(edited.text.ends_with(note), "{}", edited.text);
    assert_eq!(edited.seen, []);
    let patched = success(room.run("apply_patch", patch("*** Update File: a.txt\n@@\n-newer\n+newest")).await);
    assert!(patched.text.contains(note), "{}", patched.text);
    assert_eq!(room.refusal("write_file", write("a.txt", "x")).await.kind, "file_changed");
    assert_eq!(room.get("a.txt"), "newest\nof the person\n");

    // An edit of a file that was never seen is no foreign change, and no look at the file.
    room.put_unseen("b.txt", "one\ntwo\n");
    let edited = success(room.run("replace", replace("b.txt", "two", "three")).await);
    assert!(!edited.text.contains("had changed"), "{}", edited.text);
    assert_eq!(room.refusal("write_file", write("b.txt", "x")).await.kind, "file_not_seen");
}

#[tokio::test]
async fn files_are_moved_and_deleted_only_as_they_were_seen() {
    let room = ToolTestWorkspace::new();
    room.put_unseen("a.txt", "a\n");
    room.put_unseen("b.txt", "b\n");
    let both = patch("*** Delete File: a.txt\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-b\n+c");
    let error = room.refusal("apply_patch", both.clone()).await;
    assert_eq!(error.kind, "file_not_seen");
    assert!(error.message.contains("`a.txt` exists") && error.message.contains("`b.txt` exists"), "{}", error.message);
    read(&room, "a.txt").await;
    read(&room, "b.txt").await;
    room.put_unseen("b.txt", "b\nmine\n");
    let error = room.refusal("apply_patch", both.clone()).await;
    assert_eq!(error.kind, "file_changed");
    assert!(error.message.contains("+mine") && !error.message.contains("`a.txt`"), "{}", error.message);
    read(&room, "b.txt").await;
    let result = success(room.run("apply_patch", both).await);
    assert_eq!(result.seen, [room.seen_version("c.txt", "c\nmine\n")]);
    assert!(!room.path("a.txt").exists());
    success(room.run("write_file", write("c.txt", "x\n")).await);
}

#[tokio::test]
async fn a_file_that_appears_where_none_was_is_not_replaced() {
    let room = ToolTestWorkspace::new();
    let asked = room.preview_and_allow("write_file", write("a.txt", "new\n"), None).await;
    let unasked = call("write_file", write("a.txt", "new\n"));
    room.put_unseen("a.txt", "mine\n");
    for call in [&asked, &unasked] {
        assert_eq!(failure(done(room.run_call(call).await.0)).kind, "file_not_seen");
    }
    assert_eq!(room.get("a.txt"), "mine\n");
}

#[tokio::test]
async fn what_a_person_made_of_a_change_is_known_as_far_as_it_is_told() {
    let room = ToolTestWorkspace::new();
    let edit = |line: &str| line.repeat(30_000);
    for (file, content, is_known) in [("a.txt", "short\n".to_owned(), true), ("b.txt", edit("long\n"), false)] {
        let call = room.preview_and_allow("write_file", write(file, "proposed\n"), Some(&content)).await;
        let result = success(done(room.run_call(&call).await.0));
        assert_eq!(result.seen == [room.seen_version(file, &content)], is_known);
        let call = CallState { edit: None, ask: None, ..call };
        let again = room.run_call(&call).await.0;
        match is_known {
            true => assert!(matches!(again, ToolRunOutcome::Done(_))),
            false => assert_eq!(failure(done(again)).kind, "file_not_seen"),
        }
    }
    room.put(".env", "KEY=1\n");
    let call = room.preview_and_allow("write_file", write(".env", "KEY=2\n"), Some("KEY=3\n")).await;
    assert_eq!(success(done(room.run_call(&call).await.0)).seen, [], "the model is not told");
}

#[tokio::test]
async fn calls_of_one_answer_count_in_their_order() {
    let room = ToolTestWorkspace::new();
    room.put_unseen("a.txt", "one\n");
    let last = call("write_file", write("a.txt", "x\n"));
    let reading = call("read_file", json!({ "file_path": "a.txt" }));
    let editing = call("replace", replace("a.txt", "one", "two"));
    let preview = |before: Vec<CallState>| {
        let (room, last) = (&room, &last);
        async move { preview_after(room, last, &before).await }
    };
    let kind = |outcome| failure(outcome).kind;
    assert_eq!(preview(vec![]).await.map_err(kind), Err("file_not_seen".into()));
    assert_eq!(preview(vec![editing.clone()]).await.map_err(kind), Err("file_not_seen".into()));
    assert!(preview(vec![reading.clone()]).await.is_ok());
    assert!(preview(vec![editing.clone(), reading.clone()]).await.is_ok());
    assert!(preview(vec![reading, editing.clone()]).await.is_ok());
    // A file that comes into being in the same answer is known.
    let made = [call("write_file", write("new.txt", "1\n")), call("replace", replace("new.txt", "1", "2"))];
    let over = call("write_file", write("new.txt", "3\n"));
    assert!(preview_after(&room, &over, &made).await.is_ok());
    // What a person allows is compared once more when it runs.
    let allowed = CallState {
        ask: Some(Ask::new(
            preview(vec![editing, call("read_file", json!({ "file_path": "a.txt" }))]).await.unwrap().details,
            vec![],
        )),
        ..last.clone()
    };
    assert_eq!(kind(done(room.run_call(&allowed).await.0)), "file_not_seen");
}
