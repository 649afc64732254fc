use super::*;
use pollux_model::ModelCatalogue;
use pollux_session::{ApprovalMode, CallId, Entry, EntryAuthor, Event, PromptId, Seq, TaskId, TurnFailure, UnixMillis};
use pretty_assertions::assert_eq;

const USAGE: ModelUsage = ModelUsage { prompt: 10, cached: 4, output: 2, thoughts: 1 };

fn transcript(events: Vec<Event>) -> Transcript {
    let entries: Vec<Entry> = (1..)
        .zip(events)
        .map(|(seq, event)| Entry { seq: Seq(seq), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event })
        .collect();
    Transcript::fold(&entries)
}

fn turn() -> Event {
    let task = TaskId(uuid::Uuid::nil());
    Event::TurnStarted {
        prompt: PromptId(Seq(1)),
        task,
        model: "one".into(),
        mode: ApprovalMode::Default,
        tools: Vec::new(),
    }
}

fn step() -> Event {
    Event::StepEnded { finish: "STOP".into(), usage: USAGE, citations: Vec::new(), response: None }
}

/// As the fold of the terminal and of headless JSON counts them.
#[test]
fn failed_calls_summaries_and_what_calls_asked_are_counted() {
    let failure = TurnFailure { kind: "model_server".into(), message: "no".into() };
    let events = vec![
        turn(),
        Event::Retrying { reason: "503".into(), attempt: 2, wait_ms: 1 },
        Event::Spent { call: CallId(Seq(1)), model: "two".into(), usage: USAGE },
        step(),
        Event::TurnEnded { outcome: TurnOutcome::Rested },
        Event::Compacted { before: Seq(1), summary: "so far".into(), usage: USAGE },
        turn(),
        Event::TurnEnded { outcome: TurnOutcome::Failed { failure } },
        turn(),
        Event::Commanded { name: "about".into() },
        Event::StepEnded { finish: "STOP".into(), usage: ModelUsage::default(), citations: Vec::new(), response: None },
        Event::TurnEnded { outcome: TurnOutcome::Rested },
    ];
    let models = ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None);
    let said = SessionStats::count(&transcript(events), &models).render();
    assert_eq!(
        said,
        "turns: 2\nmodel calls: 5, of which 2 failed\ntokens: 30 in (12 from a cache), 6 out, 3 for thoughts\n\
         cost: not known for every model that was asked\ntool calls: 0, of which 0 succeeded"
    );
}
