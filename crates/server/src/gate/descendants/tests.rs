use super::*;
use pretty_assertions::assert_eq;

#[tokio::test]
async fn an_outsider_is_judged_once() {
    let check = DescendantCheck::new(DescendantPolicy::refused());
    // Nobody is at the other end.
    let peer = ConnectionPeer::new("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
    assert_eq!(check.check(&peer).await, Err(GateDenial::Unidentified));
    assert!(!peer.is_known_outsider());
    peer.remember_outsider();
    assert_eq!(check.check(&peer).await, Ok(()));
    let peer = ConnectionPeer::new("192.0.2.7:4000".parse().unwrap(), "198.51.100.1:8080".parse().unwrap());
    assert_eq!(check.check(&peer).await, Ok(()));
    assert!(peer.is_known_outsider());
}
