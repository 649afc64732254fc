//! One attempt to tell a receiver one piece of news.

use super::PushRetryPolicy;
use super::auth_headers::SignatureNonce;
use super::destination_policy::{DestinationPolicy, HostTrust};
use super::retry::read_retry_after;
use super::target::PushDestination;
use crate::version::A2aVersion;
use axum::http::{HeaderValue, StatusCode, header};
use bytes::Bytes;
use pollux_session::describe_error_chain;
use reqwest::{Client, redirect};
use std::sync::OnceLock;
use std::time::Duration;

/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// Names a piece of news, so that a receiver that is told twice can know it.
const ID: &str = "x-a2a-notification-id";

/// The result of an attempt.
pub(super) enum DeliveryOutcome {
    /// The receiver has it.
    Delivered,
    /// The receiver is not there any more and says so.
    Gone,
    /// The receiver cannot take this body, so it is of no use to insist.
    Unwanted(String),
    /// It did not work.
    Failed {
        /// Why, without a secret.
        why: String,
        /// The time that the receiver wants to be left alone.
        wait: Option<Duration>,
    },
}

/// Sends requests to where they may go.
pub(super) struct PushSender {
    destination_policy: DestinationPolicy,
    timeout: Duration,
    /// Made when they are first needed: reading the system's certificates takes time, and most servers push nothing.
    trusted: OnceLock<Result<Client, String>>,
    vetted: OnceLock<Result<Client, String>>,
}

impl PushSender {
    pub(super) fn new(destination_policy: DestinationPolicy, patience: &PushRetryPolicy) -> PushSender {
        PushSender { destination_policy, timeout: patience.timeout, trusted: OnceLock::new(), vetted: OnceLock::new() }
    }

    /// Where news may be sent.
    pub(super) fn destination_policy(&self) -> &DestinationPolicy {
        &self.destination_policy
    }

    /// Send `body`, named `id`.
    pub(super) async fn send(&self, to: &PushDestination, id: &str, body: Bytes) -> DeliveryOutcome {
        match self.attempt(to, id, body).await {
            Ok(outcome) => outcome,
            Err(why) => DeliveryOutcome::Failed { why, wait: None },
        }
    }

    async fn attempt(&self, to: &PushDestination, id: &str, body: Bytes) -> Result<DeliveryOutcome, String> {
        // Again at every delivery: the list of allowed hosts may be another one since the target was set.
        let (url, trust) = self.destination_policy.vet(&to.url)?;
        let mut headers = to.auth_headers.headers(&body, &new_nonce()?);
        let media = match to.audience.version {
            A2aVersion::V03 => "application/json",
            A2aVersion::V10 => "application/a2a+json",
        };
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        let request = self.client(trust)?.post(url).headers(headers).header(ID, id).body(body);
        let response = request.send().await.map_err(|error| describe_error_chain(&error.without_url()))?;
        let status = response.status();
        // The body says nothing that is wanted, so it is not read.
        Ok(match status {
            _ if status.is_success() => DeliveryOutcome::Delivered,
            StatusCode::GONE => DeliveryOutcome::Gone,
            StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
                DeliveryOutcome::Unwanted(format!("it answers {status}"))
            }
            _ => {
                let asked = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
                let wait = asked.and_then(|asked| read_retry_after(asked, jiff::Timestamp::now()));
                let why = if status.is_redirection() { ", and redirects are not followed" } else { "" };
                DeliveryOutcome::Failed { why: format!("it answers {status}{why}"), wait }
            }
        })
    }

    fn client(&self, trust: HostTrust) -> Result<&Client, String> {
        let client = match trust {
            HostTrust::Operator => &self.trusted,
            HostTrust::PublicOnly => &self.vetted,
        };
        client.get_or_init(|| self.connect(trust)).as_ref().map_err(Clone::clone)
    }

    fn connect(&self, trust: HostTrust) -> Result<Client, String> {
        // An error means that one is installed already, which is what is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("pollux/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(self.timeout)
            // A proxy would resolve names by itself, out of our sight.
            .no_proxy()
            .redirect(redirect::Policy::none())
            .dns_resolver(self.destination_policy.resolver(trust))
            .build();
        client.map_err(|error| describe_error_chain(&error))
    }
}

fn new_nonce() -> Result<SignatureNonce, String> {
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce).map_err(|error| format!("no random numbers: {error}"))?;
    Ok(SignatureNonce { timestamp: jiff::Timestamp::now().as_second(), nonce })
}
