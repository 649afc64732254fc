//! A gRPC listener over a router, and a client that speaks protobuf to it by the checked-in descriptors.

use axum::Router;
use axum::http::{HeaderMap, Request, StatusCode, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use pollux_server::gate::{AuthenticationPolicy, BearerToken, DescendantPolicy, Gate, GateSettings};
use pollux_server::listen::{self, ListenerLimits};
use pollux_session::Owner;
use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A running listener.
pub(crate) struct GrpcTestServer {
    pub(crate) addr: SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) running: JoinHandle<io::Result<()>>,
}

impl GrpcTestServer {
    pub(crate) async fn start(router: Router) -> GrpcTestServer {
        GrpcTestServer::with(router, ListenerLimits::default(), AuthenticationPolicy::LocalUser).await
    }

    pub(crate) async fn with(router: Router, limits: ListenerLimits, identity: AuthenticationPolicy) -> GrpcTestServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        let settings = GateSettings {
            token: Some(BearerToken::parse(TOKEN).unwrap()),
            authentication: identity,
            hosts: Vec::new(),
            origins: Vec::new(),
            owner: Owner("me".into()),
            descendants: DescendantPolicy::Served,
        };
        let gate = Arc::new(Gate::new(settings, addr));
        let running = tokio::spawn(listen::run_grpc(listener, gate, limits, router, shutdown.clone()));
        GrpcTestServer { addr, shutdown, running }
    }

    /// A client of a package.
    pub(crate) async fn caller(&self, package: &'static str) -> GrpcTestClient {
        let stream = TcpStream::connect(self.addr).await.unwrap();
        let (send, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let pool = DescriptorPool::decode(pollux_wire::descriptors::DESCRIPTORS).unwrap();
        GrpcTestClient { send, pool, package, authority: self.addr.to_string(), metadata: Vec::new() }
    }
}

/// A client on one connection.
#[derive(Clone)]
pub(crate) struct GrpcTestClient {
    send: SendRequest<Full<Bytes>>,
    pool: DescriptorPool,
    package: &'static str,
    authority: String,
    metadata: Vec<(&'static str, String)>,
}

/// The failure of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct GrpcFailure {
    pub(crate) code: i32,
    pub(crate) message: String,
    /// The domains and reasons in the details.
    pub(crate) reasons: Vec<(String, String)>,
}

impl GrpcTestClient {
    /// The client, which sends this along.
    pub(crate) fn with(&self, name: &'static str, value: &str) -> GrpcTestClient {
        let mut caller = self.clone();
        caller.metadata.push((name, value.to_owned()));
        caller
    }

    /// The client, which names another server.
    pub(crate) fn to(&self, authority: &str) -> GrpcTestClient {
        GrpcTestClient { authority: authority.to_owned(), ..self.clone() }
    }

    /// Send these bytes as a body.
    pub(crate) async fn raw(&self, path: &str, body: Bytes) -> axum::http::Response<Incoming> {
        let request = Request::post(format!("http://{}{path}", self.authority)).version(Version::HTTP_2);
        let mut request = request.header("te", "trailers");
        if !self.metadata.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/grpc");
        }
        for (name, value) in &self.metadata {
            request = request.header(*name, value);
        }
        self.send.clone().send_request(request.body(Full::new(body)).unwrap()).await.unwrap()
    }

    /// Begin a call.
    pub(crate) async fn begin(&self, method: &str, request: &Value) -> GrpcCall {
        let service = self.pool.get_service_by_name(&format!("{}.A2AService", self.package)).unwrap();
        let method = service.methods().find(|known| known.name() == method).expect("the service has the method");
        let message = DynamicMessage::deserialize(method.input(), request).expect("the request fits");
        let path = format!("/{}/{}", service.full_name(), method.name());
        let response = self.raw(&path, framed(0, &message.encode_to_vec())).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "application/grpc");
        let (parts, body) = response.into_parts();
        GrpcCall {
            pool: self.pool.clone(),
            output: method.output().full_name().to_owned(),
            head: parts.headers,
            body,
            rest: BytesMut::new(),
            trailers: None,
        }
    }

    /// Call, for one answer.
    pub(crate) async fn call(&self, method: &str, request: Value) -> Result<Value, GrpcFailure> {
        let mut call = self.begin(method, &request).await;
        let answer = call.next().await?;
        if answer.is_some() {
            assert_eq!(call.next().await?, None, "one answer only");
        }
        Ok(answer.expect("one answer"))
    }
}

/// A call being answered.
pub(crate) struct GrpcCall {
    pool: DescriptorPool,
    output: String,
    pub(crate) head: HeaderMap,
    body: Incoming,
    rest: BytesMut,
    trailers: Option<HeaderMap>,
}

impl GrpcCall {
    /// The next message; `None` at a good end.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>, GrpcFailure> {
        loop {
            if let Some(message) = self.whole() {
                let descriptor = self.pool.get_message_by_name(&self.output).unwrap();
                let message = DynamicMessage::decode(descriptor, message).expect("the answer fits");
                let json = message.serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new());
                return Ok(Some(whole(json.unwrap())));
            }
            match self.body.frame().await {
                Some(frame) => {
                    let frame = frame.expect("the connection lasts");
                    match frame.into_data() {
                        Ok(data) => self.rest.put(data),
                        Err(frame) => self.trailers = frame.into_trailers().ok(),
                    }
                }
                None => {
                    assert!(self.rest.is_empty(), "no half message");
                    let trailers = self.trailers.as_ref().unwrap_or(&self.head);
                    return failure(&self.pool, trailers).map_or(Ok(None), Err);
                }
            }
        }
    }

    /// All that is left, up to a good end.
    pub(crate) async fn all(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(message) = self.next().await.expect("it ends well") {
            all.push(message);
        }
        all
    }

    fn whole(&mut self) -> Option<Bytes> {
        let length = self.rest.get(1..5)?.get_u32() as usize;
        if self.rest.len() < 5 + length {
            return None;
        }
        assert_eq!(self.rest[0], 0, "nothing is compressed");
        self.rest.advance(5);
        Some(self.rest.split_to(length).freeze())
    }
}

/// A body of one message.
pub(crate) fn framed(flag: u8, message: &[u8]) -> Bytes {
    let mut body = BytesMut::new();
    body.put_u8(flag);
    body.put_u32(u32::try_from(message.len()).unwrap());
    body.put_slice(message);
    body.freeze()
}

/// The status that is all of an answer.
pub(crate) fn status_of(response: &axum::http::Response<Incoming>) -> (u16, Option<&str>) {
    (response.status().as_u16(), response.headers().get("grpc-status").and_then(|code| code.to_str().ok()))
}

fn failure(pool: &DescriptorPool, trailers: &HeaderMap) -> Option<GrpcFailure> {
    let code = trailers["grpc-status"].to_str().unwrap().parse().unwrap();
    if code == 0 {
        return None;
    }
    let message = trailers.get("grpc-message").map(|message| message.to_str().unwrap().to_owned()).unwrap_or_default();
    let Some(details) = trailers.get("grpc-status-details-bin") else {
        return Some(GrpcFailure { code, message, reasons: Vec::new() });
    };
    let details = STANDARD_NO_PAD.decode(details.as_bytes()).unwrap();
    let descriptor = pool.get_message_by_name("google.rpc.Status").unwrap();
    let status = DynamicMessage::decode(descriptor, &details[..]).unwrap();
    let status = serde_json::to_value(&status).unwrap();
    assert_eq!(status["code"], json!(code));
    let text = |info: &Value, name: &str| info[name].as_str().unwrap().to_owned();
    let infos = status["details"].as_array().into_iter().flatten();
    let reasons = infos.map(|info| (text(info, "domain"), text(info, "reason"))).collect();
    Some(GrpcFailure { code, message, reasons })
}

/// Whole numbers as JSON has them.
fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|double| double.fract() == 0.0) {
            Some(double) => json!(double as i64),
            None => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        value @ (Value::Null | Value::Bool(_) | Value::String(_)) => value,
    }
}
