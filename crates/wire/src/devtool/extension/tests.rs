//! Which versions of an extension understand each other.

use super::{ExtensionUri, ExtensionVersion};
use crate::devtool::URI;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn at(version: &str) -> ExtensionUri {
    ExtensionUri::parse(&format!("https://example.com/tool/{version}/spec.md")).unwrap()
}

#[test]
fn the_version_is_a_part_of_the_path() {
    let version = |uri: &str| ExtensionUri::parse(uri).map(|uri| uri.version().to_string());
    for (uri, expected) in [
        (URI, Some("0.0.0")),
        ("https://example.com/v1.2", Some("1.2.0")),
        ("https://example.com/v1/x/v2.3.4/spec.md?v9#/v8", Some("2.3.4")),
        ("urn:x/v3", Some("3.0.0")),
        ("https://example.com/vnext/spec.md", None),
        ("https://example.com/v/spec.md", None),
        ("https://example.com/v1.2.3.4/spec.md", None),
        ("https://example.com/v01/spec.md", None),
        ("https://example.com/v-1/spec.md", None),
        ("https://example.com/v+1/spec.md", None),
        ("https://example.com/v1./spec.md", None),
        ("https://example.com/v99999999999/spec.md", None),
        ("v1", None),
        ("", None),
    ] {
        assert_eq!(version(uri).as_deref(), expected, "{uri}");
    }
}

#[test]
fn an_agent_understands_what_its_version_has() {
    for (ours, theirs, understood) in [
        ("v0", "v0", true),
        ("v0", "v0.0.0", true),
        ("v0", "v0.0.1", false),
        ("v0.0.1", "v0", false),
        ("v0.2.3", "v0.2.1", true),
        ("v0.2.3", "v0.3", false),
        ("v0.2.3", "v0.1", false),
        ("v1", "v0", false),
        ("v1.4", "v1.2.9", true),
        ("v1.2", "v1.4", false),
        ("v2", "v1", false),
        ("v1", "v2", false),
    ] {
        assert_eq!(at(ours).supports(&at(theirs)), understood, "{ours} {theirs}");
    }
    let elsewhere = ExtensionUri::parse("https://example.org/tool/v1/spec.md").unwrap();
    assert!(!at("v1").supports(&elsewhere));
    assert!(at("v1").is_same_extension(&at("v2")));
    assert_eq!(at("v1.2.3").version(), ExtensionVersion { major: 1, minor: 2, patch: 3 });
}

proptest! {
    #[test]
    fn no_address_is_too_odd(uri in "\\PC{0,60}|[v0-9./]{0,60}") {
        if let Some(read) = ExtensionUri::parse(&uri) {
            prop_assert!(read.supports(&read));
        }
    }
}
