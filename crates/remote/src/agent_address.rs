//! Where an agent is, and the secret that opens its door.

use crate::error::RemoteError;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// Where the card is when only a host is given.
const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// Where an agent's card is, and what to send with every request.
#[derive(Clone)]
pub struct AgentAddress {
    pub(crate) card: Url,
    /// Further places where the agent may be spoken to. A card alone cannot add any.
    other_urls: Vec<Url>,
    pub(crate) credential: Option<AgentCredential>,
}

/// A secret that goes with every request. It cannot be printed.
#[derive(Clone)]
pub struct AgentCredential {
    pub(crate) header: HeaderName,
    pub(crate) value: HeaderValue,
}

impl AgentCredential {
    /// A bearer token.
    pub fn bearer(token: &str) -> Result<AgentCredential, RemoteError> {
        AgentCredential::new(AUTHORIZATION, &format!("Bearer {}", token.trim()))
    }

    /// A key in a header of its own.
    pub fn key(header: &str, key: &str) -> Result<AgentCredential, RemoteError> {
        let header = HeaderName::try_from(header).map_err(|_| RemoteError::Credential)?;
        AgentCredential::new(header, key.trim())
    }

    fn new(header: HeaderName, value: &str) -> Result<AgentCredential, RemoteError> {
        let mut value = HeaderValue::try_from(value).map_err(|_| RemoteError::Credential)?;
        value.set_sensitive(true);
        Ok(AgentCredential { header, value })
    }
}

impl AgentAddress {
    /// The agent whose card is at `card`, or at the usual place of the host it names. A credential is sent in plain text
    /// only to this machine itself.
    pub fn new(card: &str, credential: Option<AgentCredential>) -> Result<AgentAddress, RemoteError> {
        let mut url = read_place(card)?;
        if url.path() == "/" {
            url.set_path(WELL_KNOWN);
        }
        let address = AgentAddress { card: url, other_urls: Vec::new(), credential };
        address.check_secrecy(&address.card)?;
        Ok(address)
    }

    /// The agent, which may be spoken to at these places, too, if its card names them. What is sent to it goes there as
    /// well, secrets included, so they have to come from whoever also named the card.
    pub fn with_others(mut self, others: &[String]) -> Result<AgentAddress, RemoteError> {
        for place in others {
            let url = read_place(&self.with_scheme(place))?;
            self.check_secrecy(&url)?;
            self.other_urls.push(url);
        }
        Ok(self)
    }

    /// True if nothing is sent by TLS.
    pub(crate) fn is_plain(&self) -> bool {
        std::iter::once(&self.card).chain(&self.other_urls).all(|url| url.scheme() == "http")
    }

    fn check_secrecy(&self, url: &Url) -> Result<(), RemoteError> {
        match self.credential.is_some() && url.scheme() == "http" && !is_loopback(url) {
            true => Err(RemoteError::PlainText { host: host_of(url) }),
            false => Ok(()),
        }
    }

    /// The host and port, for people.
    pub fn host(&self) -> String {
        host_of(&self.card)
    }

    /// The place a card names for gRPC: often a host and port alone, which are spoken to as the card's place is.
    pub(crate) fn target(&self, target: &str) -> Result<Url, String> {
        self.resolve_url(&self.with_scheme(target))
    }

    fn with_scheme(&self, place: &str) -> String {
        if place.contains("://") { place.to_owned() } else { format!("{}://{place}", self.card.scheme()) }
    }

    /// The place a card names, if it is of the card's own origin (scheme, host and port) or of another one that was allowed.
    /// A card that could name any port would send us, and what people answer, to another server of that machine. `0.0.0.0`
    /// and the names of this machine stand for the card's host when that is this machine: that is what development servers
    /// write into their cards.
    pub(crate) fn resolve_url(&self, place: &str) -> Result<Url, String> {
        let mut url = self.card.join(place).map_err(|error| format!("{place:?} is no address ({error})"))?;
        if is_loopback(&self.card) && (is_loopback(&url) || matches!(url.host_str(), Some("0.0.0.0" | "[::]"))) {
            // The card's host is known to answer.
            let _ = url.set_host(self.card.host_str());
        }
        let is_allowed =
            std::iter::once(&self.card).chain(&self.other_urls).any(|known| known.origin() == url.origin());
        match is_allowed {
            true => Ok(url),
            false => Err(format!(
                "it sends us to {}, away from {}; if that is meant, write the address into the agent's file, in \
                 `other_addresses`",
                origin_of(&url),
                origin_of(&self.card)
            )),
        }
    }
}

/// An address of the web that holds no secret: one would end up in logs.
fn read_place(place: &str) -> Result<Url, RemoteError> {
    let url = Url::parse(place).ok().filter(|url| {
        let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
        is_web && url.username().is_empty() && url.password().is_none()
    });
    url.ok_or_else(|| RemoteError::Address(place.to_owned()))
}

/// The scheme, host and port of an address, for people.
fn origin_of(url: &Url) -> String {
    format!("{}://{}", url.scheme(), host_of(url))
}

/// The host and port of an address.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests;
