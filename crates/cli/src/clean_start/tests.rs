use super::harmless_variables::{is_harmless, is_likely_secret};
use super::{CleanStartError, EnvironmentVariables, close_to_other_processes, say_not_hidden};
use rustix::process::{DumpableBehavior, dumpable_behavior};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;

fn stays(name: &str, value: &str) -> bool {
    is_harmless(OsStr::new(name), OsStr::new(value))
}

#[test]
fn only_listed_names_stay() {
    for name in ["PATH", "HOME", "LC_ALL", "TERM", "TMUX", "SSL_CERT_FILE", "LD_LIBRARY_PATH", "XDG_STATE_HOME"] {
        assert!(stays(name, "x"), "{name}");
    }
    for name in ["GEMINI_API_KEY", "AWS_PROFILE", "FOO", "path", "XPATH", "LANG_TOKEN", "POLLUX_ENVIRONMENT_HANDOVER"] {
        assert!(!stays(name, "x"), "{name}");
    }
    assert!(!is_harmless(&OsString::from_vec(b"PA\xffTH".to_vec()), OsStr::new("x")), "no name of ours");
}

#[test]
fn a_proxy_stays_unless_its_address_has_a_password() {
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        assert!(stays(name, "http://proxy.example:3128"), "{name}");
        assert!(!stays(name, "http://me:sekrit@proxy.example:3128"), "{name}");
        assert!(!stays(name, "me:sekrit@proxy.example:3128"), "{name}");
        assert!(!stays(name, "http://token@proxy.example:3128"), "{name}");
    }
    assert!(stays("NO_PROXY", "localhost,@"));
}

#[test]
fn secrets_are_told_from_other_variables_by_name_or_address() {
    let is_secret = |name: &str, value: &str| is_likely_secret(OsStr::new(name), OsStr::new(value));
    for (name, value) in [
        ("GEMINI_API_KEY", "x"),
        ("github_token", "x"),
        ("PGPASSWORD", "x"),
        ("DATABASE_URL", "postgres://me:sekrit@db/x"),
        ("https_proxy", "me:sekrit@proxy:3128"),
    ] {
        assert!(is_secret(name, value), "{name}");
    }
    for (name, value) in [("GOPATH", "/go"), ("EDITOR", "vi"), ("MAIL", "me@example.org"), ("URL", "http://x/")] {
        assert!(!is_secret(name, value), "{name}");
    }
}

#[test]
fn a_start_that_cannot_hide_a_key_fails_and_names_it() {
    let failure = || io::Error::from(io::ErrorKind::NotFound);
    let variables = |entries: &[(&str, &str)]| -> EnvironmentVariables {
        entries.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    };
    let harmless = variables(&[("EDITOR", "vi"), ("XDG_SESSION_TOKEN_PATH", "x")]);
    assert!(say_not_hidden(&harmless, failure()).is_ok(), "there is nothing to hide");
    let secret = variables(&[("EDITOR", "vi"), ("GEMINI_API_KEY", "sekrit"), ("GH_TOKEN", "sekrit")]);
    let refused = say_not_hidden(&secret, failure());
    let Err(error @ CleanStartError::Exposed { .. }) = refused else { panic!("it must not start") };
    let told = error.to_string();
    assert!(told.starts_with("GEMINI_API_KEY, GH_TOKEN cannot be hidden"), "{told}");
    assert!(!told.contains("sekrit"), "{told}");
}

#[test]
fn a_process_that_is_closed_cannot_be_dumped_or_traced() {
    close_to_other_processes().unwrap();
    assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
}
