//! Asking Google for an access token.

use super::key_file::KeyFile;
use crate::error::{ModelError, ProviderFault};
use crate::provider::Provider;
use crate::settings::{PlainHttp, read_url};
use crate::transport::{ApiKey, HttpTimeouts, client};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::StreamExt;
use pollux_session::describe_error_chain;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{RequestBuilder, Url};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The scope of the token.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// The lifetime of a signed claim, in seconds: the longest Google takes.
const CLAIM_LASTS: u64 = 3600;
/// The longest answer that is read, in bytes.
const LONGEST: usize = 64 * 1024;

/// A token as it was given.
pub(super) struct IssuedToken {
    pub(super) token: ApiKey,
    pub(super) lasts: Duration,
}

/// Ask for a token with what a file holds.
pub(super) async fn from_file(file: &KeyFile) -> Result<IssuedToken, ModelError> {
    let (address, form) = match file {
        KeyFile::ServiceAccount { email, key, key_id, token_address } => {
            let claim = sign(key, key_id.as_deref(), email, token_address)?;
            let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
            (token_address, encode(&[("grant_type", grant), ("assertion", claim.reveal())])?)
        }
        KeyFile::Person { client_id, client_secret, refresh_token, token_address, .. } => {
            let fields = [
                ("grant_type", "refresh_token"),
                ("client_id", client_id),
                ("client_secret", client_secret.reveal()),
                ("refresh_token", refresh_token.reveal()),
            ];
            (token_address, encode(&fields)?)
        }
    };
    let unusable = |error: crate::settings::SettingsError| ModelError::Credentials { why: error.to_string() };
    let url = read_url("token_uri", address, PlainHttp::Loopback).map_err(unusable)?;
    let client = client(&url, HeaderMap::new(), HttpTimeouts::default()).map_err(unusable)?;
    let request = client.post(url.clone()).header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form);
    ask(request, url.host_str().unwrap_or_default()).await
}

/// Ask the metadata server of the machine we may be on for a token of its account.
pub(super) async fn from_metadata(host: &str) -> Result<IssuedToken, ModelError> {
    let nobody = |why: String| ModelError::Credentials { why: format!("no key file was found, and {why}") };
    let address = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
    let url = Url::parse(&address).map_err(|_| nobody(format!("GCE_METADATA_HOST {host:?} is not a host")))?;
    // Elsewhere than in Google's cloud nobody answers, and that must not take long to find out.
    let limits = HttpTimeouts { connect: Duration::from_secs(3), idle: Duration::from_secs(10) };
    let client = client(&url, HeaderMap::new(), limits).map_err(|error| nobody(error.to_string()))?;
    ask(client.get(url).header("Metadata-Flavor", "Google"), host).await.map_err(|error| match error {
        ModelError::Net { .. } => nobody("no metadata server answers".to_owned()),
        other => other,
    })
}

async fn ask(request: RequestBuilder, host: &str) -> Result<IssuedToken, ModelError> {
    let unreachable = |error: reqwest::Error| ModelError::Net {
        provider: Provider::Vertex,
        host: host.to_owned(),
        message: describe_error_chain(&error.without_url()),
    };
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(unreachable)?;
        bytes.extend_from_slice(&piece[..piece.len().min(LONGEST - bytes.len())]);
    }
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if status == 200 {
        let token = answer["access_token"].as_str().and_then(ApiKey::new);
        let lasts = Duration::from_secs(answer["expires_in"].as_u64().unwrap_or(0));
        return token
            .map(|token| IssuedToken { token, lasts })
            .ok_or_else(|| refused(host, "an answer without a token"));
    }
    let said = ["error_description", "error"].iter().find_map(|key| answer[key].as_str()).unwrap_or_default();
    if status == 429 || status >= 500 {
        return Err(ModelError::Api {
            provider: Provider::Vertex,
            http: status,
            code: status,
            status: "TOKEN".to_owned(),
            message: format!("{host} gives no token: {said}"),
            retry_after: None,
            fault: ProviderFault::Server,
        });
    }
    Err(refused(host, &format!("{status} {said}")))
}

fn refused(host: &str, what: &str) -> ModelError {
    ModelError::Credentials { why: format!("{host} answered {}", what.trim_end()) }
}

/// A claim to be `email`, signed. It is as good as a password while it lasts.
fn sign(key: &RsaKeyPair, key_id: Option<&str>, email: &str, audience: &str) -> Result<ApiKey, ModelError> {
    let unsigned = |what: &str| ModelError::Credentials { why: format!("the claim cannot be signed: {what}") };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| unsigned("the clock is before 1970"))?.as_secs();
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(key_id) = key_id {
        header["kid"] = json!(key_id);
    }
    let claims = json!({"iss": email, "scope": SCOPE, "aud": audience, "iat": now, "exp": now + CLAIM_LASTS});
    let encode = |value: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(value);
    let message = format!("{}.{}", encode(header.to_string().as_bytes()), encode(claims.to_string().as_bytes()));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature)
        .map_err(|_| unsigned("the key does not sign"))?;
    ApiKey::new(&format!("{message}.{}", encode(&signature))).ok_or_else(|| unsigned("nothing came of it"))
}

/// `name=value&other=value`, escaped. The URL type knows how.
fn encode(fields: &[(&str, &str)]) -> Result<String, ModelError> {
    let url = Url::parse_with_params("http://form.invalid/", fields);
    let query = url.ok().and_then(|url| url.query().map(str::to_owned));
    query.ok_or_else(|| ModelError::Credentials { why: "the request for a token cannot be written".to_owned() })
}
