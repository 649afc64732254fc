//! What an ask offers. A choice that would not keep the same call from asking again is a lie, so each one is tried out
//! first.

use crate::built_in;
use crate::directory;
use crate::policy::Policy;
use crate::policy_request::{PolicyDecision, PolicyRequest};
use crate::prefix_grant;
use crate::saved_grants;
use crate::silent;
use pollux_session::{
    AskDetails, AskOption, BuiltInTool, EntryAuthor, Grant, GrantScope, ToolKind, cancel_choice, lasting_choice,
    once_choice, session_choice,
};

#[cfg(test)]
mod tests;

pub(crate) fn ask_options(policy: &Policy, request: &PolicyRequest<'_>) -> Vec<AskOption> {
    let mut choices = vec![once_choice()];
    if request.protected.is_none() && request.secret.is_none() && request.kind != ToolKind::Converse {
        choices.extend(lasting_options(policy, request));
    }
    choices.push(cancel_choice());
    choices
}

/// The choices that reach beyond this call.
fn lasting_options(policy: &Policy, request: &PolicyRequest<'_>) -> Vec<AskOption> {
    let mut choices = Vec::new();
    let Some(grant) = narrowest_grant(policy, request) else { return choices };
    choices.push(match request.details {
        AskDetails::Mcp { .. } => AskOption { id: "proceed_always_tool".into(), ..session_choice(grant.clone()) },
        AskDetails::Execute { .. } | AskDetails::Edit(_) | AskDetails::Patch { .. } | AskDetails::Generic { .. } => {
            session_choice(grant.clone())
        }
    });
    if let AskDetails::Mcp { server, version, .. } = request.details {
        let grant = Grant::McpServer { server: server.clone(), digest: version.server_digest.clone() };
        choices.push(AskOption { id: "proceed_always_server".into(), ..session_choice(grant) });
    }
    let may_last =
        request.workspace_trusted && grant.can_last() && request.agent.is_none_or(|agent| !agent.is_workspaces);
    if may_last && would_last(policy, request, &grant) {
        choices.push(lasting_choice(grant.clone(), GrantScope::Workspace));
        choices.push(lasting_choice(grant, GrantScope::Always));
    }
    choices
}

/// The narrowest grant with a plain label under which this call would not ask.
fn narrowest_grant(policy: &Policy, request: &PolicyRequest<'_>) -> Option<Grant> {
    let candidates = match request.details {
        AskDetails::Execute { command, directory } => {
            let exact = Grant::Command {
                command: command.clone(),
                directory: Some(directory::in_workspace(request.workspace, directory)),
            };
            prefix_grant_for(policy, request, command, directory).into_iter().chain([exact]).collect()
        }
        // Who lets all writes through means edits, too: a model takes whichever tool it likes.
        AskDetails::Edit(_) | AskDetails::Patch { .. } if changes_file(request) => vec![Grant::FileChanges],
        AskDetails::Edit(_) | AskDetails::Patch { .. } | AskDetails::Generic { .. } => {
            vec![match (request.agent, request.outside) {
                (_, Some(directory)) => Grant::ReadDirectory { directory: directory.to_string_lossy().into_owned() },
                (Some(agent), None) => Grant::Agent { agent: agent.name.clone(), digest: agent.digest.clone() },
                (None, None) => Grant::Tool { tool: request.tool.to_owned() },
            }]
        }
        AskDetails::Mcp { version, .. } => {
            vec![Grant::McpTool { tool: request.tool.to_owned(), digest: version.tool_digest.clone() }]
        }
    };
    candidates.into_iter().find(|grant| {
        let mut grants = request.grants.to_vec();
        grants.push((grant.clone(), EntryAuthor::Agent));
        policy.judge(&PolicyRequest { grants: &grants, ..*request }).verdict == PolicyDecision::Allow
    })
}

fn changes_file(request: &PolicyRequest<'_>) -> bool {
    request.agent.is_none() && BuiltInTool::from_name(request.tool).is_some_and(BuiltInTool::changes_file)
}

/// A grant of commands like this one, if it can run without a shell and all that asks in it begins alike.
fn prefix_grant_for(policy: &Policy, request: &PolicyRequest<'_>, command: &str, directory: &str) -> Option<Grant> {
    let script = silent::read(command).ok()?;
    let judged = policy.judge(request);
    let asking = script.commands().zip(&judged.findings).filter(|(_, finding)| finding.decision == PolicyDecision::Ask);
    let mut granted: Option<(Vec<String>, Vec<String>)> = None;
    for (part, _) in asking {
        let prefix = built_in::facts().prefix_of(&part.words)?;
        let shown = prefix_grant::unlisted_words(&prefix, &part.words[prefix.len()..], request.workspace)?;
        match &mut granted {
            None => granted = Some((prefix, shown)),
            Some((words, options)) if *words == prefix => options.extend(shown),
            Some(_) => return None,
        }
    }
    let (words, mut options) = granted?;
    options.sort();
    options.dedup();
    let directory = directory::after_cd(directory, script.directory.as_deref());
    Some(Grant::Prefix { words, options, directory: Some(directory::in_workspace(request.workspace, &directory)) })
}

/// Whether the call would run without asking once `grant` stands in the person's own file.
fn would_last(policy: &Policy, request: &PolicyRequest<'_>, grant: &Grant) -> bool {
    let rule = saved_grants::rule_of_grant(grant);
    policy.judge_with(&PolicyRequest { grants: &[], ..*request }, Some(&rule)).verdict == PolicyDecision::Allow
}
