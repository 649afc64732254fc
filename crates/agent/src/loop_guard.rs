//! A model that goes round in circles is told so, and stopped if it goes on; a session that has had all its turns is stopped,
//! too. The person is told.

use pollux_session::{BuiltInTool, CallOutcome, LOOP_ATTACHMENT, Transcript, TranscriptLine, TurnFailure};
use serde_json::Value;

/// The number of times in a row that the same round of calls may come.
const REPEATS: usize = 5;
/// The same for calls that wait for a quiet command in the background, ten minutes at the most.
const MOST_WAITS: usize = 100;
/// The number of times that a model is told in one turn, each time because of another tool.
const MOST_NOTES: usize = 3;
/// The longest round that is looked for.
const LONGEST_ROUND: usize = 3;

/// What follows when the newest calls of a turn are the same ones over and over.
#[derive(Debug, PartialEq)]
pub(crate) enum CallLoop {
    /// The model is told this text, which people see under this name.
    Tell { name: String, text: String },
    /// It was told before: the turn stops.
    Stop(TurnFailure),
}

/// Look for a round of calls that repeats itself in the running turn, since the model was last told of one.
pub(crate) fn detect_call_loop(transcript: &Transcript) -> Option<CallLoop> {
    fn noted(line: &TranscriptLine) -> Option<&str> {
        let TranscriptLine::Attachment { name, .. } = line else { return None };
        name.strip_prefix(LOOP_ATTACHMENT)
    }
    let turn = || transcript.lines().rev().take_while(|line| !matches!(line, TranscriptLine::Turn { .. }));
    let calls: Vec<_> = turn()
        .take_while(|line| noted(line).is_none())
        .filter_map(|line| match line {
            TranscriptLine::Call { outcome: Some(CallOutcome::Superseded), .. }
            | TranscriptLine::Call { parent: Some(_), .. } => None,
            // The same call with another result is progress: that is what polling looks like.
            TranscriptLine::Call { tool, args, outcome, .. } => Some((tool, args, outcome)),
            _ => None,
        })
        .take(MOST_WAITS * LONGEST_ROUND)
        .collect();
    let (tool, ..) = calls.first()?;
    let repeats = |round: usize| {
        let waits = calls.iter().take(round).all(|(tool, args, _)| waits_for_background(tool, args));
        let times = if waits { MOST_WAITS } else { REPEATS };
        let is_round = calls.len() >= round * times && (round..round * times).all(|at| calls[at] == calls[at % round]);
        is_round.then_some(times)
    };
    let times = (1..=LONGEST_ROUND).find_map(repeats)?;
    let told: Vec<&str> = turn().filter_map(noted).collect();
    if told.contains(&tool.as_str()) || told.len() >= MOST_NOTES {
        return Some(CallLoop::Stop(TurnFailure {
            kind: "loop_detected".into(),
            message: format!(
                "stopped: the model made the same calls {times} times in a row ({tool} among them), although it had been \
                 told that it goes round in circles; tell it what to do differently"
            ),
        }));
    }
    let text = format!(
        "[You have made the same calls {times} times in a row ({tool} among them), with the same results. Making them again \
         will not help, and the turn stops if you do. Do something else: look elsewhere, try another way, or say what you \
         have found and what you cannot do. To wait for a command in the background, call {} with wait_for or \
         delay_ms.]",
        BuiltInTool::ReadBackgroundOutput.name()
    );
    Some(CallLoop::Tell { name: format!("{LOOP_ATTACHMENT}{tool}"), text })
}

/// Whether a call waits for a command in the background, which may be quiet for long.
fn waits_for_background(tool: &str, args: &Value) -> bool {
    tool == BuiltInTool::ReadBackgroundOutput.name()
        && ["delay_ms", "wait_for"].iter().any(|name| args.get(name).is_some_and(|given| !given.is_null()))
}

/// Why a streaming answer is stopped that says the same over and over.
pub(crate) fn repetition_failure() -> TurnFailure {
    TurnFailure {
        kind: "loop_detected".into(),
        message: "stopped: the model said the same thing over and over; tell it what to do differently".into(),
    }
}

/// Why the running turn does not go on, when it is one more than a session may have.
pub(crate) fn check_turn_limit(transcript: &Transcript, most: u32) -> Option<TurnFailure> {
    // What a command answers by itself costs nothing; one that hands its turn to the model attaches something first.
    let (mut turns, mut commanded) = (0, false);
    for line in transcript.lines() {
        match line {
            TranscriptLine::Turn { command, .. } => {
                commanded = command.is_some();
                turns += usize::from(!commanded);
            }
            TranscriptLine::Attachment { .. } if commanded => {
                commanded = false;
                turns += 1;
            }
            _ => {}
        }
    }
    (turns > usize::try_from(most).unwrap_or(usize::MAX)).then(|| TurnFailure {
        kind: "turn_limit".into(),
        message: format!(
            "this session has had the {most} turns that model.maxSessionTurns allows; start a new session, or raise it"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollux_session::{ApprovalMode, Entry, EntryAuthor, Event, PromptId, SessionId, UnixMillis};
    use serde_json::{Value, json};

    /// What follows in a turn with these calls. One that is called `note` stands for the words to the model.
    fn after(calls: &[(&str, Value)]) -> Option<CallLoop> {
        let task = "01890000-0000-7000-8000-000000000001".parse::<SessionId>().unwrap().main_task();
        let started = Event::TurnStarted {
            prompt: PromptId(pollux_session::Seq(1)),
            task,
            model: "m".into(),
            mode: ApprovalMode::Default,
            tools: vec![],
        };
        let ended =
            || Event::StepEnded { finish: "STOP".into(), usage: Default::default(), citations: vec![], response: None };
        let mut events = vec![started];
        for (tool, args) in calls {
            events.push(ended());
            if *tool == "note" {
                let name = format!("{LOOP_ATTACHMENT}read_file");
                events.push(Event::Attached { name, text: "[again]".into(), media: vec![], seen: Vec::new() });
                continue;
            }
            let (tool, args) = ((*tool).to_owned(), args.clone());
            events.push(Event::Called { tool, args, meta: Value::Null, replaces: None, parent: None });
        }
        let entries: Vec<Entry> = events
            .into_iter()
            .zip(1..)
            .map(|(event, seq)| Entry {
                seq: pollux_session::Seq(seq),
                at: UnixMillis(0),
                by: EntryAuthor::Agent,
                task: None,
                event,
            })
            .collect();
        detect_call_loop(&Transcript::fold(&entries))
    }

    #[test]
    fn the_same_call_five_times_is_a_loop_and_four_times_is_not() {
        let read = ("read_file", json!({"file_path": "a"}));
        assert_eq!(after(&vec![read.clone(); 4]), None);
        let Some(CallLoop::Tell { name, text }) = after(&vec![read; 5]) else { panic!() };
        assert!(name.ends_with("read_file") && text.contains("5 times in a row"), "{name} {text}");
    }

    #[test]
    fn a_model_that_was_told_and_goes_on_is_stopped() {
        let read = ("read_file", json!({"file_path": "a"}));
        let told = |before: usize, after: usize| {
            let note = ("note", Value::Null);
            [vec![read.clone(); before], vec![note], vec![read.clone(); after]].concat()
        };
        assert_eq!(after(&told(5, 4)), None);
        let Some(CallLoop::Stop(failure)) = after(&told(5, 5)) else { panic!() };
        assert_eq!(failure.kind, "loop_detected");
        // Another tool is another circle, and it is told of that, too.
        let glob = vec![("glob", json!({"pattern": "a"})); 5];
        assert!(matches!(after(&[told(5, 0), glob.clone()].concat()), Some(CallLoop::Tell { .. })));
        assert!(matches!(after(&[told(0, 0), told(0, 0), told(0, 0), glob].concat()), Some(CallLoop::Stop(_))));
    }

    #[test]
    fn waiting_for_a_quiet_command_is_no_loop() {
        let wait = |args: Value, times: usize| vec![("read_background_output", args); times];
        assert_eq!(after(&wait(json!({"pid": 1, "delay_ms": 1000}), 99)), None);
        assert_eq!(after(&wait(json!({"pid": 1, "wait_for": "ready"}), 99)), None);
        assert!(after(&wait(json!({"pid": 1, "delay_ms": 1000}), 100)).is_some(), "but not for ever");
        assert!(after(&wait(json!({"pid": 1, "delay_ms": null}), 5)).is_some());
    }

    #[test]
    fn a_round_of_two_is_a_loop_and_progress_is_not() {
        let (a, b) = (("read_file", json!({"p": "a"})), ("write_file", json!({"p": "a"})));
        let round: Vec<_> = std::iter::repeat_n([a, b], 5).flatten().collect();
        assert!(after(&round).is_some());
        let progress: Vec<_> = (0..20).map(|n| ("read_file", json!({"line": n}))).collect();
        assert_eq!(after(&progress), None);
    }
}
