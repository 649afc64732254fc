use super::*;
use pretty_assertions::assert_eq;
use uuid::Uuid;

fn session() -> SessionId {
    SessionId(Uuid::now_v7())
}

fn http(url: &str) -> LentServer {
    LentServer::Http { url: url.into(), headers: BTreeMap::new() }
}

fn program() -> LentServer {
    LentServer::Program { command: "server".into(), args: Vec::new(), env: BTreeMap::new() }
}

fn servers(servers: impl IntoIterator<Item = (String, LentServer)>) -> Entrusted {
    Entrusted { api_key: None, servers: servers.into_iter().collect() }
}

fn one(name: &str, server: LentServer) -> Entrusted {
    servers([(name.to_owned(), server)])
}

fn key(key: &str) -> Entrusted {
    Entrusted { api_key: Some(Secret::new(key)), servers: BTreeMap::new() }
}

#[test]
fn what_cannot_be_held_is_refused_with_a_reason_that_hides_it() {
    let lendings = Lendings::new(ClientPrograms::Refused);
    let taken = ["github".to_owned()];
    let many = (0..=SERVERS).map(|at| (format!("s{at}"), http("http://127.0.0.1/")));
    let cases = [
        (key(""), "the API key that is lent has characters that no key has, or none"),
        (key("hush hush\n"), "the API key that is lent has characters that no key has, or none"),
        (servers(many), "17 tool servers are lent, and a session may have 16"),
        (one("a b", http("http://h/")), "\"a b\" cannot be a tool server's name here: letters, digits and - _ . only"),
        (
            one("github_more", http("http://h/")),
            "\"github_more\" is too like \"github\", a tool server of this machine; choose another name",
        ),
        (
            one("git", http("http://h/")),
            "\"git\" is too like \"github\", a tool server of this machine; choose another name",
        ),
        (one("x", http("file:///etc")), "the tool server \"x\": its address must begin with https:// or http://"),
        (
            one("x", program()),
            "the tool server \"x\": clients may not start programs here; lend an address, or start the server with \
             --clients-may-start-programs",
        ),
    ];
    for (lent, wanted) in cases {
        let session = session();
        assert_eq!(lendings.take(session, lent, &taken), Err(wanted.to_owned()));
        assert!(lendings.of(session).is_none());
    }
}

#[test]
fn programs_are_taken_where_the_operator_allows_them() {
    let (lendings, session) = (Lendings::new(ClientPrograms::Allowed), session());
    assert_eq!(lendings.take(session, one("x", program()), &[]), Ok(()));
    assert!(lendings.of(session).is_some_and(|lent| lent.servers["x"].command.as_deref() == Some("server")));
}

#[test]
fn what_was_lent_last_counts_and_nothing_takes_it_back() {
    let (lendings, session) = (Lendings::default(), session());
    lendings.take(session, key("one"), &[]).unwrap_or_default();
    lendings.take(session, key("two"), &[]).unwrap_or_default();
    let held = |lendings: &Lendings| lendings.of(session).and_then(|lent| lent.key.clone());
    assert_eq!(held(&lendings), Some(Secret::new("two")));
    lendings.take(session, Entrusted::default(), &[]).unwrap_or_default();
    assert_eq!(held(&lendings), None);
}

#[test]
fn the_oldest_loan_goes_when_there_are_too_many() {
    let lendings = Lendings::default();
    let sessions: Vec<SessionId> = (0..=SESSIONS).map(|_| session()).collect();
    for session in &sessions {
        lendings.take(*session, key("k"), &[]).unwrap_or_default();
    }
    let held: Vec<bool> = sessions.iter().map(|session| lendings.of(*session).is_some()).collect();
    assert_eq!(held.iter().filter(|held| **held).count(), SESSIONS);
    assert!(!held[0], "the first one went");
}
