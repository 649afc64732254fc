//! The door of a terminal session: closed until a port is named, opened and closed while the session goes on.

use crate::endpoint::{self, Bound, Endpoint, InFront};
use crate::equip::Equipped;
use crate::flags::DoorFlags;
use crate::settings::Basics;
use pollux_server::{Presence, Rooms};
use pollux_session::{Right, Roster, SessionId, Who};
use pollux_store::DatabaseLock;
use pollux_tui::{ClientRow, DoorInfo, DoorState};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::CancellationToken;

/// Keeps the door of one session.
pub(crate) struct Doorkeeper {
    basics: Arc<Basics>,
    equipped: Arc<Equipped>,
    session: SessionId,
    workspace: String,
    flags: DoorFlags,
    presence: Presence,
    /// Says on which port the session is, to whoever finds it taken; `None` when nothing is kept.
    lock: Mutex<Option<DatabaseLock>>,
    open: AsyncMutex<Option<Open>>,
    shown: Mutex<Option<DoorInfo>>,
}

/// An open door.
struct Open {
    endpoint: Endpoint,
    shutdown: CancellationToken,
}

impl Doorkeeper {
    pub(crate) fn new(
        basics: Arc<Basics>,
        equipped: Arc<Equipped>,
        session: SessionId,
        workspace: String,
        flags: DoorFlags,
        lock: Option<DatabaseLock>,
    ) -> Doorkeeper {
        Doorkeeper {
            basics,
            equipped,
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
    pub(crate) async fn answer(&self, bound: Bound) -> anyhow::Result<()> {
        let mut open = self.open.lock().await;
        let info = info(&bound);
        let shutdown = CancellationToken::new();
        let roster: Arc<dyn Roster> = Arc::new(self.equipped.host.clone());
        let rooms = Rooms::Shared { roster, session: self.session, workspace: self.workspace.clone() };
        let endpoint = bound.open(&self.basics, rooms, &self.equipped, &self.presence, shutdown.clone())?;
        *open = Some(Open { endpoint, shutdown });
        self.tell_port(info.port());
        *lock(&self.shown) = Some(info);
        Ok(())
    }

    /// Open the door on 127.0.0.1:`port`, 0 for any; where it is open already, that is what comes back.
    pub(crate) async fn open_on(&self, port: u16) -> Result<DoorInfo, String> {
        if let Some(info) = self.info() {
            return match port == 0 || info.port() == Some(port) {
                true => Ok(info),
                false => Err(format!("the session is shared at {} already; /a2a close first", info.url)),
            };
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bound = endpoint::bind(&self.basics, address, InFront::default(), self.flags.clone()).await;
        let opened = match bound {
            Ok(bound) => self.answer(bound).await,
            Err(error) => Err(error),
        };
        opened.map_err(|error| format!("{error:#}"))?;
        self.info().ok_or_else(|| "the endpoint closed at once".to_owned())
    }

    /// Close the door; those who came in through it leave.
    pub(crate) async fn close(&self) -> Result<(), String> {
        let Some(Open { endpoint, shutdown }) = self.open.lock().await.take() else {
            return Err("nobody else can join; there is nothing to close".to_owned());
        };
        *lock(&self.shown) = None;
        self.tell_port(None);
        shutdown.cancel();
        endpoint.closed().await.map_err(|error| format!("the endpoint did not close well: {error:#}"))
    }

    /// How others come in; `None` when they do not.
    pub(crate) fn info(&self) -> Option<DoorInfo> {
        lock(&self.shown).clone()
    }

    /// Who came in.
    pub(crate) fn clients(&self) -> Vec<ClientRow> {
        let clients = self.presence.list(self.session).into_iter();
        let row = |client: pollux_server::Client| ClientRow {
            id: client.id,
            how: client.how.name().to_owned(),
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

    fn tell_port(&self, port: Option<u16>) {
        if let Some(held) = lock(&self.lock).as_mut()
            && let Err(error) = held.set_port(port)
        {
            tracing::warn!("others cannot find this session by its process: {error}");
        }
    }
}

/// What the person is told of a door.
fn info(bound: &Bound) -> DoorInfo {
    let address = bound.address;
    DoorInfo {
        url: bound.url(),
        ws: format!("ws://{address}/ws"),
        token: Some(bound.token().to_owned()),
        attach: format!("pollux attach {}", std::process::id()),
        state: DoorState::OpenHere,
    }
}

/// What a client may do, in words.
pub(crate) fn rights(who: &Who) -> String {
    let names = [(Right::Observe, "observe"), (Right::Prompt, "prompt"), (Right::Approve, "approve")];
    let held = names.into_iter().filter(|(right, _)| who.rights.allow(*right)).map(|(_, name)| name);
    held.collect::<Vec<_>>().join(", ")
}

/// Nothing here panics while holding a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
