//! A listener behind the gate with a small router, and a client that sends raw bytes.
#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use axum::body::Bytes;
use axum::extract::WebSocketUpgrade;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use pollux_server::gate::{AuthenticationPolicy, BearerToken, ConnectionPeer, DescendantPolicy, Gate, GateSettings};
use pollux_server::listen::{self, ListenerLimits};
use pollux_session::{Owner, Who};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
/// No test waits longer; none depends on it.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct GateTestServer {
    pub(crate) addr: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) running: JoinHandle<io::Result<()>>,
    /// The number of requests that got past the gate.
    pub(crate) reached: Arc<AtomicUsize>,
    /// Lets `/held` answer, and tells that it was asked.
    pub(crate) release: Arc<Notify>,
    pub(crate) held: Arc<Notify>,
}

/// Descendants are served, because the clients of the tests are this process itself.
pub(crate) fn settings() -> GateSettings {
    GateSettings {
        token: Some(BearerToken::parse(TOKEN).unwrap()),
        authentication: AuthenticationPolicy::LocalUser,
        hosts: vec!["pollux.example".to_owned()],
        origins: vec!["https://pollux.example".to_owned()],
        owner: Owner("me".to_owned()),
        descendants: DescendantPolicy::Served,
    }
}

impl GateTestServer {
    pub(crate) async fn start() -> GateTestServer {
        GateTestServer::with(settings(), ListenerLimits::default()).await
    }

    pub(crate) async fn with(settings: GateSettings, limits: ListenerLimits) -> GateTestServer {
        let listener = listen::bind_listener(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        GateTestServer::run(listener, settings, |listener, gate, router, shutdown| {
            tokio::spawn(listen::run(listener, gate, limits, router, shutdown))
        })
    }

    /// Calls over gRPC, which this router knows none of.
    #[cfg(feature = "grpc")]
    pub(crate) async fn grpc(settings: GateSettings) -> GateTestServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        GateTestServer::run(listener, settings, |listener, gate, router, shutdown| {
            tokio::spawn(listen::run_grpc(listener, gate, ListenerLimits::default(), router, shutdown))
        })
    }

    fn run(
        listener: TcpListener,
        settings: GateSettings,
        start: impl FnOnce(TcpListener, Arc<Gate>, Router, CancellationToken) -> JoinHandle<io::Result<()>>,
    ) -> GateTestServer {
        let addr = listener.local_addr().unwrap();
        let (reached, release, held) = <(Arc<AtomicUsize>, Arc<Notify>, Arc<Notify>)>::default();
        let shutdown = CancellationToken::new();
        let router = router(Arc::clone(&reached), Arc::clone(&release), Arc::clone(&held));
        let gate = Arc::new(Gate::new(settings, addr));
        let running = start(listener, gate, router, shutdown.clone());
        GateTestServer { addr, shutdown, running, reached, release, held }
    }

    /// Sends a request written with `HOST` for the server's own host; the answer up to the close.
    pub(crate) async fn ask(&self, request: &str) -> RawHttpResponse {
        let mut client = self.connect().await;
        client.send(request).await;
        client.reply_to_end().await
    }

    pub(crate) async fn connect(&self) -> RawHttpClient {
        self.over(TcpStream::connect(self.addr).await.unwrap())
    }

    /// A client on a connection that is there already.
    pub(crate) fn over(&self, stream: TcpStream) -> RawHttpClient {
        RawHttpClient { stream, addr: self.addr }
    }

    pub(crate) fn reached(&self) -> usize {
        self.reached.load(Ordering::SeqCst)
    }
}

/// The most connections that can wait at once: 4,000, or what the system lets wait and this process open.
pub(crate) fn burst() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| usize::try_from(files).unwrap());
    let waiting = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse().unwrap();
    4_000.min(waiting).min(files / 2 - 100)
}

pub(crate) struct RawHttpClient {
    pub(crate) stream: TcpStream,
    addr: SocketAddr,
}

impl RawHttpClient {
    /// Somebody who connects although nobody may accept it yet.
    pub(crate) async fn connect(addr: SocketAddr) -> io::Result<RawHttpClient> {
        Ok(RawHttpClient { stream: TcpStream::connect(addr).await?, addr })
    }

    pub(crate) async fn send(&mut self, request: &str) {
        let request = request.replace("HOST", &self.addr.to_string()).replace("PORT", &self.addr.port().to_string());
        self.stream.write_all(request.as_bytes()).await.unwrap();
    }

    /// Everything up to the end of the connection.
    pub(crate) async fn read_to_end(&mut self) -> String {
        let mut bytes = Vec::new();
        // A reset after the answer ends it as a close does.
        let _ = timeout(PATIENCE, self.stream.read_to_end(&mut bytes)).await.expect("the server closes the connection");
        String::from_utf8(bytes).unwrap()
    }

    pub(crate) async fn reply_to_end(&mut self) -> RawHttpResponse {
        RawHttpResponse::parse(&self.read_to_end().await)
    }

    /// One response with a `Content-Length` or none at all, on a connection that stays open.
    pub(crate) async fn reply(&mut self) -> RawHttpResponse {
        let mut text = String::new();
        while !text.ends_with("\r\n\r\n") {
            text.push(self.byte().await);
        }
        let length = RawHttpResponse::parse(&text).header("content-length").map_or(0, |length| length.parse().unwrap());
        for _ in 0..length {
            text.push(self.byte().await);
        }
        RawHttpResponse::parse(&text)
    }

    async fn byte(&mut self) -> char {
        timeout(PATIENCE, self.stream.read_u8()).await.expect("the server answers").expect("and stays").into()
    }
}

#[derive(Debug)]
pub(crate) struct RawHttpResponse {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl RawHttpResponse {
    fn parse(text: &str) -> RawHttpResponse {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("not a response: {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        RawHttpResponse { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The code of the error in the body.
    pub(crate) fn code(&self) -> String {
        let json: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        match &json["error"]["code"] {
            serde_json::Value::String(code) => code.clone(),
            serde_json::Value::Null => String::new(),
            code => code.to_string(),
        }
    }
}

fn router(reached: Arc<AtomicUsize>, release: Arc<Notify>, held: Arc<Notify>) -> Router {
    let count = move |request: axum::extract::Request, next: axum::middleware::Next| {
        reached.fetch_add(1, Ordering::SeqCst);
        next.run(request)
    };
    let hold = move || async move {
        held.notify_one();
        release.notified().await;
        "released"
    };
    Router::new()
        .route("/health", get(|| async { "ok" }))
        .route("/.well-known/agent-card.json", get(|| async { "card" }))
        .route("/who", any(who))
        .route("/headers", any(headers))
        .route("/", post(|body: Bytes| async move { body.len().to_string() }))
        .route("/a2a/v1/message:send", post(|body: Bytes| async move { body.len().to_string() }))
        .route("/v1/message:send", post(|body: Bytes| async move { body.len().to_string() }))
        .route("/tasks", post(|| async { "task" }))
        .route("/held", get(hold))
        .route("/ws", any(socket))
        .layer(axum::middleware::from_fn(count))
}

/// The identity of the client, in a line.
async fn who(Extension(who): Extension<Who>, Extension(peer): Extension<ConnectionPeer>) -> String {
    assert!(peer.addr().ip().is_loopback());
    format!("{} {} [{}]", who.owner.0, who.principal, who.label)
}

/// The credentials that got past the gate.
async fn headers(headers: HeaderMap) -> String {
    let shown = ["authorization", "sec-websocket-protocol"].map(|name| headers.get(name).map(|v| v.to_str().unwrap()));
    format!("{shown:?}")
}

/// Echoes until the client leaves.
async fn socket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(|mut socket| async move {
        while let Some(Ok(message)) = socket.recv().await {
            if socket.send(message).await.is_err() {
                break;
            }
        }
    })
}
