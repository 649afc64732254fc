//! One request to an agent and what comes back: a value or a stream. Every wait and every body has a bound.

use crate::agent_address::{AgentAddress, host_of};
use crate::card::{ChosenInterface, InterfaceVersion, ProtocolBinding};
use crate::error::RemoteError;
use crate::event_stream::AgentEventStream;
use crate::stream_allowance::StreamAllowance;
use crate::{grpc, v03_proto};
use futures_util::{StreamExt, TryStreamExt};
use pollux_session::describe_error_chain;
use pollux_wire::devtool;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, Response, Url, redirect};
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::Duration;

/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(10);
/// The time limit between two bytes. An agent at work may be silent for minutes.
const IDLE: Duration = Duration::from_secs(300);
/// The time limit of a plain answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(60);
/// The largest plain answer.
pub(crate) const ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// The largest card.
const CARD_BYTES: usize = 1024 * 1024;
/// The most characters of an error page that are repeated.
pub(crate) const SAID_CHARS: usize = 300;
const REDIRECTS: usize = 3;

/// A request to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentOperation {
    Send,
    Stream,
    Get,
    Cancel,
    Subscribe,
}

impl AgentOperation {
    fn method(self, version: InterfaceVersion) -> &'static str {
        match (version, self) {
            (InterfaceVersion::V03, AgentOperation::Send) => "message/send",
            (InterfaceVersion::V03, AgentOperation::Stream) => "message/stream",
            (InterfaceVersion::V03, AgentOperation::Get) => "tasks/get",
            (InterfaceVersion::V03, AgentOperation::Cancel) => "tasks/cancel",
            (InterfaceVersion::V03, AgentOperation::Subscribe) => "tasks/resubscribe",
            (InterfaceVersion::V10, AgentOperation::Send) => "SendMessage",
            (InterfaceVersion::V10, AgentOperation::Stream) => "SendStreamingMessage",
            (InterfaceVersion::V10, AgentOperation::Get) => "GetTask",
            (InterfaceVersion::V10, AgentOperation::Cancel) => "CancelTask",
            (InterfaceVersion::V10, AgentOperation::Subscribe) => "SubscribeToTask",
        }
    }

    /// True if a stream comes back.
    pub(crate) fn streams(self) -> bool {
        matches!(self, AgentOperation::Stream | AgentOperation::Subscribe)
    }

    /// The place behind the interface's address, on HTTP+JSON.
    fn path(self, version: InterfaceVersion, params: &Value) -> String {
        let tenant = match version {
            InterfaceVersion::V03 => "/v1".to_owned(),
            InterfaceVersion::V10 => {
                let tenant = params.get("tenant").and_then(Value::as_str);
                tenant.map(|tenant| format!("/{tenant}")).unwrap_or_default()
            }
        };
        let id = params.get("id").and_then(Value::as_str).unwrap_or_default();
        match self {
            AgentOperation::Send => format!("{tenant}/message:send"),
            AgentOperation::Stream => format!("{tenant}/message:stream"),
            AgentOperation::Get => format!("{tenant}/tasks/{id}"),
            AgentOperation::Cancel => format!("{tenant}/tasks/{id}:cancel"),
            AgentOperation::Subscribe => format!("{tenant}/tasks/{id}:subscribe"),
        }
    }
}

/// The answer to a request.
pub(crate) enum AgentResponse {
    Value(Value),
    Stream(AgentEventStream),
}

/// The HTTP side.
pub(crate) struct AgentHttpClient {
    client: Client,
    address: AgentAddress,
    /// For gRPC, which wants HTTP/2: made when it is first needed.
    http2: OnceLock<Client>,
}

impl AgentHttpClient {
    pub(crate) fn new(address: &AgentAddress) -> Result<AgentHttpClient, RemoteError> {
        let client = build(address, client_builder(address))?;
        Ok(AgentHttpClient { client, address: address.clone(), http2: OnceLock::new() })
    }

    /// The client that speaks HTTP/2.
    fn http2(&self, line: &ChosenInterface) -> Result<&Client, RemoteError> {
        if let Some(client) = self.http2.get() {
            return Ok(client);
        }
        let builder = client_builder(&self.address);
        let plain = line.url.scheme() == "http";
        // With TLS both sides agree on it; in plain text it has to be known.
        let client = build(&self.address, if plain { builder.http2_prior_knowledge() } else { builder })?;
        Ok(self.http2.get_or_init(|| client))
    }

    /// The card, as JSON.
    pub(crate) async fn card(&self, address: &AgentAddress) -> Result<Value, RemoteError> {
        let request =
            self.client.get(address.card.clone()).header(ACCEPT, "application/json").header("A2A-Version", "1.0");
        let response = self.send_request(&address.card, request.timeout(ANSWER)).await?;
        let body = self.body(response, CARD_BYTES).await?;
        serde_json::from_slice(&body)
            .map_err(|error| RemoteError::Card { host: self.address.host(), why: format!("it is not JSON ({error})") })
    }

    /// Ask for something on `line`. `cursor`: where a broken stream stopped. `allowance`: what a stream may bring.
    pub(crate) async fn call(
        &self,
        line: &ChosenInterface,
        devtool: bool,
        operation: AgentOperation,
        params: &Value,
        cursor: Option<&str>,
        allowance: &StreamAllowance,
    ) -> Result<AgentResponse, RemoteError> {
        let streams = operation.streams();
        let headers = headers(line.version, devtool, streams);
        let params = if line.speaks_proto_of_0_3() { &v03_proto::write_request(params) } else { params };
        let request = match line.binding {
            ProtocolBinding::Grpc => {
                return grpc::call(self.http2(line)?, line, headers, operation, params, allowance).await;
            }
            ProtocolBinding::JsonRpc => {
                let id = uuid::Uuid::now_v7().to_string();
                let method = operation.method(line.version);
                let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                self.client.post(line.url.clone()).json(&body)
            }
            ProtocolBinding::HttpJson => {
                let place =
                    format!("{}{}", line.url.as_str().trim_end_matches('/'), operation.path(line.version, params));
                match (operation, line.version) {
                    (AgentOperation::Get, _) | (AgentOperation::Subscribe, InterfaceVersion::V03) => {
                        self.client.get(place)
                    }
                    _ => self.client.post(place).json(params),
                }
            }
        };
        let mut request = request.headers(headers);
        if let Some(cursor) = cursor.and_then(|cursor| HeaderValue::try_from(cursor).ok()) {
            request = request.header("Last-Event-ID", cursor);
        }
        if !streams {
            request = request.timeout(ANSWER);
        }
        let response = self.send_request(&line.url, request).await?;
        let is_stream = content_type(&response).starts_with("text/event-stream");
        if is_stream && response.status().is_success() {
            let bytes = response.bytes_stream().map_err(|error| describe_error_chain(&error.without_url()));
            return Ok(AgentResponse::Stream(AgentEventStream::from_sse(bytes, allowance.clone())));
        }
        let status = response.status();
        let body = self.body(response, ANSWER_BYTES).await;
        match serde_json::from_slice(&body?) {
            Ok(value) if line.binding == ProtocolBinding::HttpJson && !status.is_success() => {
                Err(refusal(&value, i64::from(status.as_u16())))
            }
            Ok(value) => unwrap_result(value, line).map(AgentResponse::Value),
            Err(error) => Err(RemoteError::Garbled { why: format!("{error} (HTTP status {status})") }),
        }
    }

    /// Send a request; an HTTP error without a JSON body is an error here.
    async fn send_request(&self, url: &Url, request: reqwest::RequestBuilder) -> Result<Response, RemoteError> {
        let host = host_of(url);
        let response = request.send().await.map_err(|error| RemoteError::Unreachable {
            host: host.clone(),
            why: describe_error_chain(&error.without_url()),
        })?;
        let status = response.status();
        if status.is_success() || content_type(&response).contains("json") {
            return Ok(response);
        }
        let page = self.body(response, ANSWER_BYTES).await.unwrap_or_default();
        let said = String::from_utf8_lossy(&page).split_whitespace().collect::<Vec<_>>().join(" ");
        Err(RemoteError::Status { host, status: status.as_u16(), said: said.chars().take(SAID_CHARS).collect() })
    }

    async fn body(&self, response: Response, limit: usize) -> Result<Vec<u8>, RemoteError> {
        let mut bytes = response.bytes_stream();
        let mut body = Vec::new();
        while let Some(piece) = bytes.next().await {
            let piece = piece.map_err(|error| RemoteError::Unreachable {
                host: self.address.host(),
                why: describe_error_chain(&error.without_url()),
            })?;
            body.extend_from_slice(&piece);
            if body.len() > limit {
                return Err(RemoteError::TooMuch { limit });
            }
        }
        Ok(body)
    }
}

/// The settings of every request.
fn client_builder(address: &AgentAddress) -> ClientBuilder {
    // An error means that one is installed already, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut headers = HeaderMap::new();
    if let Some(credential) = &address.credential {
        headers.insert(credential.header.clone(), credential.value.clone());
    }
    let same_host = redirect::Policy::custom(|attempt| {
        let began = attempt.previous().first();
        let stays = began.is_some_and(|began| began.origin() == attempt.url().origin());
        match stays && attempt.previous().len() <= REDIRECTS {
            true => attempt.follow(),
            false => attempt.error("it points to another place, and credentials are not carried there"),
        }
    });
    let builder = Client::builder()
        .connect_timeout(CONNECT)
        .read_timeout(IDLE)
        .redirect(same_host)
        .user_agent(concat!("pollux/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers);
    match address.is_plain() {
        // As for models: in plain text neither the system's certificates nor a proxy are needed.
        true => builder.tls_certs_only([]).no_proxy(),
        false => builder,
    }
}

fn build(address: &AgentAddress, builder: ClientBuilder) -> Result<Client, RemoteError> {
    builder
        .build()
        .map_err(|error| RemoteError::Unreachable { host: address.host(), why: describe_error_chain(&error) })
}

fn headers(version: InterfaceVersion, devtool: bool, streams: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let accept = if streams { "text/event-stream, application/json" } else { "application/json" };
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    let extensions = match version {
        InterfaceVersion::V03 => "x-a2a-extensions",
        InterfaceVersion::V10 => {
            headers.insert("a2a-version", HeaderValue::from_static("1.0"));
            "a2a-extensions"
        }
    };
    if devtool {
        headers.insert(HeaderName::from_static(extensions), HeaderValue::from_static(devtool::URI));
    }
    headers
}

/// The result in an answer or an event; an error in it is an error.
pub(crate) fn unwrap_result(mut value: Value, line: &ChosenInterface) -> Result<Value, RemoteError> {
    if value.get("error").is_some_and(Value::is_object) {
        return Err(refusal(&value, 0));
    }
    match line.binding {
        _ if line.speaks_proto_of_0_3() => Ok(v03_proto::read_answer(value)),
        ProtocolBinding::HttpJson | ProtocolBinding::Grpc => Ok(value),
        ProtocolBinding::JsonRpc => match value.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(RemoteError::Garbled { why: "a JSON-RPC answer without result and error".into() }),
        },
    }
}

/// Why an agent refused. `code` stands for one that it does not give.
fn refusal(value: &Value, code: i64) -> RemoteError {
    let error = value.get("error").filter(|error| error.is_object()).unwrap_or(value);
    let message = ["message", "detail"].into_iter().find_map(|name| error.get(name)?.as_str());
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(code);
    RemoteError::Refused { code, message: message.unwrap_or("no reason given").chars().take(SAID_CHARS).collect() }
}

fn content_type(response: &Response) -> &str {
    response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
