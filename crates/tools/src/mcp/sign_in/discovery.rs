//! Finding out who gives out tokens for a server: its own word (RFC 9728), then that of the authorization server it
//! names (RFC 8414 or OpenID Connect). The person's settings go before both.

use super::SignInError;
use super::fetch::OauthFetcher;
use crate::mcp::config::McpOauth;
use crate::mcp::plain_text::to_plain_line;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

#[cfg(test)]
mod tests;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const AUTHORIZATION: &str = "/.well-known/oauth-authorization-server";
const OPENID: &str = "/.well-known/openid-configuration";
/// Asks for a token that can be renewed, where the authorization server knows the word.
const OFFLINE: &str = "offline_access";

/// The server that gives out tokens.
pub(super) struct AuthorizationServer {
    /// Its name, if it has told.
    pub(super) issuer: Option<String>,
    /// Where the person signs in.
    pub(super) authorize: Url,
    /// Where tokens are given out.
    pub(super) token: Url,
    /// Where clients register.
    pub(super) register: Option<Url>,
    /// The scopes to ask for.
    pub(super) scopes: Vec<String>,
    /// The resource that the token is for.
    pub(super) resource: String,
    /// True if a client's secret goes into a header.
    pub(super) basic: bool,
}

/// A server's metadata about itself.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ProtectedResourceMetadata {
    resource: Option<String>,
    authorization_servers: Vec<String>,
    scopes_supported: Vec<String>,
}

/// An authorization server's metadata about itself.
#[derive(Deserialize)]
struct AuthorizationServerMetadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    #[serde(default)]
    registration_endpoint: Option<String>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

pub(super) async fn discover(
    fetcher: &OauthFetcher,
    server: &Url,
    oauth: &McpOauth,
) -> Result<AuthorizationServer, SignInError> {
    let own = |url: &Option<String>| url.as_deref().map(|url| fetcher.check(url)).transpose();
    let (authorize, token) = (own(&oauth.authorization_url)?, own(&oauth.token_url)?);
    if let (Some(authorize), Some(token)) = (&authorize, &token) {
        let (scopes, resource) = (oauth.scopes.clone(), canonical(server));
        let (authorize, token) = (authorize.clone(), token.clone());
        return Ok(AuthorizationServer {
            issuer: None,
            authorize,
            token,
            register: None,
            scopes,
            resource,
            basic: false,
        });
    }
    let challenge = fetcher.fetch_challenge(server).await?.unwrap_or_default();
    let document = fetch_resource_metadata(fetcher, server, &challenge).await?.unwrap_or_default();
    let issuer = document.authorization_servers.first().cloned();
    let issuer = fetcher.check(&issuer.unwrap_or_else(|| server.origin().ascii_serialization()))?;
    let found = fetch_server_metadata(fetcher, &issuer).await?.ok_or(SignInError::NoProvider)?;
    if !found.code_challenge_methods_supported.iter().any(|method| method == "S256") {
        return Err(SignInError::NoPkce);
    }
    let asked = parameter(&challenge, "scope").unwrap_or_default();
    let mut scopes = match (oauth.scopes.as_slice(), asked.as_str()) {
        ([], "") => document.scopes_supported,
        ([], asked) => asked.split_whitespace().map(str::to_owned).collect(),
        (own, _) => own.to_vec(),
    };
    let can_last = found.scopes_supported.iter().any(|scope| scope == OFFLINE);
    if can_last && !scopes.is_empty() && !scopes.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.into());
    }
    Ok(AuthorizationServer {
        authorize: authorize.map_or_else(|| fetcher.check(&found.authorization_endpoint), Ok)?,
        token: token.map_or_else(|| fetcher.check(&found.token_endpoint), Ok)?,
        register: found.registration_endpoint.as_deref().map(|url| fetcher.check(url)).transpose()?,
        issuer: Some(found.issuer),
        scopes,
        resource: document.resource.unwrap_or_else(|| canonical(server)),
        basic: found.token_endpoint_auth_methods_supported.iter().any(|method| method == "client_secret_basic"),
    })
}

/// The server's own word on who gives out its tokens, if it has one.
async fn fetch_resource_metadata(
    fetcher: &OauthFetcher,
    server: &Url,
    challenge: &str,
) -> Result<Option<ProtectedResourceMetadata>, SignInError> {
    let named = parameter(challenge, "resource_metadata");
    let named =
        named.map(|url| fetcher.check(server.join(&url).map_or(url.clone(), String::from).as_str())).transpose()?;
    let path = server.path().trim_end_matches('/');
    let guesses = [format!("{RESOURCE}{path}"), RESOURCE.to_owned()].map(|path| with_path(server, &path));
    for place in named.into_iter().chain(guesses) {
        let Some(document) = fetcher.fetch_document(&place).await? else { continue };
        let Ok(document) = serde_json::from_value::<ProtectedResourceMetadata>(document) else { continue };
        if let Some(claimed) = &document.resource
            && !covers(claimed, server)
        {
            return Err(SignInError::WrongResource { claimed: to_plain_line(claimed, 300) });
        }
        return Ok(Some(document));
    }
    Ok(None)
}

/// True if a server may call itself so: its own address, or one above it on the same site.
fn covers(claimed: &str, server: &Url) -> bool {
    let Ok(claimed) = Url::parse(claimed) else { return false };
    let (above, below) = (claimed.path().trim_end_matches('/'), server.path());
    let rest = below.strip_prefix(above);
    claimed.origin() == server.origin() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn fetch_server_metadata(
    fetcher: &OauthFetcher,
    issuer: &Url,
) -> Result<Option<AuthorizationServerMetadata>, SignInError> {
    let path = issuer.path().trim_end_matches('/');
    let places = [format!("{AUTHORIZATION}{path}"), format!("{OPENID}{path}"), format!("{path}{OPENID}")];
    for place in places {
        let Some(document) = fetcher.fetch_document(&with_path(issuer, &place)).await? else { continue };
        let claimed = document.get("issuer").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Ok(document) = serde_json::from_value(document) else { continue };
        let expected = issuer.as_str().trim_end_matches('/');
        if claimed.trim_end_matches('/') != expected {
            let claimed = to_plain_line(&claimed, 300);
            return Err(SignInError::WrongIssuer { expected: expected.to_owned(), claimed });
        }
        return Ok(Some(document));
    }
    Ok(None)
}

/// Another path on the same site.
fn with_path(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// The address as the name of what a token is for.
fn canonical(server: &Url) -> String {
    let mut server = server.clone();
    server.set_fragment(None);
    server.set_query(None);
    let text = String::from(server.clone());
    if server.path() == "/" { text.trim_end_matches('/').to_owned() } else { text }
}

/// The value of `name` in a `WWW-Authenticate` header.
fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + name.len()..];
        rest = after;
        let Some(value) = after.trim_start().strip_prefix('=') else { continue };
        if !before.is_none_or(|letter| letter == ',' || letter.is_whitespace()) {
            continue;
        }
        let value = value.trim_start();
        return Some(match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default().to_owned(),
            None => value.split([',', ' ']).next().unwrap_or_default().to_owned(),
        });
    }
    None
}
