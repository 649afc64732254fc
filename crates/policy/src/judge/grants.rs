//! What people granted in this session. A grant turns asking into allowing; it never overrules a denial, a firm rule or
//! the machine's administrator.

use super::{Opinion, Yields};
use crate::request::{Decision, Request};
use crate::rule::{Match, Simple};
use pollux_session::{Details, Grant};

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
        (Grant::Tool { tool }, _) => tool == request.tool,
        (Grant::Command { command: granted }, Details::Execute { command, .. }) => granted == command,
        (Grant::Prefix { words }, Details::Execute { .. }) => {
            part.is_some_and(|part| crate::rule::begins_with(&part.words, words, Decision::Allow) == Match::Yes)
        }
        (Grant::Server { server: granted }, Details::Mcp { server, .. }) => granted == server,
        (Grant::Command { .. } | Grant::Prefix { .. } | Grant::Server { .. }, _) => false,
    }
}
