//! The listener against clients that send too much, too slowly, too often or for too long.

use crate::gate::gate_server::{GateTestServer, RawHttpClient, burst, settings};
use futures_util::future::{join_all, try_join_all};
use pollux_server::listen::{ListenerLimits, bind_listener};
use pretty_assertions::assert_eq;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

const JSON: &str = "Host: HOST\r\nContent-Type: application/json\r\nConnection: close\r\n";
const KEPT: &str = "GET /who HTTP/1.1\r\nHost: HOST\r\n\r\n";
const GET: &str = "GET /who HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n";
const UPGRADE: &str = "GET /ws HTTP/1.1\r\nHost: HOST\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

async fn with(limits: ListenerLimits) -> GateTestServer {
    GateTestServer::with(settings(), limits).await
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused_unread() {
    let server = GateTestServer::start().await;
    let mut client = server.connect().await;
    client.send(&format!("POST / HTTP/1.1\r\n{JSON}Content-Length: 10000000\r\n\r\n")).await;
    // The answer does not wait for the body, and the body does not break the answer.
    client.stream.write_all(&vec![b' '; 10_000_000]).await.unwrap();
    let reply = client.reply_to_end().await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn a_client_that_waits_for_a_go_ahead_gets_the_refusal_instead() {
    let server = GateTestServer::start().await;
    let request = format!("POST / HTTP/1.1\r\n{JSON}Content-Length: 10000000\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(server.ask(&request).await.status, 413);
}

#[tokio::test]
async fn a_body_is_counted_when_its_length_is_not_declared() {
    let server = with(ListenerLimits { body: 1000, ..ListenerLimits::default() }).await;
    let chunked = |bytes: usize| {
        let body = "x".repeat(bytes);
        format!("POST / HTTP/1.1\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n{bytes:x}\r\n{body}\r\n0\r\n\r\n")
    };
    let reply = server.ask(&chunked(1000)).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "1000"));
    let reply = server.ask(&chunked(1001)).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
}

#[tokio::test]
async fn the_limit_is_the_listeners_own() {
    let server = GateTestServer::start().await;
    let limit = ListenerLimits::default().body;
    let request = format!("POST / HTTP/1.1\r\n{JSON}Content-Length: {limit}\r\n\r\n{}", "x".repeat(limit));
    assert_eq!(server.ask(&request).await.body, limit.to_string());
}

#[tokio::test]
async fn a_body_that_stops_arriving_is_given_up() {
    let server = with(ListenerLimits { body_grace: Duration::from_millis(20), ..ListenerLimits::default() }).await;
    let mut client = server.connect().await;
    client.send(&format!("POST / HTTP/1.1\r\n{JSON}Content-Length: 9\r\n\r\n{{")).await;
    let reply = client.reply_to_end().await;
    assert_eq!((reply.status, reply.code().as_str()), (408, "body_stalled"));
}

#[tokio::test]
async fn half_a_head_is_closed() {
    let server = with(ListenerLimits { header_timeout: Duration::from_millis(20), ..ListenerLimits::default() }).await;
    for half in ["", "GET /who HT", "GET /who HTTP/1.1\r\nHost: HOST\r\n"] {
        let mut client = server.connect().await;
        client.send(half).await;
        assert_eq!(client.read_to_end().await, "", "{half:?}");
    }
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn a_head_has_a_size() {
    let server = GateTestServer::start().await;
    let filler = |lines: usize, bytes: usize| {
        (0..lines).map(|n| format!("X-{n}: {}\r\n", "x".repeat(bytes))).collect::<String>()
    };
    for (lines, bytes, status) in [(97, 1, 200), (101, 1, 431), (1, 15_000, 200), (1, 17_000, 431)] {
        let request = format!("GET /who HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n{}\r\n", filler(lines, bytes));
        assert_eq!(server.ask(&request).await.status, status, "{lines} lines of {bytes}");
    }
}

#[tokio::test]
async fn the_connection_after_the_last_is_turned_away() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let server = GateTestServer::start().await;
    let mut clients = Vec::new();
    for _ in 0..1024 {
        let mut client = server.connect().await;
        client.send(KEPT).await;
        assert_eq!(client.reply().await.status, 200);
        clients.push(client);
    }
    let reply = server.ask(GET).await;
    let told = (reply.status, reply.code(), reply.header("retry-after"), reply.header("connection"));
    assert_eq!(told, (503, "busy".to_owned(), Some("1"), Some("close")));
    // Those inside notice nothing.
    clients[0].send(KEPT).await;
    assert_eq!(clients[0].reply().await.status, 200);
}

/// A command of the session can have public answers only, and so can keep nobody out.
#[tokio::test]
async fn connections_that_nothing_was_admitted_on_make_room() {
    let server = with(ListenerLimits { connections: 4, ..ListenerLimits::default() }).await;
    let mut person = server.connect().await;
    person.send(KEPT).await;
    assert_eq!(person.reply().await.status, 200);
    let mut idle = Vec::new();
    for _ in 0..20 {
        let mut client = server.connect().await;
        client.send("GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n").await;
        assert_eq!(client.reply().await.status, 200);
        idle.push(client);
    }
    assert_eq!(server.ask(GET).await.status, 200);
    person.send(KEPT).await;
    assert_eq!(person.reply().await.status, 200);
    assert_eq!(idle[0].read_to_end().await, "", "the oldest one was closed");
}

#[tokio::test]
async fn a_websocket_keeps_its_place_until_it_ends() {
    let server = with(ListenerLimits { connections: 1, ..ListenerLimits::default() }).await;
    let mut socket = server.connect().await;
    socket.send(UPGRADE).await;
    assert_eq!(socket.reply().await.status, 101);
    assert_eq!(server.ask(GET).await.status, 503);
    drop(socket);
    // The server learns of the end in its own time.
    while server.ask(GET).await.status == 503 {}
}

#[tokio::test]
async fn a_shutdown_lets_requests_finish_and_takes_no_more() {
    let server = GateTestServer::start().await;
    let mut busy = server.connect().await;
    let mut idle = server.connect().await;
    busy.send("GET /held HTTP/1.1\r\nHost: HOST\r\n\r\n").await;
    server.held.notified().await;
    server.shutdown.cancel();
    assert_eq!(idle.read_to_end().await, "");
    server.release.notify_one();
    let reply = busy.reply_to_end().await;
    assert_eq!((reply.status, reply.body.as_str(), reply.header("connection")), (200, "released", Some("close")));
    server.running.await.unwrap().unwrap();
    assert!(tokio::net::TcpStream::connect(server.addr).await.is_err());
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_ever() {
    let server = with(ListenerLimits { drain: Duration::from_millis(20), ..ListenerLimits::default() }).await;
    let mut stuck = server.connect().await;
    stuck.send("GET /held HTTP/1.1\r\nHost: HOST\r\n\r\n").await;
    server.held.notified().await;
    server.shutdown.cancel();
    server.running.await.unwrap().unwrap();
    assert_eq!(stuck.read_to_end().await, "");
}

/// Another user of this machine holds every connection that they can get.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn idle_connections_of_another_user_do_not_lock_the_owner_out() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let limits = ListenerLimits {
        connections: 16,
        reserved_connections: 2,
        connections_per_peer: 8,
        ..ListenerLimits::default()
    };
    let server = with(limits).await;
    let hold = format!(
        "import os, socket\n'x'.encode('idna')\nos.setuid(65534)\nheld = [socket.create_connection(('127.0.0.1', {})) for _ in range(64)]\n\
         print('holding', flush=True)\ninput()",
        server.addr.port()
    );
    #[expect(clippy::disallowed_methods, reason = "only another process can be another user")]
    let mut stranger = tokio::process::Command::new("python3")
        .args(["-c", &hold])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut tokio::io::BufReader::new(stranger.stdout.as_mut().unwrap()), &mut line)
        .await
        .unwrap();
    assert_eq!(line, "holding\n");
    for _ in 0..4 {
        assert_eq!(server.ask(GET).await.status, 200);
    }
}

#[tokio::test]
async fn a_burst_of_connections_loses_none() {
    let (listener, count) = (bind_listener(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap(), burst());
    let addr = listener.local_addr().unwrap();
    // Nobody accepts them before all have come.
    let connected =
        timeout(Duration::from_secs(20), try_join_all((0..count).map(|_| RawHttpClient::connect(addr)))).await;
    let mut clients = connected.expect("they wait until they are accepted").unwrap();
    for client in &mut clients {
        client.send("here").await;
    }
    // The gate looks every client up among the processes, which all 4,000 share here: the listener alone is asked.
    for _ in 0..count {
        let (mut accepted, _) = listener.accept().await.unwrap();
        let mut said = [0; 4];
        accepted.read_exact(&mut said).await.unwrap();
        accepted.write_all(&said).await.unwrap();
    }
    for client in &mut clients {
        assert_eq!(client.read_to_end().await, "here");
    }
}

/// Four times as many as the limit: they wait until others have had their answers, and whoever cannot wait is told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_of_connections_loses_none_at_the_default_limit() {
    let (server, count) = (GateTestServer::start().await, burst());
    for close in ["Connection: close\r\n", ""] {
        let request = format!("GET /health HTTP/1.1\r\nHost: HOST\r\n{close}\r\n");
        let ask = || async {
            let mut client = RawHttpClient::connect(server.addr).await.unwrap();
            client.send(&request).await;
            let mut reply = Vec::new();
            while !reply.ends_with(b"ok") && client.stream.read_buf(&mut reply).await.unwrap() > 0 {}
            // Those who do not ask to be closed stay until everybody was answered.
            (String::from_utf8(reply).unwrap(), client)
        };
        let replies = join_all((0..count).map(|_| ask())).await;
        let is_served = |reply: &str| reply.starts_with("HTTP/1.1 200 ");
        let is_told_when_to_return =
            |reply: &str| reply.starts_with("HTTP/1.1 503 ") && reply.contains("retry-after: 1");
        let lost = replies.iter().find(|(reply, _)| !is_served(reply) && !is_told_when_to_return(reply));
        assert_eq!(lost.map(|(reply, _)| reply.as_str()), None);
        let served = replies.iter().filter(|(reply, _)| is_served(reply)).count();
        assert!(served >= 1024.min(count), "{served} served");
    }
}

/// They have lost their slots when they ask at last.
#[tokio::test]
async fn a_connection_that_makes_room_is_told_so_before_it_asks() {
    let server = with(ListenerLimits { connections: 4, ..ListenerLimits::default() }).await;
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(server.connect().await);
    }
    assert_eq!(server.ask(GET).await.status, 200);
    for client in &mut silent[..4] {
        let reply = client.reply_to_end().await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    }
}

#[tokio::test]
async fn everybody_beyond_the_limit_is_told_so() {
    let limits = ListenerLimits {
        connections: 1,
        reserved_connections: 0,
        connections_per_peer: 1,
        ..ListenerLimits::default()
    };
    let server = with(limits).await;
    let mut first = server.connect().await;
    first.send("GET /held HTTP/1.1\r\nHost: HOST\r\n\r\n").await;
    server.held.notified().await;
    let mut others = try_join_all((0..200).map(|_| RawHttpClient::connect(server.addr))).await.unwrap();
    for client in &mut others {
        assert_eq!(client.reply_to_end().await.status, 503);
    }
    server.release.notify_one();
    assert_eq!(first.reply().await.status, 200);
}
