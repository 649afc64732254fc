//! The calls of one answer take effect in the order in which the model made them.

use crate::test_session::{TestSession, answer, outcomes, start_session};
use pollux_session::{
    ApprovalMode, CallId, CallOutcome, CallPhase, Command, Entry, Event, SessionSetting, SessionState, TurnOutcome,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn calls(calls: &[Value]) -> Value {
    answer(&calls.iter().map(|call| json!({ "functionCall": call })).collect())
}

fn replace(file: &str, old: &str, new: &str) -> Value {
    json!({ "name": "replace", "args": { "file_path": file, "old_string": old, "new_string": new } })
}

fn write(file: &str, content: &str) -> Value {
    json!({ "name": "write_file", "args": { "file_path": file, "content": content } })
}

fn read(file: &str) -> Value {
    json!({ "name": "read_file", "args": { "file_path": file } })
}

fn shell(command: &str) -> Value {
    json!({ "name": "run_shell_command", "args": { "command": command } })
}

fn done() -> Value {
    answer(&json!([{ "text": "done" }]))
}

/// What the model is told of each call, in the order in which it made them.
fn told(entries: &[Arc<Entry>]) -> Vec<String> {
    let mut order: Vec<CallId> = Vec::new();
    let mut told: BTreeMap<CallId, String> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Called { replaces, .. } => match replaces.and_then(|old| order.iter().position(|id| *id == old)) {
                Some(place) => order[place] = CallId(entry.seq),
                None => order.push(CallId(entry.seq)),
            },
            Event::CallEnded { call, outcome } => {
                let text = match outcome {
                    CallOutcome::Succeeded { result } => result.text.clone(),
                    other => format!("{other:?}"),
                };
                told.insert(*call, text);
            }
            _ => {}
        }
    }
    order.iter().filter_map(|id| told.get(id).cloned()).collect()
}

/// Allow what is asked, until the turn is over: the oldest ask first, or the youngest. Returns how often it was asked.
async fn allow_all(session: &TestSession, oldest_first: bool) -> usize {
    let mut asked = 0;
    loop {
        let (state, _) = session.until(|state| state.turn.is_none() || state.only_asks_remain()).await;
        let Some(turn) = &state.turn else { return asked };
        let open =
            || turn.open_calls().filter(|call| matches!(call.phase, CallPhase::Asking { .. })).map(|call| call.id);
        let Some(next) = (if oldest_first { open().next() } else { open().last() }) else { return asked };
        asked += 1;
        session.send(Command::Answer { call: next, option: "proceed_once".into(), edit: None }).await;
    }
}

#[tokio::test]
async fn a_read_after_an_edit_sees_it_and_a_command_waits_for_the_edits_before_it() {
    let step = calls(&[
        replace("a.txt", "one", "two"),
        read("a.txt"),
        write("g.txt", "alpha\n"),
        replace("g.txt", "alpha", "beta"),
        shell("cat a.txt g.txt; echo three >> a.txt"),
        replace("a.txt", "three", "four"),
        read("a.txt"),
    ]);
    let session = start_session(ApprovalMode::Yolo, &[step, done()]).await;
    std::fs::write(session.workspace().join("a.txt"), "one\n").unwrap();
    session.prompt("go").await;
    let (_, entries) = session.rest().await;
    let told = told(&entries);
    assert!(told[1].contains("two"), "{told:?}");
    assert!(told[4].contains("two\nbeta"), "{told:?}");
    assert!(told[6].contains("two\n") && told[6].contains("four"), "{told:?}");
    assert_eq!(std::fs::read_to_string(session.workspace().join("a.txt")).unwrap(), "two\nfour\n");
    assert_eq!(std::fs::read_to_string(session.workspace().join("g.txt")).unwrap(), "beta\n");
}

#[tokio::test]
async fn five_edits_of_one_file_need_five_approvals_whoever_answers_in_which_order() {
    for oldest_first in [true, false] {
        let names = ["one", "two", "three", "four", "five"];
        let edits: Vec<Value> = names.iter().map(|name| replace("a.txt", name, &name.to_uppercase())).collect();
        let session = start_session(ApprovalMode::Default, &[calls(&edits), done()]).await;
        std::fs::write(session.workspace().join("a.txt"), names.join("\n")).unwrap();
        session.prompt("go").await;
        assert_eq!(allow_all(&session, oldest_first).await, 5);
        let (_, entries) = session.rest().await;
        assert!(outcomes(&entries).iter().all(|outcome| matches!(outcome, CallOutcome::Succeeded { .. })));
        let now = std::fs::read_to_string(session.workspace().join("a.txt")).unwrap();
        assert_eq!(now, names.join("\n").to_uppercase());
    }
}

#[tokio::test]
async fn an_edit_of_a_file_that_a_command_will_make_is_judged_after_the_command() {
    let step = calls(&[shell("echo made > m.txt"), replace("m.txt", "made", "mended"), write("n.txt", "new\n")]);
    let session = start_session(ApprovalMode::Default, &[step, done()]).await;
    session.prompt("go").await;
    // The command and the new file ask at once; what depends on the command asks after it.
    assert_eq!(allow_all(&session, true).await, 3);
    let (state, entries) = session.rest().await;
    assert_eq!(state.ended.and_then(|task| state.tasks[&task].last.clone()), Some(TurnOutcome::Rested));
    assert!(outcomes(&entries).iter().all(|outcome| matches!(outcome, CallOutcome::Succeeded { .. })), "{entries:?}");
    assert_eq!(std::fs::read_to_string(session.workspace().join("m.txt")).unwrap(), "mended\n");
}

#[tokio::test]
async fn an_edit_that_never_fits_fails_when_the_calls_before_it_are_over() {
    let step = calls(&[write("a.txt", "one\n"), replace("a.txt", "nothing", "x"), read("a.txt")]);
    let session = start_session(ApprovalMode::Default, &[step, done()]).await;
    session.prompt("go").await;
    assert_eq!(allow_all(&session, true).await, 1);
    let (_, entries) = session.rest().await;
    let told = told(&entries);
    assert!(told[1].contains("edit_no_occurrence_found") && told[2].contains("one"), "{told:?}");
}

#[tokio::test]
async fn after_a_no_no_later_call_that_nobody_was_asked_about_changes_anything() {
    let step = calls(&[write("a.txt", "a\n"), read("b.txt"), write("c.txt", "c\n")]);
    let session = start_session(ApprovalMode::Default, &[step, done()]).await;
    std::fs::write(session.workspace().join("b.txt"), "b\n").unwrap();
    session.prompt("go").await;
    let (state, _) = session.until(SessionState::only_asks_remain).await;
    let asks: Vec<CallId> = state.turn.as_ref().unwrap().open_calls().map(|call| call.id).collect();
    session.send(Command::Answer { call: asks[0], option: "cancel".into(), edit: None }).await;
    session.send(Command::Answer { call: asks[2], option: "proceed_once".into(), edit: None }).await;
    session.rest().await;
    assert!(!session.workspace().join("a.txt").exists());
    assert!(session.workspace().join("c.txt").exists(), "what a person allowed runs");
}

fn patch(files: &str) -> Value {
    json!({ "name": "apply_patch", "args": { "patch": format!("*** Begin Patch\n{files}\n*** End Patch") } })
}

#[tokio::test]
async fn a_patch_stands_in_the_order_of_its_answer_and_asks_once() {
    for oldest_first in [true, false] {
        let step = calls(&[
            read("b.txt"),
            read("gone.txt"),
            replace("a.txt", "one", "two"),
            patch(
                "*** Update File: a.txt\n@@\n-two\n+three\n*** Add File: n.txt\n+new\n*** Delete File: gone.txt\n*** Update File: b.txt\n*** Move to: c.txt",
            ),
            replace("a.txt", "three", "four"),
            replace("c.txt", "bee", "wasp"),
            replace("gone.txt", "x", "y"),
        ]);
        let session = start_session(ApprovalMode::Default, &[step, done()]).await;
        let root = session.workspace();
        for (name, text) in [("a.txt", "one\n"), ("b.txt", "bee\n"), ("gone.txt", "x\n")] {
            std::fs::write(root.join(name), text).unwrap();
        }
        session.prompt("go").await;
        assert_eq!(allow_all(&session, oldest_first).await, 4);
        let (_, entries) = session.rest().await;
        let told = told(&entries);
        assert!(told[6].contains("file_not_found"), "{told:?}");
        let expected = [("a.txt", "four\n"), ("c.txt", "wasp\n"), ("n.txt", "new\n")];
        assert_eq!(files(&root), expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    }
}

/// Any calls, a few to a file, that read, edit and run.
fn any_calls(random: &mut fastrand::Rng) -> Vec<Value> {
    let words = ["ant", "bee", "cat"];
    let mut word = {
        let mut words_random = fastrand::Rng::with_seed(random.u64(..));
        move || words[words_random.usize(..words.len())]
    };
    let count = random.usize(2..8);
    let mut calls = Vec::new();
    for _ in 0..count {
        let file = ["a.txt", "b.txt", "c.txt"][random.usize(..3)];
        calls.push(match random.u8(..11) {
            0..3 => replace(file, word(), word()),
            8 => patch(&format!("*** Update File: {file}\n@@\n-{}\n+{}", word(), word())),
            9 => patch(&format!("*** Delete File: {file}\n*** Add File: d.txt\n+{}", word())),
            10 => patch(&format!("*** Update File: {file}\n*** Move to: d.txt\n@@\n {}\n+{}", word(), word())),
            3 => write(file, &format!("{}\n{}\n", word(), word())),
            4 | 5 => read(file),
            6 => shell(&format!("cat {file} | tr -d x; echo {} >> {file}", word())),
            _ => shell(&format!("rm -f {file}")),
        });
    }
    calls
}

/// What the model is told, and every file, when all is over.
async fn played(mode: ApprovalMode, steps: &[Value], oldest_first: bool) -> (Vec<String>, BTreeMap<String, String>) {
    let session = start_session(mode, steps).await;
    let root = session.workspace();
    std::fs::write(root.join("a.txt"), "ant\nbee\n").unwrap();
    std::fs::write(root.join("b.txt"), "cat\n").unwrap();
    session.prompt("go").await;
    allow_all(&session, oldest_first).await;
    let (_, entries) = session.rest().await;
    (told(&entries).into_iter().map(|text| without_root(&text, &root)).collect(), files(&root))
}

fn without_root(text: &str, root: &Path) -> String {
    text.replace(&root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string(), "ROOT")
}

fn files(root: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(root).unwrap().map(|file| file.unwrap().path());
    files.map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).map(file_name_only).collect()
}

fn file_name_only((path, content): (String, String)) -> (String, String) {
    (path.rsplit('/').next().unwrap_or_default().to_owned(), content)
}

/// Reads, edits and commands of one answer give the same files and the same results as the same calls one after the other,
/// in every mode and in whichever order a person answers.
#[tokio::test]
async fn one_answer_of_many_calls_is_as_good_as_many_answers_of_one() {
    for seed in 0..24 {
        let mut random = fastrand::Rng::with_seed(seed);
        let wanted = any_calls(&mut random);
        let one_by_one: Vec<Value> =
            wanted.iter().map(|call| calls(std::slice::from_ref(call))).chain([done()]).collect();
        let expected = played(ApprovalMode::Yolo, &one_by_one, true).await;
        let at_once = [calls(&wanted), done()];
        for (mode, oldest_first) in
            [(ApprovalMode::Yolo, true), (ApprovalMode::Default, true), (ApprovalMode::Default, false)]
        {
            let got = played(mode, &at_once, oldest_first).await;
            assert_eq!(got, expected, "seed {seed}, {mode:?}, oldest first: {oldest_first}, {wanted:#?}");
        }
    }
}

/// A yes of a person does not outlive the switch to a mode in which nothing is changed, nor a rule that denies the call by then.
#[tokio::test]
async fn what_was_allowed_and_still_waits_is_not_done_once_it_is_forbidden() {
    let step = calls(&[shell("touch first"), shell("touch second"), write("third", "x")]);
    let denied =
        "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\ndecision = \"deny\"\npriority = 900\n";
    for (rule, wanted) in [("", [false, false, false]), (denied, [false, false, true])] {
        let session = start_session(ApprovalMode::Default, &[step.clone(), done(), done()]).await;
        session.prompt("go").await;
        let (state, _) = session.until(|state| asking(state).len() == 3).await;
        let asks = asking(&state);
        for call in &asks[1..] {
            session.send(Command::Answer { call: *call, option: "proceed_once".into(), edit: None }).await;
        }
        if rule.is_empty() {
            session.send(Command::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) }).await;
        } else {
            std::fs::write(session.dir.path().join("policies/own.toml"), rule).unwrap();
            session.send(Command::Answer { call: asks[0], option: "proceed_once".into(), edit: None }).await;
        }
        session.until(|state| state.turn.is_none()).await;
        let exists = ["first", "second", "third"].map(|file| session.workspace().join(file).exists());
        assert_eq!(exists, wanted, "{rule}");
    }
}

fn asking(state: &SessionState) -> Vec<CallId> {
    state.turn.iter().flat_map(|turn| turn.asking_calls()).map(|call| call.id).collect()
}
