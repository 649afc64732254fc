//! What is asked of an authorization server: to know us, to trade a code for a token, and to renew one.

use super::SignInError;
use super::discovery::AuthorizationServer;
use super::fetch::OauthFetcher;
use super::oauth_secret::OauthSecret;
use super::token_store::{StoredToken, now};
use crate::mcp::plain_text::to_plain_line;
use reqwest::Url;
use serde_json::{Value, json};

/// The most characters of a refusal.
const MAX_WHY: usize = 300;

/// Who we are to an authorization server.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct OauthClient {
    pub(super) id: String,
    pub(super) secret: Option<OauthSecret>,
    /// Whether the secret goes into a header; else it goes into the form.
    pub(super) basic: bool,
}

/// What was given out.
pub(super) struct TokenResponse {
    pub(super) access: OauthSecret,
    pub(super) refresh: Option<OauthSecret>,
    /// In seconds since 1970, if it ends.
    pub(super) expires_at: Option<u64>,
}

/// Have the authorization server know us.
pub(super) async fn register(
    fetcher: &OauthFetcher,
    provider: &AuthorizationServer,
    redirect: &str,
) -> Result<OauthClient, SignInError> {
    let place = provider.register.as_ref().ok_or(SignInError::NoRegistration)?;
    let mut request = json!({
        "client_name": "Pollux",
        "redirect_uris": [redirect],
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
    redirect: &str,
    verifier: &OauthSecret,
) -> Result<TokenResponse, SignInError> {
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", code.reveal()),
        ("redirect_uri", redirect),
        ("code_verifier", verifier.reveal()),
        ("resource", &provider.resource),
    ];
    let (status, answer) = request_token(fetcher, &provider.token, client, &fields).await?;
    parse_token_response(&answer).ok_or_else(|| SignInError::Refused { why: describe_refusal(status, &answer) })
}

/// What came of renewing a token.
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
    let fields =
        [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal()), ("resource", token.resource.as_str())];
    match request_token(fetcher, &place, &token.client, &fields).await {
        Ok((_, answer)) if parse_token_response(&answer).is_some() => match parse_token_response(&answer) {
            Some(TokenResponse { access, refresh: None, expires_at }) => {
                TokenRenewal::Granted(TokenResponse { access, refresh: Some(refresh.clone()), expires_at })
            }
            Some(granted) => TokenRenewal::Granted(granted),
            None => TokenRenewal::Unknown,
        },
        // Too early or too often is no refusal.
        Ok((408 | 425 | 429, _)) => TokenRenewal::Unknown,
        Ok((400..=499, answer)) => {
            tracing::warn!("a sign-in could not be renewed: {}", describe_refusal(400, &answer));
            TokenRenewal::Refused
        }
        Ok(_) => TokenRenewal::Unknown,
        Err(error) => {
            tracing::warn!(%error, "a sign-in could not be renewed now");
            TokenRenewal::Unknown
        }
    }
}

async fn request_token(
    fetcher: &OauthFetcher,
    place: &Url,
    client: &OauthClient,
    fields: &[(&str, &str)],
) -> Result<(u16, Value), SignInError> {
    let mut fields = fields.to_vec();
    let mut login = None;
    match &client.secret {
        Some(secret) if client.basic => login = Some((client.id.as_str(), secret)),
        Some(secret) => fields.extend([("client_id", client.id.as_str()), ("client_secret", secret.reveal())]),
        None => fields.push(("client_id", &client.id)),
    }
    fetcher.post_form(place, &fields, login).await
}

fn parse_token_response(answer: &Value) -> Option<TokenResponse> {
    let text =
        |key: &str| answer.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(OauthSecret::new);
    let kind = answer.get("token_type").and_then(Value::as_str).unwrap_or("bearer");
    let access = text("access_token").filter(|_| kind.eq_ignore_ascii_case("bearer"))?;
    let expires_at = answer.get("expires_in").and_then(Value::as_u64).map(|seconds| now().saturating_add(seconds));
    Some(TokenResponse { access, refresh: text("refresh_token"), expires_at })
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
