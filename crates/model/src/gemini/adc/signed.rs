//! Requests that carry an access token.

use super::Tokens;
use crate::error::ModelError;
use crate::transport::{HttpTransport, ModelTransport, ProviderRequest, ProviderResponse};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Sends with a token.
pub(crate) struct Signed {
    pub(in crate::gemini) http: Arc<HttpTransport>,
    pub(in crate::gemini) tokens: Arc<Tokens>,
}

impl ModelTransport for Signed {
    fn send(&self, ask: &ProviderRequest) -> BoxFuture<'static, Result<ProviderResponse, ModelError>> {
        let (http, tokens, ask) = (self.http.clone(), self.tokens.clone(), ask.clone());
        async move {
            let held = tokens.current().await?;
            let reply = http.send_with(&ask, held.headers()?).await?;
            if reply.status != 401 {
                return Ok(reply);
            }
            // A token may be withdrawn before its time: once, another one is tried.
            let held = tokens.instead_of(&held).await?;
            http.send_with(&ask, held.headers()?).await
        }
        .boxed()
    }
}
