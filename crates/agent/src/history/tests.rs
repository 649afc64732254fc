use super::*;
use pollux_session::{
    CallError, CallResult, CancelScope, Command, CommandEnvelope, CommandId, ENDED_ATTACHMENT, EntryAuthor,
    ModelFragment, ModelUsage, NewCall, Owner, PolicyVerdict, PromptTarget, Report, Rights, RuntimeDescription,
    SessionId, SessionInput, SessionOpened, SessionOverrides, SessionState, ToolKind, TurnFailure, UnixMillis, Who,
    next, take,
};
use pretty_assertions::assert_eq;

/// A session driven by hand.
struct TestSession {
    state: SessionState,
    transcript: Transcript,
}

impl TestSession {
    fn new() -> TestSession {
        let id: SessionId = "01890000-0000-7000-8000-000000000001".parse().unwrap();
        let opened = SessionOpened {
            main_task: id.main_task(),
            owner: Owner("me".into()),
            context: pollux_session::ContextId::new("c").unwrap(),
            workspace: "/w".into(),
            overrides: SessionOverrides::default(),
            release: "test".into(),
            edge: serde_json::Value::Null,
        };
        let (state, first) = SessionState::open(opened, EntryAuthor::Agent, UnixMillis(1));
        let mut stage = TestSession { state, transcript: Transcript::fold([&first]) };
        stage.input(&SessionInput::Woken(RuntimeDescription::default()));
        stage
    }

    fn input(&mut self, input: &SessionInput) {
        for entry in take(&mut self.state, input, UnixMillis(2)).unwrap() {
            self.transcript.apply(&entry);
        }
    }

    fn prompt(&mut self, text: &str) {
        self.prompt_with(text, &[]);
    }

    /// A prompt that brings pictures.
    fn prompt_with(&mut self, text: &str, pictures: &[&str]) {
        let who =
            Who { owner: Owner("me".into()), principal: "me".into(), label: "test".into(), rights: Rights::all() };
        let task = self.state.opened.as_ref().unwrap().main_task;
        let media = pictures.iter().map(|name| picture(name)).collect();
        let command = Command::Prompt {
            target: PromptTarget::Existing { task },
            text: text.into(),
            media,
            piped_len: 0,
            dialect: None,
            parts: vec![],
        };
        self.input(&SessionInput::Command(CommandEnvelope {
            id: CommandId(text.into()),
            who,
            at: UnixMillis(2),
            command,
        }));
    }

    fn cancel(&mut self) {
        let command = Command::Cancel { scope: CancelScope::Turn };
        let who =
            Who { owner: Owner("me".into()), principal: "me".into(), label: "test".into(), rights: Rights::all() };
        let id = CommandId("cancel".into());
        self.input(&SessionInput::Command(CommandEnvelope { id, who, at: UnixMillis(2), command }));
    }

    /// Report on the first thing that is owed.
    fn report(&mut self, report: Report) {
        let effect = next(&self.state)[0];
        self.input(&SessionInput::Report { effect, report });
    }

    fn say(&mut self, text: &str) {
        let fragments = vec![ModelFragment { kind: ItemKind::Text, text: text.into(), end: None }];
        self.report(Report::Said { fragments, response: None });
    }

    fn step_done(&mut self, calls: Vec<NewCall>) {
        let done = Report::StepDone {
            fragments: vec![],
            calls,
            finish: "STOP".into(),
            usage: ModelUsage::default(),
            citations: vec![],
            response: None,
        };
        self.report(done);
    }

    fn run(&mut self, outcome: CallOutcome) {
        let verdict = PolicyVerdict::allow("test");
        self.report(Report::Vetted { kind: ToolKind::Read, verdict });
        self.report(Report::Starting);
        self.report(Report::Done { outcome });
    }

    /// The history as compact JSON lines.
    fn history_lines(&self) -> Vec<Value> {
        text_contents(&self.transcript, "").iter().map(|content| serde_json::to_value(content).unwrap()).collect()
    }
}

fn call(tool: &str, id: &str) -> NewCall {
    let meta = json!({ "id": id, "extra": { "thoughtSignature": "sig" } });
    NewCall { tool: tool.into(), args: json!({ "a": 1 }), meta }
}

fn done(text: &str) -> CallOutcome {
    CallOutcome::Succeeded { result: CallResult { text: text.into(), ..CallResult::default() } }
}

#[test]
fn a_prompt_with_two_calls_is_told_in_order_and_each_call_is_answered_once() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    stage.say("looking");
    stage.step_done(vec![call("read_file", "x1"), call("read_file", "x2")]);
    let verdict = PolicyVerdict::allow("test");
    for effect in next(&stage.state) {
        let report = Report::Vetted { kind: ToolKind::Read, verdict: verdict.clone() };
        stage.input(&SessionInput::Report { effect, report });
    }
    let effects = next(&stage.state);
    stage.input(&SessionInput::Report { effect: effects[1], report: Report::Starting });
    stage.input(&SessionInput::Report { effect: effects[1], report: Report::Done { outcome: done("two") } });
    stage.report(Report::Starting);
    let error = CallError { kind: "file_not_found".into(), message: "no such file".into() };
    stage.report(Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    assert_eq!(
        stage.history_lines(),
        vec![
            json!({"role": "user", "parts": [{"text": "go"}]}),
            json!({"role": "model", "parts": [
                {"text": "looking"},
                {"functionCall": {"id": "x1", "name": "read_file", "args": {"a": 1}}, "thoughtSignature": "sig"},
                {"functionCall": {"id": "x2", "name": "read_file", "args": {"a": 1}}, "thoughtSignature": "sig"},
            ]}),
            json!({"role": "user", "parts": [
                {"functionResponse": {"id": "x1", "name": "read_file", "response": {"error": "no such file"}}},
                {"functionResponse": {"id": "x2", "name": "read_file", "response": {"output": "two"}}},
            ]}),
        ]
    );
}

/// It may be told in the middle of a turn, and a result stands right behind its call.
#[test]
fn what_ended_with_a_restart_is_told_behind_the_results() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    stage.step_done(vec![call("read_file", "x1")]);
    stage.run(done("one"));
    stage.report(Report::Attached {
        name: format!("{ENDED_ATTACHMENT}make"),
        text: "[ended]".into(),
        media: vec![],
        seen: Vec::new(),
    });
    let history = stage.history_lines();
    let response = json!({"functionResponse": {"id": "x1", "name": "read_file", "response": {"output": "one"}}});
    assert_eq!(history[2], json!({"role": "user", "parts": [response, {"text": "[ended]"}]}));
}

fn picture(name: &str) -> MediaContent {
    let blob = pollux_session::BlobRef { sha256: name.into(), len: 1, media: "image/png".into() };
    MediaContent { name: name.into(), blob }
}

#[test]
fn what_is_no_text_has_its_place_right_behind_what_it_came_with() {
    let media = picture;
    let mut stage = TestSession::new();
    stage.prompt("look");
    stage.report(Report::Attached {
        name: "@a.png".into(),
        text: "files".into(),
        media: vec![media("a.png")],
        seen: Vec::new(),
    });
    stage.step_done(vec![call("read_file", "x1"), call("glob", "x2")]);
    let result = CallResult { text: "shown".into(), media: vec![media("b.png")], ..CallResult::default() };
    stage.run(CallOutcome::Succeeded { result });
    stage.run(done("two"));
    assert_eq!(
        stage.history_lines(),
        vec![
            json!({"role": "user", "parts": [
                {"text": "look"},
                {"text": "[Attached to the prompt: @a.png]\nfiles"},
                {"text": "[a.png (image/png) is not shown here]"},
            ]}),
            json!({"role": "model", "parts": [
                {"functionCall": {"id": "x1", "name": "read_file", "args": {"a": 1}}, "thoughtSignature": "sig"},
                {"functionCall": {"id": "x2", "name": "glob", "args": {"a": 1}}, "thoughtSignature": "sig"},
            ]}),
            json!({"role": "user", "parts": [
                {"functionResponse": {"id": "x1", "name": "read_file", "response": {"output": "shown"}}},
                {"text": "[b.png (image/png) is not shown here]"},
                {"functionResponse": {"id": "x2", "name": "glob", "response": {"output": "two"}}},
            ]}),
        ]
    );
    let (_, spots) = contents_with_media(&stage.transcript, "");
    let spots: Vec<_> = spots.iter().map(|spot| (spot.content, spot.part, spot.media.name.as_str())).collect();
    assert_eq!(spots, [(0, 2, "a.png"), (2, 1, "b.png")]);
}

#[test]
fn files_that_come_with_a_prompt_are_told_right_behind_it() {
    let mut stage = TestSession::new();
    stage.prompt_with("look", &["a.png", "b.png"]);
    stage.step_done(vec![]);
    stage.prompt_with(" ", &["c.png"]);
    let named = |name: &str| json!({"text": format!("[Attached to the prompt: {name}]")});
    let noted = |name: &str| json!({"text": format!("[{name} (image/png) is not shown here]")});
    let parts = json!([
        {"text": "look"}, named("a.png"), noted("a.png"), named("b.png"), noted("b.png"),
        named("c.png"), noted("c.png"),
    ]);
    assert_eq!(stage.history_lines(), vec![json!({"role": "user", "parts": parts})]);
    let (_, spots) = contents_with_media(&stage.transcript, "");
    let spots: Vec<_> = spots.iter().map(|spot| (spot.content, spot.part, spot.media.name.as_str())).collect();
    assert_eq!(spots, [(0, 2, "a.png"), (0, 4, "b.png"), (0, 6, "c.png")]);
}

#[test]
fn files_that_come_with_a_command_go_to_the_model_with_what_it_hands_over() {
    for (handed, first) in [("Greet Ada.", "Greet Ada."), (" ", "[Attached to the prompt: a.png]")] {
        let mut stage = TestSession::new();
        stage.prompt_with("/s:greet", &["a.png"]);
        stage.report(Report::Commanded { name: "s:greet".into() });
        assert_eq!(stage.history_lines(), Vec::<Value>::new());
        stage.report(Report::Attached {
            name: "/s:greet".into(),
            text: handed.into(),
            media: vec![],
            seen: Vec::new(),
        });
        assert_eq!(stage.history_lines()[0]["parts"][0]["text"], first);
        let (_, spots) = contents_with_media(&stage.transcript, "");
        assert_eq!(spots.iter().map(|spot| spot.media.name.as_str()).collect::<Vec<_>>(), ["a.png"]);
    }
}

#[test]
fn what_a_command_hands_over_is_the_prompt() {
    let picture = picture("p.png");
    let mut stage = TestSession::new();
    stage.prompt("/s:greet @a.txt");
    stage.report(Report::Commanded { name: "s:greet".into() });
    assert_eq!(stage.history_lines(), Vec::<Value>::new());
    stage.report(Report::Attached {
        name: "/s:greet".into(),
        text: "Greet Ada.".into(),
        media: vec![picture],
        seen: Vec::new(),
    });
    stage.report(Report::Attached { name: "@a.txt".into(), text: "files".into(), media: vec![], seen: Vec::new() });
    let parts = json!([
        {"text": "Greet Ada."},
        {"text": "[p.png (image/png) is not shown here]"},
        {"text": "[Attached to the prompt: @a.txt]\nfiles"},
    ]);
    assert_eq!(stage.history_lines(), vec![json!({"role": "user", "parts": parts})]);
    let (_, spots) = contents_with_media(&stage.transcript, "");
    let spots: Vec<_> = spots.iter().map(|spot| (spot.content, spot.part, spot.media.name.as_str())).collect();
    assert_eq!(spots, [(0, 1, "p.png")]);
}

#[test]
fn a_command_that_hands_over_no_text_is_told_by_its_name() {
    let mut stage = TestSession::new();
    stage.prompt("/s:picture");
    stage.report(Report::Commanded { name: "s:picture".into() });
    stage.report(Report::Attached { name: "/s:picture".into(), text: "\n".into(), media: vec![], seen: Vec::new() });
    let parts = json!([{"text": "[Attached to the prompt: /s:picture]\n\n"}]);
    assert_eq!(stage.history_lines(), vec![json!({"role": "user", "parts": parts})]);
}

#[test]
fn what_a_command_handed_over_is_said_again_behind_a_summary() {
    let mut stage = TestSession::new();
    stage.prompt("/readit");
    stage.report(Report::Commanded { name: "readit".into() });
    stage.report(Report::Attached {
        name: "/readit".into(),
        text: "read a.txt".into(),
        media: vec![],
        seen: Vec::new(),
    });
    stage.say("first");
    stage.step_done(vec![call("read_file", "x1")]);
    stage.run(done("one"));
    let spoken = stage.transcript.lines().find(|line| matches!(line, TranscriptLine::Call { .. }));
    let before = spoken.and_then(TranscriptLine::seq).unwrap();
    stage.report(Report::Compacted { before, summary: "short".into(), usage: ModelUsage::default() });
    let parts = json!([{"text": format!("{SUMMARY}short")}, {"text": "read a.txt"}]);
    assert_eq!(stage.history_lines()[0], json!({"role": "user", "parts": parts}));
}

#[test]
fn an_answer_that_was_cut_off_is_continued_not_repeated() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    stage.say("half an ans");
    stage.input(&SessionInput::Woken(RuntimeDescription::default()));
    let expected = vec![
        json!({"role": "user", "parts": [{"text": "go"}]}),
        json!({"role": "model", "parts": [{"text": "half an ans"}]}),
        json!({"role": "user", "parts": [{"text": GO_ON}]}),
    ];
    assert_eq!(stage.history_lines(), expected);
    stage.say("wer");
    stage.step_done(vec![]);
    stage.prompt("more");
    assert_eq!(
        stage.history_lines(),
        vec![
            json!({"role": "user", "parts": [{"text": "go"}]}),
            json!({"role": "model", "parts": [{"text": "half an ans"}, {"text": "wer"}]}),
            json!({"role": "user", "parts": [{"text": "more"}]}),
        ]
    );
}

#[test]
fn a_retry_within_the_step_continues_from_what_was_said() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    let told = text_contents(&stage.transcript, "so far");
    let parts: Vec<_> = told.iter().map(|content| (content.role, content.parts.len())).collect();
    assert_eq!(parts, vec![(MessageRole::User, 1), (MessageRole::Model, 1), (MessageRole::User, 1)]);
}

#[test]
fn a_superseded_call_is_told_once_with_its_first_signature() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    stage.step_done(vec![call("write_file", "x1")]);
    let verdict = PolicyVerdict::allow("test");
    stage.report(Report::Vetted { kind: ToolKind::Edit, verdict });
    stage.report(Report::Starting);
    stage.report(Report::Stale);
    stage.run(done("written"));
    assert_eq!(
        stage.history_lines()[1..],
        [
            json!({"role": "model", "parts": [
                {"functionCall": {"id": "x1", "name": "write_file", "args": {"a": 1}}, "thoughtSignature": "sig"},
            ]}),
            json!({"role": "user", "parts": [
                {"functionResponse": {"id": "x1", "name": "write_file", "response": {"output": "written"}}},
            ]}),
        ]
    );
}

#[test]
fn a_call_that_stands_for_a_superseded_one_is_told_in_its_place() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    stage.step_done(vec![call("write_file", "x1"), call("read_file", "x2")]);
    let vetted = |kind| Report::Vetted { kind, verdict: PolicyVerdict::allow("test") };
    stage.report(vetted(ToolKind::Edit));
    stage.report(Report::Starting);
    stage.report(Report::Stale);
    stage.report(vetted(ToolKind::Read));
    stage.run(done("written"));
    stage.report(Report::Starting);
    stage.report(Report::Done { outcome: done("read") });
    let told = stage.history_lines();
    let names = |line: &Value, part: &str| -> Vec<Value> {
        line["parts"].as_array().unwrap().iter().map(|told| told[part]["name"].clone()).collect()
    };
    assert_eq!(names(&told[1], "functionCall"), ["write_file", "read_file"], "{told:#?}");
    assert_eq!(names(&told[2], "functionResponse"), ["write_file", "read_file"], "{told:#?}");
    assert_eq!(told.len(), 3);
}

#[test]
fn the_situation_stands_before_the_prompt_and_its_pictures() {
    let mut stage = TestSession::new();
    stage.prompt_with("look", &["a.png"]);
    let situation = || Report::Attached {
        name: SITUATION_ATTACHMENT.into(),
        text: "[here]".into(),
        media: vec![],
        seen: Vec::new(),
    };
    stage.report(situation());
    let (contents, spots) = contents_with_media(&stage.transcript, "");
    let texts: Vec<Value> =
        contents[0].parts.iter().map(|part| serde_json::to_value(part).unwrap()["text"].clone()).collect();
    assert_eq!(texts[..3], ["[here]", "look", "[Attached to the prompt: a.png]"].map(Value::from), "{texts:?}");
    assert!(texts[spots[0].part].as_str().unwrap().contains("is not shown here"), "{texts:?}");
    // Behind results it is told where it is known.
    stage.step_done(vec![call("read_file", "x1")]);
    stage.run(done("read"));
    stage.report(situation());
    let told = stage.history_lines();
    assert_eq!(told[2]["parts"][1]["text"], "[here]", "{told:#?}");
}

#[test]
fn prompts_that_still_wait_are_not_told() {
    let mut stage = TestSession::new();
    stage.prompt("first");
    stage.prompt("second");
    assert_eq!(stage.history_lines(), vec![json!({"role": "user", "parts": [{"text": "first"}]})]);
}

#[test]
fn two_steps_without_a_word_between_them_are_two_steps() {
    let mut stage = TestSession::new();
    stage.prompt("go");
    stage.step_done(vec![call("read_file", "x1")]);
    stage.run(done("one"));
    stage.step_done(vec![call("read_file", "x2")]);
    stage.run(done("two"));
    let roles: Vec<_> = text_contents(&stage.transcript, "").iter().map(|content| content.role).collect();
    assert_eq!(
        roles,
        vec![MessageRole::User, MessageRole::Model, MessageRole::User, MessageRole::Model, MessageRole::User]
    );
}

/// The tool tells how the person changed it, and of a file with a protected name that it does not tell.
#[test]
fn the_content_a_person_wrote_is_not_told_again() {
    let result = CallResult {
        text: "Changed a.txt, from what you proposed to what was written: …".into(),
        ..CallResult::default()
    };
    let edit = AnswerEdit::Content { new: "a whole file\n".repeat(10_000) };
    let told = call_response(Some(&CallOutcome::Succeeded { result: result.clone() }), Some(&edit));
    assert_eq!(told["output"], result.text);
    assert!(told["note"].is_string() && told.to_string().len() < 500, "{} bytes", told.to_string().len());
}

#[test]
fn what_a_call_had_printed_when_it_was_cancelled_is_told() {
    let mut session = TestSession::new();
    session.prompt("test it");
    session.step_done(vec![call("run_shell_command", "1")]);
    session.report(Report::Vetted { kind: ToolKind::Execute, verdict: PolicyVerdict::allow("test") });
    session.report(Report::Starting);
    let printed = format!("{}3 of 9 tests passed\n", "x".repeat(MAX_UNFINISHED_OUTPUT));
    session.report(Report::Output { text: printed, skipped: 0 });
    session.input(&SessionInput::Command(CommandEnvelope {
        id: CommandId("cancel".into()),
        who: Who { owner: Owner("me".into()), principal: "me".into(), label: "test".into(), rights: Rights::all() },
        at: UnixMillis(2),
        command: Command::Cancel { scope: CancelScope::Turn },
    }));
    let told = &session.history_lines()[2]["parts"][0]["functionResponse"]["response"];
    assert_eq!(told["error"], json!("The user cancelled the turn before this call was done."));
    let output = told["output"].as_str().unwrap();
    assert!(output.starts_with("[…]\nx") && output.ends_with("3 of 9 tests passed\n"), "{output}");
    assert!(output.len() < MAX_UNFINISHED_OUTPUT + 10);
}

/// What the model has answered is never told otherwise later; what it has not answered does not pile up.
#[test]
fn a_prompt_that_was_cancelled_before_an_answer_is_told_as_cancelled() {
    let mut stage = TestSession::new();
    let cancelled = "[The person cancelled this before you answered. Do not act on it unless they ask again.]";
    let texts = |stage: &TestSession| -> Vec<String> {
        let lines = stage.history_lines();
        let parts = lines.iter().flat_map(|line| line["parts"].as_array().unwrap());
        parts.map(|part| part["text"].as_str().unwrap().to_owned()).collect()
    };
    for text in ["delete it all", "delete the half"] {
        stage.prompt(text);
        stage.cancel();
    }
    stage.prompt("look");
    assert_eq!(texts(&stage), ["delete the half", cancelled, "look"]);
    stage.say("I see");
    stage.step_done(vec![]);
    let answered = texts(&stage);
    stage.prompt("once more");
    stage.cancel();
    stage.prompt("once more ");
    assert_eq!(texts(&stage), [&answered[..answered.len() - 1], &["once more ".to_owned()]].concat());
    stage.say("so far");
    stage.cancel();
    stage.prompt("go on");
    // Something came of it, and that tells how far it got.
    assert_eq!(texts(&stage)[answered.len() - 1..], ["once more ", "so far", "go on"]);
}

#[test]
fn a_prompt_that_failed_is_told_once_however_often_it_was_sent() {
    let mut stage = TestSession::new();
    let failure = || TurnFailure { kind: "model_unreachable".into(), message: "down".into() };
    for text in ["make it", "make it "] {
        stage.prompt(text);
        stage.report(Report::StepFailed { failure: failure() });
    }
    stage.prompt("try again");
    let parts = json!([{"text": "make it "}, {"text": "try again"}]);
    assert_eq!(stage.history_lines(), vec![json!({"role": "user", "parts": parts})]);
}
