use super::super::process::own_pid;
use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::net::TcpListener;
use std::os::fd::AsFd;

#[test]
fn a_socket_is_seen_while_it_is_open() {
    let own = own_pid().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let inode = u32::try_from(rustix::fs::fstat(listener.as_fd()).unwrap().st_ino).unwrap();
    let search = SocketSearch::new([inode]);
    assert_eq!(search.look_at(own).of(inode), SocketOwnership::Held);
    let running = ProcPidStat::read(own).unwrap();
    // As if the first thread had ended before the others.
    let ended = ProcPidStat { state: b'Z', ..running };
    assert!(search.held_by(own, running).contains(&inode) && search.held_by(own, ended).contains(&inode));
    drop(listener);
    assert_eq!(search.look_at(own).of(inode), SocketOwnership::NotHeld);
    assert!(!search.held_by(own, running).contains(&inode) && !search.held_by(own, ended).contains(&inode));
}

#[test]
fn what_cannot_be_read_is_hidden_unless_it_has_ended() {
    let proc = tempfile::tempdir().unwrap();
    let process = proc.path().to_str().unwrap();
    let look = || SocketSearch::new([7]).look_into(process, |_, _| false).of(7);
    assert_eq!(look(), SocketOwnership::NotHeld);
    // A file cannot be listed, whoever tries.
    fs::write(proc.path().join("task"), "").unwrap();
    assert_eq!(look(), SocketOwnership::Hidden);
    fs::remove_file(proc.path().join("task")).unwrap();

    let thread = proc.path().join("task/5");
    fs::create_dir_all(&thread).unwrap();
    assert_eq!(look(), SocketOwnership::NotHeld);
    fs::write(thread.join("fd"), "").unwrap();
    let stat = |state: &str| {
        let rest = "41 42 42 0 -1 4194560 149 0 0 0 0 0 0 0 20 0 1 0 9001 2568192 400";
        fs::write(thread.join("stat"), format!("5 (x) {state} {rest}")).unwrap();
    };
    for (state, seen) in
        [("Z", SocketOwnership::NotHeld), ("X", SocketOwnership::NotHeld), ("S", SocketOwnership::Hidden)]
    {
        stat(state);
        assert_eq!(look(), seen, "{state}");
    }
    fs::remove_file(thread.join("stat")).unwrap();
    assert_eq!(look(), SocketOwnership::NotHeld);

    // Another thread of the same process may hold it.
    stat("S");
    let descriptors = proc.path().join("task/6/fd");
    fs::create_dir_all(&descriptors).unwrap();
    std::os::unix::fs::symlink("socket:[70]", descriptors.join("3")).unwrap();
    assert_eq!(look(), SocketOwnership::Hidden);
    std::os::unix::fs::symlink("socket:[7]", descriptors.join("4")).unwrap();
    assert_eq!(look(), SocketOwnership::Held);
    // A descriptor that is no link cannot be read.
    fs::remove_dir_all(proc.path().join("task")).unwrap();
    fs::create_dir_all(&descriptors).unwrap();
    fs::write(proc.path().join("task/6/stat"), "6 (x) S 41 42 42 0 -1 4194560 149 0 0 0 0 0 0 0 20 0 1 0 9001")
        .unwrap();
    fs::write(descriptors.join("3"), "").unwrap();
    assert_eq!(look(), SocketOwnership::Hidden);
}

#[test]
fn a_table_that_threads_share_is_searched_once() {
    let proc = tempfile::tempdir().unwrap();
    for (thread, link) in [("5", "socket:[70]"), ("6", "socket:[7]"), ("7", "socket:[71]")] {
        let descriptors = proc.path().join("task").join(thread).join("fd");
        fs::create_dir_all(&descriptors).unwrap();
        std::os::unix::fs::symlink(link, descriptors.join("3")).unwrap();
    }
    let look = |are_shared: fn(u32, u32) -> bool| {
        SocketSearch::new([7]).look_into(proc.path().to_str().unwrap(), are_shared).of(7)
    };
    assert_eq!(look(|_, _| false), SocketOwnership::Held);
    assert_eq!(look(|_, _| true), SocketOwnership::NotHeld);
    assert_eq!(look(|one, other| one + other == 12), SocketOwnership::Held);
}

#[test]
fn what_is_not_found_in_time_is_hidden() {
    let own = own_pid().unwrap();
    let overdue = SocketSearch::overdue([1]);
    assert!(overdue.is_overdue() && !SocketSearch::new([1]).is_overdue());
    assert_eq!(
        (overdue.look_at(own).of(1), overdue.look_at_first_thread(own).of(1)),
        (SocketOwnership::Hidden, SocketOwnership::Hidden)
    );
}

#[test]
fn a_process_that_is_gone_holds_nothing() {
    assert_eq!(SocketSearch::new([1]).look_at(u32::MAX).of(1), SocketOwnership::NotHeld);
}

#[test]
fn one_look_is_for_all_sockets_of_a_search() {
    let proc = tempfile::tempdir().unwrap();
    for (thread, link) in [("5", "socket:[7]"), ("6", "socket:[8]"), ("7", "socket:[9]"), ("8", "pipe:[10]")] {
        let descriptors = proc.path().join("task").join(thread).join("fd");
        fs::create_dir_all(&descriptors).unwrap();
        std::os::unix::fs::symlink(link, descriptors.join("3")).unwrap();
    }
    let mut search = SocketSearch::new([7, 8, 10]);
    let seen = search.look_into(proc.path().to_str().unwrap(), |_, _| false);
    let (held, not_held) = (SocketOwnership::Held, SocketOwnership::NotHeld);
    assert_eq!([7, 8, 9, 10].map(|inode| seen.of(inode)), [held, held, not_held, not_held]);
    search.forget(7);
    let seen = search.look_into(proc.path().to_str().unwrap(), |_, _| false);
    assert_eq!([7, 8].map(|inode| seen.of(inode)), [not_held, held]);
}

/// A process that ends while its descriptors are listed has the same error for every further entry.
#[test]
fn a_process_that_ends_meanwhile_holds_nothing_and_ends_the_look() {
    #[expect(clippy::disallowed_methods, reason = "a process that is looked at")]
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let directory = format!("/proc/{}/fd", child.id());
    let directory = openat(CWD, directory, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let (search, mut held) = (SocketSearch::new([1]), HashSet::new());
    assert_eq!((search.read_links(&directory, &mut held).is_ok(), held.len()), (true, 0));
    assert!(!search.is_overdue());
}
