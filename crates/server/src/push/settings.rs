//! The operator's settings of push.

use pollux_session::{BoxFuture, PushTargets};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The service that pushes tasks' news to where clients want it.
#[derive(Clone)]
pub struct PushSettings {
    /// Keeps the targets and how far each has been told.
    pub targets: Arc<dyn PushTargets>,
    /// Hosts, as `host` or `host:port`, that may be reached without TLS and whatever their address is. Everybody else
    /// must be on the public internet and speak https.
    pub allowed_hosts: Vec<String>,
    /// The patience with a receiver that fails.
    pub retry: PushRetryPolicy,
    /// Finds the addresses of hosts.
    pub resolver: Arc<dyn Resolver>,
}

impl PushSettings {
    /// The usual settings: only the public internet, by https.
    pub fn new(targets: Arc<dyn PushTargets>) -> PushSettings {
        let resolver = Arc::new(SystemResolver);
        PushSettings { targets, allowed_hosts: Vec::new(), retry: PushRetryPolicy::default(), resolver }
    }
}

/// The patience with a receiver that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushRetryPolicy {
    /// The time limit of one attempt.
    pub timeout: Duration,
    /// The wait after the first failure; it doubles with each one that follows.
    pub first_wait: Duration,
    pub longest_wait: Duration,
    /// The most attempts for one event.
    pub attempts: u32,
    /// The longest time for which one event is tried.
    pub give_up_after: Duration,
}

impl Default for PushRetryPolicy {
    fn default() -> PushRetryPolicy {
        PushRetryPolicy {
            timeout: Duration::from_secs(10),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(10 * 60),
            attempts: 200,
            give_up_after: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// Finds the addresses of hosts.
pub trait Resolver: Send + Sync {
    /// Every address `host` has.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// Asks the operating system.
struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) })
    }
}
