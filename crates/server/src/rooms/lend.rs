//! What a client lends a session, and the tools it narrows one to.

use crate::errors::Fault;
use pollux_session::{Entrusted, LentServer, Opened, Refusal, Right, Roster, Seat, Secret, Who};
use pollux_wire::devtool::{self, AgentSettings, Hidden};
use std::collections::BTreeMap;

/// How many tools a session can be narrowed to.
const MOST_TOOLS: usize = 256;

/// Lend a session what a message brings, before anything that the message says is done.
pub(super) async fn lend(
    roster: &dyn Roster,
    who: &Who,
    seat: &dyn Seat,
    settings: &AgentSettings,
) -> Result<(), Fault> {
    let lent = lent(settings);
    if lent.is_empty() {
        return Ok(());
    }
    roster.entrust(who, seat.session(), lent).await.map_err(Fault::params)
}

/// Whether a message lends anything.
pub(super) fn lends(settings: &AgentSettings) -> bool {
    !lent(settings).is_empty()
}

/// Whether `who` may lend what a message brings to a session that others may use already: it takes the right to approve.
pub(super) fn may_lend_to_others(who: &Who, settings: &AgentSettings) -> Result<(), Refusal> {
    let right = Right::Approve;
    if lends(settings) && !who.rights.allow(right) {
        return Err(Refusal::NotAllowed { right });
    }
    Ok(())
}

/// The only tools that a new session is to have.
pub(super) fn only_tools(settings: &AgentSettings) -> Result<Option<Vec<String>>, Fault> {
    let Some(tools) = &settings.allowed_tools else { return Ok(None) };
    if tools.len() > MOST_TOOLS {
        return Err(Fault::params(format!("`allowed_tools` must name {MOST_TOOLS} tools at the most")));
    }
    // In the settings of Gemini CLI a name with a pattern lets those calls run without asking.
    if let Some(pattern) = tools.iter().find(|tool| tool.contains(['(', ')', '*']) || tool.trim().is_empty()) {
        return Err(Fault::params(format!(
            "`allowed_tools` holds {pattern:?}: it narrows a session to tools by their names; what runs without asking is \
             for the operator to say, with --allowed-tools"
        )));
    }
    Ok(Some(tools.clone()))
}

/// Whether a session has just the tools that `settings` want: once it is open it can be narrowed no more.
pub(super) fn same_tools(opened: &Opened, settings: &AgentSettings) -> Result<(), Fault> {
    let wanted = only_tools(settings)?;
    if wanted.is_none() || wanted == opened.overrides.only_tools {
        return Ok(());
    }
    Err(Fault::params("`allowed_tools` cannot change in a session that exists; leave it out, or begin a new session"))
}

fn lent(settings: &AgentSettings) -> Entrusted {
    let secrets = |words: &BTreeMap<String, Hidden>| {
        words.iter().map(|(name, word)| (name.clone(), Secret::new(word.reveal()))).collect()
    };
    let server = |server: &devtool::LentServer| match server {
        devtool::LentServer::Http { url, headers } => LentServer::Http { url: url.clone(), headers: secrets(headers) },
        devtool::LentServer::Program { command, args, env } => {
            LentServer::Program { command: command.clone(), args: args.clone(), env: secrets(env) }
        }
    };
    Entrusted {
        api_key: settings.api_key.as_ref().map(|key| Secret::new(key.reveal())),
        servers: settings.mcp_servers.iter().map(|(name, lent)| (name.clone(), server(lent))).collect(),
    }
}
