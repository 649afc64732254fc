//! One server: started, kept, watched, started again, and asked.

use super::board::Board;
use super::client::Client;
use super::config::McpServerConfig;
use super::dial::{Connection, Dial};
use super::failure::Failure;
use super::limits::McpLimits;
use super::offer::{self, Offer};
use super::plain::plain_line;
use super::progress::ProgressOutput;
use super::questions::OpenQuestions;
use super::running::{CallEvent, PutQuestion, RunningCalls};
use super::status::McpStatus;
use crate::output::{Output, OutputKeeper};
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

/// How often at most a server is asked again what it offers.
const RELIST: Duration = Duration::from_secs(1);
/// The most characters of an error a server reports.
const MAX_ERROR: usize = 2_000;

/// One server of the settings.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    pub(super) limits: McpLimits,
    /// The beginnings of other servers' tool names that begin like ours.
    pub(super) foreign: Vec<String>,
    pub(super) dial: Box<dyn Dial>,
    /// Its calls that run: a question of the server is put by one of them.
    pub(super) running: RunningCalls,
    /// The directories it may know of; `None` for a server that is told of none.
    pub(super) roots: Option<watch::Receiver<Vec<PathBuf>>>,
    /// What servers ask right now.
    pub(super) questions: OpenQuestions,
    /// Keeps pictures, sounds and documents, if anybody does.
    pub(super) keeper: Option<Arc<dyn OutputKeeper>>,
    pub(super) board: Board,
    pub(super) live: watch::Sender<Option<Live>>,
    /// A call took too long: is anyone there?
    pub(super) suspect: Notify,
}

/// A server that answers, and what it offers.
#[derive(Clone)]
pub(super) struct Live {
    pub(super) peer: Peer<RoleClient>,
    pub(super) offer: Arc<Offer>,
}

/// Why a request to a server failed. Data for the model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum McpError {
    /// It is not there.
    #[error("the MCP server {server} is not ready ({why}); go on without it or try again later")]
    NotReady {
        /// The server.
        server: String,
        /// How it is doing.
        why: String,
    },
    /// It went away before it answered.
    #[error("the MCP server {server} ended or was stopped before it answered; what it had done by then is not known")]
    Gone {
        /// The server.
        server: String,
    },
    /// It took too long.
    #[error("the MCP server {server} did not answer within {} seconds; the call was cancelled", .limit.as_secs_f64())]
    Slow {
        /// The server.
        server: String,
        /// How long it had.
        limit: Duration,
    },
    /// It said no.
    #[error("the MCP server {server} reports: {message}")]
    Refused {
        /// The server.
        server: String,
        /// Its words.
        message: String,
    },
    /// It answered in a way that is not MCP.
    #[error("the MCP server {server} answered in a way that cannot be understood")]
    Nonsense {
        /// The server.
        server: String,
    },
    /// It does not offer what is to be read.
    #[error(
        "the MCP server {server} does not offer {uri}: it neither lists this address nor has a template for it; see \
         list_mcp_resources for those it lists"
    )]
    NotOffered {
        /// The server.
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
    /// How it ends a call.
    pub fn outcome(&self) -> CallOutcome {
        super::tool::failed(self).into()
    }
}

impl Server {
    /// Start the server, and start it again when it dies, until it is hopeless.
    pub(super) async fn keep(self: Arc<Server>) {
        let mut restarts = 0;
        let mut was_ready = false;
        loop {
            self.board.set(&self.name, McpStatus::Connecting);
            let failure = match self.open().await {
                Err(failure) => failure,
                Ok((connection, client, offer)) => {
                    was_ready = true;
                    let began = Instant::now();
                    let failure = self.stay(connection, &client, offer).await;
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
            if let Failure::SignIn { how } = failure {
                self.board.set(&self.name, McpStatus::NeedsSignIn { how });
                self.dial.signed_in().await;
                continue;
            }
            // A server that never worked is more likely set up wrong than unlucky: the person hears of it at once.
            if !was_ready || failure.is_lasting() {
                return self.fail(failure.to_string());
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
        tracing::warn!("MCP server {} failed: {why}", self.name);
        self.board.set(&self.name, McpStatus::Failed { why });
    }

    async fn open(&self) -> Result<(Connection, Client, Offer), Failure> {
        let client = Client::new(&self.name, self.running.clone(), self.roots.clone());
        let opened = timeout(self.limits.start, async {
            let connection = self.dial.dial(client.clone()).await?;
            match self.list(connection.running.peer()).await {
                Ok(offer) => Ok((connection, client, offer)),
                Err(failure) => {
                    drop(connection.running);
                    drop(connection._processes);
                    Err(connection.cause.explain(failure).await)
                }
            }
        });
        opened.await.unwrap_or(Err(Failure::Slow(self.limits.start)))
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<Offer, Failure> {
        let listed = offer::list(&self.name, &self.config, &self.foreign, peer).await;
        listed.map_err(|error| match error {
            ServiceError::TransportClosed => Failure::Ended,
            other => Failure::Listing(plain_line(&other.to_string(), MAX_ERROR)),
        })
    }

    /// Be there for calls until the connection ends, and say why it did.
    async fn stay(&self, connection: Connection, client: &Client, offer: Offer) -> Failure {
        let Connection { running, cause, _processes: processes } = connection;
        let peer = running.peer().clone();
        let presence = Presence::begin(self, &peer, offer);
        let mut ended = std::pin::pin!(running.waiting());
        let mut roots = self.roots.clone();
        let failure = loop {
            tokio::select! {
                _ = &mut ended => break Failure::Ended,
                flood = cause.flooded() => break flood,
                () = cause.turned_away() => break Failure::sign_in(&self.name),
                () = self.suspect.notified() => {
                    let ping = peer.send_request(ClientRequest::PingRequest(PingRequest::default()));
                    // An error is an answer too.
                    if timeout(self.limits.ping, ping).await.is_err() {
                        break Failure::Silent;
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
                        Err(_) => break Failure::Silent,
                    }
                }
            }
        };
        drop(presence);
        drop(processes);
        cause.explain(failure).await
    }

    /// The server, if it answers.
    pub(super) fn live(&self) -> Option<Live> {
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
            Err(_) => Err(self.was_slow(limit)),
        }
    }

    /// As [`Server::ask`], for a call of a tool: how far it is goes to `out`; what the server asks meanwhile is put to the
    /// person, and while they think, its time stands still.
    pub(super) async fn call_tool(
        &self,
        out: &mut dyn Output,
        params: CallToolRequestParams,
    ) -> Result<CallToolResult, McpError> {
        let live = self.ready()?;
        let limit = self.config.call_timeout(self.limits.call);
        let sent = timeout(limit, self.running.send(&live.peer, out.session(), params)).await;
        let mut call = sent.map_err(|_| self.was_slow(limit))?.map_err(|error| self.failed(error))?;
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
                () = sleep(left) => return Err(self.was_slow(limit)),
            };
            left = left.saturating_sub(began.elapsed());
            let PutQuestion { question, mut reply } = match event {
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
                outcome = self.questions.put(question, out) => {
                    // It may have just ended, in which case there is nobody to tell.
                    let _ = reply.send(outcome);
                }
            }
        }
    }

    fn ready(&self) -> Result<Live, McpError> {
        let not_ready = || McpError::NotReady { why: self.board.why(&self.name), server: self.name.clone() };
        self.live().ok_or_else(not_ready)
    }

    fn failed(&self, error: ServiceError) -> McpError {
        let server = self.name.clone();
        match error {
            ServiceError::McpError(error) => {
                let details = error.data.map(|data| format!(" ({data})")).unwrap_or_default();
                McpError::Refused { server, message: plain_line(&format!("{}{details}", error.message), MAX_ERROR) }
            }
            ServiceError::UnexpectedResponse => McpError::Nonsense { server },
            ServiceError::TransportSend(error) if !error.error.is::<io::Error>() => {
                McpError::Refused { server, message: plain_line(&error.error.to_string(), MAX_ERROR) }
            }
            _ => McpError::Gone { server },
        }
    }

    /// A call took too long: have somebody look whether the server is there at all.
    fn was_slow(&self, limit: Duration) -> McpError {
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

/// Whether the runtime drops its tasks: then it takes no new ones.
async fn runtime_is_ending() -> bool {
    tokio::spawn(std::future::ready(())).await.is_err()
}

/// A server is there for calls. Dropping it says that it is not, also when the task is ended from outside.
struct Presence<'a>(&'a Server);

impl<'a> Presence<'a> {
    fn begin(server: &'a Server, peer: &Peer<RoleClient>, offer: Offer) -> Self {
        let presence = Presence(server);
        presence.renew(peer, offer);
        presence
    }

    fn renew(&self, peer: &Peer<RoleClient>, offer: Offer) {
        let status = McpStatus::Ready {
            tools: offer.tools.len(),
            prompts: offer.prompts.len(),
            resources: offer.resources.len(),
            left_out: offer.left_out.clone(),
        };
        self.0.live.send_replace(Some(Live { peer: peer.clone(), offer: Arc::new(offer) }));
        self.0.board.set(&self.0.name, status);
    }
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.0.live.send_replace(None);
    }
}
