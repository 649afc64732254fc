use super::*;
use crate::content::{MessagePart, ModelMessage, PartData};
use crate::model::ToolDeclaration;
use expect_test::{Expect, expect};

fn check(model: &str, request: ModelRequest, expect: &Expect) {
    expect.assert_eq(&serde_json::to_string_pretty(&body(model, None, request)).unwrap());
}

fn conversation() -> ModelRequest {
    let call = |id: &str, dir: &str| PartData::FunctionCall {
        id: Some(id.into()),
        name: "list_directory".into(),
        args: json!({"dir_path": dir}),
    };
    let mut first: MessagePart = call("fc_abc1", ".").into();
    first.extra.insert("thoughtSignature".into(), json!("SIG_A=="));
    let results = vec![
        MessagePart::response("fc_abc1", "list_directory", json!({"output": "a.txt"})),
        MessagePart::response("fc_abc2", "list_directory", json!({"error": "no such directory"})),
    ];
    ModelRequest {
        system: "Be brief.".into(),
        contents: vec![
            ModelMessage::user("list files"),
            ModelMessage::model(vec![MessagePart::thought("**Look** first"), first, call("fc_abc2", "src").into()]),
            ModelMessage { role: crate::MessageRole::User, parts: results },
        ],
        tools: vec![ToolDeclaration {
            name: "list_directory".into(),
            description: "Lists a directory.".into(),
            parameters: json!({"type": "object", "properties": {"dir_path": {"type": "string"}}}).into(),
        }],
        ..ModelRequest::default()
    }
}

#[test]
fn a_whole_request() {
    check(
        "gemini-3.8-flash",
        conversation(),
        &expect![[r#"
        {
          "contents": [
            {
              "role": "user",
              "parts": [
                {
                  "text": "list files"
                }
              ]
            },
            {
              "role": "model",
              "parts": [
                {
                  "functionCall": {
                    "id": "fc_abc1",
                    "name": "list_directory",
                    "args": {
                      "dir_path": "."
                    }
                  },
                  "thoughtSignature": "SIG_A=="
                },
                {
                  "functionCall": {
                    "id": "fc_abc2",
                    "name": "list_directory",
                    "args": {
                      "dir_path": "src"
                    }
                  }
                }
              ]
            },
            {
              "role": "user",
              "parts": [
                {
                  "functionResponse": {
                    "id": "fc_abc1",
                    "name": "list_directory",
                    "response": {
                      "output": "a.txt"
                    }
                  }
                },
                {
                  "functionResponse": {
                    "id": "fc_abc2",
                    "name": "list_directory",
                    "response": {
                      "error": "no such directory"
                    }
                  }
                }
              ]
            }
          ],
          "systemInstruction": {
            "role": "user",
            "parts": [
              {
                "text": "Be brief."
              }
            ]
          },
          "tools": [
            {
              "functionDeclarations": [
                {
                  "name": "list_directory",
                  "description": "Lists a directory.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "dir_path": {
                        "type": "string"
                      }
                    }
                  }
                }
              ]
            }
          ],
          "generationConfig": {
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "thinkingConfig": {
              "includeThoughts": true,
              "thinkingLevel": "HIGH"
            }
          }
        }"#]],
    );
}

#[test]
fn a_bare_request_to_an_older_model() {
    let request = ModelRequest { contents: vec![ModelMessage::user("hi")], ..ModelRequest::default() };
    check(
        "gemini-2.5-pro",
        request,
        &expect![[r#"
        {
          "contents": [
            {
              "role": "user",
              "parts": [
                {
                  "text": "hi"
                }
              ]
            }
          ],
          "generationConfig": {
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "thinkingConfig": {
              "includeThoughts": true,
              "thinkingBudget": 8192
            }
          }
        }"#]],
    );
}

#[test]
fn thinking_is_told_the_way_each_family_takes_it() {
    let thinking =
        |model: &str| body(model, None, ModelRequest::default())["generationConfig"]["thinkingConfig"].clone();
    assert_eq!(thinking("gemini-3-pro-preview"), json!({"includeThoughts": true, "thinkingLevel": "HIGH"}));
    assert_eq!(thinking("gemini-2.5-flash-lite"), json!({"includeThoughts": true, "thinkingBudget": 8192}));
    assert_eq!(thinking("gemini-flash-latest"), json!({"includeThoughts": true}));
    assert_eq!(thinking("gemini-2.0-flash"), Value::Null);
    assert_eq!(thinking("gemma-4-31b-it"), Value::Null);
}

#[test]
fn only_models_that_check_signatures_get_the_stand_in() {
    let call = PartData::FunctionCall { id: None, name: "ls".into(), args: json!({}) };
    let request = ModelRequest {
        contents: vec![
            ModelMessage::user("go"),
            ModelMessage::model(vec![call.into()]),
            ModelMessage {
                role: crate::MessageRole::User,
                parts: vec![MessagePart::response("1", "ls", json!({"output": ""}))],
            },
        ],
        ..ModelRequest::default()
    };
    let signature =
        |model: &str| body(model, None, request.clone())["contents"][1]["parts"][0]["thoughtSignature"].clone();
    assert_eq!(signature("gemini-3.8-flash"), json!("skip_thought_signature_validator"));
    assert_eq!(signature("gemini-2.5-pro"), Value::Null);
}

#[test]
fn effort_is_a_level_or_a_budget() {
    let told = |model: &str, effort| {
        body(model, Some(effort), ModelRequest::default())["generationConfig"]["thinkingConfig"].clone()
    };
    let level = |level: &str| json!({"includeThoughts": true, "thinkingLevel": level});
    let budget = |tokens: u32| json!({"includeThoughts": true, "thinkingBudget": tokens});
    assert_eq!(told("gemini-3.8-flash", ThinkingEffort::Off), level("MINIMAL"));
    assert_eq!(told("gemini-3.8-flash", ThinkingEffort::Low), level("LOW"));
    assert_eq!(told("gemini-3.1-pro-preview", ThinkingEffort::Medium), level("MEDIUM"));
    assert_eq!(told("gemini-2.5-flash", ThinkingEffort::Off), budget(0));
    assert_eq!(told("gemini-2.5-pro", ThinkingEffort::Off), budget(128));
    assert_eq!(told("gemini-2.5-pro", ThinkingEffort::High), budget(24_576));
    assert_eq!(told("gemma-4-31b-it", ThinkingEffort::High), Value::Null);
}

#[test]
fn a_model_that_is_to_call_nothing_is_still_told_of_the_tools() {
    let tools = vec![ToolDeclaration { name: "ls".into(), description: "Lists.".into(), parameters: json!({}).into() }];
    let asked = |tool_choice| {
        let request = ModelRequest { tools: tools.clone(), tool_choice, ..ModelRequest::default() };
        body("gemini-3.8-flash", None, request)
    };
    let (usual, without) = (asked(ToolChoice::Auto), asked(ToolChoice::None));
    assert_eq!((&without["tools"], usual.get("toolConfig")), (&usual["tools"], None));
    assert_eq!(without["toolConfig"], json!({"functionCallingConfig": {"mode": "NONE"}}));
}
