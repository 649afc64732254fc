//! A model that goes round in circles is stopped, a session that has had all its turns too, and the person is told.

use pollux_session::{CallOutcome, Transcript, TranscriptLine, TurnFailure};

/// The number of times in a row that the same round of calls may come.
const REPEATS: usize = 5;
/// The longest round that is looked for.
const LONGEST_ROUND: usize = 3;

/// Why the running turn is stopped, when its newest calls are the same ones over and over.
pub(crate) fn detect_call_loop(transcript: &Transcript) -> Option<TurnFailure> {
    let turn = transcript.lines().rev().take_while(|line| !matches!(line, TranscriptLine::Turn { .. }));
    let calls: Vec<_> = turn
        .filter_map(|line| match line {
            TranscriptLine::Call { outcome: Some(CallOutcome::Superseded), .. }
            | TranscriptLine::Call { parent: Some(_), .. } => None,
            // The same call with another result is progress: that is what polling looks like.
            TranscriptLine::Call { tool, args, outcome, .. } => Some((tool, args, outcome)),
            _ => None,
        })
        .take(REPEATS * LONGEST_ROUND)
        .collect();
    let (tool, ..) = calls.first()?;
    let repeats = |round: usize| {
        calls.len() >= round * REPEATS && (round..round * REPEATS).all(|at| calls[at] == calls[at % round])
    };
    (1..=LONGEST_ROUND).any(repeats).then(|| TurnFailure {
        kind: "loop_detected".into(),
        message: format!(
            "stopped: the model made the same calls {REPEATS} times in a row ({tool} among them); \
             tell it what to do differently"
        ),
    })
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

    fn after(calls: &[(&str, Value)]) -> Option<TurnFailure> {
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
        assert_eq!(after(&vec![read; 5]).unwrap().kind, "loop_detected");
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
