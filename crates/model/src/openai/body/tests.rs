use super::*;
use crate::catalogue::ModelCatalogue;
use crate::model::ToolDeclaration;
use crate::provider::Provider;
use expect_test::{Expect, expect};
use pretty_assertions::assert_eq;

fn entry(id: &str) -> CatalogueEntry {
    ModelCatalogue::load(None).unwrap().entry(Provider::OpenAi, id)
}

fn check(request: ModelRequest, expect: &Expect) {
    expect.assert_eq(&serde_json::to_string_pretty(&body(&entry("gpt-5.4"), None, request)).unwrap());
}

fn media(kind: &str) -> MessagePart {
    let fields = json!({"inlineData": {"mimeType": kind, "data": "AAAA"}});
    serde_json::from_value(fields).unwrap()
}

#[test]
fn a_whole_request() {
    let call = |id: &str, dir: &str| PartData::FunctionCall {
        id: Some(id.into()),
        name: "list_directory".into(),
        args: json!({"dir_path": dir}),
    };
    let results = vec![
        MessagePart::response("call_a", "list_directory", json!({"output": "a.txt"})),
        MessagePart::response("call_b", "list_directory", json!({"error": "no such directory"})),
    ];
    let request = ModelRequest {
        system: "Be brief.".into(),
        contents: vec![
            ModelMessage::user("list files"),
            ModelMessage::model(vec![
                MessagePart::thought("hm"),
                call("call_a", ".").into(),
                call("call_b", "src").into(),
            ]),
            ModelMessage { role: MessageRole::User, parts: results },
            ModelMessage::model(vec![MessagePart::text("There is "), MessagePart::text("a.txt.")]),
            ModelMessage::user("thanks"),
        ],
        tools: vec![ToolDeclaration {
            name: "list_directory".into(),
            description: "Lists a directory.".into(),
            parameters: json!({"type": "object", "properties": {"dir_path": {"type": "string"}}}).into(),
        }],
        ..ModelRequest::default()
    };
    check(
        request,
        &expect![[r#"
        {
          "model": "gpt-5.4",
          "messages": [
            {
              "role": "system",
              "content": "Be brief."
            },
            {
              "role": "user",
              "content": "list files"
            },
            {
              "role": "assistant",
              "content": null,
              "tool_calls": [
                {
                  "id": "call_a",
                  "type": "function",
                  "function": {
                    "name": "list_directory",
                    "arguments": "{\"dir_path\":\".\"}"
                  }
                },
                {
                  "id": "call_b",
                  "type": "function",
                  "function": {
                    "name": "list_directory",
                    "arguments": "{\"dir_path\":\"src\"}"
                  }
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "call_a",
              "content": "a.txt"
            },
            {
              "role": "tool",
              "tool_call_id": "call_b",
              "content": "error: no such directory"
            },
            {
              "role": "assistant",
              "content": "There is a.txt."
            },
            {
              "role": "user",
              "content": "thanks"
            }
          ],
          "stream": true,
          "stream_options": {
            "include_usage": true
          },
          "tools": [
            {
              "type": "function",
              "function": {
                "name": "list_directory",
                "description": "Lists a directory.",
                "parameters": {
                  "type": "object",
                  "properties": {
                    "dir_path": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          ]
        }"#]],
    );
}

#[test]
fn the_smallest_request() {
    let request = ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() };
    check(
        request,
        &expect![[r#"
        {
          "model": "gpt-5.4",
          "messages": [
            {
              "role": "user",
              "content": "hi"
            }
          ],
          "stream": true,
          "stream_options": {
            "include_usage": true
          }
        }"#]],
    );
}

#[test]
fn images_go_along_where_they_can_be_seen() {
    let content = ModelMessage {
        role: MessageRole::User,
        parts: vec![MessagePart::text("look"), media("image/png"), media("audio/wav")],
    };
    let request = ModelRequest { contents: vec![content], ..ModelRequest::default() };
    let told = |entry: &CatalogueEntry| body(entry, None, request.clone())["messages"][0]["content"].clone();
    let left_out = "[audio/wav left out: this model does not take it]";
    assert_eq!(
        told(&entry("gpt-5.4")),
        json!([
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            {"type": "text", "text": left_out}])
    );
    let blind = CatalogueEntry::unknown(Provider::Ollama, "qwen");
    assert_eq!(told(&blind), format!("look\n\n[image/png left out: this model does not take it]\n\n{left_out}"));
}

#[test]
fn a_model_is_told_how_hard_to_think_only_in_words_it_knows() {
    let effort = |id: &str, effort| body(&entry(id), effort, ModelRequest::default()).get("reasoning_effort").cloned();
    assert_eq!(effort("gpt-5.4", None), None);
    assert_eq!(effort("gpt-5.4", Some(ThinkingEffort::Off)), Some(json!("none")));
    assert_eq!(effort("gpt-5", Some(ThinkingEffort::Off)), Some(json!("minimal")));
    assert_eq!(effort("o3", Some(ThinkingEffort::Minimal)), Some(json!("low")));
    assert_eq!(effort("gpt-4.1", Some(ThinkingEffort::High)), None);
}

#[test]
fn a_model_that_is_to_call_nothing_is_still_told_of_the_tools() {
    let tools = vec![ToolDeclaration { name: "ls".into(), description: "Lists.".into(), parameters: json!({}).into() }];
    let asked = |tool_choice| {
        let request = ModelRequest { tools: tools.clone(), tool_choice, ..ModelRequest::default() };
        body(&entry("gpt-5.4"), None, request)
    };
    let (usual, without) = (asked(ToolChoice::Auto), asked(ToolChoice::None));
    assert_eq!((&without["tools"], usual.get("tool_choice")), (&usual["tools"], None));
    assert_eq!(without["tool_choice"], json!("none"));
}
