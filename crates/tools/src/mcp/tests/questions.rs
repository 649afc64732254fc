//! Servers with a question for the person.

use super::fake_server::*;
use crate::mcp::{McpLimits, McpServerConfig, McpServers};
use crate::tool::CallPreview;
use pollux_session::{AskDetails, AskOption, CallOutcome, ToolKind, cancel_choice, once_choice};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Ask, and wait for the answer.
async fn ask(wire: &mut FakeServerConnection, question: Value) -> Value {
    wire.send(json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": question })).await;
    loop {
        let message = wire.next().await.unwrap();
        if message["id"] == "q" {
            assert!(message["error"].is_null(), "{message}");
            return message["result"].clone();
        }
    }
}

/// A server whose tool asks and returns the answer as it got it.
fn asking_script(question: Value) -> ServerScript {
    script(async move |mut wire: FakeServerConnection| {
        while let Some(call) = wire.serve(&tools(&[say_tool()])).await {
            let answer = ask(&mut wire, question.clone()).await;
            wire.answer(&call, text(&answer.to_string())).await;
        }
    })
}

fn colour() -> Value {
    let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"] });
    json!({ "mode": "form", "message": "Which\u{1b} colour?", "requestedSchema": schema })
}

/// The answer that the server gets when the person does this, and the previews that they were shown.
async fn answer_and_previews(servers: &McpServers, script: Vec<ScriptedAnswer>) -> (Value, Vec<CallPreview>) {
    servers.settled().await;
    let mut person = ScriptedPerson::with_script(servers, script);
    let say = find(servers, "mcp_fake_say");
    let outcome = run_with(&say, json!({}), ToolKind::Fetch, None, &mut person).await;
    let text = &outcome.result().unwrap_or_else(|| panic!("{outcome:?}")).text;
    (serde_json::from_str(text).unwrap(), person.seen)
}

async fn answer(question: Value, script: Vec<ScriptedAnswer>) -> (Value, Vec<CallPreview>) {
    answer_and_previews(&start(vec![asking_script(question)]), script).await
}

fn choices(accept: &str) -> Option<Vec<AskOption>> {
    let accept = AskOption { name: accept.into(), ..once_choice() };
    Some(vec![accept, AskOption { name: "Decline to answer".into(), ..cancel_choice() }])
}

#[tokio::test(start_paused = true)]
async fn a_question_is_an_ask_of_the_call() {
    let (answer, seen) = answer(colour(), vec![ScriptedAnswer::Answers(json!({ "colour": "red", "more": 1 }))]).await;
    assert_eq!(answer, json!({ "action": "accept", "content": { "colour": "red" } }));
    let [preview] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((preview.kind, preview.trusted), (ToolKind::Converse, false));
    let AskDetails::Generic { description, schema: Some(schema) } = &preview.details else { panic!("{preview:?}") };
    assert_eq!(description, "The MCP server fake asks:\nWhich colour?");
    assert_eq!(schema["properties"], json!({ "colour": { "type": "string" } }));
    assert_eq!(preview.options, choices("Send the answers to the server"));
}

#[tokio::test(start_paused = true)]
async fn a_person_may_decline_or_leave_it() {
    let ends = async |outcome| answer(colour(), vec![ScriptedAnswer::Ends(Box::new(outcome))]).await.0;
    assert_eq!(ends(CallOutcome::Declined).await, json!({ "action": "decline" }));
    assert_eq!(ends(CallOutcome::Cancelled).await, json!({ "action": "cancel" }));
    let denied = CallOutcome::Denied { why: "nobody is here to ask".into() };
    let expected = json!({ "action": "decline", "_meta": { "pollux/reason": "nobody is here to ask" } });
    assert_eq!(ends(denied).await, expected);
}

#[tokio::test(start_paused = true)]
async fn answers_that_do_not_fit_are_asked_for_again() {
    let script =
        vec![ScriptedAnswer::Answers(json!({ "colour": true })), ScriptedAnswer::Answers(json!({ "colour": "red" }))];
    let (fits, seen) = answer(colour(), script).await;
    assert_eq!(fits, json!({ "action": "accept", "content": { "colour": "red" } }));
    let again = "The answer was not sent: `colour` must be text.\n\nThe MCP server fake asks:\nWhich colour?";
    let AskDetails::Generic { description, .. } = &seen[1].details else { panic!("{seen:?}") };
    assert_eq!(description, again);

    let script = (0..3).map(|_| ScriptedAnswer::Answers(json!({}))).collect();
    let (never, seen) = answer(colour(), script).await;
    let why = "the answers did not fit the question";
    assert_eq!((never, seen.len()), (json!({ "action": "decline", "_meta": { "pollux/reason": why } }), 3));
}

#[tokio::test(start_paused = true)]
async fn a_page_to_visit_is_shown_and_not_opened() {
    let visit = |url: &str| json!({ "mode": "url", "message": "Sign in.", "url": url, "elicitationId": "1" });
    let (accepted, seen) = answer(visit("https://example.com/a"), vec![ScriptedAnswer::Answers(Value::Null)]).await;
    assert_eq!(accepted, json!({ "action": "accept" }));
    let description = "The MCP server fake asks:\nSign in.\n\nIt wants you to open this page, and nothing opens it for \
                       you:\nhttps://example.com/a";
    assert_eq!(seen[0].details, AskDetails::generic(description));
    assert_eq!(seen[0].options, choices("I open the page"));
    let (refused, seen) = answer(visit("javascript:alert(1)"), vec![]).await;
    let why = "the address is not an http or https address";
    assert_eq!((refused, seen), (json!({ "action": "decline", "_meta": { "pollux/reason": why } }), vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_question_outside_of_calls_is_declined() {
    let servers = start(vec![script(async move |mut wire: FakeServerConnection| {
        let offer = json!({ "prompts": [{ "name": "nosy" }] });
        while let Some(request) = wire.serve(&offer).await {
            let answer = ask(&mut wire, colour()).await.to_string();
            let message = json!({ "role": "user", "content": { "type": "text", "text": answer } });
            wire.answer(&request, json!({ "messages": [message] })).await;
        }
    })]);
    servers.settled().await;
    let told = servers.prompt("fake", "nosy", &BTreeMap::new()).await.unwrap().text;
    let why = "none of the server's calls is running";
    let expected = json!({ "action": "decline", "_meta": { "pollux/reason": why } });
    assert_eq!(serde_json::from_str::<Value>(&told).unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_model_cannot_ask_in_a_servers_name() {
    let servers = start(vec![asking_script(colour())]);
    servers.settled().await;
    let args = json!({ "server": "fake", "message": "Your password?", "schema": { "type": "object" } });
    let refused = preview(&find(&servers, "elicitation"), args.clone()).await.unwrap_err();
    assert_eq!(refused.kind, "invalid_tool_params");
    assert_eq!(failure(run(&find(&servers, "elicitation"), args).await), refused);
    assert_eq!(names(&servers), ["mcp_fake_say"]);
}

/// A server that gets two calls, asks, and answers the second one with what it was told; the first is answered as soon as
/// the question is out if `early`.
fn two_call_script(early: bool) -> ServerScript {
    script(async move |mut wire: FakeServerConnection| {
        let offer = tools(&[say_tool()]);
        let first = wire.serve(&offer).await.unwrap();
        let second = wire.serve(&offer).await.unwrap();
        let question = json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": colour() });
        wire.send(question).await;
        if early {
            wire.answer(&first, text("done")).await;
        }
        let answer = loop {
            let message = wire.next().await.unwrap();
            if message["id"] == "q" {
                break message["result"].to_string();
            }
        };
        wire.answer(&second, text(&answer)).await;
        if !early {
            wire.answer(&first, text("done")).await;
        }
        wire.idle(offer).await;
    })
}

/// The results of two calls that run side by side.
async fn side_by_side(
    servers: &McpServers,
    older: &mut ScriptedPerson,
    younger: &mut ScriptedPerson,
) -> (CallOutcome, CallOutcome) {
    let say = find(servers, "mcp_fake_say");
    tokio::join!(
        biased;
        run_with(&say, json!({}), ToolKind::Fetch, None, older),
        run_with(&say, json!({}), ToolKind::Fetch, None, younger),
    )
}

#[tokio::test(start_paused = true)]
async fn a_question_that_may_be_of_several_calls_says_so() {
    let servers = start(vec![two_call_script(false)]);
    servers.settled().await;
    let mut asked = ScriptedPerson::with_script(&servers, vec![ScriptedAnswer::Ends(Box::new(CallOutcome::Declined))]);
    // The one who is not asked breaks the test if asked.
    let outcomes = side_by_side(&servers, &mut asked, &mut ScriptedPerson::absent()).await;
    assert_eq!(outcomes, (text_outcome("done"), text_outcome(r#"{"action":"decline"}"#)));
    let AskDetails::Generic { description, .. } = &asked.seen[0].details else { panic!("{:?}", asked.seen) };
    let doubt = "It runs 2 calls and does not say which of them asks.";
    assert_eq!(*description, format!("The MCP server fake asks:\nWhich colour?\n\n{doubt}"));
}

/// A call whose question waited behind another's would look as if it worked, and a client would wait for it for ever.
#[tokio::test(start_paused = true)]
async fn every_call_that_waits_for_a_person_has_a_question_open() {
    let servers = start(vec![script(async move |mut wire: FakeServerConnection| {
        let offer = tools(&[say_tool()]);
        let calls = [wire.serve(&offer).await.unwrap(), wire.serve(&offer).await.unwrap()];
        for id in ["q0", "q1"] {
            let question = json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": colour() });
            wire.send(question).await;
        }
        // Each is answered when both questions have been.
        for _ in &calls {
            wire.next().await.unwrap();
        }
        for call in &calls {
            wire.answer(call, text("done")).await;
        }
        wire.idle(offer).await;
    })]);
    servers.settled().await;
    let declines =
        || ScriptedPerson::with_script(&servers, vec![ScriptedAnswer::Ends(Box::new(CallOutcome::Declined))]);
    let (mut older, mut younger) = (declines(), declines());
    let outcomes = side_by_side(&servers, &mut older, &mut younger).await;
    assert_eq!(outcomes, (text_outcome("done"), text_outcome("done")));
    assert_eq!((older.seen.len(), younger.seen.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_question_outlives_a_call_that_it_was_not_of() {
    let servers = start(vec![two_call_script(true)]);
    servers.settled().await;
    // Nobody answers the first time, and the call ends.
    let mut older = ScriptedPerson::with_script(&servers, vec![]);
    let mut younger = ScriptedPerson::with_script(&servers, vec![ScriptedAnswer::Answers(json!({ "colour": "red" }))]);
    let outcomes = side_by_side(&servers, &mut older, &mut younger).await;
    assert_eq!(outcomes, (text_outcome("done"), text_outcome(r#"{"action":"accept","content":{"colour":"red"}}"#)));
}

#[tokio::test(start_paused = true)]
async fn no_session_is_shown_what_may_be_anothers_question() {
    let servers = start(vec![two_call_script(false)]);
    servers.settled().await;
    let session = "00000000-0000-7000-8000-000000000003".parse().unwrap();
    let mut other = ScriptedPerson::absent();
    other.session = session;
    let (_, told) = side_by_side(&servers, &mut ScriptedPerson::absent(), &mut other).await;
    let why = "calls of several sessions are running, and the server does not say which of them asks";
    assert_eq!(told, text_outcome(&json!({ "action": "decline", "_meta": { "pollux/reason": why } }).to_string()));
}

#[tokio::test(start_paused = true)]
async fn a_model_is_asked_for_a_server_if_a_person_says_so() {
    let request = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Sum up." } }],
        "maxTokens": 100,
    });
    let servers = start(vec![script(async move |mut wire: FakeServerConnection| {
        let offer = tools(&[say_tool()]);
        while let Some(call) = wire.serve(&offer).await {
            wire.send(json!({ "jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage", "params": request }))
                .await;
            let answer = loop {
                let message = wire.next().await.unwrap();
                if message["id"] == "s" {
                    break json!({ "result": message["result"], "error": message["error"]["message"] });
                }
            };
            wire.answer(&call, text(&answer.to_string())).await;
        }
    })]);
    let answered = json!({ "model": "m", "text": "It is short.", "cut": false }).to_string();
    let script = vec![
        ScriptedAnswer::Ends(Box::new(text_outcome(&answered))),
        ScriptedAnswer::Ends(Box::new(CallOutcome::Declined)),
    ];
    servers.settled().await;
    let say = find(&servers, "mcp_fake_say");
    let mut person = ScriptedPerson::with_script(&servers, script);
    let mut sampled = async || match run_with(&say, json!({}), ToolKind::Fetch, None, &mut person).await {
        CallOutcome::Succeeded { result } => serde_json::from_str::<Value>(&result.text).unwrap(),
        other => panic!("{other:?}"),
    };
    let content = json!({ "type": "text", "text": "It is short." });
    let result = json!({ "model": "m", "stopReason": "endTurn", "role": "assistant", "content": content });
    assert_eq!(sampled().await, json!({ "result": result, "error": null }));
    assert_eq!(sampled().await, json!({ "result": null, "error": "the person declined the sampling request" }));
    let message = json!({ "role": "user", "text": "Sum up." });
    assert_eq!(person.sampled[0], json!({ "server": "fake", "messages": [message], "max_tokens": 100 }));
    assert_eq!(servers.sampling(&person.sampled[0]), None, "the request is over");
}

#[tokio::test(start_paused = true)]
async fn a_servers_time_stands_still_while_a_person_thinks() {
    let config = McpServerConfig { timeout: Some(1_000), ..McpServerConfig::default() };
    let servers = start_with(vec![asking_script(colour())], config, McpLimits::default(), None);
    servers.settled().await;
    let say = find(&servers, "mcp_fake_say");
    let mut person = ScriptedPerson::with_script(&servers, vec![]);
    let call = run_with(&say, json!({}), ToolKind::Fetch, None, &mut person);
    // The person never answers; the call waits for an hour all the same.
    assert!(tokio::time::timeout(Duration::from_secs(3600), call).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_question_taken_back_no_longer_holds_up_the_call() {
    let servers = start(vec![script(async |mut wire: FakeServerConnection| {
        let call = wire.serve(&tools(&[say_tool()])).await.unwrap();
        wire.send(json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": colour() })).await;
        let taken_back = json!({ "requestId": "q", "reason": "never mind" });
        wire.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": taken_back })).await;
        wire.answer(&call, text("done without")).await;
        wire.idle(tools(&[say_tool()])).await;
    })]);
    servers.settled().await;
    let mut person = ScriptedPerson::with_script(&servers, vec![]);
    let outcome = run_with(&find(&servers, "mcp_fake_say"), json!({}), ToolKind::Fetch, None, &mut person).await;
    assert_eq!(outcome, text_outcome("done without"));
}

/// A server that asks without end would fill the log and the screen.
#[tokio::test(start_paused = true)]
async fn a_call_puts_no_more_questions_than_a_person_answers() {
    let servers = start(vec![script(async move |mut wire: FakeServerConnection| {
        while let Some(call) = wire.serve(&tools(&[say_tool()])).await {
            let mut accepted = 0;
            let refused = loop {
                let answer = ask(&mut wire, colour()).await;
                if answer["action"] != "accept" {
                    break answer;
                }
                accepted += 1;
            };
            wire.answer(&call, text(&json!([accepted, refused]).to_string())).await;
        }
    })]);
    let answers = (0..60).map(|_| ScriptedAnswer::Answers(json!({ "colour": "red" }))).collect();
    let (told, seen) = answer_and_previews(&servers, answers).await;
    let why = "the call has put 50 questions already";
    assert_eq!(told, json!([50, { "action": "decline", "_meta": { "pollux/reason": why } }]));
    assert_eq!(seen.len(), 50);
}
