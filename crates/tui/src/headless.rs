//! One prompt and its answer, without a screen: `pollux -p`. As text, the answer goes to one stream and everything else
//! to the other; as JSON, a program reads all of it from the first.

mod answer_text;
mod denial_advice;
mod formatter;
mod json_formatter;
mod json_stats;
mod output_streams;
mod run;
mod stream_json_event;
mod stream_json_formatter;
mod text_formatter;

use crate::line_input::LineInput;
use crate::send::TerminalError;
use crate::wall_clock::now;
use formatter::{HeadlessEnding, formatter_for};
use pollux_session::{PriceLookup, PromptId, Seat, SessionId, TurnFailure};
use run::HeadlessRun;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

/// The time that the last words may take after a shutdown, when whoever reads them has stopped reading.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// The format of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// The answer, cleaned for a terminal.
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON object per line, as things happen.
    StreamJson,
}

/// Settings of one prompt.
#[derive(Clone, Debug, Default)]
pub struct HeadlessSettings {
    pub format: OutputFormat,
    /// Prices for the stats; `None` without costs.
    pub prices: Option<PriceLookup>,
    /// Length in bytes of the beginning of the prompt that was piped in: commands and mentions in it do not count.
    pub piped_len: usize,
    /// The prompt whose turn was running when the session was left. The turn is cancelled before the new prompt, which would
    /// wait for it and for its asks.
    pub left_turn: Option<PromptId>,
}

/// The person who answers asks, or nobody.
#[derive(Debug)]
pub enum AskResponder {
    /// A person, who types on these lines.
    Person(LineInput),
    /// Nobody: what would be asked is denied, and the way to allow it is named.
    Nobody,
}

/// The end of the one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadlessOutcome {
    /// The agent has done what it could.
    Rested,
    /// It has rested, but something it wanted to do was denied because nobody was there to allow it.
    Denied,
    /// It could not go on.
    Failed,
    /// The session has had all the turns it may have.
    OutOfTurns,
    /// Somebody stopped it.
    Cancelled,
}

impl HeadlessOutcome {
    /// The exit code of the program. Work that was denied unasked is not done, and a script has to learn of it.
    pub fn exit_code(self) -> u8 {
        match self {
            HeadlessOutcome::Rested => 0,
            HeadlessOutcome::Denied | HeadlessOutcome::Failed => 1,
            // Gemini CLI's number for it.
            HeadlessOutcome::OutOfTurns => 53,
            HeadlessOutcome::Cancelled => 130,
        }
    }
}

/// Send `prompt`, write the answer to `output` as the settings say, and return when its turn is over. Asks, and with
/// [`OutputFormat::Text`] everything else that happens, go to `errors`. When `shutdown` is cancelled, so is the turn.
///
/// In the JSON formats whatever goes wrong is told on `output`; the outcome is then [`HeadlessOutcome::Failed`], and the only
/// error left is that `output` takes no more.
pub async fn run_headless(
    seat: Arc<dyn Seat>,
    prompt: String,
    output: impl AsyncWrite + Unpin + Send,
    errors: impl AsyncWrite + Unpin + Send,
    asks: AskResponder,
    settings: HeadlessSettings,
    shutdown: CancellationToken,
) -> Result<HeadlessOutcome, TerminalError> {
    let (format, piped_len, left_turn) = (settings.format, settings.piped_len, settings.left_turn);
    let mut watch = HeadlessRun::new(seat, output, errors, asks, settings);
    // Not to be interrupted: a prompt of which nobody knows whether it was accepted cannot be taken back.
    let ended = match watch.begin(prompt, piped_len, left_turn).await {
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
            match tokio::time::timeout(FINAL_WRITE_TIMEOUT, watch.end(&ending)).await {
                Ok(written) => written.map(|()| ending.outcome),
                Err(_) => Ok(ending.outcome),
            }
        }
        (Some(Ok(ending)), _) => {
            watch.end(&ending).await?;
            Ok(ending.outcome)
        }
        (Some(Err(error @ TerminalError::Output(_))), _) | (Some(Err(error)), OutputFormat::Text) => Err(error),
        (Some(Err(error)), OutputFormat::Json | OutputFormat::StreamJson) => {
            watch.end(&HeadlessEnding::from_error(&error, watch.newest_time())).await?;
            Ok(HeadlessOutcome::Failed)
        }
    }
}

/// Tell a program that reads JSON why nothing could be begun: no key, no such session, a wrong flag. `exit_code` is what
/// the process is about to exit with. With [`OutputFormat::Text`] nothing is written: the caller has its own words for people.
pub async fn report_failure(
    mut output: impl AsyncWrite + Unpin,
    format: OutputFormat,
    session: Option<SessionId>,
    failure: TurnFailure,
    exit_code: u8,
) -> io::Result<()> {
    let mut teller = formatter_for(HeadlessSettings { format, ..HeadlessSettings::default() }, session);
    teller.format_ending(&HeadlessEnding {
        outcome: HeadlessOutcome::Failed,
        failure: Some(failure),
        exit_code,
        at: now(),
    });
    output.write_all(teller.take_output().as_bytes()).await?;
    output.flush().await
}

#[cfg(test)]
mod tests;
