//! One conversation that four models had a part in, as each provider is told of it.

use expect_test::{Expect, expect};
use futures_util::StreamExt;
use pollux_model::{Model, ModelCatalogue, ModelMessage, ModelRegistry, ModelRequest};
use pollux_testkit::anthropic::{self, FakeAnthropic};
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::openai::{self, FakeOpenAi};
use serde_json::{Value, json};
use std::sync::Arc;

/// Gemini signed a call and sent no ids, Claude proved its thinking, a small model sent ids that clash, and one call was
/// never answered.
fn conversation() -> ModelRequest {
    let proof = json!({"thinking": [{"type": "thinking", "thinking": "Read it.", "signature": "CLAUDE"}]});
    let contents = json!([
        {"role": "user", "parts": [{"text": "What is in src?"}]},
        {"role": "model", "parts": [
            {"text": "**Look** first", "thought": true},
            {"functionCall": {"id": "made-0-1", "name": "list_directory", "args": {"dir_path": "src"}},
                "thoughtSignature": "GEMINI"},
            {"functionCall": {"id": "made-0-2", "name": "list_directory", "args": {"dir_path": "gone"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "made-0-1", "name": "list_directory", "response": {"output": "a.rs"}}},
            {"functionResponse": {"id": "made-0-2", "name": "list_directory", "response": {"error": "not found"}}}]},
        {"role": "model", "parts": [
            {"text": "I will read it."},
            {"functionCall": {"id": "toolu_1", "name": "read_file", "args": {"path": "a.rs"}}, "anthropic": proof}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "toolu_1", "name": "read_file", "response": {"output": "fn main() {}"}}}]},
        {"role": "model", "parts": [{"text": "An empty main."}, {"text": "", "thoughtSignature": "TAIL"}]},
        {"role": "user", "parts": [{"text": "Run it."}]},
        {"role": "model", "parts": [
            {"functionCall": {"id": "0", "name": "run", "args": {}}},
            {"functionCall": {"id": "0", "name": "run", "args": {"again": true}}},
            {"functionCall": {"id": "0", "name": "wait", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "0", "name": "run", "response": {"output": "first"}}},
            {"functionResponse": {"id": "0", "name": "run", "response": {"output": "second"}}}]},
    ]);
    let contents: Vec<ModelMessage> = serde_json::from_value(contents).unwrap();
    ModelRequest { contents, ..ModelRequest::default() }
}

fn model(name: &str, variable: &'static str, address: &str) -> Arc<dyn Model> {
    let address = address.to_owned();
    let env = move |name: &str| (name == variable).then(|| address.clone());
    ModelRegistry::new(ModelCatalogue::load(None).unwrap(), env).resolve(name).unwrap()
}

/// One message a line.
fn check(messages: &Value, expect: &Expect) {
    let lines: Vec<String> = messages.as_array().unwrap().iter().map(Value::to_string).collect();
    expect.assert_eq(&lines.join("\n"));
}

#[tokio::test]
async fn as_gemini_is_told() {
    let answer = json!({"method": "generateContentStream", "repeat": true, "response": [
        {"candidates": [{"content": {"parts": [{"text": "done"}]}, "finishReason": "STOP"}]}]});
    let server = FakeGemini::start([answer]).await.unwrap();
    let model = model("gemini-3.8-flash", "GOOGLE_GEMINI_BASE_URL", &server.base_url);
    model.generate(conversation()).for_each(|_| std::future::ready(())).await;
    check(
        &server.requests()[0].body["contents"],
        &expect![[r#"
            {"role":"user","parts":[{"text":"What is in src?"}]}
            {"role":"model","parts":[{"functionCall":{"name":"list_directory","args":{"dir_path":"src"}},"thoughtSignature":"GEMINI"},{"functionCall":{"name":"list_directory","args":{"dir_path":"gone"}}}]}
            {"role":"user","parts":[{"functionResponse":{"name":"list_directory","response":{"output":"a.rs"}}},{"functionResponse":{"name":"list_directory","response":{"error":"not found"}}}]}
            {"role":"model","parts":[{"text":"I will read it."},{"functionCall":{"id":"toolu_1","name":"read_file","args":{"path":"a.rs"}}}]}
            {"role":"user","parts":[{"functionResponse":{"id":"toolu_1","name":"read_file","response":{"output":"fn main() {}"}}}]}
            {"role":"model","parts":[{"text":"An empty main."},{"text":"","thoughtSignature":"TAIL"}]}
            {"role":"user","parts":[{"text":"Run it."}]}
            {"role":"model","parts":[{"functionCall":{"id":"0","name":"run","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"run","args":{"again":true}}},{"functionCall":{"name":"wait","args":{}}}]}
            {"role":"user","parts":[{"functionResponse":{"id":"0","name":"run","response":{"output":"first"}}},{"functionResponse":{"name":"run","response":{"output":"second"}}},{"functionResponse":{"name":"wait","response":{"error":"This call was not run."}}}]}"#]],
    );
}

#[tokio::test]
async fn as_openai_is_told() {
    let server = FakeOpenAi::start([openai::text_answer("done")]).await.unwrap();
    let model = model("gpt-5.4", "OPENAI_BASE_URL", &server.base_url);
    model.generate(conversation()).for_each(|_| std::future::ready(())).await;
    check(
        &server.requests()[0].body["messages"],
        &expect![[r#"
            {"role":"user","content":"What is in src?"}
            {"role":"assistant","content":null,"tool_calls":[{"id":"made-0-1","type":"function","function":{"name":"list_directory","arguments":"{\"dir_path\":\"src\"}"}},{"id":"made-0-2","type":"function","function":{"name":"list_directory","arguments":"{\"dir_path\":\"gone\"}"}}]}
            {"role":"tool","tool_call_id":"made-0-1","content":"a.rs"}
            {"role":"tool","tool_call_id":"made-0-2","content":"error: not found"}
            {"role":"assistant","content":"I will read it.","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.rs\"}"}}]}
            {"role":"tool","tool_call_id":"toolu_1","content":"fn main() {}"}
            {"role":"assistant","content":"An empty main."}
            {"role":"user","content":"Run it."}
            {"role":"assistant","content":null,"tool_calls":[{"id":"0","type":"function","function":{"name":"run","arguments":"{}"}},{"id":"made-1","type":"function","function":{"name":"run","arguments":"{\"again\":true}"}},{"id":"made-2","type":"function","function":{"name":"wait","arguments":"{}"}}]}
            {"role":"tool","tool_call_id":"0","content":"first"}
            {"role":"tool","tool_call_id":"made-1","content":"second"}
            {"role":"tool","tool_call_id":"made-2","content":"error: This call was not run."}"#]],
    );
}

#[tokio::test]
async fn as_anthropic_is_told() {
    let server = FakeAnthropic::start([anthropic::text_answer("done")]).await.unwrap();
    let model = model("claude-sonnet-5", "ANTHROPIC_BASE_URL", &server.base_url);
    model.generate(conversation()).for_each(|_| std::future::ready(())).await;
    check(
        &server.requests()[0].body["messages"],
        &expect![[r#"
            {"role":"user","content":[{"type":"text","text":"What is in src?"}]}
            {"role":"assistant","content":[{"type":"tool_use","id":"made-0-1","name":"list_directory","input":{"dir_path":"src"}},{"type":"tool_use","id":"made-0-2","name":"list_directory","input":{"dir_path":"gone"}}]}
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"made-0-1","content":"a.rs"},{"type":"tool_result","tool_use_id":"made-0-2","content":"not found","is_error":true}]}
            {"role":"assistant","content":[{"type":"thinking","thinking":"Read it.","signature":"CLAUDE"},{"type":"text","text":"I will read it."},{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"a.rs"}}]}
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"fn main() {}"}]}
            {"role":"assistant","content":[{"type":"text","text":"An empty main."}]}
            {"role":"user","content":[{"type":"text","text":"Run it."}]}
            {"role":"assistant","content":[{"type":"tool_use","id":"0","name":"run","input":{}},{"type":"tool_use","id":"made-1","name":"run","input":{"again":true}},{"type":"tool_use","id":"made-2","name":"wait","input":{}}]}
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"0","content":"first"},{"type":"tool_result","tool_use_id":"made-1","content":"second"},{"type":"tool_result","tool_use_id":"made-2","content":"This call was not run.","is_error":true,"cache_control":{"type":"ephemeral"}}]}"#]],
    );
}
