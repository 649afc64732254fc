//! Sessions in a host, with a runner that does what the prompt says.

use pollux_host::{EffectJob, EffectWork, Host, NoticeBoard, Reporter, Runner};
use pollux_session::{
    ApprovalMode, Ask, AskDetails, BegunSession, BoxFuture, CallOutcome, CallResult, CancelScope, Command,
    CommandFingerprint, CommandId, ContextId, Entry, Event, ItemKind, ModelFragment, ModelUsage, NewCall,
    OpenSessionRequest, Owner, PolicyVerdict, PromptTarget, Refusal, Report, Rights, Roster, RosterError,
    RuntimeDescription, Seat, SendError, Seq, SessionId, SessionLookup, SessionOverrides, SessionState, TaskId,
    TaskKind, TaskMark, TaskQuery, TaskStatus, ToolKind, TranscriptLine, TurnOutcome, UnpromptedTasks, Who,
    cancel_choice, once_choice,
};
use pollux_store::SessionStore;
use pretty_assertions::assert_eq;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Answers "say X" with X, "ask X" with a call that asks, "hand X" with a call that has such a call made, "hang" by never answering and "panic" by panicking.
#[derive(Clone, Default)]
struct Puppet {
    runs: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

/// Counts work that was stopped before its end.
struct DropCount(Arc<AtomicUsize>);

impl Drop for DropCount {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Runner for Puppet {
    fn equipment(&self) -> RuntimeDescription {
        RuntimeDescription { model: "puppet".into(), tools: vec!["pull".into()], ..RuntimeDescription::default() }
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        let puppet = self.clone();
        Box::pin(async move {
            let report = match job.work {
                EffectWork::Think { transcript, .. } => {
                    let last = transcript.lines().rev().find_map(|line| match line {
                        TranscriptLine::Call { outcome: Some(_), .. } => Some("say done".to_owned()),
                        TranscriptLine::Prompt { text, .. } => Some(text.clone()),
                        _ => None,
                    });
                    puppet.think(&last.unwrap_or_default()).await
                }
                EffectWork::Vet { call, .. } if call.tool == "hand" => {
                    Report::Vetted { kind: ToolKind::Delegate, verdict: PolicyVerdict::allow("always") }
                }
                EffectWork::Vet { .. } => {
                    let details = AskDetails::generic("pull");
                    let ask = Ask::new(details, vec![once_choice(), cancel_choice()]);
                    Report::Vetted { kind: ToolKind::Execute, verdict: PolicyVerdict::Ask(ask) }
                }
                EffectWork::Run { call, .. } if call.tool == "hand" => {
                    let pull = NewCall { tool: "pull".into(), args: call.args.clone(), meta: serde_json::Value::Null };
                    if reporter.report(Report::Starting).await.is_err() {
                        return;
                    }
                    let handed = reporter.call(pull);
                    let outcome = match call.args.as_str() {
                        // Whoever wanted the call does not wait for a person.
                        Some("impatient") => match tokio::time::timeout(Duration::from_millis(200), handed).await {
                            Ok(outcome) => outcome,
                            Err(_) => Ok(CallOutcome::Interrupted),
                        },
                        _ => handed.await,
                    };
                    let Ok(outcome) = outcome else { return };
                    let result = CallResult { text: format!("handed: {outcome:?}"), ..CallResult::default() };
                    Report::Done { outcome: CallOutcome::Succeeded { result } }
                }
                EffectWork::Run { .. } => {
                    if reporter.report(Report::Starting).await.is_err() {
                        return;
                    }
                    puppet.runs.fetch_add(1, Ordering::SeqCst);
                    let result = CallResult { text: "pulled".into(), ..CallResult::default() };
                    Report::Done { outcome: CallOutcome::Succeeded { result } }
                }
                EffectWork::Compact { .. } => {
                    let summary = "pulled strings".to_owned();
                    Report::Compacted { before: Seq(1), summary, usage: ModelUsage::default() }
                }
                EffectWork::Keep { .. } => Report::Kept { failure: None },
            };
            let _ = reporter.report(report).await;
        })
    }
}

impl Puppet {
    async fn think(&self, prompt: &str) -> Report {
        let (verb, rest) = prompt.split_once(' ').unwrap_or((prompt, ""));
        let mut fragments = vec![];
        let mut calls = vec![];
        match verb {
            "say" => fragments.push(ModelFragment { kind: ItemKind::Text, text: rest.into(), end: None }),
            "ask" => calls.push(NewCall { tool: "pull".into(), args: rest.into(), meta: serde_json::Value::Null }),
            "hand" => calls.push(NewCall { tool: "hand".into(), args: rest.into(), meta: serde_json::Value::Null }),
            "panic" => panic!("the puppet was told to"),
            _ => {
                let _count = DropCount(self.dropped.clone());
                std::future::pending::<()>().await;
            }
        }
        let (finish, usage) = ("STOP".into(), ModelUsage::default());
        Report::StepDone { fragments, calls, finish, usage, citations: vec![], response: None }
    }
}

struct Room {
    host: Host,
    puppet: Puppet,
    seat: Arc<dyn Seat>,
}

fn who(label: &str) -> Who {
    Who { owner: Owner("me".into()), principal: "me".into(), label: label.into(), rights: Rights::all() }
}

fn host_over(log: SessionStore) -> (Host, Puppet) {
    let puppet = Puppet::default();
    (Host::new(log, Arc::new(puppet.clone()), NoticeBoard::default(), SessionOverrides::default(), "test"), puppet)
}

fn opening(directory: &Path) -> OpenSessionRequest {
    OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: directory.to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    }
}

async fn room(directory: &Path) -> Room {
    let store = SessionStore::open(&directory.join("log.db")).unwrap();
    let (host, puppet) = host_over(store);
    let seat = host.open(&who("terminal"), opening(directory)).await.unwrap();
    Room { host, puppet, seat }
}

async fn prompt(seat: &dyn Seat, text: &str) -> Seq {
    let target = PromptTarget::Existing { task: seat.session().main_task() };
    let id = CommandId(format!("{text} by {}", seat.who().label));
    seat.send(id, Command::prompt(target, text)).await.unwrap().seq
}

/// Follow the log until `done` holds, and return all of it.
async fn follow(seat: &dyn Seat, done: impl Fn(&SessionState) -> bool) -> (SessionState, Vec<Arc<Entry>>) {
    let mut state = SessionState::default();
    let mut entries = Vec::new();
    loop {
        for entry in seat.read(state.head, 100).await.unwrap() {
            assert_eq!(entry.seq, state.head.next());
            state.apply(&entry);
            entries.push(entry);
        }
        if done(&state) {
            return (state, entries);
        }
        seat.changed(state.head).await.unwrap();
    }
}

fn rested(state: &SessionState) -> bool {
    matches!(state.session_status(), TaskStatus::Resting(_))
}

fn texts(entries: &[Arc<Entry>]) -> Vec<&str> {
    let said = |entry: &'_ Arc<Entry>| matches!(entry.event, Event::Said { .. });
    entries
        .iter()
        .filter(|entry| said(entry))
        .filter_map(|entry| match &entry.event {
            Event::Said { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_prompt_is_answered_and_every_watcher_sees_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    let other = room.host.find(&who("web"), &SessionLookup::Id(room.seat.session().0)).await.unwrap().unwrap().seat;
    prompt(&*room.seat, "say hello").await;
    let (state, entries) = follow(&*room.seat, rested).await;
    assert_eq!(texts(&entries), vec!["hello"]);
    let (same_state, same_entries) = follow(&*other, rested).await;
    assert_eq!((state, entries), (same_state, same_entries));
}

#[tokio::test]
async fn a_session_that_is_opened_with_a_prompt_answers_it_and_a_retry_finds_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = SessionStore::in_memory().unwrap();
    let (host, _) = host_over(store);
    let id = CommandId("m1".into());
    let open = async |text: &str, once: bool| {
        let mut opening = opening(dir.path());
        let target = PromptTarget::Existing { task: opening.id.main_task() };
        // The task of a retry is another one; the message is the same.
        opening.once = once.then(|| CommandFingerprint("m1".into()));
        let command = Command::prompt(target, text);
        host.open_with(&who("web"), opening, id.clone(), command).await.unwrap()
    };
    let BegunSession { seat, sent } = open("say hello", true).await;
    let (_, entries) = follow(&*seat, rested).await;
    assert_eq!(texts(&entries), vec!["hello"]);
    let receipt = sent.unwrap();
    assert!(matches!(&entries[receipt.seq.0 as usize - 1].event, Event::Prompted { text, .. } if text == "say hello"));
    let tasks = TaskQuery {
        context: None,
        marks: vec![],
        since: None,
        unprompted: UnpromptedTasks::LeftOut,
        after: None,
        limit: 9,
    };
    let marks: Vec<_> = host.tasks(&who("web"), tasks).await.unwrap().rows.into_iter().map(|row| row.mark).collect();
    assert_eq!(marks, [TaskMark::Rested]);

    let again = open("say hello", true).await;
    assert_eq!(again.seat.session(), seat.session());
    let refused = open("   ", false).await;
    assert_eq!(refused.sent, Err(SendError::Refused(Refusal::EmptyPrompt)));
    assert_eq!(refused.seat.read(Seq::START, 9).await.unwrap().len(), 2, "it is open all the same");
}

/// Clients that count their messages from 1 anew would otherwise work in each other's sessions.
#[tokio::test]
async fn a_used_id_with_other_settings_opens_nothing_and_finds_nothing() {
    let (dir, other_dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (host, _) = host_over(SessionStore::in_memory().unwrap());
    let wanted = SessionOverrides { mode: Some(ApprovalMode::Yolo), ..SessionOverrides::default() };
    let open = async |workspace: &Path, overrides: SessionOverrides| {
        let once = Some(CommandFingerprint("m1".into()));
        let opening = OpenSessionRequest { once, overrides, ..opening(workspace) };
        host.open(&who("web"), opening).await.map(|seat| seat.session())
    };
    let first = open(dir.path(), wanted.clone()).await.unwrap();
    for (workspace, overrides) in [
        (dir.path(), SessionOverrides::default()),
        (dir.path(), SessionOverrides { mode: Some(ApprovalMode::Plan), ..wanted.clone() }),
        (dir.path(), SessionOverrides { model: Some("pro".into()), ..wanted.clone() }),
        (other_dir.path(), wanted.clone()),
    ] {
        assert_eq!(open(workspace, overrides.clone()).await, Err(RosterError::UsedId), "{overrides:?}");
    }
    assert_eq!(open(dir.path(), wanted).await, Ok(first));
    assert_eq!(host.list(&who("web"), 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn another_owner_finds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    let stranger = Who { owner: Owner("you".into()), ..who("web") };
    assert!(room.host.find(&stranger, &SessionLookup::Id(room.seat.session().0)).await.unwrap().is_none());
    assert_eq!(room.host.list(&stranger, 10).await.unwrap(), vec![]);
}

#[tokio::test]
async fn the_first_answer_wins_and_the_call_runs_once() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    prompt(&*room.seat, "ask nicely").await;
    let (state, _) = follow(&*room.seat, SessionState::only_asks_remain).await;
    let call = state.turn.unwrap().open_calls().next().unwrap().id;
    let mut racers = tokio::task::JoinSet::new();
    for number in 0..16 {
        let target = SessionLookup::Id(room.seat.session().0);
        let seat = room.host.find(&who(&format!("seat {number}")), &target).await.unwrap().unwrap().seat;
        racers.spawn(async move {
            let answer = Command::Answer { call, option: "proceed_once".into(), edit: None };
            seat.send(CommandId(format!("answer {number}")), answer).await
        });
    }
    let outcomes = racers.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for loser in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert!(matches!(loser, SendError::Refused(Refusal::AlreadyDecided { .. })), "{loser:?}");
    }
    follow(&*room.seat, rested).await;
    assert_eq!(room.puppet.runs.load(Ordering::SeqCst), 1);
}

/// The result of the call that handed a call on, when `option` is chosen for that one.
async fn handed_on(option: &str) -> (String, usize) {
    let directory = tempfile::tempdir().unwrap();
    let room = room(directory.path()).await;
    prompt(room.seat.as_ref(), "hand it").await;
    let (state, _) = follow(room.seat.as_ref(), SessionState::only_asks_remain).await;
    let call = state.turn.unwrap().open_calls().find(|call| call.parent.is_some()).unwrap().id;
    let answer = Command::Answer { call, option: option.into(), edit: None };
    room.seat.send(CommandId("a".into()), answer).await.unwrap();
    let (_, entries) = follow(room.seat.as_ref(), rested).await;
    let result = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::CallEnded { outcome, .. } => outcome.result().map(|result| result.text.clone()),
        _ => None,
    });
    (result.unwrap(), room.puppet.runs.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_call_made_for_another_is_asked_about_and_told_to_it() {
    let (result, runs) = handed_on("proceed_once").await;
    assert!(result.starts_with("handed: Succeeded") && result.contains("pulled"), "{result}");
    assert_eq!(runs, 1);
}

#[tokio::test]
async fn a_declined_call_is_told_to_the_one_it_was_made_for() {
    assert_eq!(handed_on("cancel").await, ("handed: Declined".into(), 0));
}

/// An MCP server takes its question back: nobody is to answer into the void.
#[tokio::test]
async fn a_call_that_nobody_waits_for_any_more_is_withdrawn() {
    let directory = tempfile::tempdir().unwrap();
    let room = room(directory.path()).await;
    prompt(&*room.seat, "hand impatient").await;
    let (state, entries) = follow(&*room.seat, rested).await;
    assert!(state.turn.is_none());
    let asks = entries.iter().filter(|entry| matches!(entry.event, Event::Asked { .. })).count();
    let is_withdrawn =
        |entry: &&Arc<Entry>| matches!(&entry.event, Event::CallEnded { outcome: CallOutcome::Cancelled, .. });
    let withdrawn = entries.iter().find(is_withdrawn).unwrap();
    let done = entries.iter().rfind(|entry| matches!(entry.event, Event::CallEnded { .. })).unwrap();
    assert_eq!((asks, withdrawn.seq < done.seq), (1, true));
    assert_eq!(room.puppet.runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn cancelling_stops_the_work() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    prompt(&*room.seat, "hang").await;
    let cancel = Command::Cancel { scope: CancelScope::Turn };
    room.seat.send(CommandId("cancel".into()), cancel).await.unwrap();
    let (state, _) = follow(&*room.seat, rested).await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
    prompt(&*room.seat, "say still here").await;
    let (_, entries) =
        follow(&*room.seat, |state| state.session_status() == TaskStatus::Resting(TurnOutcome::Rested)).await;
    assert_eq!(texts(&entries), vec!["still here"]);
    assert_eq!(room.puppet.dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_panic_ends_its_turn_and_harms_nobody_else() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    let other = room.host.open(&who("web"), opening(dir.path())).await.unwrap();
    prompt(&*room.seat, "panic").await;
    prompt(&*other, "say unharmed").await;
    let (state, _) = follow(&*room.seat, rested).await;
    let TaskStatus::Resting(TurnOutcome::Failed { failure }) = state.session_status() else { panic!("{state:?}") };
    assert_eq!(failure.kind, "internal");
    let (_, entries) = follow(&*other, rested).await;
    assert_eq!(texts(&entries), vec!["unharmed"]);
    prompt(&*room.seat, "say back again").await;
    let (_, entries) =
        follow(&*room.seat, |state| state.session_status() == TaskStatus::Resting(TurnOutcome::Rested)).await;
    assert_eq!(texts(&entries), vec!["back again"]);
}

#[tokio::test]
async fn a_pending_ask_outlives_the_process_and_owed_work_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let first = room(dir.path()).await;
    let session = first.seat.session();
    prompt(&*first.seat, "ask before the end").await;
    let (before, _) = follow(&*first.seat, SessionState::only_asks_remain).await;
    first.host.stop().await;
    drop(first);

    let store = SessionStore::open(&dir.path().join("log.db")).unwrap();
    let (host, puppet) = host_over(store);
    let seat = host.find(&who("phone"), &SessionLookup::Id(session.0)).await.unwrap().unwrap().seat;
    let call = before.turn.unwrap().open_calls().next().unwrap().id;
    let answer = Command::Answer { call, option: "proceed_once".into(), edit: None };
    seat.send(CommandId("after the restart".into()), answer).await.unwrap();
    let (_, entries) = follow(&*seat, rested).await;
    assert_eq!(texts(&entries), vec!["done"]);
    assert_eq!(puppet.runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_task_that_nobody_has_prompted_outlives_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let first = room(dir.path()).await;
    let (task, kind, edge) = (TaskId(uuid::Uuid::now_v7()), TaskKind::OpenEnded, serde_json::json!({"spoken": "so"}));
    let open = Command::OpenTask { task, kind, edge: edge.clone() };
    first.seat.send(CommandId("open".into()), open).await.unwrap();
    first.host.stop().await;
    drop(first);

    let store = SessionStore::open(&dir.path().join("log.db")).unwrap();
    let (host, _) = host_over(store);
    let found = host.find(&who("ide"), &SessionLookup::Id(task.0)).await.unwrap().unwrap();
    assert_eq!(found.task, Some(task));
    let unprompted = UnpromptedTasks::LeftOut;
    let all = || TaskQuery { context: None, marks: vec![], since: None, unprompted, after: None, limit: 9 };
    let marks = async || Vec::from_iter(host.tasks(&who("ide"), all()).await.unwrap().rows.iter().map(|row| row.mark));
    assert_eq!(marks().await, [TaskMark::Submitted]);
    let target = PromptTarget::Existing { task };
    found.seat.send(CommandId("go".into()), Command::prompt(target, "say hello")).await.unwrap();
    let (state, _) = follow(&*found.seat, rested).await;
    assert_eq!(state.tasks[&task].edge, edge);
    assert_eq!(marks().await, [TaskMark::Rested]);
}

#[tokio::test]
async fn the_same_command_twice_is_one_prompt_with_one_receipt() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    let first = prompt(&*room.seat, "say once").await;
    follow(&*room.seat, rested).await;
    assert_eq!(prompt(&*room.seat, "say once").await, first);
    let (_, entries) = follow(&*room.seat, rested).await;
    assert_eq!(texts(&entries), vec!["once"]);
}

#[tokio::test]
async fn a_command_after_the_end_is_lost_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    room.host.stop().await;
    let command = Command::Cancel { scope: CancelScope::Turn };
    let lost = room.seat.send(CommandId("late".into()), command).await;
    assert_eq!(lost, Err(SendError::Lost("pollux is stopping".into())));
}

#[tokio::test]
async fn a_workspace_that_cannot_be_used_is_refused_and_nothing_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    for (bad, why) in [
        ("relative", "it must be an absolute path"),
        (dir.path().join("missing").to_str().unwrap(), "No such file or directory"),
        (file.to_str().unwrap(), "it is not a directory"),
    ] {
        let opening = OpenSessionRequest { workspace: bad.into(), ..opening(dir.path()) };
        let Err(error) = room.host.open(&who("web"), opening).await else { panic!("{bad} was taken") };
        assert!(error.to_string().contains(why), "{error}");
    }
    assert_eq!(room.host.list(&who("web"), 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_wanted_summary_is_made_before_the_next_turn_begins() {
    let dir = tempfile::tempdir().unwrap();
    let room = room(dir.path()).await;
    room.seat.send(CommandId("compact".into()), Command::Compact).await.unwrap();
    prompt(&*room.seat, "say hello").await;
    let (_, entries) = follow(&*room.seat, rested).await;
    let order: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry.event {
            Event::CompactWanted => Some("wanted"),
            Event::Compacted { .. } => Some("made"),
            Event::TurnStarted { .. } => Some("turn"),
            _ => None,
        })
        .collect();
    assert_eq!(order, vec!["wanted", "made", "turn"]);
}
