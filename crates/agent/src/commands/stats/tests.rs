use super::render_stats;
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_session::{
    ApprovalMode, CallId, CallOutcome, CallResult, ConversationStats, Entry, EntryAuthor, Event, ModelUsage, PromptId,
    Seq, TaskId, TurnFailure, TurnOutcome, UnixMillis,
};
use pretty_assertions::assert_eq;
use std::sync::Arc;

const USAGE: ModelUsage = ModelUsage { prompt: 10, cached: 4, output: 2, thoughts: 1 };

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

/// The screen shows a ✗ for a command that ended with another exit code than 0, so it did not succeed here either.
#[test]
fn a_command_that_failed_has_not_succeeded() {
    let mut stats = ConversationStats::new(None);
    let mut seq = 0;
    for exit_code in [None, Some(0), Some(2)] {
        let result = CallResult { exit_code, ..CallResult::default() };
        let call = CallId(Seq(seq + 1));
        let called = Event::Called {
            tool: "run_shell_command".into(),
            args: serde_json::Value::Null,
            meta: serde_json::Value::Null,
            parent: None,
            replaces: None,
        };
        for event in [called, Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } }] {
            seq += 1;
            stats.apply(&Entry { seq: Seq(seq), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event });
        }
    }
    assert!(render_stats(&stats).ends_with("tool calls: 3, of which 2 succeeded"), "{}", render_stats(&stats));
    // Gemini CLI counts what the tool did, and so does the JSON of headless runs.
    assert_eq!(stats.total_tool_calls().succeeded, 3);
}

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
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), |_| None));
    let mut stats = ConversationStats::new(Some(models.prices()));
    for (seq, event) in (1..).zip(events) {
        stats.apply(&Entry { seq: Seq(seq), at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event });
    }
    assert_eq!(
        render_stats(&stats),
        "turns: 2\nmodel calls: 5, of which 2 failed\ntokens: 30 in (12 from a cache), 6 out, 3 for thoughts\n\
         cost: not known for every model that was asked\ntool calls: 0, of which 0 succeeded"
    );
}
