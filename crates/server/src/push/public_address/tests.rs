use super::is_public;

#[track_caller]
fn check(addresses: &[&str], public: bool) {
    for address in addresses {
        assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
    }
}

#[test]
fn the_public_internet_is_public() {
    check(&["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111"], true);
}

#[test]
fn private_local_and_shared_networks_are_not() {
    check(&["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "0.0.0.0", "0.1.2.3"], false);
    check(&["127.0.0.1", "127.255.255.254", "::1", "::", "fc00::1", "fd12:3456::1", "fe80::1"], false);
}

#[test]
fn metadata_documentation_multicast_and_reserved_are_not() {
    check(&["169.254.169.254", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.9"], false);
    check(&["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1", "2001:db8::1"], false);
}

#[test]
fn an_address_inside_another_is_not() {
    check(&["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1"], false);
}
