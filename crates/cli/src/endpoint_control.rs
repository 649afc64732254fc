//! The door of a terminal session: closed until a port is named, opened and closed while the session goes on.

use crate::endpoint::{self, BoundEndpoint, Endpoint, ReverseProxySettings};
use crate::flags::A2aFlags;
use crate::runtime::Runtime;
use crate::settings::GlobalSettings;
use parking_lot::Mutex;
use pollux_server::{Presence, SessionAccess};
use pollux_session::{Right, Roster, SessionId, Who, describe_error_chain};
use pollux_store::DatabaseLock;
use pollux_tui::{ClientRow, EndpointAccess, EndpointState};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::CancellationToken;

/// Keeps the door of one session.
pub(crate) struct EndpointControl {
    global_settings: Arc<GlobalSettings>,
    runtime: Arc<Runtime>,
    session: SessionId,
    workspace: String,
    flags: A2aFlags,
    presence: Presence,
    /// Says on which port the session is, to whoever finds it taken; `None` when nothing is kept.
    lock: Mutex<Option<DatabaseLock>>,
    open: AsyncMutex<Option<OpenEndpoint>>,
    shown: Mutex<Option<EndpointAccess>>,
}

/// An open door.
struct OpenEndpoint {
    endpoint: Endpoint,
    shutdown: CancellationToken,
}

impl EndpointControl {
    pub(crate) fn new(
        global_settings: Arc<GlobalSettings>,
        runtime: Arc<Runtime>,
        session: SessionId,
        workspace: String,
        flags: A2aFlags,
        lock: Option<DatabaseLock>,
    ) -> EndpointControl {
        EndpointControl {
            global_settings,
            runtime,
            session,
            workspace,
            flags,
            presence: Presence::default(),
            lock: Mutex::new(lock),
            open: AsyncMutex::new(None),
            shown: Mutex::new(None),
        }
    }

    /// Answer at a socket that is bound.
    pub(crate) async fn serve_bound(&self, bound: BoundEndpoint) -> anyhow::Result<()> {
        let mut open = self.open.lock().await;
        let info = info(&bound);
        let shutdown = CancellationToken::new();
        let roster: Arc<dyn Roster> = Arc::new(self.runtime.host.clone());
        let rooms = SessionAccess::Shared { roster, session: self.session, workspace: self.workspace.clone() };
        let endpoint = bound.serve(&self.global_settings, rooms, &self.runtime, &self.presence, shutdown.clone())?;
        *open = Some(OpenEndpoint { endpoint, shutdown });
        self.publish_port(info.port());
        *self.shown.lock() = Some(info);
        Ok(())
    }

    /// Open the door on 127.0.0.1:`port`, 0 for any; where it is open already, that is what comes back.
    pub(crate) async fn open_on(&self, port: u16) -> Result<EndpointAccess, String> {
        if let Some(info) = self.info() {
            return match port == 0 || info.port() == Some(port) {
                true => Ok(info),
                false => Err(format!("the session is shared at {} already; /a2a close first", info.url)),
            };
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bound =
            endpoint::bind(&self.global_settings, address, ReverseProxySettings::default(), self.flags.clone()).await;
        let opened = match bound {
            Ok(bound) => self.serve_bound(bound).await,
            Err(error) => Err(error),
        };
        opened.map_err(|error| describe_error_chain(error.as_ref()))?;
        self.info().ok_or_else(|| "the endpoint closed at once".to_owned())
    }

    /// Close the door; those who came in through it leave.
    pub(crate) async fn close(&self) -> Result<(), String> {
        let Some(OpenEndpoint { endpoint, shutdown }) = self.open.lock().await.take() else {
            return Err("nobody else can join; there is nothing to close".to_owned());
        };
        *self.shown.lock() = None;
        self.publish_port(None);
        shutdown.cancel();
        let why =
            |error: anyhow::Error| format!("the endpoint did not close well: {}", describe_error_chain(error.as_ref()));
        endpoint.wait_closed().await.map_err(why)
    }

    /// The access of others; `None` when they have none.
    pub(crate) fn info(&self) -> Option<EndpointAccess> {
        self.shown.lock().clone()
    }

    /// The clients that are connected.
    pub(crate) fn clients(&self) -> Vec<ClientRow> {
        let clients = self.presence.list(self.session).into_iter();
        let row = |client: pollux_server::PresentClient| ClientRow {
            id: client.id,
            how: client.connection.name().to_owned(),
            rights: rights(&client.who),
            label: client.who.label,
            principal: client.who.principal,
            since: client.since,
        };
        clients.map(row).collect()
    }

    /// Ask one of them to leave.
    pub(crate) fn remove(&self, client: u64) -> Result<(), String> {
        match self.presence.remove(client) {
            true => Ok(()),
            false => Err("that client has left already".to_owned()),
        }
    }

    fn publish_port(&self, port: Option<u16>) {
        if let Some(held) = self.lock.lock().as_mut()
            && let Err(error) = held.set_port(port)
        {
            tracing::warn!("others cannot find this session by its process: {error}");
        }
    }
}

/// The access through an endpoint, for the person.
fn info(bound: &BoundEndpoint) -> EndpointAccess {
    let address = bound.address;
    EndpointAccess {
        url: bound.url(),
        ws: format!("ws://{address}/ws"),
        token: Some(bound.token().to_owned()),
        attach: format!("pollux attach {}", std::process::id()),
        state: EndpointState::OpenHere,
    }
}

/// The rights of a client, in words.
pub(crate) fn rights(who: &Who) -> String {
    let names = [(Right::Observe, "observe"), (Right::Prompt, "prompt"), (Right::Approve, "approve")];
    let held = names.into_iter().filter(|(right, _)| who.rights.allow(*right)).map(|(_, name)| name);
    held.collect::<Vec<_>>().join(", ")
}
