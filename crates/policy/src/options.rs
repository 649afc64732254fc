//! What an ask offers. A choice that would not keep the same call from asking again is a lie, so each one is tried out
//! first.

use crate::built_in;
use crate::keep;
use crate::policy::Policy;
use crate::request::{Decision, Request};
use crate::shell::{self, Simple};
use pollux_session::{
    By, Choice, Details, Grant, Reach, ToolKind, cancel_choice, lasting_choice, once_choice, session_choice,
};

#[cfg(test)]
mod tests;

pub(crate) fn options(policy: &Policy, request: &Request<'_>) -> Vec<Choice> {
    let mut choices = vec![once_choice()];
    if request.protected.is_none() && request.secret.is_none() && request.kind != ToolKind::Converse {
        choices.extend(standing(policy, request));
    }
    choices.push(cancel_choice());
    choices
}

/// The choices that reach beyond this call.
fn standing(policy: &Policy, request: &Request<'_>) -> Vec<Choice> {
    let mut choices = Vec::new();
    let Some(grant) = wanted(policy, request) else { return choices };
    choices.push(match request.details {
        Details::Mcp { .. } => Choice { id: "proceed_always_tool".into(), ..session_choice(grant.clone()) },
        Details::Execute { .. } | Details::Edit(_) | Details::Generic { .. } => session_choice(grant.clone()),
    });
    if let Details::Mcp { server, .. } = request.details {
        let grant = Grant::Server { server: server.clone() };
        choices.push(Choice { id: "proceed_always_server".into(), ..session_choice(grant) });
    }
    if request.workspace_trusted && would_last(policy, request, &grant) {
        choices.push(lasting_choice(grant.clone(), Reach::Workspace));
        choices.push(lasting_choice(grant, Reach::Always));
    }
    choices
}

/// The narrowest grant with a plain label under which this call would not ask.
fn wanted(policy: &Policy, request: &Request<'_>) -> Option<Grant> {
    let candidates = match request.details {
        Details::Execute { command, .. } => {
            let prefix = prefix(policy, request, command).map(|words| Grant::Prefix { words });
            prefix.into_iter().chain([Grant::Command { command: command.clone() }]).collect()
        }
        Details::Edit(_) | Details::Generic { .. } | Details::Mcp { .. } => {
            vec![Grant::Tool { tool: request.tool.to_owned() }]
        }
    };
    candidates.into_iter().find(|grant| {
        let mut grants = request.grants.to_vec();
        grants.push((grant.clone(), By::Agent));
        policy.judge(&Request { grants: &grants, ..*request }).verdict == Decision::Allow
    })
}

/// The words a standing permission may cover, if the command is plain and all that asks in it begins with them.
fn prefix(policy: &Policy, request: &Request<'_>, command: &str) -> Option<Vec<String>> {
    let script = shell::read(command);
    if !script.doubts.is_empty() {
        return None;
    }
    let judged = policy.judge(request);
    let asking = script.commands.iter().zip(&judged.findings).filter(|(_, finding)| finding.decision == Decision::Ask);
    let mut prefixes: Vec<Vec<String>> =
        asking.map(|(part, _): (&Simple, _)| built_in::facts().prefix_of(&part.words)).collect::<Option<_>>()?;
    prefixes.dedup();
    if prefixes.len() == 1 { prefixes.pop() } else { None }
}

/// Whether the call would run without asking once `grant` stands in the person's own file.
fn would_last(policy: &Policy, request: &Request<'_>, grant: &Grant) -> bool {
    let rule = keep::rule_for(grant);
    policy.judge_with(&Request { grants: &[], ..*request }, Some(&rule)).verdict == Decision::Allow
}
