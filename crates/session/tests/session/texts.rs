//! The transcript: the same log, as the conversation a person reads and a model is told.

use crate::harness::{SessionHarness, task};
use expect_test::expect;
use pollux_session::{
    AnswerEdit, CallOutcome, CallResult, Entry, EntryAuthor, Event, ItemKind, ModelUsage, Seq, TaskKind, Transcript,
    TranscriptLine, TurnId, TurnOutcome, UnixMillis,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn lines(harness: &SessionHarness) -> Vec<TranscriptLine> {
    harness.transcript.lines().cloned().collect()
}

#[test]
fn a_turn_reads_as_its_lines() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "go");
    harness.text("I ");
    harness.text("will");
    harness.retrying(2);
    harness.step(&["write a"]);
    harness.ask("write a");
    harness.answer_edited("bob", "write a", "proceed_once", "mine");
    harness.start("write a");
    harness.output("write a", "12", 0);
    harness.output("write a", "345", 0);
    harness.done("write a");
    harness.text("Done");
    harness.step(&[]);
    let ann = EntryAuthor::from(&crate::harness::somebody("ann"));
    let bob = EntryAuthor::from(&crate::harness::somebody("bob"));
    let (prompt, turn, at) = (harness.prompt_id("go"), TurnId(Seq(4)), UnixMillis(1_000));
    let command = Some(pollux_session::CommandId("command 1".into()));
    let item = |seq, step, text: &str, cut| TranscriptLine::Item {
        id: pollux_session::ItemId(Seq(seq)),
        task: task(0),
        step,
        kind: ItemKind::Text,
        at,
        text: text.into(),
        cut,
        meta: Value::Null,
    };
    let step = |seq| TranscriptLine::Step {
        seq: Seq(seq),
        task: Some(task(0)),
        finish: "STOP".into(),
        usage: ModelUsage::default(),
        citations: vec![],
    };
    assert_eq!(
        lines(&harness),
        [
            TranscriptLine::Prompt {
                id: prompt,
                task: task(0),
                by: ann,
                at,
                text: "go".into(),
                media: vec![],
                piped_len: 0,
                command,
                parts: vec![]
            },
            TranscriptLine::Turn { id: turn, prompt, task: task(0), model: "model-1".into(), command: None },
            item(5, 1, "I will", true),
            TranscriptLine::Retry { reason: "overloaded".into(), attempt: 2, wait_ms: 500 },
            step(9),
            TranscriptLine::Call {
                id: harness.call("write a"),
                task: task(0),
                step: 1,
                replaces: None,
                parent: None,
                tool: "write".into(),
                args: json!({"about": "a"}),
                meta: Value::Null,
                at,
                ask: Some(crate::harness::ask_about("write", "a")),
                decided: Some(("proceed_once".into(), bob)),
                edit: Some(AnswerEdit::Content { new: "mine".into() }),
                started: true,
                output: "12345".into(),
                output_cut: 0,
                outcome: Some(CallOutcome::Succeeded {
                    result: CallResult { text: "ok".into(), ..CallResult::default() }
                }),
                response: None,
            },
            item(17, 2, "Done", false),
            step(19),
            TranscriptLine::End { turn, task: task(0), at, outcome: TurnOutcome::Rested },
        ]
    );
}

#[test]
fn what_an_answer_is_called_stays_with_its_calls() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "go");
    let named = |harness: &SessionHarness| harness.state.turn.as_ref().and_then(|turn| turn.response.clone());
    let response = || Some("r-1".to_owned());
    harness.answered("r-1", "I will", &["delegate digging"]);
    assert_eq!(named(&harness), response());
    harness.allow("delegate digging");
    harness.start("delegate digging");
    harness.within("delegate digging", "read a");
    let calls = harness.state.turn.as_ref().unwrap().calls.values();
    let came_with: Vec<_> = calls.map(|call| (call.tool.as_str(), call.response.clone())).collect();
    assert_eq!(came_with, [("delegate", response()), ("read", None)]);
    harness.done("delegate digging");
    // The next answer has not begun.
    assert_eq!(named(&harness), None);
    harness.answered("r-2", "Done", &[]);
    let told = lines(&harness).into_iter().filter_map(|line| match line {
        TranscriptLine::Call { tool, response, .. } => Some((tool, response)),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [("delegate".to_owned(), response()), ("read".to_owned(), None)]);
    let names = harness.log.iter().filter_map(|entry| match &entry.event {
        Event::Said { response, .. } | Event::StepEnded { response, .. } => response.clone(),
        _ => None,
    });
    assert_eq!(names.collect::<Vec<_>>(), ["r-1", "r-1", "r-2", "r-2"]);
}

#[test]
fn what_a_prompt_mentions_is_a_line_of_its_turn() {
    let mut harness = SessionHarness::new();
    harness.attached("@early", "there is no turn");
    harness.prompt("ann", "explain @a.rs");
    harness.attached("@a.rs", "fn main() {}");
    harness.text("It does nothing.");
    harness.check(expect![[r#"
         - agent refused: this work is no longer owed
         3 ann   prompted main (OpenEnded) "explain @a.rs"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent attaches @a.rs "fn main() {}"
         6 agent says "It does nothing."
        owed: think 1
    "#]]);
    let (name, text) = ("@a.rs".into(), "fn main() {}".into());
    assert_eq!(lines(&harness)[2], TranscriptLine::Attachment { id: Seq(5), task: task(0), name, text, media: vec![] });
    assert_eq!(harness.log[4].task, Some((task(0), 3)));
}

#[test]
fn the_summary_that_stands_is_the_newest_not_taken_back() {
    let mut harness = SessionHarness::new();
    assert_eq!(harness.transcript.summary(), None);
    for (before, summary) in [(2, "a"), (3, "a and b")] {
        harness.compact("ann");
        harness.compacted(before, summary);
        assert_eq!(harness.transcript.summary(), Some((Seq(before), summary)));
    }
    harness.uncompact("ann");
    assert_eq!(harness.transcript.summary(), Some((Seq(2), "a")));
    harness.uncompact("ann");
    assert_eq!(harness.transcript.summary(), None);
}

#[test]
fn the_conversation_before_an_entry_is_its_prefix() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.text("first");
    harness.step(&[]);
    let before = harness.state.head.next();
    let first: Vec<TranscriptLine> = lines(&harness);
    harness.prompt("ann", "two");
    harness.text("second");
    assert_eq!(harness.transcript.until(before).lines().cloned().collect::<Vec<_>>(), first);
    assert_eq!(harness.transcript.until(Seq(1)).lines().count(), 0);
    assert_eq!(harness.transcript.until(Seq(999)).lines().cloned().collect::<Vec<_>>(), lines(&harness));
}

#[test]
fn prompts_that_left_the_queue_leave_no_line() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.prompt_new("ann", 1, TaskKind::Once, "three");
    harness.text("a");
    harness.unqueue("ann", "two");
    harness.requeue("ann", "three", "3");
    harness.text("b");
    let texts: Vec<String> = lines(&harness)
        .into_iter()
        .filter_map(|line| match line {
            TranscriptLine::Prompt { text, .. } | TranscriptLine::Item { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["one", "3", "ab"]);
}

/// A transcript with one running call, fed these pieces of output.
fn printed(pieces: &[(u64, &str)]) -> (String, u64) {
    let mut harness = SessionHarness::calling(&["run ls"]);
    harness.allow("run ls");
    harness.start("run ls");
    let mut transcript: Transcript = harness.transcript.clone();
    for (offset, text) in pieces {
        let event = Event::Output { call: harness.call("run ls"), offset: *offset, text: (*text).into() };
        transcript.apply(&Entry { seq: Seq(99), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event });
    }
    let found = transcript.lines().find_map(|line| match line {
        TranscriptLine::Call { output, output_cut, .. } => Some((output.clone(), *output_cut)),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn only_the_tail_of_a_long_output_is_kept() {
    const TAIL: usize = 64 * 1024;
    let full = "x".repeat(TAIL);
    assert_eq!(printed(&[(0, &full)]), (full.clone(), 0));
    assert_eq!(printed(&[(0, "head"), (4, &full)]), (full.clone(), 4));
    // The cut falls inside a two-byte letter: the whole letter goes.
    assert_eq!(printed(&[(0, "aé"), (3, &full[..TAIL - 1])]), (full[..TAIL - 1].to_owned(), 3));
}

#[test]
fn a_gap_in_the_output_starts_its_tail_anew() {
    assert_eq!(printed(&[(0, "ab"), (2, "cd")]), ("abcd".into(), 0));
    assert_eq!(printed(&[(0, "ab"), (1_000, "cd")]), ("cd".into(), 1_000));
}

#[test]
fn a_copy_does_not_change_with_the_original() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.text("a");
    let before = harness.transcript.clone();
    harness.text("b");
    assert_eq!(before, Transcript::fold(&harness.log[..5]));
    assert_eq!(harness.transcript, Transcript::fold(&harness.log));
}
