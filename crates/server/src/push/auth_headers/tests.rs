use super::{PushAuthHeaders, SignatureNonce};
use pollux_wire::a2a::{PushAuthentication, PushNotificationConfig};
use pretty_assertions::assert_eq;

const MOMENT: SignatureNonce = SignatureNonce { timestamp: 1_763_164_800, nonce: [0xab; 16] };

fn config(token: &str, auth: Option<(&[&str], &str)>) -> PushNotificationConfig {
    PushNotificationConfig {
        token: Some(token.into()),
        authentication: auth.map(|(schemes, credentials)| PushAuthentication {
            schemes: schemes.iter().map(|scheme| (*scheme).to_owned()).collect(),
            credentials: Some(credentials.into()),
        }),
        ..PushNotificationConfig::default()
    }
}

/// The headers of a request with the body `{}`.
fn headers(token: &str, auth: Option<(&[&str], &str)>) -> Vec<(String, String)> {
    let proof = PushAuthHeaders::from_config(&config(token, auth)).unwrap_or_else(|fault| panic!("{fault}"));
    let headers = proof.headers(b"{}", &MOMENT);
    let pairs = headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs
}

fn complaint(token: &str, auth: Option<(&[&str], &str)>) -> String {
    PushAuthHeaders::from_config(&config(token, auth)).err().expect("it is refused").message
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn the_token_is_sent_under_both_names() {
    let expected = [("a2a-notification-token", "t1"), ("x-a2a-notification-token", "t1")];
    assert_eq!(headers("t1", None), pairs(&expected));
    assert_eq!(headers("", None), pairs(&[]));
}

#[test]
fn credentials_are_sent_under_their_scheme() {
    assert_eq!(headers("", Some((&["Bearer"], "abc"))), pairs(&[("authorization", "Bearer abc")]));
    assert_eq!(headers("", Some((&["Basic", "Bearer"], "dTpw"))), pairs(&[("authorization", "Basic dTpw")]));
    assert_eq!(headers("", Some((&["Bearer"], ""))), pairs(&[]));
}

#[test]
fn a_signature_covers_time_nonce_and_body_and_shows_no_secret() {
    // printf '1763164800.abababababababababababababababab.{}' | openssl dgst -sha256 -hmac 0123456789abcdef
    let expected = [
        ("x-a2a-notification-nonce", "abababababababababababababababab"),
        ("x-a2a-notification-signature", "sha256=03361ec2f85274d969ec31c4635c3c5961897109e5c83bcbf8e75cc9e932b822"),
        ("x-a2a-notification-timestamp", "1763164800"),
    ];
    assert_eq!(headers("", Some((&["HMAC-SHA256"], "0123456789abcdef"))), pairs(&expected));
}

#[test]
fn what_no_header_can_hold_is_refused() {
    assert_eq!(complaint("a\r\nHost: b", None), "`token` holds a character that no header can");
    assert_eq!(complaint("ä", None), "`token` holds a character that no header can");
    assert_eq!(complaint(&"a".repeat(4097), None), "`token` is longer than 4096 bytes");
    let scheme = "`authentication` names a scheme that is none; try Bearer";
    assert_eq!(complaint("", Some((&["Bearer x:"], "abc"))), scheme);
    assert_eq!(complaint("", Some((&[""], "abc"))), scheme);
    let nameless = "`authentication` has credentials but names no scheme for them";
    assert_eq!(complaint("", Some((&[], "abc"))), nameless);
    let short = "`authentication.credentials` must have 16 to 4096 bytes to sign with";
    assert_eq!(complaint("", Some((&["hmac-sha256"], "short"))), short);
}
