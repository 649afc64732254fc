use super::super::process::has_first_argument;
use super::*;
use crate::gate::connection_ends::reused_port::ReusedPort;
use pretty_assertions::assert_eq;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// A child that does nothing, ended with the test.
struct IdleChild(Child);

impl IdleChild {
    fn start(stdin: impl Into<Stdio>) -> IdleChild {
        #[expect(clippy::disallowed_methods, reason = "the test is about processes that this one starts")]
        let mut command = Command::new("sleep");
        IdleChild(command.arg("1000").stdin(stdin).spawn().unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for IdleChild {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Both ends of a connection within this process, the client's first.
fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

fn ends(server: &TcpStream) -> ConnectionEnds {
    ConnectionEnds::new(server, server.peer_addr().unwrap(), server.local_addr().unwrap())
}

/// The ends that a connection with these addresses would have.
fn no_connection(remote: &str, local: &str) -> ConnectionEnds {
    ConnectionEnds::unconnected(remote.parse().unwrap(), local.parse().unwrap())
}

/// Puts the descriptor where no process has it: into the queue of a Unix socket.
fn send_away(client: TcpStream) -> (UnixStream, UnixStream) {
    let (there, here) = UnixStream::pair().unwrap();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [client.as_fd()];
    assert!(ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)));
    sendmsg(&there, &[IoSlice::new(b"x")], &mut ancillary, SendFlags::empty()).unwrap();
    drop(client);
    (there, here)
}

/// The verdict on one connection.
fn search_one(ends: ConnectionEnds, marks: &SupervisorMarks) -> ConnectionVerdict {
    search(&[ends], marks)[0]
}

fn all_registered() -> SupervisorMarks {
    SupervisorMarks { is_registered: Arc::new(|_| true), ..SupervisorMarks::none() }
}

#[test]
fn a_peer_from_elsewhere_is_no_descendant() {
    let ends = no_connection("192.0.2.7:4000", "198.51.100.1:8080");
    assert_eq!(judge_without_search(ends), Some(ConnectionVerdict::Outsider));
}

#[test]
fn a_peer_of_this_machine_that_has_closed_is_nobody() {
    for (remote, local) in [
        ("198.51.100.1:4000", "198.51.100.1:8080"),
        ("127.0.0.1:1", "127.0.0.1:2"),
        // Any address can be the source of a connection to loopback, and nobody elsewhere has one.
        ("192.0.2.7:4000", "127.0.0.1:2"),
        ("192.0.2.7:4000", "[::1]:2"),
        ("192.0.2.7:4000", "[::ffff:127.0.0.1]:2"),
    ] {
        let verdict = judge_without_search(no_connection(remote, local));
        assert_eq!(verdict, Some(ConnectionVerdict::Unidentified), "{remote} {local}");
    }
}

/// The kernel knows the socket, so it is on this machine, whatever its addresses are.
#[test]
fn a_socket_that_nobody_holds_is_of_this_machine() {
    let elsewhere = no_connection("192.0.2.7:4000", "198.51.100.1:8080");
    let (_client, server) = connection();
    let mut orphaned = held_socket(ends(&server)).unwrap();
    orphaned.inode = 0;
    assert_eq!(without_holder(Some(orphaned), elsewhere), ConnectionVerdict::Unidentified);
    assert_eq!(without_holder(None, elsewhere), ConnectionVerdict::Outsider);
}

/// Bytes that were sent on a connection can be read after its reset, when somebody else may have the port.
#[test]
fn a_connection_that_was_reset_is_nobodys_whoever_has_its_port() {
    let reset = ReusedPort::take();
    assert!(uid::find_socket(reset.ends.remote, reset.ends.local).is_some(), "the port has its next connection");
    assert_eq!(judge_without_search(reset.ends), Some(ConnectionVerdict::Unidentified));
    for marks in [nothing_started(), SupervisorMarks::none()] {
        assert_eq!(search_one(reset.ends, &marks), ConnectionVerdict::Unidentified);
    }
}

/// A program that has not started anything yet.
fn nothing_started() -> SupervisorMarks {
    SupervisorMarks { any_started: Arc::new(|| false), ..SupervisorMarks::none() }
}

#[test]
fn until_something_was_started_nobody_has_to_be_seen() {
    let (client, server) = connection();
    let ends = ends(&server);
    assert_eq!(judge_without_search(ends), None);
    let _queue = send_away(client);
    assert_eq!(search_one(ends, &nothing_started()), ConnectionVerdict::Outsider);
    assert_eq!(search_one(ends, &SupervisorMarks::none()), ConnectionVerdict::Unidentified);
    // Another session's supervisor is enough.
    let supervisor = IdleChild::start(Stdio::null());
    // For a moment after its start a program has no arguments yet.
    while !has_first_argument(supervisor.pid(), uid::own_uid(), "1000") {
        std::thread::yield_now();
    }
    let others = SupervisorMarks { first_argument: Some("1000"), ..nothing_started() };
    assert_eq!(search_one(ends, &others), ConnectionVerdict::Unidentified);
    drop(supervisor);
}

#[test]
fn a_connection_of_this_process_is_refused_whatever_was_started() {
    let (client, server) = connection();
    let ends = ends(&server);
    for marks in [nothing_started(), SupervisorMarks::none(), all_registered()] {
        assert_eq!(search_one(ends, &marks), ConnectionVerdict::Own);
    }
    // A child has it, too, between its fork and its exec.
    let _child = IdleChild::start(OwnedFd::from(client.try_clone().unwrap()));
    assert_eq!(search_one(ends, &SupervisorMarks::none()), ConnectionVerdict::Own);
}

#[test]
fn a_child_that_holds_the_connection_is_refused() {
    let (client, server) = connection();
    let ends = ends(&server);
    let child = IdleChild::start(OwnedFd::from(client));
    assert_eq!(search_one(ends, &SupervisorMarks::none()), ConnectionVerdict::Descendant { pid: child.pid() });
    assert_eq!(search_one(ends, &all_registered()), ConnectionVerdict::Descendant { pid: child.pid() });
}

#[test]
fn a_connection_that_nobody_holds_is_refused_whoever_is_below() {
    let (client, server) = connection();
    let ends = ends(&server);
    let _queue = send_away(client);
    let child = IdleChild::start(Stdio::null());
    for marks in [SupervisorMarks::none(), all_registered()] {
        assert_eq!(search_one(ends, &marks), ConnectionVerdict::Unidentified);
    }
    drop(child);
    assert_eq!(search_one(ends, &SupervisorMarks::none()), ConnectionVerdict::Unidentified);
}

#[test]
fn a_connection_of_another_user_passes_if_such_a_user_is_there_and_no_descendant_became_one() {
    let (client, server) = connection();
    let ends = ends(&server);
    let _queue = send_away(client);
    let _child = IdleChild::start(Stdio::null());
    let (socket, user) = (held_socket(ends).unwrap(), uid::own_uid());
    let judge = |socket: PeerSocket, user| {
        let search = SocketSearch::new([socket.inode]);
        let verdicts = judge_holders(&[(socket, ends)], search, user, &SupervisorMarks::none());
        verdicts.get(&socket.inode).copied().unwrap_or(ConnectionVerdict::Unidentified)
    };
    assert_eq!(judge(socket, user), ConnectionVerdict::Unidentified);
    // Root runs something on every machine; nobody runs as the other one.
    let (mut of_root, mut of_nobody) = (socket, socket);
    (of_root.uid, of_nobody.uid) = (ROOT, 3_999_999_999);
    assert_eq!(judge(of_nobody, user), ConnectionVerdict::Unidentified);
    let passes = if user == ROOT { ConnectionVerdict::Unidentified } else { ConnectionVerdict::Outsider };
    assert_eq!(judge(of_root, user), passes, "root sees everybody, so it wants to see who holds it");
    // The child acts as `user`, so for a server of another user's it has changed its own.
    assert_eq!(judge(of_root, user + 1), ConnectionVerdict::Unidentified);
    // Closed since.
    of_root.inode = 1;
    assert_eq!(judge(of_root, user), ConnectionVerdict::Unidentified);
}

#[test]
fn a_search_that_takes_too_long_says_so() {
    let (client, server) = connection();
    let ends = ends(&server);
    let _child = IdleChild::start(OwnedFd::from(client));
    let socket = held_socket(ends).unwrap();
    let held = [(socket, ends)];
    let search = SocketSearch::overdue([socket.inode]);
    let verdicts = judge_holders(&held, search, uid::own_uid(), &SupervisorMarks::none());
    assert_eq!(verdicts, HashMap::from([(socket.inode, ConnectionVerdict::Overdue)]));
    let refused = ConnectionVerdict::Overdue.admit(ends.remote, &RefusalLog::default()).unwrap_err();
    assert!(refused.to_string().ends_with("end that command in the session's terminal"), "{refused}");
}

#[test]
fn what_has_ended_or_is_registered_does_not_count() {
    let own = own_pid().unwrap();
    // More than one thread, whichever way tests are run.
    let (end, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || wait.recv());
    let of = |state| ProcPidStat { state, parent: 1, started: 1 };
    // A process of one thread.
    let child = IdleChild::start(Stdio::null());
    let gone = u32::MAX;
    let running = ProcessTable::of([(own, of(b'S')), (child.pid(), of(b'S')), (gone, of(b'S'))]);
    let ended = ProcessTable::of([(own, of(b'Z')), (child.pid(), of(b'Z')), (gone, of(b'Z'))]);
    let counting = |table: &ProcessTable, marks: &SupervisorMarks| {
        let insiders = |below| ExcludedProcesses { table, marks, below, others: OtherSessions::default() };
        [own, child.pid(), gone].map(|pid| insiders(vec![]).counts(pid))
    };
    assert_eq!(counting(&running, &SupervisorMarks::none()), [true, true, true]);
    // The other threads of a process go on when its first one has ended.
    assert_eq!(counting(&ended, &SupervisorMarks::none()), [true, false, false]);
    assert_eq!(counting(&ProcessTable::of([]), &SupervisorMarks::none()), [true, false, false]);
    assert_eq!(counting(&running, &all_registered()), [false, false, false]);
    drop(end);
    assert!(thread.join().unwrap().is_err());
}

#[test]
fn a_holder_that_the_table_does_not_place_is_placed_again() {
    let (client, server) = connection();
    let ends = ends(&server);
    let child = IdleChild::start(OwnedFd::from(client));
    let (pid, own) = (child.pid(), own_pid().unwrap());
    let inode = held_socket(ends).unwrap().inode;
    let stat = ProcPidStat::read(pid).unwrap();
    let marks = SupervisorMarks::none();
    let find = |stat: ProcPidStat, below: Vec<u32>, own: u32| {
        let table = ProcessTable::of([(pid, stat)]);
        let insiders = ExcludedProcesses { table: &table, marks: &marks, below, others: OtherSessions::default() };
        let mut verdicts = HashMap::new();
        insiders.find_outsiders(&mut SocketSearch::new([inode]), own, &mut verdicts);
        verdicts.get(&inode).copied().unwrap_or(ConnectionVerdict::Unidentified)
    };
    assert_eq!(find(stat, vec![], own), ConnectionVerdict::Descendant { pid });
    assert_eq!(find(stat, vec![pid], own), ConnectionVerdict::Unidentified);
    // Another process with the same pid.
    assert_eq!(find(ProcPidStat { started: stat.started + 1, ..stat }, vec![], own), ConnectionVerdict::Unidentified);
    assert_eq!(find(stat, vec![], pid), ConnectionVerdict::Own);
    assert_eq!(find(stat, vec![], u32::MAX), ConnectionVerdict::Outsider);
}

#[test]
fn processes_are_concealed_only_by_an_option_of_proc() {
    let mount = |place: &str, options: &str| {
        let root = "22 1 0:20 / / rw,relatime - ext4 /dev/root rw";
        let other = "24 1 0:21 / /sys rw shared:2 - sysfs sysfs rw";
        Ok(format!("{root}\n23 22 0:5 / {place} rw,nosuid shared:14 - proc proc {options}\n{other}\n"))
    };
    for options in ["rw,hidepid=2", "rw,hidepid=invisible", "hidepid=1", "rw,gid=4,hidepid=ptraceable,subset=pid"] {
        assert!(conceals_processes(mount("/proc", options)), "{options}");
        assert!(!conceals_processes(mount("/mnt/proc", options)), "{options}");
    }
    for options in ["rw", "rw,hidepid=0", "rw,hidepid=off", "rw,gid=4"] {
        assert!(!conceals_processes(mount("/proc", options)), "{options}");
    }
    assert!(conceals_processes(Err(io::ErrorKind::PermissionDenied.into())));
}

#[test]
fn one_search_tells_the_connections_of_different_holders_apart() {
    let [(own, first), (queued, second), (given, third)] = [connection(), connection(), connection()];
    let _queue = send_away(queued);
    let child = IdleChild::start(OwnedFd::from(given));
    let gone = no_connection("127.0.0.1:1", "127.0.0.1:2");
    let connections = [ends(&third), ends(&first), gone, ends(&second), ends(&third)];
    let descendant = ConnectionVerdict::Descendant { pid: child.pid() };
    let unidentified = ConnectionVerdict::Unidentified;
    assert_eq!(
        search(&connections, &SupervisorMarks::none()),
        [descendant, ConnectionVerdict::Own, unidentified, unidentified, descendant]
    );
    drop(own);
}
