//! The older way over HTTP: one stream of events to read, and an address to post to, which the first event names.

use super::http::{McpHttpClient, McpHttpError};
use super::{EntryConnector, McpConnection, initialize};
use crate::mcp::client_handler::McpClientHandler;
use crate::mcp::connection_error::McpConnectionError;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::Url;
use reqwest::header::ACCEPT;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

pub(super) async fn connect(
    line: &EntryConnector,
    url: &str,
    client: McpClientHandler,
) -> Result<McpConnection, McpConnectionError> {
    let web = McpHttpClient::new(line, url)?;
    let cause = web.cause();
    let failed = |error: McpHttpError| web.refusal().unwrap_or(McpConnectionError::Handshake(error.to_string()));
    let events = open(&web).await.map_err(failed)?;
    match initialize(client, events).await {
        Ok(running) => Ok(McpConnection { running, cause, _processes: None }),
        Err(failure) => Err(web.refusal().unwrap_or(cause.explain(failure).await)),
    }
}

struct SseTransport {
    web: McpHttpClient,
    incoming: BoxStream<'static, Result<Sse, SseError>>,
    /// Where messages are posted.
    endpoint: Url,
}

async fn open(web: &McpHttpClient) -> Result<SseTransport, McpHttpError> {
    let request = web.get(web.url.clone()).header(ACCEPT, "text/event-stream");
    let response = web.send(request).await.inspect_err(|error| web.note(error))?;
    let mut incoming = web.events(response);
    while let Some(Ok(event)) = incoming.next().await {
        if event.event.as_deref() == Some("endpoint") {
            let endpoint = web.url.join(event.data.unwrap_or_default().trim()).map_err(|_| McpHttpError::NoEndpoint)?;
            // Elsewhere the headers, and with them keys, would go to strangers.
            if endpoint.origin() != web.url.origin() {
                return Err(McpHttpError::NoEndpoint);
            }
            return Ok(SseTransport { web: web.clone(), incoming, endpoint });
        }
    }
    Err(web.meter.flood().map_or(McpHttpError::NoEndpoint, McpHttpError::Flood))
}

impl Transport<RoleClient> for SseTransport {
    type Error = McpHttpError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), McpHttpError>> + Send + 'static {
        let (web, endpoint) = (self.web.clone(), self.endpoint.clone());
        async move {
            let sent = web.send(web.post(endpoint, &message)).await.inspect_err(|error| web.note(error));
            sent.map(drop)
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let event = self.incoming.next().await?.ok()?;
            // What is not a message is ignored, as on every other way.
            if let Ok(message) = serde_json::from_str(&event.data.unwrap_or_default()) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), McpHttpError> {
        self.incoming = futures_util::stream::empty().boxed();
        Ok(())
    }
}
