//! What people granted in this session. A grant turns asking into allowing; it never overrules a denial, a firm rule or
//! the machine's administrator.

use super::{Opinion, Yields};
use crate::request::{Decision, Request};
use crate::rule::{Match, Simple};
use pollux_session::{By, Details, Grant};

/// Allow what `opinion` asks about if it was granted. `part` is the command in question, `None` for a call that is no
/// shell command or for the doubts about one.
pub(crate) fn lift(opinion: &mut Opinion, request: &Request<'_>, part: Option<&Simple>) {
    if opinion.finding.decision != Decision::Ask || opinion.yields == Yields::No {
        return;
    }
    let prefix_counts = opinion.yields == Yields::ToPrefix;
    let covering = request.grants.iter().find(|(grant, _)| covers(grant, request, part.filter(|_| prefix_counts)));
    if let Some((grant, by)) = covering {
        opinion.finding.decision = Decision::Allow;
        opinion.finding.why = format!("{by} allowed {grant} in this session");
        opinion.finding.rule = None;
    }
}

fn covers(grant: &Grant, request: &Request<'_>, part: Option<&Simple>) -> bool {
    match (grant, request.details) {
        // A name alone says nothing of what a server makes of it: old logs' grants of this kind ask again.
        (Grant::Tool { .. }, Details::Mcp { .. }) => false,
        (Grant::Tool { tool }, _) => tool == request.tool,
        (Grant::Command { command: granted }, Details::Execute { command, .. }) => granted == command,
        (Grant::Prefix { words }, Details::Execute { .. }) => {
            part.is_some_and(|part| crate::rule::begins_with(&part.words, words, Decision::Allow) == Match::Yes)
        }
        (Grant::McpTool { tool, digest }, Details::Mcp { version, .. }) => {
            tool == request.tool && !digest.is_empty() && *digest == version.tool_digest
        }
        (Grant::McpServer { server: granted, digest }, Details::Mcp { server, version, .. }) => {
            granted == server && !digest.is_empty() && *digest == version.server_digest
        }
        (
            Grant::Command { .. }
            | Grant::Prefix { .. }
            | Grant::Server { .. }
            | Grant::McpTool { .. }
            | Grant::McpServer { .. },
            _,
        ) => false,
    }
}

/// The grant for the MCP tool of `request`, or for its whole server, as it was before the server changed it.
pub(crate) fn outdated<'a>(request: &Request<'a>) -> Option<&'a (Grant, By)> {
    let Details::Mcp { server, version, .. } = request.details else { return None };
    let is_outdated = |grant: &Grant| match grant {
        Grant::McpTool { tool, digest } => tool == request.tool && *digest != version.tool_digest,
        Grant::McpServer { server: granted, digest } => granted == server && *digest != version.server_digest,
        Grant::Tool { .. } | Grant::Command { .. } | Grant::Prefix { .. } | Grant::Server { .. } => false,
    };
    request.grants.iter().find(|(grant, _)| is_outdated(grant))
}
