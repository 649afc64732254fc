//! Random moves: every command a seat can send and every report a runner can make, owed or long past.

use crate::harness::{SessionHarness, ask_about, fragment, made, somebody, task};
use pollux_session::{
    AnswerEdit, ApprovalMode, BlobRef, CallError, CallOutcome, CallPhase, CallResult, CancelScope, Command, Effect,
    Event, ItemKind, MediaContent, PolicyVerdict, PromptId, PromptTarget, Report, SeenFile, Seq, SessionSetting,
    TaskKind, ToolKind,
};
use pollux_session::{CallId, ModelUsage, NewCall, TurnFailure};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// One input.
#[derive(Clone, Debug)]
pub(crate) enum LawInput {
    Command {
        seat: u8,
        id: u8,
        wish: ClientIntent,
    },
    /// A report about work that is owed now; in an idle session, a prompt.
    Work {
        which: Index,
        how: u8,
        text: String,
    },
    /// A report about work that may never have been owed, or not any more.
    Late {
        seq: Index,
        how: u8,
        text: String,
    },
    Wake {
        model: u8,
    },
    Tick {
        ms: u16,
    },
}

/// A request of a client; what it names is chosen among the entries there are.
#[derive(Clone, Debug)]
pub(crate) enum ClientIntent {
    Prompt { task: u8, known: bool, once: bool, text: String, files: u8 },
    Answer { seq: Index, newest: bool, option: u8, edit: Option<String>, answers: bool },
    Deny { seq: Index, newest: bool },
    Cancel,
    CancelTask { task: u8 },
    Set { mode: u8 },
    SetModel { model: u8 },
    Compact,
    Uncompact,
    Unqueue { seq: Index },
    Requeue { seq: Index, text: String },
    Release,
}

/// Text with NUL, emoji and everything else a string may hold.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter)
}

/// Any JSON, not too deep.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Mostly work that is owed, so that sessions get somewhere.
pub(crate) fn moves() -> impl Strategy<Value = LawInput> {
    let command = (0..4_u8, any::<u8>(), wishes()).prop_map(|(seat, id, wish)| LawInput::Command { seat, id, wish });
    let work = || (any::<Index>(), any::<u8>(), any_text());
    prop_oneof![
        8 => command,
        20 => work().prop_map(|(which, how, text)| LawInput::Work { which, how, text }),
        3 => work().prop_map(|(seq, how, text)| LawInput::Late { seq, how, text }),
        1 => (0..2_u8).prop_map(|model| LawInput::Wake { model }),
        1 => any::<u16>().prop_map(|ms| LawInput::Tick { ms }),
    ]
}

fn wishes() -> impl Strategy<Value = ClientIntent> {
    prop_oneof![
        6 => (0..4_u8, any::<bool>(), any::<bool>(), any_text(), 0..4_u8)
            .prop_map(|(task, known, once, text, files)| ClientIntent::Prompt { task, known, once, text, files }),
        12 => answers(),
        1 => (any::<Index>(), prop::bool::weighted(0.8)).prop_map(|(seq, newest)| ClientIntent::Deny { seq, newest }),
        1 => Just(ClientIntent::Cancel),
        1 => (0..4_u8).prop_map(|task| ClientIntent::CancelTask { task }),
        1 => any::<u8>().prop_map(|mode| ClientIntent::Set { mode }),
        1 => (0..2_u8).prop_map(|model| ClientIntent::SetModel { model }),
        2 => Just(ClientIntent::Compact),
        1 => Just(ClientIntent::Uncompact),
        1 => any::<Index>().prop_map(|seq| ClientIntent::Unqueue { seq }),
        1 => (any::<Index>(), any_text()).prop_map(|(seq, text)| ClientIntent::Requeue { seq, text }),
        1 => Just(ClientIntent::Release),
    ]
}

fn answers() -> impl Strategy<Value = ClientIntent> {
    let edit = prop::option::weighted(0.2, any_text());
    (any::<Index>(), prop::bool::weighted(0.8), 0..6_u8, edit, any::<bool>())
        .prop_map(|(seq, newest, option, edit, answers)| ClientIntent::Answer { seq, newest, option, edit, answers })
}

impl LawInput {
    /// Make the move. A refusal is as good as an acceptance: the stage checks that it leaves no trace.
    pub(crate) fn play(self, harness: &mut SessionHarness) {
        match self {
            LawInput::Command { seat, id, wish } => {
                let command = wish.command(harness);
                // Few enough ids that some commands are retries of others.
                let _ = harness.send_as(somebody(&format!("seat {seat}")), &format!("id {}", id % 64), command);
            }
            LawInput::Work { which, how, text } => {
                let owed = harness.owed();
                if harness.state.turn.is_none() && owed.is_empty() {
                    // Nothing to work on: somebody has another idea.
                    let (task, kind) = (task((how % 8).into()), TaskKind::OpenEnded);
                    let target = PromptTarget::New { task, kind, edge: Value::Null };
                    let _ = harness.send("seat 0", Command::prompt(target, format!("more {text}")));
                } else if !owed.is_empty() {
                    let effect = *which.get(&owed);
                    let report = fitting(harness, effect, how, &text);
                    let _ = harness.report(effect, report);
                }
            }
            LawInput::Late { seq, how, text } => {
                let (call, revision) = (CallId(Seq(any_seq(harness, seq))), u64::from(how % 3));
                let turn = pollux_session::TurnId(call.0);
                let effects = [
                    Effect::Think { turn, step: 1 },
                    Effect::Vet { call, revision, again: how.is_multiple_of(2) },
                    Effect::Run { call },
                    Effect::Compact { wanted: call.0 },
                    Effect::Keep { answer: call.0 },
                ];
                let shape = effects[usize::from(how) % 5];
                let report = fitting(harness, effects[usize::from(how / 5) % 5], how / 25, &text);
                let _ = harness.report(shape, report);
            }
            LawInput::Wake { model } => harness.wake(&format!("model-{model}")),
            // Sometimes the host's clock is set back.
            LawInput::Tick { ms } if ms % 5 == 0 => harness.clock.0 -= harness.clock.0.min(ms.into()),
            LawInput::Tick { ms } => harness.clock.0 += u64::from(ms),
        }
    }
}

impl ClientIntent {
    fn command(self, harness: &SessionHarness) -> Command {
        match self {
            ClientIntent::Prompt { task: n, known, once, text, files } => {
                let (task, kind) = (task(n.into()), if once { TaskKind::Once } else { TaskKind::OpenEnded });
                let edge = if files > 0 { json!({ "files": files }) } else { Value::Null };
                let target = match known {
                    true => PromptTarget::Existing { task },
                    false => PromptTarget::New { task, kind, edge },
                };
                let file = |n: u8| {
                    let blob = BlobRef { sha256: format!("{n:064x}"), len: n.into(), media: "image/png".into() };
                    MediaContent { name: format!("{n}.png"), blob }
                };
                Command::Prompt {
                    target,
                    text,
                    media: (0..files).map(file).collect(),
                    piped_len: 0,
                    dialect: None,
                    parts: vec![],
                }
            }
            ClientIntent::Answer { seq, newest, option, edit, answers } => {
                let call = any_asked(harness, seq, newest);
                let options = [
                    "proceed_once",
                    "proceed_always",
                    "cancel",
                    "nonsense",
                    "proceed_always_workspace",
                    "proceed_always_and_save",
                ];
                let edit = edit.map(|new| match answers {
                    true => AnswerEdit::Answers { answers: json!({ "answer": new }) },
                    false => AnswerEdit::Content { new },
                });
                Command::Answer { call, option: options[usize::from(option)].into(), edit }
            }
            ClientIntent::Deny { seq, newest } => Command::Deny { call: any_asked(harness, seq, newest) },
            ClientIntent::Cancel => Command::Cancel { scope: CancelScope::Turn },
            ClientIntent::CancelTask { task: n } => {
                Command::Cancel { scope: CancelScope::Task { task: task(n.into()) } }
            }
            ClientIntent::Set { mode } => {
                let modes = [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo];
                let given = harness.state.grants.get(usize::from(mode) / 8).filter(|_| mode % 8 == 7);
                let setting = match given {
                    Some((grant, _)) => SessionSetting::WithoutGrant(grant.clone()),
                    None => SessionSetting::Mode(modes[usize::from(mode) % 4]),
                };
                Command::Set { setting }
            }
            ClientIntent::SetModel { model } => {
                Command::Set { setting: SessionSetting::Model(format!("chosen-{model}")) }
            }
            ClientIntent::Compact => Command::Compact,
            ClientIntent::Uncompact => Command::Uncompact,
            ClientIntent::Unqueue { seq } => Command::Unqueue { prompt: any_prompt(harness, seq) },
            ClientIntent::Requeue { seq, text } => Command::Requeue { prompt: any_prompt(harness, seq), text },
            ClientIntent::Release => Command::Release,
        }
    }
}

fn any_seq(harness: &SessionHarness, which: Index) -> u64 {
    which.index(harness.log.len() + 2) as u64
}

/// A call that asks or has asked, if there is one; one of the `newest` most often still does.
fn any_asked(harness: &SessionHarness, which: Index, newest: bool) -> CallId {
    let asks = harness.log.iter().rev().filter_map(|entry| match &entry.event {
        Event::Asked { call, .. } => Some(*call),
        _ => None,
    });
    let asked: Vec<CallId> = asks.take(if newest { 3 } else { usize::MAX }).collect();
    if asked.is_empty() { CallId(Seq(any_seq(harness, which))) } else { *which.get(&asked) }
}

fn any_prompt(harness: &SessionHarness, which: Index) -> PromptId {
    match harness.state.queue.len() {
        0 => PromptId(Seq(any_seq(harness, which))),
        waiting => harness.state.queue[which.index(waiting)].id,
    }
}

/// A report that a runner doing `effect` might make.
fn fitting(harness: &SessionHarness, effect: Effect, how: u8, text: &str) -> Report {
    let call = |id| harness.state.turn.as_ref().and_then(|turn| turn.calls.get(&id));
    match effect {
        Effect::Think { .. } if how > 247 => made(harness.state.head.0 / 2, text),
        Effect::Think { .. } if how > 239 => {
            let seen = vec![SeenFile { path: format!("/w/{}", how % 4), sha256: text.into() }];
            Report::Attached { name: format!("@{text}"), text: text.into(), media: vec![], seen }
        }
        Effect::Think { .. } if how > 231 => {
            Report::FellBack { from: "model-1".into(), to: text.into(), why: text.into() }
        }
        Effect::Think { .. } if how > 227 => Report::NotCompacted { why: text.into() },
        Effect::Think { .. } if how > 219 => Report::Commanded { name: text.into() },
        Effect::Think { .. } if how > 215 => Report::Rewound { to: Seq(harness.state.head.0 / 3) },
        Effect::Think { .. } => thought(how, text),
        Effect::Vet { call: id, .. } => {
            let tool = call(id).map_or("write", |call| call.tool.as_str());
            let verdict = match how % 8 {
                0..4 => PolicyVerdict::Ask(ask_about(tool, text)),
                4..6 => PolicyVerdict::allow(text),
                6 => PolicyVerdict::Deny { why: text.into() },
                _ => PolicyVerdict::Fail { outcome: failed(text) },
            };
            let kinds = [
                ToolKind::Read,
                ToolKind::Edit,
                ToolKind::Execute,
                ToolKind::Fetch,
                ToolKind::Converse,
                ToolKind::Delegate,
            ];
            let kind = kinds[usize::from(how) % 6];
            Report::Vetted { kind, verdict }
        }
        Effect::Run { call: id } if call(id).is_some_and(|call| call.phase == CallPhase::Ready) => match how % 8 {
            0 => Report::Stale,
            1 => Report::Done { outcome: failed(text) },
            2 => Report::Checkpointed { name: text.into(), saved: Ok(text.into()), files: vec![text.into()] },
            _ => Report::Starting,
        },
        Effect::Run { .. } => match how % 8 {
            0 => Report::Stale,
            1 => Report::Done { outcome: failed(text) },
            2 if how > 127 => Report::Spent { model: text.into(), usage: ModelUsage::default() },
            3 | 5 if how > 63 => {
                let tool = ["read", "write", "run", "question"][usize::from(how / 64)];
                let args = json!({ "about": text });
                Report::Calls { call: NewCall { tool: tool.into(), args, meta: json!(text) } }
            }
            2 | 3 => Report::Output { text: text.into(), skipped: u64::from(how / 8) },
            4 if how > 127 => Report::Set { setting: SessionSetting::Mode(ApprovalMode::Plan) },
            4 if how > 95 => Report::Set { setting: SessionSetting::EditsAsk },
            4 if how > 63 => Report::Set { setting: SessionSetting::Model(text.into()) },
            4 => Report::Rewound { to: Seq(harness.state.head.0 / 2) },
            _ => succeeded(),
        },
        Effect::Compact { .. } if how.is_multiple_of(4) => Report::NotCompacted { why: text.into() },
        Effect::Compact { .. } => made(harness.state.head.0 / 2, text),
        Effect::Keep { .. } => Report::Kept { failure: how.is_multiple_of(4).then(|| text.to_owned()) },
    }
}

fn thought(how: u8, text: &str) -> Report {
    let kind = if how.is_multiple_of(3) { ItemKind::Thought } else { ItemKind::Text };
    let end = how.is_multiple_of(5).then(|| json!({ "signature": text }));
    let fragments = vec![fragment(kind, text, end), fragment(ItemKind::Text, text, None)];
    match how % 10 {
        0..4 => Report::Said { fragments, response: None },
        4 => Report::Retrying { reason: text.into(), attempt: 2, wait_ms: 1 },
        5 => Report::StepFailed { failure: TurnFailure { kind: "offline".into(), message: text.into() } },
        n => {
            let tools = ["read", "write", "run", "mcp", "question"];
            let call = |nth: usize| {
                let tool = tools[(nth + usize::from(how / 16)) % tools.len()];
                NewCall { tool: tool.into(), args: json!({ "about": text }), meta: json!(text) }
            };
            let calls = (0..usize::from(n - 6) + usize::from(how / 128)).map(call).collect();
            let citations = vec![text.to_owned()];
            Report::StepDone {
                fragments,
                calls,
                finish: "STOP".into(),
                usage: ModelUsage::default(),
                citations,
                response: None,
            }
        }
    }
}

fn failed(text: &str) -> CallOutcome {
    let error = CallError { kind: "failed".into(), message: text.into() };
    CallOutcome::Failed { error, result: None }
}

/// The call may run, and changes things.
pub(crate) fn allowed() -> Report {
    Report::Vetted { kind: ToolKind::Edit, verdict: PolicyVerdict::allow("test") }
}

/// The call did its work.
pub(crate) fn succeeded() -> Report {
    Report::Done { outcome: CallOutcome::Succeeded { result: CallResult::default() } }
}
