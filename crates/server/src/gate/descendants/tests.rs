use super::*;
use pretty_assertions::assert_eq;

#[tokio::test]
async fn an_outsider_is_judged_once() {
    let check = DescendantCheck::new(DescendantPolicy::refused());
    // Nobody is at the other end.
    let peer = ConnectionPeer::unconnected("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
    assert_eq!(check.check(&peer).await, Err(GateDenial::Unidentified));
    assert!(!peer.is_known_outsider());
    peer.remember_outsider();
    assert_eq!(check.check(&peer).await, Ok(()));
    let peer = ConnectionPeer::unconnected("192.0.2.7:4000".parse().unwrap(), "198.51.100.1:8080".parse().unwrap());
    assert_eq!(check.check(&peer).await, Ok(()));
    assert!(peer.is_known_outsider());
}

#[tokio::test]
async fn silent_connections_are_judged_together() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let _client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, remote) = listener.accept().unwrap();
    let peers = || {
        let own = ConnectionPeer::new(&server, remote, server.local_addr().unwrap());
        let elsewhere =
            ConnectionPeer::unconnected("192.0.2.7:4000".parse().unwrap(), "198.51.100.1:8080".parse().unwrap());
        let closed = ConnectionPeer::unconnected("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
        [own, elsewhere, closed]
    };
    let known = |peers: &[ConnectionPeer; 3]| peers.each_ref().map(ConnectionPeer::is_known_outsider);
    let (refused, served) = (peers(), peers());
    let check = DescendantCheck::new(DescendantPolicy::refused());
    assert_eq!(check.would_refuse(&refused).await, [true, false, true]);
    assert_eq!(known(&refused), [false, true, false]);
    let check = DescendantCheck::new(DescendantPolicy::Served);
    assert_eq!(check.would_refuse(&served).await, [false; 3]);
    assert_eq!(known(&served), [true; 3]);
}
