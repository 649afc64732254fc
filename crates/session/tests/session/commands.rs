//! Turns that a command answers, and what the model is told after them: nothing of such a turn, and nothing of what was
//! rewound.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{ApprovalMode, Effect, ItemKind, Refusal, Report, Seq, SessionSetting, TranscriptLine};
use pretty_assertions::assert_eq;

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
fn talk(stage: &mut SessionHarness, prompt: &str, answer: &str) {
    stage.prompt("ann", prompt);
    stage.text(answer);
    stage.step(&[]);
}

#[test]
fn a_command_answers_its_turn_and_the_model_does_not_know() {
    let mut stage = SessionHarness::new();
    talk(&mut stage, "one", "1");
    stage.skip_ahead();
    stage.prompt("ann", "/model pro");
    stage.commanded("model").unwrap();
    stage.while_thinking(Report::Set { setting: SessionSetting::Model("pro".into()) }).unwrap();
    stage.text("pro answers");
    stage.step(&["write a"]);
    stage.allow("write a");
    stage.perform("write a");
    stage.step(&[]);
    stage.check(expect![[r#"
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
    talk(&mut stage, "two", "2");
    assert_eq!(stage.told(), ["one", "1", "two", "2"]);
}

#[test]
fn only_the_beginning_of_a_turn_can_make_it_a_command() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "/help");
    stage.commanded("help").unwrap();
    assert_eq!(stage.commanded("help"), Err(Refusal::NotOwed));
    stage.step(&[]);
    stage.prompt("ann", "go");
    stage.step(&["write a"]);
    stage.allow("write a");
    stage.perform("write a");
    assert_eq!(stage.commanded("late"), Err(Refusal::NotOwed));
}

#[test]
fn a_model_changes_no_setting_and_rewinds_nothing() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "go");
    let set = Report::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) };
    assert_eq!(stage.while_thinking(set), Err(Refusal::NotOwed));
    assert_eq!(stage.while_thinking(Report::Rewound { to: Seq::START }), Err(Refusal::NotOwed));
}

#[test]
fn what_was_rewound_is_not_told_and_later_prompts_are() {
    let mut stage = SessionHarness::new();
    talk(&mut stage, "one", "1");
    let to = stage.state.head;
    talk(&mut stage, "two", "2");
    stage.prompt("ann", "/rewind");
    stage.prompt("bob", "three");
    stage.commanded("rewind").unwrap();
    stage.while_thinking(Report::Rewound { to }).unwrap();
    stage.step(&[]);
    stage.text("3");
    stage.step(&[]);
    assert_eq!(stage.told(), ["one", "1", "three", "3"]);
}

#[test]
fn everything_can_be_forgotten_with_its_summary() {
    let mut stage = SessionHarness::new();
    talk(&mut stage, "one", "1");
    stage.compact("ann");
    stage.compacted(5, "They said one.");
    stage.prompt("ann", "/clear");
    stage.commanded("clear").unwrap();
    stage.while_thinking(Report::Rewound { to: Seq::START }).unwrap();
    stage.step(&[]);
    assert_eq!(stage.told(), Vec::<String>::new());
    assert_eq!(stage.transcript.summary(), None);
}

#[test]
fn nothing_is_rewound_to_what_has_not_happened() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "/rewind");
    stage.commanded("rewind").unwrap();
    let to = Seq(stage.state.head.0 + 1);
    assert_eq!(stage.while_thinking(Report::Rewound { to }), Err(Refusal::NotOwed));
}

#[test]
fn a_running_call_may_rewind_the_conversation() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.allow("write a");
    let saved = Report::Checkpointed { name: "before-a".into(), saved: Ok("c0ffee".into()) };
    stage.run("write a", saved.clone());
    stage.start("write a");
    stage.run("write a", Report::Rewound { to: Seq::START });
    // What the workspace was like is known only before the call runs.
    stage.run("write a", saved);
    stage.done("write a");
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 agent before-a is saved before call-6
         9 agent call-6 starts
        10 agent rewinds to 0
         - agent refused: this work is no longer owed
        11 agent call-6 succeeded
        owed: think 2
    "#]]);
    let names: Vec<_> = stage.state.checkpoints.iter().map(|kept| kept.checkpoint.name.as_str()).collect();
    assert_eq!(names, ["before-a"]);
}

#[test]
fn the_oldest_checkpoints_are_forgotten() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.allow("write a");
    for number in 0..300 {
        stage.run("write a", Report::Checkpointed { name: number.to_string(), saved: Err("no git".into()) });
    }
    let names: Vec<_> = stage.state.checkpoints.iter().map(|kept| kept.checkpoint.name.as_str()).collect();
    assert_eq!((names.len(), names.first().copied(), names.last().copied()), (256, Some("44"), Some("299")));
}

#[test]
fn a_command_hands_its_turn_to_the_model_by_attaching_something() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "/init");
    stage.commanded("init").unwrap();
    stage.text("wait");
    stage.step(&["write a"]);
    stage.allow("write a");
    stage.perform("write a");
    let attached = Report::Attached { name: "/init".into(), text: "look around".into(), media: vec![] };
    stage.while_thinking(attached).unwrap();
    stage.text("done");
    stage.step(&[]);
    talk(&mut stage, "two", "2");
    assert_eq!(stage.told(), ["/init", "done", "two", "2"]);
    let calls = stage.transcript.told().into_iter().filter(|line| matches!(line, TranscriptLine::Call { .. })).count();
    assert_eq!(calls, 0, "what the command had done is its own matter");
}

#[test]
fn a_command_chooses_the_model_and_never_the_mode() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "/model");
    stage.commanded("model").unwrap();
    for mode in [ApprovalMode::Yolo, ApprovalMode::AutoEdit, ApprovalMode::Default, ApprovalMode::Plan] {
        let set = Report::Set { setting: SessionSetting::Mode(mode) };
        assert_eq!(stage.while_thinking(set), Err(Refusal::NotOwed));
    }
    stage.while_thinking(Report::Set { setting: SessionSetting::Model("flash".into()) }).unwrap();
}
