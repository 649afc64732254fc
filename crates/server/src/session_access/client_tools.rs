//! Credentials that a client lends a session, and the tools it narrows one to.

use crate::errors::RequestError;
use pollux_session::{
    ClientCredentials, ClientMcpServer, Grant, Refusal, Right, Roster, Seat, SecretText, SessionOpened, ToolEntry,
    WORKSPACE_DIRECTORY, Who,
};
use pollux_wire::devtool::{self, AgentSettings, Hidden};
use std::collections::BTreeMap;

/// The most tools that a session can be narrowed to.
const MAX_TOOLS: usize = 256;
/// The longest entry that names one, in characters.
const MAX_ENTRY_CHARS: usize = 512;

/// Lend a session what a message brings, before anything that the message says is done.
pub(super) async fn apply_credentials(
    roster: &dyn Roster,
    who: &Who,
    seat: &dyn Seat,
    settings: &AgentSettings,
) -> Result<(), RequestError> {
    let lent = client_credentials(settings);
    if lent.is_empty() {
        return Ok(());
    }
    roster.entrust(who, seat.session(), lent).await.map_err(RequestError::invalid_params)
}

/// Check that a session that is opened for a message could be lent what the message brings. It is asked before there is
/// one.
pub(super) fn check_credentials(roster: &dyn Roster, who: &Who, settings: &AgentSettings) -> Result<(), RequestError> {
    let lent = client_credentials(settings);
    if lent.is_empty() { Ok(()) } else { roster.check_lent(who, lent).map_err(RequestError::invalid_params) }
}

/// True if a message lends anything.
pub(super) fn has_credentials(settings: &AgentSettings) -> bool {
    !client_credentials(settings).is_empty()
}

/// Check that `who` may lend what a message brings to a session that others may use already: it takes the right to
/// approve.
pub(super) fn check_credential_right(who: &Who, settings: &AgentSettings) -> Result<(), Refusal> {
    let right = Right::Approve;
    if has_credentials(settings) && !who.rights.allow(right) {
        return Err(Refusal::NotAllowed { right });
    }
    Ok(())
}

/// The tools that a session is narrowed to, and what of them runs there without asking.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ToolRestriction {
    /// The only tools; `None` for all there are.
    pub(super) only: Option<Vec<String>>,
    /// Calls that run without asking.
    pub(super) grants: Vec<Grant>,
}

/// The tools that `who` may narrow a new session to. A name with words lets such calls run without asking, which is a
/// standing approval.
pub(super) fn tool_restriction(who: &Who, settings: &AgentSettings) -> Result<ToolRestriction, RequestError> {
    let wanted = read_allowed_tools(settings)?;
    let right = Right::Approve;
    if !wanted.grants.is_empty() && !who.rights.allow(right) {
        let refusal = RequestError::from(Refusal::NotAllowed { right });
        let message = format!(
            "`allowed_tools` names shell commands that would run without asking: {}; name run_shell_command alone, and \
             each will ask",
            refusal.message
        );
        return Err(RequestError { message, ..refusal });
    }
    Ok(wanted)
}

/// Check that a session has just the tools that `settings` want: once it is open it can be narrowed no more.
pub(super) fn check_same_tools(opened: &SessionOpened, settings: &AgentSettings) -> Result<(), RequestError> {
    let ToolRestriction { only, grants } = read_allowed_tools(settings)?;
    if only.is_none() || (only == opened.overrides.only_tools && grants == opened.overrides.grants) {
        return Ok(());
    }
    Err(RequestError::invalid_params(
        "`allowed_tools` cannot change in a session that exists; leave it out, or begin a new session",
    ))
}

/// The tools in `allowed_tools`, in the words of the setting `tools.allowed`. There a name alone lets every call of a
/// tool run without asking; here it only offers the tool.
fn read_allowed_tools(settings: &AgentSettings) -> Result<ToolRestriction, RequestError> {
    let Some(entries) = &settings.allowed_tools else { return Ok(ToolRestriction::default()) };
    if entries.len() > MAX_TOOLS {
        return Err(RequestError::invalid_params(format!("`allowed_tools` must name {MAX_TOOLS} tools at the most")));
    }
    let (mut only, mut grants) = (Vec::new(), Vec::new());
    for text in entries {
        let ToolEntry { tool, words } = parse_tool_entry(text)?;
        if !only.iter().any(|known| known == tool) {
            only.push(tool.to_owned());
        }
        grants.extend(words.map(|words| Grant::Prefix {
            words,
            options: Vec::new(),
            directory: Some(WORKSPACE_DIRECTORY.into()),
        }));
    }
    Ok(ToolRestriction { only: Some(only), grants })
}

/// An entry of `allowed_tools`, or what is wrong with it.
fn parse_tool_entry(text: &str) -> Result<ToolEntry<'_>, RequestError> {
    let entry = ToolEntry::read(text);
    let why = match &entry.words {
        _ if text.chars().count() > MAX_ENTRY_CHARS => format!("it has more than {MAX_ENTRY_CHARS} characters"),
        _ if entry.tool.is_empty() || entry.tool.contains([')', '*']) || entry.tool.contains(char::is_whitespace) => {
            "that is no tool's name; give each tool by its own".to_owned()
        }
        Some(_) if !text.ends_with(')') => "its bracket is not closed".to_owned(),
        Some(_) if !entry.is_shell() => {
            "only run_shell_command takes words in brackets; give the tool by its name alone".to_owned()
        }
        Some(words) if words.is_empty() => {
            "the words that a command begins with are missing; write run_shell_command(git status), or the name alone"
                .to_owned()
        }
        Some(_) | None => return Ok(entry),
    };
    let shown: String = text.chars().take(MAX_ENTRY_CHARS).collect();
    Err(RequestError::invalid_params(format!("`allowed_tools` holds {shown:?}: {why}")))
}

/// The credentials that a message lends.
pub(super) fn client_credentials(settings: &AgentSettings) -> ClientCredentials {
    let secrets = |words: &BTreeMap<String, Hidden>| {
        words.iter().map(|(name, word)| (name.clone(), SecretText::new(word.reveal()))).collect()
    };
    let server = |server: &devtool::LentServer| match server {
        devtool::LentServer::Http { url, headers } => {
            ClientMcpServer::Http { url: url.clone(), headers: secrets(headers) }
        }
        devtool::LentServer::Program { command, args, env } => {
            ClientMcpServer::Program { command: command.clone(), args: args.clone(), env: secrets(env) }
        }
    };
    ClientCredentials {
        api_key: settings.api_key.as_ref().map(|key| SecretText::new(key.reveal())),
        servers: settings.mcp_servers.iter().map(|(name, lent)| (name.clone(), server(lent))).collect(),
    }
}
