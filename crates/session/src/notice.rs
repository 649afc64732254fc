//! Unnumbered, lossy, never needed to understand the log.

use crate::seat::BoxFuture;
use serde::{Deserialize, Serialize};

/// Something worth a line on a console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub level: NoticeLevel,
    /// One line.
    pub text: String,
}

/// The severity of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// For whoever asked for detail.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is not as it should be.
    Warn,
    /// Something failed.
    Error,
}

impl NoticeLevel {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            NoticeLevel::Debug => "debug",
            NoticeLevel::Info => "info",
            NoticeLevel::Warn => "warn",
            NoticeLevel::Error => "error",
        }
    }
}

/// A feed of notices. A reader that falls behind misses some.
pub trait NoticeFeed: Send {
    /// The next one; `None` when there will be no more.
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>>;
}
