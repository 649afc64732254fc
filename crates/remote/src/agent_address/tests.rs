use super::*;
use pretty_assertions::assert_eq;

fn address(card: &str) -> Result<AgentAddress, RemoteError> {
    AgentAddress::new(card, None)
}

#[test]
fn a_host_alone_means_the_usual_place_of_the_card() {
    for (given, card) in [
        ("https://agents.example", "https://agents.example/.well-known/agent-card.json"),
        ("http://127.0.0.1:4000/", "http://127.0.0.1:4000/.well-known/agent-card.json"),
        ("https://agents.example/a/card.json", "https://agents.example/a/card.json"),
    ] {
        assert_eq!(address(given).ok().unwrap().card.as_str(), card);
    }
}

#[test]
fn only_the_web_is_an_address() {
    for given in ["file:///etc/passwd", "agents.example", "https://", "https://me:secret@agents.example"] {
        assert_eq!(address(given).err(), Some(RemoteError::Address(given.into())), "{given}");
    }
}

#[test]
fn a_secret_is_sent_in_plain_text_to_this_machine_only() {
    let with_token = |card: &str| AgentAddress::new(card, Some(AgentCredential::bearer("t").ok().unwrap())).err();
    assert_eq!(with_token("http://agents.example"), Some(RemoteError::PlainText { host: "agents.example".into() }));
    assert_eq!(with_token("http://localhost:1"), None);
    assert_eq!(with_token("http://[::1]:1"), None);
    assert_eq!(with_token("https://agents.example"), None);
    assert_eq!(AgentCredential::bearer("a\nb").err(), Some(RemoteError::Credential));
    assert_eq!(AgentCredential::key("no header", "k").err(), Some(RemoteError::Credential));
}

#[test]
fn a_card_cannot_send_us_to_another_origin() {
    let public = address("https://agents.example/card.json").ok().unwrap();
    for place in ["/rpc", "https://agents.example/rpc", "https://agents.example:443/rpc"] {
        assert_eq!(public.resolve_url(place).map(String::from), Ok("https://agents.example/rpc".into()), "{place}");
    }
    for place in [
        "https://agents.example:8443/",
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "http://agents.example/",
        "http://127.0.0.1/",
        "ftp://agents.example/",
    ] {
        assert!(public.resolve_url(place).is_err(), "{place}");
    }
    let own = address("http://127.0.0.1:4000").ok().unwrap();
    for place in ["http://localhost:4000/", "http://0.0.0.0:4000/", "http://[::1]:4000/"] {
        assert_eq!(own.resolve_url(place).map(String::from), Ok("http://127.0.0.1:4000/".into()), "{place}");
    }
    let elsewhere = own.resolve_url("http://localhost:4001/");
    let why = "it sends us to http://127.0.0.1:4001, away from http://127.0.0.1:4000; if that is meant, write the address \
               into the agent's file, in `other_addresses`";
    assert_eq!(elsewhere, Err(why.into()));
    assert_eq!(own.target("localhost:4001"), Err(why.into()));
}

#[test]
fn other_addresses_are_allowed_by_whoever_names_the_card() {
    let others = ["https://agents.example:8443/any".to_owned(), "agents.example:50051".to_owned()];
    let public = address("https://agents.example").ok().unwrap().with_others(&others).ok().unwrap();
    for (place, url) in [
        ("https://agents.example:8443/rpc", "https://agents.example:8443/rpc"),
        ("agents.example:50051", "https://agents.example:50051/"),
        ("https://agents.example/rpc", "https://agents.example/rpc"),
    ] {
        assert_eq!(public.target(place).map(String::from), Ok(url.into()));
    }
    assert!(public.target("agents.example:50052").is_err());
    let with_token = |other: &str| {
        let address =
            AgentAddress::new("http://localhost:1", Some(AgentCredential::bearer("t").ok().unwrap())).ok().unwrap();
        address.with_others(&[other.into()]).err()
    };
    assert_eq!(with_token("http://agents.example"), Some(RemoteError::PlainText { host: "agents.example".into() }));
    assert_eq!(with_token("file:///x"), Some(RemoteError::Address("file:///x".into())));
    assert_eq!(with_token("https://agents.example"), None);
}
