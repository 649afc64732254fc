//! Connections that are accepted and wait for a slot. They are accepted also where all slots are taken: the system's queue is
//! soon full, and whoever comes then is not even heard.
//!
//! A command that a session started can open connections without end and say nothing on them. So as long as anybody waits, the
//! gate looks who holds the silent connections, all by one search of `/proc`, and those that it would refuse go at once.

use super::connection_slots::{ConnectionSlot, ConnectionSlots, PeerShare};
use super::{Listeners, accept};
use crate::gate::{ConnectionPeer, Gate};
use parking_lot::Mutex;
use std::collections::{HashSet, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The most connections that can wait: twice as many as the system's queue usually holds.
const MOST_PENDING: usize = 8 * 1024;
/// The most that can wait where the limit on open files leaves no room.
const LEAST_PENDING: usize = 64;
/// Files that are open for something else than connections.
const OTHER_FILES: usize = 512;
/// The least time between two searches, so that the rest of the machine has its share.
const SEARCH_PAUSE: Duration = Duration::from_millis(10);

/// The waiting connections of one listener, in the order in which they came.
pub(super) struct PendingConnections<'a> {
    slots: &'a ConnectionSlots,
    gate: &'a Gate,
    most: usize,
    queue: Mutex<PendingQueue>,
    arrived: Notify,
    left: Notify,
    /// Told when somebody waits who may have to go on waiting.
    crowded: Notify,
}

#[derive(Default)]
struct PendingQueue {
    connections: VecDeque<PendingConnection>,
    next_number: u64,
}

struct PendingConnection {
    number: u64,
    stream: TcpStream,
    peer: ConnectionPeer,
    share: PeerShare,
}

impl<'a> PendingConnections<'a> {
    pub(super) fn new(slots: &'a ConnectionSlots, gate: &'a Gate) -> PendingConnections<'a> {
        PendingConnections {
            slots,
            gate,
            most: most_pending(open_files_limit(), slots.capacity()),
            queue: Mutex::default(),
            arrived: Notify::new(),
            left: Notify::new(),
            crowded: Notify::new(),
        }
    }

    /// Accepts connections until `shutdown`, and has each served that gets a slot and rejected that gets none.
    pub(super) async fn accept_and_serve(
        &self,
        listeners: &Listeners,
        local: SocketAddr,
        shutdown: &CancellationToken,
        serve: impl Fn(TcpStream, ConnectionPeer, ConnectionSlot),
        reject: impl Fn(TcpStream),
    ) {
        // Each gets its turn first now and then: a flood would leave the others no time.
        tokio::select! {
            () = self.accept_all(listeners, local, shutdown, &reject) => {}
            () = shutdown.cancelled() => {}
            () = self.hand_out_slots(serve, &reject) => {}
            () = self.turn_refused_away() => {}
        }
    }

    async fn accept_all(
        &self,
        listeners: &Listeners,
        local: SocketAddr,
        shutdown: &CancellationToken,
        reject: &impl Fn(TcpStream),
    ) {
        while let Some((stream, remote)) = accept(listeners, shutdown).await {
            // A listener on every address still has connections on one.
            let peer = ConnectionPeer::new(&stream, remote, stream.local_addr().unwrap_or(local));
            match self.slots.share_for(&peer) {
                Some(share) => self.queue.lock().push(stream, peer, share),
                None => reject(stream),
            }
            self.arrived.notify_one();
            self.crowded.notify_one();
            while self.queue.lock().connections.len() >= self.most {
                self.left.notified().await;
            }
        }
    }

    /// The first that wait get the slots that come free.
    async fn hand_out_slots(
        &self,
        serve: impl Fn(TcpStream, ConnectionPeer, ConnectionSlot),
        reject: &impl Fn(TcpStream),
    ) {
        loop {
            if self.queue.lock().connections.is_empty() {
                self.arrived.notified().await;
                continue;
            }
            let mut permit = self.slots.free_permit();
            if permit.is_none() {
                self.crowded.notify_one();
                permit = self.slots.wait_for_permit().await;
            }
            // They may have been turned away meanwhile.
            let Some(first) = self.queue.lock().connections.pop_front() else { continue };
            self.left.notify_one();
            match permit {
                Some(permit) => {
                    let slot = self.slots.fill(permit, first.peer.clone(), first.share);
                    serve(first.stream, first.peer, slot);
                }
                None => reject(first.stream),
            }
        }
    }

    /// Where somebody waits for a slot, nobody keeps one, or waits for one, whom the gate would refuse.
    async fn turn_refused_away(&self) {
        loop {
            if self.queue.lock().connections.is_empty() || self.slots.has_free() {
                self.crowded.notified().await;
                continue;
            }
            let silent = self.slots.silent();
            let (numbers, waiting) = self.queue.lock().not_judged();
            let peers: Vec<ConnectionPeer> = silent.iter().map(|(peer, _)| peer.clone()).chain(waiting).collect();
            if peers.is_empty() {
                self.crowded.notified().await;
                continue;
            }
            let refused = self.gate.would_refuse(&peers).await;
            let (refused_silent, refused_waiting) = refused.split_at(silent.len().min(refused.len()));
            for ((_, claim), _) in silent.iter().zip(refused_silent).filter(|(_, is_refused)| **is_refused) {
                claim.refuse_silent();
            }
            let numbers = numbers.into_iter().zip(refused_waiting).filter(|(_, is_refused)| **is_refused);
            // They are closed without a word: a command that opens them without end would have most of the time for its answers.
            let turned_away = self.queue.lock().take(&numbers.map(|(number, _)| number).collect());
            drop(turned_away);
            self.left.notify_one();
            sleep(SEARCH_PAUSE).await;
        }
    }
}

impl PendingQueue {
    fn push(&mut self, stream: TcpStream, peer: ConnectionPeer, share: PeerShare) {
        self.connections.push_back(PendingConnection { number: self.next_number, stream, peer, share });
        self.next_number += 1;
    }

    /// Those of whom the gate does not know yet that they are none of the session's own processes.
    fn not_judged(&self) -> (Vec<u64>, Vec<ConnectionPeer>) {
        let unknown = self.connections.iter().filter(|connection| !connection.peer.is_known_outsider());
        unknown.map(|connection| (connection.number, connection.peer.clone())).unzip()
    }

    fn take(&mut self, numbers: &HashSet<u64>) -> VecDeque<PendingConnection> {
        let all = std::mem::take(&mut self.connections).into_iter();
        let (taken, kept) = all.partition(|connection| numbers.contains(&connection.number));
        self.connections = kept;
        taken
    }
}

/// The rest of `files` beside the connections that have slots or are on their way out. There may be two listeners.
fn most_pending(files: usize, connections: usize) -> usize {
    let left = files.saturating_sub(connections.saturating_mul(2)).saturating_sub(OTHER_FILES);
    (left / 2).clamp(LEAST_PENDING, MOST_PENDING)
}

/// The most files that this process can have open.
#[cfg(unix)]
fn open_files_limit() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn open_files_limit() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests;
