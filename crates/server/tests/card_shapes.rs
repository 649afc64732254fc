//! The agent card in both shapes, what it depends on, and the extended one.

use crate::test_server::client::{TestClient, card_config, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt;
use pollux_server::{
    CardConfig, CardExtension, CardForm, CardProvider, CardSecurity, ExtendedCard, SigningKey, SkillCatalogue,
    SkillListing, UrlScheme, router,
};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const PATH: &str = "/.well-known/agent-card.json";

/// A client of an agent with this face.
fn client(face: CardConfig) -> TestClient {
    let session_access = many_sessions(&TestRoster::new(), "/");
    let mut client = TestClient::new(session_access.clone(), who("curl"));
    client.router = router(session_access, face, CancellationToken::new());
    client
}

async fn get(client: &TestClient, headers: &[(&str, &str)]) -> Response {
    client.raw(Method::GET, PATH, headers, "").await
}

async fn card(client: &TestClient, headers: &[(&str, &str)]) -> Value {
    let body = get(client, headers).await.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

fn interface(url: &str, binding: &str, version: &str) -> Value {
    json!({"url": url, "protocolBinding": binding, "protocolVersion": version})
}

fn interfaces(root: &str) -> Value {
    json!([
        interface(root, "JSONRPC", "1.0"),
        interface(&format!("{root}a2a/v1"), "HTTP+JSON", "1.0"),
        interface(root, "JSONRPC", "0.3"),
        interface(root, "HTTP+JSON", "0.3"),
    ])
}

fn skill(kind: &str, name: &str, description: &str) -> Value {
    json!({"id": format!("{kind}:{name}"), "name": name, "description": description, "tags": [kind]})
}

fn code_generation() -> Value {
    json!({
        "id": "code_generation",
        "name": "Code Generation",
        "description": "Writes, changes and explains code on request, with the tools of a workspace.",
        "tags": ["code", "development", "programming"],
        "examples": [
            "Write a Python function that calculates Fibonacci numbers.",
            "Find out why the tests fail and fix it.",
        ],
    })
}

const DESCRIPTION: &str = "A coding agent that reads, writes and runs code in a workspace and asks before it changes \
    anything. Model: script.";

fn development_tool(required: bool) -> Value {
    let description = "Tool calls with confirmation, thoughts and state as structured updates.";
    json!({"uri": URI, "description": description, "required": required})
}

fn pure() -> Value {
    json!({
        "name": "Gemini CLI Agent",
        "description": DESCRIPTION,
        "supportedInterfaces": interfaces("http://localhost:41242/"),
        "version": "0.1.0",
        "capabilities": {
            "streaming": true, "pushNotifications": false, "extensions": [development_tool(false)],
        },
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [code_generation()],
    })
}

fn hybrid() -> Value {
    let root = "http://localhost:41242/";
    json!({
        "protocolVersion": "0.3.0",
        "name": "Gemini CLI Agent",
        "description": DESCRIPTION,
        "url": root,
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [
            {"url": root, "transport": "JSONRPC"}, {"url": root, "transport": "HTTP+JSON"},
        ],
        "supportedInterfaces": interfaces(root),
        "version": "0.1.0",
        "capabilities": {
            "streaming": true, "pushNotifications": false, "stateTransitionHistory": true,
            "extensions": [development_tool(false)],
        },
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [code_generation()],
    })
}

#[tokio::test]
async fn only_who_says_1_0_gets_the_card_of_1_0() {
    let client = client(card_config());
    for headers in [&[][..], &[("a2a-version", "0.3")], &[("a2a-version", "")], &[("a2a-version", "9.9")]] {
        assert_eq!(card(&client, headers).await, hybrid(), "{headers:?}");
    }
    for version in ["1.0", "1.0.1"] {
        assert_eq!(card(&client, &[("a2a-version", version)]).await, pure(), "{version}");
    }
    let by_query = client.json(Method::GET, &format!("{PATH}?A2A-Version=1.0"), "").await;
    assert_eq!(by_query, (StatusCode::OK, pure()));
}

#[tokio::test]
async fn the_card_of_1_0_can_be_the_one_for_all_who_name_no_version() {
    let client = client(CardConfig { without_version: CardForm::Pure, ..card_config() });
    assert_eq!(card(&client, &[]).await, pure());
    assert_eq!(card(&client, &[("a2a-version", "")]).await, pure());
    assert_eq!(card(&client, &[("a2a-version", "0.3")]).await, hybrid());
    assert_eq!(client.json(Method::GET, &format!("{PATH}?a2a-version=0.3"), "").await.1, hybrid());
}

#[tokio::test]
async fn a_card_that_is_known_is_not_sent_again() {
    let client = client(card_config());
    let header = |response: &Response, name: &str| response.headers()[name].to_str().unwrap().to_owned();
    let (old, new) = (get(&client, &[]).await, get(&client, &[("a2a-version", "1.0")]).await);
    assert_eq!(header(&old, "content-type"), "application/json");
    assert_eq!(header(&old, "vary"), "a2a-version");
    assert_eq!(header(&old, "cache-control"), "public, max-age=60");
    let (tag, changed) = (header(&old, "etag"), header(&old, "last-modified"));
    assert!(tag != header(&new, "etag"), "each version has its tag");
    assert!(changed.ends_with(" GMT"), "{changed}");
    for (name, value, status) in [
        ("if-none-match", tag.as_str(), StatusCode::NOT_MODIFIED),
        ("if-none-match", &format!("\"x\", W/{tag}"), StatusCode::NOT_MODIFIED),
        ("if-none-match", "*", StatusCode::NOT_MODIFIED),
        ("if-none-match", "\"x\"", StatusCode::OK),
        ("if-modified-since", &changed, StatusCode::NOT_MODIFIED),
        ("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT", StatusCode::OK),
        ("if-modified-since", "yesterday", StatusCode::OK),
    ] {
        let response = get(&client, &[(name, value)]).await;
        assert_eq!((response.status(), header(&response, "etag")), (status, tag.clone()), "{name}: {value}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.is_empty(), status == StatusCode::NOT_MODIFIED, "{name}: {value}");
    }
    let tag_decides = [("if-none-match", "\"x\""), ("if-modified-since", &changed)];
    assert_eq!(get(&client, &tag_decides).await.status(), StatusCode::OK);
    let head = client.raw(Method::HEAD, PATH, &[], "").await;
    assert_eq!(header(&head, "etag"), tag);
}

#[tokio::test]
async fn the_addresses_are_those_by_which_the_client_came() {
    let client = client(CardConfig {
        outside_scheme: UrlScheme::Https,
        grpc_url: Some("localhost:41244".into()),
        ..card_config()
    });
    let seen = async |host: &str| {
        let headers = [("host", host), ("a2a-version", "1.0")];
        card(&client, &headers).await["supportedInterfaces"].take()
    };
    assert_eq!(seen("agent.example.com").await, interfaces("https://agent.example.com/"));
    assert_eq!(seen("AGENT.example.com").await, interfaces("https://agent.example.com/"));
    assert_eq!(
        seen("127.0.0.1:41242").await,
        json!([
            interface("http://127.0.0.1:41242/", "JSONRPC", "1.0"),
            interface("http://127.0.0.1:41242/a2a/v1", "HTTP+JSON", "1.0"),
            interface("localhost:41244", "GRPC", "1.0"),
            interface("http://127.0.0.1:41242/", "JSONRPC", "0.3"),
            interface("http://127.0.0.1:41242/", "HTTP+JSON", "0.3"),
            interface("localhost:41244", "GRPC", "0.3"),
        ])
    );
    let hybrid = card(&client, &[("host", "agent.example.com")]).await;
    assert_eq!(hybrid["url"], "https://agent.example.com/");
}

#[tokio::test]
async fn grpc_elsewhere_is_shown_to_all() {
    let client = client(CardConfig { grpc_url: Some("grpc.example.com:443".into()), ..card_config() });
    let card = card(&client, &[("host", "agent.example.com")]).await;
    assert_eq!(
        card["additionalInterfaces"],
        json!([
            {"url": "http://agent.example.com/", "transport": "JSONRPC"},
            {"url": "http://agent.example.com/", "transport": "HTTP+JSON"},
            {"url": "grpc.example.com:443", "transport": "GRPC"},
        ])
    );
}

#[tokio::test]
async fn the_card_says_what_the_operator_says() {
    let client = client(CardConfig {
        streaming: false,
        extension_required: true,
        extensions: vec![CardExtension { uri: "urn:x".into(), description: "more".into(), required: false }],
        documentation_url: Some("https://example.com/docs".into()),
        provider: Some(CardProvider { organization: "Example".into(), url: "https://example.com/".into() }),
        extended: ExtendedCard::NotConfigured,
        ..card_config()
    });
    let extensions = json!([development_tool(true), {"uri": "urn:x", "description": "more", "required": false}]);
    let mut expected = pure();
    expected["capabilities"] = json!({
        "streaming": false, "pushNotifications": false, "extensions": extensions, "extendedAgentCard": true,
    });
    expected["documentationUrl"] = "https://example.com/docs".into();
    expected["provider"] = json!({"url": "https://example.com/", "organization": "Example"});
    assert_eq!(card(&client, &[("a2a-version", "1.0")]).await, expected);
    let mut expected = hybrid();
    expected["capabilities"]["streaming"] = false.into();
    expected["capabilities"]["extendedAgentCard"] = true.into();
    expected["capabilities"]["extensions"] = extensions;
    expected["documentationUrl"] = "https://example.com/docs".into();
    expected["provider"] = json!({"url": "https://example.com/", "organization": "Example"});
    expected["supportsAuthenticatedExtendedCard"] = true.into();
    assert_eq!(card(&client, &[]).await, expected);
}

#[tokio::test]
async fn the_card_says_what_the_gate_demands() {
    let description = "The token that the person who runs the agent gives out.";
    let client = client(CardConfig { security: CardSecurity::Token, ..card_config() });
    let new = card(&client, &[("a2a-version", "1.0")]).await;
    let scheme = json!({"description": description, "scheme": "Bearer"});
    assert_eq!(new["securitySchemes"], json!({"bearer": {"httpAuthSecurityScheme": scheme}}));
    let requirements = json!([{"schemes": {"bearer": {"list": []}}}]);
    assert_eq!(new["securityRequirements"], requirements);
    let both = card(&client, &[]).await;
    assert_eq!(
        both["securitySchemes"],
        json!({"bearer": {
            "type": "http", "description": description, "scheme": "Bearer", "httpAuthSecurityScheme": scheme,
        }})
    );
    assert_eq!((&both["security"], &both["securityRequirements"]), (&json!([{"bearer": []}]), &requirements));
}

#[tokio::test]
async fn a_card_says_nothing_of_signing_in_where_nobody_was_given_a_token() {
    let client = client(CardConfig { security: CardSecurity::Undeclared, ..card_config() });
    let (new, both) = (card(&client, &[("a2a-version", "1.0")]).await, card(&client, &[]).await);
    for member in ["securitySchemes", "security", "securityRequirements"] {
        assert_eq!((new.get(member), both.get(member)), (None, None), "{member}");
    }
}

/// The private key of the first test of RFC 8032.
const PEM: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
    -----END PRIVATE KEY-----\n";

#[tokio::test]
async fn both_shapes_carry_the_same_signatures() {
    let key = SigningKey::from_pem("key-1", PEM).unwrap();
    let client = client(CardConfig { signing: Some(Arc::new(key)), security: CardSecurity::Token, ..card_config() });
    let (mut old, mut new) = (card(&client, &[]).await, card(&client, &[("a2a-version", "1.0")]).await);
    let signatures = new["signatures"].take();
    assert_eq!(old["signatures"].take(), signatures);
    // One by the letter, one for the kits that drop the token's empty list of scopes.
    assert_eq!(signatures.as_array().map(Vec::len), Some(2));
    let elsewhere = card(&client, &[("host", "127.0.0.1:41242"), ("a2a-version", "1.0")]).await;
    assert!(elsewhere["signatures"] != signatures, "another address is another card");
}

fn catalogue() -> SkillCatalogue {
    let listing = |name: &str, description: &str| SkillListing { name: name.into(), description: description.into() };
    SkillCatalogue {
        tools: vec![listing("read_file", "Reads a file.")],
        servers: vec![listing("github", "Issues and pull requests.")],
        commands: vec![listing("compress", "Makes the context shorter.")],
    }
}

#[tokio::test]
async fn the_extended_card_lists_what_there_is() {
    let client = client(CardConfig { extended: ExtendedCard::Listing(Arc::new(catalogue)), ..card_config() });
    let mut command = skill("command", "compress", "Makes the context shorter.");
    command["examples"] = json!(["/compress"]);
    let skills = json!([
        code_generation(),
        skill("tool", "read_file", "Reads a file."),
        skill("mcp", "github", "Issues and pull requests."),
        command,
    ]);
    let mut expected = pure();
    expected["capabilities"]["extendedAgentCard"] = true.into();
    expected["skills"] = skills.clone();
    let new = client.speaking("1.0");
    assert_eq!(new.rpc("GetExtendedAgentCard", json!({})).await["result"], expected);
    assert_eq!(client.json(Method::GET, "/a2a/v1/extendedAgentCard", "").await, (StatusCode::OK, expected));
    let mut expected = hybrid();
    expected["supportsAuthenticatedExtendedCard"] = true.into();
    expected["capabilities"]["extendedAgentCard"] = true.into();
    expected["skills"] = skills;
    for skill in expected["skills"].as_array_mut().unwrap() {
        skill.as_object_mut().unwrap().entry("examples").or_insert_with(|| json!([]));
    }
    assert_eq!(client.rpc("agent/getAuthenticatedExtendedCard", json!({})).await["result"], expected);
    assert_eq!(client.json(Method::GET, "/v1/card", "").await, (StatusCode::OK, expected));
    assert_eq!(card(&client, &[]).await["skills"], json!([code_generation()]), "the public card lists none of it");
}

#[tokio::test]
async fn an_extended_card_that_is_not_there_is_refused() {
    for (extended, code) in [(ExtendedCard::NotOffered, -32004), (ExtendedCard::NotConfigured, -32007)] {
        let client = client(CardConfig { extended, ..card_config() });
        let old = client.rpc("agent/getAuthenticatedExtendedCard", json!({})).await;
        let new = client.speaking("1.0").rpc("GetExtendedAgentCard", json!({})).await;
        assert_eq!((&old["error"]["code"], &new["error"]["code"]), (&json!(code), &json!(code)));
        let (status, _) = client.json(Method::GET, "/a2a/v1/extendedAgentCard", "").await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn what_the_card_does_not_promise_is_refused() {
    let client = client(CardConfig { streaming: false, ..card_config() });
    let message = json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}});
    for (method, params) in [("SendStreamingMessage", message), ("SubscribeToTask", json!({"id": "x"}))] {
        let answer = client.speaking("1.0").rpc(method, params).await;
        assert_eq!(answer["error"]["code"], -32004, "{method}");
    }
    let message = json!({"message": {"messageId": "m1", "role": "user", "parts": [{"kind": "text", "text": "hi"}]}});
    for (method, params) in [("message/stream", message), ("tasks/resubscribe", json!({"id": "x"}))] {
        assert_eq!(client.rpc(method, params).await["error"]["code"], -32004, "{method}");
    }
}
