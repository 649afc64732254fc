//! The other end of one connection. Which user it belongs to is looked up once, when a request first needs it.

use super::connection_ends::ConnectionEnds;
use super::local_machine::is_on_this_machine;
use super::uid;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};

/// Whom a connection counts for, where connections and attempts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeerIdentity {
    /// The user who runs this server, on this machine.
    Owner,
    /// Another user of this machine.
    User(u32),
    /// A host elsewhere, or one that cannot be told. Of an IPv6 address only the network counts, which one host may have all of.
    Address(IpAddr),
}

/// The other end of a connection; clones share what was found out about it.
#[derive(Clone, Debug)]
pub struct ConnectionPeer(Arc<PeerFindings>);

#[derive(Debug)]
struct PeerFindings {
    ends: ConnectionEnds,
    /// The user who holds it, if it is on this machine and that can be told.
    user: OnceLock<Option<u32>>,
    is_outsider: OnceLock<()>,
}

impl ConnectionPeer {
    /// The peer of the connection `socket`, accepted from `remote` on `local`.
    pub(crate) fn new(socket: impl AsFd, remote: SocketAddr, local: SocketAddr) -> ConnectionPeer {
        ConnectionPeer::from_ends(ConnectionEnds::new(socket, remote, local))
    }

    /// The peer that a connection with these addresses would have.
    #[cfg(test)]
    pub(crate) fn unconnected(remote: SocketAddr, local: SocketAddr) -> ConnectionPeer {
        ConnectionPeer::from_ends(ConnectionEnds::unconnected(remote, local))
    }

    fn from_ends(ends: ConnectionEnds) -> ConnectionPeer {
        ConnectionPeer(Arc::new(PeerFindings { ends, user: OnceLock::new(), is_outsider: OnceLock::new() }))
    }

    /// Its address.
    pub fn addr(&self) -> SocketAddr {
        self.0.ends.remote
    }

    /// True if it is a process on this machine, run by the user who runs this server. In doubt: no.
    pub(super) fn is_local_user(&self) -> bool {
        self.user() == Some(uid::own_uid())
    }

    /// Whom it counts for.
    pub(crate) fn identity(&self) -> PeerIdentity {
        match (self.user(), self.0.ends.remote.ip().to_canonical()) {
            (Some(user), _) if user == uid::own_uid() => PeerIdentity::Owner,
            (Some(user), _) => PeerIdentity::User(user),
            (None, IpAddr::V6(address)) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                PeerIdentity::Address(Ipv6Addr::from(network).into())
            }
            (None, address @ IpAddr::V4(_)) => PeerIdentity::Address(address),
        }
    }

    fn user(&self) -> Option<u32> {
        let PeerFindings { ends, user, .. } = &*self.0;
        *user.get_or_init(|| {
            let is_here = is_on_this_machine(ends.remote, ends.local);
            is_here.then(|| uid::uid_of_peer(*ends)).flatten()
        })
    }

    /// Its end of the connection and ours.
    #[cfg(target_os = "linux")]
    pub(super) fn ends(&self) -> ConnectionEnds {
        self.0.ends
    }

    /// True if it was found before that none of our descendants is at its end.
    pub(crate) fn is_known_outsider(&self) -> bool {
        self.0.is_outsider.get().is_some()
    }

    /// Keeps that it is no descendant, for the next requests of the connection.
    pub(crate) fn remember_outsider(&self) {
        self.0.is_outsider.get_or_init(|| ());
    }
}
