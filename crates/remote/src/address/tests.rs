use super::*;
use pretty_assertions::assert_eq;

fn address(card: &str) -> Result<Address, RemoteError> {
    Address::new(card, None)
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
    let with_token = |card: &str| Address::new(card, Some(Credential::bearer("t").ok().unwrap())).err();
    assert_eq!(with_token("http://agents.example"), Some(RemoteError::PlainText { host: "agents.example".into() }));
    assert_eq!(with_token("http://localhost:1"), None);
    assert_eq!(with_token("http://[::1]:1"), None);
    assert_eq!(with_token("https://agents.example"), None);
    assert_eq!(Credential::bearer("a\nb").err(), Some(RemoteError::Credential));
    assert_eq!(Credential::key("no header", "k").err(), Some(RemoteError::Credential));
}

#[test]
fn a_card_cannot_send_us_to_another_host() {
    let public = address("https://agents.example/card.json").ok().unwrap();
    assert_eq!(public.beside("/rpc").map(String::from), Ok("https://agents.example/rpc".into()));
    assert_eq!(
        public.beside("https://agents.example:8443/").map(String::from),
        Ok("https://agents.example:8443/".into())
    );
    for place in ["https://elsewhere.example/", "http://agents.example/", "http://127.0.0.1/", "ftp://agents.example/"]
    {
        assert!(public.beside(place).is_err(), "{place}");
    }
    let own = address("http://127.0.0.1:4000").ok().unwrap();
    for place in ["http://localhost:4001/", "http://0.0.0.0:4001/"] {
        assert_eq!(own.beside(place).map(String::from), Ok("http://127.0.0.1:4001/".into()));
    }
}
