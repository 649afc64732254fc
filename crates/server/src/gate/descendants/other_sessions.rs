//! Processes that other Polluxes of this user started. A process below us that asks another one to run something would
//! otherwise have a helper outside our tree.

use super::process::{ProcessTable, all_pids, has_first_argument, is_below};
use crate::gate::uid;

/// The processes of other sessions.
#[derive(Default)]
pub(super) struct OtherSessions {
    supervisors: Vec<u32>,
    /// The supervisors and what is below them.
    pub(super) processes: Vec<u32>,
}

/// True if any process says that it is a supervisor. It costs a fraction of the search.
pub(super) fn any_supervisor_runs(first_argument: Option<&str>) -> bool {
    let Some(argument) = first_argument else { return false };
    all_pids().is_ok_and(|pids| pids.into_iter().any(|pid| has_first_argument(pid, uid::own_uid(), argument)))
}

impl OtherSessions {
    /// Supervisors are told by their first argument. Nothing is gained by pretending to be one: a supervisor connects to
    /// nobody, so it is refused like what it started.
    /// If `own` was started by another Pollux, all that this one started is at home with `own`, and not counted.
    pub(super) fn find(table: &ProcessTable, own: u32, first_argument: Option<&str>) -> OtherSessions {
        let Some(argument) = first_argument else { return OtherSessions::default() };
        let lineage = table.lineage(own);
        let is_elsewhere = |pid: u32| table.get(pid).is_some_and(|stat| !lineage.contains(&stat.parent));
        let is_supervisor = |pid: u32| has_first_argument(pid, uid::own_uid(), argument);
        let supervisors: Vec<u32> =
            table.newest_first().filter(|pid| is_elsewhere(*pid) && is_supervisor(*pid)).collect();
        if supervisors.is_empty() {
            return OtherSessions::default();
        }
        let mut processes = table.below(&supervisors, |pid| is_below(pid, &supervisors).unwrap_or(true));
        processes.extend(&supervisors);
        OtherSessions { supervisors, processes }
    }

    /// True if `pid` is one of them by now; `None` when it ended before that was known.
    pub(super) fn include(&self, pid: u32) -> Option<bool> {
        if self.supervisors.is_empty() { Some(false) } else { is_below(pid, &self.supervisors) }
    }
}

#[cfg(test)]
mod tests;
