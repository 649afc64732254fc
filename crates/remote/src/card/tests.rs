use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn read(card: &Value) -> Result<AgentCardSummary, String> {
    let address = AgentAddress::new("https://agents.example", None).map_err(|error| error.to_string())?;
    AgentCardSummary::read(card, &address)
}

fn line(card: &Value) -> Result<String, String> {
    let ChosenInterface { version, binding, url, tenant } = read(card)?.interface;
    Ok(format!("{version:?} {binding:?} {url} {tenant:?}"))
}

#[test]
fn a_card_of_0_3_names_one_transport_and_others() {
    let card = json!({"name": "a", "description": "d", "protocolVersion": "0.3.0", "url": "https://agents.example/a2a",
        "capabilities": {"streaming": true, "extensions": [{"uri": devtool::URI}]}});
    let found = read(&card).unwrap();
    assert_eq!((found.name.as_str(), found.streaming, found.devtool), ("a", true, true));
    assert_eq!(line(&card), Ok("V03 JsonRpc https://agents.example/a2a None".into()));
    let card = json!({"url": "https://agents.example/grpc", "preferredTransport": "GRPC", "additionalInterfaces": [
        {"url": "https://agents.example/rest", "transport": "HTTP+JSON"},
        {"url": "https://agents.example/rpc", "transport": "JSONRPC"}]});
    assert_eq!(line(&card), Ok("V03 JsonRpc https://agents.example/rpc None".into()));
}

#[test]
fn a_card_of_1_0_lists_its_interfaces_by_preference() {
    let offer = |binding: &str, version: &str| {
        json!({"url": format!("https://agents.example/{version}"),
        "protocolBinding": binding, "protocolVersion": version, "tenant": "t"})
    };
    let card = |offers: Value| json!({"supportedInterfaces": offers, "url": "https://agents.example/old"});
    for (offers, chosen) in [
        (
            json!([offer("JSONRPC", "0.3"), offer("JSONRPC", "1.0")]),
            "V03 JsonRpc https://agents.example/0.3 Some(\"t\")",
        ),
        (
            json!([offer("HTTP+JSON", "1.0"), offer("JSONRPC", "1.0")]),
            "V10 JsonRpc https://agents.example/1.0 Some(\"t\")",
        ),
        (
            json!([offer("GRPC", "1.0"), offer("HTTP+JSON", "1.0")]),
            "V10 HttpJson https://agents.example/1.0 Some(\"t\")",
        ),
        (
            json!([offer("JSONRPC", "2.0"), offer("JSONRPC", "1.0.1")]),
            "V10 JsonRpc https://agents.example/1.0.1 Some(\"t\")",
        ),
    ] {
        assert_eq!(line(&card(offers)), Ok(chosen.into()));
    }
}

#[test]
fn an_address_of_grpc_may_be_a_host_and_a_port() {
    let address = AgentAddress::new("https://agents.example", None).ok().unwrap();
    let address = address.with_others(&["agents.example:50051".into()]).ok().unwrap();
    for (url, chosen) in [
        ("agents.example:50051", Some("https://agents.example:50051/")),
        ("https://agents.example:50051", Some("https://agents.example:50051/")),
        ("agents.example", Some("https://agents.example/")),
        ("agents.example:50052", None),
        ("elsewhere.example:50051", None),
        ("http://agents.example:50051", None),
    ] {
        let card = json!({"url": url, "preferredTransport": "GRPC"});
        let line = AgentCardSummary::read(&card, &address).map(|card| card.interface);
        assert_eq!(line.as_ref().ok().map(|line| line.url.as_str()), chosen, "{url}");
        assert!(line.is_err() || line.is_ok_and(|line| line.binding == ProtocolBinding::Grpc));
    }
    let plain = json!({"url": "/rest", "preferredTransport": "HTTP+JSON"});
    assert_eq!(line(&plain), Ok("V03 HttpJson https://agents.example/rest None".into()));
}

#[test]
fn a_card_that_cannot_be_used_says_why() {
    for (card, why) in [
        (json!({}), "it names no address to send messages to"),
        (
            json!({"url": "https://elsewhere.example/"}),
            "it sends us to https://elsewhere.example, away from https://agents.example; if that is meant, write the \
             address into the agent's file, in `other_addresses`",
        ),
        (json!({"url": "/x", "preferredTransport": "SOAP"}), "SOAP of version 0.3 is not spoken here"),
        (
            json!({"url": "/x", "capabilities": {"extensions": [{"uri": "urn:x", "required": true}]}}),
            "it demands the extension urn:x, which is not known here",
        ),
    ] {
        assert_eq!(line(&card), Err(why.into()));
    }
}
