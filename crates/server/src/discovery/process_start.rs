//! When a process started, as proof that it is still the same one.

/// Clock ticks from boot to the start of process `pid`; `None` when there is no such process.
#[cfg(target_os = "linux")]
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may hold anything; the start is the 22nd.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Elsewhere a process that is there counts as the one that wrote the file.
#[cfg(not(target_os = "linux"))]
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::test_kill_process(pid).ok().map(|()| 0)
}
