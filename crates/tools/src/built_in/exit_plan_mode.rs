//! `exit_plan_mode`: a plan for the person to approve, or to send back with feedback.

use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{
    AnswerEdit, ApprovalMode, AskDetails, AskOption, BoxFuture, BuiltInTool, CallState, SessionSetting, ToolKind,
    cancel_choice, once_choice,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

const NAME: &str = BuiltInTool::ExitPlanMode.name();
/// The longest plan, in characters: it is shown whole before it is approved.
const MAX_CHARS: usize = 50_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The whole plan in Markdown: what will change, where, in which order, and how it will be checked.
    plan: String,
}

/// Additions of a person to their approval, in Gemini CLI's words.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Approval {
    #[serde(default = "approved")]
    approved: bool,
    #[serde(default)]
    approval_mode: PlanApproval,
    #[serde(default)]
    feedback: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum PlanApproval {
    #[default]
    Default,
    #[serde(alias = "auto_edit")]
    AutoEdit,
}

fn approved() -> bool {
    true
}

pub(crate) struct ExitPlanModeTool;

impl Tool for ExitPlanModeTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Presents your plan to the person. If they approve it, plan mode ends and you carry the plan out; if they \
             send it back, their feedback says what to change, and plan mode goes on.",
        )
    }

    fn offered_in(&self, mode: ApprovalMode) -> bool {
        mode == ApprovalMode::Plan
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let details = AskDetails::Generic { description: parse_plan(args)?, schema: Some(schema()) };
            let preview = CallPreview::new(NAME, ToolKind::Converse, "Approve the plan", details);
            let send = AskOption { name: "Approve the plan, or send it back with feedback".into(), ..once_choice() };
            let stay = AskOption { name: "Reject the plan".into(), ..cancel_choice() };
            Ok(CallPreview { options: Some(vec![send, stay]), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            parse_plan(&call.args)?;
            let answer = match &call.edit {
                Some(AnswerEdit::Answers { answers }) => parse(answers)?,
                Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }) | None => {
                    Approval { approved: true, approval_mode: PlanApproval::Default, feedback: None }
                }
            };
            let feedback = answer.feedback.as_deref().map(str::trim).filter(|text| !text.is_empty());
            if !answer.approved {
                return Ok(ToolRunOutcome::from_text(match feedback {
                    Some(feedback) => {
                        format!("The plan was not approved; this is still plan mode. The person says: {feedback}")
                    }
                    None => "The plan was not approved, without a reason; this is still plan mode. Ask what should be \
                             different."
                        .to_owned(),
                }));
            }
            let (mode, rule) = match answer.approval_mode {
                PlanApproval::Default => (
                    ApprovalMode::Default,
                    "changes will be asked about one by one, unless a permanent rule of the person allows them",
                ),
                PlanApproval::AutoEdit => (ApprovalMode::AutoEdit, "files may be changed without asking"),
            };
            if mode == ApprovalMode::Default {
                // The person wants to be asked, whatever they allowed earlier in the session.
                out.set(SessionSetting::EditsAsk).await;
            }
            out.set(SessionSetting::Mode(mode)).await;
            let mut text =
                format!("The plan is approved and plan mode is over: {rule}. Carry the plan out as written.");
            if let Some(feedback) = feedback {
                text.push_str(&format!(" The person adds: {feedback}"));
            }
            Ok(ToolRunOutcome::from_text(text))
        })
    }
}

fn parse_plan(args: &Value) -> Result<String, ToolError> {
    let Arguments { plan } = parse(args)?;
    let bad = |problem: String| Err(ToolError::BadArguments(format!("argument `plan`: {problem}")));
    if plan.trim().is_empty() {
        return bad("it is empty".into());
    }
    if plan.chars().count() > MAX_CHARS {
        return bad(format!("it has more than {MAX_CHARS} characters; nobody would read it whole"));
    }
    Ok(plan)
}

/// The shape of [`Approval`].
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "approved": {
                "type": "boolean",
                "title": "Approve",
                "description": "Whether the plan may be carried out.",
                "default": true,
            },
            "approvalMode": {
                "type": "string",
                "title": "Then",
                "description": "Whether changes of files ask one by one or not at all.",
                "enum": ["default", "autoEdit"],
                "default": "default",
            },
            "feedback": {
                "type": "string",
                "title": "Feedback",
                "description": "What should be different, or what to mind.",
            },
        },
    })
}
