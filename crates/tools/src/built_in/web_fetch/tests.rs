use super::*;
use parking_lot::Mutex;
use pollux_session::{CallId, CallOutcome, CallPhase, ModelUsage, NewCall, Seq, SessionId, SessionSetting, TaskId};
use pretty_assertions::assert_eq;
use serde_json::json;

/// Answers every prompt the same way and remembers what it was asked.
struct FakeUrlReader {
    answer: Result<UrlAnswer, String>,
    asked: Mutex<Vec<String>>,
}

impl UrlReader for FakeUrlReader {
    fn read<'a>(&'a self, prompt: &'a str) -> BoxFuture<'a, Result<UrlAnswer, String>> {
        self.asked.lock().push(prompt.to_owned());
        Box::pin(std::future::ready(self.answer.clone()))
    }
}

/// Remembers what was spent.
struct UsageRecorder(Vec<(String, ModelUsage)>);

impl ToolCallContext for UsageRecorder {
    fn session(&self) -> SessionId {
        "00000000-0000-7000-8000-000000000001".parse().unwrap()
    }

    fn send<'a>(&'a mut self, _: String, _: u64) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, _: NewCall) -> BoxFuture<'a, CallOutcome> {
        Box::pin(std::future::ready(CallOutcome::Cancelled))
    }

    fn spend<'a>(&'a mut self, model: String, usage: ModelUsage) -> BoxFuture<'a, ()> {
        self.0.push((model, usage));
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, _: SessionSetting) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

fn cost() -> (String, ModelUsage) {
    ("gemini-x".to_owned(), ModelUsage { prompt: 9, ..ModelUsage::default() })
}

fn useful() -> UrlAnswer {
    let source =
        crate::built_in::google_web_search::SearchSource { title: "T".into(), uri: "http://127.0.0.1:1/".into() };
    let unread = vec![("http://127.0.0.1:2/".to_owned(), "PAYWALL".to_owned())];
    UrlAnswer { text: " It says hello [1]. ".into(), sources: vec![source], unread, spent: Some(cost()) }
}

/// The result of a call: the text or the error, the question to the reader, and the tokens.
async fn run(
    reach: FetchReach,
    answer: Result<UrlAnswer, String>,
    args: Value,
) -> (Result<String, ToolError>, Vec<String>, Vec<(String, ModelUsage)>) {
    let reader = Arc::new(FakeUrlReader { answer, asked: Mutex::default() });
    let tool = WebFetchTool::new(reach, Some(reader.clone()));
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let (id, kind, phase) = (CallId(Seq(1)), ToolKind::Fetch, CallPhase::Running);
    let name = NAME.to_owned();
    let call = CallState {
        id,
        task,
        parent: None,
        place: id,
        tool: name,
        args,
        kind,
        ask: None,
        chosen: None,
        edit: None,
        plan: None,
        phase,
        response: None,
    };
    let mut usage_recorder = UsageRecorder(Vec::new());
    let ran = tool.run(Path::new("/"), &call, &mut usage_recorder).await.map(|ran| match ran {
        ToolRunOutcome::Done(CallOutcome::Succeeded { result }) => result.text,
        _ => panic!("no result"),
    });
    let asked = std::mem::take(&mut *reader.asked.lock());
    (ran, asked, usage_recorder.0)
}

/// An address where nothing listens: fetching from here fails.
fn nowhere() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

/// The sentence of a fetch that was tried and failed.
#[track_caller]
fn fetched_in_vain(text: Result<String, ToolError>) -> String {
    match CallOutcome::from(text.unwrap_err()) {
        CallOutcome::Failed { error, .. } if error.kind == "web_fetch_processing_error" => error.message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_reader_answers_and_is_paid() {
    let prompt = format!("what does {} say?", nowhere());
    let (text, asked, spent) = run(FetchReach::PublicAndLoopback, Ok(useful()), json!({"prompt": prompt})).await;
    let told = "What the pages say:\n\nIt says hello [1].\n\nSources:\n[1] T (http://127.0.0.1:1/)\n[http://127.0.0.1:2/ \
                could not be read: PAYWALL]";
    assert_eq!(text.unwrap(), told);
    assert_eq!((asked, spent), (vec![prompt], vec![cost()]));
}

#[tokio::test]
async fn where_the_reader_fails_pages_are_fetched_from_here() {
    let from_memory = UrlAnswer { sources: Vec::new(), ..useful() };
    for (answer, paid) in [(Err("no quota".to_owned()), vec![]), (Ok(from_memory), vec![cost()])] {
        let prompt = format!("what does {} say?", nowhere());
        let (text, asked, spent) = run(FetchReach::PublicAndLoopback, answer, json!({"prompt": prompt})).await;
        assert!(fetched_in_vain(text).contains("127.0.0.1"));
        assert_eq!((asked.len(), spent), (1, paid));
    }
}

#[tokio::test]
async fn a_bare_address_is_fetched_word_for_word() {
    let args = json!({"url": nowhere()});
    let (text, asked, _) = run(FetchReach::PublicAndLoopback, Ok(useful()), args).await;
    fetched_in_vain(text);
    assert_eq!(asked, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_of_this_network_is_told_to_a_reader() {
    for prompt in [
        "read http://127.0.0.1:8080/",
        "read http://localhost/",
        "read http://wiki.internal/",
        "read http://10.0.0.1/ please",
    ] {
        let (text, asked, _) = run(FetchReach::Public, Ok(useful()), json!({"prompt": prompt})).await;
        assert!(matches!(text, Err(ToolError::BadArguments(_))), "{prompt}");
        assert_eq!(asked, Vec::<String>::new(), "{prompt}");
    }
}

#[tokio::test]
async fn a_name_is_judged_by_where_it_leads() {
    let link = VettedUrl { url: reqwest::Url::parse("http://localhost/").unwrap() };
    let refused = PageFetcher::new(FetchReach::Public).vet(&link).await.unwrap_err();
    assert_eq!(refused, "`localhost` leads to an address that is not on the public internet");
    assert_eq!(PageFetcher::new(FetchReach::PublicAndLoopback).vet(&link).await, Ok(()));
}
