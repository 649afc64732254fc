//! `enter_plan_mode`: with the person's consent, only look until there is a plan.

use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::Output;
use crate::tool::{Declaration, Preview, Ran, Tool};
use pollux_session::{Call, Choice, Details, Mode, Pending, Setting, ToolKind, cancel_choice, once_choice};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

const NAME: &str = "enter_plan_mode";

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Why a plan is wanted first, in one short sentence for the person.
    #[serde(default)]
    reason: Option<String>,
}

pub(crate) struct EnterPlanMode;

impl Tool for EnterPlanMode {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Arguments>(
            NAME,
            "Proposes to switch to plan mode, in which you can look at everything and change nothing. Use it before \
             work that is large, risky or unclear: explore, then present your plan with exit_plan_mode.",
        )
    }

    fn offered_in(&self, mode: Mode) -> bool {
        mode != Mode::Plan
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let Arguments { reason } = parse(args)?;
            let reason = reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
            let description = match reason {
                Some(reason) => format!("Switch to plan mode, in which nothing is changed: {reason}"),
                None => "Switch to plan mode, in which nothing is changed".to_owned(),
            };
            let details = Details::generic(description);
            let preview = Preview::new(NAME, ToolKind::Converse, "Switch to plan mode", details);
            let switch = Choice { name: "Switch to plan mode".into(), ..once_choice() };
            let stay = Choice { name: "Stay in this mode".into(), ..cancel_choice() };
            Ok(Preview { options: Some(vec![switch, stay]), ..preview })
        })
    }

    fn run<'a>(&'a self, _: &'a Path, _: &'a Call, out: &'a mut dyn Output) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            out.set(Setting::Mode(Mode::Plan)).await;
            Ok(Ran::said(
                "This is plan mode now: look at whatever you need, change nothing, and call exit_plan_mode with the \
                 plan when you have one.",
            ))
        })
    }
}
