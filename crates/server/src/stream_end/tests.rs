//! Which entry a stream ends with, by what it was opened for.

use super::{EntryStanding, StreamEnd};
use crate::client_profile::ToolExtension;
use crate::dialect::{Dialect, EventEncoding, PreviousStatus};
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState};
use pollux_session::{
    Command, CommandFingerprint, CommandId, CommandReceipt, ContextId, Entry, EntryAuthor, Event, Owner, PromptId, Seq,
    SessionId, SessionOpened, SessionOverrides, TaskClosing, TaskId, TaskKind, TurnOutcome, UnixMillis,
};
use pretty_assertions::assert_eq;
use uuid::Uuid;

const OURS: PromptId = PromptId(Seq(5));
const OTHER: PromptId = PromptId(Seq(3));

/// The turn of `prompt` runs.
fn running(seq: u64, prompt: PromptId) -> EntryStanding {
    EntryStanding { seq: Seq(seq), running: Some(prompt), ..EntryStanding::default() }
}

/// It asks, and nothing else of what is watched goes on.
fn asking(seq: u64, prompt: PromptId) -> EntryStanding {
    EntryStanding { waits: true, quiet: true, ..running(seq, prompt) }
}

/// It asks, in a task that is not watched.
fn asking_elsewhere(seq: u64, prompt: PromptId) -> EntryStanding {
    EntryStanding { waits: true, ..running(seq, prompt) }
}

/// Nothing runs.
fn resting(seq: u64) -> EntryStanding {
    EntryStanding { seq: Seq(seq), quiet: true, ..EntryStanding::default() }
}

/// The standing with a prompt that waits for its turn.
fn behind(queued: PromptId, standing: &EntryStanding) -> EntryStanding {
    EntryStanding { queued: vec![queued], ..standing.clone() }
}

/// The turn of `prompt` ends here, and its task goes on with another message.
fn continuing(seq: u64, prompt: PromptId) -> EntryStanding {
    EntryStanding { seq: Seq(seq), ends_prompt: true, continued: Some(prompt), ..EntryStanding::default() }
}

fn closed(seq: u64) -> EntryStanding {
    EntryStanding { closed: true, ..resting(seq) }
}

/// The entry that the stream ends with.
fn end_of(until: StreamEnd, entries: &[EntryStanding]) -> Option<u64> {
    let mut left = until;
    let ends = |standing: &&EntryStanding| {
        left = left.after(standing);
        left == StreamEnd::Reached
    };
    entries.iter().find(ends).map(|standing| standing.seq.0)
}

#[test]
fn a_stream_ends_with_what_it_was_opened_for() {
    let turn = StreamEnd::TurnStopped(OURS, Seq(5));
    let task = StreamEnd::TaskStopped(OURS, Seq(5));
    let over = StreamEnd::TurnOver(OURS);
    let quiet = StreamEnd::Quiet(Seq(5));
    let asks_and_rests = [behind(OURS, &resting(4)), running(6, OURS), asking(7, OURS), running(8, OURS), resting(9)];
    let waits_behind_an_ask = [asking(4, OTHER), behind(OURS, &asking(5, OTHER)), running(6, OURS), resting(7)];
    let waits_behind_another_task = [behind(OURS, &asking_elsewhere(5, OTHER)), running(6, OURS), resting(7)];
    let two_messages = [running(5, OURS), continuing(6, OURS), running(7, OTHER), resting(8)];
    let taken_back = [behind(OURS, &running(5, OTHER)), running(6, OTHER), resting(7)];
    let two_answers = [asking(4, OTHER), asking(5, OTHER), running(6, OTHER), asking(7, OTHER)];
    let not_yet_accepted = [resting(3), resting(4), behind(OURS, &running(5, OTHER)), resting(8)];
    let closes = [running(5, OURS), resting(6), closed(7)];
    let table: [(&str, StreamEnd, &[EntryStanding], Option<u64>); 23] = [
        ("an ask ends the stream of its turn", turn, &asks_and_rests, Some(7)),
        ("and that of its task", task, &asks_and_rests, Some(7)),
        ("but not one that wants all of the turn", over, &asks_and_rests, Some(9)),
        ("what is watched is quiet", quiet, &asks_and_rests, Some(7)),
        ("a prompt behind an ask of its task waits for the same people", turn, &waits_behind_an_ask, Some(5)),
        ("in 1.0 too", task, &waits_behind_an_ask, Some(5)),
        ("its turn is still to come", over, &waits_behind_an_ask, Some(7)),
        ("an ask of another task ends nothing", turn, &waits_behind_another_task, Some(7)),
        ("nor in 1.0", task, &waits_behind_another_task, Some(7)),
        ("in 0.3 a turn is over though its task goes on", turn, &two_messages, Some(6)),
        ("in 1.0 it is the task that has to stop", task, &two_messages, Some(8)),
        ("the endpoint guide's streams are about a turn", over, &two_messages, Some(6)),
        ("a prompt that is taken back has no turn", turn, &taken_back, Some(6)),
        ("in 1.0 neither", task, &taken_back, Some(6)),
        ("nor to the endpoint guide", over, &taken_back, Some(6)),
        ("the first of two answers leaves an ask open", StreamEnd::TurnStopped(OTHER, Seq(6)), &two_answers, Some(7)),
        ("what rests before the prompt is not its end", turn, &not_yet_accepted, Some(8)),
        ("nor is it quiet before", StreamEnd::Quiet(Seq(5)), &not_yet_accepted, Some(8)),
        ("nor over before", over, &not_yet_accepted, Some(8)),
        ("a task is followed until it is closed", StreamEnd::Closed, &closes, Some(7)),
        ("a session is followed for ever", StreamEnd::Never, &closes, None),
        ("what is reached stays reached", StreamEnd::Reached, &closes, Some(5)),
        ("nobody stops", turn, &[running(5, OURS), running(6, OURS)], None),
    ];
    for (what, until, entries, expected) in table {
        assert_eq!(end_of(until, entries), expected, "{what}");
    }
}

#[test]
fn a_stream_waits_for_what_its_request_says() {
    let task = TaskId(Uuid::from_u128(1));
    let session = TaskScope::Session(SessionId(Uuid::from_u128(1)));
    let about = |about| CommandReceipt { seq: Seq(4), about, last: Some(Seq(5)) };
    let (prompt, setting) = (about(Some((task, OURS))), about(None));
    let rfc = |form| Dialect::Rfc(form, ToolExtension::Unknown);
    let stopped = StreamEnd::TurnStopped(OURS, Seq(5));
    for dialect in [rfc(EventEncoding::Json03), Dialect::Coder(EventEncoding::Json03), Dialect::Page, Dialect::Named] {
        assert_eq!(StreamEnd::of_message(&prompt, dialect), stopped, "{dialect:?}");
    }
    let v10 = rfc(EventEncoding::Json10);
    assert_eq!(StreamEnd::of_message(&prompt, v10), StreamEnd::TaskStopped(OURS, Seq(5)));
    assert_eq!(StreamEnd::of_message(&prompt, Dialect::Flat), StreamEnd::TurnOver(OURS));
    assert_eq!(StreamEnd::of_message(&setting, v10), StreamEnd::Quiet(Seq(4)));
    assert_eq!(StreamEnd::of_blocking_send(&prompt, A2aVersion::V03), stopped);
    assert_eq!(StreamEnd::of_blocking_send(&prompt, A2aVersion::V10), StreamEnd::Quiet(Seq(5)));
    assert_eq!(StreamEnd::of_blocking_send(&setting, A2aVersion::V03), StreamEnd::Quiet(Seq(5)));
    let follow = |version, scope| StreamEnd::of_subscription(version, scope, Seq(9));
    assert_eq!(follow(A2aVersion::V03, TaskScope::Task(task)), StreamEnd::Quiet(Seq(9)));
    assert_eq!(follow(A2aVersion::V03, session), StreamEnd::Never);
    assert_eq!(follow(A2aVersion::V10, TaskScope::Task(task)), StreamEnd::Closed);
    assert_eq!(follow(A2aVersion::V10, session), StreamEnd::Closed);
}

/// A log, and where the main task's task scope stands after each of its entries.
#[derive(Default)]
struct Log {
    state: WireState,
    standings: Vec<EntryStanding>,
}

const MAIN: TaskId = TaskId(Uuid::from_u128(1));

impl Log {
    fn add(&mut self, event: Event) {
        let scope = TaskScope::Task(MAIN);
        let (seq, task) = (self.state.state.head.next(), self.state.state.task_of(&event).map(|task| (task, 1)));
        let entry = Entry { seq, at: UnixMillis(0), by: EntryAuthor::Agent, task, event };
        let before = PreviousStatus::capture(&self.state, scope);
        self.state.apply(&entry);
        self.standings.push(EntryStanding::after_entry(scope, &before, &self.state, &entry));
    }

    fn prompt(&mut self, text: &str) -> PromptId {
        self.add(Event::Prompted {
            fingerprint: CommandFingerprint::of(&CommandId(text.into()), &Command::Release),
            task: MAIN,
            kind: TaskKind::OpenEnded,
            text: text.into(),
            media: vec![],
            piped_len: 0,
            command: None,
            dialect: None,
            parts: vec![],
        });
        PromptId(self.state.state.head)
    }

    fn start(&mut self, prompt: PromptId) {
        let (model, mode, tools) = (String::new(), Default::default(), vec![]);
        self.add(Event::TurnStarted { prompt, task: MAIN, model, mode, tools });
    }
}

#[test]
fn where_things_stand_is_read_from_the_log() {
    let mut log = Log::default();
    log.add(Event::Opened(SessionOpened {
        main_task: MAIN,
        owner: Owner("me".into()),
        context: ContextId::new("ctx").expect("a label"),
        workspace: "/".into(),
        overrides: SessionOverrides::default(),
        release: "test".into(),
        edge: serde_json::Value::Null,
    }));
    let first = log.prompt("one");
    log.start(first);
    let (second, third) = (log.prompt("two"), log.prompt("three"));
    log.add(Event::TurnEnded { outcome: TurnOutcome::Rested });
    log.add(Event::Unqueued { prompt: third });
    log.start(second);
    log.add(Event::TurnEnded { outcome: TurnOutcome::Rested });
    log.add(Event::TaskClosed { task: MAIN, closing: TaskClosing::Completed });
    let standing = |seq, running, queued: &[PromptId]| EntryStanding {
        seq: Seq(seq),
        running,
        queued: queued.to_vec(),
        ..EntryStanding::default()
    };
    let expected = [
        standing(1, None, &[]),
        standing(2, None, &[first]),
        standing(3, Some(first), &[]),
        standing(4, Some(first), &[second]),
        standing(5, Some(first), &[second, third]),
        EntryStanding { ends_prompt: true, continued: Some(first), ..standing(6, None, &[second, third]) },
        EntryStanding { ends_prompt: true, ..standing(7, None, &[second]) },
        standing(8, Some(second), &[]),
        EntryStanding { ends_prompt: true, quiet: true, ..standing(9, None, &[]) },
        EntryStanding { quiet: true, closed: true, ..standing(10, None, &[]) },
    ];
    assert_eq!(log.standings, expected);
    assert_eq!(EntryStanding::of_state(TaskScope::Task(MAIN), &log.state), expected[9]);
}
