//! What approving a plan means while a permanent rule allows changes of files: "each change asks" would not be true.

use pollux_policy::Policy;
use pollux_session::{ApprovalMode, AskDetails, is_plan_schema};
use serde_json::json;

/// The name of the mode that asks, while a rule lets some changes of files pass.
const ASKS_BUT_RULES: &str = "each change of a file asks, unless a rule of yours allows it";

/// Name the modes of a plan's ask as they are under the rules of the person.
pub(crate) fn name_plan_modes(details: &mut AskDetails, policy: &Policy, workspace_trusted: bool) {
    let AskDetails::Generic { schema: Some(schema), .. } = details else { return };
    if !is_plan_schema(schema) || !policy.may_allow_file_changes(ApprovalMode::Default, workspace_trusted) {
        return;
    }
    let modes = &mut schema["properties"]["approvalMode"];
    if modes["enum"] == json!(["default", "autoEdit"]) {
        modes["enumNames"] = json!([ASKS_BUT_RULES, "files are changed without asking"]);
    }
}

#[cfg(test)]
mod tests {
    use super::name_plan_modes;
    use pollux_policy::{Policy, RuleTier, ToolPermissions};
    use pollux_session::{Ask, AskDetails, PlanVerdict, cancel_choice, once_choice};
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn a_rule_that_allows_edits_is_named_where_each_change_would_ask() {
        let asks = "Approve the plan; each change of a file asks";
        for (rule, label) in [
            ("", asks.to_owned()),
            (r#"toolName = "web_fetch""#, asks.to_owned()),
            (r#"toolName = "replace""#, format!("{asks}, unless a rule of yours allows it")),
        ] {
            let rule = format!("[[rule]]\n{rule}\ndecision = \"allow\"\npriority = 100\n");
            let text = if rule.contains("toolName") { rule } else { String::new() };
            let files = [("/rules.toml".into(), RuleTier::User, Ok(text))];
            let policy = Policy::new(&files, None, &ToolPermissions::default());
            assert_eq!(policy.problems(), []);
            let schema = json!({"properties": {
                "approved": {"type": "boolean"},
                "approvalMode": {"type": "string", "enum": ["default", "autoEdit"]},
                "feedback": {"type": "string"},
            }});
            let mut details = AskDetails::Generic { description: "1. Do it.".into(), schema: Some(schema) };
            name_plan_modes(&mut details, &policy, true);
            let ask = Ask::new(details, vec![once_choice(), cancel_choice()]);
            let labels: Vec<String> =
                PlanVerdict::all_for(&ask).unwrap().iter().map(|verdict| verdict.label(&ask)).collect();
            assert_eq!(labels[..2], [label, "Approve the plan; files are changed without asking".to_owned()]);
        }
    }
}
