//! Agents on the public SDKs, of both versions. Skipped unless POLLUX_PEERS names a directory with a virtual environment
//! `py` that has `a2a-sdk`, and packages `node` that have `@a2a-js/sdk` 0.3.

use pollux_remote::{
    AgentAddress, AgentQuestionAnswer, Exchange, ExchangeEvent, ExchangeOutcome, ExchangeResult, RemoteAgent,
};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

struct SdkAgent {
    peer: Arc<RemoteAgent>,
    lines: Lines<BufReader<ChildStdout>>,
    /// Ends when it is dropped.
    _program: Child,
}

impl SdkAgent {
    /// The next line the agent prints.
    async fn line(&mut self) -> String {
        self.lines.next_line().await.unwrap().unwrap()
    }

    async fn begin(&self, text: &str, context: Option<String>) -> Exchange {
        let mut exchange = Exchange::new(self.peer.clone(), context);
        exchange.say(text).await.unwrap();
        exchange
    }
}

/// Start an agent of ours on an SDK; `None` when there are no peers.
async fn start(program: &str, script: &str, args: &[&str]) -> Option<SdkAgent> {
    let Some(peers) = std::env::var_os("POLLUX_PEERS").map(PathBuf::from) else {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
        return None;
    };
    let program = if program == "python" { peers.join("py/bin/python") } else { PathBuf::from(program) };
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(script);
    #[expect(clippy::disallowed_methods, reason = "tests start the programs they talk to")]
    let mut command = Command::new(program);
    command.arg(script).args(args).env("POLLUX_PEERS", &peers).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next_line().await.unwrap().unwrap();
    let mut places = first.strip_prefix("listening on ").unwrap().split(" and ").map(str::to_owned);
    let address = AgentAddress::new(&places.next().unwrap(), None).unwrap();
    // A port of its own, as gRPC often has, has to be named.
    let peer = RemoteAgent::reach(&address.with_others(&places.collect::<Vec<_>>()).unwrap()).await.unwrap();
    Some(SdkAgent { peer: Arc::new(peer), lines, _program: child })
}

async fn follow(exchange: &mut Exchange) -> (String, ExchangeEvent) {
    let mut progress = String::new();
    loop {
        match exchange.next().await.unwrap() {
            ExchangeEvent::Progress(text) => progress.push_str(&text),
            news => return (progress, news),
        }
    }
}

/// Everything the agent does, whichever way it is spoken to.
async fn check(sdk: Option<SdkAgent>) {
    let Some(mut sdk) = sdk else { return };
    assert_eq!((sdk.peer.name(), sdk.peer.description()), ("worker", "counts and paints"));

    let mut count = sdk.begin("count to two", None).await;
    let (progress, ExchangeEvent::Over(ending)) = follow(&mut count).await else { panic!("it asks") };
    let context = count.context().unwrap().to_owned();
    assert_eq!(progress, "• counting\none two");
    assert_eq!(
        ending,
        ExchangeResult { outcome: ExchangeOutcome::Completed, text: format!("one two\n\ncounted in {context}") }
    );

    let mut again = sdk.begin("count again", Some(context.clone())).await;
    let (_, ExchangeEvent::Over(ending)) = follow(&mut again).await else { panic!("it asks") };
    assert!(ending.text.ends_with(&context), "{}", ending.text);

    let mut paint = sdk.begin("paint a fence", None).await;
    let (_, ExchangeEvent::Asks(question)) = follow(&mut paint).await else { panic!("it does not ask") };
    assert_eq!(question.description, "Which colour?");
    let red = AgentQuestionAnswer::Chosen { option: "proceed_once".into(), answers: Some(json!({"answer": "red"})) };
    paint.answer(&question, &red).await.unwrap();
    let painted = ExchangeResult { outcome: ExchangeOutcome::Completed, text: "painted red".into() };
    assert_eq!(follow(&mut paint).await.1, ExchangeEvent::Over(painted));

    let mut paint = sdk.begin("paint a door", None).await;
    let (_, ExchangeEvent::Asks(question)) = follow(&mut paint).await else { panic!("it does not ask") };
    paint.answer(&question, &AgentQuestionAnswer::Declined).await.unwrap();
    let (_, ExchangeEvent::Over(ExchangeResult { outcome: ExchangeOutcome::Canceled, .. })) = follow(&mut paint).await
    else {
        panic!("it goes on")
    };

    let mut hang = sdk.begin("hang around", None).await;
    assert_eq!(hang.next().await.unwrap(), ExchangeEvent::Progress("• working\n".into()));
    drop(hang);
    while sdk.line().await != "cancelled" {}
}

#[tokio::test]
async fn the_python_sdk_speaks_1_0() {
    check(start("python", "agent.py", &["JSONRPC", "1.0"]).await).await;
}

#[tokio::test]
async fn the_python_sdk_speaks_1_0_over_plain_http() {
    check(start("python", "agent.py", &["HTTP+JSON", "1.0"]).await).await;
}

#[tokio::test]
async fn the_python_sdk_speaks_1_0_over_grpc() {
    check(start("python", "agent.py", &["GRPC", "1.0"]).await).await;
}

#[tokio::test]
async fn the_python_sdk_speaks_0_3() {
    check(start("python", "agent.py", &["JSONRPC", "0.3"]).await).await;
}

#[tokio::test]
async fn the_python_sdk_speaks_0_3_over_plain_http() {
    check(start("python", "agent.py", &["HTTP+JSON", "0.3"]).await).await;
}

#[tokio::test]
async fn the_python_sdk_speaks_0_3_over_grpc() {
    check(start("python", "agent.py", &["GRPC", "0.3"]).await).await;
}

#[tokio::test]
async fn the_javascript_sdk_speaks_0_3() {
    check(start("node", "agent.mjs", &[]).await).await;
}
