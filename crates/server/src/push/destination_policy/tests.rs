use super::{DestinationPolicy, HostTrust};
use crate::push::settings::Resolver;
use pollux_session::BoxFuture;
use pretty_assertions::assert_eq;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

/// Knows the hosts of a test.
struct FakeResolver(Vec<(&'static str, Vec<&'static str>)>);

impl Resolver for FakeResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let found = self.0.iter().find(|(name, _)| *name == host);
        let found = found.map(|(_, found)| found.iter().map(|address| address.parse().unwrap()).collect());
        Box::pin(async move { found.ok_or_else(|| io::Error::other("no such host")) })
    }
}

fn reach(allowed: &[&str]) -> DestinationPolicy {
    let book = FakeResolver(vec![
        ("hook.example.com", vec!["93.184.216.34", "2606:4700:4700::1111"]),
        ("half.example.com", vec!["93.184.216.34", "10.0.0.7"]),
        ("inside.example.com", vec!["169.254.169.254"]),
    ]);
    DestinationPolicy::new(&allowed.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>(), Arc::new(book))
}

/// The problem of an address; nothing when it may be used.
async fn complaint(allowed: &[&str], url: &str) -> Option<String> {
    reach(allowed).admit(url).await.err().map(|fault| fault.message)
}

#[tokio::test]
async fn https_on_the_public_internet_is_taken() {
    for url in ["https://hook.example.com/a?b=c", "https://hook.example.com:8443/", "https://93.184.216.34/hook"] {
        assert_eq!(complaint(&[], url).await, None, "{url}");
    }
}

#[tokio::test]
async fn a_host_that_is_not_found_now_may_be_there_later() {
    assert_eq!(complaint(&[], "https://later.example.com/").await, None);
}

#[tokio::test]
async fn one_address_that_is_not_public_is_enough() {
    let why = "`url` leads to an address that is not on the public internet";
    let hidden = ["https://half.example.com/", "https://inside.example.com/"];
    let written = ["https://127.0.0.1/", "https://[::1]/", "https://10.1.2.3/", "https://[::ffff:127.0.0.1]/"];
    let named = ["https://localhost/", "https://intranet/", "https://box.local/", "https://metadata.google.internal/"];
    for url in hidden.into_iter().chain(written).chain(named) {
        assert_eq!(complaint(&[], url).await.as_deref(), Some(why), "{url}");
    }
}

#[tokio::test]
async fn what_is_no_plain_https_address_is_refused() {
    let refused = [
        ("", "`url` is not an address: relative URL without a base"),
        ("ftp://hook.example.com/", "`url` must begin with https://"),
        ("file:///etc/passwd", "`url` must begin with https://"),
        ("http://hook.example.com/", "`url` must begin with https://, unless the operator has allowed its host"),
        ("https://me:secret@hook.example.com/", "`url` must not hold a name or a password; use `authentication`"),
        ("https://hook.example.com:25/", "`url` has port 25, which is not one for web servers"),
        ("https://2130706433/", "`url` writes its host in an unusual way; write 127.0.0.1"),
        ("https://0x7f.1/", "`url` writes its host in an unusual way; write 127.0.0.1"),
        ("https://2130706433/127.0.0.1", "`url` writes its host in an unusual way; write 127.0.0.1"),
    ];
    for (url, why) in refused {
        assert_eq!(complaint(&[], url).await.as_deref(), Some(why), "{url}");
    }
    let long = format!("https://hook.example.com/{}", "a".repeat(2048));
    assert_eq!(complaint(&[], &long).await.as_deref(), Some("`url` is longer than 2048 bytes"));
}

#[tokio::test]
async fn what_the_operator_allows_must_be_written_plainly() {
    for host in ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "%3127.0.0.1", "127.0.0.0x1"] {
        let why = complaint(&["127.0.0.1", "127.0.0.1:8080"], &format!("https://{host}:8080/hook?127.0.0.1")).await;
        assert_eq!(why.as_deref(), Some("`url` writes its host in an unusual way; write 127.0.0.1"), "{host}");
    }
    for url in ["http://127.0.0.1/", "http://127.0.0.1:8080/hook", "https://127.0.0.1?a=b"] {
        assert_eq!(complaint(&["127.0.0.1"], url).await, None, "{url}");
    }
}

#[tokio::test]
async fn the_operator_may_allow_a_host_or_one_port_of_it() {
    for url in ["http://localhost:8080/", "http://LOCALHOST/", "https://localhost:25/"] {
        assert_eq!(complaint(&["Localhost"], url).await, None, "{url}");
    }
    assert_eq!(complaint(&["127.0.0.1:9000"], "http://127.0.0.1:9000/").await, None);
    assert_eq!(complaint(&["[::1]:9000"], "http://[::1]:9000/").await, None);
    assert!(complaint(&["127.0.0.1:9000"], "http://127.0.0.1:9001/").await.is_some());
    assert!(complaint(&["localhost"], "http://127.0.0.1/").await.is_some());
}

#[test]
fn a_port_that_is_not_allowed_earns_no_trust() {
    let reach = reach(&["half.example.com:9000"]);
    let trust = |url: &str| reach.vet(url).unwrap().1;
    assert_eq!(trust("https://half.example.com:9000/"), HostTrust::Operator);
    assert_eq!(trust("https://half.example.com:9001/"), HostTrust::PublicOnly);
}
