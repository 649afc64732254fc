//! The gate's step 7 over real sockets: the server's own process and whatever it started are refused, however it hides,
//! and everybody else is served meanwhile.
#![cfg(target_os = "linux")]

use crate::gate::gate_server;
use crate::gate::gate_server::{GateTestServer, TOKEN};
use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use pollux_server::gate::{DescendantPolicy, GateSettings, SupervisorMarks};
use pollux_server::listen::ListenerLimits;
use pretty_assertions::assert_eq;
use rustix::process::{getpid, set_child_subreaper};
use rustix::thread::{CapabilitySet, capabilities, remove_capability_from_bounding_set, set_capabilities};
use std::net::{IpAddr, UdpSocket};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

const CLIENT: &str = include_str!("descendants/client.py");

fn settings() -> GateSettings {
    GateSettings { descendants: DescendantPolicy::refused(), ..gate_server::settings() }
}

async fn start() -> GateTestServer {
    GateTestServer::with(settings(), ListenerLimits::default()).await
}

fn client(server: &GateTestServer, token: &str, way: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the test is about processes that the server's own process starts")]
    let mut command = Command::new("python3");
    let port = server.addr.port().to_string();
    command.args(["-c", CLIENT, &port, token, way]).stdout(Stdio::piped()).kill_on_drop(true);
    command
}

/// The report of the client, and the line of an orphan of it.
async fn report(server: &GateTestServer, token: &str, way: &str) -> String {
    let output = client(server, token, way).output().await.unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A child that does nothing, so that the search for whoever holds a connection is made.
async fn idle_child(server: &GateTestServer) -> Child {
    waiting_child(server, "wait").await
}

async fn waiting_child(server: &GateTestServer, way: &str) -> Child {
    let mut child = client(server, "-", way).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).await.unwrap();
    assert_eq!(line, "waiting\n");
    child
}

/// A request of this process, which is refused. Connections are taken up in their order, so when it is answered the ones
/// before it were judged.
async fn own_request(server: &GateTestServer) -> String {
    let reply = server.ask("GET /who HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n").await;
    format!("{} {}", reply.status, reply.code())
}

/// A request of a process outside our tree. Without a subreaper an orphan leaves it.
async fn outside_request(server: &GateTestServer) -> String {
    set_child_subreaper(None).unwrap();
    report(server, TOKEN, "orphaned").await
}

/// A remote agent's card, an MCP server or a page can send this process to its own endpoint.
#[tokio::test]
async fn the_server_itself_is_refused_before_and_after_it_has_started_anything() {
    let any_started = Arc::new(AtomicBool::new(false));
    let flag = any_started.clone();
    let supervisors =
        SupervisorMarks { any_started: Arc::new(move || flag.load(Ordering::SeqCst)), ..SupervisorMarks::none() };
    let descendants = DescendantPolicy::Refused { supervisors };
    let server = GateTestServer::with(GateSettings { descendants, ..settings() }, ListenerLimits::default()).await;
    for started in [false, true] {
        any_started.store(started, Ordering::SeqCst);
        assert_eq!(own_request(&server).await, "403 own_connection");
        let bearer = format!("GET /who HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer {TOKEN}\r\n\r\n");
        assert_eq!(server.ask(&bearer).await.code(), "own_connection");
    }
    assert_eq!(server.reached(), 0);
    assert_eq!(outside_request(&server).await, "200 me token [A2A]");
}

#[tokio::test]
async fn a_child_is_refused_with_and_without_the_token_and_others_are_served() {
    let server = start().await;
    let _child = idle_child(&server).await;
    for token in ["-", TOKEN] {
        assert_eq!(report(&server, token, "direct").await, "403 own_descendant");
    }
    assert_eq!(server.reached(), 0);
    assert_eq!(outside_request(&server).await, "200 me token [A2A]");
}

#[tokio::test]
async fn an_orphan_in_a_session_of_its_own_is_still_below_us() {
    set_child_subreaper(Some(getpid())).unwrap();
    let server = start().await;
    for token in ["-", TOKEN] {
        assert_eq!(report(&server, token, "orphaned").await, "403 own_descendant");
    }
    assert_eq!(server.reached(), 0);
}

/// A child can enter the PID namespace of somebody else's container and have that namespace's first process adopt it. So no
/// process of another namespace counts as one outside our tree.
#[tokio::test]
async fn nobody_in_another_pid_namespace_is_an_outsider() {
    set_child_subreaper(None).unwrap();
    let server = start().await;
    let _child = idle_child(&server).await;
    for token in ["-", TOKEN] {
        let answer = report(&server, token, "orphaned_in_a_namespace").await;
        assert!(["403 unidentified_process", "no namespaces"].contains(&answer.as_str()), "{answer}");
    }
    assert_eq!(server.reached(), 0);
    assert_eq!(outside_request(&server).await, "200 me token [A2A]");
}

#[tokio::test]
async fn hiding_the_descriptor_does_not_help() {
    let server = start().await;
    for way in ["in_flight", "closed_under_a_reader"] {
        assert_eq!(report(&server, TOKEN, way).await, "403 unidentified_process", "{way}");
    }
    // Root may read the descriptors of an undumpable process; anybody else sees nobody hold the connection.
    let undumpable = report(&server, TOKEN, "undumpable").await;
    assert!(["403 own_descendant", "403 unidentified_process"].contains(&undumpable.as_str()), "{undumpable}");
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn who_has_ended_is_not_heard_though_the_connection_lives_on() {
    let server = start().await;
    let room = tempfile::tempdir().unwrap();
    let queue = room.path().join("queue");
    // Nobody reads from it, so what is sent there stays under way.
    let _unread = std::os::unix::net::UnixListener::bind(&queue).unwrap();
    let port = client(&server, TOKEN, "left_behind").env("QUEUE", &queue).output().await.unwrap().stdout;
    let port: u16 = String::from_utf8(port).unwrap().trim_end().parse().unwrap();
    while !has_answer(port) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(server.reached(), 0);
}

/// True if an answer waits at the client's end of a connection, by its port.
fn has_answer(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let own = format!("0100007F:{port:04X}");
    let line = table
        .lines()
        .map(str::split_whitespace)
        .find_map(|mut fields| (fields.nth(1) == Some(&own)).then(|| fields.nth(2).map(str::to_owned)).flatten());
    // Bytes to send, a colon, bytes to read.
    line.is_some_and(|queues| !queues.ends_with(":00000000"))
}

#[tokio::test]
async fn whoever_does_not_stay_for_the_answer_is_not_heard() {
    let server = start().await;
    for _ in 0..20 {
        assert_eq!(report(&server, TOKEN, "fire_and_forget").await, "");
    }
    assert_eq!(own_request(&server).await, "403 own_connection");
    assert_eq!(server.reached(), 0);
}

/// An address of this machine beside loopback, where it has one: the source of whatever goes to another network.
fn other_own_address() -> IpAddr {
    let probe = UdpSocket::bind("0.0.0.0:0").unwrap();
    // Nothing is sent by connecting.
    let routed = ["192.0.2.1:9", "198.51.100.1:9"].iter().find_map(|target| {
        probe.connect(target).ok()?;
        Some(probe.local_addr().ok()?.ip())
    });
    routed.unwrap_or_else(|| IpAddr::from([127, 0, 0, 2]))
}

/// Lets the client be gone before it is answered, over and over, from another address of this machine.
async fn leave_early(server: &GateTestServer, way: &str) {
    let mut command = client(server, TOKEN, way);
    let ended = command.env("SOURCE", other_own_address().to_string()).status().await.unwrap();
    assert!(ended.success(), "{way}");
}

#[tokio::test]
async fn another_address_of_this_machine_is_no_other_machine() {
    let server = start().await;
    for way in ["early_http", "early_websocket"] {
        leave_early(&server, way).await;
    }
    assert_eq!(own_request(&server).await, "403 own_connection");
    assert_eq!(server.reached(), 0);
}

#[tokio::test]
async fn nor_is_it_for_a_call_over_grpc() {
    let server = GateTestServer::grpc(settings()).await;
    leave_early(&server, "early_grpc").await;
    own_call(&server).await;
    assert_eq!(server.reached(), 0);
}

/// A call over gRPC by this process, up to the head of its answer, which is a refusal.
async fn own_call(server: &GateTestServer) {
    let stream = tokio::net::TcpStream::connect(server.addr).await.unwrap();
    let (mut send, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let call = hyper::Request::post(format!("http://{}/lf.a2a.v1.A2AService/ListTasks", server.addr))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    send.send_request(call.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
}

/// A client that stays for the answer is served from whichever address, and is the user who runs the server.
#[tokio::test]
async fn an_outsider_is_served_from_another_own_address() {
    set_child_subreaper(None).unwrap();
    let server = start().await;
    let _child = idle_child(&server).await;
    let mut outsider = client(&server, "-", "orphaned");
    outsider.env("SOURCE", other_own_address().to_string()).env("TARGET", "/headers");
    let output = outsider.output().await.unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "200 [None, None]\n");
}

#[tokio::test]
async fn a_process_outside_our_tree_is_served_while_a_child_runs() {
    // Without a subreaper an orphan leaves the tree.
    set_child_subreaper(None).unwrap();
    let server = start().await;
    let _child = idle_child(&server).await;
    assert_eq!(report(&server, "-", "orphaned").await, "200 me local [A2A]");
    assert_eq!(report(&server, TOKEN, "orphaned").await, "200 me token [A2A]");
}

#[tokio::test]
async fn a_registered_supervisor_does_not_count_but_may_not_connect_either() {
    let registered = DescendantPolicy::Refused {
        supervisors: SupervisorMarks { is_registered: Arc::new(|_| true), ..SupervisorMarks::none() },
    };
    let server =
        GateTestServer::with(GateSettings { descendants: registered, ..settings() }, ListenerLimits::default()).await;
    let _child = idle_child(&server).await;
    assert_eq!(report(&server, TOKEN, "direct").await, "403 own_descendant");
    assert_eq!(outside_request(&server).await, "200 me token [A2A]");
}

/// Root may look into every process. Nobody else may, and so this process no longer does, nor do those that it starts: who
/// may do more than this process cannot be looked into by it.
fn look_as_a_user_does() {
    // Only root may, and only root has to.
    let _ = remove_capability_from_bounding_set(CapabilitySet::SYS_PTRACE);
    let mut sets = capabilities(None).unwrap();
    sets.effective.remove(CapabilitySet::SYS_PTRACE);
    set_capabilities(None, sets).unwrap();
}

#[tokio::test]
async fn a_child_that_hides_its_descriptors_is_refused_and_holds_nobody_else_up() {
    look_as_a_user_does();
    let server = start().await;
    let _hidden = waiting_child(&server, "wait_undumpable").await;
    assert_eq!(outside_request(&server).await, "200 me token [A2A]");
    assert_eq!(report(&server, TOKEN, "undumpable").await, "403 unidentified_process");
    assert_eq!(server.reached(), 1);
}

/// Silent connections would each keep a slot for their time to ask, and those that wait for one a hundred times as long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_of_a_child_keep_nobody_out() {
    look_as_a_user_does();
    for way in ["flood", "flood_undumpable"] {
        let limits = ListenerLimits::of_connections(4);
        let server = GateTestServer::with(settings(), limits).await;
        let _flood = waiting_child(&server, way).await;
        for _ in 0..3 {
            let served = timeout(Duration::from_secs(8), outside_request(&server)).await;
            assert_eq!(served.as_deref(), Ok("200 me token [A2A]"), "{way}");
        }
    }
}

#[tokio::test]
async fn what_another_session_started_is_refused_and_the_session_itself_is_served() {
    // The client leaves our tree, and is then a session with a supervisor and a command below that, which looks like a
    // supervisor itself.
    set_child_subreaper(None).unwrap();
    let other_sessions = DescendantPolicy::Refused {
        supervisors: SupervisorMarks { first_argument: Some("-Xsupervisor"), ..SupervisorMarks::none() },
    };
    let server =
        GateTestServer::with(GateSettings { descendants: other_sessions, ..settings() }, ListenerLimits::default())
            .await;
    assert_eq!(report(&server, TOKEN, "other_session").await, "403 own_descendant\n200 me token [A2A]");
}

#[tokio::test]
async fn children_are_served_where_the_server_says_so() {
    let server = GateTestServer::with(
        GateSettings { descendants: DescendantPolicy::Served, ..settings() },
        ListenerLimits::default(),
    )
    .await;
    assert_eq!(report(&server, "-", "direct").await, "200 me local [A2A]");
}
