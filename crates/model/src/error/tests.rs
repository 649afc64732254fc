use super::*;
use pretty_assertions::assert_eq;

fn api(fault: ProviderFault, retry_after: Option<Duration>) -> ModelError {
    let (status, message) = (String::new(), "no".to_owned());
    ModelError::Api { provider: Provider::Gemini, http: 429, code: 429, status, message, retry_after, fault }
}

fn exhausted(last: ModelError) -> ModelError {
    ModelError::Exhausted { attempts: 10, last: Box::new(last) }
}

#[test]
fn what_lasts_is_the_models_trouble_and_not_ours() {
    for fault in [ProviderFault::Quota, ProviderFault::Capacity, ProviderFault::NotFound] {
        assert!(api(fault, None).is_lasting(), "{fault:?}");
    }
    for fault in [
        ProviderFault::Request,
        ProviderFault::TooLong,
        ProviderFault::Key,
        ProviderFault::Permission,
        ProviderFault::Rate,
        ProviderFault::Server,
    ] {
        assert!(!api(fault, None).is_lasting(), "{fault:?}");
    }
    let ModelError::Api { http, code, status, message, retry_after, fault, .. } = api(ProviderFault::Quota, None)
    else {
        panic!()
    };
    let account = ModelError::Api { provider: Provider::OpenAi, http, code, status, message, retry_after, fault };
    assert!(!account.is_lasting(), "the next model has no money either");
    assert!(exhausted(api(ProviderFault::Rate, None)).is_lasting());
    assert!(exhausted(api(ProviderFault::Server, None)).is_lasting());
    let net = ModelError::Net { provider: Provider::Gemini, host: "h".into(), message: "m".into() };
    assert!(!exhausted(net).is_lasting());
    assert!(!ModelError::Blocked { reason: "SAFETY".into() }.is_lasting());
}

#[test]
fn a_quota_says_when_it_is_renewed() {
    let sentence = |wait: Option<u64>| api(ProviderFault::Quota, wait.map(Duration::from_secs)).to_string();
    let told = |wait: &str| {
        format!("the model answered 429: no; the quota is used up; {wait}, or choose another model with -m")
    };
    assert_eq!(sentence(None), told("wait until it is renewed"));
    assert_eq!(sentence(Some(40)), told("wait 40 s until it is renewed"));
    assert_eq!(sentence(Some(301)), told("wait 6 min until it is renewed"));
    assert_eq!(sentence(Some(3 * 3600 + 5 * 60)), told("wait 3 h 5 min until it is renewed"));
}

#[test]
fn a_server_that_is_not_there_is_not_waited_for() {
    let error = ModelError::NoServer { provider: Provider::Ollama, address: "127.0.0.1:11434".into() };
    assert_eq!((error.class(), error.kind()), (RetryClass::Terminal, "model_unreachable"));
    assert_eq!(
        error.to_string(),
        "nothing listens on 127.0.0.1:11434; start ollama there, or choose another model with -m or /model"
    );
    let error = ModelError::NoServer { provider: Provider::Gemini, address: "127.0.0.1:9".into() };
    assert_eq!(
        error.to_string(),
        "nothing listens on 127.0.0.1:9; check GOOGLE_GEMINI_BASE_URL, or choose another model with -m or /model"
    );
}
