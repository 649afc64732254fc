use super::*;
use pretty_assertions::assert_eq;

const LIMIT: usize = 1024;

/// Check the fault that a watch finds in these bytes, and that it finds the same however they are cut.
fn check(bytes: &str, fault: Option<HeadFault>) {
    assert_eq!(HeadWatch::new(LIMIT).feed(bytes.as_bytes()), fault, "{bytes:?}");
    for size in [1, 2, 3, 7] {
        let mut watch = HeadWatch::new(LIMIT);
        let found: Vec<HeadFault> = bytes.as_bytes().chunks(size).filter_map(|piece| watch.feed(piece)).collect();
        assert_eq!(found, Vec::from_iter(fault), "{bytes:?} by {size}");
    }
}

#[test]
fn two_lengths_are_a_fault_in_any_order_and_case() {
    let fault = Some(HeadFault::TwoLengths);
    check("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", fault);
    check("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nCONTENT-LENGTH: 0\r\n\r\n", fault);
    check("POST / HTTP/1.1\r\ntransfer-encoding: identity\r\nContent-Length: x\r\n\r\n", fault);
}

#[test]
fn one_length_is_none() {
    check("GET / HTTP/1.1\r\nHost: a\r\n\r\n", None);
    check("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", None);
    check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", None);
}

#[test]
fn a_bare_line_feed_is_a_fault() {
    let fault = Some(HeadFault::BareLineFeed);
    check("GET / HTTP/1.1\nHost: a\r\n\r\n", fault);
    check("GET / HTTP/1.1\r\nHost: a\r\n\n", fault);
    check("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", fault);
}

#[test]
fn bodies_are_skipped_and_the_next_head_is_seen() {
    let first = "\r\nPOST / HTTP/1.1\r\nContent-Length: 6\r\n\r\na\nb\n\nc";
    check(first, None);
    check(&format!("{first}GET / HTTP/1.1\r\n\r\n"), None);
    check(&format!("{first}GET / HTTP/1.1\n\r\n"), Some(HeadFault::BareLineFeed));
    check(&format!("GET / HTTP/1.1\r\n\r\n{first}\r\nGET / HTTP/1.1\n"), Some(HeadFault::BareLineFeed));
}

#[test]
fn what_the_parser_refuses_is_left_to_it() {
    check(&format!("GET / HTTP/1.1\r\nX: {}\r\n\r\nA: b\n", "x".repeat(LIMIT)), None);
    check("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\na\nb", None);
}
