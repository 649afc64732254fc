//! The access token in use, asked for when it is needed and kept until shortly before it expires.

use super::key_file::KeyFile;
use super::{Adc, grant};
use crate::error::ModelError;
use crate::provider::Provider;
use crate::transport::ApiKey;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The time before its end from which a token is not used any more: a request must not outlive it on the way.
const MARGIN: Duration = Duration::from_secs(60);

/// Tokens for one model.
pub(crate) struct Tokens {
    adc: Adc,
    /// Locked while one is asked for, so that many requests at once ask for one.
    held: Mutex<Option<HeldToken>>,
}

/// A token and how long it is good for.
#[derive(Clone)]
pub(super) struct HeldToken {
    token: ApiKey,
    until: Instant,
    charged: Option<String>,
}

impl Tokens {
    pub(in crate::gemini) fn new(adc: Adc) -> Tokens {
        Tokens { adc, held: Mutex::default() }
    }

    /// A token that is good for a while.
    pub(super) async fn current(&self) -> Result<HeldToken, ModelError> {
        let mut held = self.held.lock().await;
        match &*held {
            Some(token) if token.until > Instant::now() + MARGIN => Ok(token.clone()),
            _ => Ok(held.insert(self.ask().await?).clone()),
        }
    }

    /// Another token than `stale`, which was not accepted.
    pub(super) async fn instead_of(&self, stale: &HeldToken) -> Result<HeldToken, ModelError> {
        let mut held = self.held.lock().await;
        match &*held {
            // Somebody else was faster.
            Some(token) if token.token.reveal() != stale.token.reveal() => Ok(token.clone()),
            _ => Ok(held.insert(self.ask().await?).clone()),
        }
    }

    async fn ask(&self) -> Result<HeldToken, ModelError> {
        let file = KeyFile::find(&self.adc).await?;
        let granted = match &file {
            Some(file) => grant::from_file(file).await?,
            None => grant::from_metadata(&self.adc.metadata).await?,
        };
        let of_file = match file {
            Some(KeyFile::Person { charged, .. }) => charged,
            Some(KeyFile::ServiceAccount { .. }) | None => None,
        };
        let charged = self.adc.charged.clone().or(of_file);
        Ok(HeldToken { token: granted.token, until: Instant::now() + granted.lasts, charged })
    }
}

impl HeldToken {
    /// The headers that carry it.
    pub(super) fn headers(&self) -> Result<HeaderMap, ModelError> {
        let unusable = |_| ModelError::Credentials { why: "the token that was given cannot be sent".to_owned() };
        let bearer = self.token.header("Bearer ", Provider::Vertex).map_err(unusable)?;
        let mut headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
        if let Some(project) = &self.charged {
            let unusable =
                |_| ModelError::Credentials { why: "the project to charge is not a project's id".to_owned() };
            headers.insert("x-goog-user-project", HeaderValue::try_from(project).map_err(unusable)?);
        }
        Ok(headers)
    }
}
