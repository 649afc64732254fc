//! Signing in to servers that want it (OAuth 2.1 as MCP has it): who gives out tokens is found out, the person agrees in
//! their browser, and the answer comes back to this machine. The oauth2 crate makes the requests, our own client
//! sends them. The rest is not taken from the protocol crate, which prints authorization codes in its log and forgets client
//! secrets.

mod bearer_auth;
mod callback;
mod discovery;
mod fetch;
mod oauth_secret;
mod token_exchange;
mod token_store;

pub(super) use bearer_auth::BearerAuth;
pub(super) use fetch::{first_cause, install_tls_provider, same_site};
pub use token_store::McpTokenStore;

use super::config::{McpOauth, McpServerConfig};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use callback::CallbackListener;
use discovery::{AuthorizationServer, discover};
use fetch::OauthFetcher;
use oauth_secret::OauthSecret;
use oauth2::basic::BasicClient;
use oauth2::{AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope};
use reqwest::Url;
use std::time::Duration;
use thiserror::Error;
use token_exchange::{OauthClient, exchange_code, register};
use token_store::StoredToken;

/// Why a sign-in came to nothing, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignInError {
    /// It is a program.
    #[error("the server is a program of this machine; only a server with `httpUrl` or `url` can be logged in to")]
    NoAddress,
    /// An address cannot be used.
    #[error("`{url}` cannot be used to log in: it must be an https address")]
    Unsafe { url: String },
    /// Somebody did not answer.
    #[error("{url} cannot be reached: {why}")]
    Unreachable { url: String, why: String },
    /// Somebody answered with something else.
    #[error("{url} answered in a way that cannot be understood: {why}")]
    Nonsense { url: String, why: String },
    /// There is nowhere to sign in.
    #[error(
        "the server does not say where to log in; if it needs no login, there is nothing to do, otherwise put `clientId`, \
         `authorizationUrl` and `tokenUrl` into the `oauth` of its entry"
    )]
    NoProvider,
    /// It speaks for somebody else.
    #[error("the server says that it is {claimed}, which it is not; you are not logged in")]
    WrongResource { claimed: String },
    /// Somebody else speaks.
    #[error("the authorization server {expected} calls itself {claimed}; you are not logged in")]
    WrongIssuer { expected: String, claimed: String },
    /// The answer could be used by whoever sees it.
    #[error("the authorization server does not protect the answer (PKCE with S256); you are not logged in")]
    NoPkce,
    /// Nobody knows us.
    #[error(
        "the authorization server registers nobody by itself; put a `clientId` into the `oauth` of the server's entry"
    )]
    NoRegistration,
    /// It said no.
    #[error("the authorization server refuses: {why}")]
    Refused { why: String },
    /// The person said no, or was not let in.
    #[error("the login was refused: {why}")]
    Denied { why: String },
    /// The answer cannot come back.
    #[error(
        "`redirectUri` must be an http address of this machine such as http://127.0.0.1:7777/callback, not `{uri}`"
    )]
    Redirect { uri: String },
    /// The answer cannot be awaited.
    #[error("the answer cannot be awaited on this machine: {why}")]
    Listen { why: String },
    /// Nobody came.
    #[error("nobody logged in within {} seconds; run it again when you are ready", .0.as_secs())]
    TimedOut(Duration),
    /// It cannot be kept.
    #[error("the login cannot be stored in {path}: {why}")]
    Keep { path: String, why: String },
    /// There is no randomness.
    #[error("this machine gives no random numbers: {0}")]
    NoRandom(String),
}

/// A sign-in that waits for the person.
pub struct SignIn {
    name: String,
    /// The server's address as its entry has it.
    address: String,
    url: String,
    state: String,
    verifier: PkceCodeVerifier,
    callback: CallbackListener,
    provider: AuthorizationServer,
    client: OauthClient,
    fetcher: OauthFetcher,
    tokens: McpTokenStore,
}

impl SignIn {
    /// Find out where to sign in to the server `name`, and get ready for the answer.
    pub async fn begin(name: &str, config: &McpServerConfig, tokens: &McpTokenStore) -> Result<SignIn, SignInError> {
        let address = config.address().ok_or(SignInError::NoAddress)?;
        let server = Url::parse(address).map_err(|_| SignInError::Unsafe { url: address.to_owned() })?;
        let usual = McpOauth::default();
        let oauth = config.oauth.as_ref().unwrap_or(&usual);
        let fetcher = OauthFetcher::new(&server)?;
        let provider = discover(&fetcher, &server, oauth).await?;
        let callback = CallbackListener::open(oauth.redirect_uri.as_deref()).await?;
        let client = match &oauth.client_id {
            Some(id) => OauthClient {
                id: id.clone(),
                secret: oauth.client_secret.clone().map(OauthSecret::new),
                basic: provider.basic,
            },
            None => register(&fetcher, &provider, callback.redirect()).await?,
        };
        let (state, verifier) = (random()?, PkceCodeVerifier::new(random()?));
        let url = authorization_url(&provider, &client.id, callback.redirect(), &state, &verifier);
        let (name, address, tokens) = (name.to_owned(), address.to_owned(), tokens.clone());
        Ok(SignIn { name, address, url, state, verifier, callback, provider, client, fetcher, tokens })
    }

    /// The page where the person signs in.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Wait for the answer, trade it for a token, and keep that.
    pub async fn finish(self, patience: Duration) -> Result<(), SignInError> {
        let awaited = self.callback.receive_code(&self.state, self.provider.issuer.as_deref());
        let code = tokio::time::timeout(patience, awaited).await.map_err(|_| SignInError::TimedOut(patience))??;
        let (redirect, verifier) = (self.callback.redirect(), self.verifier);
        let granted = exchange_code(&self.fetcher, &self.provider, &self.client, &code, redirect, verifier).await?;
        let token = StoredToken {
            url: self.address,
            token_url: self.provider.token.to_string(),
            resource: self.provider.resource,
            client: self.client,
            access: granted.access,
            refresh: granted.refresh,
            expires_at: granted.expires_at,
        };
        self.tokens.save(&self.name, token).await
    }
}

fn authorization_url(
    provider: &AuthorizationServer,
    client: &str,
    redirect: &Url,
    state: &str,
    verifier: &PkceCodeVerifier,
) -> String {
    let client = BasicClient::new(ClientId::new(client.to_owned()))
        .set_auth_uri(AuthUrl::from_url(provider.authorize.clone()))
        .set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
    let request = client
        .authorize_url(|| CsrfToken::new(state.to_owned()))
        .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(verifier))
        .add_extra_param("resource", &provider.resource)
        .add_scopes(provider.scopes.iter().cloned().map(Scope::new));
    request.url().0.into()
}

/// 256 random bits as text.
fn random() -> Result<String, SignInError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| SignInError::NoRandom(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
