//! The gate: who may speak to this server at all. It runs on the head of a request, before any body is read and
//! before a 101. Checks run in a fixed order and the first failure ends it; see [`Gate::admit`].

mod browser;
mod client_label;
mod connection_ends;
mod denial;
mod descendants;
mod head_check;
mod hosts;
mod local_machine;
mod peer;
mod token;
mod uid;
mod wrong_tokens;

#[cfg(test)]
mod tests;

pub use denial::{AuthenticationFailure, GateDenial, MalformedHead};
pub(crate) use descendants::LONGEST_JUDGEMENT;
pub use descendants::{DescendantPolicy, StartCheck, SupervisorCheck, SupervisorMarks};
pub use peer::{ConnectionPeer, PeerIdentity};
pub use token::{BearerToken, TokenError};

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use browser::AllowedOrigins;
use descendants::DescendantCheck;
use hosts::AllowedHosts;
use pollux_session::{Owner, Rights, Who};
use std::net::SocketAddr;
use std::time::Instant;
use token::{PresentedCredentials, TokenHash};
use wrong_tokens::WrongTokens;

/// Paths that answer without knowing who asks: bodies that are the same for everyone.
const PUBLIC_PATHS: [&str; 2] = ["/health", "/.well-known/agent-card.json"];

/// The way in which a request may prove who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticationPolicy {
    /// The token, or a connection from a process of the user who runs this server.
    LocalUser,
    /// The token and nothing else.
    TokenOnly,
}

/// Settings of the gate, by the person who starts the server.
#[derive(Clone)]
pub struct GateSettings {
    /// The bearer token, when there is one.
    pub token: Option<BearerToken>,
    pub authentication: AuthenticationPolicy,
    /// `Host` values accepted beside the server's own, with a port where clients send one.
    pub hosts: Vec<String>,
    /// `Origin` values accepted beside the server's own.
    pub origins: Vec<String>,
    /// Whose sessions the local user and the token's bearer see.
    pub owner: Owner,
    /// The treatment of requests from processes that this one started.
    pub descendants: DescendantPolicy,
}

/// The checks of one listener.
pub struct Gate {
    token: Option<TokenHash>,
    authentication: AuthenticationPolicy,
    hosts: AllowedHosts,
    origins: AllowedOrigins,
    owner: Owner,
    descendants: DescendantCheck,
    wrong_tokens: WrongTokens,
}

/// A request the gate lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateAdmission {
    /// A public path: nobody in particular asks.
    Public,
    /// Someone the gate knows.
    As(Who),
}

impl Gate {
    /// The gate of a listener bound to `bound`.
    pub fn new(settings: GateSettings, bound: SocketAddr) -> Gate {
        let hosts = AllowedHosts::new(bound, settings.hosts);
        Gate {
            token: settings.token.as_ref().map(BearerToken::hash),
            authentication: settings.authentication,
            origins: AllowedOrigins::new(&hosts, settings.origins),
            hosts,
            owner: settings.owner,
            descendants: DescendantCheck::new(settings.descendants),
            wrong_tokens: WrongTokens::default(),
        }
    }

    /// Decides about one request by its head: form, `Host`, browser origin, content type, identity, in this order.
    /// Last comes where the process stands that sent it.
    pub async fn admit(&self, request: &Parts, peer: &ConnectionPeer) -> Result<GateAdmission, GateDenial> {
        let host = head_check::check(request)?;
        self.hosts.check(host)?;
        self.origins.check(&request.headers)?;
        head_check::check_content(request)?;
        if is_public(request) {
            return Ok(GateAdmission::Public);
        }
        let who = self.who(request, peer)?;
        self.descendants.check(peer).await?;
        Ok(GateAdmission::As(who))
    }

    /// Decides about one gRPC call by its head: the same checks in the same order, on the form that HTTP/2 has.
    #[cfg(feature = "grpc")]
    pub async fn admit_call(&self, request: &Parts, peer: &ConnectionPeer) -> Result<Who, GateDenial> {
        let host = head_check::check_call(request)?;
        self.hosts.check(host)?;
        self.origins.check(&request.headers)?;
        head_check::check_protobuf(request)?;
        let who = self.who(request, peer)?;
        self.descendants.check(peer).await?;
        Ok(who)
    }

    /// Judges connections that have asked for nothing yet, all by one search. Says of each whether it belongs to a process that
    /// may not use the endpoint; the others are not looked for again.
    pub(crate) async fn would_refuse(&self, peers: &[ConnectionPeer]) -> Vec<bool> {
        self.descendants.would_refuse(peers).await
    }

    fn who(&self, request: &Parts, peer: &ConnectionPeer) -> Result<Who, GateDenial> {
        let principal = self.identify(request, peer)?;
        Ok(Who {
            owner: self.owner.clone(),
            principal: principal.to_owned(),
            label: client_label::client_label(&request.headers),
            rights: Rights::all(),
        })
    }

    /// A token that was presented decides alone: a wrong one is not forgiven for coming from the local user.
    fn identify(&self, request: &Parts, peer: &ConnectionPeer) -> Result<&'static str, GateDenial> {
        match token::read_credentials(request) {
            PresentedCredentials::Token(text) => match &self.token {
                Some(token) if token.matches(text) => Ok("token"),
                Some(_) | None => Err(self.wrong_token(peer)),
            },
            PresentedCredentials::Unreadable => Err(self.wrong_token(peer)),
            PresentedCredentials::Nothing => self.identify_without_token(&request.headers, peer),
        }
    }

    fn wrong_token(&self, peer: &ConnectionPeer) -> GateDenial {
        match self.wrong_tokens.count(peer.identity(), Instant::now()) {
            Ok(()) => GateDenial::Unauthenticated(AuthenticationFailure::WrongToken),
            Err(seconds) => GateDenial::TooManyAttempts { seconds },
        }
    }

    /// A browser acts for whichever page is open in it, so the user's own process is no proof of the user's will.
    fn identify_without_token(&self, headers: &HeaderMap, peer: &ConnectionPeer) -> Result<&'static str, GateDenial> {
        if browser::sent_by_page(headers) {
            return Err(GateDenial::Unauthenticated(AuthenticationFailure::Browser));
        }
        match self.authentication {
            AuthenticationPolicy::LocalUser if peer.is_local_user() => Ok("local"),
            AuthenticationPolicy::LocalUser => Err(GateDenial::Unauthenticated(AuthenticationFailure::NoToken)),
            AuthenticationPolicy::TokenOnly => Err(GateDenial::Unauthenticated(AuthenticationFailure::TokenRequired)),
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
