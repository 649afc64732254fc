//! Expectations of a line about the request that it answers.

use serde::Deserialize;
use serde_json::Value;

/// All that is given must hold.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ScriptExpectation {
    /// The model the URL names. In process there is no URL, and this is not looked at.
    model: Option<String>,
    /// Text in the newest content that a person wrote.
    last_user_contains: Option<String>,
    /// The results in the last content, in order, each by its call's id, or the tool's name if the id is not sent.
    tool_results: Option<Vec<String>>,
}

impl ScriptExpectation {
    /// Check the expectations; an error says in words which one does not hold.
    pub(super) fn check(&self, model: Option<&str>, body: &Value) -> Result<(), String> {
        if let (Some(wanted), Some(model)) = (&self.model, model)
            && wanted != model
        {
            return Err(format!("it expects model {wanted:?}, not {model:?}"));
        }
        let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(wanted) = &self.last_user_contains {
            let said = last_said(contents);
            if !said.contains(wanted.as_str()) {
                return Err(format!("it expects {wanted:?} in the prompt, which is {said:?}"));
            }
        }
        if let Some(wanted) = &self.tool_results {
            let found = results(contents);
            if *wanted != found {
                return Err(format!("it expects the tool results {wanted:?}, not {found:?}"));
            }
        }
        Ok(())
    }
}

fn last_said(contents: &[Value]) -> String {
    let said = |content: &Value| {
        let parts = content["parts"].as_array().filter(|_| content["role"] == "user")?;
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    contents.iter().rev().find_map(said).unwrap_or_default()
}

fn results(contents: &[Value]) -> Vec<String> {
    let parts = contents.last().and_then(|content| content["parts"].as_array()).into_iter().flatten();
    let responses = parts.filter_map(|part| part.get("functionResponse"));
    responses.filter_map(|result| Some(result["id"].as_str().or(result["name"].as_str())?.to_owned())).collect()
}
