//! Where an agent is, and the secret that opens its door.

use crate::error::RemoteError;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// Where the card is when only a host is given.
const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// Where an agent's card is, and what to send with every request.
#[derive(Clone)]
pub struct Address {
    pub(crate) card: Url,
    pub(crate) credential: Option<Credential>,
}

/// A secret that goes with every request. It cannot be printed.
#[derive(Clone)]
pub struct Credential {
    pub(crate) header: HeaderName,
    pub(crate) value: HeaderValue,
}

impl Credential {
    /// A bearer token.
    pub fn bearer(token: &str) -> Result<Credential, RemoteError> {
        Credential::new(AUTHORIZATION, &format!("Bearer {}", token.trim()))
    }

    /// A key in a header of its own.
    pub fn key(header: &str, key: &str) -> Result<Credential, RemoteError> {
        let header = HeaderName::try_from(header).map_err(|_| RemoteError::Credential)?;
        Credential::new(header, key.trim())
    }

    fn new(header: HeaderName, value: &str) -> Result<Credential, RemoteError> {
        let mut value = HeaderValue::try_from(value).map_err(|_| RemoteError::Credential)?;
        value.set_sensitive(true);
        Ok(Credential { header, value })
    }
}

impl Address {
    /// The agent whose card is at `card`, or at the usual place of the host it names. A credential is sent in plain text
    /// only to this machine itself.
    pub fn new(card: &str, credential: Option<Credential>) -> Result<Address, RemoteError> {
        let no_address = || RemoteError::Address(card.to_owned());
        let mut url = Url::parse(card).map_err(|_| no_address())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(no_address());
        }
        // A secret in an address ends up in logs.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(no_address());
        }
        if url.path() == "/" {
            url.set_path(WELL_KNOWN);
        }
        if credential.is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(RemoteError::PlainText { host: host_of(&url) });
        }
        Ok(Address { card: url, credential })
    }

    /// The host and port, for people.
    pub fn host(&self) -> String {
        host_of(&self.card)
    }

    /// The place a card names for gRPC: often a host and port alone, which are spoken to as the card's place is.
    pub(crate) fn target(&self, target: &str) -> Result<Url, String> {
        match target.contains("://") {
            true => self.beside(target),
            false => self.beside(&format!("{}://{target}", self.card.scheme())),
        }
    }

    /// The place a card names, if it is on the card's own host. `0.0.0.0` and the names of this machine stand for the
    /// card's host when that is this machine: that is what development servers write into their cards.
    pub(crate) fn beside(&self, place: &str) -> Result<Url, String> {
        let mut url = self.card.join(place).map_err(|error| format!("{place:?} is no address ({error})"))?;
        if is_loopback(&self.card) && (is_loopback(&url) || matches!(url.host_str(), Some("0.0.0.0" | "[::]"))) {
            // The card's host is known to answer.
            let _ = url.set_host(self.card.host_str());
        }
        let same_host = url.host_str() == self.card.host_str();
        let no_weaker = url.scheme() == "https" || url.scheme() == self.card.scheme();
        match matches!(url.scheme(), "http" | "https") && same_host && no_weaker {
            true => Ok(url),
            false => Err(format!("it sends us to {}, away from {}", host_of(&url), self.host())),
        }
    }
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
