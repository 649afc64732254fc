use super::*;
use crate::gate::connection_ends::reused_port::ReusedPort;
use pretty_assertions::assert_eq;
use std::net::{TcpListener, TcpStream};

/// A connection over loopback: the client's end, the server's end, and the two addresses as the server sees them.
fn connect(bind: &str) -> (TcpStream, TcpStream, SocketAddr, SocketAddr) {
    let listener = TcpListener::bind(bind).unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, remote) = listener.accept().unwrap();
    let local = server.local_addr().unwrap();
    (client, server, remote, local)
}

#[test]
fn our_own_connection_is_ours_both_ways_of_asking() {
    for bind in ["127.0.0.1:0", "[::1]:0"] {
        let (_client, server, remote, local) = connect(bind);
        let asked = sock_diag::find(remote, local);
        let read = proc_net::find(remote, local).unwrap();
        assert_eq!(asked, sock_diag::SockDiagReply::Socket(read));
        assert_eq!((read.state, read.uid), (PeerSocket::ESTABLISHED, own_uid()));
        assert_eq!(uid_of_peer(ConnectionEnds::new(&server, remote, local)), Some(own_uid()));
    }
}

/// The states of TCP in the kernel's numbers. One that is connecting (2, 3, 12) has no connection yet, whatever its addresses are.
#[test]
fn only_a_socket_that_was_connected_and_is_held_is_an_end() {
    let is_end = |state, inode| PeerSocket { state, uid: 7, inode }.is_held_end();
    assert_eq!(Vec::from_iter((0..=13).filter(|state| is_end(*state, 1))), [1, 4, 5, 8]);
    assert!((0..=13).all(|state| !is_end(state, 0)));
}

#[test]
fn a_client_that_has_closed_is_nobody() {
    let (client, server, remote, local) = connect("127.0.0.1:0");
    drop(client);
    assert_eq!(uid_of_peer(ConnectionEnds::new(&server, remote, local)), None);
}

#[test]
fn a_connection_that_never_was_is_nobody() {
    let (_client, server, remote, local) = connect("127.0.0.1:0");
    let other = SocketAddr::new(remote.ip(), local.port());
    assert_eq!(sock_diag::find(other, local), sock_diag::SockDiagReply::NotFound);
    assert_eq!(uid_of_peer(ConnectionEnds::new(&server, other, local)), None);
}

/// Bytes that were sent on a connection can be read after its reset, when somebody else may have the port.
#[test]
fn a_connection_that_was_reset_is_not_that_of_who_has_its_port_next() {
    let reset = ReusedPort::take();
    assert_eq!(find_socket(reset.ends.remote, reset.ends.local).and_then(PeerSocket::trusted_uid), Some(own_uid()));
    assert_eq!(uid_of_peer(reset.ends), None);
}

/// Many ask at once, on whichever socket is kept at the moment: everyone gets the answer to their own question.
#[test]
fn answers_meet_their_questions_when_many_ask() {
    let (_client, _server, remote, local) = connect("127.0.0.1:0");
    let nobody = SocketAddr::new(remote.ip(), local.port());
    let ask = || {
        for _ in 0..200 {
            assert!(
                matches!(sock_diag::find(remote, local), sock_diag::SockDiagReply::Socket(socket) if socket.uid == own_uid())
            );
            assert_eq!(sock_diag::find(nobody, local), sock_diag::SockDiagReply::NotFound);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(ask);
        }
    });
}
