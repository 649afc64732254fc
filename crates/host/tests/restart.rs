//! A restart between every pair of entries: whatever a session has recorded, another process takes it up and brings it
//! to the same end, without running anything again that had begun to run.

mod commit_recorder;
mod scripted_runner;

use commit_recorder::CommitRecorder;
use pollux_host::{Host, NoticeBoard};
use pollux_session::{
    CallOutcome, CallPhase, Command, CommandId, ContextId, Entry, Event, OpenSessionRequest, Owner, PromptTarget,
    Rights, Roster, Seat, Seq, SessionId, SessionLookup, SessionOverrides, SessionState, StepState, TaskStatus,
    Transcript, TranscriptLine, Who, next,
};
use pollux_store::{CreateOutcome, EntryBatch, Log, NewSession, SessionStore};
use pretty_assertions::assert_eq;
use scripted_runner::{FileChange, PROMPTS, ScriptedRunner, choice_for};
use std::path::Path;
use std::sync::Arc;

#[tokio::test]
async fn a_restart_between_any_two_entries_comes_to_the_same_end() {
    let workspace = tempfile::tempdir().unwrap();
    let first_life = record(workspace.path()).await;
    let told = summary(&first_life.entries, None);
    let mut commits = 0;
    for kept in 1..=first_life.entries.len() {
        let (prefix, _) = first_life.entries.split_at(kept);
        let before = SessionState::fold(prefix.iter().map(Arc::as_ref));
        let life = go_on(first_life.session, prefix, workspace.path()).await;

        assert_eq!(&life.entries[..kept], prefix, "what was recorded stays, after {kept} entries");
        for call in started(prefix) {
            assert!(!life.ran.contains(&call), "{call} ran again after {kept} entries");
        }
        // Inside a commit no process has ever stopped: there the log only has to stay whole and come to rest.
        if first_life.commits.contains(&Seq(kept as u64)) {
            commits += 1;
            assert_eq!(summary(&life.entries, Some(&before)), interrupt(&told, &before), "after {kept} entries");
        }
    }
    assert!(commits > 20, "only {commits} commits: the recorded session is too short to tell anything");
}

/// The work of one process.
struct Life {
    session: SessionId,
    /// The whole log.
    entries: Vec<Arc<Entry>>,
    /// The last number of each commit of this process.
    commits: Vec<Seq>,
    /// The calls this process ran.
    ran: Vec<String>,
}

/// A session from its beginning to its end, in one process.
async fn record(workspace: &Path) -> Life {
    let store = SessionStore::in_memory().unwrap();
    let ledger = Arc::new(CommitRecorder::new(store.log.clone()));
    let puppet = ScriptedRunner::new(FileChange::Untouched);
    let host = host(store.with_log(ledger.clone()), &puppet);
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("restart").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    let seat = host.open(&who(), opening).await.unwrap();
    drive(&host, &*seat, &ledger, &puppet).await
}

/// The rest of the session, in a process that finds `entries`.
async fn go_on(session: SessionId, entries: &[Arc<Entry>], workspace: &Path) -> Life {
    let store = SessionStore::in_memory().unwrap();
    let created = store.log.create(NewSession {
        id: session,
        owner: who().owner,
        context: ContextId::new("restart").unwrap(),
        workspace: workspace.to_str().unwrap().into(),
        opened: entries[0].at,
        once: None,
        entries: vec![entries[0].clone()],
        marks: vec![],
    });
    let CreateOutcome::New(epoch) = created.await.unwrap() else { panic!("the log is not empty") };
    if entries.len() > 1 {
        store.log.append(EntryBatch { session, epoch, entries: entries[1..].to_vec(), marks: vec![] }).await.unwrap();
    }
    let ledger = Arc::new(CommitRecorder::new(store.log.clone()));
    let changed = entries.iter().any(|entry| matches!(entry.event, Event::Called { replaces: Some(_), .. }));
    let puppet = ScriptedRunner::new(if changed { FileChange::Changed } else { FileChange::Untouched });
    let host = host(store.with_log(ledger.clone()), &puppet);
    let found = host.find(&who(), &SessionLookup::Id(session.0)).await.unwrap().unwrap();
    drive(&host, &*found.seat, &ledger, &puppet).await
}

/// Say everything there is to say, which is safe to say again; answer every ask; wait for the end.
async fn drive(host: &Host, seat: &dyn Seat, ledger: &CommitRecorder, puppet: &ScriptedRunner) -> Life {
    let task = seat.session().main_task();
    for text in PROMPTS {
        let command = Command::prompt(PromptTarget::Existing { task }, text);
        seat.send(CommandId(text.into()), command).await.unwrap();
    }
    let mut state = SessionState::default();
    let mut entries = Vec::new();
    while state.turn.is_some() || !state.queue.is_empty() || entries.is_empty() {
        seat.changed(state.head).await.unwrap();
        for entry in seat.read(state.head, 1000).await.unwrap() {
            assert_eq!(entry.seq, state.head.next());
            state.apply(&entry);
            entries.push(entry);
        }
        let asks = state.turn.iter().flat_map(|turn| turn.open_calls());
        for call in asks.filter(|call| matches!(call.phase, CallPhase::Asking { .. })) {
            let answer = Command::Answer { call: call.id, option: choice_for(call), edit: None };
            // It may be answered already, by a retry that this seat has not read yet.
            seat.send(CommandId(format!("answer {}", call.id)), answer).await.unwrap();
        }
    }
    host.stop().await;
    assert!(matches!(state.session_status(), TaskStatus::Resting(_)), "{state:?}");
    assert_eq!(next(&state), vec![]);
    let kept = ledger.read(seat.session(), Seq::START, usize::MAX >> 1).await.unwrap();
    assert_eq!(SessionState::fold(kept.iter().map(Arc::as_ref)), state, "the log and what was watched");
    Life { session: seat.session(), entries: kept, commits: ledger.commits(), ran: puppet.ran() }
}

fn host(log: SessionStore, puppet: &ScriptedRunner) -> Host {
    Host::new(log, Arc::new(puppet.clone()), NoticeBoard::default(), SessionOverrides::default(), "test")
}

fn who() -> Who {
    Who { owner: Owner("me".into()), principal: "me".into(), label: "terminal".into(), rights: Rights::all() }
}

/// The arguments of every call that has begun to run.
fn started(entries: &[Arc<Entry>]) -> Vec<String> {
    let transcript = Transcript::fold(entries.iter().map(Arc::as_ref));
    let started = transcript.lines().filter_map(|line| match line {
        TranscriptLine::Call { started: true, args, .. } => Some(args.to_string()),
        _ => None,
    });
    started.collect()
}

/// One line of a conversation as it must be told after any restart.
#[derive(Clone, Debug, PartialEq)]
enum TranscriptFact {
    Turn(String),
    Item { text: String, cut: bool },
    Call { args: String, outcome: Box<Option<CallOutcome>> },
    End(String),
}

/// The conversation in `entries`. What was half said in the step that a restart `before` cut short is left out: it was
/// said again.
fn summary(entries: &[Arc<Entry>], before: Option<&SessionState>) -> Vec<TranscriptFact> {
    let half_said = before.and_then(|before| Some((before.turn.as_ref()?, before.head)));
    let half_said = half_said.filter(|(turn, _)| turn.doing == StepState::Thinking);
    let is_half_said =
        |id: Seq, at: u32| half_said.is_some_and(|(turn, head)| id > turn.id.0 && id <= head && at == turn.step);
    let transcript = Transcript::fold(entries.iter().map(Arc::as_ref));
    let told = transcript.lines().filter_map(|line| match line {
        TranscriptLine::Turn { prompt, .. } => transcript.lines().find_map(|line| match line {
            TranscriptLine::Prompt { id, text, .. } if id == prompt => Some(TranscriptFact::Turn(text.clone())),
            _ => None,
        }),
        TranscriptLine::Item { id, step, .. } if is_half_said(id.0, *step) => None,
        TranscriptLine::Item { text, cut, .. } => Some(TranscriptFact::Item { text: text.clone(), cut: *cut }),
        TranscriptLine::Call { args, outcome, .. } => {
            Some(TranscriptFact::Call { args: args.to_string(), outcome: Box::new(outcome.clone()) })
        }
        TranscriptLine::End { outcome, .. } => Some(TranscriptFact::End(format!("{outcome:?}"))),
        TranscriptLine::Prompt { .. }
        | TranscriptLine::Attachment { .. }
        | TranscriptLine::Retry { .. }
        | TranscriptLine::FellBack { .. }
        | TranscriptLine::Rewound { .. }
        | TranscriptLine::Step { .. }
        | TranscriptLine::Spent { .. }
        | TranscriptLine::Summary { .. }
        | TranscriptLine::NoSummary { .. } => None,
    });
    told.collect()
}

/// `told`, when the process stopped at `before`: what ran then ends as interrupted.
fn interrupt(told: &[TranscriptFact], before: &SessionState) -> Vec<TranscriptFact> {
    let calls = before.turn.iter().flat_map(|turn| turn.open_calls());
    let running: Vec<String> =
        calls.filter(|call| call.phase == CallPhase::Running).map(|call| call.args.to_string()).collect();
    let mut told = told.to_vec();
    for line in &mut told {
        if let TranscriptFact::Call { args, outcome } = line
            && running.contains(args)
            && **outcome != Some(CallOutcome::Superseded)
        {
            **outcome = Some(CallOutcome::Interrupted);
        }
    }
    told
}

#[test]
fn the_recorded_session_holds_every_kind_of_fact_a_turn_can() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let workspace = tempfile::tempdir().unwrap();
    let life = runtime.block_on(record(workspace.path()));
    let holds = |kind: fn(&Event) -> bool| life.entries.iter().any(|entry| kind(&entry.event));
    assert!(holds(|event| matches!(event, Event::Piece { .. })));
    assert!(holds(|event| matches!(event, Event::Retrying { .. })));
    assert!(holds(|event| matches!(event, Event::Allowed { .. })));
    assert!(holds(|event| matches!(event, Event::Answered { allows: true, .. })));
    assert!(holds(|event| matches!(event, Event::Answered { allows: false, .. })));
    assert!(holds(|event| matches!(event, Event::Output { .. })));
    assert!(holds(|event| matches!(event, Event::CallEnded { outcome: CallOutcome::Superseded, .. })));
}
