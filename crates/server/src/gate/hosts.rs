//! The `Host` allow-list. This is what stops DNS rebinding: a rebound page's GET carries no `Origin`, and only its
//! `Host` tells it from the real thing.

use super::denial::GateDenial;
use std::net::SocketAddr;

/// The `Host` values a listener answers to.
pub(super) struct AllowedHosts {
    own: Vec<String>,
    configured: Vec<String>,
}

impl AllowedHosts {
    pub(super) fn new(bound: SocketAddr, configured: Vec<String>) -> AllowedHosts {
        let port = bound.port();
        let mut names = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
        // An address cannot be rebound, so the one we are bound to is as safe as the loopback ones.
        if !bound.ip().is_unspecified() {
            names.push(match bound {
                SocketAddr::V4(v4) => v4.ip().to_string(),
                SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
            });
        }
        let mut own: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        // Clients leave out the port of the scheme.
        if port == 80 {
            own.extend(names);
        }
        AllowedHosts { own, configured }
    }

    /// Whole values, port included, in any case. A trailing dot makes another value, and so another host.
    pub(super) fn check(&self, host: &str) -> Result<(), GateDenial> {
        let known = self.own.iter().chain(&self.configured).any(|listed| listed.eq_ignore_ascii_case(host));
        if known { Ok(()) } else { Err(GateDenial::Host) }
    }

    /// The values that are the server's own, without the configured ones.
    pub(super) fn own(&self) -> &[String] {
        &self.own
    }
}
