//! Could the configured MCP servers be started or reached? None is started.

use super::model::{CONNECT_TIMEOUT, on_this_machine};
use super::{DoctorCheck, machine};
use crate::config::{Config, ConfiguredServer, ConfiguredTransport};
use std::net::TcpStream;
use std::path::Path;

#[cfg(test)]
mod tests;

const NAME: &str = "mcp";

/// A check for each configured server, or one that says that there is none.
pub(super) fn checks(config: &Config, env: &dyn Fn(&str) -> Option<String>) -> Vec<DoctorCheck> {
    if config.servers.is_empty() {
        return vec![DoctorCheck::neutral(NAME, "no MCP servers are configured")];
    }
    config.servers.iter().map(|server| check(config, server, env)).collect()
}

fn check(config: &Config, server: &ConfiguredServer, env: &dyn Fn(&str) -> Option<String>) -> DoctorCheck {
    let name = server.name.escape_debug();
    let preferences = &config.preferences;
    let allowed = preferences.allowed_servers.as_ref().is_none_or(|allowed| allowed.contains(&server.name));
    if !allowed || preferences.excluded_servers.contains(&server.name) {
        return DoctorCheck::neutral(NAME, format!("{name} is ruled out by mcp.allowed or mcp.excluded"));
    }
    let origin = &server.origin;
    match &server.server.transport {
        ConfiguredTransport::Stdio { command, cwd, .. } => match program(command, cwd.as_deref(), env) {
            Some(path) => DoctorCheck::good(NAME, format!("{name} runs {path}")),
            None => DoctorCheck::broken(
                NAME,
                format!("{name} runs {command:?}, and there is no such program"),
                format!("install it, or correct the command in {origin}"),
            ),
        },
        ConfiguredTransport::Http { url, .. } | ConfiguredTransport::HttpOrSse { url, .. } => {
            let Some(addresses) = on_this_machine(url) else {
                return DoctorCheck::good(NAME, format!("{name} is on another machine and was not tried"));
            };
            match addresses.iter().find(|address| TcpStream::connect_timeout(address, CONNECT_TIMEOUT).is_ok()) {
                Some(address) => DoctorCheck::good(NAME, format!("{name} answers on port {}", address.port())),
                None => DoctorCheck::broken(
                    NAME,
                    format!("{name} is on this machine and nothing listens there"),
                    format!("start it, or correct the address in {origin}"),
                ),
            }
        }
    }
}

/// Where the program `command` is: a path, or a name that is on PATH.
fn program(command: &str, cwd: Option<&Path>, env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let path = Path::new(command);
    if path.is_absolute() {
        return machine::is_executable(path).then(|| command.to_owned());
    }
    if command.contains('/') {
        let path = cwd.map_or_else(|| path.to_owned(), |cwd| cwd.join(path));
        return machine::is_executable(&path).then(|| path.display().to_string());
    }
    machine::on_path(command, &env("PATH").unwrap_or_default()).map(|path| path.display().to_string())
}
