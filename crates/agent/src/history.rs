//! The conversation as the model is told it: prompts with what they mention, its own text and calls, and their results.
//! Every call is answered exactly once, thoughts are left out, and a summary stands for what was compacted.

mod turn_prompts;
mod unanswered_turns;

pub(crate) use turn_prompts::{TurnPrompt, TurnPromptReader};

use crate::output_buffer::call_meta_parts;
use pollux_model::{ATTACHED, GO_ON, MessagePart, MessageRole, ModelMessage, PartData};
use pollux_session::{
    AnswerEdit, CallId, CallOutcome, ItemKind, MediaContent, NOTE_ATTACHMENTS, REFUSED_ATTACHMENT,
    SITUATION_ATTACHMENT, Seq, Transcript, TranscriptLine, plain,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use unanswered_turns::{TurnFate, UnansweredTurns};

/// The conversation as a model gets it that is shown nothing but text. `said` is what it has said in the step being
/// retried.
pub(crate) fn text_contents(transcript: &Transcript, said: &str) -> Vec<ModelMessage> {
    contents_with_media(transcript, said).0
}

/// The lines that the model is told word for word, without those that a summary stands for and without marks.
pub(crate) fn verbatim_lines(transcript: &Transcript) -> Vec<&TranscriptLine> {
    let start = transcript.summary().map_or(Seq::START, |(before, _)| before);
    transcript.told().into_iter().filter(|line| line.seq().is_some_and(|seq| seq >= start)).collect()
}

/// Where in the conversation something that is no text belongs. A note stands in for it there.
pub(crate) struct MediaPlaceholder<'a> {
    pub(crate) content: usize,
    pub(crate) part: usize,
    pub(crate) media: &'a MediaContent,
    /// True if the model has answered since.
    pub(crate) is_answered: bool,
    /// True if the provider refused a request with it.
    pub(crate) is_refused: bool,
}

/// The conversation, and what the model could be shown in it, in order.
pub(crate) fn contents_with_media<'a>(
    transcript: &'a Transcript,
    said: &str,
) -> (Vec<ModelMessage>, Vec<MediaPlaceholder<'a>>) {
    let told = transcript.told();
    let mut history = HistoryBuilder { unanswered: UnansweredTurns::find(&told), ..HistoryBuilder::default() };
    let mut lines = told.into_iter().peekable();
    if let Some((before, summary)) = transcript.summary() {
        history.push(MessageRole::User, text_part(&format!("{SUMMARY}{summary}"), Map::new()));
        while let Some(line) = lines.next_if(|line| line.seq().is_none_or(|seq| seq < before)) {
            history.skip(line);
        }
        history.resume_turn();
    }
    for line in lines {
        history.add(line);
    }
    history.answer_calls();
    let (mut contents, spots) = (history.contents, history.placeholders);
    if !said.is_empty() {
        contents.push(ModelMessage { role: MessageRole::Model, parts: vec![text_part(said, Map::new())] });
    }
    if contents.last().is_some_and(|last| last.role == MessageRole::Model) {
        contents.push(ModelMessage { role: MessageRole::User, parts: vec![text_part(GO_ON, Map::new())] });
    }
    (contents, spots)
}

/// Where the media begin that are taken out when a provider refuses a request: those that came after the newest answer. It has
/// taken the others before.
pub(crate) fn first_refusable(placeholders: &[MediaPlaceholder<'_>]) -> usize {
    placeholders.iter().position(|placeholder| !placeholder.is_answered).unwrap_or(placeholders.len())
}

/// Stands in for something that is no text.
pub(crate) fn placeholder_part(media: &MediaContent, why: &str) -> MessagePart {
    text_part(&format!("[{} ({}) {why}]", media.name, media.blob.media), Map::new())
}

/// Why something is not shown, unless there is more to say.
const NOT_SHOWN: &str = "is not shown here";

/// The most that is told of what a call printed before it was stopped, in bytes.
const MAX_UNFINISHED_OUTPUT: usize = 4 * 1024;

/// Stands behind a prompt whose turn was stopped before anything came of it.
const CANCELLED: &str = "[The person cancelled this before you answered. Do not act on it unless they ask again.]";

/// Stands before a summary.
const SUMMARY: &str = "[This summary stands for our conversation so far.]\n";

#[derive(Default)]
struct HistoryBuilder<'a> {
    contents: Vec<ModelMessage>,
    prompts: TurnPromptReader<'a>,
    /// The request of the turn that was passed over and has not ended.
    running_prompt: Option<TurnPrompt<'a>>,
    /// Superseded calls, for those that stand for them.
    superseded: HashMap<CallId, SupersededCall<'a>>,
    /// Results of the calls in the newest model content.
    results: Vec<CallResponse<'a>>,
    placeholders: Vec<MediaPlaceholder<'a>>,
    /// The turns that nothing came of.
    unanswered: UnansweredTurns,
    /// True while a turn is read whose prompt is not told.
    is_left_out: bool,
}

/// A call that another one stands for, which is told in its place.
struct SupersededCall<'a> {
    /// Data that the provider attached to it.
    meta: &'a Value,
    /// `None` once its answer is complete.
    place: Option<CallPlace>,
}

/// Where a call of the newest model content is told.
#[derive(Clone, Copy)]
struct CallPlace {
    content: usize,
    part: usize,
    result: usize,
}

/// The result of a call, with what is no text in it.
struct CallResponse<'a> {
    response: MessagePart,
    media: &'a [MediaContent],
}

impl<'a> HistoryBuilder<'a> {
    fn add(&mut self, line: &'a TranscriptLine) {
        if let TranscriptLine::Turn { id, .. } = line {
            self.answer_calls();
            self.is_left_out = self.unanswered.fate(*id) == TurnFate::LeftOut;
        }
        let wish = self.prompts.read_line(line);
        if let Some(wish) = wish.filter(|_| !self.is_left_out) {
            self.push_prompt(wish);
        }
        match line {
            TranscriptLine::End { turn, .. } if self.unanswered.fate(*turn) == TurnFate::Cancelled => {
                self.push(MessageRole::User, text_part(CANCELLED, Map::new()));
            }
            TranscriptLine::Attachment { name, text, .. } if name == SITUATION_ATTACHMENT => {
                self.answer_calls();
                self.tell_situation(text);
            }
            TranscriptLine::Attachment { name, text, media, .. } => {
                if NOTE_ATTACHMENTS.iter().any(|note| name.starts_with(note)) {
                    // It may come in the middle of a turn, behind calls.
                    self.answer_calls();
                    if name.starts_with(REFUSED_ATTACHMENT) {
                        self.refuse_media();
                    }
                    self.push(MessageRole::User, text_part(text, Map::new()));
                } else if self.is_left_out {
                    return;
                } else if wish.is_none_or(|wish| wish.text.is_none()) {
                    self.push(MessageRole::User, text_part(&format!("{ATTACHED}{name}]\n{text}"), Map::new()));
                }
                media.iter().for_each(|media| self.add_placeholder(media));
            }
            TranscriptLine::Item { kind: ItemKind::Text, text, meta, .. } => {
                self.answer_calls();
                let extra = meta.as_object().cloned().unwrap_or_default();
                if !text.is_empty() || !extra.is_empty() {
                    self.push(MessageRole::Model, text_part(text, extra));
                }
            }
            // What came of it is in the result of the call it was made for.
            TranscriptLine::Call { parent: Some(_), .. } => {}
            TranscriptLine::Call { id, replaces, tool, args, meta, edit, outcome, output, .. } => {
                let old = replaces.and_then(|old| self.superseded.remove(&old));
                let (meta, place) = old.map_or((meta, None), |old| (old.meta, old.place));
                let (provider_id, extra) = call_meta_parts(meta);
                let data = PartData::FunctionCall { id: provider_id.clone(), name: tool.clone(), args: args.clone() };
                let call = MessagePart { data, thought: false, extra };
                let mut response = call_response(outcome.as_ref(), edit.as_ref());
                if matches!(outcome, Some(CallOutcome::Cancelled | CallOutcome::Interrupted)) && !output.is_empty() {
                    response["output"] = unfinished_output(output).into();
                }
                let data = PartData::FunctionResponse { id: provider_id, name: tool.clone(), response };
                let response = MessagePart { data, thought: false, extra: Map::new() };
                let media = outcome.as_ref().and_then(CallOutcome::result).map(|result| result.media.as_slice());
                let response = CallResponse { response, media: media.unwrap_or_default() };
                let place = Some(self.tell_call(place, call, response));
                if *outcome == Some(CallOutcome::Superseded) {
                    self.superseded.insert(*id, SupersededCall { meta, place });
                }
            }
            // A step is over before its calls are recorded, so the calls still open are those of the step before.
            TranscriptLine::Step { .. } => {
                self.answer_calls();
                self.placeholders.iter_mut().for_each(|placeholder| placeholder.is_answered = true);
            }
            TranscriptLine::Prompt { .. }
            | TranscriptLine::Turn { .. }
            | TranscriptLine::Item { kind: ItemKind::Thought, .. }
            | TranscriptLine::Retry { .. }
            | TranscriptLine::FellBack { .. }
            | TranscriptLine::Rewound { .. }
            | TranscriptLine::Spent { .. }
            | TranscriptLine::Summary { .. }
            | TranscriptLine::NoSummary { .. }
            | TranscriptLine::End { .. } => {}
        }
    }

    /// Know of a line that a summary stands for.
    fn skip(&mut self, line: &'a TranscriptLine) {
        match self.prompts.read_line(line) {
            Some(wish) => self.running_prompt = Some(wish),
            None if matches!(line, TranscriptLine::Turn { .. } | TranscriptLine::End { .. }) => {
                self.running_prompt = None;
            }
            None => {}
        }
    }

    /// Say again what is wanted of a turn that began before the summary and goes on after it.
    fn resume_turn(&mut self) {
        if let Some(wish) = self.running_prompt.take() {
            self.push_prompt(wish);
        }
    }

    /// Say what is wanted, and show the files that came with it under their names.
    fn push_prompt(&mut self, wish: TurnPrompt<'a>) {
        if let Some(text) = wish.text {
            self.push(MessageRole::User, text_part(text, Map::new()));
        }
        for media in wish.media {
            self.push(MessageRole::User, text_part(&format!("{ATTACHED}{}]", media.name), Map::new()));
            self.add_placeholder(media);
        }
    }

    /// Say where the model works: before the prompt, which comes last, where nothing else has been said yet.
    fn tell_situation(&mut self, text: &str) {
        let has_result = |part: &MessagePart| matches!(part.data, PartData::FunctionResponse { .. });
        let at = self.contents.len().saturating_sub(1);
        match self.contents.last_mut() {
            Some(last) if last.role == MessageRole::User && !last.parts.iter().any(has_result) => {
                last.parts.insert(0, text_part(text, Map::new()));
                let moved = self.placeholders.iter_mut().filter(|placeholder| placeholder.content == at);
                moved.for_each(|placeholder| placeholder.part += 1);
            }
            _ => self.push(MessageRole::User, text_part(text, Map::new())),
        }
    }

    /// Take out the media that made a provider refuse the request.
    fn refuse_media(&mut self) {
        let from = first_refusable(&self.placeholders);
        self.placeholders[from..].iter_mut().for_each(|placeholder| placeholder.is_refused = true);
    }

    /// Leave a spot for something that is no text.
    fn add_placeholder(&mut self, media: &'a MediaContent) {
        self.push(MessageRole::User, placeholder_part(media, NOT_SHOWN));
        let content = self.contents.len() - 1;
        let part = self.contents[content].parts.len() - 1;
        self.placeholders.push(MediaPlaceholder { content, part, media, is_answered: false, is_refused: false });
    }

    /// Tell a call with its result at `place`, or else behind the others. Gives back where that is.
    fn tell_call(&mut self, place: Option<CallPlace>, call: MessagePart, response: CallResponse<'a>) -> CallPlace {
        if let Some(place) = place
            && let Some(told) = self.contents.get_mut(place.content).and_then(|told| told.parts.get_mut(place.part))
            && let Some(result) = self.results.get_mut(place.result)
        {
            (*told, *result) = (call, response);
            return place;
        }
        self.push(MessageRole::Model, call);
        self.results.push(response);
        let content = self.contents.len() - 1;
        CallPlace { content, part: self.contents[content].parts.len() - 1, result: self.results.len() - 1 }
    }

    /// Put the results of the newest calls behind them.
    fn answer_calls(&mut self) {
        if self.results.is_empty() {
            return;
        }
        self.superseded.values_mut().for_each(|superseded| superseded.place = None);
        let content = self.contents.len();
        let mut parts = Vec::new();
        for CallResponse { response, media } in std::mem::take(&mut self.results) {
            parts.push(response);
            for media in media {
                self.placeholders.push(MediaPlaceholder {
                    content,
                    part: parts.len(),
                    media,
                    is_answered: false,
                    is_refused: false,
                });
                parts.push(placeholder_part(media, NOT_SHOWN));
            }
        }
        self.contents.push(ModelMessage { role: MessageRole::User, parts });
    }

    fn push(&mut self, role: MessageRole, part: MessagePart) {
        match self.contents.last_mut() {
            Some(last) if last.role == role => last.parts.push(part),
            _ => self.contents.push(ModelMessage { role, parts: vec![part] }),
        }
    }
}

fn text_part(text: &str, extra: Map<String, Value>) -> MessagePart {
    MessagePart { data: PartData::Text(text.to_owned()), thought: false, extra }
}

/// The end of what a call had printed when it was stopped. All of it may be in the log; how far it came is what matters.
fn unfinished_output(printed: &str) -> String {
    let printed = plain(printed);
    let start = printed.ceil_char_boundary(printed.len().saturating_sub(MAX_UNFINISHED_OUTPUT));
    let cut = if start > 0 { "[…]\n" } else { "" };
    format!("{cut}{}", &printed[start..])
}

/// The result of a call for the model: `output` when it worked, `error` when it did not.
pub(crate) fn call_response(outcome: Option<&CallOutcome>, edit: Option<&AnswerEdit>) -> Value {
    let error = |text: &str| json!({ "error": text });
    match outcome {
        Some(CallOutcome::Succeeded { result }) => match edit {
            // What a person answered is in the tool's own text.
            None | Some(AnswerEdit::Answers { .. }) => json!({ "output": result.text }),
            Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }) => json!({
                "output": result.text,
                "note": "The user changed the content before allowing this: see `output`.",
            }),
        },
        Some(CallOutcome::Failed { error: failure, result }) => match result {
            Some(result) => json!({ "error": failure.message, "output": result.text }),
            None => error(&failure.message),
        },
        Some(CallOutcome::Declined) => {
            error("The user declined this call. Do not try it again unless they ask for it.")
        }
        Some(CallOutcome::Denied { why }) => error(why),
        Some(CallOutcome::Cancelled) => error("The user cancelled the turn before this call was done."),
        Some(CallOutcome::Interrupted) => {
            error("Pollux was restarted while this call ran. Its outcome is unknown: check before doing it again.")
        }
        Some(CallOutcome::Superseded) | None => error("This call was not run."),
    }
}

#[cfg(test)]
mod tests;
