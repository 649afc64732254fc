//! Ends everything below a supervisor. Children that made a session of their own are found too: whoever loses its parent
//! is given to the supervisor, so everything the work ever started is below it.

use super::reaper::Reaper;
use crate::process::GRACE;
use crate::process::call_cgroup::CallCgroup;
use crate::process::process_list::{ProcessList, signal_each};
use rustix::process::{Signal, getpid};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The number of searches for new processes before all are killed.
const STOP_ROUNDS: usize = 50;
/// The longest time between two looks at processes that do not end, such as those that wait for a broken disk.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// End every descendant: SIGTERM, SIGKILL after [`GRACE`]. Returns whether any was there, once none is.
pub(super) async fn end_descendants(reaper: &mut Reaper, group: Option<&CallCgroup>) -> bool {
    if reaper.reap_all() {
        return false;
    }
    let (list, below) = find_descendants();
    let live = list.live(&below);
    signal_each(&live, Signal::TERM);
    // Who is stopped gets no other signal until it goes on.
    signal_each(&live, Signal::CONT);
    let deadline = Instant::now() + GRACE;
    while !reaper.reap_all() && Instant::now() < deadline {
        let _ = timeout(deadline - Instant::now(), reaper.child_changed()).await;
    }
    let mut pause = Duration::from_millis(2);
    let mut was_killed = false;
    while !reaper.reap_all() {
        was_killed = true;
        if let Some(group) = group {
            group.kill();
        }
        kill_descendants();
        if !reaper.reap_all() {
            // A signal of a child that ended may have come before anybody waited for it.
            let _ = timeout(pause, reaper.child_changed()).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
    // Who forks all the time may be seen by no look at all.
    was_killed || !live.is_empty()
}

/// Stop all first: what is stopped cannot fork, so even those that fork as fast as they can are all found.
fn kill_descendants() {
    let us = getpid().as_raw_nonzero().get();
    let mut stopped = BTreeSet::new();
    for _ in 0..STOP_ROUNDS {
        let (list, below) = find_descendants();
        let fresh: BTreeSet<i32> = list.live(&below).difference(&stopped).copied().collect();
        if fresh.is_empty() {
            break;
        }
        list.signal_groups(&fresh, Signal::STOP, us);
        signal_each(&fresh, Signal::STOP);
        stopped.extend(fresh);
    }
    let (list, below) = find_descendants();
    list.signal_groups(&below, Signal::KILL, us);
    signal_each(&below, Signal::KILL);
}

fn find_descendants() -> (ProcessList, BTreeSet<i32>) {
    let list = ProcessList::read();
    let below = list.descendants(&BTreeSet::from([getpid().as_raw_nonzero().get()]));
    (list, below)
}
