use super::*;
use pretty_assertions::assert_eq;

/// Lines as a kernel printed them: our listener, both ends of two connections, and what a closed one leaves.
const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
   1: 0100007F:A7A5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 69549 1 00000000444e387f 100 0 0 10 0                     
  61: 0100007F:A7A5 0100007F:C768 01 00000000:00000000 00:00000000 00000000     0        0 69553 1 000000008b504bf5 20 0 0 10 -1                     
  62: 0100007F:A7A5 0100007F:C75A 01 00000000:00000000 00:00000000 00000000     0        0 69551 1 00000000bd6448db 20 0 0 10 -1                     
1159: 0100007F:C75A 0100007F:A7A5 01 00000000:00000000 00:00000000 00000000  1000        0 69550 2 00000000ae757446 20 0 0 10 -1                     
1160: 0100007F:C75B 0100007F:A7A5 05 00000000:00000000 00:00000000 00000000     0        0 0 2 00000000ae757447 20 0 0 10 -1                         
1161: 0100007F:C75C 0100007F:A7A5 01 00000000:00000000 00:00000000 00000000     0        0 0 2 00000000ae757448 20 0 0 10 -1                         
1162: 0100007F:C75D 0100007F:A7A5 06 00000000:00000000 03:0000176F 00000000     0        0 0 3 00000000ae757449                                      
";

const TCP6: &str = "\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C768 0000000000000000FFFF00000100007F:A7A5 01 00000000:00000000 00:00000000 00000000  1001        0 69552 2 000000004d3d0d81 20 0 0 10 -1
   1: 00000000000000000000000001000000:DE20 00000000000000000000000001000000:B7A5 01 00000000:00000000 00:00000000 00000000  1002        0 69557 2 0000000004531675 20 0 0 10 -1
   2: 00000000000000000000000001000000:B7A5 00000000000000000000000001000000:DE20 01 00000000:00000000 00:00000000 00000000     0        0 69558 1 00000000f7b8a7b2 20 0 0 10 -1
";

/// Check the table's facts about the socket at `near` connected to `far`, and the user it is trusted to be.
fn check(table: &str, near: &str, far: &str, socket: Option<PeerSocket>, uid: Option<u32>) {
    let found = find_in(table.as_bytes(), near.parse().unwrap(), far.parse().unwrap());
    assert_eq!((found, found.and_then(PeerSocket::trusted_uid)), (socket, uid), "{near} to {far}");
}

#[test]
fn the_peers_end_is_found_not_ours() {
    let peer = PeerSocket { state: 1, uid: 1000, inode: 69550 };
    check(TCP, "127.0.0.1:51034", "127.0.0.1:42917", Some(peer), Some(1000));
    let mapped = PeerSocket { state: 1, uid: 1001, inode: 69552 };
    check(TCP6, "127.0.0.1:51048", "127.0.0.1:42917", Some(mapped), Some(1001));
    check(TCP6, "[::ffff:127.0.0.1]:51048", "[::ffff:127.0.0.1]:42917", Some(mapped), Some(1001));
    let six = PeerSocket { state: 1, uid: 1002, inode: 69557 };
    check(TCP6, "[::1]:56864", "[::1]:47013", Some(six), Some(1002));
}

#[test]
fn both_ends_must_match() {
    check(TCP, "127.0.0.1:51034", "127.0.0.1:42918", None, None);
    check(TCP, "127.0.0.1:51033", "127.0.0.1:42917", None, None);
    check(TCP, "127.0.0.2:51034", "127.0.0.1:42917", None, None);
    check(TCP, "[::1]:51034", "127.0.0.1:42917", None, None);
    check(TCP6, "[::2]:56864", "[::1]:47013", None, None);
}

#[test]
fn a_closed_socket_is_not_root() {
    let closed = PeerSocket { state: 5, uid: 0, inode: 0 };
    check(TCP, "127.0.0.1:51035", "127.0.0.1:42917", Some(closed), None);
    let orphaned = PeerSocket { state: 1, uid: 0, inode: 0 };
    check(TCP, "127.0.0.1:51036", "127.0.0.1:42917", Some(orphaned), None);
    let waiting = PeerSocket { state: 6, uid: 0, inode: 0 };
    check(TCP, "127.0.0.1:51037", "127.0.0.1:42917", Some(waiting), None);
}

#[test]
fn a_closing_socket_is_no_proof_even_while_it_has_an_inode() {
    let closing = PeerSocket { state: 4, uid: 1000, inode: 7 };
    assert_eq!(closing.trusted_uid(), None);
}

#[test]
fn lines_that_are_no_sockets_are_passed_over() {
    let ends = ("127.0.0.1:51034", "127.0.0.1:42917");
    for table in
        ["", "\n", "1: 0100007F:C75A", "1: é100007F:C75A 0100007F:A7A5 01", "1: 0100007F 0100007F 01 a a a 0 0 1"]
    {
        check(table, ends.0, ends.1, None, None);
    }
    let cut = "1159: 0100007F:C75A 0100007F:A7A5 01 00000000:00000000 00:00000000 00000000  1000        0";
    check(cut, ends.0, ends.1, None, None);
}
