//! Whole exchanges with a scripted agent behind a real socket.

mod scripted_agent;

use pollux_remote::{
    AgentAddress, AgentCredential, AgentQuestionAnswer, Exchange, ExchangeEvent, ExchangeOutcome, ExchangeResult,
    RemoteAgent, RemoteError,
};
use pretty_assertions::assert_eq;
use scripted_agent::{ScriptedAgent, ScriptedAgentReply, artifact_1, status_0, status_1, task_0, task_1};
use serde_json::{Value, json};
use std::sync::Arc;

async fn begin(agent: &ScriptedAgent, prompt: &str) -> Exchange {
    let peer = RemoteAgent::reach(&agent.address()).await.unwrap();
    let mut exchange = Exchange::new(Arc::new(peer), None);
    exchange.say(prompt).await.unwrap();
    exchange
}

/// All progress up to the next thing that is more than that.
async fn follow(exchange: &mut Exchange) -> (String, ExchangeEvent) {
    let mut progress = String::new();
    loop {
        match exchange.next().await.unwrap() {
            ExchangeEvent::Progress(text) => progress.push_str(&text),
            news => return (progress, news),
        }
    }
}

fn over(outcome: ExchangeOutcome, text: &str) -> ExchangeEvent {
    ExchangeEvent::Over(ExchangeResult { outcome, text: text.into() })
}

fn said(answers: &Value) -> AgentQuestionAnswer {
    AgentQuestionAnswer::Chosen { option: "proceed_once".into(), answers: Some(answers.clone()) }
}

#[tokio::test]
async fn an_agent_of_1_0_is_followed_to_its_end() {
    let agent = ScriptedAgent::start(scripted_agent::card_1("JSONRPC", true)).await;
    agent.enqueue_answers([ScriptedAgentReply::stream(&[
        task_1("TASK_STATE_SUBMITTED"),
        status_1("TASK_STATE_WORKING", "reading"),
        artifact_1("half "),
        artifact_1("whole"),
        status_1("TASK_STATE_COMPLETED", ""),
    ])]);
    let mut exchange = begin(&agent, "dig").await;
    assert_eq!(
        follow(&mut exchange).await,
        ("• reading\nhalf whole".into(), over(ExchangeOutcome::Completed, "half whole"))
    );
    assert_eq!(exchange.context(), Some("c"));
    let heard = agent.requests();
    let message = &heard[0].body["params"]["message"];
    assert_eq!((heard[0].method.as_str(), heard[0].header("a2a-version")), ("SendStreamingMessage", "1.0"));
    assert_eq!((&message["role"], &message["parts"]), (&json!("ROLE_USER"), &json!([{"text": "dig"}])));
    drop(exchange);
    assert_eq!(agent.requests().len(), 1, "what is over is not cancelled");
}

#[tokio::test]
async fn an_agent_that_cannot_stream_is_looked_at() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(false)).await;
    agent.enqueue_answers([
        ScriptedAgentReply::value(&task_0("submitted")),
        ScriptedAgentReply::value(&task_0("working")),
        ScriptedAgentReply::value(
            &json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed"}, "history": [
            {"role": "user", "parts": [{"kind": "text", "text": "dig"}]},
            {"role": "agent", "parts": [{"kind": "text", "text": "found it"}]}]}),
        ),
    ]);
    let mut exchange = begin(&agent, "dig").await;
    assert_eq!(follow(&mut exchange).await.1, over(ExchangeOutcome::Completed, "found it"));
    let heard = agent.requests();
    assert_eq!(heard[0].body["params"]["configuration"], json!({"blocking": false}));
    assert_eq!(
        heard.iter().map(|call| call.method.as_str()).collect::<Vec<_>>()[..3],
        ["message/send", "tasks/get", "tasks/get"]
    );
}

#[tokio::test]
async fn http_with_json_is_spoken_where_there_is_nothing_else() {
    let agent = ScriptedAgent::start(scripted_agent::card_1("HTTP+JSON", true)).await;
    agent.enqueue_answers([
        ScriptedAgentReply::bare_stream(&[task_1("TASK_STATE_WORKING"), artifact_1("o")]),
        ScriptedAgentReply::bare_stream(&[
            task_1("TASK_STATE_WORKING"),
            artifact_1("k"),
            status_1("TASK_STATE_COMPLETED", ""),
        ]),
    ]);
    let mut exchange = begin(&agent, "dig").await;
    // The first stream ends early.
    assert_eq!(follow(&mut exchange).await.1, over(ExchangeOutcome::Completed, "ok"));
    assert_eq!(agent.paths(), ["/a2a/message:stream", "/a2a/tasks/t:subscribe"]);
}

#[tokio::test]
async fn a_stream_that_breaks_is_taken_up_where_it_stopped() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    agent.enqueue_answers([
        ScriptedAgentReply::cut_stream(&[task_0("submitted"), status_0("working", "one", false)]),
        ScriptedAgentReply::stream(&[
            task_0("working"),
            status_0("working", "two", false),
            status_0("completed", "done", true),
        ]),
    ]);
    let mut exchange = begin(&agent, "dig").await;
    assert_eq!(follow(&mut exchange).await, ("• one\n• two\n".into(), over(ExchangeOutcome::Completed, "done")));
    let again = &agent.requests()[1];
    assert_eq!((again.method.as_str(), again.header("last-event-id")), ("tasks/resubscribe", "1"));
    assert_eq!(again.body["params"]["id"], "t");
}

#[tokio::test]
async fn a_question_in_words_is_answered_in_the_same_task() {
    let agent = ScriptedAgent::start(scripted_agent::card_1("JSONRPC", true)).await;
    agent.enqueue_answers([
        ScriptedAgentReply::stream(&[
            task_1("TASK_STATE_SUBMITTED"),
            status_1("TASK_STATE_INPUT_REQUIRED", "Which colour?"),
        ]),
        ScriptedAgentReply::stream(&[status_1("TASK_STATE_COMPLETED", "painted red")]),
    ]);
    let mut exchange = begin(&agent, "paint").await;
    let (_, ExchangeEvent::Asks(question)) = follow(&mut exchange).await else { panic!("no question") };
    assert_eq!(question.description, "Which colour?");
    exchange.answer(&question, &said(&json!({"answer": "red"}))).await.unwrap();
    assert_eq!(follow(&mut exchange).await.1, over(ExchangeOutcome::Completed, "painted red"));
    let message = agent.requests()[1].body["params"]["message"].clone();
    assert_eq!(
        (&message["taskId"], &message["contextId"], &message["parts"]),
        (&json!("t"), &json!("c"), &json!([{"text": "red"}]))
    );
}

#[tokio::test]
async fn a_question_that_is_declined_stops_the_agent() {
    let agent = ScriptedAgent::start(scripted_agent::card_1("JSONRPC", true)).await;
    agent.enqueue_answers([
        ScriptedAgentReply::stream(&[
            task_1("TASK_STATE_SUBMITTED"),
            status_1("TASK_STATE_INPUT_REQUIRED", "Which colour?"),
        ]),
        ScriptedAgentReply::value(&task_1("TASK_STATE_CANCELED")["task"].clone()),
    ]);
    let mut exchange = begin(&agent, "paint").await;
    let (_, ExchangeEvent::Asks(question)) = follow(&mut exchange).await else { panic!("no question") };
    exchange.answer(&question, &AgentQuestionAnswer::Declined).await.unwrap();
    assert_eq!(follow(&mut exchange).await.1, over(ExchangeOutcome::Canceled, ""));
    assert_eq!(agent.requests()[1].method, "CancelTask");
}

#[tokio::test]
async fn a_question_on_a_stream_that_stays_open_is_asked_all_the_same() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    let call = json!({"kind": "status-update", "taskId": "t", "contextId": "c", "final": false,
        "metadata": {"coderAgent": {"kind": "tool-call-confirmation"}}, "status": {"state": "working", "message":
        {"role": "agent", "parts": [{"kind": "data", "data": {"request": {"callId": "x-1", "name": "write_file", "args": {}},
        "status": "awaiting_approval", "confirmationDetails": {"type": "info", "prompt": "really?"}}}]}}});
    agent.enqueue_answers([
        ScriptedAgentReply::open_stream(&[task_0("submitted"), call]),
        ScriptedAgentReply::stream(&[status_0("completed", "done", true)]),
    ]);
    let mut exchange = begin(&agent, "write").await;
    let (_, ExchangeEvent::Asks(question)) = follow(&mut exchange).await else { panic!("no question") };
    assert_eq!(question.description, "really?");
    let answer = AgentQuestionAnswer::Chosen { option: "proceed_once".into(), answers: None };
    exchange.answer(&question, &answer).await.unwrap();
    assert_eq!(follow(&mut exchange).await.1, over(ExchangeOutcome::Completed, "done"));
    let parts = agent.requests()[1].body["params"]["message"]["parts"].clone();
    assert_eq!(parts, json!([{"kind": "data", "data": {"callId": "x-1", "outcome": "proceed_once"}}]));
}

#[tokio::test]
async fn work_that_nobody_waits_for_is_cancelled() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    agent.enqueue_answers([ScriptedAgentReply::open_stream(&[
        task_0("submitted"),
        status_0("working", "on it", false),
    ])]);
    agent.enqueue_answers([ScriptedAgentReply::value(&task_0("canceled"))]);
    let mut exchange = begin(&agent, "dig").await;
    assert_eq!(exchange.next().await.unwrap(), ExchangeEvent::Progress("• on it\n".into()));
    drop(exchange);
    let cancel = agent.call(1).await;
    assert_eq!((cancel.method.as_str(), &cancel.body["params"]["id"]), ("tasks/cancel", &json!("t")));
}

#[tokio::test]
async fn a_refusal_is_told_with_its_code() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    agent.enqueue_answers([ScriptedAgentReply::error(-32001, "no such task")]);
    let peer = RemoteAgent::reach(&agent.address()).await.unwrap();
    let mut exchange = Exchange::new(Arc::new(peer), None);
    let refused = RemoteError::Refused { code: -32001, message: "no such task".into() };
    assert_eq!(exchange.say("dig").await, Err(refused));
}

#[tokio::test]
async fn a_card_behind_a_redirect_to_another_place_is_not_followed_and_no_secret_goes_there() {
    let elsewhere = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    let agent = ScriptedAgent::redirecting(&elsewhere.root()).await;
    let address = AgentAddress::new(&agent.root(), Some(AgentCredential::bearer("secret").unwrap())).unwrap();
    let Err(RemoteError::Unreachable { why, .. }) = RemoteAgent::reach(&address).await else {
        panic!("it was followed")
    };
    assert!(why.contains("another place"), "{why}");
    assert_eq!(elsewhere.cards_shown(), 0);
}

#[tokio::test]
async fn a_secret_goes_with_every_request() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    agent.enqueue_answers([ScriptedAgentReply::stream(&[status_0("completed", "ok", true)])]);
    let address = AgentAddress::new(&agent.root(), Some(AgentCredential::key("X-Api-Key", "secret").unwrap())).unwrap();
    let mut exchange = Exchange::new(Arc::new(RemoteAgent::reach(&address).await.unwrap()), Some("c9".into()));
    exchange.say("dig").await.unwrap();
    assert_eq!(follow(&mut exchange).await.1, over(ExchangeOutcome::Completed, "ok"));
    assert_eq!(agent.requests()[0].header("x-api-key"), "secret");
    assert_eq!(agent.requests()[0].body["params"]["message"]["contextId"], "c9");
}

#[tokio::test]
async fn what_is_no_card_says_so() {
    let agent = ScriptedAgent::start(Value::String("x".repeat(2 * 1024 * 1024))).await;
    assert_eq!(RemoteAgent::reach(&agent.address()).await.err(), Some(RemoteError::TooMuch { limit: 1024 * 1024 }));
    let agent = ScriptedAgent::start(json!({"name": "nobody"})).await;
    let Err(RemoteError::Card { why, .. }) = RemoteAgent::reach(&agent.address()).await else { panic!("a card") };
    assert_eq!(why, "it names no address to send messages to");
}

/// The answer would be sent to another task of the same server, and so would the request to stop.
#[tokio::test]
async fn an_agent_that_changes_its_task_gets_no_answer_for_it() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    let other = json!({"kind": "status-update", "taskId": "other", "contextId": "c", "final": true,
        "status": {"state": "input-required"}});
    agent.enqueue_answers([ScriptedAgentReply::stream(&[status_0("working", "", false), other])]);
    let mut exchange = begin(&agent, "dig").await;
    let error = loop {
        match exchange.next().await {
            Ok(ExchangeEvent::Progress(_)) => {}
            Ok(news) => panic!("{news:?}"),
            Err(error) => break error,
        }
    };
    assert_eq!(error, RemoteError::ChangedId { what: "task" });
    agent.enqueue_answers([ScriptedAgentReply::value(&task_0("canceled"))]);
    exchange.stop().await.unwrap();
    let heard = agent.requests();
    assert_eq!((heard[1].method.as_str(), &heard[1].body["params"]["id"]), ("tasks/cancel", &json!("t")));
}

/// Each stream brings something before it breaks, so none counts as broken in a row.
#[tokio::test(start_paused = true)]
async fn an_agent_that_breaks_its_streams_without_end_is_looked_at_instead() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    let broken = || ScriptedAgentReply::cut_stream(&[status_0("working", "on it", false)]);
    agent.enqueue_answers((0..21).map(|_| broken()).chain([ScriptedAgentReply::value(&task_0("completed"))]));
    let mut exchange = begin(&agent, "dig").await;
    let (_, news) = follow(&mut exchange).await;
    assert!(
        matches!(news, ExchangeEvent::Over(ExchangeResult { outcome: ExchangeOutcome::Completed, .. })),
        "{news:?}"
    );
    let heard = agent.requests();
    let resumed = heard.iter().filter(|request| request.method == "tasks/resubscribe").count();
    assert_eq!((resumed, heard.last().unwrap().method.as_str()), (20, "tasks/get"));
}

#[tokio::test(start_paused = true)]
async fn what_all_streams_of_an_exchange_bring_has_one_limit() {
    let agent = ScriptedAgent::start(scripted_agent::card_0(true)).await;
    let large = "x".repeat(15 * 1024 * 1024);
    agent.enqueue_answers((0..8).map(|_| ScriptedAgentReply::cut_stream(&[status_0("working", &large, false)])));
    let mut exchange = begin(&agent, "dig").await;
    let error = loop {
        match exchange.next().await {
            Ok(ExchangeEvent::Progress(_)) => {}
            Ok(news) => panic!("{news:?}"),
            Err(error) => break error,
        }
    };
    assert_eq!(error, RemoteError::TooMuch { limit: 64 * 1024 * 1024 });
    assert_eq!(agent.requests().len(), 5, "four streams of 15 MiB fit");
}
