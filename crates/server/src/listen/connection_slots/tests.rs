use super::*;
use pretty_assertions::assert_eq;

/// A peer at an address of the documentation's networks, on its `n`th connection.
fn from(host: u8, n: u16) -> ConnectionPeer {
    let remote = format!("192.0.2.{host}:{}", 4000 + n).parse().unwrap();
    ConnectionPeer::new(remote, "198.51.100.1:8080".parse().unwrap())
}

#[test]
fn one_address_cannot_have_all_and_all_of_them_leave_what_is_reserved() {
    let slots = ConnectionSlots::new(8, 2, 4);
    let first: Vec<ConnectionSlot> = (0..20).filter_map(|n| slots.take(&from(1, n))).collect();
    assert_eq!(first.len(), 4);
    let second: Vec<ConnectionSlot> = (0..20).filter_map(|n| slots.take(&from(2, n))).collect();
    assert_eq!((second.len(), slots.all.available_permits()), (2, 2));
    drop(first);
    assert_eq!((lock(&slots.held).len(), slots.all.available_permits()), (1, 6));
    drop(second);
    assert_eq!((lock(&slots.held).len(), slots.all.available_permits()), (0, 8));
}

/// A peer that is the user who runs this, as long as its connection lives.
#[cfg(target_os = "linux")]
fn owner() -> (ConnectionPeer, [std::net::TcpStream; 2]) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, remote) = listener.accept().unwrap();
    (ConnectionPeer::new(remote, server.local_addr().unwrap()), [client, server])
}

#[test]
#[cfg(target_os = "linux")]
fn the_owner_finds_every_place() {
    let slots = ConnectionSlots::new(3, 1, 1);
    let strangers: Vec<ConnectionSlot> = (1..10).filter_map(|n| slots.take(&from(n, 0))).collect();
    assert!(strangers.iter().all(|stranger| stranger.claim().reach(SlotStage::Admitted)));
    assert_eq!(slots.all.available_permits(), 1);
    let (owner, _connection) = owner();
    let slot = slots.take(&owner).unwrap();
    assert!(slot.claim().reach(SlotStage::Admitted));
    assert!(slots.take(&owner).is_none());
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn where_all_are_taken_the_oldest_that_is_not_admitted_loses_its_slot() {
    let slots = ConnectionSlots::new(3, 0, 3);
    let (owner, _connection) = owner();
    let [first, second, third] = [1, 2, 3].map(|host| slots.take(&from(host, 0)).unwrap());
    assert!(first.claim().reach(SlotStage::Judged));
    assert!(first.claim().reach(SlotStage::Admitted));
    let fourth = slots.take(&owner).unwrap();
    second.claim().lost().await;
    assert!(!second.claim().reach(SlotStage::Admitted), "it is too late");
    assert!(third.claim().reach(SlotStage::Admitted) && fourth.claim().reach(SlotStage::Admitted));
    // Its socket is closed later than its slot is taken.
    drop(second);
    assert!(slots.take(&owner).is_none(), "all are admitted");
    assert_eq!((lock(&slots.taken).len(), lock(&slots.held).len()), (3, 2));
    drop((first, third, fourth));
    assert_eq!((lock(&slots.taken).len(), slots.all.available_permits()), (0, 3));
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_connection_whose_request_is_judged_goes_after_those_that_rest() {
    let slots = ConnectionSlots::new(2, 0, 2);
    let (owner, _connection) = owner();
    let [judged, resting] = [1, 2].map(|host| slots.take(&from(host, 0)).unwrap());
    assert!(judged.claim().reach(SlotStage::Judged));
    let next = slots.take(&owner).unwrap();
    resting.claim().lost().await;
    assert!(next.claim().reach(SlotStage::Admitted) && next.claim().reach(SlotStage::Resting));
    let _last = slots.take(&owner).unwrap();
    judged.claim().lost().await;
    assert!(next.claim().reach(SlotStage::Resting), "who was admitted once stays");
}
