//! Laws that hold for every session, whoever does what in whichever order and wherever the process dies.

pub(crate) mod moves;

use crate::golden::{every_event, numbered};
use crate::harness::{SessionHarness, ask_about, equipment};
use moves::{LawInput, any_text, moves};
use pollux_session::{
    CallId, CallPhase, Command, Effect, Entry, Event, Grant, GrantScope, ItemId, Refusal, Report, Seq, SessionInput,
    SessionState, TaskKind, Transcript, TranscriptLine, UnixMillis, decode, encode, next, take,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};

/// The number of moves that one session sees.
pub(crate) const MOVES: usize = 80;

pub(crate) fn config(cases: u32) -> ProptestConfig {
    // No file of past failures: a failure is kept by turning it into a test of its own.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

pub(crate) fn played(moves: Vec<LawInput>) -> SessionHarness {
    let mut harness = SessionHarness::new();
    for next in moves {
        next.play(&mut harness);
    }
    harness
}

proptest! {
    #![proptest_config(config(192))]

    /// The stage itself checks after every input that the log is gapless, decodes, and folds to the state.
    #[test]
    fn any_interleaving_lives_by_the_rules(moves in prop::collection::vec(moves(), 0..MOVES)) {
        let harness = played(moves);
        each_call_lives_once(&harness.log);
        closed_tasks_stay_closed(&harness.log);
        only_open_asks_wait(&harness.log);
        calls_take_effect_in_their_order(&harness.log);
        texts_are_their_pieces(&harness.log);
        lasting_grants_are_kept_once(&harness.log);
        compaction_keeps_out_of_the_way(&harness.log);
        assert_eq!(harness.transcript, Transcript::fold(&harness.log));
        let times: Vec<_> = harness.log.iter().map(|entry| entry.at).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn every_session_can_be_brought_to_rest(moves in prop::collection::vec(moves(), 0..MOVES)) {
        let mut harness = played(moves);
        bring_to_rest(&mut harness);
        each_call_lives_once(&harness.log);
        closed_tasks_stay_closed(&harness.log);
        assert_eq!((harness.state.turn.is_none(), harness.state.queue.len()), (true, 0));
        assert_eq!((harness.owed(), harness.state.keeping, harness.state.compact_wanted), (vec![], vec![], None));
        let open_once = harness.state.tasks.values().find(|task| task.kind == TaskKind::Once && task.closed.is_none());
        assert_eq!(open_once, None);
    }
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn a_restart_between_any_two_entries_goes_on(moves in prop::collection::vec(moves(), 0..MOVES)) {
        let whole = played(moves);
        for lost in 0..whole.log.len() - 2 {
            let mut harness = whole.clone();
            harness.cut_log(lost);
            let started = started(&harness.log);
            let promised = promises(&SessionState::fold(&harness.log));
            harness.wake("model-1");
            let kept = promised.iter().all(|promise| harness.owed().contains(promise));
            assert!(kept, "what was promised is owed again: {promised:?}");
            if let Some(turn) = &harness.state.turn {
                assert_eq!(turn.item, None);
                assert!(turn.open_calls().all(|call| call.phase != CallPhase::Running));
                let asks = turn.open_calls().any(|call| matches!(call.phase, CallPhase::Asking { .. }));
                assert!(asks || !harness.owed().is_empty(), "a turn that waits for nobody");
            }
            let again = harness.owed().into_iter().any(|effect| match effect {
                Effect::Run { call } => started.contains(&call),
                Effect::Think { .. } | Effect::Vet { .. } | Effect::Compact { .. } | Effect::Keep { .. } => false,
            });
            assert!(!again, "a call that had started would run again");
            let head = harness.state.head;
            harness.wake("model-1");
            assert_eq!(harness.state.head, head, "waking twice changes nothing");
            bring_to_rest(&mut harness);
            each_call_lives_once(&harness.log);
            lasting_grants_are_kept_once(&harness.log);
        }
    }
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn however_seats_race_every_ask_has_one_answer(
        asks in 1..5_usize,
        answers in prop::collection::vec((0..6_usize, 0..5_usize, 0..3_usize), 0..40),
    ) {
        let labels: Vec<String> = (0..asks).map(|n| format!("write {n}")).collect();
        let mut harness = SessionHarness::calling(&labels.iter().map(String::as_str).collect::<Vec<_>>());
        for label in &labels {
            harness.ask(label);
        }
        let calls: Vec<CallId> = labels.iter().map(|label| harness.call(label)).collect();
        let options = ask_about("write", "a").options;
        let mut winners: BTreeMap<CallId, (String, String)> = BTreeMap::new();
        for (seat, nth, option) in answers {
            let (seat, call, option) = (format!("seat {seat}"), calls[nth % asks], options[option].id.clone());
            let sent = harness.send(&seat, Command::Answer { call, option: option.clone(), edit: None });
            match winners.get(&call) {
                None => {
                    assert!(sent.is_ok());
                    winners.insert(call, (option, seat));
                }
                Some((choice, winner)) => match sent {
                    Err(Refusal::AlreadyDecided { call: told, choice: chosen, by }) => {
                        assert_eq!((told, &chosen, &by.to_string()), (call, choice, winner));
                    }
                    other => panic!("the loser was told {other:?}"),
                },
            }
        }
        let answered: Vec<CallId> = harness.log.iter().filter_map(|entry| match &entry.event {
            Event::Answered { call, .. } => Some(*call),
            _ => None,
        }).collect();
        assert_eq!(answered.len(), winners.len());
        assert_eq!(answered.into_iter().collect::<BTreeSet<_>>(), winners.into_keys().collect());
    }

    #[test]
    fn every_entry_decodes_to_what_was_encoded(text in any_text(), value in moves::any_json()) {
        let log = numbered(every_event(&text, &value), &text);
        for entry in &log {
            assert_eq!(&decode(&encode(entry)).unwrap(), entry);
        }
    }

    /// A log that no session wrote: events in any order, any number of times, with a clock that runs backwards.
    #[test]
    fn no_log_however_strange_brings_its_reader_down(picks in prop::collection::vec(any::<Index>(), 0..120)) {
        let known = every_event("text", &serde_json::Value::Null);
        let mut log = numbered(picks.iter().map(|pick| pick.get(&known).clone()).collect(), "ann");
        for entry in &mut log {
            entry.at = UnixMillis(1_000 - entry.seq.0);
        }
        let mut state = SessionState::fold(&log);
        let _ = take(&mut state, &SessionInput::Woken(equipment("model-1")), UnixMillis(0));
        Transcript::fold(&log);
    }
}

/// At most one ask, one start and one end per call, and nothing starts that was not allowed just before.
fn each_call_lives_once(log: &[Entry]) {
    let mut lives: BTreeMap<CallId, Vec<&str>> = BTreeMap::new();
    for entry in log {
        let (call, what) = match &entry.event {
            Event::Called { .. } => (CallId(entry.seq), "called"),
            Event::Asked { call, .. } => (*call, "asked"),
            Event::Allowed { call, .. } => (*call, "may run"),
            Event::Answered { call, allows: true, .. } => (*call, "may run"),
            Event::CallStarted { call } => (*call, "started"),
            Event::CallEnded { call, .. } => (*call, "ended"),
            _ => continue,
        };
        lives.entry(call).or_default().push(what);
    }
    for (call, life) in lives {
        let count = |step| life.iter().filter(|other| **other == step).count();
        assert!(["called", "asked", "started", "ended"].into_iter().all(|step| count(step) <= 1), "{call}: {life:?}");
        assert_eq!(life.first(), Some(&"called"), "{call}: {life:?}");
        assert!(!life.contains(&"ended") || life.last() == Some(&"ended"), "{call}: {life:?}");
        // A change of mode may have it vetted again, but what starts was allowed last and is not vetted any more.
        if let Some(start) = life.iter().position(|step| *step == "started") {
            assert_eq!(life[start - 1], "may run", "{call}: {life:?}");
            assert!(life[start + 1..].iter().all(|step| *step == "ended"), "{call}: {life:?}");
        }
    }
}

/// Whoever reads entry by entry is told to answer only while there is something to answer.
fn only_open_asks_wait(log: &[Entry]) {
    let mut state = SessionState::default();
    for entry in log {
        state.apply(entry);
        let asks = state
            .turn
            .as_ref()
            .is_some_and(|turn| turn.open_calls().any(|call| matches!(call.phase, CallPhase::Asking { .. })));
        assert!(asks || !state.only_asks_remain(), "nobody can answer after {entry:?}");
    }
}

/// A call of an answer starts when all before it are over, neighbours of one kind that change nothing aside; asks are recorded
/// in the order of the calls, but for those that fitted no file at first.
fn calls_take_effect_in_their_order(log: &[Entry]) {
    let mut state = SessionState::default();
    let mut deferred = BTreeSet::new();
    for entry in log {
        if let (Event::CallStarted { call } | Event::Asked { call, .. }, Some(turn)) = (&entry.event, &state.turn)
            && let Some(known) = turn.calls.get(call)
            && known.parent.is_none()
        {
            for before in turn.calls_before(known) {
                match entry.event {
                    Event::CallStarted { .. } => {
                        let is_vetted = !matches!(before.phase, CallPhase::Vetting | CallPhase::Deferred);
                        assert!(is_vetted && before.kind == known.kind, "{call} overtakes {}: {entry:?}", before.id);
                        assert!(!known.kind.changes_things(), "{call} overtakes {}: {entry:?}", before.id);
                    }
                    _ => assert!(
                        before.phase != CallPhase::Vetting || deferred.contains(&before.id),
                        "{call} asks before {}: {entry:?}",
                        before.id
                    ),
                }
            }
        }
        if let Event::Deferred { call } = entry.event {
            deferred.insert(call);
        }
        state.apply(entry);
    }
}

/// A closed task is never prompted, worked for or closed again.
fn closed_tasks_stay_closed(log: &[Entry]) {
    let mut closed = BTreeSet::new();
    for entry in log {
        if let Some((task, _)) = entry.task {
            assert!(!closed.contains(&task), "{task} is closed: {entry:?}");
        }
        if let Event::TaskClosed { task, .. } = &entry.event {
            closed.insert(*task);
        }
    }
}

/// The pieces of every item follow each other without a gap and are what the transcript shows.
fn texts_are_their_pieces(log: &[Entry]) {
    let mut texts: BTreeMap<ItemId, String> = BTreeMap::new();
    for entry in log {
        match &entry.event {
            Event::Said { text, .. } => {
                texts.insert(ItemId(entry.seq), text.clone());
            }
            Event::Piece { item, offset, text } => {
                let so_far = texts.get_mut(item).unwrap();
                assert_eq!(so_far.len() as u64, *offset);
                so_far.push_str(text);
            }
            Event::ItemEnded { item, len, .. } => assert_eq!(texts[item].len() as u64, *len),
            _ => {}
        }
    }
    let transcript = Transcript::fold(log);
    let shown = transcript.lines().filter_map(|line| match line {
        TranscriptLine::Item { id, text, .. } => Some((*id, text.clone())),
        _ => None,
    });
    assert_eq!(shown.collect::<BTreeMap<_, _>>(), texts);
}

/// A lasting grant is owed to the policy file from its answer until it is reported there, and holds at once.
fn lasting_grants_are_kept_once(log: &[Entry]) {
    let mut state = SessionState::default();
    let mut owed: BTreeSet<(Grant, GrantScope)> = BTreeSet::new();
    for entry in log {
        state.apply(entry);
        match &entry.event {
            Event::Answered { grant: Some(grant), reach, .. } => {
                assert_eq!(state.grants.last(), Some(&(grant.clone(), entry.by.clone())));
                if *reach != GrantScope::Session {
                    owed.insert((grant.clone(), *reach));
                }
            }
            Event::Kept { grant, reach, .. } => {
                assert!(owed.remove(&(grant.clone(), *reach)), "nobody gave what was kept: {entry:?}");
            }
            _ => {}
        }
        let keeping = state.keeping.iter().map(|keeping| (keeping.grant.clone(), keeping.reach));
        assert_eq!(keeping.collect::<Vec<_>>().len(), owed.len(), "after {entry:?}");
        assert!(state.keeping.iter().all(|keeping| owed.contains(&(keeping.grant.clone(), keeping.reach))));
        assert!(state.keeping.iter().all(|keeping| next(&state).contains(&Effect::Keep { answer: keeping.answer })));
    }
}

/// No turn starts while a compaction is wanted, no summary is made while a call is open, and as many summaries stand
/// as the model is told.
fn compaction_keeps_out_of_the_way(log: &[Entry]) {
    let (mut state, mut transcript) = (SessionState::default(), Transcript::default());
    for entry in log {
        let calls_open = state.turn.as_ref().is_some_and(|turn| turn.open_calls().next().is_some());
        match &entry.event {
            Event::TurnStarted { .. } => assert_eq!(state.compact_wanted, None, "{entry:?}"),
            Event::Compacted { .. } => assert!(!calls_open, "{entry:?}"),
            _ => {}
        }
        state.apply(entry);
        transcript.apply(entry);
        let is_standing = |line: &&&TranscriptLine| matches!(line, TranscriptLine::Summary { undone: false, .. });
        let standing = transcript.told().iter().filter(is_standing).count();
        assert_eq!(standing, state.summaries.count(), "after {entry:?}");
    }
}

/// The work that no turn asks for.
fn promises(state: &SessionState) -> Vec<Effect> {
    let promise = |effect: &Effect| matches!(effect, Effect::Compact { .. } | Effect::Keep { .. });
    next(state).into_iter().filter(promise).collect()
}

fn started(log: &[Entry]) -> BTreeSet<CallId> {
    let started = log.iter().filter_map(|entry| match entry.event {
        Event::CallStarted { call } => Some(call),
        _ => None,
    });
    started.collect()
}

/// Do what is owed, answer what is asked and release what is held until nothing is left.
fn bring_to_rest(harness: &mut SessionHarness) {
    for _ in 0..1_000 {
        let asking = harness.state.turn.as_ref().and_then(|turn| {
            turn.open_calls().find(|call| matches!(call.phase, CallPhase::Asking { .. })).map(|call| call.id)
        });
        match (harness.owed().first().copied(), asking) {
            (Some(Effect::Think { .. }), _) => harness.step(&[]),
            (Some(Effect::Keep { .. }), _) => harness.keep(None),
            (Some(Effect::Compact { .. }), _) => harness.compacted(1, "so far"),
            (Some(effect @ Effect::Vet { .. }), _) => {
                harness.report(effect, moves::allowed()).unwrap();
            }
            (Some(effect @ Effect::Run { call }), _) => {
                if harness.state.turn.as_ref().unwrap().calls[&call].phase == CallPhase::Ready {
                    harness.report(effect, Report::Starting).unwrap();
                }
                harness.report(effect, moves::succeeded()).unwrap();
            }
            (None, Some(call)) => {
                let answer = Command::Answer { call, option: "proceed_once".into(), edit: None };
                harness.send("ann", answer).unwrap();
            }
            (None, None) if harness.state.held().next().is_some() => harness.release("ann"),
            (None, None) => return,
        }
    }
    panic!("the session never rests; its log is at {}", harness.state.head.max(Seq(1)));
}
