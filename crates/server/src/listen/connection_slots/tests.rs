use super::*;
use pretty_assertions::assert_eq;

/// A peer at an address of the documentation's networks, on its `n`th connection.
fn from(host: u8, n: u16) -> Peer {
    let remote = format!("192.0.2.{host}:{}", 4000 + n).parse().unwrap();
    Peer::new(remote, "198.51.100.1:8080".parse().unwrap())
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

#[test]
#[cfg(target_os = "linux")]
fn the_owner_finds_every_place() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let slots = ConnectionSlots::new(3, 1, 1);
    let _strangers: Vec<ConnectionSlot> = (1..10).filter_map(|n| slots.take(&from(n, 0))).collect();
    assert_eq!(slots.all.available_permits(), 1);
    let _client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, remote) = listener.accept().unwrap();
    let owner = Peer::new(remote, server.local_addr().unwrap());
    let slot = slots.take(&owner);
    assert!(slot.is_some());
    assert!(slots.take(&owner).is_none());
}
