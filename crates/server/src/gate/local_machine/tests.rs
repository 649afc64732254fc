use super::*;
use pretty_assertions::assert_eq;
use std::net::IpAddr;

fn addr(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

#[test]
fn whoever_reaches_a_loopback_address_is_here() {
    for local in ["127.0.0.1:80", "127.8.9.1:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
        for remote in ["127.0.0.1:4000", "192.0.2.7:4000", "[2001:db8::7]:4000", "[::ffff:192.0.2.7]:4000"] {
            assert!(is_on_this_machine(addr(remote), addr(local)), "{remote} at {local}");
        }
    }
}

#[test]
fn elsewhere_is_only_who_has_none_of_our_addresses() {
    let local = addr("198.51.100.1:80");
    for (remote, is_here) in [
        ("127.0.0.2:4000", true),
        ("[::ffff:127.0.0.1]:4000", true),
        ("198.51.100.1:4000", true),
        ("[::ffff:198.51.100.1]:4000", true),
        ("203.0.113.9:4000", false),
        ("[::ffff:203.0.113.9]:4000", false),
        ("[2001:db8::7]:4000", false),
    ] {
        assert_eq!(is_on_this_machine(addr(remote), local), is_here, "{remote}");
    }
}

/// An address of an interface, if there is one beside loopback.
#[test]
fn the_address_of_an_interface_is_our_own() {
    let probe = UdpSocket::bind("0.0.0.0:0").unwrap();
    // Nothing is sent by connecting.
    let routed = probe.connect("203.0.113.9:9").and_then(|()| probe.local_addr()).map(|own| own.ip());
    let own = routed.unwrap_or(IpAddr::from([127, 0, 0, 2]));
    assert!(is_own_address(SocketAddr::new(own, 4000)), "{own}");
    assert!(!is_own_address(addr("203.0.113.9:9")));
}

/// A link-local address cannot be looked up without its interface.
#[test]
fn what_cannot_be_looked_up_is_here() {
    assert!(is_own_address(addr("[fe80::1]:4000")));
}
