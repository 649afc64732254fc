//! What an agent says it did: the lines of stream-json, or plain text of an agent that has no such format.

use serde_json::Value;

/// The denials of Pollux and of Gemini CLI in a tool result.
const DENIALS: [&str; 3] = ["denied", "declined", "policy_violation"];

/// A run by the agent's own account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AgentReport {
    /// The text after the last tool call, or all of it where there is none.
    pub(super) answer: String,
    pub(super) tool_calls: u64,
    /// Answers of the model: one begins where it speaks or calls after a tool result.
    pub(super) model_calls: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// Calls that were denied because nobody was there to be asked, or by a rule.
    pub(super) denied: u64,
    /// Why the turn failed.
    pub(super) error: Option<String>,
}

/// Read the output of an agent.
pub(super) fn read_report(output: &str) -> AgentReport {
    let mut report = AgentReport::default();
    let (mut whole, mut is_answered, mut has_events) = (String::new(), true, false);
    for event in output.lines().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok()) {
        let word = |key: &str| event[key].as_str().unwrap_or_default();
        let is_from_model = match word("type") {
            "message" => word("role") == "assistant",
            "tool_use" => event.get("parent_tool_id").is_none(),
            "thought" => true,
            _ => false,
        };
        if is_from_model && std::mem::take(&mut is_answered) {
            report.model_calls += 1;
        }
        has_events |= event.is_object() && !word("type").is_empty();
        match word("type") {
            "message" if is_from_model => {
                report.answer.push_str(word("content"));
                whole.push_str(word("content"));
            }
            "tool_use" if is_from_model => {
                report.tool_calls += 1;
                report.answer.clear();
            }
            "tool_result" => {
                is_answered = true;
                report.denied += u64::from(event["error"]["type"].as_str().is_some_and(|kind| DENIALS.contains(&kind)));
            }
            "result" => {
                let count = |key: &str| event["stats"][key].as_u64().unwrap_or_default();
                report.tokens_in = count("input_tokens");
                report.tokens_out = count("output_tokens");
                report.error = event["error"]["message"].as_str().map(str::to_owned);
            }
            _ => {}
        }
    }
    if report.answer.trim().is_empty() {
        report.answer = if has_events { whole } else { output.to_owned() };
    }
    report.answer = report.answer.trim().to_owned();
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_counted() {
        let report = read_report(concat!(
            "noise\n",
            r#"{"type":"message","role":"user","content":"do it"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","content":"I look."}"#,
            "\n",
            r#"{"type":"tool_use","tool_name":"a"}"#,
            "\n",
            r#"{"type":"tool_use","tool_name":"b"}"#,
            "\n",
            r#"{"type":"tool_use","tool_name":"c","parent_tool_id":"b"}"#,
            "\n",
            r#"{"type":"tool_result","status":"error","error":{"type":"denied"}}"#,
            "\n",
            r#"{"type":"tool_result","status":"success"}"#,
            "\n",
            r#"{"type":"message","role":"assistant","content":"It is "}"#,
            "\n",
            r#"{"type":"message","role":"assistant","content":"7.\n"}"#,
            "\n",
            r#"{"type":"result","stats":{"input_tokens":70,"output_tokens":3},"error":{"message":"one was denied"}}"#,
        ));
        let expected = AgentReport {
            answer: "It is 7.".into(),
            tool_calls: 2,
            model_calls: 2,
            tokens_in: 70,
            tokens_out: 3,
            denied: 1,
            error: Some("one was denied".into()),
        };
        assert_eq!(report, expected);
    }

    #[test]
    fn an_agent_without_the_format_answers_with_its_output() {
        assert_eq!(read_report("It is\n7.\n"), AgentReport { answer: "It is\n7.".into(), ..AgentReport::default() });
        assert_eq!(read_report("42"), AgentReport { answer: "42".into(), ..AgentReport::default() });
        let quiet = read_report("{\"type\":\"tool_use\"}\n{\"type\":\"result\",\"stats\":{}}");
        assert_eq!((quiet.answer.as_str(), quiet.tool_calls), ("", 1));
    }
}
