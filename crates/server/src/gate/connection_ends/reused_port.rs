//! A connection that its client has reset, and the next one, which has the same addresses.

use super::ConnectionEnds;
use crate::gate::uid::find_socket;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// Both connections, for as long as this lives.
pub(crate) struct ReusedPort {
    /// The ends of the first one.
    pub(crate) ends: ConnectionEnds,
    _sockets: [OwnedFd; 3],
}

impl ReusedPort {
    pub(crate) fn take() -> ReusedPort {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
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
        sockopt::set_socket_linger(&first, Some(Duration::ZERO)).unwrap();
        drop(first);
        while find_socket(local, remote).is_some() {
            std::thread::yield_now();
        }
        let second = connect_from(remote);
        let next: OwnedFd = listener.accept().unwrap().0.into();
        ReusedPort { ends, _sockets: [accepted.into(), second, next] }
    }
}
