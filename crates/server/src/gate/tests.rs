use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn beyond_loopback_it_takes_a_token_and_tls() {
    let refusal = |addr: &str, token, tls| bind_refusal(addr.parse().unwrap(), token, tls);
    for addr in ["127.0.0.1:1", "[::1]:1", "127.8.9.1:1", "[::ffff:127.0.0.1]:1"] {
        assert_eq!(refusal(addr, false, false), None, "{addr}");
    }
    for addr in ["0.0.0.0:1", "[::]:1", "192.0.2.7:1", "[::ffff:192.0.2.7]:1"] {
        let needs = |flags| Some(format!("{addr} can be reached from other machines: give {flags}, or bind 127.0.0.1"));
        assert_eq!(refusal(addr, false, false), needs("--token-file (or CODER_AGENT_TOKEN) and --tls-in-front"));
        assert_eq!(refusal(addr, false, true), needs("--token-file (or CODER_AGENT_TOKEN)"));
        assert_eq!(refusal(addr, true, false), needs("--tls-in-front"));
        assert_eq!(refusal(addr, true, true), None);
    }
}

#[test]
fn hosts_follow_the_bound_address() {
    let check = |bound: &str, host: &str| AllowedHosts::new(bound.parse().unwrap(), Vec::new()).check(host);
    assert_eq!(check("192.0.2.7:8080", "192.0.2.7:8080"), Ok(()));
    assert_eq!(check("[2001:db8::7]:8080", "[2001:DB8::7]:8080"), Ok(()));
    assert_eq!(check("0.0.0.0:8080", "0.0.0.0:8080"), Err(GateDenial::Host));
    assert_eq!(check("127.0.0.1:80", "localhost"), Ok(()));
    assert_eq!(check("127.0.0.1:8080", "localhost"), Err(GateDenial::Host));
}

#[test]
fn null_cannot_be_listed() {
    let hosts = AllowedHosts::new("127.0.0.1:8080".parse().unwrap(), Vec::new());
    let origins = AllowedOrigins::new(&hosts, vec!["null".to_owned()]);
    let headers = HeaderMap::from_iter([(axum::http::header::ORIGIN, "null".parse().unwrap())]);
    assert_eq!(origins.check(&headers), Err(GateDenial::Origin));
}

#[test]
fn a_peer_from_elsewhere_is_never_the_local_user() {
    let (elsewhere, here) = ("192.0.2.7:4000".parse().unwrap(), "127.0.0.1:8080".parse().unwrap());
    assert!(!ConnectionPeer::unconnected(elsewhere, here).is_local_user());
    assert!(!ConnectionPeer::unconnected(here, elsewhere).is_local_user());
}

/// One host may have all addresses of an IPv6 network, and is counted as one.
#[test]
fn hosts_elsewhere_count_by_address_or_by_network() {
    let identity = |remote: &str| {
        ConnectionPeer::unconnected(remote.parse().unwrap(), "198.51.100.1:8080".parse().unwrap()).identity()
    };
    assert_eq!(identity("192.0.2.7:4000"), PeerIdentity::Address("192.0.2.7".parse().unwrap()));
    assert_eq!(identity("[::ffff:192.0.2.7]:4000"), identity("192.0.2.7:1"));
    let network = PeerIdentity::Address("2001:db8:1:2::".parse().unwrap());
    assert_eq!(identity("[2001:db8:1:2:3:4:5:6]:4000"), network);
    assert_eq!(identity("[2001:db8:1:2::1]:4000"), network);
    assert_ne!(identity("[2001:db8:1:3::1]:4000"), network);
}

#[test]
fn a_generated_token_is_256_bits_and_parses() {
    let (one, two) = (BearerToken::generate().unwrap(), BearerToken::generate().unwrap());
    assert_eq!(one.reveal().len(), 64);
    assert_ne!(one.reveal(), two.reveal());
    assert!(one.hash().matches(BearerToken::parse(one.reveal()).unwrap().reveal()));
    assert!(!one.hash().matches(two.reveal()));
}

#[test]
fn a_token_file_is_private_and_holds_a_token() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    let read = |text: &str, mode: u32| {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        BearerToken::read_file(&path).map(|token| token.reveal().to_owned()).map_err(|error| error.to_string())
    };
    let text = "0123456789abcdef0123456789ABCDEF";
    let exposed = Err(format!("other users can read the token file {}: run chmod 600 on it", path.display()));
    let unfit = Err("a token is 32 or more letters, digits or -._~+/=: make one with openssl rand -hex 32".to_owned());
    for good in [text.to_owned(), format!("{text}\n"), format!("{text}\r\n")] {
        assert_eq!(read(&good, 0o600), Ok(text.to_owned()));
    }
    assert_eq!(read(text, 0o400), Ok(text.to_owned()));
    assert_eq!(read(text, 0o640), exposed);
    assert_eq!(read(text, 0o604), exposed);
    assert_eq!(read(&text[1..], 0o600), unfit);
    assert_eq!(read("", 0o600), unfit);
    assert_eq!(read(&format!("{text}\n\n"), 0o600), unfit);
    assert_eq!(read(&format!("{text} {text}"), 0o600), unfit);
    let none = dir.path().join("none");
    let missing = BearerToken::read_file(&none).map(|_| ()).unwrap_err().to_string();
    let way_out = format!("`openssl rand -hex 32 > {0} && chmod 600 {0}`", none.display());
    assert!(missing.contains(&way_out) && missing.contains("CODER_AGENT_TOKEN"), "{missing}");
    let directory = BearerToken::read_file(dir.path());
    assert!(matches!(directory, Err(TokenError::Read { .. } | TokenError::Exposed { .. })));
}
