use super::*;
use pretty_assertions::assert_eq;

fn line(name: &str) -> Vec<u8> {
    let rest = "S 41 42 42 0 -1 4194560 149 0 0 0 0 0 0 0 20 0 1 0 9001 2568192 400 18446744073709551615 1 1";
    format!("42 ({name}) {rest}\n").into_bytes()
}

#[test]
fn a_name_cannot_pass_for_the_fields_behind_it() {
    let read = ProcPidStat { state: b'S', parent: 41, started: 9001 };
    for name in ["bash", "a b", "x) S 1 (", "", ")", "\n7 (y) R 1 1", ") Z 1 1 1 0 -1"] {
        assert_eq!(ProcPidStat::parse(&line(name)), Some(read), "{name:?}");
    }
    let mut bytes = line("?");
    bytes[4] = 0xFF;
    assert_eq!(ProcPidStat::parse(&bytes), Some(read));
}

#[test]
fn what_is_no_stat_line_is_none() {
    for text in ["", "42", "42 (bash", "42 (bash)", "42 (bash) S", "42 (bash) S x 1", "42 (bash) S 41 42 42 0"] {
        assert_eq!(ProcPidStat::parse(text.as_bytes()), None, "{text:?}");
    }
}

fn table(processes: &[(u32, u32, u64)]) -> ProcessTable {
    let stat = |parent, started| ProcPidStat { state: b'S', parent, started };
    ProcessTable::of(processes.iter().map(|(pid, parent, started)| (*pid, stat(*parent, *started))))
}

#[test]
fn descendants_are_found_at_any_depth_and_in_any_order_of_pids() {
    // 10 is ours; 3 was started below it after the pids wrapped.
    let table =
        table(&[(1, 0, 0), (2, 0, 0), (10, 1, 5), (20, 10, 6), (30, 20, 7), (3, 30, 8), (40, 1, 9), (50, 40, 9)]);
    assert_eq!(table.below(&[10], |_| panic!("every parent is known")), [3, 20, 30]);
    assert_eq!(table.below(&[20, 40], |_| panic!("every parent is known")), [3, 30, 50]);
    assert_eq!(table.lineage(3), [3, 30, 20, 10, 1]);
    assert!(table.newest_first().eq([50, 40, 30, 20, 10, 3, 2, 1]));
    assert_eq!(table.below(&[1], |_| panic!("every parent is known")), [3, 10, 20, 30, 40, 50]);
}

#[test]
fn a_parent_that_is_gone_or_too_young_is_asked_for_again() {
    // 20's parent is gone; 30's has a pid that was given to a younger process.
    let table = table(&[(1, 0, 0), (10, 1, 5), (20, 19, 6), (30, 31, 7), (31, 1, 99)]);
    assert_eq!(table.below(&[10], |pid| pid == 20), [20]);
    assert_eq!(table.below(&[10], |pid| pid == 30), [30]);
}

#[test]
fn parents_in_a_circle_end() {
    let table = table(&[(1, 0, 0), (10, 1, 5), (20, 30, 6), (30, 20, 6)]);
    assert_eq!(table.below(&[10], |_| false), [0_u32; 0]);
    assert_eq!(table.lineage(20), [20, 30, 20, 30, 20]);
}

#[test]
fn a_lineage_goes_as_far_as_the_table_and_one_further() {
    assert_eq!(table(&[]).lineage(20), [20]);
    assert_eq!(table(&[(20, 19, 6)]).lineage(20), [20, 19]);
    assert_eq!(table(&[(20, 0, 6)]).lineage(20), [20]);
}

#[test]
fn what_has_ended_is_told_from_what_runs_and_from_what_cannot_be_read() {
    let is_zombie = |state| ProcPidStat { state, parent: 1, started: 1 }.is_zombie();
    assert!([b'Z', b'X', b'x'].into_iter().all(is_zombie) && !b"RSDTtWIP".iter().copied().any(is_zombie));
    let (no_entry, no_process, no_access) = (2, 3, 13);
    assert!(is_gone(&io::Error::from_raw_os_error(no_entry)) && is_gone(&io::Error::from_raw_os_error(no_process)));
    assert!(!is_gone(&io::Error::from_raw_os_error(no_access)) && !is_gone(&io::Error::other("x")));
}

#[test]
#[cfg(target_os = "linux")]
fn this_process_is_below_its_parent_and_itself_and_not_below_a_stranger() {
    let own = own_pid().unwrap();
    let parent = ProcPidStat::read(own).unwrap().parent;
    assert_eq!(is_below(own, &[own]), Some(true));
    assert_eq!(is_below(own, &[u32::MAX, parent]), Some(true));
    assert_eq!(is_below(parent, &[own]), Some(false));
    assert_eq!(is_below(u32::MAX, &[own]), None);
    assert!(threads_of(own).unwrap().contains(&own));
    assert!(ProcessTable::read().unwrap().lineage(own).starts_with(&[own, parent]));
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_shows_its_users_and_its_first_argument() {
    let (own, uid) = (own_pid().unwrap(), rustix::process::getuid().as_raw());
    assert_eq!(acts_only_as(own, uid), Some(true));
    assert_eq!(acts_only_as(own, uid + 1), Some(false));
    assert_eq!(acts_only_as(u32::MAX, uid), None);
    let first = std::env::args().nth(1).unwrap_or_default();
    assert_eq!(has_first_argument(own, uid, &first), !first.is_empty());
    assert!(!has_first_argument(own, uid + 1, &first));
    assert!(!has_first_argument(own, uid, "another"));
    assert!(!has_first_argument(u32::MAX, uid, ""));
}

/// Whoever runs on this machine can make theirs as long as they like, also without memory for it.
#[test]
#[cfg(target_os = "linux")]
fn a_long_command_line_is_not_read_to_its_end() {
    use std::os::unix::process::CommandExt;
    let uid = rustix::process::getuid().as_raw();
    for (length, is_found) in [(NAME_BYTES - 1, true), (2 * NAME_BYTES, false)] {
        #[expect(clippy::disallowed_methods, reason = "a process whose arguments the test knows")]
        let mut command = std::process::Command::new("sleep");
        let mut child = command.arg0("n".repeat(length)).arg("1000").spawn().unwrap();
        let path = format!("/proc/{}/cmdline", child.id());
        // Until it has begun, its arguments are this process's.
        while !fs::read(&path).unwrap().ends_with(b"\x001000\0") {
            std::thread::yield_now();
        }
        assert_eq!(has_first_argument(child.id(), uid, "1000"), is_found, "{length}");
        assert!(!has_first_argument(child.id(), uid, "100"), "{length}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_pid_namespace_is_told_by_its_link_or_by_its_depth() {
    assert!(is_in_own_pid_namespace(own_pid().unwrap()));
    assert!(!is_in_own_pid_namespace(u32::MAX));
    let status = |numbers: &str| format!("Name:\tx\nPid:\t41\nNSpid:\t{numbers}\nVmSize:\t1 kB\n");
    assert_eq!(pid_namespace_depth(&status("41")), Some(1));
    assert_eq!(pid_namespace_depth(&status("41\t3\t1")), Some(3));
    assert_eq!(pid_namespace_depth("Pid:\t41\n"), None);
}

/// As in a container that forbids the call, it may also say no to everything.
#[test]
#[cfg(target_os = "linux")]
fn threads_of_this_process_share_their_descriptors_and_strangers_do_not() {
    let own = own_pid().unwrap();
    let (end, wait) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || wait.recv());
    let can_tell = share_descriptors(own, own);
    for thread in threads_of(own).unwrap() {
        assert_eq!(share_descriptors(own, thread), can_tell);
    }
    assert!(!share_descriptors(own, 1) && !share_descriptors(own, u32::MAX));
    drop(end);
    assert!(thread.join().unwrap().is_err());
}
