//! The name by which a client came decides.

use super::super::config::{CardConfig, UrlScheme};
use super::{AdvertisedAddress, is_loopback};
use pretty_assertions::assert_eq;

#[test]
fn the_address_follows_the_host() {
    let card_config =
        CardConfig { url: "http://localhost:41242/".into(), outside_scheme: UrlScheme::Https, ..CardConfig::default() };
    for (host, root, is_loopback) in [
        (None, "http://localhost:41242/", true),
        (Some("127.0.0.1:41242"), "http://127.0.0.1:41242/", true),
        (Some("[::1]:41242"), "http://[::1]:41242/", true),
        (Some("LocalHost:41242"), "http://localhost:41242/", true),
        (Some("agent.example.com"), "https://agent.example.com/", false),
        (Some("agent.example.com:8443"), "https://agent.example.com:8443/", false),
        (Some("192.0.2.7:41242"), "https://192.0.2.7:41242/", false),
        (Some("not a host"), "http://localhost:41242/", true),
        (Some("me@agent.example.com"), "http://localhost:41242/", true),
        (Some(""), "http://localhost:41242/", true),
    ] {
        assert_eq!(
            AdvertisedAddress::seen_by(&card_config, host),
            AdvertisedAddress { root: root.into(), is_loopback },
            "{host:?}"
        );
    }
}

#[test]
fn a_path_in_front_stays_and_plain_text_is_the_default() {
    let card_config = CardConfig { url: "https://localhost:1/agents/one".into(), ..CardConfig::default() };
    let root = |host| AdvertisedAddress::seen_by(&card_config, Some(host)).root;
    assert_eq!(root("localhost:1"), "https://localhost:1/agents/one/");
    assert_eq!(root("lan.example.com:1"), "http://lan.example.com:1/agents/one/");
}

#[test]
fn loopback_has_many_names() {
    for (host, expected) in [
        ("localhost", true),
        ("127.9.9.9", true),
        ("[::1]", true),
        ("::ffff:127.0.0.1", true),
        ("localhost.example.com", false),
        ("10.0.0.1", false),
        ("[fe80::1]", false),
    ] {
        assert_eq!(is_loopback(host), expected, "{host}");
    }
}
