//! The gate over real sockets: every rule with its exact status, and the requests that must go on working.

pub(crate) mod gate_server;

use gate_server::{GateTestServer, TOKEN, settings};
use pollux_server::gate::{AuthenticationPolicy, DescendantPolicy, GateSettings};
use pollux_server::listen::ListenerLimits;
use pretty_assertions::assert_eq;

/// The upgrade as wscat sends it: neither `Origin` nor `User-Agent`.
const WSCAT: &str = "GET /ws HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n";

async fn check(server: &GateTestServer, request: &str, status: u16, code: &str) {
    let reply = server.ask(request).await;
    assert_eq!((reply.status, reply.code().as_str()), (status, code), "{request}");
    assert_eq!(reply.header("access-control-allow-origin"), None, "{request}");
}

/// A GET of a path that needs an identity, with these header lines.
fn get(headers: &[&str]) -> String {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("GET /who HTTP/1.1\r\n{lines}Connection: close\r\n\r\n")
}

fn post(path: &str, headers: &[&str], body: &str) -> String {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("POST {path} HTTP/1.1\r\nHost: HOST\r\n{lines}Connection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn curl_reads_the_card() {
    let server = GateTestServer::start().await;
    let mut client = server.connect().await;
    let curl = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost:PORT\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";
    client.send(curl).await;
    let reply = client.reply().await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "card"));
}

#[tokio::test]
async fn curl_of_the_same_user_is_the_local_user() {
    let server = GateTestServer::start().await;
    let reply = server.ask(&get(&["Host: HOST", "User-Agent: curl/7.88.1", "Accept: */*"])).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "me local [A2A curl]"));
}

#[tokio::test]
async fn wscat_is_upgraded() {
    let server = GateTestServer::start().await;
    let mut client = server.connect().await;
    client.send(&format!("{WSCAT}Host: localhost:PORT\r\n\r\n")).await;
    assert_eq!(client.reply().await.status, 101);
}

#[tokio::test]
async fn node_fetch_is_no_page() {
    let server = GateTestServer::start().await;
    check(&server, &get(&["Host: HOST", "sec-fetch-mode: cors", "user-agent: node"]), 200, "").await;
}

#[tokio::test]
async fn exactly_one_host() {
    let server = GateTestServer::start().await;
    for headers in [&[][..], &["Host: HOST", "Host: HOST"], &["Host: HOST", "Host: evil.test"], &["Host:"]] {
        let (status, code) = if headers == ["Host:"] { (421, "host_not_served") } else { (400, "malformed_request") };
        check(&server, &get(headers), status, code).await;
    }
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn only_its_own_hosts() {
    let server = GateTestServer::start().await;
    let served = [
        "HOST",
        "localhost:PORT",
        "LocalHost:PORT",
        "[::1]:PORT",
        "127.0.0.1:PORT",
        "pollux.example",
        "Pollux.Example",
    ];
    for host in served {
        check(&server, &get(&[&format!("Host: {host}")]), 200, "").await;
    }
    let refused = [
        "evil.test:PORT",
        "evil.test",
        "localhost",
        "localhost:1",
        "localhost.:PORT",
        "127.0.0.1",
        "127.0.0.1.:PORT",
        "127.1:PORT",
        "0.0.0.0:PORT",
        "localhost:PORT.evil.test",
        "pollux.example:PORT",
        "pollux.example.",
    ];
    for host in refused {
        check(&server, &get(&[&format!("Host: {host}")]), 421, "host_not_served").await;
    }
    assert_eq!(server.reached(), served.len());
}

#[tokio::test]
async fn public_paths_need_no_identity_but_the_right_host() {
    let server = GateTestServer::with(
        GateSettings { authentication: AuthenticationPolicy::TokenOnly, ..settings() },
        ListenerLimits::default(),
    )
    .await;
    for path in ["/health", "/.well-known/agent-card.json"] {
        let request =
            |method: &str, headers: &str| format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        check(&server, &request("GET", "Host: HOST\r\n"), 200, "").await;
        check(&server, &request("HEAD", "Host: HOST\r\n"), 200, "").await;
        check(&server, &request("GET", "Host: evil.test:PORT\r\n"), 421, "host_not_served").await;
        check(&server, &request("GET", "Host: HOST\r\nOrigin: https://evil.test\r\n"), 403, "origin_not_allowed").await;
        check(&server, &request("DELETE", "Host: HOST\r\n"), 401, "unauthenticated").await;
    }
    check(&server, "GET /health/ HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 401, "unauthenticated").await;
}

#[tokio::test]
async fn strict_http() {
    let server = GateTestServer::start().await;
    let malformed = [
        "CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "TRACE /who HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET http://evil.test/who HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET http://user@HOST/who HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET /who HTTP/1.1\nHost: HOST\r\n\r\n",
        "GET /who HTTP/1.1\r\nHost: HOST\n\n",
        "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n",
    ];
    for request in malformed {
        check(&server, request, 400, "malformed_request").await;
    }
    check(&server, "GET /who HTTP/1.0\r\nHost: HOST\r\n\r\n", 505, "http_version").await;
    // These the parser refuses by itself, without a body.
    check(&server, "GET /who HTTP/1.1\r\nHost : HOST\r\n\r\n", 400, "").await;
    check(&server, "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400, "").await;
    check(&server, "GET  /who HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, "").await;
    assert_eq!(server.reached(), 0);
    check(&server, "GET http://HOST/who HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n", 200, "").await;
}

#[tokio::test]
async fn the_second_request_of_a_connection_is_watched_too() {
    let server = GateTestServer::start().await;
    let mut client = server.connect().await;
    client.send("POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}").await;
    assert_eq!(client.reply().await.body, "2");
    let both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n";
    client
        .send(&format!("POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n{both}\r\n0\r\n\r\n"))
        .await;
    let reply = client.reply_to_end().await;
    assert_eq!((reply.status, reply.header("connection")), (400, Some("close")));
    assert_eq!(server.reached(), 1);
}

#[tokio::test]
async fn nothing_follows_a_chunked_body() {
    let server = GateTestServer::start().await;
    let chunked = "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let smuggled = "GET /who HTTP/1.1\r\nHost: HOST\r\n\r\n";
    let reply = server.ask(&format!("{chunked}{smuggled}")).await;
    assert_eq!((reply.status, reply.body.as_str(), reply.header("connection")), (200, "2", Some("close")));
    assert_eq!(server.reached(), 1);
}

#[tokio::test]
async fn only_listed_origins() {
    let server = GateTestServer::start().await;
    let bearer = format!("Authorization: Bearer {TOKEN}");
    for origin in ["http://HOST", "http://localhost:PORT", "http://[::1]:PORT", "https://pollux.example"] {
        check(&server, &get(&["Host: HOST", &format!("Origin: {origin}"), &bearer]), 200, "").await;
    }
    let foreign = [
        "null",
        "https://evil.test",
        "http://localhost",
        "http://localhost:3000",
        "http://LOCALHOST:PORT",
        "http://HOST/",
        "https://HOST",
        "http://HOST.evil.test",
        "",
    ];
    for origin in foreign {
        check(&server, &get(&["Host: HOST", &format!("Origin: {origin}"), &bearer]), 403, "origin_not_allowed").await;
    }
    let twice = get(&["Host: HOST", "Origin: http://HOST", "Origin: http://HOST", &bearer]);
    check(&server, &twice, 403, "origin_not_allowed").await;
    // A preflight gets no permission either.
    let preflight =
        "OPTIONS / HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.test\r\nAccess-Control-Request-Method: POST\r\n\r\n";
    check(&server, preflight, 403, "origin_not_allowed").await;
}

#[tokio::test]
async fn no_request_of_another_site() {
    let server = GateTestServer::start().await;
    let bearer = format!("Authorization: Bearer {TOKEN}");
    for site in ["cross-site", "same-site", "", "Cross-Site", "anything"] {
        check(&server, &get(&["Host: HOST", &format!("Sec-Fetch-Site: {site}"), &bearer]), 403, "cross_site").await;
    }
    for site in ["same-origin", "none"] {
        check(&server, &get(&["Host: HOST", &format!("Sec-Fetch-Site: {site}"), &bearer]), 200, "").await;
    }
}

#[tokio::test]
async fn a_page_needs_the_token() {
    let server = GateTestServer::start().await;
    check(&server, &get(&["Host: HOST", "Origin: http://HOST"]), 401, "unauthenticated").await;
    check(&server, &get(&["Host: HOST", "Sec-Fetch-Site: same-origin"]), 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_posted_body_is_json() {
    let server = GateTestServer::start().await;
    let json = [
        "application/json",
        "application/a2a+json",
        "Application/JSON; charset=utf-8",
        "application/json ;charset=utf-8",
    ];
    for media in json {
        check(&server, &post("/", &[&format!("Content-Type: {media}"), "Content-Length: 2"], "{}"), 200, "").await;
    }
    let other =
        ["text/plain", "application/x-www-form-urlencoded", "text/plain; application/json", "application/jsonp", ""];
    for media in other {
        let request = post("/", &[&format!("Content-Type: {media}"), "Content-Length: 2"], "{}");
        check(&server, &request, 415, "-32005").await;
    }
    check(&server, &post("/", &["Content-Length: 2"], "{}"), 415, "-32005").await;
    check(&server, &post("/tasks", &["Content-Length: 2"], "{}"), 415, "content_type").await;
    check(&server, &post("/", &["Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"), 415, "-32005").await;
    let two = post("/", &["Content-Type: application/json", "Content-Type: text/plain", "Content-Length: 2"], "{}");
    check(&server, &two, 415, "-32005").await;
}

#[tokio::test]
async fn a_post_without_a_body_is_taken_where_the_address_says_it_all() {
    let server = GateTestServer::start().await;
    check(&server, &post("/tasks", &[], ""), 200, "").await;
    check(&server, &post("/tasks", &["Content-Length: 0"], ""), 200, "").await;
    // The address says it all; that there is nothing is the router's answer.
    for path in ["/v1/tasks/x:cancel", "/a2a/v1/tasks/x:subscribe"] {
        assert_eq!(server.ask(&post(path, &["Content-Length: 0"], "")).await.status, 404);
    }
    check(&server, &post("/message/stream", &[], ""), 400, "body_missing").await;
}

#[tokio::test]
async fn json_rpc_is_answered_in_its_own_words() {
    let server = GateTestServer::start().await;
    for headers in [&[][..], &["Content-Type: application/json", "Content-Length: 0"]] {
        let reply = server.ask(&post("/", headers, "")).await;
        let body: serde_json::Value = serde_json::from_str(&reply.body).unwrap_or_default();
        assert_eq!((reply.status, &body["error"]["code"]), (400, &serde_json::json!(-32700)));
        assert_eq!((&body["jsonrpc"], body.get("id")), (&serde_json::json!("2.0"), Some(&serde_json::Value::Null)));
        assert_eq!(body["error"]["data"][0]["reason"], "INVALID_REQUEST");
    }
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn http_json_is_answered_in_its_own_media_type() {
    let server = GateTestServer::with(settings(), ListenerLimits { body: 100, ..ListenerLimits::default() }).await;
    let large = "x".repeat(101);
    let chunked = format!("65\r\n{large}\r\n0\r\n\r\n");
    let json = "Content-Type: application/json";
    for (path, media) in [("/a2a/v1/message:send", "application/a2a+json"), ("/v1/message:send", "application/json")] {
        for (headers, body, status) in [
            (&["Content-Type: text/plain", "Content-Length: 2"][..], "{}", 415),
            (&[json, "Content-Length: 101"], &large, 413),
            (&[json, "Transfer-Encoding: chunked"], &chunked, 413),
        ] {
            let reply = server.ask(&post(path, headers, body)).await;
            assert_eq!((reply.status, reply.header("content-type")), (status, Some(media)), "{path} {headers:?}");
            let said: serde_json::Value = serde_json::from_str(&reply.body).unwrap_or_default();
            let code = if path.starts_with("/a2a") { &said["error"]["code"] } else { &said["code"] };
            assert!(code.is_i64(), "{said}");
        }
    }
}

#[tokio::test]
async fn the_token_proves_its_bearer() {
    let server = GateTestServer::start().await;
    for scheme in ["Bearer", "bearer"] {
        let reply = server.ask(&get(&["Host: HOST", &format!("Authorization: {scheme} {TOKEN}")])).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, "me token [A2A]"));
    }
}

#[tokio::test]
async fn a_wrong_token_is_refused_even_from_the_local_user() {
    let server = GateTestServer::start().await;
    let (short, long) = (&TOKEN[1..], format!("{TOKEN}0"));
    let twice = format!("Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}");
    for value in [
        "Bearer wrong",
        "Bearer",
        "Basic bWU6bWU=",
        TOKEN,
        "",
        &format!("Bearer {short}"),
        &format!("Bearer {long}"),
        &twice,
    ] {
        let request = get(&["Host: HOST", &format!("Authorization: {value}")]);
        let reply = server.ask(&request).await;
        let challenge = Some(r#"Bearer realm="pollux", error="invalid_token""#);
        assert_eq!((reply.status, reply.header("www-authenticate")), (401, challenge), "{value}");
    }
    assert_eq!(server.reached(), 0);
}

/// Loopback alone proves nothing: whoever runs the server is known without a token, and nobody else.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn another_user_of_this_machine_needs_the_token() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // Only a child of the test can become another user.
    let with_children = GateSettings { descendants: DescendantPolicy::Served, ..settings() };
    let server = GateTestServer::with(with_children, ListenerLimits::default()).await;
    let address = server.addr.to_string();
    for (authorization, status) in [(String::new(), "401"), (format!("Authorization: Bearer {TOKEN}\r\n"), "200")] {
        let ask = format!(
            "import os, socket\nos.setuid(65534)\npeer = socket.socket()\npeer.connect(('127.0.0.1', {}))\n\
             peer.sendall({:?}.encode())\nprint(peer.recv(4096).split()[1].decode())",
            server.addr.port(),
            format!("GET /who HTTP/1.1\r\nHost: {address}\r\n{authorization}Connection: close\r\n\r\n"),
        );
        #[expect(clippy::disallowed_methods, reason = "only another process can be another user")]
        let told = tokio::process::Command::new("python3").args(["-c", &ask]).output().await.unwrap();
        assert_eq!(String::from_utf8(told.stdout).unwrap().trim_end(), status, "{ask}");
    }
}

#[tokio::test]
async fn token_only_refuses_the_local_user() {
    let only = GateSettings { authentication: AuthenticationPolicy::TokenOnly, ..settings() };
    let server = GateTestServer::with(only, ListenerLimits::default()).await;
    let reply = server.ask(&get(&["Host: HOST"])).await;
    assert_eq!((reply.status, reply.header("www-authenticate")), (401, Some(r#"Bearer realm="pollux""#)));
    // Being the user who runs it would not help, so the answer does not advise it.
    let why = "only the server's token counts here, whoever connects: send it as authorization: bearer; it is in the \
               server's token or discovery file";
    let body: serde_json::Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(body["error"]["message"], why);
    let reply = server.ask(&get(&["Host: HOST", &format!("Authorization: Bearer {TOKEN}")])).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn without_a_token_of_its_own_no_token_is_right() {
    let server = GateTestServer::with(GateSettings { token: None, ..settings() }, ListenerLimits::default()).await;
    check(&server, &get(&["Host: HOST", &format!("Authorization: Bearer {TOKEN}")]), 401, "unauthenticated").await;
    check(&server, &get(&["Host: HOST"]), 200, "").await;
}

#[tokio::test]
async fn a_page_brings_the_token_as_a_subprotocol() {
    let server = GateTestServer::start().await;
    let mut client = server.connect().await;
    let page = format!(
        "Host: HOST\r\nOrigin: http://HOST\r\nSec-WebSocket-Protocol: pollux.seat.v1, pollux.bearer.{TOKEN}\r\n"
    );
    client.send(&format!("{WSCAT}{page}\r\n")).await;
    let reply = client.reply().await;
    assert_eq!((reply.status, reply.header("sec-websocket-protocol")), (101, None));
    let elsewhere =
        get(&["Host: HOST", "Origin: http://HOST", &format!("Sec-WebSocket-Protocol: pollux.bearer.{TOKEN}")]);
    check(&server, &elsewhere, 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_denied_upgrade_is_never_switched() {
    let server = GateTestServer::start().await;
    let denied = [
        ("Host: evil.test:PORT\r\n", 421),
        ("", 400),
        ("Host: HOST\r\nOrigin: https://evil.test\r\n", 403),
        ("Host: HOST\r\nOrigin: null\r\n", 403),
        ("Host: HOST\r\nOrigin: http://HOST\r\n", 401),
        ("Host: HOST\r\nSec-Fetch-Site: cross-site\r\n", 403),
        ("Host: HOST\r\nAuthorization: Bearer wrong\r\n", 401),
        ("Host: HOST\r\nSec-WebSocket-Protocol: pollux.bearer.wrong\r\n", 401),
    ];
    for (headers, status) in denied {
        let reply = server.ask(&format!("{WSCAT}{headers}\r\n")).await;
        assert_eq!((reply.status, reply.header("upgrade")), (status, None), "{headers}");
    }
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn credentials_stay_at_the_gate() {
    let server = GateTestServer::start().await;
    let request = format!(
        "GET /headers HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer {TOKEN}\r\nSec-WebSocket-Protocol: a, pollux.bearer.{TOKEN}\r\nSec-WebSocket-Protocol: b\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(server.ask(&request).await.body, r#"[None, Some("a, b")]"#);
}

#[tokio::test]
async fn a_client_is_called_what_it_says_within_reason() {
    let server = GateTestServer::start().await;
    let long = "x".repeat(60);
    let names = [
        ("X-Client-Name: zed\r\nUser-Agent: node", "A2A zed".to_owned()),
        ("X-Client-Name:  \r\nUser-Agent: node", "A2A node".to_owned()),
        ("X-Client-Name: two  words", "A2A two words".to_owned()),
        ("X-Client-Name: a\u{202e}b<script>", "A2A abscript".to_owned()),
        (&format!("X-Client-Name: {long}"), format!("A2A {}", &long[..40])),
        ("User-Agent: Python/3.11 aiohttp/3.9", "A2A Python".to_owned()),
        ("Accept: */*", "A2A".to_owned()),
    ];
    for (headers, label) in names {
        let reply = server.ask(&get(&["Host: HOST", headers])).await;
        assert_eq!(reply.body, format!("me local [{label}]"));
    }
}

#[tokio::test]
async fn wrong_tokens_are_slowed_and_the_right_one_is_not() {
    let server = GateTestServer::start().await;
    let wrong = get(&["Host: HOST", "Authorization: Bearer wrong"]);
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let reply = server.ask(&wrong).await;
        if reply.status == 429 {
            let seconds: u32 = reply.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=4).contains(&seconds), "{seconds}");
            assert_eq!(reply.code(), "too_many_attempts");
        }
        statuses.push(reply.status);
    }
    assert_eq!(statuses[..20], [401; 20]);
    assert!(statuses[20..].contains(&429), "{statuses:?}");
    // Neither the token nor the local user is slowed by that, although they are at the same address.
    check(&server, &get(&["Host: HOST", &format!("Authorization: Bearer {TOKEN}")]), 200, "").await;
    check(&server, &get(&["Host: HOST"]), 200, "").await;
}

#[tokio::test]
async fn an_encoded_body_is_refused_with_what_is_read() {
    let server = GateTestServer::start().await;
    for encoding in ["gzip", "br", "deflate", "identity, gzip", "made-up", ""] {
        let headers = ["Content-Type: application/json", &format!("Content-Encoding: {encoding}"), "Content-Length: 2"];
        let reply = server.ask(&post("/", &headers, "{}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (415, "content_encoding"), "{encoding}");
        assert_eq!(reply.header("accept-encoding"), Some("identity"));
    }
    let plain = ["Content-Type: application/json", "Content-Encoding: Identity", "Content-Length: 2"];
    check(&server, &post("/", &plain, "{}"), 200, "").await;
    assert_eq!(server.reached(), 1);
}

#[tokio::test]
async fn every_response_is_kept_from_other_pages() {
    let server = GateTestServer::start().await;
    let requests = [
        get(&["Host: HOST"]),
        get(&["Host: evil.test"]),
        get(&["Host: HOST", "Origin: https://evil.test"]),
        get(&["Host: HOST", "Authorization: Bearer wrong"]),
        post("/", &["Content-Type: text/plain", "Content-Length: 2"], "{}"),
        "GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n".to_owned(),
        "GET /nowhere HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n".to_owned(),
        format!("{WSCAT}Host: HOST\r\n\r\n"),
    ];
    for request in requests {
        let mut client = server.connect().await;
        client.send(&request).await;
        let reply = client.reply().await;
        let found =
            ["x-content-type-options", "cross-origin-resource-policy", "cache-control", "content-security-policy"]
                .map(|name| reply.header(name).unwrap_or_default().to_owned());
        assert_eq!(found, ["nosniff", "same-origin", "no-store", "frame-ancestors 'none'"], "{request}");
    }
}
