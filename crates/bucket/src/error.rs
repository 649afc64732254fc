//! Why a bucket could not be used.

use pollux_session::SessionId;
use pollux_store::StoreError;
use thiserror::Error;

/// Why something could not be carried. Everything but [`BucketError::Address`] is tried again.
#[derive(Debug, Error)]
pub enum BucketError {
    /// The address names no bucket.
    #[error(
        "{0:?} names no bucket: {1}; write a bucket's name, gs://NAME[/PREFIX], s3://NAME[/PREFIX], \
         az://CONTAINER[/PREFIX] or file:///DIRECTORY"
    )]
    Address(String, &'static str),
    /// Its credentials or its settings cannot be used.
    #[error("the bucket cannot be opened: {0}; check its name and its credentials")]
    Open(String),
    /// It did not do what it was asked.
    #[error("the bucket could not {doing}: {why}")]
    Failed { doing: String, why: String },
    /// Another process carries to it now.
    #[error("{0} has taken the bucket over: this server only reads now; stop the other one and restart this one")]
    TakenOver(String),
    /// The bucket and the local log went different ways.
    #[error(
        "session {0} goes on differently in the bucket than on this machine: it is left as it is in both; to have the \
         bucket's, start with another data directory"
    )]
    Diverged(SessionId),
    /// An object holds what it cannot.
    #[error("the object {key} is damaged: {what}; restore it from a copy")]
    Damaged { key: String, what: String },
    /// The local log failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The local disk failed.
    #[error("{what}: {source}")]
    Disk {
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl BucketError {
    pub(crate) fn disk(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> BucketError {
        move |source| BucketError::Disk { what: what.into(), source }
    }
}
