//! What people granted in this session. A grant turns asking into allowing; it never overrules a denial, a firm rule or
//! the machine's administrator.

use super::{AllowedScope, GrantOverride, ProvisionalFinding};
use crate::directory;
use crate::policy_request::{PolicyDecision, PolicyRequest};
use crate::prefix_grant;
use pollux_session::{AskDetails, BuiltInTool, EntryAuthor, Grant, PlanAuthority, PlannedWord};
use std::path::Path;

/// Allow what `opinion` asks about if it was granted. `words` are those of the command in question, if it can run without a
/// shell, and `cd` is where the whole command goes first.
pub(crate) fn apply_grants(
    opinion: &mut ProvisionalFinding,
    request: &PolicyRequest<'_>,
    words: Option<&[PlannedWord]>,
    cd: Option<&str>,
) {
    if opinion.finding.decision != PolicyDecision::Ask || opinion.grant_override == GrantOverride::No {
        return;
    }
    let words = words.filter(|_| opinion.grant_override == GrantOverride::Allowed);
    let mut covering =
        request.grants.iter().filter_map(|(grant, by)| Some((covers(grant, request, words, cd)?, grant, by)));
    if let Some((authority, grant, by)) = covering.next() {
        opinion.finding.decision = PolicyDecision::Allow;
        opinion.finding.why = format!("{by} allowed {grant} in this session");
        opinion.finding.rule = None;
        opinion.scope = authority;
    }
}

/// How much of the command `grant` speaks of, if it covers it.
fn covers(
    grant: &Grant,
    request: &PolicyRequest<'_>,
    words: Option<&[PlannedWord]>,
    cd: Option<&str>,
) -> Option<AllowedScope> {
    let is_here = |granted: &Option<String>, running: &str| {
        granted.as_deref() == Some(directory::in_workspace(request.workspace, running).as_str())
    };
    let covers_whole = match (grant, request.details) {
        // A name alone says nothing of what a server makes of it: old logs' grants of this kind ask again.
        (Grant::Tool { .. }, AskDetails::Mcp { .. }) => false,
        // Nor of which agents there will be.
        (Grant::Tool { tool }, _) => tool == request.tool && request.agent.is_none(),
        (Grant::FileChanges, AskDetails::Edit(_) | AskDetails::Patch { .. }) => {
            request.agent.is_none() && BuiltInTool::from_name(request.tool).is_some_and(BuiltInTool::changes_file)
        }
        (Grant::Agent { agent, digest }, _) => {
            request.agent.is_some_and(|invoked| (&invoked.name, &invoked.digest) == (agent, digest))
        }
        (Grant::Command { command: granted, directory }, AskDetails::Execute { command, directory: running }) => {
            granted == command && is_here(directory, running)
        }
        (Grant::Prefix { words: prefix, options, directory }, AskDetails::Execute { directory: running, .. }) => {
            let covers = words.is_some_and(|words| prefix_grant::covers(prefix, options, words, request.workspace))
                && is_here(directory, &directory::after_cd(running, cd));
            return covers.then_some(AllowedScope::Part(PlanAuthority::Person));
        }
        (Grant::McpTool { tool, digest }, AskDetails::Mcp { version, .. }) => {
            tool == request.tool && !digest.is_empty() && *digest == version.tool_digest
        }
        (Grant::McpServer { server: granted, digest }, AskDetails::Mcp { server, version, .. }) => {
            granted == server && !digest.is_empty() && *digest == version.server_digest
        }
        (
            Grant::FileChanges
            | Grant::Command { .. }
            | Grant::Prefix { .. }
            | Grant::Server { .. }
            | Grant::McpTool { .. }
            | Grant::McpServer { .. }
            // What it covers asks for another reason than a rule: see `find_directory_grant`.
            | Grant::ReadDirectory { .. },
            _,
        ) => false,
    };
    covers_whole.then_some(AllowedScope::Whole)
}

/// The grant for reading in `directory`, which is outside the workspace, and who gave it. A sub-agent has none: whoever allowed
/// the model to look there did not see what the sub-agent is told to do.
pub(crate) fn find_directory_grant<'a>(
    request: &PolicyRequest<'a>,
    directory: &Path,
) -> Option<&'a (Grant, EntryAuthor)> {
    let covers = |grant: &Grant| match grant {
        Grant::ReadDirectory { directory: granted } => directory.starts_with(granted),
        _ => false,
    };
    request.grants.iter().find(|(grant, _)| request.subagent.is_none() && covers(grant))
}

/// The grant for the MCP tool of `request`, or for its whole server, as it was before the server changed it.
pub(crate) fn find_outdated<'a>(request: &PolicyRequest<'a>) -> Option<&'a (Grant, EntryAuthor)> {
    let AskDetails::Mcp { server, version, .. } = request.details else { return None };
    let is_outdated = |grant: &Grant| match grant {
        Grant::McpTool { tool, digest } => tool == request.tool && *digest != version.tool_digest,
        Grant::McpServer { server: granted, digest } => granted == server && *digest != version.server_digest,
        Grant::Tool { .. }
        | Grant::FileChanges
        | Grant::Command { .. }
        | Grant::Prefix { .. }
        | Grant::Server { .. }
        | Grant::Agent { .. }
        | Grant::ReadDirectory { .. } => false,
    };
    request.grants.iter().find(|(grant, _)| is_outdated(grant))
}
