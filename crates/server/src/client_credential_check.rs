//! The check of credentials that clients lend, before anything is opened.

use crate::errors::RequestError;
use crate::router::AppState;
use pollux_wire::devtool::{AgentSettings, LentServer};

/// The most tool servers that a session can be lent.
const MAX_SERVERS: usize = 16;
/// The longest name of one, in characters.
const MAX_NAME_CHARS: usize = 64;

impl AppState {
    /// Check that the credentials in `settings` may be lent. A program would run on this machine, so it takes the
    /// operator's word.
    pub(crate) fn check_client_credentials(&self, settings: &AgentSettings) -> Result<(), RequestError> {
        if settings.mcp_servers.len() > MAX_SERVERS {
            return Err(RequestError::invalid_params(format!(
                "`mcp_servers` must hold {MAX_SERVERS} servers at the most"
            )));
        }
        for (name, server) in &settings.mcp_servers {
            let fits = (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
            if !fits {
                return Err(RequestError::invalid_params(format!(
                    "`mcp_servers`: a server's name must have 1 to {MAX_NAME_CHARS} characters and no control characters"
                )));
            }
            match server {
                LentServer::Http { url, .. } if url.starts_with("https://") || url.starts_with("http://") => {}
                LentServer::Http { .. } => {
                    return Err(RequestError::invalid_params(format!(
                        "`mcp_servers`: the server {name:?} must have a `url` that begins with https:// or http://"
                    )));
                }
                LentServer::Program { .. } if self.clients_may_start_programs => {}
                LentServer::Program { .. } => {
                    return Err(RequestError::invalid_params(format!(
                        "`mcp_servers`: the server {name:?} is a program, and clients may not start programs here; give \
                         one with a `url`, or have the operator start the server with --clients-may-start-programs"
                    )));
                }
            }
        }
        Ok(())
    }
}
