//! What people granted in this session. A grant turns asking into allowing; it never overrules a denial, a firm rule or
//! the machine's administrator.

use super::{Authority, Opinion, Yields};
use crate::directory;
use crate::prefix_grant;
use crate::request::{Decision, Request};
use pollux_session::{Details, Grant, PlanAuthority, PlannedWord};

/// Allow what `opinion` asks about if it was granted. `words` are those of the command in question, if it can run without a
/// shell, and `cd` is where the whole command goes first.
pub(crate) fn lift(opinion: &mut Opinion, request: &Request<'_>, words: Option<&[PlannedWord]>, cd: Option<&str>) {
    if opinion.finding.decision != Decision::Ask || opinion.yields == Yields::No {
        return;
    }
    let words = words.filter(|_| opinion.yields == Yields::ToPrefix);
    let mut covering =
        request.grants.iter().filter_map(|(grant, by)| Some((covers(grant, request, words, cd)?, grant, by)));
    if let Some((authority, grant, by)) = covering.next() {
        opinion.finding.decision = Decision::Allow;
        opinion.finding.why = format!("{by} allowed {grant} in this session");
        opinion.finding.rule = None;
        opinion.authority = authority;
    }
}

/// How much of the command `grant` speaks of, if it covers it.
fn covers(grant: &Grant, request: &Request<'_>, words: Option<&[PlannedWord]>, cd: Option<&str>) -> Option<Authority> {
    let is_here = |granted: &Option<String>, running: &str| {
        granted.as_deref() == Some(directory::in_workspace(request.workspace, running).as_str())
    };
    let covers_whole = match (grant, request.details) {
        (Grant::Tool { tool }, _) => tool == request.tool,
        (Grant::Command { command: granted, directory }, Details::Execute { command, directory: running }) => {
            granted == command && is_here(directory, running)
        }
        (Grant::Prefix { words: prefix, options, directory }, Details::Execute { directory: running, .. }) => {
            let covers = words.is_some_and(|words| prefix_grant::covers(prefix, options, words))
                && is_here(directory, &directory::after_cd(running, cd));
            return covers.then_some(Authority::Part(PlanAuthority::Person));
        }
        (Grant::Server { server: granted }, Details::Mcp { server, .. }) => granted == server,
        (Grant::Command { .. } | Grant::Prefix { .. } | Grant::Server { .. }, _) => false,
    };
    covers_whole.then_some(Authority::Whole)
}
