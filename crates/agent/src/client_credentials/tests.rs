use super::*;
use pretty_assertions::assert_eq;
use uuid::Uuid;

fn session() -> SessionId {
    SessionId(Uuid::now_v7())
}

fn http(url: &str) -> ClientMcpServer {
    ClientMcpServer::Http { url: url.into(), headers: BTreeMap::new() }
}

fn program() -> ClientMcpServer {
    ClientMcpServer::Program { command: "server".into(), args: Vec::new(), env: BTreeMap::new() }
}

fn servers(servers: impl IntoIterator<Item = (String, ClientMcpServer)>) -> ClientCredentials {
    ClientCredentials { api_key: None, servers: servers.into_iter().collect() }
}

fn one(name: &str, server: ClientMcpServer) -> ClientCredentials {
    servers([(name.to_owned(), server)])
}

fn key(key: &str) -> ClientCredentials {
    ClientCredentials { api_key: Some(SecretText::new(key)), servers: BTreeMap::new() }
}

#[test]
fn what_cannot_be_held_is_refused_with_a_reason_that_hides_it() {
    let lendings = ClientCredentialStore::new(ClientPrograms::Refused);
    let taken = ["github".to_owned()];
    let many = (0..=SERVERS).map(|at| (format!("s{at}"), http("https://example.com/")));
    let cases = [
        (key(""), "the API key that is lent has characters that no key has, or none"),
        (key("hush hush\n"), "the API key that is lent has characters that no key has, or none"),
        (servers(many), "17 tool servers are lent, and a session may have 16"),
        (
            one("a b", http("https://h.example/")),
            "\"a b\" cannot be a tool server's name here: letters, digits and - _ . only",
        ),
        (
            one("github_more", http("https://h.example/")),
            "\"github_more\" is too like \"github\", a tool server of this machine; choose another name",
        ),
        (
            one("git", http("https://h.example/")),
            "\"git\" is too like \"github\", a tool server of this machine; choose another name",
        ),
        (one("x", http("file:///etc")), "the tool server \"x\": its address must begin with https:// or http://"),
        (
            one("x", http("http://127.0.0.1:8080/mcp")),
            "the tool server \"x\": its address may not be used: it leads to an address that is not on the public \
             internet; the operator can allow its host with --mcp-host",
        ),
        (
            one("x", http("https://2130706433/")),
            "the tool server \"x\": its address may not be used: it writes its host in an unusual way; write 127.0.0.1; \
             the operator can allow its host with --mcp-host",
        ),
        (
            one("x", program()),
            "the tool server \"x\": clients may not start programs here; lend an address, or start the server with \
             --clients-may-start-programs",
        ),
    ];
    for (lent, wanted) in cases {
        let session = session();
        assert_eq!(lendings.check(lent.clone(), &taken), Err(wanted.to_owned()));
        assert_eq!(lendings.store(session, lent, &taken), Err(wanted.to_owned()));
        assert!(lendings.get(session).is_none());
    }
}

#[test]
fn the_operator_says_which_hosts_of_their_own_clients_may_name() {
    let lendings = ClientCredentialStore::default()
        .with_programs(ClientPrograms::Allowed)
        .with_hosts(&["Tools.lan:8080".to_owned()]);
    assert_eq!(lendings.store(session(), one("x", http("http://tools.lan:8080/mcp")), &[]), Ok(()));
    assert!(lendings.store(session(), one("x", http("http://tools.lan:8081/mcp")), &[]).is_err());
    let lendings = lendings.with_programs(ClientPrograms::Refused);
    assert_eq!(lendings.store(session(), one("x", http("http://tools.lan:8080/mcp")), &[]), Ok(()));
}

#[test]
fn programs_are_taken_where_the_operator_allows_them() {
    let (lendings, session) = (ClientCredentialStore::new(ClientPrograms::Allowed), session());
    assert_eq!(lendings.store(session, one("x", program()), &[]), Ok(()));
    assert!(
        lendings.get(session).is_some_and(|lent| lent.batches[0].servers["x"].command.as_deref() == Some("server"))
    );
}

#[test]
fn the_key_that_was_lent_last_counts_and_one_that_is_left_out_stays() {
    let (lendings, session) = (ClientCredentialStore::default(), session());
    let held = || lendings.get(session).and_then(|lent| lent.key.clone());
    for (lent, wanted) in [
        (key("one"), "one"),
        (key("two"), "two"),
        (one("x", http("https://h.example/")), "two"),
        (ClientCredentials::default(), "two"),
    ] {
        assert_eq!(lendings.store(session, lent, &[]), Ok(()));
        assert_eq!(held(), Some(SecretText::new(wanted)));
    }
}

#[test]
fn a_server_stays_and_none_takes_its_place() {
    let (lendings, session) = (ClientCredentialStore::new(ClientPrograms::Allowed), session());
    let batches = || lendings.get(session).map(|lent| lent.batches.clone()).unwrap_or_default();
    assert_eq!(lendings.store(session, one("x", http("https://h.example/")), &[]), Ok(()));
    let first = batches();
    let header = [("Authorization".to_owned(), SecretText::new("hush"))].into();
    let others = [
        http("https://other.example/"),
        program(),
        ClientMcpServer::Http { url: "https://h.example/".into(), headers: header },
    ]
    .into_iter();
    let other = "this session was lent another tool server as \"x\", and what was approved for that one must not reach \
                 this one; send the same as before, or lend this one under a new name";
    for server in others {
        // Neither the key nor the new server that came with it is taken.
        let lent = servers([("a".to_owned(), http("https://a.example/")), ("x".to_owned(), server)]);
        let lent = ClientCredentials { api_key: Some(SecretText::new("k")), ..lent };
        assert_eq!(lendings.store(session, lent, &[]), Err(other.to_owned()));
        assert!(lendings.get(session).is_some_and(|lent| !lent.has_key() && lent.batches.len() == 1));
    }
    for like in ["x_y", "x.y"] {
        let why =
            format!("{like:?} is too like \"x\", a tool server that this session was lent before; choose another name");
        assert_eq!(lendings.store(session, one(like, http("https://h.example/")), &[]), Err(why));
    }
    let again = servers([("x".to_owned(), http("https://h.example/")), ("new".to_owned(), http("https://n.example/"))]);
    for lent in [again.clone(), again, one("new", http("https://n.example/")), key("k")] {
        assert_eq!(lendings.store(session, lent, &[]), Ok(()));
        assert!(Arc::ptr_eq(&batches()[0], &first[0]), "what runs is not started again");
    }
    let names: Vec<Vec<String>> = batches().iter().map(|batch| batch.servers.keys().cloned().collect()).collect();
    assert_eq!(names, [["x"], ["new"]]);
}

#[test]
fn servers_are_counted_over_all_messages() {
    let (lendings, session) = (ClientCredentialStore::default(), session());
    let some = |from: usize, to: usize| servers((from..to).map(|at| (format!("s{at:02}"), http("https://h.example/"))));
    assert_eq!(lendings.store(session, some(0, SERVERS), &[]), Ok(()));
    let why = "17 tool servers are lent, and a session may have 16";
    assert_eq!(lendings.store(session, some(SERVERS, SERVERS + 1), &[]), Err(why.to_owned()));
}

#[test]
fn a_name_is_kept_for_its_server_when_the_loan_is_gone() {
    let (lendings, first) = (ClientCredentialStore::default(), session());
    assert_eq!(lendings.store(first, one("x", http("https://h.example/")), &[]), Ok(()));
    for _ in 0..SESSIONS.get() {
        assert_eq!(lendings.store(session(), key("k"), &[]), Ok(()));
    }
    assert!(lendings.get(first).is_none());
    assert!(
        lendings
            .store(first, one("x", http("https://other.example/")), &[])
            .is_err_and(|why| why.contains("another tool"))
    );
    assert!(lendings.get(first).is_none());
    assert_eq!(lendings.store(first, one("x", http("https://h.example/")), &[]), Ok(()));
    assert!(lendings.get(first).is_some_and(|lent| lent.batches.len() == 1));
}

#[test]
fn the_oldest_loan_goes_when_there_are_too_many() {
    let lendings = ClientCredentialStore::default();
    let sessions: Vec<SessionId> = (0..=SESSIONS.get()).map(|_| session()).collect();
    for session in &sessions {
        lendings.store(*session, key("k"), &[]).unwrap_or_default();
    }
    let held: Vec<bool> = sessions.iter().map(|session| lendings.get(*session).is_some()).collect();
    assert_eq!(held.iter().filter(|held| **held).count(), SESSIONS.get());
    assert!(!held[0], "the first one went");
}
