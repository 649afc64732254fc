//! The other end of one request: told how the work goes, asked what the work needs to know.
#![expect(deprecated, reason = "a later protocol drops log messages; the clients of today show them")]

use super::elicitation_form::{ElicitationForm, ElicitationReply};
use pollux_session::{Owner, Rights, Who};
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, Implementation, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerRequest,
};
use rmcp::service::{ElicitationMode, Peer, PeerRequestOptions, RequestContext, ServiceError};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The longest name a client is shown by.
const LABEL_CHARS: usize = 64;
/// The longest progress message.
const MESSAGE_CHARS: usize = 200;

/// The client behind one request.
#[derive(Clone)]
pub(super) struct McpRequestClient {
    owner: Owner,
    peer: Peer<RoleServer>,
    info: Option<Implementation>,
    protocol: ProtocolVersion,
    progress: Option<ProgressToken>,
    progress_count: u32,
    level: watch::Receiver<LoggingLevel>,
    /// Cancelled when the client takes the request back.
    cancelled: CancellationToken,
    /// Cancelled when the server closes.
    closing: CancellationToken,
}

impl McpRequestClient {
    /// The client behind a request, of a server that stops when `closing` is cancelled. Its sessions are `owner`'s.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        owner: Owner,
        level: watch::Receiver<LoggingLevel>,
        closing: CancellationToken,
    ) -> McpRequestClient {
        McpRequestClient {
            owner,
            peer: context.peer.clone(),
            info: context.client_info(),
            protocol: context.protocol_version().unwrap_or(ProtocolVersion::V_2024_11_05),
            progress: context.meta.get_progress_token(),
            progress_count: 0,
            level,
            cancelled: context.ct.clone(),
            closing,
        }
    }

    /// Until nobody wants the result any more.
    pub(super) async fn cancelled(&self) {
        tokio::select! {
            () = self.cancelled.cancelled() => {}
            () = self.closing.cancelled() => {}
        }
    }

    /// True if nobody wants the result any more.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled() || self.closing.is_cancelled()
    }

    /// The name that it gives itself.
    pub(super) fn label(&self) -> String {
        let name = self.info.as_ref().map(|info| info.name.as_str()).unwrap_or_default();
        let plain: String = name.chars().filter(|ch| !ch.is_control()).take(LABEL_CHARS).collect();
        if plain.trim().is_empty() { "MCP client".into() } else { format!("MCP {}", plain.trim()) }
    }

    /// The identity of its seats at sessions. It was started by the person whose sessions these are, and puts asks to
    /// them.
    pub(super) fn who(&self) -> Who {
        let owner = self.owner.clone();
        Who { owner, principal: "local".into(), label: self.label(), rights: Rights::all() }
    }

    /// Say how far the work is, if that was asked for.
    pub(super) async fn progress(&mut self, message: &str) {
        let Some(token) = &self.progress else { return };
        self.progress_count += 1;
        let message: String = message.chars().take(MESSAGE_CHARS).collect();
        let told = ProgressNotificationParam::new(token.clone(), f64::from(self.progress_count)).with_message(message);
        // A client that has gone is noticed by whoever reads from it.
        let _ = self.peer.notify_progress(told).await;
    }

    /// Send a log message, unless the client wants only more important ones.
    pub(super) async fn log(&self, level: LoggingLevel, text: &str) {
        if (level as u8) < (*self.level.borrow() as u8) {
            return;
        }
        let message = LoggingMessageNotificationParam::new(level, json!(text)).with_logger("pollux");
        // As above.
        let _ = self.peer.notify_logging_message(message).await;
    }

    /// Put a question to the person, if the client can, until it is taken back.
    pub(super) async fn ask(&self, question: &ElicitationForm, taken_back: &CancellationToken) -> ElicitationReply {
        if !self.peer.supported_elicitation_modes().contains(&ElicitationMode::Form) {
            return ElicitationReply::NotAsked(
                "this MCP client cannot ask the person (it does not support elicitation)".into(),
            );
        }
        let titled = self.protocol >= ProtocolVersion::V_2025_11_25;
        let request = match question.request(titled) {
            Ok(request) => request,
            Err(why) => return ElicitationReply::NotAsked(why),
        };
        match self.elicit(request, taken_back).await {
            Ok(Some(result)) if result.action == ElicitationAction::Accept => question.read_answer(result.content),
            Ok(_) => ElicitationReply::Declined,
            Err(error) => ElicitationReply::NotAsked(format!("this MCP client could not ask the person: {error}")),
        }
    }

    /// The answer to a form; `None` when it was taken back, which the client is told.
    async fn elicit(
        &self,
        request: ElicitRequestParams,
        taken_back: &CancellationToken,
    ) -> Result<Option<ElicitResult>, ServiceError> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(request));
        let mut sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let answer = tokio::select! {
            answer = &mut sent.rx => answer.map_err(|_| ServiceError::TransportClosed)??,
            () = taken_back.cancelled() => {
                sent.cancel(Some("it is not needed any more".into())).await?;
                return Ok(None);
            }
        };
        match answer {
            ClientResult::ElicitResult(result) => Ok(Some(result)),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}
