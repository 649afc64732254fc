//! Servers with a question for the person.

use super::fake::*;
use crate::mcp::{Elicit, Elicitation, Elicited, McpLimits, McpServerConfig, McpServers, Wanted};
use pollux_session::Pending;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A server whose tool asks for a colour and returns the answer as it got it.
fn curious(question: Value) -> Act {
    act(async move |mut wire: Wire| {
        let call = wire.serve(&tools(&[say()])).await.unwrap();
        wire.send(json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": question })).await;
        let answer = wire.next().await.unwrap();
        assert_eq!(answer["id"], "q");
        wire.answer(&call, text(&answer["result"].to_string())).await;
        wire.idle(tools(&[say()])).await;
    })
}

fn colour() -> Value {
    let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } } });
    json!({ "mode": "form", "message": "Which\u{1b} colour?", "requestedSchema": schema })
}

struct Person {
    says: Elicited,
    heard: Mutex<Vec<Elicitation>>,
}

impl Elicit for Person {
    fn elicit(&self, question: Elicitation) -> Pending<'_, Elicited> {
        self.heard.lock().unwrap().push(question);
        Box::pin(std::future::ready(self.says.clone()))
    }
}

async fn answer(servers: &McpServers) -> Value {
    servers.settled().await;
    let outcome = run(&find(servers, "mcp_fake_say"), json!({})).await;
    serde_json::from_str(&outcome.result().unwrap_or_else(|| panic!("{outcome:?}")).text).unwrap()
}

async fn ask(question: Value, says: Elicited) -> (Value, Vec<Elicitation>) {
    let person = Arc::new(Person { says, heard: Mutex::default() });
    let elicit: Arc<dyn Elicit> = Arc::clone(&person) as Arc<dyn Elicit>;
    let limits = McpLimits::default();
    let servers = start_with(vec![curious(question)], McpServerConfig::default(), limits, Some(&elicit));
    let answer = answer(&servers).await;
    let heard = person.heard.lock().unwrap().clone();
    (answer, heard)
}

#[tokio::test(start_paused = true)]
async fn a_question_is_declined_when_nobody_can_be_asked() {
    let expected = json!({ "action": "decline", "_meta": { "pollux/reason": "nobody is here to answer" } });
    assert_eq!(answer(&start(vec![curious(colour())])).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_person_answers() {
    let (answer, heard) = ask(colour(), Elicited::Accepted(json!({ "colour": "red" }))).await;
    assert_eq!(answer, json!({ "action": "accept", "content": { "colour": "red" } }));
    let [Elicitation { server, message, wanted: Wanted::Form { schema } }] = heard.as_slice() else {
        panic!("{heard:?}")
    };
    assert_eq!((server.as_str(), message.as_str()), ("fake", "Which colour?"));
    assert_eq!(schema["properties"], json!({ "colour": { "type": "string" } }));
    assert_eq!(ask(colour(), Elicited::Declined).await.0, json!({ "action": "decline" }));
    assert_eq!(ask(colour(), Elicited::Cancelled).await.0, json!({ "action": "cancel" }));
}

#[tokio::test(start_paused = true)]
async fn a_person_visits_a_page() {
    let visit = json!({ "mode": "url", "message": "Sign in.", "url": "https://example.com/", "elicitationId": "1" });
    let (answer, heard) = ask(visit, Elicited::Accepted(Value::Null)).await;
    assert_eq!(answer, json!({ "action": "accept" }));
    let wanted = Wanted::Visit { url: "https://example.com/".into() };
    assert_eq!(heard, [Elicitation { server: "fake".into(), message: "Sign in.".into(), wanted }]);
}
