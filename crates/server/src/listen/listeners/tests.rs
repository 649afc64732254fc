use super::*;
use pretty_assertions::assert_eq;

const V4: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
const V6: SocketAddr = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 0);

/// True if this machine has [::1] at all.
fn has_ipv6() -> bool {
    std::net::TcpListener::bind(V6).is_ok()
}

#[tokio::test]
async fn localhost_is_both_addresses() {
    for address in [V4, V6].into_iter().take(if has_ipv6() { 2 } else { 0 }) {
        let listeners = Listeners::bind(address).unwrap();
        let port = listeners.local_addr().unwrap().port();
        assert_eq!(listeners.local_addr().unwrap().ip(), address.ip());
        for ip in [V4.ip(), V6.ip()] {
            let client = TcpStream::connect(SocketAddr::new(ip, port)).await.unwrap();
            let (_, remote) = listeners.accept().await.unwrap();
            assert_eq!(remote, client.local_addr().unwrap());
            // And nobody else can have it.
            let squatter = bind_listener(SocketAddr::new(ip, port)).unwrap_err();
            assert_eq!(squatter.kind(), io::ErrorKind::AddrInUse);
        }
    }
}

#[tokio::test]
async fn a_port_that_somebody_has_on_the_other_address_is_refused() {
    let Ok(squatter) = std::net::TcpListener::bind(V6) else { return };
    let taken = squatter.local_addr().unwrap();
    let refused = Listeners::bind(SocketAddr::new(V4.ip(), taken.port())).unwrap_err();
    assert_eq!((refused.address, refused.error.kind()), (taken, io::ErrorKind::AddrInUse));
    // Any port is one that is free on both.
    assert!(Listeners::bind(V4).is_ok());
}

#[test]
fn a_machine_without_the_other_address_goes_without() {
    for (number, missing) in [(97, true), (99, true), (98, false), (13, false)] {
        assert_eq!(is_missing(&io::Error::from_raw_os_error(number)), missing && cfg!(target_os = "linux"), "{number}");
    }
    let other = |address: &str| other_localhost(address.parse().unwrap()).map(|other| other.to_string());
    assert_eq!(other("127.0.0.1:7").as_deref(), Some("[::1]:7"));
    assert_eq!(other("0.0.0.0:7").as_deref(), Some("[::1]:7"));
    assert_eq!(other("[::1]:7").as_deref(), Some("127.0.0.1:7"));
    assert_eq!(
        [other("127.0.0.2:7"), other("192.0.2.1:7"), other("[::]:7"), other("[fd00::1]:7")],
        [const { None }; 4]
    );
}
