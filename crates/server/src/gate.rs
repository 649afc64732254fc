//! The gate: who may speak to this server at all. It runs on the head of a request, before any body is read and
//! before a 101. Checks run in a fixed order and the first failure ends it; see [`Gate::admit`].

mod attempts;
mod browser;
mod denied;
mod descendants;
mod form;
mod hosts;
mod label;
mod machine;
mod peer;
mod token;
mod uid;

#[cfg(test)]
mod tests;

pub use denied::{Denied, Malformed, Unproven};
pub use descendants::{Descendants, StartCheck, SupervisorCheck, SupervisorMarks};
pub use peer::{Peer, PeerName};
pub use token::{Token, TokenError};

use attempts::WrongTokens;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use browser::Origins;
use descendants::DescendantCheck;
use hosts::Hosts;
use pollux_session::{Owner, Rights, Who};
use std::net::SocketAddr;
use std::time::Instant;
use token::{Fingerprint, Presented};

/// What answers without saying who asks: bodies that are the same for everyone.
const PUBLIC_PATHS: [&str; 2] = ["/health", "/.well-known/agent-card.json"];

/// How a request may prove who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The token, or a connection from a process of the user who runs this server.
    LocalUser,
    /// The token and nothing else.
    TokenOnly,
}

/// What the person who starts the server decides about the gate.
#[derive(Clone)]
pub struct GateSettings {
    /// The bearer token, when there is one.
    pub token: Option<Token>,
    /// What counts as proof.
    pub identity: Identity,
    /// `Host` values accepted beside the server's own, with a port where clients send one.
    pub hosts: Vec<String>,
    /// `Origin` values accepted beside the server's own.
    pub origins: Vec<String>,
    /// Whose sessions the local user and the token's bearer see.
    pub owner: Owner,
    /// What becomes of requests from processes that this one started.
    pub descendants: Descendants,
}

/// The checks of one listener.
pub struct Gate {
    token: Option<Fingerprint>,
    identity: Identity,
    hosts: Hosts,
    origins: Origins,
    owner: Owner,
    descendants: DescendantCheck,
    wrong_tokens: WrongTokens,
}

/// A request the gate lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// A public path: nobody in particular asks.
    Public,
    /// Someone the gate knows.
    As(Who),
}

impl Gate {
    /// The gate of a listener bound to `bound`.
    pub fn new(settings: GateSettings, bound: SocketAddr) -> Gate {
        let hosts = Hosts::new(bound, settings.hosts);
        Gate {
            token: settings.token.as_ref().map(Token::fingerprint),
            identity: settings.identity,
            origins: Origins::new(&hosts, settings.origins),
            hosts,
            owner: settings.owner,
            descendants: DescendantCheck::new(settings.descendants),
            wrong_tokens: WrongTokens::default(),
        }
    }

    /// Decides about one request by its head: form, `Host`, browser origin, content type, identity, in this order.
    /// Last comes where the process stands that sent it.
    pub async fn admit(&self, request: &Parts, peer: &Peer) -> Result<Admitted, Denied> {
        let host = form::check(request)?;
        self.hosts.check(host)?;
        self.origins.check(&request.headers)?;
        form::check_content(request)?;
        if is_public(request) {
            return Ok(Admitted::Public);
        }
        let who = self.who(request, peer)?;
        self.descendants.check(peer).await?;
        Ok(Admitted::As(who))
    }

    /// Decides about one gRPC call by its head: the same checks in the same order, on the form that HTTP/2 has.
    #[cfg(feature = "grpc")]
    pub async fn admit_call(&self, request: &Parts, peer: &Peer) -> Result<Who, Denied> {
        let host = form::check_call(request)?;
        self.hosts.check(host)?;
        self.origins.check(&request.headers)?;
        form::check_protobuf(request)?;
        let who = self.who(request, peer)?;
        self.descendants.check(peer).await?;
        Ok(who)
    }

    fn who(&self, request: &Parts, peer: &Peer) -> Result<Who, Denied> {
        let principal = self.identify(request, peer)?;
        Ok(Who {
            owner: self.owner.clone(),
            principal: principal.to_owned(),
            label: label::of(&request.headers),
            rights: Rights::all(),
        })
    }

    /// A token that was presented decides alone: a wrong one is not forgiven for coming from the local user.
    fn identify(&self, request: &Parts, peer: &Peer) -> Result<&'static str, Denied> {
        match token::presented(request) {
            Presented::Token(text) => match &self.token {
                Some(token) if token.matches(text) => Ok("token"),
                Some(_) | None => Err(self.wrong_token(peer)),
            },
            Presented::Unreadable => Err(self.wrong_token(peer)),
            Presented::Nothing => self.identify_without_token(&request.headers, peer),
        }
    }

    fn wrong_token(&self, peer: &Peer) -> Denied {
        match self.wrong_tokens.count(peer.name(), Instant::now()) {
            Ok(()) => Denied::Unproven(Unproven::WrongToken),
            Err(seconds) => Denied::TooManyAttempts { seconds },
        }
    }

    /// A browser acts for whichever page is open in it, so the user's own process is no proof of the user's will.
    fn identify_without_token(&self, headers: &HeaderMap, peer: &Peer) -> Result<&'static str, Denied> {
        if browser::sent_by_page(headers) {
            return Err(Denied::Unproven(Unproven::Browser));
        }
        match self.identity {
            Identity::LocalUser if peer.is_local_user() => Ok("local"),
            Identity::LocalUser => Err(Denied::Unproven(Unproven::NoToken)),
            Identity::TokenOnly => Err(Denied::Unproven(Unproven::TokenRequired)),
        }
    }
}

/// Takes the credentials out of a request that passed, so that nothing behind the gate can log or echo them.
pub(crate) fn scrub(headers: &mut HeaderMap) {
    token::scrub(headers);
}

/// Why a listener may not be bound to `addr`, or `None` when it may.
///
/// Beyond loopback every packet can be read and every peer is a stranger: it takes a token, and TLS in front.
pub fn bind_refusal(addr: SocketAddr, token: bool, tls_in_front: bool) -> Option<String> {
    if addr.ip().to_canonical().is_loopback() {
        return None;
    }
    let missing = match (token, tls_in_front) {
        (true, true) => return None,
        (false, false) => "--token-file (or CODER_AGENT_TOKEN) and --tls-in-front",
        (false, true) => "--token-file (or CODER_AGENT_TOKEN)",
        (true, false) => "--tls-in-front",
    };
    Some(format!("{addr} can be reached from other machines: give {missing}, or bind 127.0.0.1"))
}

fn is_public(request: &Parts) -> bool {
    matches!(request.method, Method::GET | Method::HEAD) && PUBLIC_PATHS.contains(&request.uri.path())
}
