use super::*;
use crate::config::fake_machine::FakeMachine;
use pretty_assertions::assert_eq;
use std::net::TcpListener;

fn answering(label: &str, note: Option<&str>) -> Result<AnsweringModel, String> {
    Ok(AnsweringModel { label: label.into(), note: note.map(str::to_owned) })
}

#[test]
fn a_key_is_named_and_not_shown() {
    let config = FakeMachine::new().var("OPENAI_API_KEY", "hush").load();
    let wanted = [
        DoctorCheck::good("key", "OPENAI_API_KEY is set (environment OPENAI_API_KEY)"),
        DoctorCheck::neutral("model", "m would be asked; whether it takes the key was not tried"),
    ];
    assert_eq!(checks(&config, &answering("m", None)), wanted);
}

#[test]
fn without_a_key_only_a_model_that_needs_none_is_good() {
    let config = FakeMachine::new().load();
    let wanted = [DoctorCheck::good("key", "script needs none"), DoctorCheck::good("model", "script would answer")];
    assert_eq!(checks(&config, &answering("script", None)), wanted);
    let missing = DoctorCheck::missing(
        "key",
        "no key and no address of a model is configured",
        "set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, in the environment or in ~/.gemini/.env",
    );
    let demo = DoctorCheck::neutral("model", "demo, would answer");
    assert_eq!(checks(&config, &answering("demo", Some("set a key"))), [missing.clone(), demo]);
    let none = DoctorCheck::broken("model", "no model can be chosen", "why not");
    assert_eq!(checks(&config, &Err("why not".into())), [missing, none]);
}

#[test]
fn an_address_on_this_machine_is_tried() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost"] {
        let wanted = DoctorCheck::good("address", format!("OPENAI_BASE_URL answers on port {port}"));
        assert_eq!(address("OPENAI_BASE_URL", &format!("http://{host}:{port}/v1")), wanted);
    }
    // Nobody listens on port 1; a port that was just given up might be taken again.
    let wanted = DoctorCheck::broken(
        "address",
        "OPENAI_BASE_URL is on this machine and nothing listens on port 1",
        "start that server, or unset the variable",
    );
    assert_eq!(address("OPENAI_BASE_URL", "http://127.0.0.1:1"), wanted);
}

#[test]
fn an_address_elsewhere_is_not_tried() {
    for url in ["https://example.test", "http://10.0.0.1:80", "http://localhost.example.test", "nonsense", ""] {
        assert_eq!(on_this_machine(url), None, "{url}");
    }
}

#[test]
fn ports_are_read_as_an_address_has_them() {
    let loopback = |port| Some(vec![SocketAddr::from(([127, 0, 0, 1], port))]);
    assert_eq!(on_this_machine("http://127.0.0.1"), loopback(80));
    assert_eq!(on_this_machine("https://127.0.0.1/x:9"), loopback(443));
    assert_eq!(on_this_machine("http://u:p@127.0.0.1:81?x"), loopback(81));
    assert_eq!(on_this_machine("http://[::1]:82"), Some(vec![SocketAddr::from((Ipv6Addr::LOCALHOST, 82))]));
    assert_eq!(on_this_machine("http://[::1]"), Some(vec![SocketAddr::from((Ipv6Addr::LOCALHOST, 80))]));
    assert_eq!(on_this_machine("http://127.0.0.1:99999"), Some(vec![]));
    let wanted = DoctorCheck::broken("address", "X has no usable port", "write it like http://127.0.0.1:8080");
    assert_eq!(address("X", "http://127.0.0.1:port"), wanted);
}

#[test]
fn servers_on_this_machine_are_told_with_what_they_serve() {
    use pollux_model::{LocalServer, OfferedModel, Provider};
    assert_eq!(local(&[]), DoctorCheck::neutral("local", "no server of models runs on this machine"));
    let offered = |id: &str| OfferedModel { provider: Provider::Ollama, model: id.into(), context_window: None };
    let models = ["a", "b", "c", "d"].map(offered).to_vec();
    let server = LocalServer { provider: Provider::Ollama, address: "http://127.0.0.1:11434/v1".into(), models };
    let wanted = "http://127.0.0.1:11434/v1 serves ollama:a, ollama:b, ollama:c, …; -m NAME chooses one";
    assert_eq!(local(&[server]), DoctorCheck::good("local", wanted));
}
