//! The person's sign-in, shown with every request to a server and renewed when it runs out.

use super::fetch::OauthFetcher;
use super::oauth_secret::OauthSecret;
use super::token_exchange::{TokenRenewal, TokenResponse, renew};
use super::token_store::{McpTokenStore, StoredToken};
use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::sync::Mutex;

/// The sign-in to one server.
pub(in crate::mcp) struct BearerAuth {
    name: String,
    /// The server's address as its entry has it.
    url: String,
    tokens: McpTokenStore,
    /// `None` for an address that no secret may go to.
    fetcher: Option<OauthFetcher>,
    held: Mutex<HeldToken>,
}

enum HeldToken {
    /// The file was not looked at yet.
    Unknown,
    Nothing,
    Token(Box<StoredToken>),
}

impl BearerAuth {
    pub(in crate::mcp) fn new(name: &str, url: &str, parsed: &Url, tokens: &McpTokenStore) -> BearerAuth {
        let fetcher = OauthFetcher::new(parsed).ok();
        let (name, url, tokens) = (name.to_owned(), url.to_owned(), tokens.clone());
        BearerAuth { name, url, tokens, fetcher, held: Mutex::new(HeldToken::Unknown) }
    }

    /// The header with the token, if there is one.
    pub(in crate::mcp) async fn current_header(&self) -> Option<HeaderValue> {
        let mut held = self.held.lock().await;
        let fetcher = self.fetcher.as_ref()?;
        if let HeldToken::Unknown = *held {
            *held = match self.tokens.load(&self.name, &self.url).await {
                Some(token) => HeldToken::Token(Box::new(token)),
                None => HeldToken::Nothing,
            };
        }
        let HeldToken::Token(token) = &*held else { return None };
        if token.is_over() && token.refresh.is_some() {
            let known = token.access.clone();
            *held = self.renewed(fetcher, &known).await.unwrap_or(std::mem::replace(&mut *held, HeldToken::Nothing));
        }
        held.header()
    }

    /// Something better to show, when the server did not take what it was `shown`.
    pub(in crate::mcp) async fn renew_header(&self, shown: Option<&HeaderValue>) -> Option<HeaderValue> {
        let mut held = self.held.lock().await;
        let (fetcher, shown) = (self.fetcher.as_ref()?, shown?);
        if held.header().as_ref() != Some(shown) {
            // Somebody has renewed it meanwhile.
            return held.header();
        }
        let HeldToken::Token(token) = &*held else { return None };
        let known = token.access.clone();
        *held = self.renewed(fetcher, &known).await?;
        held.header().filter(|header| header != shown)
    }

    /// The token in place of `known`; `None` when that cannot be told now.
    async fn renewed(&self, fetcher: &OauthFetcher, known: &OauthSecret) -> Option<HeldToken> {
        let _alone = self.tokens.lock_for_renewal().await;
        let Some(mut token) = self.tokens.load(&self.name, &self.url).await else { return Some(HeldToken::Nothing) };
        if token.access != *known && !token.is_over() {
            return Some(HeldToken::Token(Box::new(token)));
        }
        match renew(fetcher, &token).await {
            TokenRenewal::Granted(TokenResponse { access, refresh, expires_at }) => {
                (token.access, token.refresh, token.expires_at) = (access, refresh, expires_at);
                if let Err(error) = self.tokens.save(&self.name, token.clone()).await {
                    tracing::warn!("{error}");
                }
                Some(HeldToken::Token(Box::new(token)))
            }
            TokenRenewal::Refused => {
                if let Err(error) = self.tokens.forget(&self.name).await {
                    tracing::warn!("{error}");
                }
                Some(HeldToken::Nothing)
            }
            TokenRenewal::Unknown => None,
        }
    }
}

impl HeldToken {
    fn header(&self) -> Option<HeaderValue> {
        let HeldToken::Token(token) = self else { return None };
        let mut header = HeaderValue::from_str(&format!("Bearer {}", token.access.reveal())).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}
