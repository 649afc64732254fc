use super::{Guest, SeatAsk, SeatTell, Sitter, Welcome};
use crate::command::Command;
use crate::event::{By, Entry, Event};
use crate::ids::{At, CommandId, Seq};
use crate::notice::{Level, Notice};
use crate::refusal::{Refusal, Right};
use crate::seat::Receipt;
use crate::who::{Owner, Who};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn tells(tell: &SeatTell, written: &Value) {
    assert_eq!(serde_json::to_value(tell).unwrap(), *written);
    assert_eq!(SeatTell::parse(&written.to_string()).unwrap(), *tell);
}

#[test]
fn asks_have_these_shapes() {
    let cases = [
        (
            SeatAsk::Read { request: 1, after: Seq(3), limit: 9 },
            json!({"type": "read", "request": 1, "after": 3, "limit": 9}),
        ),
        (
            SeatAsk::Send { request: 2, id: CommandId("c".into()), command: Box::new(Command::Release) },
            json!({"type": "send", "request": 2, "id": "c", "command": {"type": "release"}}),
        ),
        (SeatAsk::Commands { request: 3 }, json!({"type": "commands", "request": 3})),
        (SeatAsk::Models { request: 4 }, json!({"type": "models", "request": 4})),
        (SeatAsk::Sessions { request: 5 }, json!({"type": "sessions", "request": 5})),
        (SeatAsk::Clients { request: 6 }, json!({"type": "clients", "request": 6})),
        (SeatAsk::Remove { request: 7, client: 9 }, json!({"type": "remove", "request": 7, "client": 9})),
    ];
    for (ask, written) in cases {
        assert_eq!(serde_json::to_value(&ask).unwrap(), written);
        assert_eq!(serde_json::from_value::<SeatAsk>(written).unwrap(), ask);
    }
}

#[test]
fn tells_have_these_shapes() {
    let who = Sitter {
        owner: Owner("me".into()),
        principal: "local".into(),
        label: "A2A".into(),
        rights: vec![Right::Observe],
    };
    let session = "0199f3a0-0000-7000-8000-000000000001";
    let welcome = Welcome {
        session: session.parse().unwrap(),
        who: who.clone(),
        incarnation: 7,
        head: Seq(4),
        workspace: "/w".into(),
        release: "0.1.0".into(),
    };
    let guest = Guest { id: 9, who: who.clone(), how: "terminal".into(), since: At(5) };
    tells(
        &SeatTell::Clients { request: 6, clients: vec![guest] },
        &json!({"type": "clients", "request": 6, "clients": [{
            "id": 9, "how": "terminal", "since": 5,
            "who": {"owner": "me", "principal": "local", "label": "A2A", "rights": ["observe"]},
        }]}),
    );
    tells(&SeatTell::Removed { request: 7 }, &json!({"type": "removed", "request": 7}));
    tells(
        &SeatTell::Welcome(welcome),
        &json!({
            "type": "welcome", "session": session, "incarnation": 7, "head": 4, "workspace": "/w", "release": "0.1.0",
            "who": {"owner": "me", "principal": "local", "label": "A2A", "rights": ["observe"]},
        }),
    );
    let entry = Entry { seq: Seq(4), at: At(9), by: By::Agent, task: None, event: Event::Released };
    let line: Value = serde_json::from_slice(&crate::encode(&entry)).unwrap();
    tells(
        &SeatTell::Entries { request: 1, entries: vec![Arc::new(entry)] },
        &json!({"type": "entries", "request": 1, "entries": [line]}),
    );
    tells(&SeatTell::Head { seq: Seq(5) }, &json!({"type": "head", "seq": 5}));
    let receipt = Receipt { seq: Seq(5), about: None };
    tells(
        &SeatTell::Receipt { request: 2, receipt },
        &json!({"type": "receipt", "request": 2, "seq": 5, "about": null}),
    );
    let (refusal, message) = (Refusal::EmptyPrompt, Refusal::EmptyPrompt.to_string());
    tells(
        &SeatTell::Refused { request: 3, refusal, message: message.clone() },
        &json!({"type": "refused", "request": 3, "refusal": {"code": "empty_prompt"}, "message": message}),
    );
    tells(
        &SeatTell::Notice(Notice { level: Level::Warn, text: "t".into() }),
        &json!({"type": "notice", "level": "warn", "text": "t"}),
    );
    tells(&SeatTell::Error { request: None, message: "m".into() }, &json!({"type": "error", "message": "m"}));
}

#[test]
fn a_page_of_a_newer_release_fails_for_its_request_only() {
    let text = r#"{"type":"entries","request":6,"entries":[{"seq":1,"at":1,"by":{"type":"agent"},"event":{"type":"unheard_of"}}]}"#;
    let Ok(SeatTell::Error { request: Some(6), message }) = SeatTell::parse(text) else { panic!("it is understood") };
    assert!(message.contains("cannot be read by this release"), "{message}");
}

#[test]
fn a_sitter_keeps_the_rights_of_its_who() {
    let who = Who {
        owner: Owner("me".into()),
        principal: "token".into(),
        label: "A2A x".into(),
        rights: crate::Rights::of([Right::Prompt, Right::Observe]),
    };
    assert_eq!(Who::from(Sitter::from(&who)), who);
}
