//! A server that wants a token, an authorization server, and a browser.

use crate::mcp::http::{LocalHttpServer, answer, listen};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The flaw of the servers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OauthFlaw {
    None,
    /// Tokens last no time at all.
    ShortTokens,
    /// Nobody is registered, and a client's secret goes into a header.
    NoRegistration,
    /// The server does not say who gives out its tokens.
    Mute,
    NoPkce,
    WrongIssuer,
    WrongResource,
}

pub(crate) struct TestOauthServers {
    server: LocalHttpServer,
    provider: LocalHttpServer,
    state: Arc<OauthServerState>,
}

struct OauthServerState {
    flaw: OauthFlaw,
    provider: OnceLock<String>,
    records: Mutex<OauthRecords>,
}

#[derive(Default)]
struct OauthRecords {
    /// The requests that the person agreed to, by code.
    codes: BTreeMap<String, BTreeMap<String, String>>,
    registered: usize,
    given: usize,
    access: BTreeSet<String>,
    refresh: BTreeSet<String>,
    /// The tokens that the server was shown, in order.
    shown: Vec<Option<String>>,
    /// The login of a client with a secret.
    login: Option<String>,
}

impl TestOauthServers {
    pub(crate) async fn start(flaw: OauthFlaw) -> TestOauthServers {
        let books = Arc::new(OauthServerState { flaw, provider: OnceLock::new(), records: Mutex::default() });
        let provider = Router::new()
            .route("/.well-known/oauth-authorization-server", get(describe_provider))
            .route("/register", post(register))
            .route("/token", post(give_token));
        let provider = listen(provider.with_state(books.clone())).await;
        books.provider.set(provider.origin.clone()).unwrap();
        let server = Router::new()
            .route("/.well-known/oauth-protected-resource/mcp", get(describe_server))
            .route("/mcp", post(serve));
        let server = listen(server.with_state(books.clone())).await;
        TestOauthServers { server, provider, state: books }
    }

    pub(crate) fn server(&self) -> String {
        format!("{}/mcp", self.server.origin)
    }

    pub(crate) fn provider(&self) -> String {
        self.provider.origin.clone()
    }

    /// The tokens that the server was shown by everybody who came.
    pub(crate) fn shown_tokens(&self) -> Vec<Option<String>> {
        self.state.records.lock().shown.clone()
    }

    pub(crate) fn login(&self) -> Option<String> {
        self.state.records.lock().login.clone()
    }

    /// The person opens `url` and agrees: where their browser is sent.
    pub(crate) fn agree(&self, url: &str) -> String {
        assert!(url.starts_with(&format!("{}/authorize?", self.provider.origin)), "{url}");
        let asked = parse_query(url);
        let answer = format!("{}?code=good&state={}", asked["redirect_uri"], asked["state"]);
        self.state.records.lock().codes.insert("good".into(), asked);
        answer
    }

    pub(crate) fn revoke_access(&self) {
        self.state.records.lock().access.clear();
    }

    pub(crate) fn revoke_everything(&self) {
        let mut written = self.state.records.lock();
        written.access.clear();
        written.refresh.clear();
    }
}

/// The query of an address.
pub(crate) fn parse_query(url: &str) -> BTreeMap<String, String> {
    Url::parse(url).unwrap().query_pairs().map(|(name, value)| (name.into(), value.into())).collect()
}

/// The answer to a browser at an address of this machine: the status and the page.
pub(crate) async fn browse(url: &str) -> (u16, String) {
    let url = Url::parse(url).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", url.port().unwrap())).await.unwrap();
    let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: here\r\n\r\n").as_bytes()).await.unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).await.unwrap();
    (page.split(' ').nth(1).unwrap().parse().unwrap(), page)
}

fn origin(headers: &HeaderMap) -> String {
    format!("http://{}", headers["host"].to_str().unwrap())
}

async fn describe_server(State(books): State<Arc<OauthServerState>>, headers: HeaderMap) -> Response {
    let resource = match books.flaw {
        OauthFlaw::Mute => return StatusCode::NOT_FOUND.into_response(),
        OauthFlaw::WrongResource => "https://bank.example/mcp".to_owned(),
        _ => format!("{}/mcp", origin(&headers)),
    };
    let provider = books.provider.get().unwrap();
    json!({ "resource": resource, "authorization_servers": [provider] }).to_string().into_response()
}

async fn describe_provider(State(books): State<Arc<OauthServerState>>, headers: HeaderMap) -> String {
    let origin = origin(&headers);
    let issuer = if books.flaw == OauthFlaw::WrongIssuer { "https://bank.example".to_owned() } else { origin.clone() };
    let mut document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
        "scopes_supported": ["offline_access"],
    });
    if books.flaw != OauthFlaw::NoPkce {
        document["code_challenge_methods_supported"] = json!(["S256"]);
    }
    if books.flaw == OauthFlaw::NoRegistration {
        document["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
    } else {
        document["registration_endpoint"] = json!(format!("{origin}/register"));
    }
    document.to_string()
}

async fn register(State(books): State<Arc<OauthServerState>>, body: String) -> (StatusCode, String) {
    let asked: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&asked["token_endpoint_auth_method"], &asked["client_name"]), (&json!("none"), &json!("Pollux")));
    let mut written = books.records.lock();
    written.registered += 1;
    (StatusCode::CREATED, json!({ "client_id": format!("registered-{}", written.registered) }).to_string())
}

async fn give_token(
    State(books): State<Arc<OauthServerState>>,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, String) {
    let form = parse_query(&format!("http://x/?{body}"));
    let refuse = |about: &str| {
        let error = json!({ "error": "invalid_grant", "error_description": about });
        (StatusCode::BAD_REQUEST, error.to_string())
    };
    let mut written = books.records.lock();
    if let Some(login) = headers.get("authorization") {
        let login = login.to_str().unwrap().strip_prefix("Basic ").unwrap();
        written.login = Some(String::from_utf8(STANDARD.decode(login).unwrap()).unwrap());
    }
    match form["grant_type"].as_str() {
        "authorization_code" => {
            let Some(agreed) = written.codes.remove(&form["code"]) else { return refuse("no such code") };
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
            assert_eq!(agreed["code_challenge"], challenge);
            for name in ["redirect_uri", "resource"] {
                assert_eq!(agreed[name], form[name], "{name}");
            }
            assert!(written.login.is_some() || agreed["client_id"] == form["client_id"]);
        }
        "refresh_token" => {
            assert!(form.contains_key("resource"));
            if !written.refresh.remove(&form["refresh_token"]) {
                return refuse("no such token");
            }
        }
        other => panic!("{other}"),
    }
    written.given += 1;
    let (access, refresh) = (format!("access-{}", written.given), format!("refresh-{}", written.given));
    written.access.insert(format!("Bearer {access}"));
    written.refresh.insert(refresh.clone());
    let lasts = if books.flaw == OauthFlaw::ShortTokens { 0 } else { 3600 };
    let given =
        json!({ "token_type": "Bearer", "access_token": access, "refresh_token": refresh, "expires_in": lasts });
    (StatusCode::OK, given.to_string())
}

/// Says what it was shown, to whoever shows something good.
async fn serve(State(books): State<Arc<OauthServerState>>, headers: HeaderMap, body: String) -> Response {
    let shown = headers.get("authorization").map(|shown| shown.to_str().unwrap().to_owned());
    {
        let mut written = books.records.lock();
        written.shown.push(shown.clone());
        if !shown.as_ref().is_some_and(|shown| written.access.contains(shown)) {
            let document = format!("{}/.well-known/oauth-protected-resource/mcp", origin(&headers));
            let challenge = format!("Bearer resource_metadata=\"{document}\", scope=\"tools\"");
            return (StatusCode::UNAUTHORIZED, [("www-authenticate", challenge)]).into_response();
        }
    }
    match answer(&serde_json::from_str(&body).unwrap(), &shown.unwrap_or_default()) {
        Some(answer) => ([("content-type", "application/json")], answer.to_string()).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}
