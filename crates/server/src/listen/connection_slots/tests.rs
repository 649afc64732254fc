use super::*;
use pretty_assertions::assert_eq;
#[cfg(target_os = "linux")]
use tokio::time::{advance, timeout};

/// A peer at an address of the documentation's networks, on its `n`th connection.
fn from(host: u8, n: u16) -> ConnectionPeer {
    let remote = format!("192.0.2.{host}:{}", 4000 + n).parse().unwrap();
    ConnectionPeer::unconnected(remote, "198.51.100.1:8080".parse().unwrap())
}

/// As many slots as there are for these peers.
async fn take_all(slots: &ConnectionSlots, peers: impl IntoIterator<Item = ConnectionPeer>) -> Vec<ConnectionSlot> {
    let mut taken = Vec::new();
    for peer in peers {
        taken.extend(slots.take(&peer).await);
    }
    taken
}

#[tokio::test]
async fn one_address_cannot_have_all_and_all_of_them_leave_what_is_reserved() {
    let slots = ConnectionSlots::new(8, 2, 4);
    let first = take_all(&slots, (0..20).map(|n| from(1, n))).await;
    assert_eq!(first.len(), 4);
    let second = take_all(&slots, (0..20).map(|n| from(2, n))).await;
    assert_eq!((second.len(), slots.all.available_permits()), (2, 2));
    drop(first);
    assert_eq!((slots.held.lock().len(), slots.all.available_permits()), (1, 6));
    drop(second);
    assert_eq!((slots.held.lock().len(), slots.all.available_permits()), (0, 8));
}

/// A peer that is the user who runs this, as long as its connection lives.
#[cfg(target_os = "linux")]
fn owner() -> (ConnectionPeer, [std::net::TcpStream; 2]) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, remote) = listener.accept().unwrap();
    (ConnectionPeer::new(&server, remote, server.local_addr().unwrap()), [client, server])
}

#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn the_owner_finds_every_place() {
    let slots = ConnectionSlots::new(3, 1, 1);
    let strangers = take_all(&slots, (1..10).map(|n| from(n, 0))).await;
    assert!(strangers.iter().all(|stranger| stranger.claim().reach(SlotStage::Admitted)));
    assert_eq!(slots.all.available_permits(), 1);
    let (owner, _connection) = owner();
    let slot = slots.take(&owner).await.unwrap();
    assert!(slot.claim().reach(SlotStage::Admitted));
    assert!(slots.take(&owner).await.is_none());
}

#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn where_all_are_taken_the_oldest_that_is_not_admitted_loses_its_slot() {
    let slots = ConnectionSlots::new(3, 0, 3);
    let (owner, _connection) = owner();
    let mut taken = take_all(&slots, (1..4).map(|host| from(host, 0))).await;
    let (third, second, first) = (taken.pop().unwrap(), taken.pop().unwrap(), taken.pop().unwrap());
    assert!(first.claim().reach(SlotStage::Judged));
    assert!(first.claim().reach(SlotStage::Admitted));
    let fourth = slots.take(&owner).await.unwrap();
    second.claim().lost().await;
    assert!(!second.claim().reach(SlotStage::Admitted), "it is too late");
    assert!(third.claim().reach(SlotStage::Admitted) && fourth.claim().reach(SlotStage::Admitted));
    // Its socket is closed later than its slot is taken.
    drop(second);
    assert!(slots.take(&owner).await.is_none(), "all are admitted");
    assert_eq!((slots.taken.by_number.lock().len(), slots.held.lock().len()), (3, 2));
    drop((first, third, fourth));
    assert_eq!((slots.taken.by_number.lock().len(), slots.all.available_permits()), (0, 3));
}

#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn a_connection_whose_request_is_judged_goes_after_those_that_rest() {
    let slots = ConnectionSlots::new(2, 0, 2);
    let (owner, _connection) = owner();
    let judged = slots.take(&from(1, 0)).await.unwrap();
    let resting = slots.take(&from(2, 0)).await.unwrap();
    assert!(judged.claim().reach(SlotStage::Judged));
    let next = slots.take(&owner).await.unwrap();
    resting.claim().lost().await;
    assert!(next.claim().reach(SlotStage::Admitted) && next.claim().reach(SlotStage::Resting));
    let _last = slots.take(&owner).await.unwrap();
    judged.claim().lost().await;
    assert!(next.claim().reach(SlotStage::Resting), "who was admitted once stays");
}

#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn a_new_connection_keeps_its_slot_until_its_request_can_be_judged() {
    let slots = ConnectionSlots::new(2, 0, 2);
    let (owner, _connection) = owner();
    let grace = slots.taken.request_grace;
    let (first, second) = (slots.take(&from(1, 0)).await.unwrap(), slots.take(&from(2, 0)).await.unwrap());
    // Nobody has looked for their requests yet.
    advance(grace * 2).await;
    first.claim().begin();
    second.claim().begin();
    advance(grace / 2).await;
    assert!(second.claim().reach(SlotStage::Judged));
    let start = Instant::now();
    let third = slots.take(&owner).await.unwrap();
    first.claim().lost().await;
    assert!(start.elapsed() >= grace / 2);
    // The one that is judged has more time.
    advance(grace * 2).await;
    assert!(second.claim().reach(SlotStage::Admitted) && third.claim().reach(SlotStage::Admitted));
}

#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn who_was_refused_makes_room_at_once_and_first() {
    let slots = ConnectionSlots::new(3, 0, 3);
    let (owner, _connection) = owner();
    let mut taken = take_all(&slots, (1..4).map(|host| from(host, 0))).await;
    let (judged, refused, oldest) = (taken.pop().unwrap(), taken.pop().unwrap(), taken.pop().unwrap());
    assert!(judged.claim().reach(SlotStage::Judged) && refused.claim().reach(SlotStage::Refused));
    // Another request does not help it.
    assert!(refused.claim().reach(SlotStage::Judged) && refused.claim().reach(SlotStage::Resting));
    let start = Instant::now();
    let _next = slots.take(&owner).await.unwrap();
    refused.claim().lost().await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    // Somebody who waits already has the slot as soon as the verdict is there.
    let last = async {
        let slot = slots.take(&owner).await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);
        slot
    };
    let refuse = async { assert!(judged.claim().reach(SlotStage::Refused)) };
    let (_last, ()) = tokio::join!(last, refuse);
    judged.claim().lost().await;
    assert!(timeout(REQUEST_GRACE * 9, oldest.claim().lost()).await.is_err(), "nobody has asked for its slot");
}

/// Each slot is needed sooner where there are few of them.
#[test]
fn few_slots_leave_less_time_to_ask() {
    assert_eq!((request_grace(1 << 40), request_grace(1024)), (REQUEST_GRACE, REQUEST_GRACE));
    assert_eq!((request_grace(512), request_grace(64)), (REQUEST_GRACE / 2, LEAST_REQUEST_GRACE));
}

#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn a_silent_connection_that_would_be_refused_makes_room_at_once() {
    let slots = ConnectionSlots::new(4, 0, 4);
    let (owner, _connection) = owner();
    let mut taken = take_all(&slots, (1..5).map(|host| from(host, 0))).await;
    let (asking, silent, known, admitted) =
        (taken.pop().unwrap(), taken.pop().unwrap(), taken.pop().unwrap(), taken.pop().unwrap());
    assert!(admitted.claim().reach(SlotStage::Admitted));
    let known_peer = slots.taken.by_number.lock()[&known.number].peer.clone();
    known_peer.remember_outsider();
    let found = slots.silent();
    assert_eq!(found.iter().map(|(peer, _)| peer.addr()).collect::<Vec<_>>(), [from(3, 0).addr(), from(4, 0).addr()]);
    assert!(asking.claim().reach(SlotStage::Judged));
    found.iter().for_each(|(_, claim)| claim.refuse_silent());
    let start = Instant::now();
    let _next = slots.take(&owner).await.unwrap();
    silent.claim().lost().await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    // The other one has asked meanwhile, so its request decides.
    assert_eq!(slots.taken.by_number.lock()[&asking.number].stage, SlotStage::Judged);
}

/// A burst is served one after the other, as slots come free.
#[tokio::test(start_paused = true)]
#[cfg(target_os = "linux")]
async fn where_all_are_admitted_the_next_one_waits_a_moment() {
    let slots = ConnectionSlots::new(1, 0, 1);
    let (owner, _connection) = owner();
    let mut held = slots.take(&owner).await.unwrap();
    for _ in 1..20 {
        assert!(held.claim().reach(SlotStage::Admitted));
        let leave = tokio::spawn(async move {
            tokio::time::sleep(FULL_GRACE / 2).await;
            drop(held);
        });
        held = slots.take(&owner).await.unwrap();
        leave.await.unwrap();
    }
    assert!(held.claim().reach(SlotStage::Admitted));
    let start = Instant::now();
    assert!(slots.take(&owner).await.is_none());
    assert!(start.elapsed() >= FULL_GRACE);
    // Nobody has left since, so nobody else waits for that.
    let start = Instant::now();
    assert!(slots.take(&owner).await.is_none());
    assert!(start.elapsed() < FULL_GRACE / 2);
}
