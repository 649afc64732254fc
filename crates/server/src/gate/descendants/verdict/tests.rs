use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_peer_from_elsewhere_is_no_descendant() {
    let (elsewhere, here) = ("192.0.2.7:4000".parse().unwrap(), "198.51.100.1:8080".parse().unwrap());
    assert_eq!(judge_without_search(elsewhere, here), Some(Verdict::Outsider));
}

#[test]
fn a_peer_of_this_machine_that_has_closed_is_nobody() {
    let own = |port| format!("198.51.100.1:{port}").parse().unwrap();
    assert_eq!(judge_without_search(own(4000), own(8080)), Some(Verdict::Unidentified));
    let loopback = |port| format!("127.0.0.1:{port}").parse().unwrap();
    assert_eq!(judge_without_search(loopback(1), loopback(2)), Some(Verdict::Unidentified));
}
