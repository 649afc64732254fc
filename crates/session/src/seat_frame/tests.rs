use super::{ConnectedClient, SeatMessage, SeatRequest, SeatWelcome, WhoFrame};
use crate::command::Command;
use crate::event::{Entry, EntryAuthor, Event};
use crate::ids::{CommandId, Seq, UnixMillis};
use crate::notice::{Notice, NoticeLevel};
use crate::refusal::{Refusal, Right};
use crate::seat::CommandReceipt;
use crate::who::{Owner, Who};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn tells(tell: &SeatMessage, written: &Value) {
    assert_eq!(serde_json::to_value(tell).unwrap(), *written);
    assert_eq!(SeatMessage::parse(&written.to_string()).unwrap(), *tell);
}

#[test]
fn asks_have_these_shapes() {
    let cases = [
        (
            SeatRequest::Read { request: 1, after: Seq(3), limit: 9 },
            json!({"type": "read", "request": 1, "after": 3, "limit": 9}),
        ),
        (
            SeatRequest::Send { request: 2, id: CommandId("c".into()), command: Box::new(Command::Release) },
            json!({"type": "send", "request": 2, "id": "c", "command": {"type": "release"}}),
        ),
        (SeatRequest::Commands { request: 3 }, json!({"type": "commands", "request": 3})),
        (SeatRequest::Models { request: 4 }, json!({"type": "models", "request": 4})),
        (SeatRequest::Sessions { request: 5 }, json!({"type": "sessions", "request": 5})),
        (SeatRequest::Clients { request: 6 }, json!({"type": "clients", "request": 6})),
        (SeatRequest::Remove { request: 7, client: 9 }, json!({"type": "remove", "request": 7, "client": 9})),
    ];
    for (ask, written) in cases {
        assert_eq!(serde_json::to_value(&ask).unwrap(), written);
        assert_eq!(serde_json::from_value::<SeatRequest>(written).unwrap(), ask);
    }
}

#[test]
fn tells_have_these_shapes() {
    let who = WhoFrame {
        owner: Owner("me".into()),
        principal: "local".into(),
        label: "A2A".into(),
        rights: vec![Right::Observe],
    };
    let session = "0199f3a0-0000-7000-8000-000000000001";
    let welcome = SeatWelcome {
        session: session.parse().unwrap(),
        who: who.clone(),
        incarnation: 7,
        head: Seq(4),
        workspace: "/w".into(),
        release: "0.1.0".into(),
    };
    let guest = ConnectedClient { id: 9, who: who.clone(), how: "terminal".into(), since: UnixMillis(5) };
    tells(
        &SeatMessage::Clients { request: 6, clients: vec![guest] },
        &json!({"type": "clients", "request": 6, "clients": [{
            "id": 9, "how": "terminal", "since": 5,
            "who": {"owner": "me", "principal": "local", "label": "A2A", "rights": ["observe"]},
        }]}),
    );
    tells(&SeatMessage::Removed { request: 7 }, &json!({"type": "removed", "request": 7}));
    tells(
        &SeatMessage::Welcome(welcome),
        &json!({
            "type": "welcome", "session": session, "incarnation": 7, "head": 4, "workspace": "/w", "release": "0.1.0",
            "who": {"owner": "me", "principal": "local", "label": "A2A", "rights": ["observe"]},
        }),
    );
    let entry = Entry { seq: Seq(4), at: UnixMillis(9), by: EntryAuthor::Agent, task: None, event: Event::Released };
    let line: Value = serde_json::from_slice(&crate::encode(&entry)).unwrap();
    tells(
        &SeatMessage::Entries { request: 1, entries: vec![Arc::new(entry)] },
        &json!({"type": "entries", "request": 1, "entries": [line]}),
    );
    tells(&SeatMessage::Head { seq: Seq(5) }, &json!({"type": "head", "seq": 5}));
    let receipt = CommandReceipt::new(Seq(5), None);
    tells(
        &SeatMessage::Receipt { request: 2, receipt },
        &json!({"type": "receipt", "request": 2, "seq": 5, "about": null}),
    );
    let (refusal, message) = (Refusal::EmptyPrompt, Refusal::EmptyPrompt.to_string());
    tells(
        &SeatMessage::Refused { request: 3, refusal, message: message.clone() },
        &json!({"type": "refused", "request": 3, "refusal": {"code": "empty_prompt"}, "message": message}),
    );
    tells(
        &SeatMessage::Notice(Notice { level: NoticeLevel::Warn, text: "t".into() }),
        &json!({"type": "notice", "level": "warn", "text": "t"}),
    );
    tells(&SeatMessage::Error { request: None, message: "m".into() }, &json!({"type": "error", "message": "m"}));
}

#[test]
fn a_page_of_a_newer_release_fails_for_its_request_only() {
    let text = r#"{"type":"entries","request":6,"entries":[{"seq":1,"at":1,"by":{"type":"agent"},"event":{"type":"unheard_of"}}]}"#;
    let Ok(SeatMessage::Error { request: Some(6), message }) = SeatMessage::parse(text) else {
        panic!("it is understood")
    };
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
    assert_eq!(Who::from(WhoFrame::from(&who)), who);
}
