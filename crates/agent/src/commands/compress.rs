//! `/compress`: for the model, a summary stands for the older part of the conversation.

use super::{Answer, Asked, Command, Occasion, plain};
use crate::compact::compact;
use pollux_session::{CommandInfo, Pending, Report};

/// The command.
pub(super) struct Compress;

impl Command for Compress {
    fn info(&self) -> CommandInfo {
        plain("compress", "Let a summary stand for the older part of the conversation")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let desk = occasion.desk()?;
            let report = compact(desk.model.as_ref(), &desk.system_prompt().await, occasion.transcript).await;
            match &report {
                Report::Compacted { summary, .. } => {
                    let length = summary.chars().count();
                    let said = format!(
                        "For the model, a summary of {length} characters stands for the older part of the conversation."
                    );
                    Ok(Answer::say(said).after(report))
                }
                Report::NotCompacted { why } => Err(format!("nothing was compressed: {why}")),
                other => Err(format!("nothing was compressed: {other:?} came instead of a summary")),
            }
        })
    }
}
