//! One server: started, kept, watched, started again, and asked.

use super::client_handler::McpClientHandler;
use super::config::McpServerConfig;
use super::connection_error::McpConnectionError;
use super::connector::{McpConnection, McpConnector, StartDeadline};
use super::limits::McpLimits;
use super::offer::{self, McpServerOffer};
use super::plain_text::to_plain_line;
use super::progress::ProgressOutput;
use super::questions::OpenQuestions;
use super::running_calls::{CallEvent, PendingQuestion, RunningCalls};
use super::server_statuses::McpServerStatuses;
use super::status::McpStatus;
use crate::output::{OutputStore, ToolCallContext};
use pollux_session::CallOutcome;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, PingRequest};
use rmcp::{Peer, RoleClient, ServiceError};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

#[cfg(test)]
mod tests;

/// The shortest interval at which a server is asked again what it offers.
const RELIST: Duration = Duration::from_secs(1);
/// The most characters of an error a server reports.
const MAX_ERROR: usize = 2_000;

/// One server of the settings.
pub(super) struct ManagedMcpServer {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    pub(super) limits: McpLimits,
    /// The beginnings of other servers' tool names that begin like ours.
    pub(super) foreign: Vec<String>,
    pub(super) connector: Box<dyn McpConnector>,
    /// Its calls that run: a question of the server is put by one of them.
    pub(super) running: RunningCalls,
    /// The directories it may know of; `None` for a server that is told of none.
    pub(super) roots: Option<watch::Receiver<Vec<PathBuf>>>,
    /// Questions that servers ask right now.
    pub(super) questions: OpenQuestions,
    /// Keeps pictures, sounds and documents, if anybody does.
    pub(super) output_store: Option<Arc<dyn OutputStore>>,
    pub(super) statuses: McpServerStatuses,
    pub(super) live: watch::Sender<Option<LiveMcpServer>>,
    /// A call took too long: is anyone there?
    pub(super) suspect: Notify,
}

/// A server that answers, and what it offers.
#[derive(Clone)]
pub(super) struct LiveMcpServer {
    pub(super) peer: Peer<RoleClient>,
    pub(super) offer: Arc<McpServerOffer>,
}

/// Why a request to a server failed. Data for the model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum McpError {
    /// It is not there.
    #[error("the MCP server {server} is not ready ({why}); go on without it or try again later")]
    NotReady { server: String, why: String },
    /// It went away before it answered.
    #[error("the MCP server {server} ended or was stopped before it answered; what it had done by then is not known")]
    Gone { server: String },
    /// It took too long.
    #[error("the MCP server {server} did not answer within {} seconds; the call was cancelled", .limit.as_secs_f64())]
    Slow { server: String, limit: Duration },
    /// It said no.
    #[error("the MCP server {server} reports: {message}")]
    Refused {
        server: String,
        /// Its words.
        message: String,
    },
    /// It answered in a way that is not MCP.
    #[error("the MCP server {server} answered in a way that cannot be understood")]
    Nonsense { server: String },
    /// It does not offer what is to be read.
    #[error(
        "the MCP server {server} does not offer {uri}: it neither lists this address nor has a template for it; see \
         list_mcp_resources for those it lists"
    )]
    NotOffered {
        server: String,
        /// The address.
        uri: String,
    },
    /// There is no such server.
    #[error("there is no MCP server {server}")]
    Unknown {
        /// The name that was asked for.
        server: String,
    },
}

impl McpError {
    /// The end of a call.
    pub fn outcome(&self) -> CallOutcome {
        super::tool::to_tool_error(self).into()
    }
}

impl ManagedMcpServer {
    /// Start the server, and start it again when it dies, until it is hopeless.
    pub(super) async fn keep_running(self: Arc<ManagedMcpServer>) {
        let mut restarts = 0;
        let mut was_ready = false;
        loop {
            self.statuses.set(&self.name, McpStatus::Connecting);
            let failure = match self.open().await {
                Err(failure) => failure,
                Ok((connection, client, offer)) => {
                    was_ready = true;
                    let began = Instant::now();
                    let failure = self.serve_until_end(connection, &client, offer).await;
                    if began.elapsed() >= self.limits.steady {
                        restarts = 0;
                    }
                    failure
                }
            };
            // What ends with the runtime takes the connection with it, which is no failure of the server.
            if runtime_is_ending().await {
                return;
            }
            if let McpConnectionError::SignIn { how } = failure {
                self.statuses.set(&self.name, McpStatus::NeedsSignIn { how });
                self.connector.signed_in().await;
                continue;
            }
            // A server that never worked is more likely set up wrong than unlucky: the person hears of it at once.
            if !was_ready || failure.is_lasting() {
                let advice = failure.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
                return self.fail(format!("{failure}{advice}"));
            }
            if restarts == self.limits.restarts {
                return self
                    .fail(format!("{failure}; after {restarts} restarts it is left alone until it is reloaded"));
            }
            let wait = self.limits.backoff * 2_u32.saturating_pow(restarts);
            restarts += 1;
            self.fail(format!("{failure}; it is started again in {} seconds", wait.as_secs_f64()));
            sleep(wait).await;
        }
    }

    fn fail(&self, why: String) {
        tracing::debug!("MCP server {} failed: {why}", self.name);
        self.statuses.set(&self.name, McpStatus::Failed { why });
    }

    async fn open(&self) -> Result<(McpConnection, McpClientHandler, McpServerOffer), McpConnectionError> {
        let client = McpClientHandler::new(&self.name, self.running.clone(), self.roots.clone());
        let deadline = StartDeadline::after(self.limits.start);
        let connection = self.connector.connect(client.clone(), deadline).await?;
        match deadline.limit(self.list(connection.running.peer())).await {
            Ok(offer) => Ok((connection, client, offer)),
            Err(failure) => {
                drop(connection.running);
                drop(connection._processes);
                Err(connection.cause.explain(failure).await)
            }
        }
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<McpServerOffer, McpConnectionError> {
        let listed = offer::list(&self.name, &self.config, &self.foreign, peer).await;
        listed.map_err(|error| match error {
            ServiceError::TransportClosed => McpConnectionError::Ended,
            other => McpConnectionError::Listing(to_plain_line(&other.to_string(), MAX_ERROR)),
        })
    }

    /// Be there for calls until the connection ends, and say why it did.
    async fn serve_until_end(
        &self,
        connection: McpConnection,
        client: &McpClientHandler,
        offer: McpServerOffer,
    ) -> McpConnectionError {
        let McpConnection { running, cause, _processes: processes } = connection;
        let peer = running.peer().clone();
        let presence = ReadyGuard::begin(self, &peer, offer);
        let mut ended = std::pin::pin!(running.waiting());
        let mut roots = self.roots.clone();
        let failure = loop {
            tokio::select! {
                _ = &mut ended => break McpConnectionError::Ended,
                flood = cause.flooded() => break flood,
                () = cause.turned_away() => break McpConnectionError::sign_in(&self.name),
                () = self.suspect.notified() => {
                    let ping = peer.send_request(ClientRequest::PingRequest(PingRequest::default()));
                    // An error is an answer too.
                    if timeout(self.limits.ping, ping).await.is_err() {
                        break McpConnectionError::Silent;
                    }
                }
                () = roots_changed(&mut roots) => {
                    // A server that is gone is noticed above.
                    let _ = peer.notify_roots_list_changed().await;
                }
                () = client.changed.notified() => {
                    // However often it says so: this often is enough.
                    sleep(RELIST).await;
                    match timeout(self.limits.start, self.list(&peer)).await {
                        Ok(Ok(offer)) => presence.renew(&peer, offer),
                        Ok(Err(failure)) => break failure,
                        Err(_) => break McpConnectionError::Silent,
                    }
                }
            }
        };
        drop(presence);
        drop(processes);
        cause.explain(failure).await
    }

    /// The server, if it answers.
    pub(super) fn live(&self) -> Option<LiveMcpServer> {
        self.live.borrow().clone()
    }

    /// Do something with the server, within its time.
    pub(super) async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(&Peer<RoleClient>) -> Result<T, ServiceError>,
    ) -> Result<T, McpError> {
        let live = self.ready()?;
        let limit = self.config.call_timeout(self.limits.call);
        match timeout(limit, question(&live.peer)).await {
            Ok(answer) => answer.map_err(|error| self.failed(error)),
            Err(_) => Err(self.note_slow(limit)),
        }
    }

    /// As [`ManagedMcpServer::ask`], for a call of a tool: how far it is goes to `out`; what the server asks meanwhile is put to the
    /// person, and while they think, its time stands still.
    pub(super) async fn call_tool(
        &self,
        out: &mut dyn ToolCallContext,
        params: CallToolRequestParams,
    ) -> Result<CallToolResult, McpError> {
        let live = self.ready()?;
        let limit = self.config.call_timeout(self.limits.call);
        let sent = timeout(limit, self.running.send(&live.peer, out.session(), params)).await;
        let mut call = sent.map_err(|_| self.note_slow(limit))?.map_err(|error| self.failed(error))?;
        let (mut left, mut progress) = (limit, ProgressOutput::default());
        loop {
            let began = Instant::now();
            let event = tokio::select! {
                biased;
                event = call.next() => event,
                () = progress.due() => {
                    progress.flush(out).await;
                    left = left.saturating_sub(began.elapsed());
                    continue;
                }
                () = sleep(left) => return Err(self.note_slow(limit)),
            };
            left = left.saturating_sub(began.elapsed());
            let PendingQuestion { question, mut reply } = match event {
                CallEvent::Progressed(told) => {
                    progress.push(&told);
                    continue;
                }
                CallEvent::Answered(answer) => {
                    call.late_progress().await.iter().for_each(|told| progress.push(told));
                    progress.flush(out).await;
                    return answer.map_err(|error| self.failed(error));
                }
                CallEvent::Asked(question) => question,
            };
            progress.flush(out).await;
            tokio::select! {
                biased;
                answer = call.answer() => return answer.map_err(|error| self.failed(error)),
                // The server does not want to know any more.
                () = reply.closed() => {}
                outcome = self.questions.ask_person(question, out) => {
                    // It may have just ended, in which case there is nobody to tell.
                    let _ = reply.send(outcome);
                }
            }
        }
    }

    fn ready(&self) -> Result<LiveMcpServer, McpError> {
        let not_ready = || McpError::NotReady { why: self.statuses.describe(&self.name), server: self.name.clone() };
        self.live().ok_or_else(not_ready)
    }

    fn failed(&self, error: ServiceError) -> McpError {
        let server = self.name.clone();
        match error {
            ServiceError::McpError(error) => {
                let details = error.data.map(|data| format!(" ({data})")).unwrap_or_default();
                McpError::Refused { server, message: to_plain_line(&format!("{}{details}", error.message), MAX_ERROR) }
            }
            ServiceError::UnexpectedResponse => McpError::Nonsense { server },
            ServiceError::TransportSend(error) if !error.error.is::<io::Error>() => {
                McpError::Refused { server, message: to_plain_line(&error.error.to_string(), MAX_ERROR) }
            }
            _ => McpError::Gone { server },
        }
    }

    /// A call took too long: have somebody look whether the server is there at all.
    fn note_slow(&self, limit: Duration) -> McpError {
        self.suspect.notify_one();
        McpError::Slow { server: self.name.clone(), limit }
    }
}

/// Resolves when the directories that a server may know of are others.
async fn roots_changed(roots: &mut Option<watch::Receiver<Vec<PathBuf>>>) {
    if let Some(roots) = roots
        && roots.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// True if the runtime drops its tasks: then it takes no new ones.
async fn runtime_is_ending() -> bool {
    tokio::spawn(std::future::ready(())).await.is_err()
}

/// A server is there for calls. Dropping it says that it is not, also when the task is ended from outside.
struct ReadyGuard<'a>(&'a ManagedMcpServer);

impl<'a> ReadyGuard<'a> {
    fn begin(server: &'a ManagedMcpServer, peer: &Peer<RoleClient>, offer: McpServerOffer) -> Self {
        let presence = ReadyGuard(server);
        presence.renew(peer, offer);
        presence
    }

    fn renew(&self, peer: &Peer<RoleClient>, offer: McpServerOffer) {
        let status = McpStatus::Ready {
            tools: offer.tools.len(),
            prompts: offer.prompts.len(),
            resources: offer.resources.len(),
            left_out: offer.left_out.clone(),
        };
        self.0.live.send_replace(Some(LiveMcpServer { peer: peer.clone(), offer: Arc::new(offer) }));
        self.0.statuses.set(&self.0.name, status);
    }
}

impl Drop for ReadyGuard<'_> {
    fn drop(&mut self) {
        self.0.live.send_replace(None);
    }
}
