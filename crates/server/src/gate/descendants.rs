//! Step 7 of the gate: a process that this one started may not use the endpoint, with or without the token. Otherwise an
//! approved command could approve the next one.
//!
//! A connection from this machine passes if no descendant of ours is seen to hold its socket, and, for a socket of our
//! own user, if a process outside our tree is. The first is not enough: a process can hide its descriptors, and one can
//! be on its way through a Unix socket, or under a thread that waits in `recv` while another closes. This counts on every
//! orphan staying below us, so the process must be a child subreaper.

#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod other_sessions;
#[cfg(any(target_os = "linux", test))]
mod proc_file;
#[cfg(any(target_os = "linux", test))]
mod process;
#[cfg(target_os = "linux")]
mod refusal_log;
#[cfg(target_os = "linux")]
mod search_limiter;
#[cfg(target_os = "linux")]
mod verdict;

use super::denial::GateDenial;
use super::peer::ConnectionPeer;
use std::sync::Arc;
use std::time::Duration;

/// The time limit of one search of `/proc`. On a machine that is busy with other things, little of that is work.
const SEARCH_LIMIT: Duration = Duration::from_secs(10);
/// The longest wait of a connection for its verdict: for the search that it came too late for, and for its own.
pub(crate) const LONGEST_JUDGEMENT: Duration = SEARCH_LIMIT.saturating_mul(2);

/// Says whether a process, by its pid, is a supervisor that this program registered. A supervisor connects to nobody and
/// hides its descriptors, so it does not count as a descendant that could hold a connection unseen.
pub type SupervisorCheck = Arc<dyn Fn(u32) -> bool + Send + Sync>;

/// Says whether this process has ever started another one.
pub type StartCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// The marks of the supervisors that start and end this program's children.
#[derive(Clone)]
pub struct SupervisorMarks {
    /// Those of this process.
    pub is_registered: SupervisorCheck,
    /// A function that says if there was ever any.
    pub any_started: StartCheck,
    /// The first argument of every supervisor, whichever process of this program started it. What other processes of this
    /// program started is refused, too.
    pub first_argument: Option<&'static str>,
}

impl SupervisorMarks {
    /// For a program that has no supervisors and may start processes without one.
    pub fn none() -> SupervisorMarks {
        SupervisorMarks { is_registered: Arc::new(|_| false), any_started: Arc::new(|| true), first_argument: None }
    }
}

/// The treatment of requests from processes that this one started.
#[derive(Clone)]
pub enum DescendantPolicy {
    /// They are refused. Only Linux can tell them apart; elsewhere they are judged by their token alone.
    Refused {
        /// Which processes are this program's own supervisors.
        supervisors: SupervisorMarks,
    },
    /// They are served like everybody else: for tests that start real clients from the process of the server.
    Served,
}

impl DescendantPolicy {
    /// Refused, in a program that registers no supervisors.
    pub fn refused() -> DescendantPolicy {
        DescendantPolicy::Refused { supervisors: SupervisorMarks::none() }
    }
}

/// The check of one listener.
pub(super) struct DescendantCheck {
    policy: DescendantPolicy,
    #[cfg(target_os = "linux")]
    search_limiter: search_limiter::ProcSearchLimiter,
    #[cfg(target_os = "linux")]
    refusals: refusal_log::RefusalLog,
}

impl DescendantCheck {
    pub(super) fn new(policy: DescendantPolicy) -> DescendantCheck {
        #[cfg(target_os = "linux")]
        let supervisors = match &policy {
            DescendantPolicy::Refused { supervisors } => supervisors.clone(),
            DescendantPolicy::Served => SupervisorMarks::none(),
        };
        DescendantCheck {
            policy,
            #[cfg(target_os = "linux")]
            search_limiter: search_limiter::ProcSearchLimiter::new(move |connections| {
                verdict::search(connections, &supervisors)
            }),
            #[cfg(target_os = "linux")]
            refusals: refusal_log::RefusalLog::default(),
        }
    }

    /// Refuses the connection of a descendant. An outsider's connection is judged once: if it hands its descriptor to a
    /// descendant later, it acts for the descendant, which it could also do by forwarding bytes.
    pub(super) async fn check(&self, peer: &ConnectionPeer) -> Result<(), GateDenial> {
        match &self.policy {
            DescendantPolicy::Served => Ok(()),
            DescendantPolicy::Refused { .. } if peer.is_known_outsider() => Ok(()),
            DescendantPolicy::Refused { .. } => {
                self.judge(peer).await?;
                peer.remember_outsider();
                Ok(())
            }
        }
    }

    /// Says of each connection whether it is a descendant's, or may be, and remembers the outsiders.
    pub(super) async fn would_refuse(&self, peers: &[ConnectionPeer]) -> Vec<bool> {
        match &self.policy {
            DescendantPolicy::Served => peers.iter().for_each(ConnectionPeer::remember_outsider),
            DescendantPolicy::Refused { .. } => return self.judge_all(peers).await,
        }
        vec![false; peers.len()]
    }

    #[cfg(target_os = "linux")]
    async fn judge_all(&self, peers: &[ConnectionPeer]) -> Vec<bool> {
        let verdicts = self.search_limiter.judge_all(peers.iter().map(ConnectionPeer::ends).collect()).await;
        let would_refuse = |(peer, verdict): (&ConnectionPeer, verdict::ConnectionVerdict)| {
            // Nothing was found out about it. It keeps its time to ask, and its request is judged.
            if verdict == verdict::ConnectionVerdict::Overdue {
                return false;
            }
            let admitted = verdict.admit(peer.addr(), &self.refusals);
            if admitted.is_ok() {
                peer.remember_outsider();
            }
            admitted.is_err()
        };
        peers.iter().zip(verdicts).map(would_refuse).collect()
    }

    #[cfg(not(target_os = "linux"))]
    async fn judge_all(&self, peers: &[ConnectionPeer]) -> Vec<bool> {
        peers.iter().for_each(ConnectionPeer::remember_outsider);
        vec![false; peers.len()]
    }

    #[cfg(target_os = "linux")]
    async fn judge(&self, peer: &ConnectionPeer) -> Result<(), GateDenial> {
        let verdict = match verdict::judge_without_search(peer.ends()) {
            Some(verdict) => verdict,
            None => self.search_limiter.repeat_while_hidden(peer.ends()).await,
        };
        verdict.admit(peer.addr(), &self.refusals)
    }

    #[cfg(not(target_os = "linux"))]
    async fn judge(&self, _peer: &ConnectionPeer) -> Result<(), GateDenial> {
        Ok(())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
