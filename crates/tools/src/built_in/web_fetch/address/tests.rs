use super::*;
use pretty_assertions::assert_eq;

fn allowed(address: &str, reach: FetchReach) -> bool {
    is_allowed(address.parse().unwrap(), reach)
}

#[test]
fn only_public_addresses_are_allowed() {
    for address in ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.32.0.1", "223.255.255.255"] {
        assert!(allowed(address, FetchReach::Public), "{address}");
    }
    for address in ["2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"] {
        assert!(allowed(address, FetchReach::Public), "{address}");
    }
    let refused = [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:8.8.8.8",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "ff02::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
    ];
    for address in refused {
        assert!(!allowed(address, FetchReach::Public), "{address}");
    }
}

#[test]
fn tests_may_reach_this_machine_and_nothing_else_that_is_private() {
    let found = ["127.0.0.1", "::1", "1.1.1.1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1"]
        .map(|address| allowed(address, FetchReach::PublicAndLoopback));
    assert_eq!(found, [true, true, true, false, false, false]);
}
