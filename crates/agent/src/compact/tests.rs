use super::*;
use crate::history::text_contents;
use pollux_model::{MessagePart, MessageRole};
use pollux_session::{
    ApprovalMode, CallOutcome, CallResult, Entry, EntryAuthor, Event, ItemKind, PromptId, SessionId, TaskKind,
    TurnOutcome, UnixMillis,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// A log written by hand.
#[derive(Default)]
struct TestLog(Vec<Entry>);

impl TestLog {
    fn add(&mut self, event: Event) -> Seq {
        let seq = Seq(self.0.len() as u64 + 1);
        self.0.push(Entry { seq, at: UnixMillis(0), by: EntryAuthor::Agent, task: None, event });
        seq
    }

    fn begin(&mut self, text: &str) -> Seq {
        let task = "01890000-0000-7000-8000-000000000001".parse::<SessionId>().unwrap().main_task();
        let fingerprint = serde_json::from_value(json!("f")).unwrap();
        let (kind, text) = (TaskKind::OpenEnded, text.into());
        let prompted = Event::Prompted {
            fingerprint,
            task,
            kind,
            text,
            media: vec![],
            piped_len: 0,
            command: None,
            dialect: None,
            parts: vec![],
        };
        let prompt = PromptId(self.add(prompted));
        self.add(Event::TurnStarted { prompt, task, model: "m".into(), mode: ApprovalMode::Default, tools: vec![] })
    }

    fn step(&mut self, text: &str, call: Option<&str>) {
        let said = self.add(Event::Said { kind: ItemKind::Text, text: text.into(), response: None });
        self.add(Event::ItemEnded {
            item: pollux_session::ItemId(said),
            len: text.len() as u64,
            cut: false,
            meta: Value::Null,
        });
        self.add(Event::StepEnded {
            finish: "STOP".into(),
            usage: ModelUsage { prompt: 900, ..ModelUsage::default() },
            citations: vec![],
            response: None,
        });
        if let Some(output) = call {
            let called = Event::Called {
                tool: "read_file".into(),
                args: json!({}),
                meta: Value::Null,
                replaces: None,
                parent: None,
            };
            let call = pollux_session::CallId(self.add(called));
            let result = CallResult { text: output.into(), ..CallResult::default() };
            self.add(Event::CallEnded { call, outcome: CallOutcome::Succeeded { result } });
        }
    }

    fn end(&mut self) {
        self.add(Event::TurnEnded { outcome: TurnOutcome::Rested });
    }

    fn transcript(&self) -> Transcript {
        Transcript::fold(&self.0)
    }
}

/// The roles and the first words of what the model is told.
fn outline(contents: &[ModelMessage]) -> Vec<(MessageRole, Vec<String>)> {
    let first_words = |part: &MessagePart| match &part.data {
        PartData::Text(text) => text.chars().take(12).collect(),
        PartData::FunctionCall { .. } => "call".to_owned(),
        PartData::FunctionResponse { .. } => "result".to_owned(),
        PartData::Other(_) => "other".to_owned(),
    };
    contents.iter().map(|content| (content.role, content.parts.iter().map(first_words).collect())).collect()
}

#[test]
fn the_older_turns_become_a_summary_and_it_can_be_taken_back() {
    let mut log = TestLog::default();
    for number in 1..=4 {
        log.begin(&format!("prompt {number}"));
        log.step(&format!("answer {number} {}", "x".repeat(2000)), None);
        log.end();
    }
    let whole = outline(&text_contents(&log.transcript(), ""));
    let before = boundary(&log.transcript()).unwrap();
    log.add(Event::Compacted { before, summary: "what was".into(), usage: ModelUsage::default() });
    let user = |text: &str| (MessageRole::User, vec![text.to_owned()]);
    let model = |text: &str| (MessageRole::Model, vec![text.to_owned()]);
    // The summary and the kept prompt are one content: both are the user's.
    assert_eq!(
        outline(&text_contents(&log.transcript(), ""))[..2],
        [(MessageRole::User, vec!["[This summar".to_owned(), "prompt 3".to_owned()]), model("answer 3 xxx")]
    );
    log.add(Event::Uncompacted);
    assert_eq!(outline(&text_contents(&log.transcript(), "")), whole);
    assert_eq!(whole[0], user("prompt 1"));
}

#[test]
fn one_long_turn_is_cut_between_steps_and_its_prompt_is_said_again() {
    let mut log = TestLog::default();
    log.begin("the task");
    for number in 1..=6 {
        log.step(&format!("step {number}"), Some(&"y".repeat(2000)));
    }
    let before = boundary(&log.transcript()).unwrap();
    log.add(Event::Compacted { before, summary: "steps so far".into(), usage: ModelUsage::default() });
    let told = outline(&text_contents(&log.transcript(), ""));
    assert_eq!(told[0], (MessageRole::User, vec!["[This summar".to_owned(), "the task".to_owned()]));
    assert_eq!(told[1], (MessageRole::Model, vec!["step 5".to_owned(), "call".to_owned()]));
    assert_eq!(told[2], (MessageRole::User, vec!["result".to_owned()]));
}

#[test]
fn a_short_conversation_is_left_alone() {
    let mut log = TestLog::default();
    log.begin("hi");
    log.step("hello", None);
    log.end();
    let why = "the conversation is still short (7 of at least 4096 bytes), so the model goes on knowing all of it word for word";
    assert_eq!(boundary(&log.transcript()), Err(why.to_owned()));
}

#[test]
fn compaction_is_due_by_what_the_newest_answer_used() {
    let mut log = TestLog::default();
    log.begin("hi");
    assert!(!is_due(&log.transcript(), 1000, 0.5));
    log.step("hello", None);
    assert!(is_due(&log.transcript(), 1000, 0.5));
    assert!(!is_due(&log.transcript(), 10_000, 0.5));
    log.add(Event::Compacted { before: Seq(1), summary: "s".into(), usage: ModelUsage::default() });
    assert!(!is_due(&log.transcript(), 1000, 0.5));
}

#[tokio::test]
async fn the_summary_is_asked_of_the_model_and_a_failure_is_said() {
    let mut log = TestLog::default();
    for number in 1..=3 {
        log.begin(&format!("prompt {number}"));
        log.step(&"z".repeat(3000), None);
        log.end();
    }
    let script = |lines: &[Value]| {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        pollux_model::ScriptModel::parse("test", &text.join("\n")).unwrap()
    };
    let says = json!({"method": "generateContentStream", "repeat": true, "response": [{"candidates": [{
        "content": {"role": "model", "parts": [{"text": " Goal: z. "}]}, "finishReason": "STOP", "index": 0}]}]});
    let report = compact(&script(&[says]), "system".into(), Vec::new(), &log.transcript()).await;
    let Report::Compacted { summary, .. } = report else { panic!("{report:?}") };
    assert_eq!(summary, "Goal: z.");
    let fails = json!({"method": "generateContentStream", "repeat": true, "response": [], "http": {"status": 400},
        "error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}});
    let report = compact(&script(&[fails]), "system".into(), Vec::new(), &log.transcript()).await;
    assert!(matches!(report, Report::NotCompacted { .. }), "{report:?}");
}

#[test]
fn a_long_answer_is_summarised_even_when_it_is_most_of_the_conversation() {
    let mut log = TestLog::default();
    log.begin("tell a long story");
    log.step(&"x".repeat(6000), None);
    log.end();
    let second = log.begin("and a short one");
    log.step("short", None);
    log.end();
    assert_eq!(boundary(&log.transcript()), Ok(second));
}

#[test]
fn a_long_result_of_an_old_turn_is_summarised_with_it() {
    let mut log = TestLog::default();
    log.begin(&"goal ".repeat(240));
    log.step("reading", Some(&"x".repeat(20_000)));
    let result = Seq(log.0.len() as u64);
    log.step("read", None);
    log.end();
    log.begin(&"next ".repeat(400));
    log.step("done", None);
    log.end();
    let before = boundary(&log.transcript()).unwrap();
    assert!(before > result, "{before:?} keeps the result, which is {result:?}");
}

#[test]
fn a_lone_prompt_is_not_worth_a_summary() {
    let mut log = TestLog::default();
    log.begin("tell a long story");
    log.step(&"x".repeat(6000), None);
    log.end();
    let why = boundary(&log.transcript()).unwrap_err();
    assert!(why.starts_with("nearly all of the conversation is its newest turn"), "{why}");
}
