//! What a person may say to a plan. The ask has two options, and one of them carries the rest: whether the plan is approved, how
//! changes of files are asked about then, and feedback. Whoever shows the ask offers these instead.

use crate::ask::{Ask, AskDetails, AskOption};
use crate::describe::{choice_label, describe_plan_mode, is_plan_schema};
use crate::sanitize::one_line;
use serde_json::{Value, json};

/// One thing that may be said to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanVerdict {
    /// It may be carried out, in this mode if the plan lets the person choose one.
    Approve(Option<String>),
    /// It has to be changed.
    SendBack,
    /// An option that does not allow it.
    Decline,
}

impl PlanVerdict {
    /// All that may be said to the plan of `ask`, in the order in which it is offered. `None` if `ask` is about no plan.
    pub fn all_for(ask: &Ask) -> Option<Vec<PlanVerdict>> {
        let AskDetails::Generic { schema: Some(schema), .. } = &ask.details else { return None };
        let mut allowing = ask.options.iter().filter(|option| option.allows);
        let (Some(_), None, true) = (allowing.next(), allowing.next(), is_plan_schema(schema)) else { return None };
        let modes = schema["properties"]["approvalMode"]["enum"].as_array().into_iter().flatten();
        let modes = modes.filter_map(Value::as_str).map(|mode| Some(mode.to_owned()));
        let mut verdicts: Vec<PlanVerdict> = modes.map(PlanVerdict::Approve).collect();
        if verdicts.is_empty() {
            verdicts.push(PlanVerdict::Approve(None));
        }
        verdicts.push(PlanVerdict::SendBack);
        verdicts.extend(ask.options.iter().any(|option| !option.allows).then_some(PlanVerdict::Decline));
        Some(verdicts)
    }

    /// The option of `ask` that stands for it.
    pub fn option<'a>(&self, ask: &'a Ask) -> Option<&'a AskOption> {
        ask.options.iter().find(|option| option.allows != (*self == PlanVerdict::Decline))
    }

    /// What it is called.
    pub fn label(&self, ask: &Ask) -> String {
        match self {
            PlanVerdict::Approve(None) => "Approve the plan".into(),
            PlanVerdict::Approve(Some(mode)) => match describe_plan_mode(plan_schema(ask), mode) {
                Some(after) => format!("Approve the plan; {}", one_line(after, 200)),
                None => format!("Approve the plan ({mode})"),
            },
            PlanVerdict::SendBack => "Send it back with feedback".into(),
            PlanVerdict::Decline => self.option(ask).map_or_else(String::new, choice_label),
        }
    }

    /// The answers that go with its option; `None` where the option says it all.
    pub fn answers(&self, feedback: Option<&str>) -> Option<Value> {
        let mut answers = match self {
            PlanVerdict::Approve(Some(mode)) => json!({ "approved": true, "approvalMode": mode }),
            PlanVerdict::Approve(None) => json!({ "approved": true }),
            PlanVerdict::SendBack => json!({ "approved": false }),
            PlanVerdict::Decline => return None,
        };
        if let Some(feedback) = feedback {
            answers["feedback"] = feedback.into();
        }
        Some(answers)
    }
}

fn plan_schema(ask: &Ask) -> &Value {
    match &ask.details {
        AskDetails::Generic { schema: Some(schema), .. } => schema,
        AskDetails::Generic { schema: None, .. }
        | AskDetails::Execute { .. }
        | AskDetails::Edit(_)
        | AskDetails::Patch { .. }
        | AskDetails::Mcp { .. } => &Value::Null,
    }
}
