//! Google's object storage on loopback, as far as a client of its XML interface needs it: objects with generations and
//! preconditions, listings in pages, and whatever can go wrong on the way.

use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
pub use axum::http::Method;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use futures_util::stream;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The keys on one page of a listing: few, so that tests see more than one.
const PAGE: usize = 5;
/// When everything was last changed. Nobody looks at it.
const CHANGED: &str = "Sun, 15 Nov 2026 12:00:00 GMT";

/// The server. It stops when it is dropped.
pub struct FakeGcs {
    /// The value for `STORAGE_EMULATOR_HOST`.
    pub address: String,
    state: Arc<BucketState>,
    server: JoinHandle<()>,
}

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// It is answered with this status and nothing is done.
    Status(u16),
    /// It is done, but the answer never comes: the connection breaks.
    LostAnswer,
    /// It is answered late.
    Slow(Duration),
    /// The answer breaks off in the middle.
    Cut,
}

#[derive(Default)]
struct BucketState {
    objects: Mutex<BTreeMap<String, (u64, Bytes)>>,
    mishaps: Mutex<VecDeque<(Method, InjectedFault)>>,
    denied: Mutex<bool>,
    requests: Mutex<Vec<(Method, String)>>,
}

impl FakeGcs {
    /// Serve any bucket, all of them empty.
    pub async fn start() -> anyhow::Result<FakeGcs> {
        let shelf = Arc::new(BucketState::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.context("binding a loopback port")?;
        let address = format!("http://{}", listener.local_addr()?);
        let router = Router::new().fallback(answer).with_state(shelf.clone());
        let server = tokio::spawn(async move {
            // It ends when the test drops the server; there is nobody left to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(FakeGcs { address, state: shelf, server })
    }

    /// Let `mishap` happen to the next request with `method`.
    pub fn inject_fault(&self, method: Method, mishap: InjectedFault) {
        self.state.mishaps.lock().push_back((method, mishap));
    }

    /// Let nothing more happen that was to.
    pub fn clear_faults(&self) {
        self.state.mishaps.lock().clear();
    }

    /// Refuse everything from now on as Google refuses bad credentials, or no longer.
    pub fn deny(&self, denied: bool) {
        *self.state.denied.lock() = denied;
    }

    /// The keys that are there, with the bucket's name before them.
    pub fn keys(&self) -> Vec<String> {
        self.state.objects.lock().keys().cloned().collect()
    }

    /// The requests so far: methods and paths.
    pub fn requests(&self) -> Vec<(Method, String)> {
        self.state.requests.lock().clone()
    }
}

impl Drop for FakeGcs {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(
    State(shelf): State<Arc<BucketState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let key = percent_decoded(uri.path().trim_start_matches('/'));
    shelf.requests.lock().push((method.clone(), key.clone()));
    if *shelf.denied.lock() {
        return plain(StatusCode::FORBIDDEN, "<Error><Code>AccessDenied</Code></Error>");
    }
    let mishap = {
        let mut waiting = shelf.mishaps.lock();
        let place = waiting.iter().position(|(of, _)| *of == method);
        place.and_then(|place| waiting.remove(place)).map(|(_, mishap)| mishap)
    };
    match mishap {
        Some(InjectedFault::Status(status)) => {
            return plain(StatusCode::from_u16(status).unwrap_or(StatusCode::IM_A_TEAPOT), "as prepared");
        }
        Some(InjectedFault::Slow(time)) => tokio::time::sleep(time).await,
        Some(InjectedFault::LostAnswer | InjectedFault::Cut) | None => {}
    }
    let response = serve(&shelf, &method, &uri, key, &headers, body);
    match mishap {
        Some(InjectedFault::LostAnswer | InjectedFault::Cut) => {
            let broken = stream::iter([Err::<Bytes, _>(io::Error::other("the connection breaks, as prepared"))]);
            let (mut head, _) = response.into_parts();
            head.headers.insert("content-length", 1_000_000.into());
            Response::from_parts(head, Body::from_stream(broken))
        }
        Some(InjectedFault::Status(_) | InjectedFault::Slow(_)) | None => response,
    }
}

fn serve(
    shelf: &BucketState,
    method: &Method,
    uri: &Uri,
    key: String,
    headers: &HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut objects = shelf.objects.lock();
    match *method {
        Method::PUT => {
            let found = objects.get(&key).map_or(0, |(generation, _)| *generation);
            let wanted = headers.get("x-goog-if-generation-match").and_then(|value| value.to_str().ok());
            if wanted.is_some_and(|wanted| wanted != found.to_string()) {
                return plain(StatusCode::PRECONDITION_FAILED, "<Error><Code>PreconditionFailed</Code></Error>");
            }
            objects.insert(key, (found + 1, body));
            with_tag(StatusCode::OK, found + 1, Body::empty())
        }
        Method::GET if !key.contains('/') => list(&objects, &key, uri.query().unwrap_or_default()),
        Method::GET | Method::HEAD => match objects.get(&key) {
            None => plain(StatusCode::NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>"),
            Some((generation, bytes)) => {
                let mut response = with_tag(StatusCode::OK, *generation, Body::from(bytes.clone()));
                response.headers_mut().insert("content-length", bytes.len().into());
                response
            }
        },
        Method::DELETE => match objects.remove(&key) {
            None => plain(StatusCode::NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>"),
            Some(_) => plain(StatusCode::NO_CONTENT, ""),
        },
        _ => plain(StatusCode::METHOD_NOT_ALLOWED, "not built"),
    }
}

fn list(objects: &BTreeMap<String, (u64, Bytes)>, bucket: &str, query: &str) -> Response<Body> {
    let parameter = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| percent_decoded(value)).unwrap_or_default()
    };
    let (prefix, after) = (format!("{bucket}/{}", parameter("prefix")), parameter("continuation-token"));
    let mut found = objects.iter().filter(|(key, _)| key.starts_with(&prefix) && **key > after);
    let page: Vec<_> = found.by_ref().take(PAGE).collect();
    let more = found.next().is_some();
    let mut xml = String::from("<?xml version=\"1.0\"?><ListBucketResult>");
    for (key, (generation, bytes)) in &page {
        let name = key.strip_prefix(&format!("{bucket}/")).unwrap_or(key);
        xml.push_str(&format!(
            "<Contents><Key>{name}</Key><LastModified>2026-11-15T12:00:00.000Z</LastModified>\
             <ETag>\"{generation}\"</ETag><Size>{}</Size></Contents>",
            bytes.len()
        ));
    }
    if let Some((last, _)) = page.last().filter(|_| more) {
        xml.push_str(&format!("<NextContinuationToken>{last}</NextContinuationToken>"));
    }
    xml.push_str("</ListBucketResult>");
    plain(StatusCode::OK, &xml)
}

fn with_tag(status: StatusCode, generation: u64, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        ("etag", format!("\"{generation}\"")),
        ("x-goog-generation", generation.to_string()),
        ("last-modified", CHANGED.into()),
    ] {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn plain(status: StatusCode, body: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = status;
    response
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        match byte {
            b'%' => bytes.extend(digit().zip(digit()).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())),
            b'+' => bytes.push(b' '),
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
