//! The two ends of a connection that was accepted here.
//!
//! A connection is looked up by its addresses, and addresses alone name it only while it exists: once a client has reset it, the
//! client's port is free for anybody's next connection, while what the client had sent can still be read here. So whoever looks
//! something up asks afterwards whether our own end is still connected. As long as it is, no other socket with these addresses
//! can be connected; one that is still connecting can have them, and does not count (`PeerSocket::is_held_end`).

#[cfg(test)]
pub(super) mod reused_port;

use rustix::fs::fstat;
use std::net::SocketAddr;
use std::os::fd::AsFd;

/// The addresses of both ends, and which socket ours is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionEnds {
    pub(super) remote: SocketAddr,
    pub(super) local: SocketAddr,
    /// The number of our own end among all sockets; none if it cannot be told.
    own_inode: Option<u64>,
}

impl ConnectionEnds {
    /// Those of a connection from `remote` that was accepted on `local`.
    pub(super) fn new(socket: impl AsFd, remote: SocketAddr, local: SocketAddr) -> ConnectionEnds {
        ConnectionEnds { remote, local, own_inode: fstat(socket).ok().map(|stat| stat.st_ino) }
    }

    /// Addresses of no connection.
    #[cfg(test)]
    pub(super) fn unconnected(remote: SocketAddr, local: SocketAddr) -> ConnectionEnds {
        ConnectionEnds { remote, local, own_inode: None }
    }

    /// True if our end is still the one with these addresses. In doubt: no.
    #[cfg(target_os = "linux")]
    pub(super) fn is_connected(&self) -> bool {
        let own = super::uid::find_socket(self.local, self.remote);
        own.is_some_and(|own| own.inode != 0 && Some(u64::from(own.inode)) == self.own_inode)
    }
}
