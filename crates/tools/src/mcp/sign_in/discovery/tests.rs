use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_challenge_has_parameters() {
    let header =
        r#"Bearer error="invalid_token", resource_metadata="https://a.b/c?d=e", scope="read write", my_scope=x"#;
    assert_eq!(parameter(header, "resource_metadata").as_deref(), Some("https://a.b/c?d=e"));
    assert_eq!(parameter(header, "scope").as_deref(), Some("read write"));
    assert_eq!(parameter("Bearer my_scope=x, scope=y", "scope").as_deref(), Some("y"));
    assert_eq!(parameter("Bearer realm=x", "scope"), None);
}

#[test]
fn a_server_speaks_for_itself_and_what_is_below_it() {
    let server = Url::parse("https://a.b/mcp/one").unwrap();
    for (claimed, covered) in [
        ("https://a.b/mcp/one", true),
        ("https://a.b/mcp", true),
        ("https://a.b", true),
        ("https://a.b/mc", false),
        ("https://a.b/mcp/one/two", false),
        ("https://c.d/mcp/one", false),
        ("http://a.b/mcp/one", false),
        ("nonsense", false),
    ] {
        assert_eq!(covers(claimed, &server), covered, "{claimed}");
    }
}

#[test]
fn secrets_go_over_https_or_stay_on_this_machine() {
    let away = OauthFetcher::new(&Url::parse("https://a.b/mcp").unwrap()).unwrap();
    let here = OauthFetcher::new(&Url::parse("http://127.0.0.1:9/mcp").unwrap()).unwrap();
    for (address, from_away, from_here) in [
        ("https://c.d/token", true, true),
        ("http://c.d/token", false, false),
        ("http://127.0.0.1:1/token", false, true),
        ("http://localhost/token", false, true),
        ("https://127.0.0.1/token", false, true),
        ("file:///etc/passwd", false, false),
        ("javascript:alert(1)", false, false),
    ] {
        assert_eq!((away.check(address).is_ok(), here.check(address).is_ok()), (from_away, from_here), "{address}");
    }
    assert!(OauthFetcher::new(&Url::parse("http://a.b/mcp").unwrap()).is_err());
}
