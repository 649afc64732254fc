//! docs/PROTOCOL.md, the section about this dialect: its requests are sent, its tables hold every word.

use crate::coder::client;
use crate::coder::line::lines;
use crate::test_server::client::TestClient;
use crate::test_server::script::thinks;
use axum::http::Method;
use pollux_session::{ModelUsage, Report};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const PROTOCOL: &str = include_str!("../../../../docs/PROTOCOL.md");

/// The section.
fn section() -> &'static str {
    let (_, after) = PROTOCOL.split_once("\n### The coder dialect\n").unwrap();
    after.split_once("\n## ").unwrap().0
}

/// Its requests, in order.
fn requests() -> Vec<Value> {
    let lines = section().lines().filter(|line| line.starts_with(r#"{"jsonrpc""#));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The first cells of its tables, a word in backticks each.
fn words() -> Vec<&'static str> {
    let rows = section().lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| row.split_once(" | ").unwrap().0);
    cells.flat_map(|cell| cell.split("`, `")).map(|word| word.trim_end_matches('`')).collect()
}

async fn results(client: &TestClient, request: &Value) -> Vec<Value> {
    let stream = client.sse(Method::POST, "/", &[], &request.to_string()).await;
    let events = stream.events().await.into_iter();
    events
        .map(|(_, mut event)| {
            assert_eq!(event["id"], request["id"]);
            event["result"].take()
        })
        .collect()
}

#[tokio::test]
async fn its_requests_are_answered_as_it_says() {
    let (roster, client) = client();
    let [begin, answer] = &requests()[..] else { panic!("two requests") };
    let (session, began) = tokio::join!(
        async {
            let session = roster.opened().await;
            session.owes(thinks).await;
            session.muses("**Writing** a file");
            session.says("I will.");
            session.asks_to_write();
            session
        },
        results(&client, begin)
    );
    let call = began[began.len() - 2]["status"]["message"]["parts"][0]["data"].clone();
    let mut answer = answer.clone();
    answer["params"]["message"]["taskId"] = began[0]["id"].clone();
    answer["params"]["message"]["parts"][0]["data"]["callId"] = call["request"]["callId"].clone();
    let (_, went_on) = tokio::join!(
        async {
            session.holds(|state| !state.only_asks_remain()).await;
            session.starts();
            session.has_written();
            session.says("Done.");
            let (usage, citations) = (ModelUsage::default(), vec!["https://example.com/".to_owned()]);
            let (fragments, calls, finish) = (Vec::new(), Vec::new(), "STOP".to_owned());
            session.report(thinks, Report::StepDone { fragments, calls, finish, usage, citations, response: None });
        },
        results(&client, &answer)
    );
    assert_eq!(lines(&went_on).last().unwrap(), "input-required state-change FINAL");

    // Every kind that was told is in the table, and every kind in the table was told.
    let told = began.iter().chain(&went_on).filter_map(|event| event["metadata"]["coderAgent"]["kind"].as_str());
    let told = std::collections::BTreeSet::from_iter(told);
    let kinds = words().into_iter().take_while(|word| !word.starts_with("proceed")).collect();
    assert_eq!(told, kinds);

    // The call in the section has the members of the call that was told.
    let (_, after) = section().split_once("```json\n{\"request\"").unwrap();
    let shown: Value = serde_json::from_str(&format!("{{\"request\"{}", after.split_once("```").unwrap().0)).unwrap();
    assert_eq!(members(&shown), members(&call));
}

/// The names in an object, and in those in it.
fn members(value: &Value) -> Vec<String> {
    let objects = value.as_object().into_iter().flatten();
    objects
        .flat_map(|(name, value)| {
            let inner = if name == "args" { Vec::new() } else { members(value) };
            std::iter::once(name.clone()).chain(inner.into_iter().map(move |inner| format!("{name}.{inner}")))
        })
        .collect()
}

/// An option that an ask offers is taken; of the others, each is refused as the section says.
#[tokio::test]
async fn its_outcomes_are_taken_or_refused_as_it_says() {
    let outcomes: Vec<&str> = words().into_iter().skip_while(|word| !word.starts_with("proceed")).collect();
    assert_eq!(outcomes.len(), 7, "{outcomes:?}");
    for outcome in outcomes {
        let (roster, client) = client();
        let mut begin = requests().remove(0);
        begin["params"]["configuration"] = json!({"blocking": false});
        let begun = client.rpc("message/send", begin["params"].take()).await;
        roster.newest().asks_to_write();
        let data = json!({"callId": "call-6", "outcome": outcome});
        let parts = json!([{"kind": "data", "data": data}]);
        let message = json!({"role": "user", "messageId": "a", "taskId": begun["result"]["id"], "parts": parts});
        let params = json!({"message": message, "configuration": {"blocking": false}});
        let answer = client.rpc("message/send", params).await;
        let reason = &answer["error"]["data"][1]["reason"];
        let expected = if matches!(outcome, "proceed_once" | "cancel") { Value::Null } else { json!("UNKNOWN_OPTION") };
        assert_eq!(*reason, expected, "{outcome}: {answer}");
    }
}
