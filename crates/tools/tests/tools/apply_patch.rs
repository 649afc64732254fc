//! `apply_patch` on real files.

use crate::tools::test_workspace::{SESSION, ToolTestWorkspace, call, done, success};
use pollux_session::{
    AnswerEdit, Ask, AskDetails, CallOutcome, CallState, EditedFile, FileDiff, Grant, PatchedFile, PatchedFileChange,
    ResultDisplay, ToolKind,
};
use pollux_tools::{CallPreview, ToolRunOutcome};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;

fn args(patch: &str) -> Value {
    json!({ "patch": format!("*** Begin Patch\n{patch}\n*** End Patch\n") })
}

/// A workspace with a file of each fate.
fn workspace() -> ToolTestWorkspace {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\ntwo\nthree\n");
    room.put("old.txt", "x\ny\n");
    room.put("plain.txt", "same\n");
    room.put("gone.txt", "bye\n");
    room
}

const ALL: &str = "*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** Update File: old.txt\n*** Move to: new/name.txt\n@@\n-y\n+z\n\
                   *** Update File: plain.txt\n*** Move to: plainer.txt\n*** Add File: fresh.txt\n+hello\n*** Delete File: gone.txt";

fn file(
    room: &ToolTestWorkspace,
    change: PatchedFileChange,
    name: &str,
    old: Option<&str>,
    new: &str,
    patch: &str,
) -> PatchedFile {
    let path = room.path(name).to_string_lossy().into_owned();
    let diff = FileDiff { name: name.into(), path, old: old.map(str::to_owned), new: new.into(), patch: patch.into() };
    PatchedFile { change, diff, written: vec![] }
}

fn moved(room: &ToolTestWorkspace, name: &str) -> PatchedFileChange {
    PatchedFileChange::Move { from_name: name.into(), from_path: room.path(name).to_string_lossy().into_owned() }
}

fn files_of(preview: CallPreview) -> Vec<PatchedFile> {
    match preview.details {
        AskDetails::Patch { files } => files,
        other => panic!("no patch: {other:?}"),
    }
}

/// A call that a person allowed, as it was shown.
async fn allowed(room: &ToolTestWorkspace, patch: &str) -> CallState {
    room.preview_and_answer("apply_patch", args(patch), None).await
}

#[tokio::test]
async fn everything_is_shown_at_once_and_done_at_once() {
    let room = workspace();
    let files = vec![
        file(
            &room,
            PatchedFileChange::Edit,
            "a.txt",
            Some("one\ntwo\nthree\n"),
            "one\n2\nthree\n",
            "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        ),
        file(
            &room,
            moved(&room, "old.txt"),
            "new/name.txt",
            Some("x\ny\n"),
            "x\nz\n",
            "--- old.txt\n+++ new/name.txt\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
        ),
        file(&room, moved(&room, "plain.txt"), "plainer.txt", Some("same\n"), "same\n", ""),
        file(
            &room,
            PatchedFileChange::Add,
            "fresh.txt",
            None,
            "hello\n",
            "--- /dev/null\n+++ fresh.txt\n@@ -0,0 +1 @@\n+hello\n",
        ),
        file(
            &room,
            PatchedFileChange::Delete,
            "gone.txt",
            Some("bye\n"),
            "",
            "--- gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n",
        ),
    ];
    let preview = room.preview("apply_patch", args(ALL)).await.unwrap();
    assert_eq!(
        preview,
        CallPreview {
            kind: ToolKind::Edit,
            details: AskDetails::Patch { files: files.clone() },
            grant: Grant::Tool { tool: "apply_patch".into() },
            summary: "Change a.txt, new/name.txt, plainer.txt, fresh.txt, gone.txt".into(),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        }
    );
    assert_eq!(room.get("a.txt"), "one\ntwo\nthree\n", "a preview changes nothing");
    let result = success(done(room.run_call(&allowed(&room, ALL).await).await.0));
    assert_eq!(
        result.text,
        "Changed 5 files:\n- a.txt: changed (+1 -1)\n- new/name.txt: moved from old.txt and changed (+1 -1)\n- plainer.txt: moved from \
         plain.txt\n- fresh.txt: created (+1 -0)\n- gone.txt: deleted\n"
    );
    assert_eq!(result.display, Some(ResultDisplay::Patch { files }));
    assert_eq!(room.get("a.txt"), "one\n2\nthree\n");
    assert_eq!((room.get("new/name.txt"), room.get("plainer.txt")), ("x\nz\n".into(), "same\n".into()));
    assert_eq!(room.get("fresh.txt"), "hello\n");
    for gone in ["old.txt", "plain.txt", "gone.txt"] {
        assert!(!room.path(gone).exists(), "{gone}");
    }
}

#[tokio::test]
async fn if_one_part_does_not_fit_nothing_is_changed_and_every_such_part_is_named() {
    let room = workspace();
    fs::create_dir(room.path("dir")).unwrap();
    room.link("a.txt", "link.txt");
    let patch = "*** Update File: a.txt\n@@\n-one\n+1\n@@\n-twoo\n+2\n*** Update File: none.txt\n@@\n-x\n+y\n*** Add File: old.txt\n+x\n\
                 *** Delete File: dir\n*** Update File: plain.txt\n*** Move to: gone.txt\n*** Delete File: link.txt\n\
                 *** Delete File: ../outside/secret.txt";
    let error = room.refusal("apply_patch", args(patch)).await;
    let outside =
        format!("`../outside/secret.txt` is outside the workspace {}; use a path inside it", room.root().display());
    let expected = [
        "nothing was changed, because 7 parts of the patch do not fit:",
        "`a.txt`, hunk 2 (line 6 of the patch): its lines do not occur in the file; these lines of the file are most like them:\n2: two",
        "`none.txt` does not exist in the workspace; list_directory shows what does",
        "`old.txt`: it exists already; change it under `*** Update File`, or delete it first in another call",
        "`dir` is a directory; name a file in it",
        "`gone.txt`: it exists already, so nothing can be moved there",
        "`link.txt`: the patch names it twice; put all that happens to it under one heading",
        &outside,
    ];
    assert_eq!((error.kind.as_str(), error.message), ("edit_no_occurrence_found", expected.join("\n\n")));
    assert_eq!(room.get("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(
        room.refusal("apply_patch", args("*** Delete File: ../outside/secret.txt")).await.kind,
        "path_not_in_workspace"
    );
    let error = room.refusal("apply_patch", args("*** Delete File: link.txt")).await;
    assert!(
        error.message.ends_with("`link.txt`: it is a symbolic link; name the file that it leads to"),
        "{}",
        error.message
    );
    let error = room.refusal("apply_patch", args("*** Update File: a.txt\n@@\n-one\n+one")).await;
    assert!(
        error.message.ends_with("its hunks would change nothing: the lines that come are those that go"),
        "{}",
        error.message
    );
    let error = room.refusal("apply_patch", args("*** Add File: a.txt/b.txt\n+x")).await;
    assert!(error.message.ends_with("`a.txt/b.txt` is not a directory"), "{}", error.message);
    let error = room.refusal("apply_patch", args("*** Delete File: .")).await;
    assert_eq!(error.kind, "target_is_directory");
}

#[tokio::test]
async fn there_are_limits() {
    let room = workspace();
    let many: Vec<String> = (0..101).map(|number| format!("*** Add File: {number}\n+x")).collect();
    let error = room.refusal("apply_patch", args(&many.join("\n"))).await;
    assert_eq!(error.message, "the patch names 101 files, and at most 100 can be changed at once");
    let large = "line\n".repeat(1024 * 1024);
    room.put("large.txt", format!("{large}end\n"));
    let error = room.refusal("apply_patch", args("*** Update File: large.txt\n@@\n-end\n+END")).await;
    assert_eq!(error.kind, "file_too_large");
}

#[tokio::test]
async fn an_edit_goes_through_a_link_and_keeps_it() {
    let room = workspace();
    room.link("a.txt", "link.txt");
    success(room.run("apply_patch", args("*** Update File: link.txt\n@@\n-two\n+2")).await);
    assert_eq!(room.get("a.txt"), "one\n2\nthree\n");
    assert!(room.path("link.txt").is_symlink());
}

#[tokio::test]
async fn line_ends_and_tabs_are_the_files_own() {
    let room = workspace();
    room.put("dos.txt", "a\r\nb\r\n");
    room.put("tabs.go", "func f() {\n\tif x {\n\t\tgo()\n\t}\n}\n");
    let patch = "*** Update File: dos.txt\n@@\n a\n-b\n+B\n+c\n*** Update File: tabs.go\n@@\n if x {\n-    go()\n+    stop()\n }";
    let text = success(room.run("apply_patch", args(patch)).await).text;
    assert_eq!(room.get("dos.txt"), "a\r\nB\r\nc\r\n");
    assert_eq!(room.get("tabs.go"), "func f() {\n\tif x {\n\t\tstop()\n\t}\n}\n");
    // Where white space was forgiven, the model is shown what came of it.
    let forgiven = "\nIn tabs.go, lines were found with other indentation (line 3): check that it is what you meant.\n--- tabs.go\n";
    assert!(text.contains(forgiven) && !text.contains("--- dos.txt"), "{text}");
}

#[tokio::test]
async fn what_was_shown_is_what_runs() {
    let room = workspace();
    // The rest of a file that is edited may change.
    let patch = "*** Update File: long.txt\n@@\n-mark\n+MARK";
    let lines: Vec<String> = (0..30).map(|number| format!("{number}\n")).collect();
    room.put("long.txt", format!("{}mark\n", lines.concat()));
    let edit = allowed(&room, patch).await;
    room.put("long.txt", format!("zero\n{}mark\n", lines[1..].concat()));
    success(done(room.run_call(&edit).await.0));
    assert_eq!(room.get("long.txt"), format!("zero\n{}MARK\n", lines[1..].concat()));
    // Everything else asks again.
    let changes: [(&str, &dyn Fn()); 6] = [
        ("*** Update File: a.txt\n@@\n-two\n+2", &|| room.put("a.txt", "ONE\ntwo\nthree\n")),
        ("*** Update File: a.txt\n@@\n-two\n+2", &|| room.put("a.txt", "one\nzwei\nthree\n")),
        ("*** Update File: old.txt\n*** Move to: new.txt", &|| room.put("old.txt", "x\ny\nz\n")),
        ("*** Update File: plain.txt\n*** Move to: there.txt", &|| room.put("there.txt", "mine\n")),
        ("*** Add File: fresh.txt\n+hello", &|| room.put("fresh.txt", "mine\n")),
        ("*** Delete File: gone.txt", &|| room.put("gone.txt", "bye\nnot yet\n")),
    ];
    for (patch, change) in changes {
        let patch = format!("{patch}\n*** Add File: beside.txt\n+x");
        room.put("a.txt", "one\ntwo\nthree\n");
        let asked = allowed(&room, &patch).await;
        change();
        assert_eq!(room.run_call(&asked).await.0, ToolRunOutcome::Stale, "{patch}");
        assert!(!room.path("beside.txt").exists(), "{patch}");
    }
}

#[tokio::test]
async fn a_person_may_change_some_of_the_files_first() {
    let room = workspace();
    room.put("a.txt", "one\r\ntwo\r\nthree\r\n");
    let edited = |name: &str, new: &str| EditedFile { path: room.path(name).display().to_string(), new: new.into() };
    let edit = AnswerEdit::Files { files: vec![edited("a.txt", "one\nmine\n"), edited("fresh.txt", "hi\n")] };
    let call = room.preview_and_answer("apply_patch", args(ALL), Some(edit.clone())).await;
    let result = success(done(room.run_call(&call).await.0));
    assert_eq!((room.get("a.txt").as_str(), room.get("fresh.txt").as_str()), ("one\r\nmine\r\n", "hi\n"));
    assert_eq!(room.get("new/name.txt"), "x\nz\n");
    let told = "\nThe person changed fresh.txt first, from what you proposed to what was written:\n--- fresh.txt\n+++ fresh.txt\n@@ -1 +1 \
                @@\n-hello\n+hi\n";
    assert!(result.text.contains(told), "{}", result.text);
    // They made it of the file that they saw.
    let room = workspace();
    let call = room.preview_and_answer("apply_patch", args("*** Update File: a.txt\n@@\n-one\n+1"), None).await;
    let files = vec![EditedFile { path: room.path("a.txt").display().to_string(), new: "mine\n".into() }];
    room.put("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    let call = CallState { edit: Some(AnswerEdit::Files { files }), ..call };
    assert_eq!(room.run_call(&call).await.0, ToolRunOutcome::Stale);
}

/// Git takes such a directory for a repository, with its configuration and its hooks.
#[tokio::test]
async fn a_patch_that_makes_a_repository_asks() {
    let room = ToolTestWorkspace::new();
    let added = |names: &[&str]| {
        let files: String = names.iter().map(|name| format!("*** Add File: {name}\n+x\n")).collect();
        json!({ "patch": format!("*** Begin Patch\n{files}*** End Patch\n") })
    };
    for (names, protected) in [
        (&["rep/HEAD", "rep/config", "rep/objects/x", "rep/refs/x"][..], Some("a repository's own directory")),
        (&["rep/config", "rep/objects/x", "rep/refs/x"], None),
        (&["rep/HEAD", "other/objects/x"], None),
    ] {
        let preview = room.preview("apply_patch", added(names)).await.unwrap();
        assert_eq!(preview.protected.as_deref(), protected, "{names:?}");
    }
}

#[tokio::test]
async fn protected_places_and_secrets_ask_wherever_they_are_in_it() {
    let room = workspace();
    room.put(".env", "A=1\nB=2\n");
    room.put(".github/x.yml", "a\n");
    let about = async |patch: &str| {
        let preview = room.preview("apply_patch", args(patch)).await.unwrap();
        (preview.protected, preview.secret.is_some())
    };
    let github = || Some(".github".to_owned());
    assert_eq!(about("*** Update File: .github/x.yml\n@@\n-a\n+b").await, (github(), false));
    assert_eq!(about("*** Add File: .github/y.yml\n+b").await, (github(), false));
    assert_eq!(about("*** Delete File: .github/x.yml").await, (github(), false));
    assert_eq!(about("*** Update File: .github/x.yml\n*** Move to: y.yml").await, (github(), false));
    assert_eq!(about("*** Update File: a.txt\n*** Move to: .github/y.yml").await, (github(), false));
    let both = "*** Delete File: .github/x.yml\n*** Add File: .vscode/x\n+x";
    assert_eq!(about(both).await, (Some(".github, .vscode".into()), false));
    for patch in
        ["*** Update File: .env\n@@\n-A=1\n+A=2", "*** Delete File: .env", "*** Update File: .env\n*** Move to: env"]
    {
        assert_eq!(about(patch).await, (None, true), "{patch}");
    }
    let edited = allowed(&room, "*** Update File: .env\n@@\n-  A=1\n+  A=2").await;
    let text = success(done(room.run_call(&edited).await.0)).text;
    assert_eq!(text, "Changed 1 file:\n- .env: changed (+1 -1)\n");
}

/// Whether a guess at a secret fits is told by nothing, not even by what else fails.
#[tokio::test]
async fn guesses_at_a_secret_fail_alike() {
    let room = workspace();
    room.put(".env", "A=1\nB=2\n");
    let fails = "*** Update File: a.txt\n@@\n-never\n+there";
    let told = async |hunk: &str, more: &str| {
        room.refusal("apply_patch", args(&format!("*** Update File: .env\n@@\n{hunk}\n{more}"))).await
    };
    let right = told("-A=1\n+A=2", fails).await;
    assert_eq!(right, told("-A=9\n+A=2", fails).await);
    assert_eq!(right, told("-A=1\n+A=1", fails).await);
    let mut alone = vec![told("-A=9\n+A=2", "").await, told("-A=1\n+A=1", "").await];
    alone.dedup();
    assert_eq!(alone.len(), 1, "{alone:?}");
}

#[tokio::test]
async fn calls_of_one_answer_build_on_each_other() {
    let room = workspace();
    let replace = |file: &str, old: &str, new: &str| {
        call("replace", json!({ "file_path": file, "old_string": old, "new_string": new }))
    };
    let patch = |text: &str| call("apply_patch", args(text));
    let last = async |calls: &[CallState]| {
        let (last, before) = calls.split_last().unwrap();
        room.toolbox.preview_after(SESSION.parse().unwrap(), &room.root(), last, before, &room.seen_files()).await
    };
    let calls = [
        replace("a.txt", "two", "zwei"),
        patch(
            "*** Update File: a.txt\n@@\n-zwei\n+deux\n*** Update File: old.txt\n*** Move to: new.txt\n*** Delete File: gone.txt",
        ),
        replace("a.txt", "deux", "dos"),
    ];
    let preview = last(&calls).await.unwrap();
    let AskDetails::Edit(diff) = preview.details else { panic!("no edit") };
    assert_eq!((diff.old.as_deref(), diff.new.as_str()), (Some("one\ndeux\nthree\n"), "one\ndos\nthree\n"));
    let after = |call: CallState| [calls[0].clone(), calls[1].clone(), call];
    let misfit = async |call: CallState| last(&after(call)).await.unwrap().misfit;
    assert!(misfit(replace("gone.txt", "bye", "hi")).await.is_some(), "it will be gone");
    assert!(misfit(replace("old.txt", "x", "z")).await.is_some(), "it will have moved");
    let AskDetails::Edit(diff) = last(&after(replace("new.txt", "x", "z"))).await.unwrap().details else {
        panic!("no edit")
    };
    assert_eq!(diff.old.as_deref(), Some("x\ny\n"));
    // What will be gone can be added, and what a person makes of a file is what comes next builds on.
    assert_eq!(misfit(patch("*** Add File: gone.txt\n+back")).await, None);
    let path = room.path("a.txt").display().to_string();
    let edit = Some(AnswerEdit::Files { files: vec![EditedFile { path, new: "mine\n".into() }] });
    let edited = CallState { edit, ..calls[1].clone() };
    let AskDetails::Edit(diff) =
        last(&[calls[0].clone(), edited, replace("a.txt", "mine", "ours")]).await.unwrap().details
    else {
        panic!("no edit")
    };
    assert_eq!(diff.old.as_deref(), Some("mine\n"));
}

#[tokio::test]
async fn a_patch_that_was_shown_on_what_comes_before_runs_after_it() {
    let room = workspace();
    let first = call("replace", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "un" }));
    let second = call("apply_patch", args("*** Update File: a.txt\n@@\n un\n-two\n+deux\n*** Add File: b.txt\n+b"));
    let preview = room
        .toolbox
        .preview_after(
            SESSION.parse().unwrap(),
            &room.root(),
            &second,
            std::slice::from_ref(&first),
            &room.seen_files(),
        )
        .await
        .unwrap();
    assert_eq!(files_of(preview.clone())[0].diff.old.as_deref(), Some("un\ntwo\nthree\n"));
    let asked = CallState { ask: Some(Ask::new(preview.details, vec![])), ..second };
    assert_eq!(room.run_call(&asked).await.0, ToolRunOutcome::Stale, "the call before it has not run");
    success(done(room.run_call(&first).await.0));
    success(done(room.run_call(&asked).await.0));
    assert_eq!(room.get("a.txt"), "un\ndeux\nthree\n");
}

/// The unified diff from one text to the other as our own previews show it.
async fn diff_between(room: &ToolTestWorkspace, old: &str, new: &str) -> String {
    room.put("f.txt", old);
    let preview = room.preview("write_file", json!({ "file_path": "f.txt", "content": new })).await.unwrap();
    match preview.details {
        AskDetails::Edit(diff) => diff.patch,
        other => panic!("no edit: {other:?}"),
    }
}

fn texts() -> impl Strategy<Value = (String, String)> {
    // Few different lines, so that places are ambiguous, and many ends.
    let line =
        prop_oneof![Just("a"), Just("b"), Just("  b"), Just("\tc"), Just(""), Just("-- x"), Just("++ y"), Just("@@ z")];
    let text = (prop::collection::vec(line, 0..14), any::<bool>());
    (text.clone(), text).prop_map(|(old, new)| {
        let join = |(lines, ends): (Vec<&str>, bool)| lines.join("\n") + if ends { "\n" } else { "" };
        (join(old), join(new))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// A patch made of two texts makes the one of the other, or says that it is ambiguous and changes nothing; with a hunk that fails
    /// it changes nothing either.
    #[test]
    fn a_patch_of_two_texts_makes_one_of_the_other((old, new) in texts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let room = ToolTestWorkspace::new();
            prop_assume!(old != new);
            let patch = diff_between(&room, &old, &new).await;
            room.put("g.txt", "untouched\n");
            let failing = format!("{patch}--- g.txt\n+++ g.txt\n@@ -1 +1 @@\n-never there\n+x\n");
            let failing = json!({ "patch": failing });
            let previewed = room.preview("apply_patch", failing.clone()).await;
            prop_assert!(previewed.is_err(), "{previewed:?}");
            match room.run("apply_patch", failing).await {
                CallOutcome::Failed { .. } => {}
                other => prop_assert!(false, "{other:?}"),
            }
            prop_assert_eq!(room.get("f.txt"), old.clone());
            prop_assert_eq!(room.get("g.txt"), "untouched\n");
            match room.run("apply_patch", json!({ "patch": patch })).await {
                CallOutcome::Succeeded { .. } => prop_assert_eq!(room.get("f.txt"), new.clone(), "{}", patch),
                CallOutcome::Failed { error, .. } => {
                    prop_assert_eq!(room.get("f.txt"), old.clone());
                    prop_assert!(error.message.contains("occur") || error.message.contains("nothing says where"), "{}", error.message);
                }
                other => prop_assert!(false, "{other:?}"),
            }
            Ok(())
        })?;
    }
}
