//! One table: the mode first, then what the call is about to touch, then what a person has already granted.

use pollux_session::{By, Choice, Grant, Mode, ToolKind, cancel_choice, once_choice, session_choice};

#[cfg(test)]
mod tests;

/// What policy says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It may run.
    Allow {
        /// By which rule.
        why: String,
    },
    /// A person decides.
    Ask,
    /// It may not.
    Deny {
        /// Why, and how to allow it.
        why: String,
    },
}

/// Judge a call of `tool`.
///
/// `wanted` is what a session grant for this call would be, `protected` names the protected place it would change
/// (`.git`, `.vscode`): such a change asks in every mode that asks at all, whatever has been granted.
pub fn judge(
    mode: Mode,
    grants: &[(Grant, By)],
    kind: ToolKind,
    tool: &str,
    wanted: &Grant,
    protected: Option<&str>,
) -> Judgement {
    let allow = |why: &str| Judgement::Allow { why: why.to_owned() };
    match (mode, kind) {
        (_, ToolKind::Read) => allow("reading is always allowed"),
        // What is said to a person is for a person to answer, in every mode.
        (_, ToolKind::Converse) => Judgement::Ask,
        (Mode::Yolo, ToolKind::Edit | ToolKind::Execute | ToolKind::Fetch) => allow("yolo mode allows everything"),
        (Mode::Plan, ToolKind::Edit | ToolKind::Execute) => Judgement::Deny {
            why: format!(
                "{tool} is not allowed in plan mode, which only reads; describe the change instead, or leave plan mode"
            ),
        },
        (Mode::Default | Mode::AutoEdit, _) if protected.is_some() => Judgement::Ask,
        (Mode::AutoEdit, ToolKind::Edit) => allow("auto_edit mode allows changing files"),
        (Mode::Default, ToolKind::Edit | ToolKind::Execute)
        | (Mode::AutoEdit, ToolKind::Execute)
        | (Mode::Default | Mode::AutoEdit | Mode::Plan, ToolKind::Fetch) => {
            match grants.iter().find(|(granted, _)| covers(granted, tool, wanted)) {
                Some((granted, by)) => Judgement::Allow { why: format!("{by} allowed {granted} in this session") },
                None => Judgement::Ask,
            }
        }
    }
}

/// The choices an ask offers: once, for the session unless the place is protected, or not at all.
///
/// `wanted` and `protected` are as for [`judge`]. A session grant never covers a protected place, so none is offered
/// there.
pub fn options(wanted: &Grant, protected: Option<&str>) -> Vec<Choice> {
    match protected {
        Some(_) => vec![once_choice(), cancel_choice()],
        None => vec![once_choice(), session_choice(wanted.clone()), cancel_choice()],
    }
}

/// Whether `granted` lets a call of `tool` run whose own grant would be `wanted`.
fn covers(granted: &Grant, tool: &str, wanted: &Grant) -> bool {
    match granted {
        Grant::Tool { tool: granted_tool } => granted_tool == tool,
        Grant::Command { .. } | Grant::Prefix { .. } | Grant::Server { .. } => granted == wanted,
    }
}
