//! Pictures, documents and sounds in the conversation: the model is shown those it can take, the newest first, as long as
//! there is room. What it is not shown has a note, and never costs the turn.

use crate::history::{MediaPlaceholder, contents_with_media, first_refusable, placeholder_part};
use crate::model_call_context::ModelCallContext;
use pollux_model::{MessagePart, ModelInfo, ModelMessage};
use pollux_session::{MediaContent, REFUSED_ATTACHMENT, Report, Transcript};
use pollux_tools::OutputStore;
use std::sync::Arc;

/// The most bytes of media in one request.
pub(crate) const MAX_BYTES: u64 = 40 * 1024 * 1024;

/// The conversation as the model of `desk` gets it. `said` is what it has said in the step being retried.
pub(crate) async fn contents_for_model(
    call_context: &ModelCallContext,
    transcript: &Transcript,
    said: &str,
) -> Vec<ModelMessage> {
    let (mut contents, spots) = contents_with_media(transcript, said);
    if spots.is_empty() {
        return contents;
    }
    let parts = choose_media(&spots, &call_context.model.info());
    let keeper = call_context.toolbox.output_store();
    // Reading and encoding megabytes is no work for the async threads.
    let parts = tokio::task::spawn_blocking(move || parts.into_iter().map(|part| part.read(&keeper)).collect()).await;
    let parts: Vec<MessagePart> = parts.unwrap_or_default();
    for (spot, part) in spots.iter().zip(parts) {
        contents[spot.content].parts[spot.part] = part;
    }
    contents
}

/// The most media that a note names.
const MAX_NAMED: usize = 10;

/// The note that takes media out of the conversation, after the provider has refused a request with them; `None` if the model
/// is shown nothing new.
pub(crate) fn refuse_media(call_context: &ModelCallContext, transcript: &Transcript) -> Option<Report> {
    let (_, spots) = contents_with_media(transcript, "");
    let shown = choose_media(&spots, &call_context.model.info());
    let first = first_refusable(&spots);
    let is_any_shown = shown[first..].iter().any(|choice| matches!(choice, MediaChoice::Itself(_)));
    if !is_any_shown {
        return None;
    }
    let taken = &spots[first..];
    let named: Vec<&str> = taken.iter().rev().take(MAX_NAMED).map(|spot| spot.media.name.as_str()).collect();
    let more = if taken.len() > MAX_NAMED { ", and others" } else { "" };
    let names = format!("{}{more}", named.join(", "));
    let text = "[The provider refused the request because of what you were to be shown. It was taken out: the notes in its place \
                say what it was. Do not read it again.]";
    Some(Report::Attached {
        name: format!("{REFUSED_ATTACHMENT}{names}"),
        text: text.to_owned(),
        media: Vec::new(),
        seen: Vec::new(),
    })
}

/// The media that a call of a sub-agent left behind, as `model` is shown them, as long as `room` bytes last.
pub(crate) async fn media_for_model(
    media: &[MediaContent],
    model: &ModelInfo,
    keeper: Arc<dyn OutputStore>,
    room: &mut u64,
) -> Vec<MessagePart> {
    let mut showings = Vec::new();
    for media in media {
        let spot = MediaPlaceholder { content: 0, part: 0, media, is_answered: false, is_refused: false };
        match room.checked_sub(media.blob.len) {
            Some(left) => {
                *room = left;
                showings.extend(choose_media(&[spot], model));
            }
            None => {
                showings.push(MediaChoice::Note(media.clone(), "is not shown: you have been shown too much already"));
            }
        }
    }
    let read = move || showings.into_iter().map(|showing| showing.read(&keeper)).collect();
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

/// The part that a model gets in place of a medium.
#[derive(Debug, PartialEq, Eq)]
enum MediaChoice {
    /// The thing itself.
    Itself(MediaContent),
    /// A note that says why not.
    Note(MediaContent, &'static str),
}

impl MediaChoice {
    fn read(self, keeper: &Arc<dyn OutputStore>) -> MessagePart {
        match self {
            MediaChoice::Note(media, why) => placeholder_part(&media, why),
            MediaChoice::Itself(media) => match keeper.read(&media.blob) {
                Ok(bytes) => MessagePart::media(&media.blob.media, &bytes),
                Err(error) => {
                    tracing::warn!(name = media.name, %error, "a model cannot be shown something");
                    placeholder_part(&media, "is no longer there")
                }
            },
        }
    }
}

/// The choices for all spots, in their order.
fn choose_media(spots: &[MediaPlaceholder<'_>], model: &ModelInfo) -> Vec<MediaChoice> {
    let mut room = MAX_BYTES;
    let mut showings: Vec<MediaChoice> = spots
        .iter()
        .rev()
        .map(|spot| {
            let media = spot.media.clone();
            if spot.is_refused {
                return MediaChoice::Note(media, "is left out: the provider refused a request with it");
            }
            if !model.takes(&media.blob.media) {
                return MediaChoice::Note(media, "cannot be shown to you: you take no such files");
            }
            match room.checked_sub(media.blob.len) {
                Some(left) => {
                    room = left;
                    MediaChoice::Itself(media)
                }
                None => {
                    MediaChoice::Note(media, "is no longer shown: there is too much to show at once; read it again")
                }
            }
        })
        .collect();
    showings.reverse();
    showings
}

#[cfg(test)]
mod tests;
