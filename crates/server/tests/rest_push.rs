//! Push configurations and the extended card over HTTP+JSON, where they are offered.

use crate::push::memory_push_targets::MemoryPushTargets;
use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_server::{
    CardConfig, ExtendedCard, PushSettings, RouterOptions, SkillCatalogue, SkillListing, router, router_with,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const HOOK: &str = "http://127.0.0.1:9/hook";

/// A client of a server that pushes, and a task at rest: there is no news to deliver.
async fn site() -> (TestClient, String) {
    let roster = TestRoster::new();
    let session = roster.session("mine", "/");
    let mut client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
    let mut settings = PushSettings::new(MemoryPushTargets::new());
    settings.allowed_hosts = vec!["127.0.0.1:9".into()];
    client.router = router_with(
        many_sessions(&roster, "/"),
        card_config(),
        RouterOptions { push: Some(settings), ..RouterOptions::default() },
        CancellationToken::new(),
    );
    let message = json!({"role": "user", "messageId": "m1", "contextId": "mine", "parts": [{"text": "hello"}]});
    let params = json!({"message": message, "configuration": {"blocking": false}});
    let task = client.rpc("message/send", params).await["result"]["id"].as_str().unwrap().to_owned();
    session.step_done("Hello.", &[]);
    (client, task)
}

async fn ok(client: &TestClient, method: Method, path: &str, body: &Value) -> Value {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let (status, answer) = client.json(method, path, &body).await;
    assert_eq!(status, StatusCode::OK, "{path}: {answer}");
    answer
}

#[tokio::test]
async fn a_configuration_of_1_0_is_made_shown_listed_and_deleted() {
    let (client, task) = site().await;
    let configs = format!("/a2a/v1/tasks/{task}/pushNotificationConfigs");
    let authentication = json!({"scheme": "Bearer", "credentials": "secret"});
    let wanted = json!({"id": "a/b", "url": HOOK, "token": "t", "authentication": authentication});
    let kept = json!({"id": "a/b", "taskId": task, "url": HOOK, "token": "t", "authentication": {"scheme": "Bearer"}});
    assert_eq!(ok(&client, Method::POST, &configs, &wanted).await, kept);
    let one = format!("{configs}/a%2Fb");
    assert_eq!(ok(&client, Method::GET, &one, &Value::Null).await, kept);
    let listed = json!({"configs": [kept], "nextPageToken": ""});
    assert_eq!(ok(&client, Method::GET, &configs, &Value::Null).await, listed);
    // Forgetting twice is no error.
    for _ in 0..2 {
        assert_eq!(ok(&client, Method::DELETE, &one, &Value::Null).await, json!({}));
    }
    let (status, answer) = client.json(Method::GET, &one, "").await;
    assert_eq!((status, &answer["error"]["status"]), (StatusCode::NOT_FOUND, &json!("NOT_FOUND")));
    let (status, answer) = client.json(Method::POST, &configs, r#"{"url": "http://192.168.0.1/"}"#).await;
    assert_eq!((status, &answer["error"]["status"]), (StatusCode::BAD_REQUEST, &json!("INVALID_ARGUMENT")));
}

#[tokio::test]
async fn a_configuration_of_0_3_is_read_in_three_spellings() {
    let (client, task) = site().await;
    let configs = format!("/v1/tasks/{task}/pushNotificationConfigs");
    let hook = json!({"url": HOOK});
    let named = |id: &str| json!({"name": format!("tasks/{task}/pushNotificationConfigs/{id}"), "pushNotificationConfig": {"id": id, "url": HOOK}});
    let python =
        json!({"parent": format!("tasks/{task}"), "configId": "c1", "config": {"pushNotificationConfig": hook}});
    assert_eq!(ok(&client, Method::POST, &configs, &python).await, named("c1"));
    assert_eq!(ok(&client, Method::POST, &configs, &named("c2")).await, named("c2"));
    let plain = json!({"taskId": task, "pushNotificationConfig": {"id": "c3", "url": HOOK}});
    assert_eq!(ok(&client, Method::POST, &configs, &plain).await, plain);

    assert_eq!(ok(&client, Method::GET, &format!("{configs}/c1"), &Value::Null).await, named("c1"));
    let listed = json!({"configs": [named("c1"), named("c2"), named("c3")], "nextPageToken": ""});
    assert_eq!(ok(&client, Method::GET, &configs, &Value::Null).await, listed);
    assert_eq!(ok(&client, Method::DELETE, &format!("{configs}/c1"), &Value::Null).await, json!({}));
    let (status, answer) = client.json(Method::GET, &format!("{configs}/c1"), "").await;
    assert_eq!((status, &answer["code"]), (StatusCode::NOT_FOUND, &json!(-32001)));
    let other = json!({"taskId": "other", "pushNotificationConfig": hook}).to_string();
    let (status, answer) = client.json(Method::POST, &configs, &other).await;
    assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!(-32602)));
}

#[tokio::test]
async fn the_extended_card_is_that_of_json_rpc() {
    let roster = TestRoster::new();
    let mut client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
    let offers = |extended| {
        router(many_sessions(&roster, "/"), CardConfig { extended, ..card_config() }, CancellationToken::new())
    };
    let tools = vec![SkillListing { name: "write_file".into(), description: "Writes a file.".into() }];
    let catalogue = SkillCatalogue { tools, ..SkillCatalogue::default() };
    client.router = offers(ExtendedCard::Listing(Arc::new(move || catalogue.clone())));
    let v10 = client.speaking("1.0").rpc("GetExtendedAgentCard", json!({})).await;
    assert_eq!(ok(&client, Method::GET, "/a2a/v1/extendedAgentCard", &Value::Null).await, v10["result"]);
    let v03 = client.rpc("agent/getAuthenticatedExtendedCard", json!({})).await;
    assert_eq!(ok(&client, Method::GET, "/v1/card", &Value::Null).await, v03["result"]);

    for (extended, old, reason) in [
        (ExtendedCard::NotOffered, (StatusCode::BAD_REQUEST, -32004), "UNSUPPORTED_OPERATION"),
        (ExtendedCard::NotConfigured, (StatusCode::NOT_FOUND, -32007), "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
    ] {
        client.router = offers(extended);
        let (status, answer) = client.json(Method::GET, "/v1/card", "").await;
        assert_eq!((status, &answer["code"]), (old.0, &json!(old.1)));
        let (status, answer) = client.json(Method::GET, "/a2a/v1/extendedAgentCard", "").await;
        assert_eq!((status, &answer["error"]["details"][0]["reason"]), (StatusCode::BAD_REQUEST, &json!(reason)));
    }
}
