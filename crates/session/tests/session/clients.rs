//! Rights, fingerprints and ids: what a client may send and what it is told.

use crate::harness::{SessionHarness, somebody, task};
use pollux_session::{
    AnswerEdit, ApprovalMode, CallId, CancelScope, Command, CommandFingerprint, CommandId, ContextId, Grant, PromptId,
    PromptTarget, Refusal, ReplyScope, Right, Rights, Seq, SessionId, SessionSetting, TaskKind, Who,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use uuid::Uuid;

#[test]
fn every_command_needs_its_right() {
    let prompt = PromptId(Seq(1));
    let (text, media, parts) = ("hi".into(), Vec::new(), Vec::new());
    let reply = Command::Reply {
        task: task(0),
        scope: ReplyScope::Task,
        text,
        media,
        dialect: None,
        parts,
        shared_asks: vec![],
    };
    let table = [
        (Right::Prompt, Command::prompt(PromptTarget::Existing { task: task(0) }, "hi")),
        (Right::Prompt, reply),
        (Right::Prompt, Command::OpenTask { task: task(1), kind: TaskKind::OpenEnded, edge: Value::Null }),
        (Right::Prompt, Command::Cancel { scope: CancelScope::Turn }),
        (Right::Prompt, Command::Cancel { scope: CancelScope::Task { task: task(0) } }),
        (Right::Prompt, Command::Unqueue { prompt }),
        (Right::Prompt, Command::Requeue { prompt, text: "hi".into() }),
        (Right::Prompt, Command::Release),
        (Right::Prompt, Command::Compact),
        (Right::Prompt, Command::Uncompact),
        (Right::Prompt, Command::Set { setting: SessionSetting::Model("m".into()) }),
        (Right::Approve, Command::Answer { call: CallId(Seq(1)), option: "cancel".into(), edit: None }),
        (Right::Approve, Command::Deny { call: CallId(Seq(1)) }),
        (Right::Approve, Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) }),
        (Right::Approve, Command::Set { setting: SessionSetting::WithoutGrant(Grant::FileChanges) }),
    ];
    for (right, command) in table {
        let others = [Right::Observe, Right::Prompt, Right::Approve].into_iter().filter(|other| *other != right);
        let lacking = Who { rights: Rights::of(others), ..somebody("eve") };
        let mut harness = SessionHarness::new();
        let refused = harness.send_as(lacking, "m", command.clone());
        assert_eq!(refused, Err(Refusal::NotAllowed { right }), "{command:?}");
        let having = Who { rights: Rights::of([right]), ..somebody("ann") };
        let taken = harness.send_as(having, "m", command.clone());
        assert!(!matches!(taken, Err(Refusal::NotAllowed { .. })), "{command:?}");
    }
}

#[test]
fn a_retry_without_the_right_is_refused_all_the_same() {
    let command = Command::prompt(PromptTarget::Existing { task: task(0) }, "hi");
    let mut harness = SessionHarness::new();
    harness.send_as(somebody("ann"), "m", command.clone()).unwrap();
    let watcher = Who { rights: Rights::of([Right::Observe]), ..somebody("eve") };
    assert_eq!(harness.send_as(watcher, "m", command), Err(Refusal::NotAllowed { right: Right::Prompt }));
}

#[test]
fn fingerprints_tell_commands_apart() {
    let id = |id: &str| CommandId(id.into());
    let say = |target, text: &str| Command::prompt(target, text);
    let existing = |n| PromptTarget::Existing { task: task(n) };
    let new = |n, kind| PromptTarget::New { task: task(n), kind, edge: Value::Null };
    let answer = |call, option: &str, edit| Command::Answer { call: CallId(Seq(call)), option: option.into(), edit };
    let different = [
        CommandFingerprint::of(&id("a"), &say(existing(0), "b")),
        CommandFingerprint::of(&id("ab"), &say(existing(0), "")),
        CommandFingerprint::of(&id("a"), &say(existing(1), "b")),
        CommandFingerprint::of(&id("a"), &say(new(1, TaskKind::OpenEnded), "b")),
        CommandFingerprint::of(&id("a"), &say(new(1, TaskKind::Once), "b")),
        CommandFingerprint::of(&id("a"), &answer(1, "b", None)),
        CommandFingerprint::of(&id("a"), &answer(2, "b", None)),
        CommandFingerprint::of(&id("a"), &answer(1, "c", None)),
        CommandFingerprint::of(&id("a"), &answer(1, "b", Some(AnswerEdit::Content { new: "b".into() }))),
        CommandFingerprint::of(&id("a"), &answer(1, "b", Some(AnswerEdit::Answers { answers: json!({"new": "b"}) }))),
        CommandFingerprint::of(&id("a"), &Command::Compact),
        CommandFingerprint::of(&id("a"), &Command::Uncompact),
        CommandFingerprint::of(&id("a"), &Command::Set { setting: SessionSetting::Model("plan".into()) }),
        CommandFingerprint::of(&id("a"), &Command::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) }),
    ];
    for (n, one) in different.iter().enumerate() {
        assert_eq!(different.iter().position(|other| other == one), Some(n));
        assert_eq!(one.0.len(), 32);
    }
    assert_eq!(
        CommandFingerprint::of(&id("a"), &say(new(1, TaskKind::Once), "b")),
        CommandFingerprint::of(&id("a"), &say(new(2, TaskKind::Once), "b")),
    );
}

#[test]
fn ids_are_read_back_from_their_text() {
    let call = CallId(Seq(42));
    assert_eq!(call.to_string(), "call-42");
    assert_eq!("call-42".parse(), Ok(call));
    for wrong in ["call-", "call-0", "call-042", "call-+42", "call--1", "turn-42", "42", "call-99999999999999999999"] {
        assert_eq!(wrong.parse::<CallId>(), Err(()), "{wrong}");
    }
    let session = SessionId(Uuid::from_u128(7));
    assert_eq!(session.to_string().parse(), Ok(session));
    assert_eq!(session.main_task(), task(7));
}

#[test]
fn a_context_is_short_printable_text() {
    let longest = "é".repeat(128);
    assert_eq!(ContextId::new(&longest).as_ref().map(ContextId::as_str), Some(longest.as_str()));
    for wrong in [String::new(), "é".repeat(129), "a\nb".into(), "a\0".into()] {
        assert_eq!(ContextId::new(&wrong), None);
    }
}
