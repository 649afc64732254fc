//! Whose process is at the other end of a connection within this machine. The kernel knows; only Linux tells.
//!
//! `sock_diag` answers for one socket in microseconds. The tables under `/proc/net` say the same but are walked
//! whole, some milliseconds each, so they are read only where `sock_diag` is missing.

#[cfg(any(target_os = "linux", test))]
mod proc_net;
#[cfg(target_os = "linux")]
mod sock_diag;

use super::connection_ends::ConnectionEnds;
use std::net::SocketAddr;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

/// The user this process acts as.
pub(super) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The user whose live process holds the other end of a connection; `None` when unsure.
#[cfg(target_os = "linux")]
pub(super) fn uid_of_peer(ends: ConnectionEnds) -> Option<u32> {
    let user = find_socket(ends.remote, ends.local).and_then(PeerSocket::trusted_uid);
    user.filter(|_| ends.is_connected())
}

/// The socket at `near` that is connected to `far`, in whatever state; `None` when there is none on this machine.
#[cfg(target_os = "linux")]
pub(super) fn find_socket(near: SocketAddr, far: SocketAddr) -> Option<PeerSocket> {
    /// Once `sock_diag` has named a socket it is there, and its silence about another one is final.
    static DIAG_WORKS: AtomicBool = AtomicBool::new(false);
    match sock_diag::find(near, far) {
        sock_diag::SockDiagReply::Socket(socket) => {
            DIAG_WORKS.store(true, Ordering::Relaxed);
            Some(socket)
        }
        sock_diag::SockDiagReply::NotFound if DIAG_WORKS.load(Ordering::Relaxed) => None,
        sock_diag::SockDiagReply::NotFound => proc_net::find(near, far),
    }
}

/// Without a way to ask, nobody is the local user.
#[cfg(not(target_os = "linux"))]
pub(super) fn uid_of_peer(_ends: ConnectionEnds) -> Option<u32> {
    None
}

/// The kernel's facts about one socket.
#[cfg(any(target_os = "linux", test))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PeerSocket {
    state: u8,
    pub(super) uid: u32,
    /// Its number among all sockets; 0 once its process has closed it.
    pub(super) inode: u32,
}

#[cfg(any(target_os = "linux", test))]
impl PeerSocket {
    const ESTABLISHED: u8 = 1;
    const FIN_WAIT_1: u8 = 4;
    const FIN_WAIT_2: u8 = 5;
    const CLOSE_WAIT: u8 = 8;

    /// True if a process has it and it was connected. One that is still connecting can have the addresses of another
    /// one's connection: to a server it is not the end that the server has accepted.
    pub(super) fn is_held_end(self) -> bool {
        let was_connected = matches!(
            self.state,
            PeerSocket::ESTABLISHED | PeerSocket::FIN_WAIT_1 | PeerSocket::FIN_WAIT_2 | PeerSocket::CLOSE_WAIT
        );
        was_connected && self.inode != 0
    }

    /// A socket whose process has closed it shows uid 0 and inode 0 in another state: to a server that runs as root
    /// that would read as a friend.
    fn trusted_uid(self) -> Option<u32> {
        (self.state == PeerSocket::ESTABLISHED && self.inode != 0).then_some(self.uid)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
