//! Headers by which a receiver knows that news comes from here, as its configuration asks for them.

use crate::errors::RequestError;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use pollux_wire::a2a::{PushAuthentication, PushNotificationConfig};
use ring::hmac;

#[cfg(test)]
mod tests;

/// The scheme that signs instead of showing the secret.
const HMAC_SHA256: &str = "hmac-sha256";
/// The shortest secret to sign with.
const MIN_KEY: usize = 16;
/// The longest token or secret.
const MAX_SECRET: usize = 4096;

/// Both names of the token's header: that of 0.3 and the SDK in Python, that of the SDKs in Go and Rust.
const TOKEN_HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("x-a2a-notification-token"), HeaderName::from_static("a2a-notification-token")];
const TIMESTAMP: HeaderName = HeaderName::from_static("x-a2a-notification-timestamp");
const NONCE: HeaderName = HeaderName::from_static("x-a2a-notification-nonce");
const SIGNATURE: HeaderName = HeaderName::from_static("x-a2a-notification-signature");

/// Headers that prove to a receiver who is calling. They hold secrets, so they can be neither printed nor written.
pub(super) struct PushAuthHeaders {
    token: Option<HeaderValue>,
    authorization: Option<HeaderValue>,
    key: Option<hmac::Key>,
}

/// The part that makes one signature unlike all others.
pub(super) struct SignatureNonce {
    /// Seconds since 1970.
    pub(super) timestamp: i64,
    /// Random bytes.
    pub(super) nonce: [u8; 16],
}

impl PushAuthHeaders {
    /// The headers that `config` asks for, if they can be sent.
    pub(super) fn from_config(config: &PushNotificationConfig) -> Result<PushAuthHeaders, RequestError> {
        let token = config.token.as_deref().filter(|token| !token.is_empty());
        let token = token.map(|token| secret("token", token)).transpose()?;
        let mut proof = PushAuthHeaders { token, authorization: None, key: None };
        let Some(PushAuthentication { schemes, credentials }) = &config.authentication else { return Ok(proof) };
        // Without credentials there is nothing to show: the token has to do.
        let Some(credentials) = credentials.as_deref().filter(|credentials| !credentials.is_empty()) else {
            return Ok(proof);
        };
        let Some(scheme) = schemes.first() else {
            return Err(RequestError::invalid_params("`authentication` has credentials but names no scheme for them"));
        };
        if scheme.eq_ignore_ascii_case(HMAC_SHA256) {
            if !(MIN_KEY..=MAX_SECRET).contains(&credentials.len()) {
                return Err(RequestError::invalid_params(format!(
                    "`authentication.credentials` must have {MIN_KEY} to {MAX_SECRET} bytes to sign with"
                )));
            }
            proof.key = Some(hmac::Key::new(hmac::HMAC_SHA256, credentials.as_bytes()));
        } else {
            // The name of a scheme is made like that of a header.
            HeaderName::from_bytes(scheme.as_bytes()).map_err(|_| {
                RequestError::invalid_params("`authentication` names a scheme that is none; try Bearer")
            })?;
            proof.authorization = Some(secret("authentication.credentials", &format!("{scheme} {credentials}"))?);
        }
        Ok(proof)
    }

    /// The headers of a request with this body.
    pub(super) fn headers(&self, body: &[u8], moment: &SignatureNonce) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(token) = &self.token {
            headers.extend(TOKEN_HEADERS.map(|name| (name, token.clone())));
        }
        if let Some(authorization) = &self.authorization {
            headers.insert(header::AUTHORIZATION, authorization.clone());
        }
        if let Some(key) = &self.key {
            let nonce = hex(&moment.nonce);
            let mut signing = hmac::Context::with_key(key);
            signing.update(format!("{}.{nonce}.", moment.timestamp).as_bytes());
            signing.update(body);
            let signature = format!("sha256={}", hex(signing.sign().as_ref()));
            let signed = [(TIMESTAMP, moment.timestamp.to_string()), (NONCE, nonce), (SIGNATURE, signature)];
            headers.extend(
                signed.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?))),
            );
        }
        headers
    }
}

/// A secret as a header, if it can be one.
fn secret(name: &str, text: &str) -> Result<HeaderValue, RequestError> {
    if text.len() > MAX_SECRET {
        return Err(RequestError::invalid_params(format!("`{name}` is longer than {MAX_SECRET} bytes")));
    }
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let mut value = plain
        .then(|| HeaderValue::from_str(text).ok())
        .flatten()
        .ok_or_else(|| RequestError::invalid_params(format!("`{name}` holds a character that no header can")))?;
    value.set_sensitive(true);
    Ok(value)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
