//! Requests that are refused for their head, their route or their size, before anybody looks at what they say.

use super::case::{RefusedRequest, bare, json_post, raw, request};
use super::task_server::TaskServer;
use serde_json::json;

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Requests that are not good HTTP.
pub(crate) fn bad_heads(room: &TaskServer) -> Vec<RefusedRequest> {
    let (host, body) = (("Host", room.address()), b"{}");
    let head = |lines: &str| format!("POST / HTTP/1.1\r\nConnection: close\r\n{lines}\r\n{{}}").into_bytes();
    let own = format!("Host: {}\r\nContent-Type: application/json\r\n", room.address());
    let long = "x".repeat(20 * 1024);
    let many: Vec<(&str, &str)> = vec![("X-Many", "1"); 200];
    vec![
        raw("no host", bare("POST", "/", &[JSON], body), 400, "malformed_request", &["exactly one host header"]),
        raw("two hosts", bare("POST", "/", &[host, host, JSON], body), 400, "malformed_request", &["exactly one host"]),
        raw(
            "a foreign host",
            bare("POST", "/", &[("Host", "evil.test"), JSON], body),
            421,
            "host_not_served",
            &["127.0.0.1"],
        ),
        raw(
            "a host without its port",
            bare("POST", "/", &[("Host", "localhost"), JSON], body),
            421,
            "host_not_served",
            &["port"],
        ),
        raw(
            "a host with a dot",
            bare("GET", "/health", &[("Host", &format!("{}.", room.address()))], b""),
            421,
            "host_not_served",
            &[],
        ),
        raw(
            "another authority",
            request(room, "POST", "http://evil.test/", &[JSON], body),
            400,
            "malformed_request",
            &["different servers"],
        ),
        raw(
            "two lengths",
            head(&format!("{own}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n")),
            400,
            "malformed_request",
            &["content-length and transfer-encoding"],
        ),
        raw(
            "a bare line feed",
            head(&format!("{own}X-A: 1\nContent-Length: 2\r\n")),
            400,
            "malformed_request",
            &["crlf"],
        ),
        raw("a trace", request(room, "TRACE", "/", &[], b""), 400, "malformed_request", &["no proxy"]),
        raw(
            "a tunnel",
            bare("CONNECT", "evil.test:443", &[("Host", "evil.test:443")], b""),
            400,
            "malformed_request",
            &["no proxy"],
        ),
        // The one 5xx that is the client's doing: HTTP has no other word for it.
        raw(
            "an old version",
            format!("GET /health HTTP/1.0\r\nHost: {}\r\n\r\n", room.address()).into_bytes(),
            505,
            "http_version",
            &["http/1.1 only"],
        ),
        raw("a greeting in TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), 400, (), &[]),
        raw("a word", b"hello\r\n\r\n".to_vec(), 400, (), &[]),
        raw("a length that is none", head(&format!("{own}Content-Length: -2\r\n")), 400, (), &[]),
        raw("two different lengths", head(&format!("{own}Content-Length: 2\r\nContent-Length: 3\r\n")), 400, (), &[]),
        raw("a long header", request(room, "GET", "/health", &[("X-Long", &long)], b""), 431, (), &[]),
        raw("a long path", request(room, "GET", &format!("/{long}"), &[], b""), 431, (), &[]),
        raw("many headers", request(room, "GET", "/health", &many, b""), 431, (), &[]),
    ]
}

/// Requests of pages that may not talk to this server.
pub(crate) fn bad_pages(room: &TaskServer) -> Vec<RefusedRequest> {
    let post = |headers: &[(&str, &str)]| request(room, "POST", "/", &[&[JSON], headers].concat(), b"{}");
    let own = format!("http://{}", room.address());
    let socket = [("Upgrade", "websocket"), ("Origin", "https://evil.test")];
    vec![
        raw("a foreign origin", post(&[("Origin", "https://evil.test")]), 403, "origin_not_allowed", &["may not talk"]),
        raw("no origin in particular", post(&[("Origin", "null")]), 403, "origin_not_allowed", &["may not talk"]),
        raw("two origins", post(&[("Origin", &own), ("Origin", &own)]), 403, "origin_not_allowed", &[]),
        raw("another port", post(&[("Origin", "http://127.0.0.1:1")]), 403, "origin_not_allowed", &[]),
        raw("another site", post(&[("Sec-Fetch-Site", "cross-site")]), 403, "cross_site", &["another site"]),
        raw("a neighbour", post(&[("Sec-Fetch-Site", "same-site")]), 403, "cross_site", &["another site"]),
        raw(
            "its own page without the token",
            post(&[("Origin", &own)]),
            401,
            "unauthenticated",
            &["a browser needs the server's token"],
        ),
        raw("a foreign socket", request(room, "GET", "/ws", &socket, b""), 403, "origin_not_allowed", &[]),
        raw(
            "a wrong token",
            post(&[("Authorization", "Bearer wrong")]),
            401,
            "unauthenticated",
            &["not the server's token"],
        ),
        raw(
            "no bearer",
            post(&[("Authorization", "Basic dXNlcjpwYXNz")]),
            401,
            "unauthenticated",
            &["not the server's token"],
        ),
        raw(
            "two tokens",
            post(&[("Authorization", "Bearer a"), ("Authorization", "Bearer b")]),
            401,
            "unauthenticated",
            &[],
        ),
    ]
}

/// Bodies of the wrong kind, and of the wrong size.
pub(crate) fn bad_bodies(room: &TaskServer) -> Vec<RefusedRequest> {
    let typed = |kind: &str| request(room, "POST", "/", &[("Content-Type", kind)], b"{}");
    let must = &["application/json", "application/a2a+json"];
    let in_rpc = &["application/json"];
    let ten_megabytes = vec![b' '; 10 * 1024 * 1024];
    let mut chunked = request(room, "POST", "/", &[JSON, ("Transfer-Encoding", "chunked")], b"");
    chunked.extend_from_slice(format!("{:x}\r\n", ten_megabytes.len()).as_bytes());
    chunked.extend_from_slice(&ten_megabytes);
    chunked.extend_from_slice(b"\r\n0\r\n\r\n");
    let promised = bare(
        "POST",
        "/",
        &[("Host", room.address()), JSON, ("Expect", "100-continue"), ("Content-Length", "99999999999")],
        b"",
    );
    let too_large = &["larger than the 4194304 bytes"];
    let mut cases = vec![
        raw("no body", request(room, "POST", "/", &[JSON], b""), 400, -32700, &["it is empty"]),
        raw("no kind", request(room, "POST", "/", &[], b"{}"), 415, -32005, in_rpc),
        raw("plain text", typed("text/plain"), 415, -32005, in_rpc),
        raw("a form", typed("application/x-www-form-urlencoded"), 415, -32005, in_rpc),
        raw("almost JSON", typed("application/jsonp"), 415, -32005, in_rpc),
        raw("two kinds", request(room, "POST", "/", &[JSON, JSON], b"{}"), 415, -32005, in_rpc),
        raw(
            "plain text to /tasks",
            request(room, "POST", "/tasks", &[("Content-Type", "text/plain")], b"{}"),
            415,
            "content_type",
            must,
        ),
        raw("a promise of 99 GB", promised, 413, "body_too_large", too_large),
        raw("10 MB in chunks", chunked, 413, "body_too_large", too_large),
    ];
    for path in ["/", "/tasks", &format!("/tasks/{}/messages/stream", room.task)] {
        let name = format!("10 MB to {path}");
        cases.push(raw(&name, json_post(room, path, &ten_megabytes), 413, "body_too_large", too_large));
    }
    cases
}

/// Routes and methods that are not there.
pub(crate) fn bad_routes(room: &TaskServer) -> Vec<RefusedRequest> {
    let mut cases = Vec::new();
    for path in ["/nope", "/ws/", "/tasks/", "/.well-known/agent.json", "/..%2f..%2fetc/passwd", "//", "/%00"] {
        let words = &["no route", "POST /tasks/{id}/messages/stream"];
        cases.push(raw(&format!("GET {path}"), request(room, "GET", path, &[], b""), 404, -32600, words));
        cases.push(raw(&format!("POST {path}"), json_post(room, path, b"{}"), 404, -32600, words));
    }
    let stream = format!("/tasks/{}/messages/stream", room.task);
    let wrong = [
        ("GET", "/", "takes POST"),
        ("PUT", "/", "takes POST"),
        ("BREW", "/", "takes POST"),
        ("PUT", "/tasks", "takes POST or GET"),
        ("DELETE", "/tasks", "takes POST"),
        ("GET", &stream, "takes POST"),
        ("PATCH", &stream, "takes POST"),
        ("DELETE", "/health", "takes GET"),
        ("PUT", "/.well-known/agent-card.json", "takes GET"),
    ];
    for (method, path, words) in wrong {
        cases.push(raw(&format!("{method} {path}"), request(room, method, path, &[], b""), 405, -32600, &[words]));
    }
    for path in ["/ws", "/health", "/.well-known/agent-card.json"] {
        cases.push(raw(&format!("POST {path}"), json_post(room, path, b"{}"), 405, -32600, &["takes GET"]));
    }
    cases
}

/// Requests that the endpoint guide's own routes refuse.
pub(crate) fn bad_guide_requests(room: &TaskServer) -> Vec<RefusedRequest> {
    let stream = format!("/tasks/{}/messages/stream", room.task);
    let missing = room.outside_path("missing").display().to_string();
    let tasks: Vec<(&str, String, &[&str])> = vec![
        ("no JSON", "{".into(), &["the body is not valid JSON"]),
        ("a list", "[]".into(), &["the body must be an object"]),
        ("text", "\"x\"".into(), &["the body must be an object"]),
        ("settings as text", json!({"agentSettings": "x"}).to_string(), &["`agentSettings`"]),
        (
            "a missing workspace",
            json!({"agentSettings": {"workspacePath": missing}}).to_string(),
            room.outside_path_words(),
        ),
        ("a relative workspace", json!({"agent_settings": {"workspace_path": "x"}}).to_string(), &["is not absolute"]),
        ("a context as a number", json!({"contextId": 5}).to_string(), &["`contextId` must be text"]),
        ("a long context", json!({"contextId": "c".repeat(200)}).to_string(), &["`contextId` must have 1 to 128"]),
        ("a context of control characters", json!({"contextId": "\u{7}"}).to_string(), &["no control characters"]),
    ];
    let mut cases = Vec::new();
    for (name, body, words) in tasks {
        let code = if body == "{" { -32700 } else { -32602 };
        cases.push(raw(&format!("/tasks: {name}"), json_post(room, "/tasks", body.as_bytes()), 400, code, words));
    }
    let frame =
        |method: &str| json!({"jsonrpc": "2.0", "method": method, "params": {"message": {"parts": [{"text": "x"}]}}});
    let messages: Vec<(&str, String, i64, &[&str])> = vec![
        ("no JSON", "{".into(), -32700, &["the body is not valid JSON"]),
        ("a list", "[]".into(), -32602, &["`params.message` is missing"]),
        ("nothing", "{}".into(), -32602, &["`params.message` is missing"]),
        ("text as a number", json!({"text": 5}).to_string(), -32602, &["text` must be text"]),
        ("no text", json!({"text": ""}).to_string(), -32602, &["the prompt is empty"]),
        ("another version", json!({"jsonrpc": "1.0", "text": "x"}).to_string(), -32600, &["`jsonrpc`"]),
        ("another method", frame("tasks/get").to_string(), -32601, &["no method \"tasks/get\""]),
        (
            "another task",
            json!({"message": {"taskId": "t", "parts": [{"text": "x"}]}}).to_string(),
            -32602,
            &["is not the task of this address"],
        ),
    ];
    for (name, body, code, words) in messages {
        cases.push(raw(
            &format!("messages/stream: {name}"),
            json_post(room, &stream, body.as_bytes()),
            400,
            code,
            words,
        ));
    }
    let unknown = |id| (id, 404, -32001, "task not found");
    let long = "t".repeat(200);
    let ids = [super::calls::UNKNOWN, "nope", "%2e%2e", "%00"].map(unknown);
    for (id, status, code, words) in ids.into_iter().chain([(long.as_str(), 400, -32602, "128")]) {
        let path = format!("/tasks/{id}/messages/stream");
        let request = json_post(room, &path, br#"{"text": "x"}"#);
        cases.push(raw(&format!("POST {path}"), request, status, code, &[words]));
    }
    let path = "/tasks/%ff/messages/stream";
    cases.push(raw("an id that is no text", json_post(room, path, br#"{"text": "x"}"#), 400, -32600, &["UTF-8"]));
    cases
}
