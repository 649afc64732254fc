//! Whole turns: the real host, store, tools and policy, with scripted answers.

use crate::test_session::{answer, call, open_call, outcomes, start_session, start_session_with_policy};
use pollux_session::{
    AnswerEdit, ApprovalMode, CallOutcome, CancelScope, Command, Event, SessionState, TaskStatus, Transcript,
    TurnOutcome,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::Path;

#[tokio::test(start_paused = true)]
async fn a_model_that_is_faster_than_the_log_is_held_back() {
    let chunk = |text: &str| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]});
    // Text that does not repeat itself: a model that does is stopped.
    let text =
        |n: u32| (0..512).map(|k| format!("{:08x}", (n * 512 + k).wrapping_mul(2_654_435_761))).collect::<String>();
    let mut chunks: Vec<Value> = (0..256).map(|n| chunk(&text(n))).collect();
    chunks.push(json!({"candidates": [{"finishReason": "STOP"}]}));
    let scene =
        start_session(ApprovalMode::Default, &[json!({"method": "generateContentStream", "response": chunks})]).await;
    scene.prompt("talk").await;
    let (_, entries) = scene.rest().await;
    let pieces: Vec<usize> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Said { text, .. } | Event::Piece { text, .. } => Some(text.len()),
            _ => None,
        })
        .collect();
    assert_eq!(pieces.iter().sum::<usize>(), 1024 * 1024);
    assert!(pieces.iter().all(|piece| *piece <= 64 * 1024 + 4096), "an entry has no bound: {pieces:?}");
}

#[tokio::test]
async fn a_file_is_written_after_approval_with_the_edit_a_person_made() {
    let scene = start_session(
        ApprovalMode::Default,
        &[
            answer(&call("write_file", &json!({"file_path": "hello.txt", "content": "hello\n"}))),
            answer(&json!([{"text": "written"}])),
        ],
    )
    .await;
    scene.prompt("write hello").await;
    let (state, _) = scene.until(SessionState::only_asks_remain).await;
    assert!(!scene.workspace().join("hello.txt").exists());
    let edit = Some(AnswerEdit::Content { new: "edited\n".into() });
    scene.send(Command::Answer { call: open_call(&state), option: "proceed_once".into(), edit }).await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert_eq!(std::fs::read_to_string(scene.workspace().join("hello.txt")).unwrap(), "edited\n");
    assert!(matches!(outcomes(&entries)[..], [CallOutcome::Succeeded { .. }]));
}

#[tokio::test]
async fn plan_mode_is_left_only_from_within_and_entered_only_from_outside() {
    let cases = [
        (ApprovalMode::Default, call("exit_plan_mode", &json!({"plan": "1. Do it."})), "you are not in plan mode"),
        (ApprovalMode::Plan, call("enter_plan_mode", &json!({})), "you are in plan mode already"),
    ];
    for (mode, wanted, why) in cases {
        let scene = start_session(mode, &[answer(&wanted), answer(&json!([{"text": "oh"}]))]).await;
        scene.prompt("go").await;
        let (state, entries) = scene.rest().await;
        assert_eq!(state.mode, mode, "nothing was asked and nothing changed");
        let [CallOutcome::Failed { error, .. }] = &outcomes(&entries)[..] else { panic!("{entries:?}") };
        assert!(error.message.starts_with(why), "{error:?}");
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test makes a repository with git itself")]
async fn an_ask_says_that_it_is_for_want_of_trust_and_only_then() {
    for (command, is_for_trust) in [("git status", true), ("git commit -m x", false), ("touch x", false)] {
        let wanted = answer(&call("run_shell_command", &json!({"command": command})));
        let scene = start_session(ApprovalMode::Default, &[wanted]).await;
        let made = std::process::Command::new("git").args(["init", "-q"]).current_dir(scene.workspace()).status();
        assert!(made.unwrap().success());
        scene.prompt("go").await;
        let (state, _) = scene.until(SessionState::only_asks_remain).await;
        let reason = state.turn.as_ref().unwrap().open_calls().next().unwrap().ask.as_ref().unwrap().reason.clone();
        let says_so = reason.is_some_and(|reason| reason.contains("you do not trust this folder; `pollux trust`"));
        assert_eq!(says_so, is_for_trust, "{command}");
    }
}

#[tokio::test]
async fn an_argument_that_the_model_invents_allows_nothing() {
    let rules = r#"
        [[rule]]
        toolName = "run_shell_command"
        argsPattern = 'npm test'
        decision = "allow"
        priority = 500

        [[rule]]
        toolName = ["write_file", "replace"]
        argsPattern = '"file_path":"docs/|docs/x.md for'
        decision = "allow"
        priority = 500
    "#;
    let invented = [
        ("run_shell_command", json!({"command": "touch p", "zzz": {"command": "npm test"}})),
        ("run_shell_command", json!({"command": "touch p", "description": "npm test"})),
        ("write_file", json!({"file_path": "p", "content": "", "zzz": {"file_path": "docs/x.md"}})),
        ("replace", json!({"file_path": "p", "old_string": "", "new_string": "x", "instruction": "docs/x.md for"})),
    ];
    for (tool, args) in invented {
        let scene = start_session_with_policy(rules, ApprovalMode::Default, &[answer(&call(tool, &args))]).await;
        scene.prompt("go").await;
        // A call with an argument that no tool has fails, and nobody is asked.
        scene.until(|state| state.only_asks_remain() || matches!(state.session_status(), TaskStatus::Resting(_))).await;
        assert!(!scene.workspace().join("p").exists(), "{tool} {args}");
    }
    let allowed = json!({"file_path": "docs/x.md", "content": ""});
    let answers = [answer(&call("write_file", &allowed)), answer(&json!([{"text": "done"}]))];
    let scene = start_session_with_policy(rules, ApprovalMode::Default, &answers).await;
    scene.prompt("go").await;
    scene.rest().await;
    assert!(scene.workspace().join("docs/x.md").exists());
}

#[tokio::test]
async fn a_file_that_appears_behind_the_ask_is_left_as_it_is() {
    let scene = start_session(
        ApprovalMode::Default,
        &[
            answer(&call("write_file", &json!({"file_path": "a.txt", "content": "mine\n"}))),
            answer(&json!([{"text": "written"}])),
        ],
    )
    .await;
    scene.prompt("write").await;
    let (state, _) = scene.until(SessionState::only_asks_remain).await;
    let first = open_call(&state);
    std::fs::write(scene.workspace().join("a.txt"), "somebody else's\n").unwrap();
    scene.send(Command::Answer { call: first, option: "proceed_once".into(), edit: None }).await;
    let (_, entries) = scene.rest().await;
    let [CallOutcome::Failed { error, .. }] = &outcomes(&entries)[..] else { panic!("{entries:?}") };
    assert_eq!(error.kind, "file_not_seen");
    assert_eq!(std::fs::read_to_string(scene.workspace().join("a.txt")).unwrap(), "somebody else's\n");
}

/// What the model has seen is in the log: it counts in the next turn, and whatever the conversation has become since.
#[tokio::test]
async fn a_file_is_replaced_only_as_the_model_has_seen_it() {
    let write = |content: &str| answer(&call("write_file", &json!({"file_path": "a.txt", "content": content})));
    let done = || answer(&json!([{"text": "done"}]));
    let read = answer(&call("read_file", &json!({"file_path": "a.txt"})));
    // The script begins anew when the conversation does.
    let steps = [write("1\n"), read, done(), write("2\n"), done()];
    let scene = start_session(ApprovalMode::Yolo, &steps).await;
    let file = scene.workspace().join("a.txt");
    std::fs::write(&file, "mine\n").unwrap();
    for (prompt, expected) in
        [("unseen, then read", "mine\n"), ("seen in the turn before", "2\n"), ("/clear", "2\n"), ("its own", "1\n")]
    {
        scene.prompt(prompt).await;
        scene.rest().await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), expected, "{prompt}");
    }
    std::fs::write(&file, "1\nmine\n").unwrap();
    scene.prompt("changed since").await;
    let (_, entries) = scene.rest().await;
    let failures: Vec<_> = outcomes(&entries)
        .into_iter()
        .filter_map(|outcome| match outcome {
            CallOutcome::Failed { error, .. } => Some(error),
            _ => None,
        })
        .collect();
    let kinds: Vec<&str> = failures.iter().map(|error| error.kind.as_str()).collect();
    assert_eq!(kinds, ["file_not_seen", "file_changed"]);
    assert!(failures[1].message.contains("+mine"), "{failures:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "1\nmine\n");
}

#[tokio::test]
async fn a_file_that_the_prompt_mentions_has_been_seen() {
    for (prompt, expected) in [("sort @a.txt", "new\n"), ("sort a.txt", "mine\n")] {
        let write = call("write_file", &json!({"file_path": "a.txt", "content": "new\n"}));
        let scene = start_session(ApprovalMode::Yolo, &[answer(&write), answer(&json!([{"text": "done"}]))]).await;
        std::fs::write(scene.workspace().join("a.txt"), "mine\n").unwrap();
        scene.prompt(prompt).await;
        scene.rest().await;
        assert_eq!(std::fs::read_to_string(scene.workspace().join("a.txt")).unwrap(), expected, "{prompt}");
    }
}

#[tokio::test]
async fn yolo_runs_a_command_and_the_model_sees_its_output() {
    let expect = json!({"toolResults": []});
    let mut last = answer(&json!([{"text": "it said hi"}]));
    last["expect"] = expect;
    let scene = start_session(
        ApprovalMode::Yolo,
        &[answer(&call("run_shell_command", &json!({"command": "echo hi; exit 3"}))), last],
    )
    .await;
    scene.prompt("run it").await;
    let (_, entries) = scene.rest().await;
    let [CallOutcome::Succeeded { result }] = &outcomes(&entries)[..] else { panic!("{entries:?}") };
    assert_eq!(result.exit_code, Some(3));
    assert!(result.text.contains("hi"), "{}", result.text);
    let printed = entries.iter().any(|entry| matches!(&entry.event, Event::Output { text, .. } if text == "hi\n"));
    assert!(printed);
}

#[tokio::test]
async fn cancelling_kills_what_a_command_started() {
    let sleeper = "sleep 1000 & echo $! > pid; wait";
    let scene =
        start_session(ApprovalMode::Yolo, &[answer(&call("run_shell_command", &json!({"command": sleeper})))]).await;
    scene.prompt("run it").await;
    let pid_file = scene.workspace().join("pid");
    let pid = loop {
        match std::fs::read_to_string(&pid_file).unwrap_or_default().trim().parse::<u32>() {
            Ok(pid) => break pid,
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
        }
    };
    scene.send(Command::Cancel { scope: CancelScope::Turn }).await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
    assert_eq!(outcomes(&entries), vec![CallOutcome::Cancelled]);
    while is_running(pid) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

fn is_running(pid: u32) -> bool {
    // A zombie that nobody has waited for yet is not running any more.
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_retried_visibly_and_never_repeated() {
    let mut cut = answer(&json!([{"text": "half an "}]));
    cut["response"][0]["candidates"][0].as_object_mut().unwrap().remove("finishReason");
    cut["cut"] = json!("reset");
    // The script counts model turns, and the cut answer is one of them.
    let scene = start_session(ApprovalMode::Default, &[cut, answer(&json!([{"text": "answer"}]))]).await;
    scene.prompt("go").await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert!(entries.iter().any(|entry| matches!(entry.event, Event::Retrying { attempt: 2, .. })));
    let said: String = Transcript::fold(entries.iter().map(AsRef::as_ref))
        .lines()
        .filter_map(|line| match line {
            pollux_session::TranscriptLine::Item { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(said, "half an answer");
}

#[tokio::test]
async fn a_model_that_refuses_ends_the_turn_in_words() {
    let refused = json!({"method": "generateContentStream", "response": [], "http": {"status": 400},
        "error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}});
    let scene = start_session(ApprovalMode::Default, &[refused]).await;
    scene.prompt("go").await;
    let (state, _) = scene.rest().await;
    let TaskStatus::Resting(TurnOutcome::Failed { failure }) = state.session_status() else { panic!("{state:?}") };
    assert!(failure.message.contains("API key not valid"), "{}", failure.message);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_told_to_the_model_which_goes_on() {
    let scene = start_session(
        ApprovalMode::Default,
        &[answer(&call("teleport", &json!({}))), answer(&json!([{"text": "never mind"}]))],
    )
    .await;
    scene.prompt("go").await;
    let (state, entries) = scene.rest().await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    let [CallOutcome::Failed { error, .. }] = &outcomes(&entries)[..] else { panic!("{entries:?}") };
    assert_eq!(error.kind, "tool_not_registered");
}
