//! A sentence on an option of an ask: the extension's `ConfirmationOption.description`.

use pollux_session::{AskOption, GrantScope, once_choice};

/// The consequences, now and later, of choosing `choice`; `None` where only the remote agent that offers it knows.
pub(super) fn describe_choice(choice: &AskOption) -> Option<String> {
    Some(match (choice.allows, &choice.grant) {
        (false, _) => "This call does not run.".into(),
        (true, None) if choice.id == once_choice().id => "This call runs. The next one like it asks again.".into(),
        (true, None) => return None,
        (true, Some(grant)) => {
            let how_long = match choice.reach {
                GrantScope::Session => "until this session ends",
                GrantScope::Workspace => "in every session of this workspace from now on",
                GrantScope::Always => "in every workspace from now on",
            };
            format!("This call runs, and {grant} runs without asking {how_long}.")
        }
    })
}

#[cfg(test)]
mod tests;
