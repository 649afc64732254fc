//! Where servers may be that a client names. The person's own settings may name any address; a client may not send us to
//! this machine or its neighbours. A name is resolved by us, and what was vetted is what is connected to.

use crate::built_in::web_fetch::is_allowed;
use crate::toolbox_settings::FetchReach;
use pollux_session::BoxFuture;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The longest address that is taken.
const MAX_URL: usize = 2048;
/// Names that mean this machine or this network.
const LOCAL_ENDINGS: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];
const NOT_PUBLIC: &str = "leads to an address that is not on the public internet";

/// Which addresses MCP servers may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum McpReach {
    /// Any: the person named them in their own settings.
    #[default]
    Anywhere,
    /// Those on the public internet, over https, and the hosts that the operator allows: `host` or `host:port`, each as
    /// it is written in an address.
    Public {
        /// In lower case.
        allowed_hosts: Arc<[String]>,
    },
}

/// The trust in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressTrust {
    /// The person or the operator has named it.
    Named,
    /// Every address of its host must be on the public internet.
    Nobody,
}

impl McpReach {
    /// Check that a server may be at this address, as far as that can be told without asking for its host.
    pub fn check(&self, address: &str) -> Result<(), String> {
        self.vet(address).map(drop)
    }

    /// The address, and how far it is trusted; an error says what is wrong with it.
    pub(super) fn vet(&self, address: &str) -> Result<(Url, AddressTrust), String> {
        let url = Url::parse(address).map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("its scheme is another one".into());
        }
        let McpReach::Public { allowed_hosts } = self else { return Ok((url, AddressTrust::Named)) };
        if address.len() > MAX_URL {
            return Err(format!("it is longer than {MAX_URL} bytes"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a name or a password; use `headers`".into());
        }
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let literal = bare.parse::<IpAddr>().ok();
        // `https://2130706433/` is 127.0.0.1 in disguise. Nobody writes an address like that, whoever has allowed it.
        if matches!(literal, Some(IpAddr::V4(_))) && !written_host(address).eq_ignore_ascii_case(bare) {
            return Err(format!("it writes its host in an unusual way; write {bare}"));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let with_port = format!("{host}:{port}");
        if allowed_hosts.iter().any(|allowed| allowed == bare || *allowed == with_port) {
            return Ok((url, AddressTrust::Named));
        }
        let private = match literal {
            Some(address) => !is_allowed(address, FetchReach::Public),
            None => is_local(bare),
        };
        if private {
            return Err(format!("it {NOT_PUBLIC}"));
        }
        if url.scheme() != "https" {
            return Err("it must begin with https://".into());
        }
        // Ports below 1024 belong to programs that do not speak HTTP, and must not be made to hear it.
        if port < 1024 && port != 443 {
            return Err(format!("it has port {port}, which is not one for web servers"));
        }
        Ok((url, AddressTrust::Nobody))
    }
}

/// The host of an address that can be parsed, as it is written there.
fn written_host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    !host.contains('.') || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending))
}

/// Finds the addresses of hosts.
pub(super) trait HostLookup: Send + Sync {
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// Asks the operating system.
pub(super) struct SystemLookup;

impl HostLookup for SystemLookup {
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) })
    }
}

/// Resolves names and refuses those of which any address is not public: what it returns is what is connected to.
pub(super) struct PublicResolver(pub(super) Arc<dyn HostLookup>);

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = Arc::clone(&self.0);
        Box::pin(async move {
            let found = lookup.look_up(name.as_str()).await?;
            if found.is_empty() || found.iter().any(|address| !is_allowed(*address, FetchReach::Public)) {
                return Err(io::Error::other(format!("the host {NOT_PUBLIC}")).into());
            }
            // The port is that of the address that is asked for.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
