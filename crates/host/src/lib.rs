//! Hosts sessions: one actor owns each, its log wakes whoever watches, and a runner does the work that is owed.
//!
//! Start at [`Host`]; follow a command through `seat.rs` into `actor.rs`.

mod actor;
mod busy_sessions;
mod effects;
mod host;
mod journal;
mod notice_board;
mod opening;
mod runner;
mod seat;
mod tail;

pub use actor::LOG_FAILURE;
pub use host::Host;
pub use notice_board::NoticeBoard;
pub use runner::{EffectJob, EffectWork, NotOwed, Reporter, Runner};
