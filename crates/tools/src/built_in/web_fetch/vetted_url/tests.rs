use super::*;
use pretty_assertions::assert_eq;

fn parsed(text: &str) -> Result<String, String> {
    VettedUrl::parse(text, FetchReach::Public).map(|link| link.url.to_string())
}

#[test]
fn public_addresses_are_taken() {
    let cases = [
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c"),
        ("http://EXAMPLE.com:8080", "http://example.com:8080/"),
        ("https://1.1.1.1/", "https://1.1.1.1/"),
        (
            "https://github.com/rust-lang/rust/blob/master/README.md",
            "https://raw.githubusercontent.com/rust-lang/rust/master/README.md",
        ),
        ("https://github.com/rust-lang/rust", "https://github.com/rust-lang/rust"),
    ];
    for (text, expected) in cases {
        assert_eq!(parsed(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn others_are_refused_with_a_reason() {
    let cases = [
        ("ftp://example.com/", "`ftp://example.com/` is neither http nor https"),
        ("file:///etc/passwd", "`file:///etc/passwd` is neither http nor https"),
        ("https://me:secret@example.com/", "`example.com` holds a name or a password; leave them out"),
        ("http://localhost:3000/", "`localhost` is not on the public internet, so it is not fetched"),
        ("http://intranet/", "`intranet` is not on the public internet, so it is not fetched"),
        ("http://db.internal/", "`db.internal` is not on the public internet, so it is not fetched"),
        ("http://127.0.0.1/", "`127.0.0.1` is not on the public internet, so it is not fetched"),
        ("http://[::1]/", "`[::1]` is not on the public internet, so it is not fetched"),
        ("http://[::ffff:10.0.0.1]/", "`[::ffff:a00:1]` is not on the public internet, so it is not fetched"),
        ("http://0x7f.1/", "`127.0.0.1` is not on the public internet, so it is not fetched"),
        ("http://16843009/", "`http://16843009/` writes its network address in an unusual way; write it plainly"),
        ("https://example.com:22/", "port 22 of `example.com` is not one for web pages"),
    ];
    for (text, reason) in cases {
        assert_eq!(parsed(text), Err(reason.to_owned()), "{text}");
    }
}

#[test]
fn addresses_are_found_in_a_text() {
    let text = "Compare https://a.example.com/x, (see <https://b.example.com/y>) and https://a.example.com/x.";
    let found: Vec<String> =
        find_urls(text, FetchReach::Public).unwrap().into_iter().map(|link| link.url.to_string()).collect();
    assert_eq!(found, ["https://a.example.com/x", "https://b.example.com/y"]);
}

#[test]
fn one_bad_address_or_none_or_too_many_refuse_the_call() {
    let kind = |text: &str| find_urls(text, FetchReach::Public).unwrap_err().kind();
    assert_eq!(kind("https://example.com and http://127.0.0.1/"), "invalid_tool_params");
    assert_eq!(kind("no address here"), "web_fetch_no_url_in_prompt");
    let many: Vec<String> = (0..21).map(|number| format!("https://example.com/{number}")).collect();
    assert_eq!(kind(&many.join(" ")), "invalid_tool_params");
}

#[test]
fn a_site_is_its_host_with_or_without_www_and_never_less_secret() {
    let link = |text: &str| VettedUrl::parse(text, FetchReach::Public).unwrap();
    let same = |from: &str, to: &str| link(from).same_site(&link(to));
    assert!(same("http://example.com/a", "https://www.example.com/b"));
    assert!(same("https://example.com/a", "https://example.com/b"));
    assert!(!same("https://example.com/a", "http://example.com/a"));
    assert!(!same("https://example.com/a", "https://evil.com/a"));
}
