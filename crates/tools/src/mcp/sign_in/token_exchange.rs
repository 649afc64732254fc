//! Requests to an authorization server: to register us, to trade a code for a token, and to renew one.

use super::SignInError;
use super::discovery::AuthorizationServer;
use super::fetch::OauthFetcher;
use super::oauth_secret::OauthSecret;
use super::token_store::{StoredToken, now};
use crate::mcp::plain_text::to_plain_line;
use oauth2::basic::{BasicClient, BasicErrorResponse, BasicTokenResponse};
use oauth2::{
    AsyncHttpClient, AuthType, AuthorizationCode, ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, TokenResponse as _, TokenUrl,
};
use pollux_session::BoxFuture;
use reqwest::Url;
use serde_json::{Value, json};
use std::borrow::Cow;
use thiserror::Error;

/// The most characters of a refusal.
const MAX_WHY: usize = 300;

/// Our registration with an authorization server.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct OauthClient {
    pub(super) id: String,
    pub(super) secret: Option<OauthSecret>,
    /// True if the secret goes into a header; else it goes into the form.
    pub(super) basic: bool,
}

/// [`OauthClient`] as the oauth2 crate has it, for one token endpoint.
type TokenClient = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

impl OauthClient {
    fn at(&self, token_url: &Url) -> TokenClient {
        let client = BasicClient::new(ClientId::new(self.id.clone()))
            .set_auth_type(if self.basic { AuthType::BasicAuth } else { AuthType::RequestBody })
            .set_token_uri(TokenUrl::from_url(token_url.clone()));
        match &self.secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.reveal().to_owned())),
            None => client,
        }
    }
}

/// The tokens that were given out.
pub(super) struct TokenResponse {
    pub(super) access: OauthSecret,
    pub(super) refresh: Option<OauthSecret>,
    /// In seconds since 1970, if it ends.
    pub(super) expires_at: Option<u64>,
}

impl From<BasicTokenResponse> for TokenResponse {
    fn from(given: BasicTokenResponse) -> TokenResponse {
        TokenResponse {
            access: OauthSecret::new(given.access_token().secret()),
            refresh: given.refresh_token().map(|token| OauthSecret::new(token.secret())),
            expires_at: given.expires_in().map(|lasts| now().saturating_add(lasts.as_secs())),
        }
    }
}

/// Why no token came.
#[derive(Debug, Error)]
enum TokenFailure {
    #[error(transparent)]
    Unreachable(#[from] SignInError),
    #[error("{why}")]
    Refused { status: u16, why: String },
}

impl From<RequestTokenError<TokenFailure, BasicErrorResponse>> for TokenFailure {
    fn from(error: RequestTokenError<TokenFailure, BasicErrorResponse>) -> TokenFailure {
        match error {
            RequestTokenError::Request(failure) => failure,
            // Only the request could not be made: what is no token was refused by [`TokenEndpoint`].
            error => TokenFailure::Refused { status: 0, why: to_plain_line(&error.to_string(), MAX_WHY) },
        }
    }
}

/// Have the authorization server know us.
pub(super) async fn register(
    fetcher: &OauthFetcher,
    provider: &AuthorizationServer,
    redirect: &Url,
) -> Result<OauthClient, SignInError> {
    let place = provider.register.as_ref().ok_or(SignInError::NoRegistration)?;
    let mut request = json!({
        "client_name": "Pollux",
        "redirect_uris": [redirect.as_str()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    if !provider.scopes.is_empty() {
        request["scope"] = provider.scopes.join(" ").into();
    }
    let (status, answer) = fetcher.post_json(place, &request).await?;
    let text = |key: &str| answer.get(key).and_then(Value::as_str).map(str::to_owned);
    match text("client_id") {
        Some(id) if (200..300).contains(&status) => {
            let basic = text("token_endpoint_auth_method").as_deref() == Some("client_secret_basic");
            Ok(OauthClient { id, secret: text("client_secret").map(OauthSecret::new), basic })
        }
        _ => Err(SignInError::Refused { why: describe_refusal(status, &answer) }),
    }
}

/// Trade the code that the person's browser brought for a token.
pub(super) async fn exchange_code(
    fetcher: &OauthFetcher,
    provider: &AuthorizationServer,
    client: &OauthClient,
    code: &OauthSecret,
    redirect: &Url,
    verifier: PkceCodeVerifier,
) -> Result<TokenResponse, SignInError> {
    let granted = client
        .at(&provider.token)
        .exchange_code(AuthorizationCode::new(code.reveal().to_owned()))
        .set_pkce_verifier(verifier)
        .set_redirect_uri(Cow::Owned(RedirectUrl::from_url(redirect.clone())))
        .add_extra_param("resource", &provider.resource)
        .request_async(&TokenEndpoint { fetcher, url: &provider.token })
        .await;
    granted.map(TokenResponse::from).map_err(|error| match TokenFailure::from(error) {
        TokenFailure::Unreachable(error) => error,
        TokenFailure::Refused { why, .. } => SignInError::Refused { why },
    })
}

/// The result of renewing a token.
pub(super) enum TokenRenewal {
    Granted(TokenResponse),
    /// It is over; the person has to sign in again.
    Refused,
    /// Nobody answered, or not now.
    Unknown,
}

/// Renew a token.
pub(super) async fn renew(fetcher: &OauthFetcher, token: &StoredToken) -> TokenRenewal {
    let Some(refresh) = &token.refresh else { return TokenRenewal::Refused };
    // The file is the person's own, but what it says is held to the same rule as when it was written.
    let Ok(place) = fetcher.check(&token.token_url) else { return TokenRenewal::Refused };
    let granted = token
        .client
        .at(&place)
        .exchange_refresh_token(&RefreshToken::new(refresh.reveal().to_owned()))
        .add_extra_param("resource", &token.resource)
        .request_async(&TokenEndpoint { fetcher, url: &place })
        .await;
    match granted.map(TokenResponse::from).map_err(TokenFailure::from) {
        Ok(TokenResponse { access, refresh: renewed, expires_at }) => {
            let refresh = renewed.or_else(|| Some(refresh.clone()));
            TokenRenewal::Granted(TokenResponse { access, refresh, expires_at })
        }
        // Too early or too often is no refusal.
        Err(TokenFailure::Refused { status: 408 | 425 | 429, .. }) => TokenRenewal::Unknown,
        Err(TokenFailure::Refused { status: 400..=499, why }) => {
            tracing::warn!("a login could not be renewed: {why}");
            TokenRenewal::Refused
        }
        Err(TokenFailure::Refused { .. }) => TokenRenewal::Unknown,
        Err(TokenFailure::Unreachable(error)) => {
            tracing::warn!(%error, "a login could not be renewed now");
            TokenRenewal::Unknown
        }
    }
}

/// Sends what the oauth2 crate asks, with our own client and its limits.
struct TokenEndpoint<'a> {
    fetcher: &'a OauthFetcher,
    url: &'a Url,
}

impl<'c> AsyncHttpClient<'c> for TokenEndpoint<'_> {
    type Error = TokenFailure;
    type Future = BoxFuture<'c, Result<HttpResponse, TokenFailure>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let (status, answer) = self.fetcher.send_request(self.url, request).await?;
            match standard_token(&answer) {
                Some(token) => Ok(HttpResponse::new(token.to_string().into_bytes())),
                None => Err(TokenFailure::Refused { status, why: describe_refusal(status, &answer) }),
            }
        })
    }
}

/// The token in an answer, in the words of RFC 6749, which the crate insists on and not every server uses: kinds of tokens are
/// left out, times are text, and a good answer is not always a 200 with the type of JSON.
fn standard_token(answer: &Value) -> Option<Value> {
    let text = |key: &str| answer.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = answer.get("token_type").and_then(Value::as_str).unwrap_or("bearer");
    let access = text("access_token").filter(|_| kind.eq_ignore_ascii_case("bearer"))?;
    let expires_in = answer.get("expires_in").and_then(Value::as_u64);
    let refresh = text("refresh_token");
    Some(json!({
        "access_token": access, "token_type": "bearer", "refresh_token": refresh, "expires_in": expires_in,
    }))
}

/// Why the answer is a no, in the authorization server's words where it has some. A token is never among them.
fn describe_refusal(status: u16, answer: &Value) -> String {
    let text = |key: &str| answer.get(key).and_then(Value::as_str);
    match (text("error"), text("error_description")) {
        (Some(error), Some(about)) => to_plain_line(&format!("{error}: {about}"), MAX_WHY),
        (Some(error), None) => to_plain_line(error, MAX_WHY),
        (None, _) => format!("HTTP {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(answer: &Value) -> Option<(String, Option<String>, bool)> {
        let given: BasicTokenResponse = serde_json::from_value(standard_token(answer)?).unwrap();
        let TokenResponse { access, refresh, expires_at } = given.into();
        Some((access.reveal().to_owned(), refresh.map(|token| token.reveal().to_owned()), expires_at.is_some()))
    }

    #[test]
    fn tokens_are_read_in_the_words_of_many_servers() {
        let bare = json!({ "access_token": "a" });
        assert_eq!(read(&bare), Some(("a".into(), None, false)));
        let odd = json!({
            "access_token": "a", "token_type": "BEARER", "refresh_token": "", "expires_in": "3600", "scope": ["x"],
        });
        assert_eq!(read(&odd), Some(("a".into(), None, false)));
        let whole = json!({ "access_token": "a", "token_type": "Bearer", "refresh_token": "r", "expires_in": 3600 });
        assert_eq!(read(&whole), Some(("a".into(), Some("r".into()), true)));
    }

    #[test]
    fn what_is_no_bearer_token_is_none() {
        for answer in [json!({}), json!({ "access_token": "" }), json!({ "access_token": "a", "token_type": "mac" })] {
            assert_eq!(read(&answer), None, "{answer}");
        }
    }
}
