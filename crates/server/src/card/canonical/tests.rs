//! The text that is signed.

use super::{canonical, specified_text, without_empty};
use pollux_wire::v1::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, SecurityRequirement, StringList,
};
use pretty_assertions::assert_eq;
use serde_json::json;

/// The names and the order of RFC 8785, section 3.2.3; its escapes, section 3.2.2.2.
#[test]
fn names_are_in_the_order_of_their_utf16() {
    let value = json!({
        "\u{20ac}": "Euro Sign",
        "\r": "Carriage Return",
        "\u{fb33}": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\u{1f600}": "Emoji: Grinning Face",
        "\u{80}": "Control",
        "\u{f6}": "Latin Small Letter O With Diaeresis",
        "a": ["\u{20ac}$\u{f}\u{a}A'B\"\\\\\"/", null, true],
    });
    assert_eq!(
        canonical(&value),
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\
         \"a\":[\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\",null,true],\
         \"\u{80}\":\"Control\",\"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\
         \"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
    );
}

#[test]
fn what_has_its_default_is_left_out_unless_it_is_required_or_optional() {
    let free = SecurityRequirement::default();
    let token = SecurityRequirement { schemes: [("bearer".to_owned(), StringList::default())].into() };
    let card = AgentCard {
        name: "Example Agent".into(),
        capabilities: AgentCapabilities {
            streaming: Some(false),
            push_notifications: Some(false),
            extensions: vec![AgentExtension { uri: "urn:x".into(), ..AgentExtension::default() }],
            extended_agent_card: None,
        },
        security_requirements: vec![token, free],
        signatures: vec![AgentCardSignature::default()],
        ..AgentCard::default()
    };
    let letter = specified_text(&card).unwrap();
    assert_eq!(
        canonical(&letter),
        "{\"capabilities\":{\"extensions\":[{\"uri\":\"urn:x\"}],\"pushNotifications\":false,\"streaming\":false},\
         \"defaultInputModes\":[],\"defaultOutputModes\":[],\"description\":\"\",\"name\":\"Example Agent\",\
         \"securityRequirements\":[{\"schemes\":{\"bearer\":{}}},{}],\"skills\":[],\"supportedInterfaces\":[],\
         \"version\":\"\"}"
    );
    assert_eq!(
        canonical(&without_empty(letter).unwrap()),
        "{\"capabilities\":{\"extensions\":[{\"uri\":\"urn:x\"}],\"pushNotifications\":false,\"streaming\":false},\
         \"name\":\"Example Agent\"}"
    );
}
