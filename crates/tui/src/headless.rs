//! One prompt and its answer, without a screen: `pollux -p`. As text, the answer goes to one stream and everything else
//! to the other; as JSON, a program reads all of it from the first.

mod decline;
mod frame;
mod json;
mod spoken;
mod stats;
mod stream;
mod streams;
mod teller;
mod text;
mod watch;

use crate::lines::Lines;
use crate::prices::Prices;
use crate::send::PlainError;
use pollux_session::{At, Failure, Seat, SessionId};
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use teller::{Ending, teller};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;
use watch::Watch;

/// How long the last words may take after a shutdown, when whoever reads them has stopped reading.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How the answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The answer, cleaned for a terminal.
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON object per line, as things happen.
    StreamJson,
}

/// How one prompt is run.
#[derive(Clone, Debug, Default)]
pub struct OnceSettings {
    /// How the answer is written.
    pub format: Format,
    /// What the stats reckon costs by; `None` for none.
    pub prices: Option<Prices>,
    /// How many bytes at the beginning of the prompt were piped in: no command and no mention is looked for in them.
    pub piped_len: usize,
}

/// Who is there to be asked.
#[derive(Debug)]
pub enum Asks {
    /// A person, who types on these lines.
    Person(Lines),
    /// Nobody: what would be asked is declined, and the way to allow it is named.
    Nobody,
}

/// How the one turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The agent has done what it could.
    Rested,
    /// It has rested, but something it wanted to do was declined because nobody was there to allow it.
    Declined,
    /// It could not go on.
    Failed,
    /// The session has had all the turns it may have.
    OutOfTurns,
    /// Somebody stopped it.
    Cancelled,
}

impl Outcome {
    /// The exit code of the program. Work that was declined unasked is not done, and a script has to learn of it.
    pub fn exit_code(self) -> u8 {
        match self {
            Outcome::Rested => 0,
            Outcome::Declined | Outcome::Failed => 1,
            // Gemini CLI's number for it.
            Outcome::OutOfTurns => 53,
            Outcome::Cancelled => 130,
        }
    }
}

/// Send `prompt`, write the answer to `output` as the settings say, and return when its turn is over. Asks, and with
/// [`Format::Text`] everything else that happens, go to `errors`. When `shutdown` is cancelled, so is the turn.
///
/// In the JSON formats whatever goes wrong is told on `output`; the outcome is then [`Outcome::Failed`], and the only
/// error left is that `output` takes no more.
pub async fn run_once(
    seat: Arc<dyn Seat>,
    prompt: String,
    output: impl AsyncWrite + Unpin + Send,
    errors: impl AsyncWrite + Unpin + Send,
    asks: Asks,
    settings: OnceSettings,
    shutdown: CancellationToken,
) -> Result<Outcome, PlainError> {
    let (format, piped_len) = (settings.format, settings.piped_len);
    let mut watch = Watch::new(seat, output, errors, asks, settings);
    // Not to be interrupted: a prompt of which nobody knows whether it was accepted cannot be taken back.
    let ended = match watch.begin(prompt, piped_len).await {
        Err(error) => Some(Err(error)),
        Ok(()) => tokio::select! {
            biased;
            () = shutdown.cancelled() => None,
            ended = watch.follow() => Some(ended),
        },
    };
    match (ended, format) {
        (None, _) => {
            let ending = watch.stop().await;
            match tokio::time::timeout(LAST_WORDS, watch.end(&ending)).await {
                Ok(written) => written.map(|()| ending.outcome),
                Err(_) => Ok(ending.outcome),
            }
        }
        (Some(Ok(ending)), _) => {
            watch.end(&ending).await?;
            Ok(ending.outcome)
        }
        (Some(Err(error @ PlainError::Output(_))), _) | (Some(Err(error)), Format::Text) => Err(error),
        (Some(Err(error)), Format::Json | Format::StreamJson) => {
            watch.end(&Ending::of_error(&error, watch.at())).await?;
            Ok(Outcome::Failed)
        }
    }
}

/// Tell a program that reads JSON why nothing could be begun: no key, no such session, a wrong flag. `exit_code` is what
/// the process is about to exit with. With [`Format::Text`] nothing is written: the caller has its own words for people.
pub async fn report_failure(
    mut output: impl AsyncWrite + Unpin,
    format: Format,
    session: Option<SessionId>,
    failure: Failure,
    exit_code: u8,
) -> io::Result<()> {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at = At(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX));
    let mut teller = teller(OnceSettings { format, ..OnceSettings::default() }, session);
    teller.end(&Ending { outcome: Outcome::Failed, failure: Some(failure), exit_code, at });
    output.write_all(teller.take().as_bytes()).await?;
    output.flush().await
}

#[cfg(test)]
mod tests;
