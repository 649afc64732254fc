//! The server's power, on or off. Anything that breaks before it is cut is a fault of the server.

use anyhow::Result;
use std::future::Future;
use tokio_util::sync::CancellationToken;

/// The power of one life of the server.
#[derive(Clone)]
pub(crate) struct SimulatedPower {
    cut: CancellationToken,
    pub(crate) supply: PowerSupply,
}

/// The time that the power lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PowerSupply {
    /// It will be cut.
    Failing,
    /// As long as anybody needs it.
    Steady,
}

/// Why a talk with the server is over.
pub(crate) enum ExchangeError {
    /// The power is off: nothing more comes in this life.
    Off,
    /// The server is at fault.
    Wrong(anyhow::Error),
}

impl From<anyhow::Error> for ExchangeError {
    fn from(error: anyhow::Error) -> ExchangeError {
        ExchangeError::Wrong(error)
    }
}

impl ExchangeError {
    /// A power cut is no failure.
    pub(crate) fn forgive(talk: Result<(), ExchangeError>) -> Result<()> {
        match talk {
            Ok(()) | Err(ExchangeError::Off) => Ok(()),
            Err(ExchangeError::Wrong(error)) => Err(error),
        }
    }
}

impl SimulatedPower {
    pub(crate) fn on(supply: PowerSupply) -> SimulatedPower {
        SimulatedPower { cut: CancellationToken::new(), supply }
    }

    /// Say that the power is about to be cut.
    pub(crate) fn cut(&self) {
        self.cut.cancel();
    }

    /// Wait for the cut.
    pub(crate) async fn wait_for_cut(&self) {
        self.cut.cancelled().await;
    }

    /// The result of `talk` with the server, unless the power cut broke it off.
    pub(crate) async fn run<T>(&self, talk: impl Future<Output = Result<T>>) -> Result<T, ExchangeError> {
        talk.await.map_err(|error| match self.cut.is_cancelled() {
            true => ExchangeError::Off,
            false => ExchangeError::Wrong(error.context("the server broke it off by itself")),
        })
    }
}
