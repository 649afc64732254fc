//! Every way to speak to the server, each doing the same few things.

use crate::grpc::grpc_client::{GrpcCall, GrpcTestClient, GrpcTestServer};
use crate::test_server::client::{SseReader, TestClient, many_sessions};
use crate::test_server::{TestRoster, who};
use axum::http::Method;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// A binding, in a version where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestBinding {
    Rpc03,
    Rpc10,
    /// By a client that knows the `development-tool` extension.
    DeclaringRpc10,
    Rest03,
    Rest10,
    Grpc03,
    Grpc10,
    WebSocket,
}

pub(crate) const ALL: [TestBinding; 8] = [
    TestBinding::Rpc03,
    TestBinding::Rpc10,
    TestBinding::DeclaringRpc10,
    TestBinding::Rest03,
    TestBinding::Rest10,
    TestBinding::Grpc03,
    TestBinding::Grpc10,
    TestBinding::WebSocket,
];

/// The content of a message.
pub(crate) enum ParityMessage<'a> {
    Prompt(&'a str),
    /// An answer to a call of a task.
    Allow {
        task: &'a str,
        call: &'a str,
    },
}

/// A server of its own and a client on one wire.
pub(crate) struct ParityClient {
    pub(crate) house: Arc<TestRoster>,
    wire: TestBinding,
    client: TestClient,
    grpc: GrpcTestServer,
    socket: Option<Socket>,
    sent: usize,
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A stream being read. That of a WebSocket ends where the others do: when the turn rests or only asks remain.
pub(crate) enum ParityEvents<'a> {
    Rpc(SseReader),
    Rest(SseReader),
    Grpc(Box<GrpcCall>),
    Socket { socket: &'a mut Option<Socket>, over: bool },
}

impl ParityClient {
    pub(crate) async fn begin(wire: TestBinding) -> ParityClient {
        let roster = TestRoster::new();
        let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
        let grpc = GrpcTestServer::start(client.router.clone()).await;
        let client = match wire {
            TestBinding::Rpc10 | TestBinding::Rest10 => client.speaking("1.0"),
            TestBinding::DeclaringRpc10 => client.speaking("1.0").declaring(),
            TestBinding::Rpc03
            | TestBinding::Rest03
            | TestBinding::Grpc03
            | TestBinding::Grpc10
            | TestBinding::WebSocket => client,
        };
        ParityClient { house: roster, wire, client, grpc, socket: None, sent: 0 }
    }

    /// Send a message and read what follows.
    pub(crate) async fn say(&mut self, says: ParityMessage<'_>) -> ParityEvents<'_> {
        self.sent += 1;
        let message = self.message(&says);
        match self.wire {
            TestBinding::Rpc03 => ParityEvents::Rpc(self.client.stream("message/stream", message).await),
            TestBinding::Rpc10 | TestBinding::DeclaringRpc10 => {
                ParityEvents::Rpc(self.client.stream("SendStreamingMessage", message).await)
            }
            TestBinding::Rest03 => self.rest("/v1/message:stream", &[], &message.to_string()).await,
            TestBinding::Rest10 => self.rest("/a2a/v1/message:stream", &[], &message.to_string()).await,
            TestBinding::Grpc03 | TestBinding::Grpc10 => {
                ParityEvents::Grpc(Box::new(self.caller().await.begin("SendStreamingMessage", &message).await))
            }
            TestBinding::WebSocket => {
                if self.socket.is_none() {
                    self.socket = Some(self.join("").await);
                }
                self.frame("message/stream", message).await;
                self.socket_events()
            }
        }
    }

    /// Go on after a cut.
    pub(crate) async fn follow(&mut self, task: &str, cursor: &str) -> ParityEvents<'_> {
        let after = [("last-event-id", cursor)];
        match self.wire {
            TestBinding::Rpc03 => ParityEvents::Rpc(
                self.client.stream_after("tasks/resubscribe", json!({"id": task}), Some(cursor)).await,
            ),
            TestBinding::Rpc10 | TestBinding::DeclaringRpc10 => {
                ParityEvents::Rpc(self.client.stream_after("SubscribeToTask", json!({"id": task}), Some(cursor)).await)
            }
            TestBinding::Rest03 => self.rest(&format!("/v1/tasks/{task}:subscribe"), &after, "").await,
            TestBinding::Rest10 => self.rest(&format!("/a2a/v1/tasks/{task}:subscribe"), &after, "").await,
            TestBinding::Grpc03 => {
                let caller = self.caller().await.with("last-event-id", cursor);
                ParityEvents::Grpc(Box::new(
                    caller.begin("TaskSubscription", &json!({"name": format!("tasks/{task}")})).await,
                ))
            }
            TestBinding::Grpc10 => {
                let caller = self.caller().await.with("last-event-id", cursor);
                ParityEvents::Grpc(Box::new(caller.begin("SubscribeToTask", &json!({"id": task})).await))
            }
            TestBinding::WebSocket => {
                self.socket = Some(self.join(&format!("?taskId={task}&after={cursor}")).await);
                self.socket_events()
            }
        }
    }

    /// Stop a task. What it answers is the task, but on a WebSocket.
    pub(crate) async fn cancel(&mut self, task: &str) -> Option<Value> {
        let rest = async |path: String| self.client.json(Method::POST, &path, "").await.1;
        Some(match self.wire {
            TestBinding::Rpc03 => self.client.rpc("tasks/cancel", json!({"id": task})).await["result"].take(),
            TestBinding::Rpc10 | TestBinding::DeclaringRpc10 => {
                self.client.rpc("CancelTask", json!({"id": task})).await["result"].take()
            }
            TestBinding::Rest03 => rest(format!("/v1/tasks/{task}:cancel")).await,
            TestBinding::Rest10 => rest(format!("/a2a/v1/tasks/{task}:cancel")).await,
            TestBinding::Grpc03 => {
                self.caller().await.call("CancelTask", json!({"name": format!("tasks/{task}")})).await.unwrap()
            }
            TestBinding::Grpc10 => self.caller().await.call("CancelTask", json!({"id": task})).await.unwrap(),
            TestBinding::WebSocket => {
                let mut second = self.join(&format!("?taskId={task}")).await;
                let frame = json!({"jsonrpc": "2.0", "method": "tasks/cancel", "params": {"id": task}});
                second.send(Message::text(frame.to_string())).await.unwrap();
                // It is done once it is told of.
                while next_frame(&mut second).await["state"] != "canceled" {}
                return None;
            }
        })
    }

    /// Look at a task; `None` on a WebSocket, which has no question for that.
    pub(crate) async fn get(&mut self, task: &str) -> Option<Value> {
        let rest = async |path: String| self.client.json(Method::GET, &path, "").await.1;
        Some(match self.wire {
            TestBinding::Rpc03 => self.client.rpc("tasks/get", json!({"id": task})).await["result"].take(),
            TestBinding::Rpc10 | TestBinding::DeclaringRpc10 => {
                self.client.rpc("GetTask", json!({"id": task})).await["result"].take()
            }
            TestBinding::Rest03 => rest(format!("/v1/tasks/{task}")).await,
            TestBinding::Rest10 => rest(format!("/a2a/v1/tasks/{task}")).await,
            TestBinding::Grpc03 => {
                self.caller().await.call("GetTask", json!({"name": format!("tasks/{task}")})).await.unwrap()
            }
            TestBinding::Grpc10 => self.caller().await.call("GetTask", json!({"id": task})).await.unwrap(),
            TestBinding::WebSocket => return None,
        })
    }

    /// True if the files that were made are told of in streams.
    pub(crate) fn tells_artifacts(&self) -> bool {
        matches!(
            self.wire,
            TestBinding::Rpc10 | TestBinding::DeclaringRpc10 | TestBinding::Rest10 | TestBinding::Grpc10
        )
    }

    fn message(&self, says: &ParityMessage<'_>) -> Value {
        let (task, text, data) = match says {
            ParityMessage::Prompt(text) => (None, Some(text), Value::Null),
            ParityMessage::Allow { task, call } => {
                (Some(task), None, json!({"tool_call_id": call, "selected_option_id": "proceed_once"}))
            }
        };
        let part = |data: Value| match text {
            Some(text) => json!({"text": text}),
            None => json!({"data": data}),
        };
        let mut message = match self.wire {
            TestBinding::Rpc03 => json!({"kind": "message", "role": "user", "parts": [part(data)]}),
            TestBinding::Rpc10 | TestBinding::DeclaringRpc10 | TestBinding::Rest10 | TestBinding::Grpc10 => {
                json!({"role": "ROLE_USER", "parts": [part(data)]})
            }
            TestBinding::Rest03 | TestBinding::Grpc03 => {
                json!({"role": "ROLE_USER", "content": [part(json!({"data": data}))]})
            }
            TestBinding::WebSocket => json!({"content": part(data)}),
        };
        message["messageId"] = json!(format!("m{}", self.sent));
        if let Some(task) = task {
            message["taskId"] = json!(task);
        }
        json!({"message": message})
    }

    async fn rest(&self, path: &str, headers: &[(&str, &str)], body: &str) -> ParityEvents<'static> {
        ParityEvents::Rest(self.client.sse(Method::POST, path, headers, body).await)
    }

    async fn caller(&self) -> GrpcTestClient {
        self.grpc.caller(if self.wire == TestBinding::Grpc03 { "a2a.v1" } else { "lf.a2a.v1" }).await
    }

    async fn join(&self, query: &str) -> Socket {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = self.client.app();
        tokio::spawn(async move { axum::serve(listener, app).await });
        connect_async(format!("ws://{address}/ws{query}")).await.unwrap().0
    }

    async fn frame(&mut self, method: &str, params: Value) {
        let frame = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        self.socket.as_mut().unwrap().send(Message::text(frame)).await.unwrap();
    }

    fn socket_events(&mut self) -> ParityEvents<'_> {
        ParityEvents::Socket { socket: &mut self.socket, over: false }
    }
}

impl ParityEvents<'_> {
    /// The next event and the cursor after it, if it has one; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<(Option<String>, Value)> {
        match self {
            ParityEvents::Rpc(sse) => {
                let (cursor, mut event) = sse.next().await?;
                Some((cursor, event["result"].take()))
            }
            ParityEvents::Rest(sse) => sse.next().await,
            ParityEvents::Grpc(call) => {
                let event = call.next().await.expect("it ends well")?;
                let inner = event.as_object()?.values().next()?;
                let cursor = inner["metadata"]["pollux/cursor"].as_str().map(str::to_owned);
                Some((cursor, event))
            }
            ParityEvents::Socket { over: true, .. } => None,
            ParityEvents::Socket { socket, over } => {
                let frame = next_frame(socket.as_mut()?).await;
                *over = frame["final"] == true;
                Some((Some(frame["seq"].to_string()), frame))
            }
        }
    }

    /// Lose the connection.
    pub(crate) fn cut(self) {
        if let ParityEvents::Socket { socket, .. } = self {
            *socket = None;
        }
    }
}

async fn next_frame(socket: &mut Socket) -> Value {
    loop {
        if let Message::Text(text) = socket.next().await.expect("the connection lasts").unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}
