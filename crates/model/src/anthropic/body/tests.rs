use super::*;
use crate::anthropic::proof;
use crate::catalogue::ModelCatalogue;
use crate::model::ToolDeclaration;
use crate::provider::Provider;
use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

fn entry(id: &str) -> CatalogueEntry {
    ModelCatalogue::load(None).unwrap().entry(Provider::Anthropic, id)
}

fn check(model: &str, request: ModelRequest, expect: &Expect) {
    expect.assert_eq(&serde_json::to_string_pretty(&body(&entry(model), None, request)).unwrap());
}

fn call(id: &str, proof: Option<&str>) -> MessagePart {
    let mut part: MessagePart =
        PartData::FunctionCall { id: Some(id.into()), name: "ls".into(), args: json!({"d": "."}) }.into();
    proof::attach(&mut part, proof.and_then(|text| proof::signed(text, "SIG")).into_iter().collect());
    part
}

fn results(ids: &[&str]) -> ModelMessage {
    let parts = ids.iter().map(|id| MessagePart::response(*id, "ls", json!({"output": "x"}))).collect();
    ModelMessage { role: MessageRole::User, parts }
}

/// The kinds of the blocks of the model's messages, and how it is told to think.
fn shape(model: &str, effort: Option<ThinkingEffort>, contents: Vec<ModelMessage>) -> (Vec<Vec<String>>, Value) {
    let body = body(&entry(model), effort, ModelRequest { contents, ..ModelRequest::default() });
    let messages = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
    let kinds = messages.map(|message| {
        let blocks = message["content"].as_array().unwrap().iter();
        blocks.map(|block| block["type"].as_str().unwrap().to_owned()).collect()
    });
    (kinds.collect(), body["thinking"].clone())
}

#[test]
fn a_whole_request() {
    let failed = MessagePart::response("toolu_2", "ls", json!({"error": "no such directory"}));
    let request = ModelRequest {
        system: "Be brief.".into(),
        contents: vec![
            ModelMessage::user("list files"),
            ModelMessage::model(vec![
                MessagePart::thought("Let me look."),
                MessagePart::text("Looking."),
                call("toolu_1", Some("Let me look.")),
                call("toolu_2", None),
            ]),
            ModelMessage {
                role: MessageRole::User,
                parts: vec![MessagePart::response("toolu_1", "ls", json!({"output": "a"})), failed],
            },
        ],
        tools: ["ls", "cat"]
            .map(|name| ToolDeclaration {
                name: name.into(),
                description: "Does things.".into(),
                parameters: json!({"type": "object"}).into(),
            })
            .to_vec(),
        ..ModelRequest::default()
    };
    check(
        "claude-sonnet-4-5",
        request,
        &expect![[r#"
        {
          "model": "claude-sonnet-4-5",
          "max_tokens": 64000,
          "stream": true,
          "system": [
            {
              "type": "text",
              "text": "Be brief.",
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "tools": [
            {
              "name": "ls",
              "description": "Does things.",
              "input_schema": {
                "type": "object"
              }
            },
            {
              "name": "cat",
              "description": "Does things.",
              "input_schema": {
                "type": "object"
              },
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "thinking": {
            "type": "enabled",
            "budget_tokens": 10000
          },
          "messages": [
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "list files"
                }
              ]
            },
            {
              "role": "assistant",
              "content": [
                {
                  "type": "thinking",
                  "thinking": "Let me look.",
                  "signature": "SIG"
                },
                {
                  "type": "text",
                  "text": "Looking."
                },
                {
                  "type": "tool_use",
                  "id": "toolu_1",
                  "name": "ls",
                  "input": {
                    "d": "."
                  }
                },
                {
                  "type": "tool_use",
                  "id": "toolu_2",
                  "name": "ls",
                  "input": {
                    "d": "."
                  }
                }
              ]
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "tool_result",
                  "tool_use_id": "toolu_1",
                  "content": "a"
                },
                {
                  "type": "tool_result",
                  "tool_use_id": "toolu_2",
                  "content": "no such directory",
                  "is_error": true,
                  "cache_control": {
                    "type": "ephemeral"
                  }
                }
              ]
            }
          ]
        }"#]],
    );
}

#[test]
fn the_smallest_request_to_a_stranger() {
    let request = ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() };
    check(
        "claude-next",
        request,
        &expect![[r#"
        {
          "model": "claude-next",
          "max_tokens": 8192,
          "stream": true,
          "messages": [
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "hi",
                  "cache_control": {
                    "type": "ephemeral"
                  }
                }
              ]
            }
          ]
        }"#]],
    );
}

#[test]
fn thinking_stands_where_it_stood() {
    let steps = vec![
        ModelMessage::user("go"),
        ModelMessage::model(vec![
            MessagePart::text("a"),
            call("1", Some("one")),
            MessagePart::text("b"),
            call("2", Some("two")),
        ]),
        results(&["1", "2"]),
    ];
    let (kinds, thinking) = shape("claude-haiku-4-5", None, steps);
    assert_eq!(kinds, [["thinking", "text", "tool_use", "thinking", "text", "tool_use"]]);
    assert_eq!(thinking, json!({"type": "enabled", "budget_tokens": 10_000}));
}

#[test]
fn a_step_without_its_proof_is_finished_without_thinking() {
    let started_elsewhere = vec![
        ModelMessage::user("go"),
        ModelMessage::model(vec![call("1", None)]),
        results(&["1"]),
        ModelMessage::model(vec![call("2", Some("two"))]),
        results(&["2"]),
    ];
    let (kinds, thinking) = shape("claude-haiku-4-5", None, started_elsewhere.clone());
    assert_eq!((kinds, thinking), (vec![vec!["tool_use".to_owned()]; 2], Value::Null));
    // With the next prompt it thinks again; what is over need not be proven.
    let mut asked_again = started_elsewhere.clone();
    asked_again.extend([ModelMessage::model(vec![MessagePart::text("done")]), ModelMessage::user("more")]);
    let (_, thinking) = shape("claude-haiku-4-5", None, asked_again);
    assert_eq!(thinking["type"], "enabled");
    // A model that decides itself does not insist.
    let (kinds, thinking) = shape("claude-sonnet-5", None, started_elsewhere);
    assert_eq!(kinds, [vec!["tool_use"], vec!["thinking", "tool_use"]]);
    assert_eq!(thinking, json!({"type": "adaptive", "display": "summarized"}));
}

#[test]
fn effort_is_a_budget_or_a_word() {
    let told = |model: &str, effort| {
        let body = body(&entry(model), Some(effort), ModelRequest::default());
        (body["thinking"].clone(), body["output_config"].clone())
    };
    let budget = |tokens: u64| (json!({"type": "enabled", "budget_tokens": tokens}), Value::Null);
    assert_eq!(told("claude-haiku-4-5", ThinkingEffort::Off), (Value::Null, Value::Null));
    assert_eq!(told("claude-haiku-4-5", ThinkingEffort::Minimal), budget(1024));
    assert_eq!(told("claude-haiku-4-5", ThinkingEffort::High), budget(31_999));
    // The answer keeps its room.
    assert_eq!(told("claude-opus-4-1", ThinkingEffort::High), budget(27_904));
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    assert_eq!(told("claude-sonnet-5", ThinkingEffort::Minimal), (adaptive.clone(), json!({"effort": "low"})));
    assert_eq!(told("claude-sonnet-5", ThinkingEffort::High), (adaptive, json!({"effort": "high"})));
    assert_eq!(told("claude-next", ThinkingEffort::High), (Value::Null, Value::Null));
}

#[test]
fn pictures_and_documents_are_blocks_and_the_rest_is_named() {
    let media = |kind: &str| -> MessagePart {
        serde_json::from_value(json!({"inlineData": {"mimeType": kind, "data": "AAAA"}})).unwrap()
    };
    let parts = vec![media("image/png"), media("application/pdf"), media("audio/wav")];
    let request =
        ModelRequest { contents: vec![ModelMessage { role: MessageRole::User, parts }], ..ModelRequest::default() };
    let source = |kind: &str| json!({"type": "base64", "media_type": kind, "data": "AAAA"});
    assert_eq!(
        body(&entry("claude-next"), None, request)["messages"][0]["content"],
        json!([
            {"type": "image", "source": source("image/png")},
            {"type": "document", "source": source("application/pdf")},
            {"type": "text", "text": "[audio/wav left out: this model does not take it]",
                "cache_control": {"type": "ephemeral"}}])
    );
}

#[test]
fn blank_text_is_not_sent() {
    let contents = vec![
        ModelMessage { role: MessageRole::User, parts: vec![MessagePart::text(" "), MessagePart::text("hi")] },
        ModelMessage::model(vec![MessagePart::text("\n")]),
        ModelMessage::user("still there?"),
    ];
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut last = text("still there?");
    keep(&mut last);
    assert_eq!(
        body(&entry("claude-next"), None, ModelRequest { contents, ..ModelRequest::default() })["messages"],
        json!([{"role": "user", "content": [text("hi")]}, {"role": "user", "content": [last]}])
    );
}

#[test]
fn a_model_that_is_to_call_nothing_is_still_told_of_the_tools() {
    let tools = vec![ToolDeclaration { name: "ls".into(), description: "Lists.".into(), parameters: json!({}).into() }];
    let asked = |tool_choice| {
        let request = ModelRequest { tools: tools.clone(), tool_choice, ..ModelRequest::default() };
        body(&entry("claude-next"), None, request)
    };
    let (usual, without) = (asked(ToolChoice::Auto), asked(ToolChoice::None));
    assert_eq!((&without["tools"], usual.get("tool_choice")), (&usual["tools"], None));
    assert_eq!(without["tool_choice"], json!({"type": "none"}));
}
