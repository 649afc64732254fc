use super::*;
use pretty_assertions::assert_eq;

const KEY: (&str, &str) = ("GEMINI_API_KEY", "secret");

fn read(env: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Settings::from_env("gemini-3.8-flash", &env).map(Option::unwrap)
}

fn refused(env: &[(&str, &str)]) -> SettingsError {
    read(env).err().unwrap()
}

#[test]
fn the_endpoint_follows_the_environment() {
    let usual = read(&[KEY]).unwrap();
    assert_eq!(usual.url.as_str(), "https://generativelanguage.googleapis.com/");
    assert_eq!(usual.path("countTokens"), "/v1beta/models/gemini-3.8-flash:countTokens");
    let gateway = [("GOOGLE_GEMINI_BASE_URL", "https://gw.example/ai/"), ("GOOGLE_GENAI_API_VERSION", "v1")];
    let gateway = read(&gateway).unwrap();
    assert_eq!(gateway.url.as_str(), "https://gw.example/ai/");
    assert_eq!(gateway.path("countTokens"), "/v1/models/gemini-3.8-flash:countTokens");
    assert!(gateway.key.is_none());
}

#[test]
fn a_key_never_travels_in_plain_text() {
    assert_eq!(
        refused(&[KEY, ("GOOGLE_GEMINI_BASE_URL", "http://gw.example")]),
        SettingsError::PlainHttp { variable: "GOOGLE_GEMINI_BASE_URL" }
    );
    for address in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:1"] {
        assert!(read(&[("GOOGLE_GEMINI_BASE_URL", address)]).is_ok(), "{address}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let refused_url = |address: &str| refused(&[("GOOGLE_GEMINI_BASE_URL", address)]).to_string();
    for address in ["gw.example", "ftp://gw.example", "https://gw.example?key=1", "https://user@gw.example"] {
        let message = refused_url(address);
        assert!(message.starts_with("GOOGLE_GEMINI_BASE_URL is not usable"), "{address}: {message}");
    }
    assert_eq!(refused(&[KEY, ("GOOGLE_GENAI_API_VERSION", "../v1")]), SettingsError::Version("../v1".into()));
    assert_eq!(refused(&[KEY, ("GEMINI_API_KEY_AUTH_MECHANISM", "basic")]), SettingsError::Mechanism("basic".into()));
    assert_eq!(refused(&[KEY, ("GEMINI_CLI_CUSTOM_HEADERS", "nonsense, X-A: 1")]), SettingsError::Header(1));
    assert_eq!(refused(&[KEY, ("GEMINI_CLI_CUSTOM_HEADERS", "X-A: 1, X-B: a\nb")]), SettingsError::Header(2));
}

#[test]
fn headers_may_hold_commas_and_colons() {
    let env = [KEY, ("GEMINI_CLI_CUSTOM_HEADERS", "X-A: 1, 2 ,X-B: http://x:1, X-C:")];
    let headers = read(&env).unwrap().headers;
    let plain: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(plain, [("x-a", "1, 2"), ("x-b", "http://x:1"), ("x-c", "")]);
    assert!(headers.iter().all(|(_, value)| value.is_sensitive()));
}

#[test]
fn a_line_break_in_a_key_is_refused_without_repeating_it() {
    let error = read(&[("GEMINI_API_KEY", "sec\nret")]).unwrap().all_headers().err().unwrap();
    assert_eq!(error, SettingsError::Key { variable: "GEMINI_API_KEY" });
    assert!(!error.to_string().contains("sec"));
}
