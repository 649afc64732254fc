//! The person's sign-in, shown with every request to a server and renewed when it runs out.

use super::exchange::{Granted, Renewal, renew};
use super::fetch::Fetcher;
use super::secret::Secret;
use super::tokens::{McpTokens, Token};
use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::sync::Mutex;

/// The sign-in to one server.
pub(in crate::mcp) struct Pass {
    name: String,
    /// The server's address as its entry has it.
    url: String,
    tokens: McpTokens,
    /// `None` for an address that no secret may go to.
    fetcher: Option<Fetcher>,
    held: Mutex<Held>,
}

enum Held {
    /// The file was not looked at yet.
    Unknown,
    Nothing,
    Token(Box<Token>),
}

impl Pass {
    pub(in crate::mcp) fn new(name: &str, url: &str, parsed: &Url, tokens: &McpTokens) -> Pass {
        let fetcher = Fetcher::new(parsed).ok();
        let (name, url, tokens) = (name.to_owned(), url.to_owned(), tokens.clone());
        Pass { name, url, tokens, fetcher, held: Mutex::new(Held::Unknown) }
    }

    /// What to show, if there is something.
    pub(in crate::mcp) async fn show(&self) -> Option<HeaderValue> {
        let mut held = self.held.lock().await;
        let fetcher = self.fetcher.as_ref()?;
        if let Held::Unknown = *held {
            *held = match self.tokens.load(&self.name, &self.url).await {
                Some(token) => Held::Token(Box::new(token)),
                None => Held::Nothing,
            };
        }
        let Held::Token(token) = &*held else { return None };
        if token.is_over() && token.refresh.is_some() {
            let known = token.access.clone();
            *held = self.renewed(fetcher, &known).await.unwrap_or(std::mem::replace(&mut *held, Held::Nothing));
        }
        held.header()
    }

    /// Something better to show, when the server did not take what it was `shown`.
    pub(in crate::mcp) async fn renew(&self, shown: Option<&HeaderValue>) -> Option<HeaderValue> {
        let mut held = self.held.lock().await;
        let (fetcher, shown) = (self.fetcher.as_ref()?, shown?);
        if held.header().as_ref() != Some(shown) {
            // Somebody has renewed it meanwhile.
            return held.header();
        }
        let Held::Token(token) = &*held else { return None };
        let known = token.access.clone();
        *held = self.renewed(fetcher, &known).await?;
        held.header().filter(|header| header != shown)
    }

    /// What there is instead of the token `known`; `None` when that cannot be told now.
    async fn renewed(&self, fetcher: &Fetcher, known: &Secret) -> Option<Held> {
        let _alone = self.tokens.alone().await;
        let Some(mut token) = self.tokens.load(&self.name, &self.url).await else { return Some(Held::Nothing) };
        if token.access != *known && !token.is_over() {
            return Some(Held::Token(Box::new(token)));
        }
        match renew(fetcher, &token).await {
            Renewal::Granted(Granted { access, refresh, expires_at }) => {
                (token.access, token.refresh, token.expires_at) = (access, refresh, expires_at);
                if let Err(error) = self.tokens.save(&self.name, token.clone()).await {
                    tracing::warn!("{error}");
                }
                Some(Held::Token(Box::new(token)))
            }
            Renewal::Refused => {
                if let Err(error) = self.tokens.forget(&self.name).await {
                    tracing::warn!("{error}");
                }
                Some(Held::Nothing)
            }
            Renewal::Unknown => None,
        }
    }
}

impl Held {
    fn header(&self) -> Option<HeaderValue> {
        let Held::Token(token) = self else { return None };
        let mut header = HeaderValue::from_str(&format!("Bearer {}", token.access.reveal())).ok()?;
        header.set_sensitive(true);
        Some(header)
    }
}
