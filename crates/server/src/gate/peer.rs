//! The other end of one connection. Which user it belongs to is looked up once, when a request first needs it.

use super::uid;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

/// The other end of a connection; clones share what was found out about it.
#[derive(Clone, Debug)]
pub struct Peer(Arc<Ends>);

#[derive(Debug)]
struct Ends {
    remote: SocketAddr,
    local: SocketAddr,
    is_local_user: OnceLock<bool>,
    is_outsider: OnceLock<()>,
}

impl Peer {
    /// The peer of a connection accepted from `remote` on `local`.
    pub fn new(remote: SocketAddr, local: SocketAddr) -> Peer {
        Peer(Arc::new(Ends { remote, local, is_local_user: OnceLock::new(), is_outsider: OnceLock::new() }))
    }

    /// Its address.
    pub fn addr(&self) -> SocketAddr {
        self.0.remote
    }

    /// Whether it is a process on this machine, run by the user who runs this server. In doubt: no.
    pub(super) fn is_local_user(&self) -> bool {
        let Ends { remote, local, is_local_user, .. } = &*self.0;
        let is_loopback = |addr: &SocketAddr| addr.ip().to_canonical().is_loopback();
        is_loopback(remote)
            && is_loopback(local)
            && *is_local_user.get_or_init(|| uid::of_peer(*remote, *local) == Some(uid::own()))
    }

    /// Its address and ours.
    #[cfg(target_os = "linux")]
    pub(super) fn ends(&self) -> (SocketAddr, SocketAddr) {
        (self.0.remote, self.0.local)
    }

    /// Whether it was found before that none of our descendants is at its end.
    pub(super) fn is_known_outsider(&self) -> bool {
        self.0.is_outsider.get().is_some()
    }

    /// Keeps that it is no descendant, for the next requests of the connection.
    pub(super) fn remember_outsider(&self) {
        self.0.is_outsider.get_or_init(|| ());
    }
}
