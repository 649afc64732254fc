//! `remote_ask`: a question of an agent elsewhere, as a call that asks. No model is offered it.

use pollux_remote::{AgentQuestion, AgentQuestionAnswer};
use pollux_session::{
    AnswerEdit, ApprovalMode, AskDetails, AskOption, BoxFuture, BuiltInTool, CallResult, CallState, GrantScope,
    NewCall, ResultDisplay, ToolKind, cancel_choice, once_choice,
};
use pollux_tools::{CallPreview, Tool, ToolCallContext, ToolError, ToolRunOutcome, ToolSpec};
use serde_json::{Value, json};
use std::path::Path;

pub(super) const NAME: &str = BuiltInTool::RemoteAsk.name();

/// The call that asks `question` for the agent `name`.
pub(super) fn ask_call(name: &str, question: &AgentQuestion) -> NewCall {
    let options = question.options.iter();
    let options = options.map(|option| json!({"id": option.id, "name": option.name, "goes_on": option.allows}));
    let options = Value::from(options.collect::<Vec<_>>());
    let mut args = json!({"agent_name": name, "description": question.description, "options": options});
    if let Some(schema) = &question.schema {
        args["schema"] = schema.clone();
    }
    NewCall { tool: NAME.into(), args, meta: Value::Null }
}

/// The answer in what such a call returned.
pub(super) fn parse_answer(text: &str) -> AgentQuestionAnswer {
    let told: Value = serde_json::from_str(text).unwrap_or_default();
    match told.get("option").and_then(Value::as_str) {
        Some(option) => {
            AgentQuestionAnswer::Chosen { option: option.to_owned(), answers: told.get("answers").cloned() }
        }
        None => AgentQuestionAnswer::Declined,
    }
}

/// The tool.
pub(super) struct RemoteAsk;

fn text<'a>(args: &'a Value, name: &str) -> Result<&'a str, ToolError> {
    let text = args.get(name).and_then(Value::as_str);
    text.ok_or_else(|| ToolError::BadArguments(format!("`{name}` is missing: it must be text")))
}

/// The agent's options one to one; there is always a way to go on and a way not to.
fn choices(args: &Value) -> Vec<AskOption> {
    let options = args.get("options").and_then(Value::as_array).into_iter().flatten();
    let mut choices: Vec<AskOption> = options
        .filter_map(|option| {
            let id = option.get("id")?.as_str()?.to_owned();
            let name = option.get("name")?.as_str()?.to_owned();
            let allows = option.get("goes_on").and_then(Value::as_bool).unwrap_or(true);
            Some(AskOption { id, name, allows, grant: None, reach: GrantScope::Session })
        })
        .collect();
    if !choices.iter().any(|choice| choice.allows) {
        choices.insert(0, once_choice());
    }
    if choices.iter().all(|choice| choice.allows) {
        choices.push(cancel_choice());
    }
    choices
}

impl Tool for RemoteAsk {
    fn declaration(&self) -> ToolSpec {
        let description = "Asks the person what an agent elsewhere wants to know.".into();
        ToolSpec { name: NAME.into(), description, parameters: json!({"type": "object"}).into() }
    }

    fn offered_in(&self, _: ApprovalMode) -> bool {
        false
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (name, asked) = (text(args, "agent_name")?, text(args, "description")?);
            let description = format!("The agent {name} asks:\n{asked}");
            let details = AskDetails::Generic { description, schema: args.get("schema").cloned() };
            let preview = CallPreview::new(NAME, ToolKind::Converse, format!("{name} asks: {asked}"), details);
            Ok(CallPreview { options: Some(choices(args)), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let Some(option) = &call.chosen else {
                return Err(ToolError::failed("not_asked", "nobody was asked, so there is no answer"));
            };
            let mut told = json!({ "option": option });
            if let Some(AnswerEdit::Answers { answers }) = &call.edit {
                told["answers"] = answers.clone();
            }
            let chosen = choices(&call.args).into_iter().find(|choice| choice.id == *option);
            let display = chosen.map(|choice| ResultDisplay::Text { text: choice.name });
            Ok(ToolRunOutcome::succeeded(CallResult { text: told.to_string(), display, ..CallResult::default() }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[tokio::test]
    async fn the_options_are_the_agents_own_and_there_is_always_a_way_out() {
        let args = json!({"agent_name": "far", "description": "run: ls", "schema": {"type": "object"}, "options": [
            {"id": "proceed_always", "name": "Always", "goes_on": true}, {"id": "reject", "name": "No", "goes_on": false}]});
        let preview = RemoteAsk.preview(Path::new("/"), &args).await.unwrap();
        let description = "The agent far asks:\nrun: ls".to_owned();
        assert_eq!(preview.details, AskDetails::Generic { description, schema: Some(json!({"type": "object"})) });
        assert_eq!(preview.kind, ToolKind::Converse);
        let shown = |args: &Value| choices(args).into_iter().map(|c| (c.id, c.allows)).collect::<Vec<_>>();
        assert_eq!(shown(&args), [("proceed_always".to_owned(), true), ("reject".to_owned(), false)]);
        assert_eq!(shown(&json!({})), [("proceed_once".to_owned(), true), ("cancel".to_owned(), false)]);
    }

    #[test]
    fn an_answer_is_read_back() {
        let answers = Some(json!({"answer": "red"}));
        let told = json!({"option": "proceed_once", "answers": answers}).to_string();
        assert_eq!(parse_answer(&told), AgentQuestionAnswer::Chosen { option: "proceed_once".into(), answers });
        assert_eq!(parse_answer("what?"), AgentQuestionAnswer::Declined);
    }
}
