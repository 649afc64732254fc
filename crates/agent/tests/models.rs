//! Turns whose model cannot answer, answers badly, or does not stop.

use pollux_agent::{AgentRunner, AgentSettings, WorkspaceAgent};
use pollux_host::{Host, NoticeBoard};
use pollux_model::{ModelCatalogue, ModelRegistry};
use pollux_policy::{PolicySources, WorkspacePolicies};
use pollux_session::{
    BlobRef, Command, CommandId, ContextId, Entry, Event, ItemKind, OpenSessionRequest, Owner, PromptTarget, Rights,
    Roster, Seat, SessionId, SessionOverrides, SessionState, TaskStatus, Transcript, TranscriptLine, TurnFailure,
    TurnOutcome, Who,
};
use pollux_store::SessionStore;
use pollux_testkit::script;
use pollux_testkit::scripted_provider::{PreparedAnswer, ScriptedProvider};
use pollux_tools::{OutputSpool, OutputStore, Toolbox};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

/// No test here prints anything.
struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> std::io::Result<Box<dyn OutputSpool>> {
        Err(std::io::Error::other("nothing is kept here"))
    }

    fn read(&self, _: &BlobRef) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

struct TestSession {
    seat: Arc<dyn Seat>,
    dir: TempDir,
}

/// A session whose model is `name`, found with `env`.
async fn start_session(settings: AgentSettings, name: &str, env: Vec<(&'static str, String)>) -> TestSession {
    let dir = tempfile::tempdir().unwrap();
    let read = move |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
    let models = Arc::new(ModelRegistry::new(ModelCatalogue::load(None).unwrap(), read).with_attempts(1));
    let model = models.resolve(name).unwrap();
    let policies = Arc::new(WorkspacePolicies::new(PolicySources::default()));
    let toolbox = Toolbox::standard(Arc::new(NoOutputStore));
    let agent = WorkspaceAgent::new(dir.path(), models, model, toolbox, policies, settings);
    let store = SessionStore::in_memory().unwrap();
    let host = Host::new(
        store,
        Arc::new(AgentRunner::new(agent)),
        NoticeBoard::default(),
        SessionOverrides::default(),
        "test",
    );
    let who =
        Who { owner: Owner("me".into()), principal: "me".into(), label: "terminal".into(), rights: Rights::all() };
    let opening = OpenSessionRequest {
        id: SessionId(uuid::Uuid::now_v7()),
        context: ContextId::new("test").unwrap(),
        workspace: dir.path().to_str().unwrap().into(),
        overrides: SessionOverrides::default(),
        once: None,
        edge: serde_json::Value::Null,
    };
    TestSession { seat: host.open(&who, opening).await.unwrap(), dir }
}

/// A session with scripted answers.
async fn scripted(settings: AgentSettings, lines: &[Value]) -> TestSession {
    let dir = tempfile::tempdir().unwrap();
    let name = script::write(&dir.path().join("a.responses"), lines).unwrap();
    start_session(settings, &name, Vec::new()).await
}

/// A session that asks Google's pro model over a socket.
async fn with_google(settings: AgentSettings, answers: Vec<PreparedAnswer>) -> (TestSession, ScriptedProvider) {
    let upstream = ScriptedProvider::start(answers).await.unwrap();
    let env = vec![("GOOGLE_GEMINI_BASE_URL", upstream.address.clone())];
    (start_session(settings, "gemini-2.5-pro", env).await, upstream)
}

impl TestSession {
    /// Say something and wait until the session rests.
    async fn prompt(&self, text: &str) -> (SessionState, Vec<Arc<Entry>>) {
        let target = PromptTarget::Existing { task: self.seat.session().main_task() };
        let id = CommandId(uuid::Uuid::now_v7().to_string());
        let receipt = self.seat.send(id, Command::prompt(target, text)).await.unwrap();
        let mut state = SessionState::default();
        let mut entries = Vec::new();
        loop {
            for entry in self.seat.read(state.head, 500).await.unwrap() {
                state.apply(&entry);
                entries.push(entry);
            }
            if state.head >= receipt.seq && matches!(state.session_status(), TaskStatus::Resting(_)) {
                return (state, entries);
            }
            self.seat.changed(state.head).await.unwrap();
        }
    }
}

#[track_caller]
fn failure(state: &SessionState) -> TurnFailure {
    match state.session_status() {
        TaskStatus::Resting(TurnOutcome::Failed { failure }) => failure,
        other => panic!("{other:?}"),
    }
}

fn answer_text(entries: &[Arc<Entry>]) -> String {
    let transcript = Transcript::fold(entries.iter().map(AsRef::as_ref));
    let text = |line: &TranscriptLine| match line {
        TranscriptLine::Item { kind: ItemKind::Text, text, .. } => Some(text.clone()),
        _ => None,
    };
    transcript.lines().filter_map(text).collect()
}

fn fell_back(entries: &[Arc<Entry>]) -> Vec<(String, String)> {
    let pair = |entry: &Arc<Entry>| match &entry.event {
        Event::FellBack { from, to, .. } => Some((from.clone(), to.clone())),
        _ => None,
    };
    entries.iter().filter_map(pair).collect()
}

fn retries(entries: &[Arc<Entry>]) -> usize {
    entries.iter().filter(|entry| matches!(entry.event, Event::Retrying { .. })).count()
}

/// The models that were asked.
fn models_requested(upstream: &ScriptedProvider) -> Vec<String> {
    let model = |target: String| target.split("/models/").nth(1).unwrap().split(':').next().unwrap().to_owned();
    upstream.requests().into_iter().map(|request| model(request.target)).collect()
}

fn frame(parts: &Value, finish: Option<&str>) -> String {
    let candidate = json!({"content": {"parts": parts}, "finishReason": finish});
    format!("data: {}\n\n", json!({"candidates": [candidate]}))
}

fn text_answer(text: &str) -> PreparedAnswer {
    PreparedAnswer::events(frame(&json!([{"text": text}]), Some("STOP")))
}

/// The day's quota is used up; it comes back in two hours.
fn quota() -> Value {
    let kind = |name: &str| format!("type.googleapis.com/google.rpc.{name}");
    json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded.", "details": [
        {"@type": kind("QuotaFailure"), "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]},
        {"@type": kind("RetryInfo"), "retryDelay": "7200s"}]}})
}

fn out_of_quota() -> PreparedAnswer {
    PreparedAnswer::json(&quota()).status(429)
}

fn pair(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

#[tokio::test]
async fn another_model_answers_in_the_same_step_and_from_then_on() {
    let (scene, upstream) =
        with_google(AgentSettings::default(), vec![out_of_quota(), text_answer("hello"), text_answer("again")]).await;
    let (state, entries) = scene.prompt("hi").await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert_eq!(fell_back(&entries), [pair("gemini-2.5-pro", "gemini-2.5-flash")]);
    assert_eq!((answer_text(&entries).as_str(), state.model.as_deref()), ("hello", Some("gemini-2.5-flash")));
    scene.prompt("more").await;
    assert_eq!(models_requested(&upstream), ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash"]);
}

#[tokio::test]
async fn a_model_that_is_not_there_and_one_without_capacity_are_given_up_too() {
    let gone = json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "models/gemini-2.5-pro is not found"}});
    let full = json!({"error": {"code": 429, "message": "You have exhausted your capacity on this model."}});
    let busy = json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}});
    for (status, body) in [(404, gone), (429, full), (503, busy)] {
        let answers = vec![PreparedAnswer::json(&body).status(status), text_answer("hello")];
        let (scene, _upstream) = with_google(AgentSettings::default(), answers).await;
        let (_, entries) = scene.prompt("hi").await;
        assert_eq!(fell_back(&entries).len(), 1, "{status}");
        assert_eq!(answer_text(&entries), "hello", "{status}");
    }
}

#[tokio::test]
async fn each_model_is_given_up_once_and_the_end_says_what_to_do() {
    let (scene, upstream) = with_google(AgentSettings::default(), vec![out_of_quota(); 3]).await;
    let (state, entries) = scene.prompt("hi").await;
    assert_eq!(
        fell_back(&entries),
        [pair("gemini-2.5-pro", "gemini-2.5-flash"), pair("gemini-2.5-flash", "gemini-2.5-flash-lite")]
    );
    assert_eq!(models_requested(&upstream), ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"]);
    let failure = failure(&state);
    assert_eq!(failure.kind, "model_quota");
    assert!(failure.message.contains("wait 2 h 0 min until it is renewed"), "{}", failure.message);
    assert!(failure.message.ends_with("in this session: /model gemini-3.8-flash"), "{}", failure.message);
}

#[tokio::test]
async fn nobody_else_is_asked_where_that_is_not_wanted_or_would_not_help() {
    let settings = AgentSettings { fall_back: false, ..AgentSettings::default() };
    let (scene, upstream) = with_google(settings, vec![out_of_quota(), text_answer("unused")]).await;
    let (state, entries) = scene.prompt("hi").await;
    assert_eq!((failure(&state).kind.as_str(), fell_back(&entries)), ("model_quota", vec![]));
    assert_eq!(upstream.requests().len(), 1);

    let wrong = json!({"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "no"}});
    let answers = vec![PreparedAnswer::json(&wrong).status(403), text_answer("unused")];
    let (scene, upstream) = with_google(AgentSettings::default(), answers).await;
    let (state, _) = scene.prompt("hi").await;
    assert_eq!((failure(&state).kind.as_str(), upstream.requests().len()), ("model_permission", 1));
}

#[tokio::test]
async fn what_was_half_said_is_gone_on_with_by_the_other_model() {
    let half = format!("{}data: {}\n\n", frame(&json!([{"text": "half an "}]), None), quota());
    let (scene, upstream) =
        with_google(AgentSettings::default(), vec![PreparedAnswer::events(half), text_answer("answer")]).await;
    let (_, entries) = scene.prompt("hi").await;
    assert_eq!(answer_text(&entries), "half an answer");
    let contents = upstream.requests().remove(1).body["contents"].clone();
    assert_eq!(contents[1], json!({"role": "model", "parts": [{"text": "half an "}]}));
}

#[tokio::test]
async fn a_blocked_prompt_is_told_at_once() {
    let blocked = PreparedAnswer::events(format!("data: {}\n\n", json!({"promptFeedback": {"blockReason": "SAFETY"}})));
    let (scene, upstream) = with_google(AgentSettings::default(), vec![blocked, text_answer("unused")]).await;
    let (state, entries) = scene.prompt("hi").await;
    let failure = failure(&state);
    assert_eq!((failure.kind.as_str(), retries(&entries), upstream.requests().len()), ("model_blocked", 0, 1));
    assert!(failure.message.contains("SAFETY"), "{}", failure.message);
}

#[tokio::test]
async fn a_model_that_only_thinks_is_told_to_speak() {
    let thought = PreparedAnswer::events(frame(&json!([{"text": "hm", "thought": true}]), Some("STOP")));
    let (scene, upstream) = with_google(AgentSettings::default(), vec![thought, text_answer("hello")]).await;
    let (state, entries) = scene.prompt("hi").await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert_eq!((answer_text(&entries).as_str(), retries(&entries)), ("hello", 1));
    let system = |at: usize| upstream.requests()[at].body["systemInstruction"]["parts"][0]["text"].to_string();
    assert!(!system(0).contains("Answer now") && system(1).contains("Answer now"));
}

#[tokio::test]
async fn a_model_whose_call_is_not_well_formed_is_told_so() {
    let malformed = PreparedAnswer::events(frame(&json!([]), Some("MALFORMED_FUNCTION_CALL")));
    let (scene, upstream) = with_google(AgentSettings::default(), vec![malformed, text_answer("better")]).await;
    let (_, entries) = scene.prompt("hi").await;
    assert_eq!((answer_text(&entries).as_str(), retries(&entries)), ("better", 1));
    let system = |at: usize| upstream.requests()[at].body["systemInstruction"]["parts"][0]["text"].to_string();
    assert!(!system(0).contains("Make the call again") && system(1).contains("Make the call again"));
}

/// How long a conversation may be is known for sure only when the provider refuses it.
#[tokio::test]
async fn a_conversation_that_is_refused_for_its_length_is_compacted_and_the_turn_goes_on() {
    let refused = || {
        let message = "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).";
        PreparedAnswer::json(&json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": message}}))
            .status(400)
    };
    let long = || text_answer(&"a long answer ".repeat(2_000));
    let answers = vec![long(), refused(), text_answer("the summary"), text_answer("went on")];
    let (scene, upstream) = with_google(AgentSettings::default(), answers).await;
    scene.prompt("one").await;
    let (state, entries) = scene.prompt("two").await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert!(answer_text(&entries).ends_with("went on"));
    let last = upstream.requests()[3].body["contents"].to_string();
    assert!(last.contains("the summary") && last.contains("two") && last.len() < 1_000, "{last}");
    // The provider keeps what the conversation begins with, so the wish for a summary begins with it too.
    let (first, wish) = (&upstream.requests()[0].body, &upstream.requests()[2].body);
    assert_eq!((&wish["systemInstruction"], &wish["tools"]), (&first["systemInstruction"], &first["tools"]));
    assert!(first["tools"].is_array() && wish["contents"].to_string().contains("a long answer"));
    assert_eq!(wish["toolConfig"], json!({"functionCallingConfig": {"mode": "NONE"}}));

    let (scene, upstream) = with_google(AgentSettings::default(), vec![refused(), text_answer("unused")]).await;
    let (state, _) = scene.prompt("one").await;
    assert_eq!((failure(&state).kind.as_str(), upstream.requests().len()), ("model_too_long", 1));
}

/// What a provider keeps of a request is its beginning, and the instructions are the very beginning.
#[tokio::test]
async fn an_edited_rules_file_counts_from_a_refresh_a_summary_or_a_new_conversation_on() {
    let long = || text_answer(&"a long answer ".repeat(400));
    let answers = vec![long(), long(), long(), text_answer("the summary"), text_answer("four"), text_answer("five")];
    let (session, upstream) = with_google(AgentSettings::default(), answers).await;
    let write = |rules: &str| std::fs::write(session.dir.path().join("GEMINI.md"), rules).unwrap();
    let instructions = || upstream.requests().last().unwrap().body["systemInstruction"].to_string();
    write("use tabs");
    session.prompt("one").await;
    let first = instructions();
    assert!(first.contains("use tabs"), "{first}");
    write("use spaces");
    session.prompt("two").await;
    assert_eq!(instructions(), first);
    session.prompt("/memory refresh").await;
    session.prompt("three").await;
    let third = instructions();
    assert!(third.contains("use spaces"), "{third}");
    write("use nothing");
    session.prompt("/compress").await;
    assert_eq!(instructions(), third, "the summary is asked for in the conversation that it ends");
    session.prompt("four").await;
    assert!(instructions().contains("use nothing"));
    write("use everything");
    session.prompt("/clear").await;
    session.prompt("five").await;
    assert!(instructions().contains("use everything"));
}

#[tokio::test]
async fn a_server_that_does_not_run_is_said_at_once() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let env = vec![("OLLAMA_HOST", closed.to_string())];
    let (state, entries) = start_session(AgentSettings::default(), "ollama:qwen3", env).await.prompt("hi").await;
    assert_eq!(retries(&entries), 0);
    let message = format!("nothing listens on {closed}; start ollama there, or choose another model with -m or /model");
    assert_eq!(failure(&state), TurnFailure { kind: "model_unreachable".into(), message });
}

/// Answers that cannot be used, and the word for how the turn fails after four of them.
#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_used_is_asked_for_four_times_and_then_told() {
    let line = |parts: Value, finish: Value| {
        let candidate = json!({"content": {"parts": parts}, "finishReason": finish});
        json!({"method": "generateContentStream", "response": [{"candidates": [candidate]}]})
    };
    for (parts, finish, words) in [
        (json!([]), json!("MALFORMED_FUNCTION_CALL"), "in a way that does not work (MALFORMED_FUNCTION_CALL)"),
        (json!([]), json!("UNEXPECTED_TOOL_CALL"), "in a way that does not work (UNEXPECTED_TOOL_CALL)"),
        (json!([]), json!("MAX_TOKENS"), "it is empty (MAX_TOKENS)"),
        (
            json!([{"text": "hm", "thought": true}]),
            json!("MAX_TOKENS"),
            "it thought and then said nothing (MAX_TOKENS)",
        ),
        (json!([{"text": " \u{200b}"}]), json!("STOP"), "it is empty (STOP)"),
        (json!([]), Value::Null, "it stopped without saying why"),
    ] {
        let lines = vec![line(parts, finish); 4];
        let (state, entries) = scripted(AgentSettings::default(), &lines).await.prompt("hi").await;
        let failure = failure(&state);
        assert_eq!((failure.kind.as_str(), retries(&entries)), ("model_malformed", 3), "{words}");
        assert!(failure.message.contains(words), "{words}: {}", failure.message);
    }
}

/// An answer that says the same sentence forty times, a chunk each.
fn repeated_sentence() -> Value {
    let chunk =
        json!({"candidates": [{"content": {"parts": [{"text": "I will look at the file and change it now. "}]}}]});
    let mut chunks = vec![chunk; 40];
    chunks.push(json!({"candidates": [{"finishReason": "STOP"}]}));
    json!({"method": "generateContentStream", "response": chunks})
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_goes_round_in_circles_is_stopped_while_it_streams() {
    let (state, entries) = scripted(AgentSettings::default(), &[repeated_sentence()]).await.prompt("hi").await;
    assert_eq!(failure(&state).kind, "loop_detected");
    let heard = answer_text(&entries).matches("now.").count();
    assert!((10..40).contains(&heard), "{heard}");

    let settings = AgentSettings { loop_guard: false, ..AgentSettings::default() };
    let (state, entries) = scripted(settings, &[repeated_sentence()]).await.prompt("hi").await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    assert_eq!(answer_text(&entries).matches("now.").count(), 40);
}

#[tokio::test]
async fn a_session_has_no_more_turns_than_it_may() {
    let settings = AgentSettings { max_session_turns: Some(1), ..AgentSettings::default() };
    let scene = scripted(settings, &[script::repeat_forever(script::text_answer("hello"))]).await;
    let (state, _) = scene.prompt("one").await;
    assert_eq!(state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    let (state, entries) = scene.prompt("two").await;
    let failure = failure(&state);
    assert_eq!(failure.kind, "turn_limit");
    assert!(failure.message.contains("the 1 turns that model.maxSessionTurns allows"), "{}", failure.message);
    assert_eq!(answer_text(&entries), "hello");
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_behind_results_is_asked_for_again_and_then_told() {
    let parts = |parts: Value| {
        let candidate = json!({"content": {"parts": parts}, "finishReason": "STOP"});
        json!({"method": "generateContentStream", "response": [{"candidates": [candidate]}]})
    };
    let look = parts(json!([{"functionCall": {"name": "list_directory", "args": {"dir_path": "."}}}]));
    let empty = json!({"method": "generateContentStream", "repeat": true, "response": [
        {"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}]});
    let (state, entries) = scripted(AgentSettings::default(), &[look, empty]).await.prompt("go").await;
    assert_eq!(failure(&state).message, "the model's answer cannot be used: it is empty (STOP)");
    assert_eq!(retries(&entries), 3);
}
