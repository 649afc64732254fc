use super::super::EntryConnector;
use super::super::http::McpHttpClient;
use super::*;
use crate::mcp::{McpLimits, McpServerConfig};

fn public(allowed: &[&str]) -> McpReach {
    McpReach::Public { allowed_hosts: allowed.iter().map(|host| (*host).to_owned()).collect() }
}

#[test]
fn a_client_may_name_the_public_internet_only() {
    for bad in [
        "http://127.0.0.1:8080/mcp",
        "https://127.0.0.1/mcp",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0.0.0.0/",
        "https://10.1.2.3/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/",
        "https://224.0.0.1/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[ff02::1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://localhost/",
        "https://LOCALHOST./",
        "https://api.localhost/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://intranet/",
        "https://me:secret@example.com/",
        "https://example.com:22/",
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "not an address",
    ] {
        assert!(public(&[]).check(bad).is_err(), "{bad}");
    }
    for good in
        ["https://example.com/mcp", "https://example.com:8443/", "https://93.184.216.34/", "https://[2606:4700::1]/"]
    {
        assert_eq!(public(&[]).check(good), Ok(()), "{good}");
    }
}

#[test]
fn the_operator_may_allow_a_host_and_the_person_names_any() {
    let reach = public(&["127.0.0.1:8080", "tools.lan", "::1"]);
    for allowed in ["http://127.0.0.1:8080/mcp", "http://tools.lan/", "https://tools.lan:99/", "http://[::1]:9/"] {
        assert_eq!(reach.vet(allowed).map(|(_, trust)| trust), Ok(AddressTrust::Named), "{allowed}");
    }
    for other in ["http://127.0.0.1:8081/mcp", "http://more.tools.lan/", "http://2130706433:8080/"] {
        assert!(reach.vet(other).is_err(), "{other}");
    }
    assert_eq!(McpReach::Anywhere.vet("http://127.0.0.1/").map(|(_, trust)| trust), Ok(AddressTrust::Named));
}

/// Says the same of every host.
struct FixedLookup(&'static [IpAddr]);

impl HostLookup for FixedLookup {
    fn look_up<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(self.0.to_vec()) })
    }
}

#[tokio::test]
async fn a_name_that_leads_home_is_not_connected_to() {
    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const AWAY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(93, 184, 216, 34));
    let listener = std::net::TcpListener::bind((HOME, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("https://rebound.example:{}/mcp", listener.local_addr().unwrap().port());
    let line = EntryConnector {
        name: "lent".into(),
        config: McpServerConfig { url: Some(url.clone()), ..McpServerConfig::default() },
        directory: "/".into(),
        untrusted: Vec::new(),
        limits: McpLimits::default(),
        tokens: None,
        reach: public(&[]),
    };
    // One private address among public ones is enough: which of them is used is not ours to choose.
    for found in [&[HOME][..], &[AWAY, HOME]] {
        let web = McpHttpClient::with_lookup(&line, &url, Arc::new(FixedLookup(found))).unwrap();
        let error = web.send(web.get(web.url.clone())).await.unwrap_err();
        web.note(&error);
        let refusal = web.refusal().unwrap().to_string();
        assert!(refusal.contains("the host leads to an address that is not on the public internet"), "{refusal}");
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock, "nothing was connected to");
    }
}
