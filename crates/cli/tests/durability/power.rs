//! Whether the server's power is on. What breaks before it is cut is a fault of the server.

use anyhow::{Context as _, Result};
use std::future::Future;
use tokio_util::sync::CancellationToken;

/// The power of one life of the server.
#[derive(Clone)]
pub(crate) struct Power {
    cut: CancellationToken,
    pub(crate) supply: Supply,
}

/// How long the power lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Supply {
    /// It will be cut.
    Failing,
    /// As long as anybody needs it.
    Steady,
}

/// The power is off: nothing more comes in this life.
#[derive(Debug)]
pub(crate) struct Off;

impl Power {
    pub(crate) fn on(supply: Supply) -> Power {
        Power { cut: CancellationToken::new(), supply }
    }

    /// Say that the power is about to be cut.
    pub(crate) fn cut(&self) {
        self.cut.cancel();
    }

    /// Wait for the cut.
    pub(crate) async fn lasts(&self) {
        self.cut.cancelled().await;
    }

    /// What `talk` with the server gives, unless the power cut broke it off.
    pub(crate) async fn held<T>(&self, talk: impl Future<Output = Result<T>>) -> Result<Result<T, Off>> {
        match talk.await {
            Ok(heard) => Ok(Ok(heard)),
            Err(_) if self.cut.is_cancelled() => Ok(Err(Off)),
            Err(error) => Err(error).context("the server broke it off by itself"),
        }
    }
}
