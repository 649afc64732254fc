//! The requests to the provider, as lines: of every request the part that the one before it did not have. The system
//! prompt and the tools are long and change with every release, so a file names the words it wants to find there.

use crate::corpus::render::shown;
use pollux_testkit::conversation::ScriptedConversation;
use pollux_testkit::gemini::CapturedRequest;
use serde_json::Value;

/// All requests.
pub(crate) fn render(requests: &[CapturedRequest], tidy: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    let mut before: Vec<String> = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        // Before the middle of a long text is left out: which part that is depends on the length of paths.
        let lines = history(&tidy_texts(&request.body, tidy));
        let same = lines.iter().zip(&before).take_while(|(one, other)| one == other).count();
        text.push_str(&format!("{}. {}\n", at + 1, address(request)));
        match same {
            0 => {}
            same if same == lines.len() && same == before.len() => text.push_str("   the same again\n"),
            same => text.push_str(&format!("   {same} as before\n")),
        }
        for line in &lines[same..] {
            text.push_str(&format!("   {line}\n"));
        }
        before = lines;
    }
    text
}

/// The words of the sections `system` and `tools` that the requests do not have.
pub(crate) fn unmet(conversation: &ScriptedConversation, requests: &[CapturedRequest]) -> Vec<String> {
    let mut unmet = Vec::new();
    let system = requests.first().map(|request| {
        let body = &request.body;
        [&body["systemInstruction"], &body["system"], &body["messages"][0]].map(texts).join("\n")
    });
    let system = system.unwrap_or_default();
    for line in conversation.lines("system") {
        let (wanted, words) = match line.strip_prefix("not: ") {
            Some(words) => (false, words),
            None => (true, line),
        };
        if system.contains(words) != wanted {
            let verb = if wanted { "lacks" } else { "holds" };
            unmet.push(format!("the system prompt of the first request {verb} {words:?}; it is:\n{system}"));
        }
    }
    let tools = requests.last().map(|request| tools(&request.body)).unwrap_or_default();
    for line in conversation.lines("tools") {
        let (wanted, name) = match line.strip_prefix("not: ") {
            Some(name) => (false, name),
            None => (true, line),
        };
        if tools.iter().any(|tool| tool == name) != wanted {
            let verb = if wanted { "lacks" } else { "offers" };
            unmet.push(format!("the last request {verb} the tool {name}; it offers {}", tools.join(", ")));
        }
    }
    unmet
}

/// The address of a request: `gemini-2.5-flash streamGenerateContent`, or the path.
fn address(request: &CapturedRequest) -> String {
    let path = request.target.split('?').next().unwrap_or_default();
    let named = path.rsplit_once("/models/").and_then(|(_, rest)| rest.split_once(':'));
    match (named, request.body["model"].as_str()) {
        (Some((model, "streamGenerateContent")), _) => model.to_owned(),
        (Some((model, method)), _) => format!("{model} {method}"),
        (None, Some(model)) => format!("{model} {path}"),
        (None, None) => path.to_owned(),
    }
}

fn tidy_texts(value: &Value, tidy: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(tidy(text)),
        Value::Array(values) => values.iter().map(|value| tidy_texts(value, tidy)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), tidy_texts(value, tidy))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn history(body: &Value) -> Vec<String> {
    if let Some(contents) = body["contents"].as_array() {
        return contents.iter().flat_map(gemini_lines).collect();
    }
    let messages = body["messages"].as_array().into_iter().flatten();
    messages.filter(|message| message["role"] != "system").flat_map(message_lines).collect()
}

fn gemini_lines(content: &Value) -> Vec<String> {
    let role = content["role"].as_str().unwrap_or("?");
    let parts = content["parts"].as_array().into_iter().flatten();
    let told = parts.filter(|part| !part["text"].as_str().is_some_and(is_situation));
    told.map(|part| format!("{role}: {}", gemini_part(part))).collect()
}

/// Whether a text is the block that tells the model where it works. It has the date in it, and files do not show it.
fn is_situation(text: &str) -> bool {
    text.starts_with("[The situation, as it is now.")
}

fn gemini_part(part: &Value) -> String {
    let mut text = if let Some(text) = part["text"].as_str() {
        shown(text)
    } else if let Some(call) = part.get("functionCall") {
        format!("call {}{} {}", call["name"].as_str().unwrap_or_default(), id(&call["id"]), call["args"])
    } else if let Some(result) = part.get("functionResponse") {
        let name = result["name"].as_str().unwrap_or_default();
        format!("result {name}{} {}", id(&result["id"]), fields(&result["response"]))
    } else if let Some(data) = part.get("inlineData") {
        let length = data["data"].as_str().map_or(0, str::len);
        format!("{} of {length} base64 characters", data["mimeType"].as_str().unwrap_or("data"))
    } else {
        part.to_string()
    };
    if let Some(signature) = part["thoughtSignature"].as_str() {
        text.push_str(&format!(", signed {signature:?}"));
    }
    text
}

fn message_lines(message: &Value) -> Vec<String> {
    let role = message["role"].as_str().unwrap_or("?");
    let mut lines = Vec::new();
    match &message["content"] {
        Value::String(text) => {
            let result = message["tool_call_id"].as_str().map(|id| format!("result #{id} ")).unwrap_or_default();
            // All texts of a message are one here, and the situation is the first of them.
            let told = text.split_once("]\n\n").filter(|_| is_situation(text)).map_or(text.as_str(), |(_, rest)| rest);
            lines.push(format!("{role}: {result}{}", shown(told)));
        }
        Value::Array(blocks) => {
            let told = blocks.iter().filter(|block| !block["text"].as_str().is_some_and(is_situation));
            lines.extend(told.map(|block| format!("{role}: {}", block_line(block))));
        }
        _ => {}
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let name = function["name"].as_str().unwrap_or_default();
        lines.push(format!(
            "{role}: call {name}{} {}",
            id(&call["id"]),
            function["arguments"].as_str().unwrap_or_default()
        ));
    }
    lines
}

fn block_line(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => shown(block["text"].as_str().unwrap_or_default()),
        Some("thinking") => {
            let thought = shown(block["thinking"].as_str().unwrap_or_default());
            format!("thinks {thought}, signed {}", block["signature"])
        }
        Some("tool_use") => {
            format!("call {}{} {}", block["name"].as_str().unwrap_or_default(), id(&block["id"]), block["input"])
        }
        Some("tool_result") => {
            let error = if block["is_error"] == true { "error " } else { "" };
            format!("result{} {error}{}", id(&block["tool_use_id"]), shown(&texts(&block["content"])))
        }
        _ => block.to_string(),
    }
}

fn id(id: &Value) -> String {
    id.as_str().map(|id| format!(" #{id}")).unwrap_or_default()
}

/// An object with its long texts cut.
fn fields(response: &Value) -> String {
    let fields = response.as_object().into_iter().flatten();
    let field = |(key, value): (&String, &Value)| match value.as_str() {
        Some(text) => format!("{key}: {}", shown(text)),
        None => format!("{key}: {value}"),
    };
    format!("{{{}}}", fields.map(field).collect::<Vec<_>>().join(", "))
}

/// All text in a value, wherever it is.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => {
            let wanted = fields.iter().filter(|(key, _)| matches!(key.as_str(), "text" | "parts" | "content"));
            wanted.map(|(_, value)| texts(value)).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn tools(body: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let declared = tool["functionDeclarations"].as_array().into_iter().flatten();
        names.extend(declared.filter_map(|tool| tool["name"].as_str()));
        names.extend(tool["name"].as_str().or(tool["function"]["name"].as_str()));
    }
    names.into_iter().map(str::to_owned).collect()
}
