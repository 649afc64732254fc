//! Whether the server's power is on. What breaks before it is cut is a fault of the server.

use anyhow::Result;
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

/// Why a talk with the server is over.
pub(crate) enum Stop {
    /// The power is off: nothing more comes in this life.
    Off,
    /// The server is at fault.
    Wrong(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Stop {
        Stop::Wrong(error)
    }
}

impl Stop {
    /// A power cut is no failure.
    pub(crate) fn forgive(talk: Result<(), Stop>) -> Result<()> {
        match talk {
            Ok(()) | Err(Stop::Off) => Ok(()),
            Err(Stop::Wrong(error)) => Err(error),
        }
    }
}

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
    pub(crate) async fn held<T>(&self, talk: impl Future<Output = Result<T>>) -> Result<T, Stop> {
        talk.await.map_err(|error| match self.cut.is_cancelled() {
            true => Stop::Off,
            false => Stop::Wrong(error.context("the server broke it off by itself")),
        })
    }
}
