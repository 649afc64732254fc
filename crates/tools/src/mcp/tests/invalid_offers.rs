//! Servers that offer what cannot be used: the rest of what they offer, and every other server, is not harmed.

use super::fake_server::*;
use crate::mcp::{McpLimits, McpServerConfig, McpStatus};
use pretty_assertions::assert_eq;
use serde_json::json;

fn offering_script(offer: serde_json::Value) -> ServerScript {
    script(async move |wire: FakeServerConnection| wire.idle(offer).await)
}

#[tokio::test(start_paused = true)]
async fn one_bad_tool_spoils_no_other() {
    let mut nameless = say_tool();
    nameless.as_object_mut().unwrap().remove("name");
    let mut schemaless = tool("schemaless");
    schemaless["inputSchema"] = json!("anything");
    let mut typed = tool("typed");
    typed["inputSchema"] = json!({ "type": "string" });
    let servers = start(vec![offering_script(tools(&[
        nameless,
        schemaless,
        typed,
        tool("hid\u{202e}den"),
        tool(""),
        tool("a.b"),
        tool("a b"),
        json!(7),
        say_tool(),
    ]))]);
    servers.settled().await;
    let left_out = [
        "a tool without a name: missing field `name`",
        "the tool `schemaless`: its schema is not a JSON object",
        "the tool `typed`: its schema is not for a JSON object",
        "the tool `hidden`: a name has characters that cannot be seen",
        "the tool ``: a name is empty",
        "the tool `a b`: another tool is called mcp_fake_a_b already",
        "a tool without a name: invalid type: integer `7`, expected struct ToolEntry",
    ];
    let left_out = left_out.map(str::to_owned).to_vec();
    assert_eq!(servers.status().borrow()["fake"], McpStatus::Ready { tools: 2, prompts: 0, resources: 0, left_out });
    assert_eq!(names(&servers), ["mcp_fake_a_b", "mcp_fake_say"]);
}

#[tokio::test(start_paused = true)]
async fn bad_prompts_and_resources_are_left_out() {
    let servers = start(vec![offering_script(json!({
        "prompts": [{ "name": "p\u{7}" }, { "name": "good", "arguments": [{ "name": "\n" }] }, { "name": "fine" }],
        "resources": [{ "name": "no address" }, { "uri": "note://1" }],
    }))]);
    servers.settled().await;
    let left_out = [
        "the prompt `p`: a name has characters that cannot be seen",
        "the prompt `good`: a name has characters that cannot be seen",
        "a resource without a uri: missing field `uri`",
    ];
    let left_out = left_out.map(str::to_owned).to_vec();
    assert_eq!(servers.status().borrow()["fake"], McpStatus::Ready { tools: 0, prompts: 1, resources: 1, left_out });
}

#[tokio::test(start_paused = true)]
async fn too_many_and_too_long_tools_are_left_out() {
    let many: Vec<_> = (0..600).map(|at| tool(&format!("t{at}"))).collect();
    let servers = start(vec![offering_script(tools(&many))]);
    servers.settled().await;
    assert_eq!(names(&servers).len(), 500);
    let McpStatus::Ready { left_out, .. } = servers.status().borrow()["fake"].clone() else { panic!("not ready") };
    assert_eq!(left_out.len(), 21);
    assert_eq!(left_out[0], "the tool `t500`: the server offers more than 500 tools");
    assert_eq!(left_out[20], "80 more");

    let long: Vec<_> = (0..6)
        .map(|at| {
            let mut long = tool(&format!("t{at}"));
            long["inputSchema"]["examples"] = json!(vec!["x".repeat(3_000); 20]);
            long
        })
        .collect();
    let servers = start(vec![offering_script(tools(&long))]);
    servers.settled().await;
    assert_eq!(names(&servers), ["mcp_fake_t0", "mcp_fake_t1", "mcp_fake_t2", "mcp_fake_t3"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_end_is_cut() {
    let endless = script(async |mut wire: FakeServerConnection| {
        let mut page = 0;
        while let Some(request) = wire.serve(&json!({ "tools": null })).await {
            page += 1;
            let entry = tool(&format!("t{page}"));
            wire.answer(&request, json!({ "tools": [entry], "nextCursor": "more" })).await;
        }
    });
    let servers = start(vec![endless]);
    servers.settled().await;
    assert_eq!(servers.status().borrow()["fake"], ready(50));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_list_is_not_ready() {
    let servers = start(vec![offering_script(json!({ "tools": { "say": {} } }))]);
    servers.settled().await;
    assert_eq!(servers.status().borrow()["fake"], failed("it does not say what it offers: Unexpected response type"));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_speaks_another_language_is_not_ready() {
    let servers = start(vec![script(async |mut wire: FakeServerConnection| {
        let request = wire.next().await.unwrap();
        wire.answer(&request, json!({ "hello": "world" })).await;
        while wire.next().await.is_some() {}
    })]);
    servers.settled().await;
    let McpStatus::Failed { why } = servers.status().borrow()["fake"].clone() else { panic!("not failed") };
    assert!(why.starts_with("it could not be agreed with how to talk: expect initialized result"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_cannot_pass_for_that_of_another_server() {
    let servers = start_all(vec![
        ("a", offering_script(tools(&[tool("b_c"), tool("d")]))),
        ("a_b", offering_script(tools(&[tool("c")]))),
        ("a.b", offering_script(tools(&[tool("e")]))),
    ]);
    servers.settled().await;
    assert_eq!(names(&servers), ["mcp_a_b_c", "mcp_a_d"]);
    let all = servers.status().borrow().clone();
    let left_out = vec!["the tool `b_c`: its name mcp_a_b_c reads like that of another server's tool".to_owned()];
    assert_eq!(all["a"], McpStatus::Ready { tools: 1, prompts: 0, resources: 0, left_out });
    assert_eq!(all["a_b"], ready(1));
    let why = "its tools would have the same names as those of the server `a_b`; rename one of the two";
    assert_eq!(all["a.b"], failed(why));
}

#[tokio::test(start_paused = true)]
async fn the_settings_choose_among_the_tools() {
    let config = McpServerConfig {
        include_tools: Some(vec!["say".into(), "sing".into()]),
        exclude_tools: vec!["sing".into()],
        ..McpServerConfig::default()
    };
    let offer = offering_script(tools(&[say_tool(), tool("sing"), tool("shout")]));
    let servers = start_with(vec![offer], config, McpLimits::default(), None);
    servers.settled().await;
    assert_eq!(servers.status().borrow()["fake"], ready(1));
    assert_eq!(names(&servers), ["mcp_fake_say"]);
}
