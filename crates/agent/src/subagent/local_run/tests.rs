use super::*;
use futures_util::stream::{self, BoxStream, StreamExt};
use parking_lot::Mutex;
use pollux_model::{ModelChunk, ModelError, ModelInfo, ModelNature};
use pollux_session::{BlobRef, BoxFuture, ModelUsage, NewCall, SessionId, SessionSetting};
use pretty_assertions::assert_eq;

/// Says its lines, and remembers what it was asked.
struct ScriptedModel {
    lines: Mutex<Vec<ScriptedAnswer>>,
    requests: Mutex<Vec<ModelRequest>>,
    window: Option<u64>,
}

enum ScriptedAnswer {
    Says(Vec<MessagePart>),
    Fails(ModelError),
    Hangs,
}

impl Model for ScriptedModel {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            context_window: self.window,
            ..ModelInfo::unlimited("lines".into(), "lines".into(), ModelNature::Script)
        }
    }

    fn generate(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        self.requests.lock().push(request);
        let usage = ModelUsage { prompt: 90, output: 1, ..ModelUsage::default() };
        match self.lines.lock().remove(0) {
            ScriptedAnswer::Says(parts) => {
                stream::iter([Ok(ModelChunk::Parts(parts)), Ok(ModelChunk::Usage(usage))]).boxed()
            }
            ScriptedAnswer::Fails(error) => stream::iter([Err(error)]).boxed(),
            ScriptedAnswer::Hangs => stream::pending().boxed(),
        }
    }
}

/// Holds one picture, whatever it is asked for.
struct FakeOutputStore;

impl OutputStore for FakeOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn pollux_tools::OutputSpool>> {
        Err(std::io::Error::other("nothing is kept here"))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Ok(b"pixels".to_vec())
    }
}

/// The output that a session would have seen.
#[derive(Default)]
struct RecordedOutput {
    printed: String,
    calls: Vec<NewCall>,
    spent: u64,
    outcomes: Vec<CallOutcome>,
}

impl ToolCallContext for RecordedOutput {
    fn session(&self) -> SessionId {
        SessionId(uuid::Uuid::nil())
    }

    fn send<'a>(&'a mut self, text: String, _: u64) -> BoxFuture<'a, ()> {
        self.printed.push_str(&text);
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, call: NewCall) -> BoxFuture<'a, CallOutcome> {
        self.calls.push(call);
        Box::pin(std::future::ready(self.outcomes.remove(0)))
    }

    fn spend<'a>(&'a mut self, _: String, usage: ModelUsage) -> BoxFuture<'a, ()> {
        self.spent += usage.prompt;
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, _: SessionSetting) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

fn called(tool: &str, args: Value) -> MessagePart {
    PartData::FunctionCall { id: Some("x".into()), name: tool.into(), args }.into()
}

fn report(text: &str) -> ScriptedAnswer {
    ScriptedAnswer::Says(vec![called(COMPLETE, json!({ "result": text }))])
}

fn read_call() -> ScriptedAnswer {
    ScriptedAnswer::Says(vec![
        MessagePart::thought("**Looking**\naround"),
        MessagePart::text("I look"),
        called("read_file", json!({"file_path": "a"})),
    ])
}

fn read(text: &str) -> CallOutcome {
    CallOutcome::Succeeded { result: CallResult { text: text.into(), ..CallResult::default() } }
}

struct JobResult {
    output: RecordedOutput,
    requests: Vec<ModelRequest>,
    ran: Result<ToolRunOutcome, ToolError>,
}

async fn job(turns: u32, window: Option<u64>, lines: Vec<ScriptedAnswer>, outcomes: Vec<CallOutcome>) -> JobResult {
    let model = Arc::new(ScriptedModel { lines: Mutex::new(lines), requests: Mutex::default(), window });
    let local =
        LocalSubagent { prompt: "You look.".into(), tools: None, model: None, turns, time: Duration::from_secs(600) };
    let read_file = ToolDeclaration {
        name: "read_file".into(),
        description: String::new(),
        parameters: json!({"type": "object"}).into(),
    };
    let mut seen = RecordedOutput { outcomes, ..RecordedOutput::default() };
    let errand = LocalAgentRun {
        local: &local,
        model: model.clone(),
        system: instructions(&local),
        tools: vec![read_file, complete_task()],
        outputs: Arc::new(FakeOutputStore),
        room: 10,
    };
    let ran = errand.run("dig", &mut seen).await;
    let asked = std::mem::take(&mut *model.requests.lock());
    JobResult { output: seen, requests: asked, ran }
}

fn success(ran: Result<ToolRunOutcome, ToolError>) -> String {
    match ran.unwrap() {
        ToolRunOutcome::Done(CallOutcome::Succeeded { result }) => result.text,
        other => panic!("{other:?}"),
    }
}

fn failure(ran: Result<ToolRunOutcome, ToolError>) -> (String, Option<String>) {
    match ran.unwrap() {
        ToolRunOutcome::Done(CallOutcome::Failed { error, result }) => (error.kind, result.map(|result| result.text)),
        other => panic!("{other:?}"),
    }
}

/// The texts a request ends with.
fn last_texts(request: &ModelRequest) -> Vec<String> {
    let parts = request.contents.last().unwrap().parts.iter();
    parts.filter_map(|part| if let PartData::Text(text) = &part.data { Some(text.clone()) } else { None }).collect()
}

#[tokio::test]
async fn it_makes_calls_in_the_session_and_reports() {
    let JobResult { output: seen, requests: asked, ran } =
        job(30, None, vec![read_call(), report("found it")], vec![read("contents")]).await;
    assert_eq!(success(ran), "found it");
    assert_eq!(seen.calls, [NewCall { tool: "read_file".into(), args: json!({"file_path": "a"}), meta: Value::Null }]);
    assert_eq!(seen.printed, "• Looking\n• I look\n");
    assert_eq!(seen.spent, 180);
    assert_eq!(asked[0].contents, [ModelMessage::user("dig")]);
    assert!(asked[0].system.starts_with("You look.\n\nHow you work\n"), "{}", asked[0].system);
    let answered = PartData::FunctionResponse {
        id: Some("x".into()),
        name: "read_file".into(),
        response: json!({"output": "contents"}),
    };
    assert_eq!(asked[1].contents[2], ModelMessage { role: MessageRole::User, parts: vec![answered.into()] });
    let said = &asked[1].contents[1].parts;
    assert_eq!(said.len(), 2, "thoughts are not sent back: {said:?}");
}

#[tokio::test]
async fn text_without_calls_is_a_report_too() {
    let JobResult { ran, .. } =
        job(30, None, vec![ScriptedAnswer::Says(vec![MessagePart::text("all "), MessagePart::text("done")])], vec![])
            .await;
    assert_eq!(success(ran), "all done");
}

#[tokio::test]
async fn a_call_beside_the_report_is_made_first() {
    let both = ScriptedAnswer::Says(vec![called(COMPLETE, json!({"result": "ok"})), called("read_file", json!({}))]);
    let JobResult { output: seen, ran, .. } = job(30, None, vec![both], vec![read("x")]).await;
    assert_eq!((success(ran).as_str(), seen.calls.len()), ("ok", 1));
}

#[tokio::test]
async fn what_was_declined_and_what_it_does_not_have_is_told_to_it() {
    let lines = vec![
        read_call(),
        ScriptedAnswer::Says(vec![called("invoke_agent", json!({})), called(COMPLETE, json!({}))]),
        report("gave up"),
    ];
    let JobResult { output: seen, requests: asked, ran } = job(30, None, lines, vec![CallOutcome::Declined]).await;
    assert_eq!((success(ran).as_str(), seen.calls.len()), ("gave up", 1));
    assert!(seen.printed.ends_with("✗ invoke_agent (it has no such tool)\n"), "{}", seen.printed);
    let told = serde_json::to_string(&asked[2].contents).unwrap();
    for said in
        ["declined this call", "you have no tool `invoke_agent`; your tools are read_file", "`result` is missing"]
    {
        assert!(told.contains(said), "{said}: {told}");
    }
}

#[tokio::test(start_paused = true)]
async fn near_its_end_it_is_warned_and_at_its_end_asked_for_what_there_is() {
    let lines = vec![read_call(), read_call(), report("half of it")];
    let JobResult { requests: asked, ran, output: seen } = job(2, None, lines, vec![read("a"), read("b")]).await;
    assert_eq!(failure(ran), ("agent_budget_used_up".into(), Some("half of it".into())));
    assert_eq!(
        last_texts(&asked[1]),
        ["[You have one more turn and 600 seconds. Come to an end and call complete_task.]"]
    );
    let names: Vec<&str> = asked[2].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["complete_task"]);
    assert!(last_texts(&asked[2])[0].starts_with("[its turns are used up."));
    assert!(seen.printed.ends_with("• its turns are used up: asked for what there is\n"));
}

#[tokio::test(start_paused = true)]
async fn its_time_is_bounded_and_so_are_its_last_words() {
    let JobResult { ran, .. } = job(30, None, vec![ScriptedAnswer::Hangs, ScriptedAnswer::Hangs], vec![]).await;
    assert_eq!(failure(ran), ("agent_budget_used_up".into(), None));
}

#[tokio::test]
async fn a_window_that_is_nearly_full_ends_it() {
    let JobResult { ran, .. } = job(30, Some(100), vec![read_call(), report("enough")], vec![read("a")]).await;
    assert_eq!(failure(ran), ("agent_budget_used_up".into(), Some("enough".into())));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_asked_for_again_and_an_error_ends_it() {
    let cut = || ScriptedAnswer::Fails(ModelError::Cut { message: "reset".into() });
    let JobResult { ran, output: seen, .. } = job(30, None, vec![cut(), report("ok")], vec![]).await;
    assert_eq!(success(ran), "ok");
    assert!(seen.printed.contains("trying again in 1 s"), "{}", seen.printed);
    let blocked = ScriptedAnswer::Fails(ModelError::Blocked { reason: "SAFETY".into() });
    let JobResult { ran, .. } = job(30, None, vec![blocked], vec![]).await;
    assert_eq!(ran.unwrap_err().kind(), "model_blocked");
}

#[test]
fn a_long_report_is_cut_and_says_so() {
    let long = "ä".repeat(REPORT_BYTES);
    assert!(result(&long).text.ends_with(&format!("\n[The report is {REPORT_BYTES} bytes longer.]")));
    assert_eq!(successful_run("  "), {
        let message = "the agent ended without a report; check what it did".to_owned();
        ToolRunOutcome::Done(CallOutcome::Failed {
            error: CallError { kind: "agent_no_report".into(), message },
            result: None,
        })
    });
}

#[tokio::test]
async fn it_is_shown_pictures_as_long_as_there_is_room() {
    let picture = || {
        let blob = BlobRef { sha256: "0".into(), len: 6, media: "image/png".into() };
        let media = vec![MediaContent { name: "a.png".into(), blob }];
        CallOutcome::Succeeded { result: CallResult { text: "a picture".into(), media, ..CallResult::default() } }
    };
    let JobResult { requests: asked, .. } =
        job(30, None, vec![read_call(), read_call(), report("seen")], vec![picture(), picture()]).await;
    assert_eq!(asked[2].contents[2].parts[1], MessagePart::media("image/png", b"pixels"));
    assert_eq!(last_texts(&asked[2]), ["[a.png (image/png) is not shown: you have been shown too much already]"]);
}
