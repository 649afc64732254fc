use super::*;
use pretty_assertions::assert_eq;
use std::net::Ipv4Addr;

fn peer(n: u32) -> PeerIdentity {
    PeerIdentity::Address(Ipv4Addr::from_bits(0xC000_0200 + n).into())
}

#[test]
fn a_burst_passes_and_then_one_every_pause() {
    let (wrong, start) = (WrongTokens::default(), Instant::now());
    for _ in 0..BURST {
        assert_eq!(wrong.count(peer(1), start), Ok(()));
    }
    assert_eq!(wrong.count(peer(1), start), Err(4));
    assert_eq!(wrong.count(peer(1), start + Duration::from_millis(2500)), Err(1));
    // Being refused costs nothing, and others are not concerned.
    assert_eq!(wrong.count(peer(2), start), Ok(()));
    assert_eq!(wrong.count(peer(1), start + PAUSE), Ok(()));
    assert_eq!(wrong.count(peer(1), start + PAUSE), Err(4));
    let much_later = start + PAUSE * 100;
    for _ in 0..BURST {
        assert_eq!(wrong.count(peer(1), much_later), Ok(()));
    }
    assert!(wrong.count(peer(1), much_later).is_err());
}

#[test]
fn only_so_many_peers_are_remembered() {
    let (wrong, start) = (WrongTokens::default(), Instant::now());
    for n in 0..PEERS as u32 + 100 {
        assert_eq!(wrong.count(peer(n), start + Duration::from_millis(n.into())), Ok(()));
    }
    let kept = wrong.0.lock();
    assert_eq!((kept.len(), kept.contains_key(&peer(0)), kept.contains_key(&peer(1000))), (PEERS, false, true));
}
