use super::super::process::{ProcPidStat, own_pid};
use super::*;
use pretty_assertions::assert_eq;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A process with this first argument, ended with the test.
struct SleepingChild(Child);

impl SleepingChild {
    fn start(seconds: &str) -> SleepingChild {
        #[expect(clippy::disallowed_methods, reason = "a process whose arguments the test knows")]
        let mut command = Command::new("sleep");
        let child = SleepingChild(command.arg(seconds).spawn().unwrap());
        // Until it has begun, its arguments are this process's.
        let deadline = Instant::now() + Duration::from_secs(10);
        while !has_first_argument(child.0.id(), uid::own_uid(), seconds) {
            assert!(Instant::now() < deadline, "it does not begin");
            std::thread::yield_now();
        }
        child
    }
}

impl Drop for SleepingChild {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_supervisor_elsewhere_is_told_by_its_first_argument_and_its_user() {
    let own = own_pid().unwrap();
    // No other process has it.
    let argument = format!("1000.{own}");
    let argument = argument.as_str();
    assert!(!any_supervisor_runs(Some(argument)) && !any_supervisor_runs(None));
    let (supervisor_child, other_child) = (SleepingChild::start(argument), SleepingChild::start("1000"));
    assert!(any_supervisor_runs(Some(argument)) && !any_supervisor_runs(None));

    let (supervisor, other) = (supervisor_child.0.id(), other_child.0.id());
    let (session, command) = (u32::MAX - 1, u32::MAX);
    let table = |parent| {
        let below = [(own, 1), (session, 1), (supervisor, parent), (other, session), (command, supervisor)];
        let stat = |(pid, parent)| (pid, ProcPidStat { state: b'S', parent, started: 5 });
        ProcessTable::of([(1, 0)].into_iter().chain(below).map(stat))
    };
    let found = OtherSessions::find(&table(session), own, Some(argument));
    assert_eq!(
        (found.supervisors.as_slice(), found.processes.as_slice()),
        (&[supervisor][..], &[command, supervisor][..])
    );
    assert_eq!(found.include(supervisor), Some(true));
    assert_eq!(found.include(other), Some(false));
    assert_eq!(found.include(u32::MAX), None);

    // Our own, a sibling of ours, and all where there are no supervisors.
    for (parent, argument) in [(own, Some(argument)), (1, Some(argument)), (session, Some("x")), (session, None)] {
        let found = OtherSessions::find(&table(parent), own, argument);
        assert!(found.supervisors.is_empty() && found.processes.is_empty(), "{parent} {argument:?}");
        assert_eq!(found.include(supervisor), Some(false));
    }
}
