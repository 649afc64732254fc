//! `/ws` with the subprotocol `pollux.seat.v1`, and the list of those who follow a session.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::thinks;
use crate::test_server::{INCARNATION, ScriptedSession, TestRoster, observer, who};
use axum::http::StatusCode;
use futures_util::{SinkExt, StreamExt};
use pollux_server::gate::{AuthenticationPolicy, BearerToken, DescendantPolicy, Gate, GateSettings};
use pollux_server::listen::{self, ListenerLimits};
use pollux_server::{ConnectionKind, Presence, RouterOptions};
use pollux_session::{
    ApprovalMode, Command, CommandInfo, Event, Notice, NoticeLevel, Owner, PromptTarget, Refusal, Right, Rights,
    SEAT_PROTOCOL, SeatMessage, SessionId, SessionSetting, Who, encode,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Response};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::CancellationToken;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

struct SeatClient(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// The router of `client` on a port.
async fn listening(client: &TestClient) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = client.app();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// The server's answer to a handshake: a socket and the subprotocol that was chosen, or a status.
async fn shake_hands(
    address: SocketAddr,
    query: &str,
    headers: &[(&'static str, &str)],
) -> Result<(SeatClient, Option<String>), Box<Response<Option<Vec<u8>>>>> {
    let mut request = format!("ws://{address}/ws{query}").into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).unwrap());
    }
    match connect_async(request).await {
        Ok((socket, answer)) => {
            let chosen = answer.headers().get("Sec-WebSocket-Protocol").map(|name| name.to_str().unwrap().to_owned());
            Ok((SeatClient(socket), chosen))
        }
        Err(Error::Http(answer)) => Err(answer),
        Err(error) => panic!("no handshake: {error}"),
    }
}

impl SeatClient {
    async fn connect(client: &TestClient) -> SeatClient {
        let address = listening(client).await;
        let (ws, chosen) = shake_hands(address, "", &[("Sec-WebSocket-Protocol", SEAT_PROTOCOL)]).await.unwrap();
        assert_eq!(chosen.as_deref(), Some(SEAT_PROTOCOL));
        ws
    }

    /// A seat whose welcome has been read.
    async fn seated(client: &TestClient) -> SeatClient {
        let mut ws = SeatClient::connect(client).await;
        assert_eq!(ws.next().await["type"], "welcome");
        ws
    }

    async fn say(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.next().await.unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Frames up to the one that answers `frame`, that one alone.
    async fn ask(&mut self, frame: Value) -> Value {
        self.say(&frame).await;
        loop {
            let answer = self.next().await;
            if answer["request"] == frame["request"] {
                return answer;
            }
        }
    }

    /// The reason the server closes for.
    async fn closed(&mut self) -> (CloseCode, String) {
        loop {
            if let Message::Close(Some(close)) = self.0.next().await.unwrap().unwrap() {
                return (close.code, close.reason.to_string());
            }
        }
    }
}

fn one_session() -> (Arc<ScriptedSession>, TestClient, Presence) {
    let (roster, presence) = (TestRoster::new(), Presence::default());
    let session = roster.session("ctx", "/w");
    let commands = |_: &str| {
        let info = CommandInfo { name: "memory".into(), ..CommandInfo::default() };
        Box::pin(async move { vec![info] }) as pollux_session::BoxFuture<'static, _>
    };
    let models = || Box::pin(async { vec!["demo".to_owned()] }) as pollux_session::BoxFuture<'static, _>;
    let extras = RouterOptions {
        presence: presence.clone(),
        commands: Some(Arc::new(commands)),
        models: Some(Arc::new(models)),
        ..RouterOptions::default()
    };
    let client = TestClient::offering(shared_session(&roster, session.id, "/w"), extras, who("A2A terminal"));
    (session, client, presence)
}

fn prompt(session: SessionId, text: &str) -> Command {
    Command::prompt(PromptTarget::Existing { task: session.main_task() }, text)
}

fn send(request: u64, id: &str, command: &Command) -> Value {
    json!({"type": "send", "request": request, "id": id, "command": command})
}

#[tokio::test]
async fn a_seat_is_welcomed_reads_sends_and_hears_of_news() {
    let (session, client, _) = one_session();
    let mut ws = SeatClient::connect(&client).await;
    let head = session.head();
    assert_eq!(
        ws.next().await,
        json!({
            "type": "welcome", "session": session.id, "incarnation": INCARNATION, "head": head, "workspace": "/w",
            "release": "0.1.0",
            "who": {
                "owner": "me", "principal": "local", "label": "A2A terminal", "rights": ["observe", "prompt", "approve"],
            },
        })
    );
    let lines = |after: usize| -> Vec<Value> {
        session.log()[after..].iter().map(|entry| serde_json::from_slice(&encode(entry)).unwrap()).collect()
    };
    ws.say(&json!({"type": "read", "request": 1, "after": 0, "limit": 100})).await;
    assert_eq!(ws.next().await, json!({"type": "entries", "request": 1, "entries": lines(0)}));
    ws.say(&json!({"type": "read", "request": 2, "after": head, "limit": 100})).await;
    assert_eq!(ws.next().await, json!({"type": "entries", "request": 2, "entries": []}));

    let receipt = ws.ask(send(3, "mine", &prompt(session.id, "hello"))).await;
    let accepted = head.0 + 1;
    assert_eq!(
        receipt,
        json!({
            "type": "receipt", "request": 3, "seq": accepted,
            "about": [session.id, accepted],
        })
    );
    // A retry has the first receipt, and changes nothing.
    assert_eq!(ws.ask(send(4, "mine", &prompt(session.id, "hello"))).await["seq"], accepted);
    assert_eq!(session.log().iter().filter(|entry| entry.seq.0 >= accepted).count(), lines(head.0 as usize).len());
    session.owes(thinks).await;
    session.says("hi");
    loop {
        let frame = ws.next().await;
        assert_eq!(frame["type"], "head");
        if frame["seq"] == json!(session.head()) {
            break;
        }
    }
    let page = ws.ask(json!({"type": "read", "request": 5, "after": head, "limit": 2})).await;
    assert_eq!(page["entries"], json!(lines(head.0 as usize)[..2]));

    session.notice(Notice { level: NoticeLevel::Warn, text: "look".into() });
    assert_eq!(ws.next().await, json!({"type": "notice", "level": "warn", "text": "look"}));
}

#[tokio::test]
async fn what_a_terminal_lists_can_be_asked_for() {
    let (session, client, _) = one_session();
    let mut ws = SeatClient::seated(&client).await;
    let commands = ws.ask(json!({"type": "commands", "request": 1})).await;
    assert_eq!(commands["commands"][0]["name"], "memory");
    assert_eq!(
        ws.ask(json!({"type": "models", "request": 2})).await,
        json!({"type": "models", "request": 2, "models": ["demo"]})
    );
    let sessions = ws.ask(json!({"type": "sessions", "request": 3})).await;
    assert_eq!((&sessions["sessions"][0]["id"], sessions["sessions"][1].is_null()), (&json!(session.id), true));
}

#[tokio::test]
async fn refusals_and_rights_are_told_and_the_connection_stays() {
    let (session, client, _) = one_session();
    let mut ws = SeatClient::seated(&client.seen_by(observer())).await;
    let refused = ws.ask(send(1, "a", &prompt(session.id, "hello"))).await;
    let refusal = Refusal::NotAllowed { right: Right::Prompt };
    assert_eq!(
        serde_json::from_value::<SeatMessage>(refused).unwrap(),
        SeatMessage::Refused { request: 1, message: refusal.to_string(), refusal }
    );
    let page = ws.ask(json!({"type": "read", "request": 2, "after": 0, "limit": 1})).await;
    assert_eq!(page["entries"][0]["seq"], 1);
}

#[tokio::test]
async fn bad_frames_are_answered_and_nothing_is_lost() {
    let (_session, client, _) = one_session();
    let mut ws = SeatClient::seated(&client).await;
    for (frame, request) in [
        ("nonsense", Value::Null),
        ("[]", Value::Null),
        (r#"{"type":"dance","request":7}"#, json!(7)),
        (r#"{"type":"read","request":8,"after":-1,"limit":1}"#, json!(8)),
        (r#"{"type":"send","request":9,"id":"x","command":{"type":"fly"}}"#, json!(9)),
        (r#"{"type":"read","after":0,"limit":1}"#, Value::Null),
    ] {
        ws.0.send(Message::text(frame)).await.unwrap();
        let answer = ws.next().await;
        assert_eq!((&answer["type"], &answer["request"]), (&json!("error"), &request), "{frame}");
        assert!(answer["message"].as_str().unwrap().starts_with("this frame cannot be read: "), "{answer}");
    }
    ws.0.send(Message::binary(br#"{"type":"read","request":1,"after":0,"limit":0}"#.to_vec())).await.unwrap();
    assert_eq!(ws.next().await, json!({"type": "entries", "request": 1, "entries": []}));
}

#[tokio::test]
async fn without_the_subprotocol_the_flat_dialect_is_spoken() {
    let (_session, client, _) = one_session();
    let address = listening(&client).await;
    for headers in [&[][..], &[("Sec-WebSocket-Protocol", "chat, superchat")]] {
        let mut request = format!("ws://{address}/ws").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, HeaderValue::from_static(value));
        }
        // A client that insists on a subprotocol of its own says so itself; the server has let it in.
        match connect_async(request).await {
            Ok((socket, _)) => {
                let mut ws = SeatClient(socket);
                let answer = ws.ask_flat().await;
                assert_eq!(answer["error"]["code"], -32601, "{answer}");
            }
            Err(Error::Protocol(error)) => {
                assert!(error.to_string().contains("sent no subprotocol"), "{error}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

impl SeatClient {
    async fn ask_flat(&mut self) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "dance", "params": {}})).await;
        self.next().await
    }
}

#[tokio::test]
async fn a_seat_needs_a_session_that_exists() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/w");
    let address = listening(&TestClient::new(many_sessions(&roster, "/w"), who("A2A terminal"))).await;
    let seat = [("Sec-WebSocket-Protocol", SEAT_PROTOCOL)];
    let unnamed = shake_hands(address, "", &seat).await.err().unwrap();
    assert_eq!(unnamed.status(), StatusCode::BAD_REQUEST);
    let unknown = shake_hands(address, "?taskId=0199f3a0-0000-7000-8000-000000000001", &seat).await.err().unwrap();
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
    let (mut ws, _) = shake_hands(address, &format!("?taskId={}", session.id), &seat).await.unwrap();
    assert_eq!(ws.next().await["session"], json!(session.id));
}

#[tokio::test]
async fn the_gate_comes_before_the_upgrade() {
    let (session, client, _) = one_session();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let settings = GateSettings {
        token: Some(BearerToken::parse(TOKEN).unwrap()),
        authentication: AuthenticationPolicy::TokenOnly,
        hosts: Vec::new(),
        origins: Vec::new(),
        owner: Owner("me".into()),
        descendants: DescendantPolicy::Served,
    };
    let gate = Arc::new(Gate::new(settings, address));
    tokio::spawn(listen::run(
        listener,
        gate,
        ListenerLimits::default(),
        client.router.clone(),
        CancellationToken::new(),
    ));
    let seat = ("Sec-WebSocket-Protocol", SEAT_PROTOCOL);
    for headers in [vec![seat], vec![seat, ("Authorization", "Bearer wrong")]] {
        let denied = shake_hands(address, "", &headers).await.err().unwrap();
        assert_eq!(denied.status(), StatusCode::UNAUTHORIZED);
    }
    let bearer = format!("Bearer {TOKEN}");
    let (mut ws, _) =
        shake_hands(address, "", &[seat, ("Authorization", &bearer), ("X-Client-Name", "me")]).await.unwrap();
    let welcome = ws.next().await;
    assert_eq!(welcome["session"], json!(session.id));
    assert_eq!((&welcome["who"]["label"], &welcome["who"]["principal"]), (&json!("A2A me"), &json!("token")));
}

#[tokio::test]
async fn whoever_follows_is_listed_and_can_be_removed() {
    let (session, client, presence) = one_session();
    let mut changes = presence.changed();
    let mut seat = SeatClient::seated(&client).await;
    let (mut flat, _) = shake_hands(listening(&client.seen_by(who("A2A web"))).await, "", &[]).await.unwrap();
    flat.ask_flat().await;
    let message = json!({"message": {"content": {"text": "hello"}}});
    let mut sse =
        client.seen_by(who("A2A curl")).post_stream(&format!("/tasks/{}/messages/stream", session.id), &message).await;

    let listed = || -> Vec<(ConnectionKind, String)> {
        presence.list(session.id).into_iter().map(|client| (client.connection, client.who.label)).collect()
    };
    let expected = [
        (ConnectionKind::Terminal, "A2A terminal"),
        (ConnectionKind::WebSocket, "A2A web"),
        (ConnectionKind::Sse, "A2A curl"),
    ];
    assert_eq!(listed(), expected.map(|(how, label)| (how, label.to_owned())));
    assert!(changes.has_changed().unwrap());

    let ids: Vec<u64> = presence.list(session.id).iter().map(|client| client.id).collect();
    for id in &ids {
        assert!(presence.remove(*id));
    }
    let why = "this client was removed from the session by the people at it";
    assert_eq!(seat.closed().await, (CloseCode::Policy, why.into()));
    assert_eq!(flat.closed().await, (CloseCode::Policy, why.into()));
    let mut last = Value::Null;
    while let Some((_, event)) = sse.next().await {
        last = event;
    }
    assert_eq!(last["message"], why);
    drop(sse);
    while !presence.list(session.id).is_empty() {
        changes.changed().await.unwrap();
    }
    assert!(!presence.remove(ids[0]));
}

#[tokio::test]
async fn the_mode_is_set_by_whoever_may_approve_and_the_log_names_them() {
    let (session, client, _) = one_session();
    let yolo = Command::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) };
    let prompter = client.seen_by(Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..who("A2A script") });
    let mut ws = SeatClient::seated(&prompter).await;
    let refused = ws.ask(send(1, "m", &yolo)).await;
    let refusal = Refusal::NotAllowed { right: Right::Approve };
    assert_eq!(
        serde_json::from_value::<SeatMessage>(refused).unwrap(),
        SeatMessage::Refused { request: 1, message: refusal.to_string(), refusal }
    );
    let mut ws = SeatClient::seated(&client).await;
    assert_eq!(ws.ask(send(1, "m", &yolo)).await["type"], "receipt");
    let set: Vec<String> = session
        .log()
        .iter()
        .filter(|entry| entry.event == Event::Set { setting: SessionSetting::Mode(ApprovalMode::Yolo) })
        .map(|entry| entry.by.to_string())
        .collect();
    assert_eq!(set, ["A2A terminal"]);
}

#[tokio::test]
async fn a_handshake_has_one_key_of_sixteen_bytes() {
    let (_session, client, _) = one_session();
    let address = listening(&client).await;
    for key in ["", "x", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZTE=", "!!!!!!!!!!!!!!!!!!!!!!!!"] {
        let refused = shake_hands(address, "", &[("Sec-WebSocket-Key", key)]).await.err().unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{key:?}");
    }
    assert!(shake_hands(address, "", &[("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]).await.is_ok());
}

/// The answers to it stay unsent, so nothing more of it is read, and no memory is spent on it.
#[tokio::test]
async fn pings_of_a_client_that_never_reads_are_not_taken_without_end() {
    const MORE_THAN_BUFFERS_HOLD: usize = 400_000;
    let (_session, client, _) = one_session();
    let address = listening(&client).await;
    for headers in [vec![], vec![("Sec-WebSocket-Protocol", SEAT_PROTOCOL)]] {
        let (SeatClient(mut socket), _) = shake_hands(address, "", &headers).await.unwrap();
        let mut taken = 0;
        while taken < MORE_THAN_BUFFERS_HOLD {
            let ping = socket.feed(Message::Ping(vec![b'x'; 125].into()));
            match timeout(Duration::from_secs(2), ping).await {
                Ok(sent) => sent.unwrap(),
                Err(_) => break,
            }
            taken += 1;
        }
        assert!(taken < MORE_THAN_BUFFERS_HOLD, "all were taken, headers {headers:?}");
    }
}
