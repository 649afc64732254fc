use super::*;
use pretty_assertions::assert_eq;

fn read(provider: Provider, env: &[(&str, &str)]) -> Result<Option<String>, SettingsError> {
    let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Ok(Settings::from_env(provider, &env)?.map(|settings| settings.url.to_string()))
}

#[track_caller]
fn check(provider: Provider, env: &[(&str, &str)], expected: Option<&str>) {
    assert_eq!(read(provider, env).unwrap().as_deref(), expected);
}

#[test]
fn a_cloud_needs_a_key_or_an_address_and_ones_own_machine_neither() {
    check(Provider::OpenAi, &[], None);
    check(Provider::OpenAi, &[("OPENAI_API_KEY", "k")], Some("https://api.openai.com/v1"));
    check(Provider::OpenAi, &[("OPENAI_BASE_URL", "http://localhost:9/v1")], Some("http://localhost:9/v1"));
    check(Provider::OpenRouter, &[("OPENAI_API_KEY", "k")], None);
    check(Provider::OpenRouter, &[("OPENROUTER_API_KEY", "k")], Some("https://openrouter.ai/api/v1"));
    check(Provider::LmStudio, &[], Some("http://127.0.0.1:1234/v1"));
    check(Provider::LlamaCpp, &[], Some("http://127.0.0.1:8080/v1"));
    check(Provider::Vllm, &[("VLLM_BASE_URL", "https://gpu.example/v1")], Some("https://gpu.example/v1"));
}

#[test]
fn what_ollama_binds_to_is_where_it_is_found() {
    let check = |host: &str, expected: &str| check(Provider::Ollama, &[("OLLAMA_HOST", host)], Some(expected));
    check("", "http://127.0.0.1:11434/v1");
    check("0.0.0.0", "http://127.0.0.1:11434/v1");
    check("0.0.0.0:8000", "http://127.0.0.1:8000/v1");
    check(":8000", "http://127.0.0.1:8000/v1");
    check("[::]:8000", "http://127.0.0.1:8000/v1");
    check("[::1]", "http://[::1]:11434/v1");
    check("http://10.0.0.5:11434/", "http://10.0.0.5:11434/v1");
    check("https://ollama.example", "https://ollama.example/v1");
    check("https://gw.example/ollama/v1", "https://gw.example/ollama/v1");
}

#[test]
fn a_key_never_travels_in_plain_text_to_another_machine() {
    let far = ("VLLM_BASE_URL", "http://10.0.0.5:8000/v1");
    assert_eq!(read(Provider::Vllm, &[far]).unwrap().as_deref(), Some("http://10.0.0.5:8000/v1"));
    assert_eq!(
        read(Provider::Vllm, &[far, ("VLLM_API_KEY", "k")]),
        Err(SettingsError::PlainHttp { variable: "VLLM_BASE_URL" })
    );
}
