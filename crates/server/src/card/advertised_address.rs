//! Where a card says that the agent is: at the name by which its reader came.

use super::config::{CardConfig, UrlScheme};
use axum::http::uri::{Authority, Uri};
use std::net::IpAddr;

/// The address of the server as one client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AdvertisedAddress {
    /// The root, with a slash at its end.
    pub(super) root: String,
    /// True if it is a name that only this machine's own programs can use.
    pub(super) is_loopback: bool,
}

impl AdvertisedAddress {
    /// The address for a client that came by `host`. The gate has let the name through, so it is one of ours; a browser's
    /// or proxy's spelling of it does not matter, hence lower case.
    pub(super) fn seen_by(card_config: &CardConfig, host: Option<&str>) -> AdvertisedAddress {
        let own: Uri = card_config.url.parse().unwrap_or_default();
        let asked = host.and_then(|host| host.to_ascii_lowercase().parse::<Authority>().ok());
        let Some(asked) = asked.filter(|asked| !asked.as_str().contains('@')) else {
            let is_loopback = own.host().is_none_or(is_loopback);
            return AdvertisedAddress { root: with_slash(&card_config.url), is_loopback };
        };
        let is_loopback = is_loopback(asked.host());
        let scheme = match (is_loopback, card_config.outside_scheme) {
            (true, _) => own.scheme_str().unwrap_or("http"),
            (false, UrlScheme::Http) => "http",
            (false, UrlScheme::Https) => "https",
        };
        AdvertisedAddress { root: with_slash(&format!("{scheme}://{asked}{}", own.path())), is_loopback }
    }
}

/// True if only programs of this machine can reach `host`; ports and brackets do not matter.
pub(super) fn is_loopback(host: &str) -> bool {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

fn with_slash(url: &str) -> String {
    format!("{}/", url.trim_end_matches('/'))
}

#[cfg(test)]
mod tests;
