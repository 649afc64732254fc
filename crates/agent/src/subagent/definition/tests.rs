use super::*;
use pretty_assertions::assert_eq;

fn file(head: &str, body: &str) -> String {
    format!("---\nname: scout\ndescription: Looks around.\n{head}\n---\n{body}")
}

fn kind(head: &str) -> Result<SubagentKind, FrontMatterFault> {
    read_one(&file(head, "You look.")).map(|(definition, _)| definition.kind)
}

fn read_one(text: &str) -> Result<(SubagentDefinition, Vec<FrontMatterFault>), FrontMatterFault> {
    let mut agents = read(text, DefinitionSource::Person)?;
    assert_eq!(agents.len(), 1);
    Ok(agents.remove(0))
}

fn why(head: &str) -> String {
    let FrontMatterFault { line, why } = kind(head).unwrap_err();
    format!("{line}: {why}")
}

#[test]
fn a_local_agent_has_defaults() {
    let expected = LocalSubagent {
        prompt: "You look.".into(),
        tools: None,
        model: None,
        turns: 30,
        time: Duration::from_secs(600),
    };
    assert_eq!(kind("model: inherit"), Ok(SubagentKind::Local(expected)));
    let head = "kind: local\ntools: [read_file, glob]\nmodel: flash\nmax_turns: 5\ntimeout_mins: 2";
    let tools = Some(vec!["read_file".into(), "glob".into()]);
    let model = Some("flash".into());
    let expected = LocalSubagent { prompt: "You look.".into(), tools, model, turns: 5, time: Duration::from_secs(120) };
    assert_eq!(kind(head), Ok(SubagentKind::Local(expected)));
}

#[test]
fn a_remote_agent_is_named_by_its_card() {
    let card = "https://agents.example/card.json";
    let head = |auth: &str| format!("kind: remote\nagent_card_url: {card}\n{auth}");
    let remote = |auth| {
        let card = AgentCardSource::Address(card.into());
        Ok(SubagentKind::Remote(RemoteSubagent { card, others: Vec::new(), auth, time: Duration::from_secs(1800) }))
    };
    assert_eq!(kind(&head("")), remote(None));
    let bearer = RemoteAgentAuth::Bearer { variable: "TOKEN".into() };
    assert_eq!(kind(&head("auth:\n  type: http\n  scheme: Bearer\n  token: $TOKEN")), remote(Some(bearer.clone())));
    let key = RemoteAgentAuth::Key { header: "X-Key".into(), variable: "KEY".into() };
    assert_eq!(kind(&head("auth:\n  type: apiKey\n  name: X-Key\n  key: ${KEY}")), remote(Some(key)));
    let person = DefinitionSource::Person;
    assert_eq!(
        bearer.credential(person, &|_| None).err(),
        Some("the variable TOKEN is not set; it must hold the agent's secret".into())
    );
    assert!(bearer.credential(person, &|name| (name == "TOKEN").then(|| "t".into())).is_ok());
}

#[test]
fn what_is_wrong_is_said_by_line_and_no_secret_is_repeated() {
    let card = "kind: remote\nagent_card_url: https://a.example";
    for (head, said) in [
        ("kind: abroad".to_owned(), "4: `kind`: \"abroad\" is neither local nor remote"),
        ("max_turns: many".to_owned(), "4: `max_turns`: this must be a whole number from 1 to 1000"),
        ("kind: remote".to_owned(), "2: `agent_card_url`: it is missing"),
        (
            "kind: remote\nagent_card_url: ftp://x".to_owned(),
            "5: `agent_card_url`: \"ftp://x\" is not where an agent can be: write http:// or https:// and a host",
        ),
        (
            format!("{card}\nauth:\n  type: http\n  token: s3cret"),
            "8: `token`: name an environment variable that holds the secret, such as $MY_TOKEN",
        ),
        (format!("{card}\nauth:\n  type: oauth"), "7: `type`: \"oauth\" is not known here: http or apiKey"),
    ] {
        assert_eq!(why(&head), said);
    }
    assert_eq!(
        read(&file("", ""), DefinitionSource::Person).unwrap_err().why,
        "there is no text behind the head: it is the agent's system prompt"
    );
    assert_eq!(read("---\nname: Big Name\n---\nx", DefinitionSource::Person).unwrap_err().line, 2);
}

#[test]
fn unknown_keys_are_warned_about() {
    let (_, warnings) = read_one(&file("temperature: 0.2\nmcpServers: x", "You look.")).unwrap();
    let said: Vec<String> = warnings.iter().map(|fault| format!("{}: {}", fault.line, fault.why)).collect();
    assert_eq!(
        said,
        [
            "4: `temperature` has no effect: models are asked with their own",
            "5: `mcpServers` is not known here and has no effect"
        ]
    );
}

#[test]
fn remote_agents_may_be_listed_and_need_no_description() {
    let file = "---\n- kind: remote\n  name: remote-1\n  agent_card_url: https://example.com/1\n- kind: remote\n  \
                name: remote-2\n  description: The other.\n  agent_card_url: https://example.com/2\n---\n";
    let agents =
        read(file, DefinitionSource::Person).unwrap().into_iter().map(|(agent, _)| (agent.name, agent.description));
    let expected = [("remote-1", "An agent at https://example.com/1."), ("remote-2", "The other.")]
        .map(|(name, description)| (name.to_owned(), description.to_owned()));
    assert_eq!(agents.collect::<Vec<_>>(), expected);
    let local = "---\n- name: here\n  description: d\n---\nYou look.";
    let why = "`kind`: in a list every agent must be remote; give a local one a file of its own";
    assert_eq!(read(local, DefinitionSource::Person), Err(FrontMatterFault { line: 2, why: why.into() }));
}

#[test]
fn a_card_may_be_in_the_file() {
    let remote = |card: &str| read_one(&format!("---\nkind: remote\nname: far\nagent_card_json: |\n{card}\n---\n"));
    let json = r#"{"description": "Digs.", "url": "https://a.example/rpc"}"#;
    let (agent, _) = remote(&format!("  {json}")).unwrap();
    assert_eq!(agent.description, "Digs.");
    let card = AgentCardSource::Inline { json: json.into(), address: "https://a.example/rpc".into() };
    assert_eq!(
        agent.kind,
        SubagentKind::Remote(RemoteSubagent { card, others: Vec::new(), auth: None, time: REMOTE_TIME })
    );
    let why = |card: &str| remote(card).unwrap_err().why;
    assert_eq!(why("  {}"), "`agent_card_json`: the card names no address: it needs `url` or `supportedInterfaces`");
    assert!(why("  {").starts_with("`agent_card_json`: this is not JSON"));
}

/// As cards name gRPC.
#[test]
fn a_card_in_the_file_may_name_a_host_and_port_alone() {
    for (named, address) in [
        ("127.0.0.1:50051", "http://127.0.0.1:50051"),
        ("[::1]:50051", "http://[::1]:50051"),
        ("localhost:50051", "http://localhost:50051"),
        ("a.example:443", "https://a.example:443"),
    ] {
        let card = format!(r#"{{"url": "{named}", "preferredTransport": "GRPC"}}"#);
        let file = format!("---\nkind: remote\nname: far\nagent_card_json: '{card}'\n---\n");
        let SubagentKind::Remote(agent) = read_one(&file).unwrap().0.kind else { panic!("it is remote") };
        assert_eq!(agent.card, AgentCardSource::Inline { json: card, address: address.into() });
    }
}

#[test]
fn other_addresses_are_those_that_the_file_names() {
    let others = |head: &str| match kind(&format!("kind: remote\n{head}")) {
        Ok(SubagentKind::Remote(remote)) => Ok(remote.others),
        Ok(SubagentKind::Local(_)) => panic!("it is remote"),
        Err(FrontMatterFault { why, .. }) => Err(why),
    };
    let url = "agent_card_url: https://a.example";
    assert_eq!(others(url), Ok(Vec::new()));
    let listed = format!("{url}\nother_addresses: [https://a.example:8443, a.example:50051]");
    assert_eq!(others(&listed), Ok(vec!["https://a.example:8443".into(), "a.example:50051".into()]));
    let wrong = others(&format!("{url}\nother_addresses: [file:///x]"));
    let why = "`other_addresses`: \"file:///x\" is not where an agent can be: write http:// or https:// and a host";
    assert_eq!(wrong, Err(why.into()));
    let card = r#"{"url": "https://a.example/rpc", "additionalInterfaces": [{"url": "/rest", "transport": "HTTP+JSON"},
        {"url": "a.example:50051", "transport": "GRPC"}, {"url": "https://a.example/rpc", "transport": "JSONRPC"}]}"#;
    let inline = format!("agent_card_json: '{}'", card.replace('\n', " "));
    assert_eq!(others(&inline), Ok(vec!["a.example:50051".into()]));
}

#[test]
fn a_digest_tells_agents_apart_by_all_that_decides_who_works() {
    let digest = |text: &str| read_one(text).unwrap().0.digest();
    let remote = |head: &str| file(&format!("kind: remote\n{head}"), "");
    let files = [
        file("", "You look."),
        file("", "You look closely."),
        file("model: flash", "You look."),
        remote("agent_card_url: https://a.example"),
        remote("agent_card_url: https://b.example"),
        remote("agent_card_url: https://a.example\nother_addresses: [https://b.example]"),
        remote("agent_card_url: https://a.example\nauth:\n  type: http\n  token: $A"),
        remote("agent_card_url: https://a.example\nauth:\n  type: http\n  token: $B"),
        remote("agent_card_url: https://a.example\nauth:\n  type: apiKey\n  key: $B"),
        remote("agent_card_url: https://a.example").replace("scout", "other"),
    ];
    let digests: std::collections::HashSet<String> = files.iter().map(|text| digest(text)).collect();
    assert_eq!(digests.len(), files.len());
    assert_eq!(digest(&files[3]), digest(&files[3].replace("Looks around.", "Looks.")));
}
