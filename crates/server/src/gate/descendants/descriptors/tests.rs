use super::super::process::own_pid;
use super::*;
use pretty_assertions::assert_eq;
use std::net::TcpListener;
use std::os::fd::AsFd;

#[test]
fn a_socket_is_seen_while_it_is_open() {
    let own = own_pid().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let inode = u32::try_from(rustix::fs::fstat(listener.as_fd()).unwrap().st_ino).unwrap();
    let link = SocketLink::new(inode);
    assert_eq!(link.look_at(own), Sighting::Held);
    assert!(link.is_held_by(own, ProcessStat::read(own).unwrap()));
    drop(listener);
    assert_eq!(link.look_at(own), Sighting::NotHeld);
}

#[test]
fn a_process_that_is_gone_holds_nothing() {
    assert_eq!(SocketLink::new(1).look_at(u32::MAX), Sighting::NotHeld);
}
