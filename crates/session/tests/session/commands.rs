//! Turns that a command answers, and what the model is told after them: nothing of such a turn, and nothing of what was
//! rewound.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{
    ApprovalMode, CallOutcome, CallResult, Effect, FileDiff, ItemKind, ModelUsage, NewCall, Refusal, Report,
    ResultDisplay, Seq, SessionSetting, TranscriptLine, UnixMillis,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

impl SessionHarness {
    /// The turn is answered by a command.
    fn commanded(&mut self, name: &str) -> Result<(), Refusal> {
        self.while_thinking(Report::Commanded { name: name.into() })
    }

    fn while_thinking(&mut self, report: Report) -> Result<(), Refusal> {
        let think = self.owed().into_iter().find(|effect| matches!(effect, Effect::Think { .. }));
        self.report(think.expect("the model is owed"), report).map(|_| ())
    }

    /// The prompts of turns, and the texts, that the model is told.
    fn told(&self) -> Vec<String> {
        let told = self.transcript.told();
        let prompt = |wanted| {
            told.iter().find_map(|line| match line {
                TranscriptLine::Prompt { id, text, .. } if *id == wanted => Some(text.clone()),
                _ => None,
            })
        };
        let lines = told.iter().filter_map(|line| match line {
            TranscriptLine::Turn { prompt: id, .. } => prompt(*id),
            TranscriptLine::Item { kind: ItemKind::Text, text, .. } => Some(text.clone()),
            _ => None,
        });
        lines.collect()
    }
}

/// A prompt and its answer.
fn talk(harness: &mut SessionHarness, prompt: &str, answer: &str) {
    harness.prompt("ann", prompt);
    harness.text(answer);
    harness.step(&[]);
}

#[test]
fn a_command_answers_its_turn_and_the_model_does_not_know() {
    let mut harness = SessionHarness::new();
    talk(&mut harness, "one", "1");
    harness.skip_ahead();
    harness.prompt("ann", "/model pro");
    harness.commanded("model").unwrap();
    harness.while_thinking(Report::Set { setting: SessionSetting::Model("pro".into()) }).unwrap();
    harness.text("pro answers");
    harness.step(&["write a"]);
    harness.allow("write a");
    harness.perform("write a");
    harness.step(&[]);
    harness.check(expect![[r#"
         9 ann   prompted main (OpenEnded) "/model pro"
        10 agent turn starts on prompt-9 with model-1, default
        11 agent is answered by model
        12 agent model pro
        13 agent says "pro answers"
        14 agent item-13 ends at 11
        15 agent step ends STOP
        16 agent calls write a
        17 agent call-16 allowed
        18 agent call-16 starts
        19 agent call-16 succeeded
        20 agent step ends STOP
        21 agent turn rests
        owed: nothing
    "#]]);
    talk(&mut harness, "two", "2");
    assert_eq!(harness.told(), ["one", "1", "two", "2"]);
}

#[test]
fn only_the_beginning_of_a_turn_can_make_it_a_command() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "/help");
    harness.commanded("help").unwrap();
    assert_eq!(harness.commanded("help"), Err(Refusal::NotOwed));
    harness.step(&[]);
    harness.prompt("ann", "go");
    harness.step(&["write a"]);
    harness.allow("write a");
    harness.perform("write a");
    assert_eq!(harness.commanded("late"), Err(Refusal::NotOwed));
}

#[test]
fn a_model_changes_no_setting_and_rewinds_nothing() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "go");
    let set = Report::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) };
    assert_eq!(harness.while_thinking(set), Err(Refusal::NotOwed));
    assert_eq!(harness.while_thinking(Report::Rewound { to: Seq::START }), Err(Refusal::NotOwed));
}

#[test]
fn what_was_rewound_is_not_told_and_later_prompts_are() {
    let mut harness = SessionHarness::new();
    talk(&mut harness, "one", "1");
    let to = harness.state.head;
    talk(&mut harness, "two", "2");
    harness.prompt("ann", "/rewind");
    harness.prompt("bob", "three");
    harness.commanded("rewind").unwrap();
    harness.while_thinking(Report::Rewound { to }).unwrap();
    harness.step(&[]);
    harness.text("3");
    harness.step(&[]);
    assert_eq!(harness.told(), ["one", "1", "three", "3"]);
}

#[test]
fn everything_can_be_forgotten_with_its_summary() {
    let mut harness = SessionHarness::new();
    talk(&mut harness, "one", "1");
    harness.compact("ann");
    harness.compacted(5, "They said one.");
    harness.prompt("ann", "/clear");
    harness.commanded("clear").unwrap();
    harness.while_thinking(Report::Rewound { to: Seq::START }).unwrap();
    harness.step(&[]);
    assert_eq!(harness.told(), Vec::<String>::new());
    assert_eq!(harness.transcript.summary(), None);
}

#[test]
fn nothing_is_rewound_to_what_has_not_happened() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "/rewind");
    harness.commanded("rewind").unwrap();
    let to = Seq(harness.state.head.0 + 1);
    assert_eq!(harness.while_thinking(Report::Rewound { to }), Err(Refusal::NotOwed));
}

#[test]
fn a_running_call_may_rewind_the_conversation() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.allow("write a");
    let saved = Report::Checkpointed { name: "before-a".into(), saved: Ok("c0ffee".into()), files: vec![] };
    harness.run("write a", saved.clone());
    harness.start("write a");
    harness.run("write a", Report::Rewound { to: Seq::START });
    // What the workspace was like is known only before the call runs.
    harness.run("write a", saved);
    harness.done("write a");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent before-a is saved before call-6
         9 agent call-6 starts
        10 agent rewinds to 0
         - agent refused: this work is no longer owed
        11 agent call-6 succeeded
        owed: think 2
    "#]]);
    let names: Vec<_> = harness.state.checkpoints.iter().map(|kept| kept.checkpoint.name.as_str()).collect();
    assert_eq!(names, ["before-a"]);
}

#[test]
fn a_checkpoint_knows_since_when_its_call_changes_nothing_more() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "go");
    let call = |about: &str, is_background: bool| NewCall {
        tool: "run".into(),
        args: json!({"about": about, "is_background": is_background}),
        meta: Value::Null,
    };
    let calls = vec![call("a", false), call("b", true), call("c", false)];
    let done = Report::StepDone {
        fragments: vec![],
        calls,
        finish: "STOP".into(),
        usage: ModelUsage::default(),
        citations: vec![],
        response: None,
    };
    harness.while_thinking(done).unwrap();
    for label in ["run a", "run b", "run c"] {
        harness.allow(label);
        harness.run(label, Report::Checkpointed { name: label.into(), saved: Ok("c0ffee".into()), files: vec![] });
        harness.start(label);
        harness.clock = UnixMillis(harness.clock.0 + 4_000);
        if label != "run c" {
            harness.done(label);
        }
    }
    let ends: Vec<_> = harness.state.checkpoints.iter().map(|kept| kept.ended).collect();
    assert_eq!(ends, [Some(UnixMillis(5_000)), None, None], "one is over, one is in the background, one runs");
}

#[test]
fn a_checkpoint_says_for_which_call_it_was_made_and_what_came_of_it() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "go");
    let call = |tool: &str, args: Value| NewCall { tool: tool.into(), args, meta: Value::Null };
    let calls = vec![
        call("write", json!({"about": "a", "file_path": "/w/src/a.rs"})),
        call("run", json!({"about": "b", "command": "make"})),
        call("run", json!({"about": "c", "command": "sleep 9"})),
    ];
    let done = Report::StepDone {
        fragments: vec![],
        calls,
        finish: "STOP".into(),
        usage: ModelUsage::default(),
        citations: vec![],
        response: None,
    };
    harness.while_thinking(done).unwrap();
    let change = FileDiff {
        name: "src/a.rs".into(),
        path: "/w/src/a.rs".into(),
        old: None,
        new: "x".into(),
        patch: "--- a\n+++ b\n@@ -1 +1,2 @@\n-old\n+new\n+--- more\n".into(),
    };
    let written = CallResult { display: Some(ResultDisplay::Diff(change)), ..CallResult::default() };
    let failed = CallResult { exit_code: Some(2), ..CallResult::default() };
    for (label, result) in [("write a", Some(written)), ("run b", Some(failed)), ("run c", None)] {
        harness.allow(label);
        harness.run(label, Report::Checkpointed { name: label.into(), saved: Ok("c0ffee".into()), files: vec![] });
        harness.start(label);
        if let Some(result) = result {
            harness.run(label, Report::Done { outcome: CallOutcome::Succeeded { result } });
        }
    }
    let now = UnixMillis(harness.clock.0 + 120_000);
    let told: Vec<String> = harness.state.checkpoints.iter().map(|kept| kept.describe(now)).collect();
    let expected = ["2 min ago · write src/a.rs · +2 -1", "2 min ago · run make · exit 2", "2 min ago · run sleep 9"];
    assert_eq!(told, expected);
    let first = &harness.state.checkpoints[0];
    let number = first.checkpoint.call.0.0;
    assert!(first.is_called("write a") && first.is_called(&number.to_string()));
    assert!(!first.is_called("write") && !first.is_called(&(number + 1).to_string()));
}

#[test]
fn the_oldest_checkpoints_are_forgotten() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.allow("write a");
    for number in 0..300 {
        harness.run(
            "write a",
            Report::Checkpointed { name: number.to_string(), saved: Err("no git".into()), files: vec![] },
        );
    }
    let names: Vec<_> = harness.state.checkpoints.iter().map(|kept| kept.checkpoint.name.as_str()).collect();
    assert_eq!((names.len(), names.first().copied(), names.last().copied()), (256, Some("44"), Some("299")));
}

#[test]
fn a_command_hands_its_turn_to_the_model_by_attaching_something() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "/init");
    harness.commanded("init").unwrap();
    harness.text("wait");
    harness.step(&["write a"]);
    harness.allow("write a");
    harness.perform("write a");
    let attached =
        Report::Attached { name: "/init".into(), text: "look around".into(), media: vec![], seen: Vec::new() };
    harness.while_thinking(attached).unwrap();
    harness.text("done");
    harness.step(&[]);
    talk(&mut harness, "two", "2");
    assert_eq!(harness.told(), ["/init", "done", "two", "2"]);
    let calls =
        harness.transcript.told().into_iter().filter(|line| matches!(line, TranscriptLine::Call { .. })).count();
    assert_eq!(calls, 0, "what the command had done is its own matter");
}

#[test]
fn a_command_chooses_the_model_and_never_the_mode() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "/model");
    harness.commanded("model").unwrap();
    for mode in [ApprovalMode::Yolo, ApprovalMode::AutoEdit, ApprovalMode::Default, ApprovalMode::Plan] {
        let set = Report::Set { setting: SessionSetting::Mode(mode) };
        assert_eq!(harness.while_thinking(set), Err(Refusal::NotOwed));
    }
    harness.while_thinking(Report::Set { setting: SessionSetting::Model("flash".into()) }).unwrap();
}
