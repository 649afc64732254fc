//! Pictures, documents and sounds in the conversation: the model is shown those it can take, the newest first, as long as
//! there is room. What it is not shown has a note, and never costs the turn.

use crate::agent::Desk;
use crate::history::{Spot, stand_in, with_media};
use pollux_model::{Content, ModelInfo, Part};
use pollux_session::{Media, Transcript};
use pollux_tools::OutputKeeper;
use std::sync::Arc;

/// How many bytes one request shows at most.
pub(crate) const MAX_BYTES: u64 = 40 * 1024 * 1024;

/// The conversation as the model of `desk` gets it. `said` is what it has said in the step being retried.
pub(crate) async fn shown_contents(desk: &Desk, transcript: &Transcript, said: &str) -> Vec<Content> {
    let (mut contents, spots) = with_media(transcript, said);
    if spots.is_empty() {
        return contents;
    }
    let parts = choose(&spots, &desk.model.info());
    let keeper = desk.toolbox.keeper();
    // Reading and encoding megabytes is no work for the async threads.
    let parts = tokio::task::spawn_blocking(move || parts.into_iter().map(|part| part.read(&keeper)).collect()).await;
    let parts: Vec<Part> = parts.unwrap_or_default();
    for (spot, part) in spots.iter().zip(parts) {
        contents[spot.content].parts[spot.part] = part;
    }
    contents
}

/// What `model` is shown of what a call of a sub-agent left behind, as long as `room` bytes last.
pub(crate) async fn shown_media(
    media: &[Media],
    model: &ModelInfo,
    keeper: Arc<dyn OutputKeeper>,
    room: &mut u64,
) -> Vec<Part> {
    let mut showings = Vec::new();
    for media in media {
        let spot = Spot { content: 0, part: 0, media };
        match room.checked_sub(media.blob.len) {
            Some(left) => {
                *room = left;
                showings.extend(choose(&[spot], model));
            }
            None => showings.push(Showing::Note(media.clone(), "is not shown: you have been shown too much already")),
        }
    }
    let read = move || showings.into_iter().map(|showing| showing.read(&keeper)).collect();
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// What a model gets at a spot.
#[derive(Debug, PartialEq, Eq)]
enum Showing {
    /// The thing itself.
    Itself(Media),
    /// A note that says why not.
    Note(Media, &'static str),
}

impl Showing {
    fn read(self, keeper: &Arc<dyn OutputKeeper>) -> Part {
        match self {
            Showing::Note(media, why) => stand_in(&media, why),
            Showing::Itself(media) => match keeper.read(&media.blob) {
                Ok(bytes) => Part::media(&media.blob.media, &bytes),
                Err(error) => {
                    tracing::warn!(name = media.name, %error, "a model cannot be shown something");
                    stand_in(&media, "is no longer there")
                }
            },
        }
    }
}

/// What is shown at each spot, in their order.
fn choose(spots: &[Spot<'_>], model: &ModelInfo) -> Vec<Showing> {
    let mut room = MAX_BYTES;
    let mut showings: Vec<Showing> = spots
        .iter()
        .rev()
        .map(|spot| {
            let media = spot.media.clone();
            if !model.takes(&media.blob.media) {
                return Showing::Note(media, "cannot be shown to you: you take no such files");
            }
            match room.checked_sub(media.blob.len) {
                Some(left) => {
                    room = left;
                    Showing::Itself(media)
                }
                None => Showing::Note(media, "is no longer shown: there is too much to show at once; read it again"),
            }
        })
        .collect();
    showings.reverse();
    showings
}

#[cfg(test)]
mod tests;
