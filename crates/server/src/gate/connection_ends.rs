//! The two ends of a connection that was accepted here.
//!
//! A connection is looked up by its addresses, and addresses alone name it only while it exists: once a client has reset it, the
//! client's port is free for anybody's next connection, while what the client had sent can still be read here. So whoever looks
//! something up asks afterwards whether our own end is still connected. As long as it is, no other connection has these addresses.

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

    /// Whether our end is still the one with these addresses. In doubt: no.
    #[cfg(target_os = "linux")]
    pub(super) fn is_connected(&self) -> bool {
        let own = super::uid::find_socket(self.local, self.remote);
        own.is_some_and(|own| own.inode != 0 && Some(u64::from(own.inode)) == self.own_inode)
    }
}

/// A connection that its client has reset, and the next one, which has the same addresses.
#[cfg(all(test, target_os = "linux"))]
pub(super) struct ReusedPort {
    /// The ends of the first one.
    pub(super) ends: ConnectionEnds,
    _sockets: [std::os::fd::OwnedFd; 3],
}

#[cfg(all(test, target_os = "linux"))]
impl ReusedPort {
    pub(super) fn take() -> ReusedPort {
        use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt};
        use std::os::fd::OwnedFd;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let connect_from = |source: SocketAddr| -> OwnedFd {
            let client = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
            sockopt::set_socket_reuseaddr(&client, true).unwrap();
            bind(&client, &source).unwrap();
            connect(&client, &local).unwrap();
            client
        };
        let first = connect_from("127.0.0.1:0".parse().unwrap());
        let (accepted, remote) = listener.accept().unwrap();
        let ends = ConnectionEnds::new(&accepted, remote, local);
        assert!(ends.is_connected());
        sockopt::set_socket_linger(&first, Some(std::time::Duration::ZERO)).unwrap();
        drop(first);
        while super::uid::find_socket(local, remote).is_some() {
            std::thread::yield_now();
        }
        let second = connect_from(remote);
        let next: OwnedFd = listener.accept().unwrap().0.into();
        ReusedPort { ends, _sockets: [accepted.into(), second, next] }
    }
}
