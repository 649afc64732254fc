//! Streamable HTTP, with a bound on everything that is read. The protocol crate's own client has none on plain answers.

use super::reach::{AddressTrust, HostLookup, PublicResolver, SystemLookup};
use super::{DisconnectCause, EntryConnector, McpConnection, McpReach, initialize};
use crate::mcp::client_handler::McpClientHandler;
use crate::mcp::connection_error::McpConnectionError;
use crate::mcp::meter::{FloodError, MeteredEvents, TrafficMeter};
use crate::mcp::sign_in::{BearerAuth, first_cause, install_tls_provider, same_site};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::Notify;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
const EVENTS: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";
/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(30);

pub(super) async fn connect(
    line: &EntryConnector,
    url: &str,
    client: McpClientHandler,
) -> Result<McpConnection, McpConnectionError> {
    let web = McpHttpClient::new(line, url)?;
    let config = StreamableHttpClientTransportConfig::with_uri(web.url.as_str());
    let transport = StreamableHttpClientTransport::with_client(web.clone(), config);
    let cause = web.cause();
    match initialize(client, transport).await {
        Ok(running) => Ok(McpConnection { running, cause, _processes: None }),
        Err(failure) => Err(web.refusal().unwrap_or(cause.explain(failure).await)),
    }
}

/// A client for one server.
#[derive(Clone)]
pub(super) struct McpHttpClient {
    client: reqwest::Client,
    pub(super) url: Url,
    pub(super) meter: Arc<TrafficMeter>,
    /// The first no.
    refused: Arc<OnceLock<McpConnectionError>>,
    /// The error when the server demands a sign-in.
    unauthorized: McpConnectionError,
    /// The token from the person's sign-in. None where the entry has a token of its own.
    auth: Option<Arc<BearerAuth>>,
    turned_away: Arc<Notify>,
}

/// Why a request came to nothing.
#[derive(Debug, Error)]
pub(super) enum McpHttpError {
    #[error("{0}")]
    Request(#[from] reqwest::Error),
    #[error(transparent)]
    Flood(#[from] FloodError),
    #[error("HTTP {0}")]
    Status(u16),
    #[error("{0}")]
    Unauthorized(String),
    #[error("the server's answer is not a message: {0}")]
    Answer(#[from] serde_json::Error),
    #[error("the server's answer is neither JSON nor events")]
    Media,
    #[error("the server did not say where to send messages")]
    NoEndpoint,
}

impl McpHttpClient {
    pub(super) fn new(line: &EntryConnector, url: &str) -> Result<McpHttpClient, McpConnectionError> {
        McpHttpClient::with_lookup(line, url, Arc::new(SystemLookup))
    }

    pub(super) fn with_lookup(
        line: &EntryConnector,
        url: &str,
        lookup: Arc<dyn HostLookup>,
    ) -> Result<McpHttpClient, McpConnectionError> {
        let (parsed, trust) = line.reach.vet(url).map_err(|why| match line.reach {
            McpReach::Anywhere => McpConnectionError::BadUrl { url: url.to_owned(), why },
            McpReach::Public { .. } => McpConnectionError::NotAllowed { url: url.to_owned(), why },
        })?;
        install_tls_provider();
        let builder = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .default_headers(headers(line)?)
            // Elsewhere they would carry the headers, and with them keys, to strangers.
            .redirect(same_site());
        let builder = match trust {
            AddressTrust::Named => builder,
            // A proxy would resolve names by itself, out of our sight.
            AddressTrust::Nobody => builder.no_proxy().dns_resolver(Arc::new(PublicResolver(lookup))),
        };
        let client = builder.build().map_err(|error| McpConnectionError::Client(error.to_string()))?;
        let (unauthorized, pass) = match &line.tokens {
            _ if line.config.is_authorized() => (McpConnectionError::BadToken, None),
            // To sign in to a client's server would be to fetch whatever addresses that names.
            _ if line.reach != McpReach::Anywhere => (McpConnectionError::sign_in(&line.name), None),
            None => (McpConnectionError::sign_in(&line.name), None),
            Some(tokens) => (
                McpConnectionError::sign_in(&line.name),
                Some(Arc::new(BearerAuth::new(&line.name, url, &parsed, tokens))),
            ),
        };
        Ok(McpHttpClient {
            client,
            url: parsed,
            meter: TrafficMeter::new(&line.limits),
            refused: Arc::default(),
            unauthorized,
            auth: pass,
            turned_away: Arc::default(),
        })
    }

    pub(super) fn cause(&self) -> DisconnectCause {
        DisconnectCause { turned_away: self.turned_away.clone(), ..DisconnectCause::new(self.meter.clone()) }
    }

    /// Why the server did not let us in, if it did not.
    pub(super) fn refusal(&self) -> Option<McpConnectionError> {
        self.refused.get().cloned()
    }

    pub(super) fn get(&self, url: Url) -> RequestBuilder {
        self.client.get(url)
    }

    pub(super) fn post(&self, url: Url, message: &ClientJsonRpcMessage) -> RequestBuilder {
        self.client.post(url).json(message)
    }

    /// The answer, if it is a good one. The person's sign-in goes along, renewed where it must be.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Response, McpHttpError> {
        let Some(pass) = &self.auth else { return self.send_once(request).await };
        let again = request.try_clone();
        let shown = pass.current_header().await;
        let mut answer = self.send_once(with_bearer(request, shown.as_ref())).await;
        if let (Err(McpHttpError::Unauthorized(_)), Some(again)) = (&answer, again)
            && let Some(renewed) = pass.renew_header(shown.as_ref()).await
        {
            answer = self.send_once(with_bearer(again, Some(&renewed))).await;
        }
        if let Err(McpHttpError::Unauthorized(_)) = &answer {
            self.turned_away.notify_one();
        }
        answer
    }

    async fn send_once(&self, request: RequestBuilder) -> Result<Response, McpHttpError> {
        let response = request.send().await.map_err(reqwest::Error::without_url)?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(match response.status().as_u16() {
            401 => McpHttpError::Unauthorized(self.unauthorized.to_string()),
            other => McpHttpError::Status(other),
        })
    }

    /// Remember that the server refused, for [`McpHttpClient::refusal`].
    pub(super) fn note(&self, error: &McpHttpError) {
        let failure = match error {
            McpHttpError::Unauthorized(_) => self.unauthorized.clone(),
            McpHttpError::Status(403) => McpConnectionError::Forbidden,
            McpHttpError::Status(other) => McpConnectionError::Status(*other),
            McpHttpError::Request(error) if error.is_connect() => McpConnectionError::Unreachable(first_cause(error)),
            _ => return,
        };
        self.refused.get_or_init(|| failure);
    }

    /// The events of an answer.
    pub(super) fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let mut metered = MeteredEvents::new(self.meter.clone());
        let bytes = response.bytes_stream().map(move |piece| {
            let piece = piece.map_err(reqwest::Error::without_url)?;
            metered.take(&piece)?;
            Ok::<_, McpHttpError>(piece)
        });
        SseStream::from_bytes_stream(bytes).boxed()
    }

    /// The whole body of an answer.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, McpHttpError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(reqwest::Error::without_url)? {
            self.meter.check_size(body.len() + piece.len())?;
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    async fn post_once(
        &self,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, McpHttpError> {
        let mut request = self.post(self.url.clone(), message).header(ACCEPT, BOTH).headers(to_header_map(headers));
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        let response = self.send(request).await.inspect_err(|error| self.note(error))?;
        if matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (session, media) = (header(SESSION), header(CONTENT_TYPE.as_str()).unwrap_or_default());
        if media.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        let body = self.body(response).await?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            // Only a request has an answer; to anything else a server may say what it likes.
            Err(_) if !matches!(message, ClientJsonRpcMessage::Request(_)) => Ok(StreamableHttpPostResponse::Accepted),
            Err(_) if !media.starts_with("application/json") => Err(McpHttpError::Media),
            Err(error) => Err(error.into()),
        }
    }
}

impl StreamableHttpClient for McpHttpClient {
    type Error = McpHttpError;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<McpHttpError>> {
        match self.post_once(&message, session_id.as_deref(), headers).await {
            Err(McpHttpError::Status(404)) if session_id.is_some() => Err(StreamableHttpError::SessionExpired),
            answered => answered.map_err(StreamableHttpError::Client),
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<McpHttpError>> {
        let request =
            self.client.delete(self.url.clone()).header(SESSION, &*session_id).headers(to_header_map(headers));
        match self.send(request).await {
            Ok(_) | Err(McpHttpError::Status(405)) => Ok(()),
            Err(error) => Err(StreamableHttpError::Client(error)),
        }
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableHttpError<McpHttpError>> {
        let mut request = self.get(self.url.clone()).header(ACCEPT, EVENTS).headers(to_header_map(headers));
        if let Some(session) = &session_id {
            request = request.header(SESSION, &**session);
        }
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        match self.send(request).await {
            Ok(response) => Ok(self.events(response)),
            Err(McpHttpError::Status(405)) => Err(StreamableHttpError::ServerDoesNotSupportSse),
            Err(error) => Err(StreamableHttpError::Client(error)),
        }
    }
}

/// The request with the person's sign-in, if there is one.
fn with_bearer(request: RequestBuilder, bearer: Option<&HeaderValue>) -> RequestBuilder {
    match bearer {
        Some(bearer) => request.header(AUTHORIZATION, bearer),
        None => request,
    }
}

fn to_header_map(headers: HashMap<HeaderName, HeaderValue>) -> HeaderMap {
    headers.into_iter().collect()
}

/// The headers of the entry.
fn headers(line: &EntryConnector) -> Result<HeaderMap, McpConnectionError> {
    let headers = line.config.headers.iter().map(|(name, value)| {
        let bad = || McpConnectionError::BadHeader(name.clone());
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        Ok((HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value))
    });
    headers.collect()
}
