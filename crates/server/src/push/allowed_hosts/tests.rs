use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_host_is_taken_with_its_port_or_without() {
    for (text, expected) in [
        ("example.com", "example.com"),
        ("Example.COM:8080", "example.com:8080"),
        ("localhost", "localhost"),
        ("build_server", "build_server"),
        ("127.0.0.1:80", "127.0.0.1:80"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("[::1]:8080", "[::1]:8080"),
    ] {
        assert_eq!(read_push_host(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_plain_host_is_refused_with_the_way_out() {
    for text in [
        "",
        " ",
        "http://x/",
        "http://x",
        "x/",
        "x/hook",
        "x?y",
        "x#y",
        "a@b",
        "a:b@c",
        "x:",
        "x:0",
        "x:99999",
        "x:http",
        "x:+80",
        "*.example.com",
        "two words",
        "[::1",
        "::1]:80",
        ":8080",
    ] {
        let no_host = format!("{text:?} is no host; write example.com or example.com:8080");
        assert_eq!(read_push_host(text), Err(no_host));
    }
    for (text, plain) in [
        ("2130706433", "127.0.0.1"),
        ("0x7f.1:8080", "127.0.0.1"),
        ("0:0:0:0:0:0:0:1", "[::1]"),
        ("b\u{fc}cher.example", "xn--bcher-kva.example"),
    ] {
        let unusual = format!("{text:?} is an unusual way to write a host; write {plain}");
        assert_eq!(read_push_host(text), Err(unusual));
    }
}
