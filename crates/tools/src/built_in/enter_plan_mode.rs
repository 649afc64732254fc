//! `enter_plan_mode`: with the person's consent, only look until there is a plan.

use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{
    ApprovalMode, AskDetails, AskOption, BoxFuture, BuiltInTool, CallState, SessionSetting, ToolKind, cancel_choice,
    once_choice,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const NAME: &str = BuiltInTool::EnterPlanMode.name();

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Why a plan is wanted first, in one short sentence for the person.
    #[serde(default)]
    reason: Option<String>,
}

pub(crate) struct EnterPlanModeTool;

impl Tool for EnterPlanModeTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Proposes to switch to plan mode, in which you can look at everything and change nothing. Use it before \
             work that is large, risky or unclear: explore, then present your plan with exit_plan_mode.",
        )
    }

    fn offered_in(&self, mode: ApprovalMode) -> bool {
        mode != ApprovalMode::Plan
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let Arguments { reason } = parse(args)?;
            let reason = reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
            let description = match reason {
                Some(reason) => format!("Switch to plan mode, in which nothing is changed: {reason}"),
                None => "Switch to plan mode, in which nothing is changed".to_owned(),
            };
            let details = AskDetails::generic(description);
            let preview = CallPreview::new(NAME, ToolKind::Converse, "Switch to plan mode", details);
            let switch = AskOption { name: "Switch to plan mode".into(), ..once_choice() };
            let stay = AskOption { name: "Stay in this mode".into(), ..cancel_choice() };
            Ok(CallPreview { options: Some(vec![switch, stay]), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        _: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            out.set(SessionSetting::Mode(ApprovalMode::Plan)).await;
            Ok(ToolRunOutcome::from_text(
                "This is plan mode now: look at whatever you need, change nothing, and call exit_plan_mode with the \
                 plan when you have one.",
            ))
        })
    }
}
