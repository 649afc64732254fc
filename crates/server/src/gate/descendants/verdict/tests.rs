use super::super::process::has_first_argument;
use super::*;
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

fn ends(server: &TcpStream) -> (SocketAddr, SocketAddr) {
    (server.peer_addr().unwrap(), server.local_addr().unwrap())
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
fn search_one(remote: SocketAddr, local: SocketAddr, marks: &SupervisorMarks) -> ConnectionVerdict {
    search(&[(remote, local)], marks)[0]
}

fn all_registered() -> SupervisorMarks {
    SupervisorMarks { is_registered: Arc::new(|_| true), ..SupervisorMarks::none() }
}

#[test]
fn a_peer_from_elsewhere_is_no_descendant() {
    let (elsewhere, here) = ("192.0.2.7:4000".parse().unwrap(), "198.51.100.1:8080".parse().unwrap());
    assert_eq!(judge_without_search(elsewhere, here), Some(ConnectionVerdict::Outsider));
}

#[test]
fn a_peer_of_this_machine_that_has_closed_is_nobody() {
    let own = |port| format!("198.51.100.1:{port}").parse().unwrap();
    assert_eq!(judge_without_search(own(4000), own(8080)), Some(ConnectionVerdict::Unidentified));
    let loopback = |port| format!("127.0.0.1:{port}").parse().unwrap();
    assert_eq!(judge_without_search(loopback(1), loopback(2)), Some(ConnectionVerdict::Unidentified));
    // Any address can be the source of a connection to loopback, and nobody elsewhere has one.
    let elsewhere = "192.0.2.7:4000".parse().unwrap();
    assert_eq!(judge_without_search(elsewhere, loopback(2)), Some(ConnectionVerdict::Unidentified));
    assert_eq!(judge_without_search(elsewhere, "[::1]:2".parse().unwrap()), Some(ConnectionVerdict::Unidentified));
    assert_eq!(
        judge_without_search(elsewhere, "[::ffff:127.0.0.1]:2".parse().unwrap()),
        Some(ConnectionVerdict::Unidentified)
    );
}

/// The kernel knows the socket, so it is on this machine, whatever its addresses are.
#[test]
fn a_socket_that_nobody_holds_is_of_this_machine() {
    let (elsewhere, here) = ("192.0.2.7:4000".parse().unwrap(), "198.51.100.1:8080".parse().unwrap());
    let (_client, server) = connection();
    let (remote, local) = ends(&server);
    let mut orphaned = held_socket(remote, local).unwrap();
    orphaned.inode = 0;
    assert_eq!(without_holder(Some(orphaned), elsewhere, here), ConnectionVerdict::Unidentified);
    assert_eq!(without_holder(None, elsewhere, here), ConnectionVerdict::Outsider);
}

/// A program that has not started anything yet.
fn nothing_started() -> SupervisorMarks {
    SupervisorMarks { any_started: Arc::new(|| false), ..SupervisorMarks::none() }
}

#[test]
fn until_something_was_started_nobody_has_to_be_seen() {
    let (client, server) = connection();
    let (remote, local) = ends(&server);
    assert_eq!(judge_without_search(remote, local), None);
    let _queue = send_away(client);
    assert_eq!(search_one(remote, local, &nothing_started()), ConnectionVerdict::Outsider);
    assert_eq!(search_one(remote, local, &SupervisorMarks::none()), ConnectionVerdict::Unidentified);
    // Another session's supervisor is enough.
    let supervisor = IdleChild::start(Stdio::null());
    // For a moment after its start a program has no arguments yet.
    while !has_first_argument(supervisor.pid(), uid::own_uid(), "1000") {
        std::thread::yield_now();
    }
    let others = SupervisorMarks { first_argument: Some("1000"), ..nothing_started() };
    assert_eq!(search_one(remote, local, &others), ConnectionVerdict::Unidentified);
    drop(supervisor);
}

#[test]
fn a_connection_of_this_process_is_refused_whatever_was_started() {
    let (client, server) = connection();
    let (remote, local) = ends(&server);
    for marks in [nothing_started(), SupervisorMarks::none(), all_registered()] {
        assert_eq!(search_one(remote, local, &marks), ConnectionVerdict::Own);
    }
    // A child has it, too, between its fork and its exec.
    let _child = IdleChild::start(OwnedFd::from(client.try_clone().unwrap()));
    assert_eq!(search_one(remote, local, &SupervisorMarks::none()), ConnectionVerdict::Own);
}

#[test]
fn a_child_that_holds_the_connection_is_refused() {
    let (client, server) = connection();
    let (remote, local) = ends(&server);
    let child = IdleChild::start(OwnedFd::from(client));
    assert_eq!(search_one(remote, local, &SupervisorMarks::none()), ConnectionVerdict::Descendant { pid: child.pid() });
    assert_eq!(search_one(remote, local, &all_registered()), ConnectionVerdict::Descendant { pid: child.pid() });
}

#[test]
fn a_connection_that_nobody_holds_is_refused_whoever_is_below() {
    let (client, server) = connection();
    let (remote, local) = ends(&server);
    let _queue = send_away(client);
    let child = IdleChild::start(Stdio::null());
    for marks in [SupervisorMarks::none(), all_registered()] {
        assert_eq!(search_one(remote, local, &marks), ConnectionVerdict::Unidentified);
    }
    drop(child);
    assert_eq!(search_one(remote, local, &SupervisorMarks::none()), ConnectionVerdict::Unidentified);
}

#[test]
fn a_connection_of_another_user_passes_if_such_a_user_is_there_and_no_descendant_became_one() {
    let (client, server) = connection();
    let (remote, local) = ends(&server);
    let _queue = send_away(client);
    let _child = IdleChild::start(Stdio::null());
    let (socket, user) = (held_socket(remote, local).unwrap(), uid::own_uid());
    let judge = |socket: PeerSocket, user| {
        let verdicts = judge_holders(
            &[(socket, (remote, local))],
            SocketSearch::new([socket.inode]),
            user,
            &SupervisorMarks::none(),
        );
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
    let (remote, local) = ends(&server);
    let _child = IdleChild::start(OwnedFd::from(client));
    let socket = held_socket(remote, local).unwrap();
    let held = [(socket, (remote, local))];
    let search = SocketSearch::overdue([socket.inode]);
    let verdicts = judge_holders(&held, search, uid::own_uid(), &SupervisorMarks::none());
    assert_eq!(verdicts, HashMap::from([(socket.inode, ConnectionVerdict::Overdue)]));
    let refused = ConnectionVerdict::Overdue.admit(remote, &RefusalLog::default()).unwrap_err();
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
        let insiders = |below| Insiders { table, marks, below, others: OtherSessions::default() };
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
    let (remote, local) = ends(&server);
    let child = IdleChild::start(OwnedFd::from(client));
    let (pid, own) = (child.pid(), own_pid().unwrap());
    let inode = held_socket(remote, local).unwrap().inode;
    let stat = ProcPidStat::read(pid).unwrap();
    let marks = SupervisorMarks::none();
    let find = |stat: ProcPidStat, below: Vec<u32>, own: u32| {
        let table = ProcessTable::of([(pid, stat)]);
        let insiders = Insiders { table: &table, marks: &marks, below, others: OtherSessions::default() };
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
    let gone = ("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
    let connections = [ends(&third), ends(&first), gone, ends(&second), ends(&third)];
    let descendant = ConnectionVerdict::Descendant { pid: child.pid() };
    let unidentified = ConnectionVerdict::Unidentified;
    assert_eq!(
        search(&connections, &SupervisorMarks::none()),
        [descendant, ConnectionVerdict::Own, unidentified, unidentified, descendant]
    );
    drop(own);
}
