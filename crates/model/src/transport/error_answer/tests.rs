use super::*;
use pretty_assertions::assert_eq;

#[tokio::test]
async fn a_body_that_is_no_json_is_quoted_in_part() {
    let page = "x".repeat(LONGEST * 2);
    let body = futures_util::stream::iter([Ok(page.into()), Err("reset".to_owned())]).boxed();
    let trouble = ProviderErrorAnswer::read(ProviderResponse { status: 502, retry_after: None, body }).await;
    let quoted = Value::from("x".repeat(EXCERPT));
    assert_eq!(trouble, ProviderErrorAnswer { http: 502, retry_after: None, body: quoted });
}

#[test]
fn a_web_page_is_told_by_its_title() {
    let told = "a web page came instead of an answer";
    for (page, expected) in [
        ("<html><head><title>502 Bad\n Gateway</title></head><body>nginx</body></html>", Some(": 502 Bad Gateway")),
        ("\n<!DOCTYPE HTML>\n<TITLE lang=en>Straße</TITLE>", Some(": Straße")),
        ("<html><title></title><body>x", Some("")),
        ("<html><title>open", Some("")),
        ("<html", Some("")),
        ("upstream timed out", None),
        ("{\"error\": \"<html>\"}", None),
    ] {
        assert_eq!(describe_page(page), expected.map(|rest| format!("{told}{rest}")), "{page}");
    }
}

#[test]
fn delays_are_read_in_every_unit() {
    assert_eq!(read_delay("34.07s"), Some(Duration::from_millis(34_070)));
    assert_eq!(read_delay("900ms"), Some(Duration::from_millis(900)));
    assert_eq!(read_delay("6m0.5s"), Some(Duration::from_millis(360_500)));
    for nonsense in ["", "s", "soon", "-1s", "m1s", "NaNs", "1e300s"] {
        assert_eq!(read_delay(nonsense), None, "{nonsense}");
    }
}
