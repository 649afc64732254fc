//! Edits of a file with a protected name that guess what it holds: whether a guess is right shows in nothing.

use crate::test_session::{TestSession, answer, open_call, outcomes, start_session, start_session_with_policy};
use pollux_session::{ApprovalMode, CallOutcome, CallPhase, Command, SessionState};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const SECRET: &str = "API_KEY=sekrit\n";

fn replace(file: &str, old: &str, new: &str) -> Value {
    json!({ "functionCall": { "name": "replace", "args": { "file_path": file, "old_string": old, "new_string": new } } })
}

fn patch(body: &str) -> Value {
    let patch = format!("*** Begin Patch\n{body}\n*** End Patch");
    json!({ "functionCall": { "name": "apply_patch", "args": { "patch": patch } } })
}

fn write(file: &str, content: &str) -> Value {
    json!({ "functionCall": { "name": "write_file", "args": { "file_path": file, "content": content } } })
}

/// Calls that guess that the secret holds `guess`, each an answer of its own.
fn guesses(guess: &str) -> Vec<Vec<Value>> {
    vec![
        vec![replace(".env", guess, "x")],
        vec![replace(".env", "=", guess), replace(".env", guess, guess)],
        vec![patch(&format!("*** Update File: .env\n-API_KEY={guess}\n+x"))],
        vec![patch(&format!("*** Update File: .env\n-API_KEY={guess}\n+x\n*** Update File: a.txt\n-no such line\n+x"))],
        // What becomes of the second call must not tell whether the first one fits.
        vec![
            patch(&format!("*** Update File: .env\n-API_KEY={guess}\n+x\n*** Update File: a.txt\n-one\n+two")),
            replace("a.txt", "two", "three"),
        ],
        vec![write(".env", &format!("API_KEY={guess}\n"))],
        vec![write(".env", &format!("API_KEY={guess}\n")), replace(".env", guess, "x")],
        vec![patch("*** Delete File: .env"), write(".env", guess)],
        vec![
            patch(&format!("*** Update File: .env\n*** Move to: seen.txt\n-API_KEY={guess}\n+{guess}2")),
            replace("seen.txt", "KEY=sekri", "x"),
        ],
    ]
}

async fn start(mode: ApprovalMode, policy: &str, calls: &[Value]) -> TestSession {
    let answers = [answer(&json!(calls)), answer(&json!([{ "text": "done" }]))];
    let session = start_session_with_policy(policy, mode, &answers).await;
    std::fs::write(session.workspace().join(".env"), SECRET).unwrap();
    std::fs::write(session.workspace().join("a.txt"), "one\n").unwrap();
    session.prompt("go").await;
    session
}

/// Each call with how it ends, or that it asks, when nothing but people is waited for.
async fn verdicts(session: &TestSession) -> (SessionState, Vec<String>) {
    let is_settled = |state: &SessionState| state.turn.is_none() || state.only_asks_remain();
    let (state, entries) = session.until(is_settled).await;
    let calls = state.turn.iter().flat_map(|turn| turn.open_calls());
    let asking = calls.filter(|call| matches!(call.phase, CallPhase::Asking { .. })).map(|_| "asks".to_owned());
    let directory = session.workspace().parent().unwrap().display().to_string();
    let ended = outcomes(&entries).into_iter().map(|outcome| json!(outcome).to_string().replace(&directory, ""));
    let seen = ended.chain(asking).collect();
    (state, seen)
}

#[tokio::test]
async fn a_right_guess_and_a_wrong_one_look_the_same() {
    let denied = "[[rule]]\ntoolName = [\"replace\", \"apply_patch\"]\ndecision = \"deny\"\npriority = 500\n";
    for (mode, policy) in [
        (ApprovalMode::Plan, ""),
        (ApprovalMode::Default, ""),
        (ApprovalMode::AutoEdit, ""),
        (ApprovalMode::Default, denied),
    ] {
        for (right, wrong) in guesses("sekrit").into_iter().zip(guesses("sesame")) {
            let session = start(mode, policy, &right).await;
            let (_, of_right) = verdicts(&session).await;
            let session = start(mode, policy, &wrong).await;
            let (_, of_wrong) = verdicts(&session).await;
            assert_eq!(of_right, of_wrong, "{mode:?} {policy} {right:?}");
            assert!(!of_right.is_empty() && !of_right.join("").contains("sekrit"), "{mode:?} {of_right:?}");
        }
    }
}

/// What the model wrote there itself, it knows, unless somebody has changed it since: that is not told either.
#[tokio::test]
async fn whether_a_secret_has_changed_shows_in_no_verdict() {
    let mut seen = Vec::new();
    for content in ["API_KEY=sesame\n", SECRET] {
        let write = || answer(&json!([write("later/.env", "API_KEY=sesame\n")]));
        let done = || answer(&json!([{ "text": "done" }]));
        let session = start_session(ApprovalMode::AutoEdit, &[write(), done(), write(), done()]).await;
        session.prompt("go").await;
        session.rest().await;
        std::fs::write(session.workspace().join("later/.env"), content).unwrap();
        session.prompt("again").await;
        let (_, of_both) = verdicts(&session).await;
        assert_eq!(of_both.last().map(String::as_str), Some("asks"));
        seen.push(of_both);
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn what_does_not_fit_a_secret_is_told_once_a_person_allows_it() {
    let session = start(ApprovalMode::Default, "", &[replace(".env", "sesame", "x")]).await;
    let (state, _) = session.until(SessionState::only_asks_remain).await;
    let call = open_call(&state);
    let shown = json!(state.turn.unwrap().calls[&call].ask).to_string();
    assert!(shown.contains("does not fit") && shown.contains("`.env` has a protected name"), "{shown}");
    session.send(Command::Answer { call, option: "proceed_once".into(), edit: None }).await;
    let (_, entries) = session.rest().await;
    let told = json!(outcomes(&entries)).to_string();
    assert!(told.contains("edit_preparation_failure") && !told.contains("sekrit"), "{told}");
}

/// A file that has come to fit since then was not shown: it asks again, with the change.
#[tokio::test]
async fn what_was_shown_as_not_fitting_is_not_written() {
    for call in [replace(".env", "sesame", "x"), patch("*** Update File: .env\n-sesame\n+x")] {
        let session = start(ApprovalMode::Default, "", &[call]).await;
        let (state, _) = session.until(SessionState::only_asks_remain).await;
        let call = open_call(&state);
        std::fs::write(session.workspace().join(".env"), "sesame\n").unwrap();
        session.send(Command::Answer { call, option: "proceed_once".into(), edit: None }).await;
        let (_, entries) = session.until(|state| state.only_asks_remain() && open_call(state) != call).await;
        assert!(outcomes(&entries).contains(&CallOutcome::Superseded));
        assert_eq!(std::fs::read_to_string(session.workspace().join(".env")).unwrap(), "sesame\n");
    }
}

#[tokio::test]
async fn an_ordinary_file_tells_what_does_not_fit() {
    let calls = answer(&json!([replace("a.txt", "two", "x")]));
    let session = start_session(ApprovalMode::Default, &[calls, answer(&json!([{ "text": "done" }]))]).await;
    std::fs::write(session.workspace().join("a.txt"), "one\n").unwrap();
    session.prompt("go").await;
    let (_, entries) = session.rest().await;
    assert!(json!(outcomes(&entries)).to_string().contains("does not occur in `a.txt`"));
}
