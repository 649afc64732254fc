//! Where news may be pushed to. What a client names is vetted when it is set and again at every delivery: the address
//! that was vetted is the one that is connected to, so a name that changes its mind leads nowhere.

use super::public_address::is_public;
use super::settings::Resolver;
use crate::errors::RequestError;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The longest address that is taken.
const MAX_URL: usize = 2048;
/// The time limit of looking up a name.
const LOOK_UP: Duration = Duration::from_secs(5);
/// Names that mean this machine or this network.
const LOCAL_ENDINGS: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

/// Decides where news may be pushed to.
#[derive(Clone)]
pub(super) struct DestinationPolicy {
    allowed: Arc<[String]>,
    resolver: Arc<dyn Resolver>,
}

/// The trust in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostTrust {
    /// The operator has named it.
    Operator,
    /// It must be on the public internet.
    PublicOnly,
}

impl DestinationPolicy {
    pub(super) fn new(allowed: &[String], resolver: Arc<dyn Resolver>) -> DestinationPolicy {
        DestinationPolicy { allowed: allowed.iter().map(|host| host.to_ascii_lowercase()).collect(), resolver }
    }

    /// Check that a client may name this address. A host that is not found now may be there later, so only what is
    /// found can be held against it.
    pub(super) async fn admit(&self, text: &str) -> Result<(), RequestError> {
        let refused = |why: String| RequestError::invalid_params(format!("`url` {why}"));
        let (url, trust) = self.vet(text).map_err(refused)?;
        let host = bare_host(&url);
        if trust == HostTrust::Operator || host.parse::<IpAddr>().is_ok() {
            return Ok(());
        }
        match tokio::time::timeout(LOOK_UP, self.resolver.resolve(host)).await {
            Ok(Ok(found)) => all_public(&found).map_err(|why| refused(why.to_owned())),
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }

    /// The address, as far as it can be judged without asking for its host; an error says what is wrong with it.
    pub(super) fn vet(&self, text: &str) -> Result<(Url, HostTrust), String> {
        if text.len() > MAX_URL {
            return Err(format!("is longer than {MAX_URL} bytes"));
        }
        let url = Url::parse(text).map_err(|error| format!("is not an address: {error}"))?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err("must begin with https://".into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a name or a password; use `authentication`".into());
        }
        let host = bare_host(&url);
        // `https://2130706433/` is 127.0.0.1 in disguise. Nobody writes an address like that, whoever has allowed it.
        if matches!(host.parse(), Ok(IpAddr::V4(_))) && !written_host(text).eq_ignore_ascii_case(host) {
            return Err(format!("writes its host in an unusual way; write {host}"));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        let with_port = format!("{}:{port}", url.host_str().unwrap_or_default());
        if self.allowed.iter().any(|allowed| allowed == host || *allowed == with_port) {
            return Ok((url, HostTrust::Operator));
        }
        if url.scheme() != "https" {
            return Err("must begin with https://, unless the operator has allowed its host".into());
        }
        // Ports below 1024 belong to programs that do not speak HTTP, and must not be made to hear it.
        if port < 1024 && port != 443 {
            return Err(format!("has port {port}, which is not one for web servers"));
        }
        match host.parse::<IpAddr>() {
            Ok(address) if !is_public(address) => Err(NOT_PUBLIC.into()),
            Err(_) if is_local(host) => Err(NOT_PUBLIC.into()),
            Ok(_) | Err(_) => Ok((url, HostTrust::PublicOnly)),
        }
    }

    /// The resolver of connections to hosts that are trusted so far.
    pub(super) fn resolver(&self, trust: HostTrust) -> Arc<impl Resolve + use<>> {
        Arc::new(VettingResolver { resolver: Arc::clone(&self.resolver), trust })
    }
}

const NOT_PUBLIC: &str = "leads to an address that is not on the public internet";

/// The host of an address that can be parsed, as it is written there.
fn written_host(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

/// The host without the brackets of IPv6.
fn bare_host(url: &Url) -> &str {
    url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    !host.contains('.') || LOCAL_ENDINGS.iter().any(|ending| host.ends_with(ending))
}

fn all_public(found: &[IpAddr]) -> Result<(), &'static str> {
    if found.iter().all(|address| is_public(*address)) { Ok(()) } else { Err(NOT_PUBLIC) }
}

/// Resolves names and refuses those of which any address is not allowed: what is returned is what is connected to.
struct VettingResolver {
    resolver: Arc<dyn Resolver>,
    trust: HostTrust,
}

impl Resolve for VettingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, trust) = (Arc::clone(&self.resolver), self.trust);
        Box::pin(async move {
            let found = resolver.resolve(name.as_str()).await?;
            if found.is_empty() {
                return Err(io::Error::other("the host has no address").into());
            }
            if trust == HostTrust::PublicOnly {
                all_public(&found).map_err(|why| io::Error::other(format!("the host {why}")))?;
            }
            // The port is that of the address that is asked for.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
