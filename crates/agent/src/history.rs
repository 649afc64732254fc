//! What the model is told of the conversation: prompts with what they mention, its own text and calls, and what came of
//! them. Every call is answered exactly once, thoughts are left out, and a summary stands for what was compacted.

mod wishes;

pub(crate) use wishes::{Wish, Wishes};

use crate::speech::call_meta_parts;
use pollux_model::{ATTACHED, Content, GO_ON, Part, PartData, Role};
use pollux_session::{CallId, CallOutcome, Edit, ItemKind, Line, Media, Transcript};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The conversation as a model gets it that is shown nothing but text. `said` is what it has said in the step being
/// retried.
pub(crate) fn contents(transcript: &Transcript, said: &str) -> Vec<Content> {
    with_media(transcript, said).0
}

/// Where in the conversation something that is no text belongs. A note stands in for it there.
pub(crate) struct Spot<'a> {
    pub(crate) content: usize,
    pub(crate) part: usize,
    pub(crate) media: &'a Media,
}

/// The conversation, and what the model could be shown in it, in order.
pub(crate) fn with_media<'a>(transcript: &'a Transcript, said: &str) -> (Vec<Content>, Vec<Spot<'a>>) {
    let mut history = History::default();
    let mut lines = transcript.told().into_iter().peekable();
    if let Some((before, summary)) = transcript.summary() {
        history.push(Role::User, text_part(&format!("{SUMMARY}{summary}"), Map::new()));
        while let Some(line) = lines.next_if(|line| line.seq().is_none_or(|seq| seq < before)) {
            history.pass_over(line);
        }
        history.resume_turn();
    }
    for line in lines {
        history.add(line);
    }
    history.answer_calls();
    let (mut contents, spots) = (history.contents, history.spots);
    if !said.is_empty() {
        contents.push(Content { role: Role::Model, parts: vec![text_part(said, Map::new())] });
    }
    if contents.last().is_some_and(|last| last.role == Role::Model) {
        contents.push(Content { role: Role::User, parts: vec![text_part(GO_ON, Map::new())] });
    }
    (contents, spots)
}

/// Stands in for something that is no text.
pub(crate) fn stand_in(media: &Media, why: &str) -> Part {
    text_part(&format!("[{} ({}) {why}]", media.name, media.blob.media), Map::new())
}

/// Why something is not shown, unless there is more to say.
const NOT_SHOWN: &str = "is not shown here";

/// Stands before a summary.
const SUMMARY: &str = "[This summary stands for our conversation so far.]\n";

#[derive(Default)]
struct History<'a> {
    contents: Vec<Content>,
    wishes: Wishes<'a>,
    /// What the person wants of the turn that was passed over and has not ended.
    under_way: Option<Wish<'a>>,
    /// What the provider attached to a superseded call, for the call that stands for it.
    inherited: HashMap<CallId, &'a Value>,
    /// Results of the calls in the newest model content.
    results: Vec<Part>,
    /// What belongs to them, by its place among them.
    result_media: Vec<(usize, &'a Media)>,
    spots: Vec<Spot<'a>>,
}

impl<'a> History<'a> {
    fn add(&mut self, line: &'a Line) {
        if matches!(line, Line::Turn { .. }) {
            self.answer_calls();
        }
        let wish = self.wishes.hear(line);
        if let Some(wish) = wish {
            self.want(wish);
        }
        match line {
            Line::Attachment { name, text, media, .. } => {
                if wish.is_none_or(|wish| wish.text.is_none()) {
                    self.push(Role::User, text_part(&format!("{ATTACHED}{name}]\n{text}"), Map::new()));
                }
                media.iter().for_each(|media| self.show(media));
            }
            Line::Item { kind: ItemKind::Text, text, meta, .. } => {
                self.answer_calls();
                let extra = meta.as_object().cloned().unwrap_or_default();
                if !text.is_empty() || !extra.is_empty() {
                    self.push(Role::Model, text_part(text, extra));
                }
            }
            // What came of it is in the result of the call it was made for.
            Line::Call { parent: Some(_), .. } => {}
            Line::Call { id, replaces, tool, args, meta, edit, outcome, .. } => {
                let meta = replaces.and_then(|old| self.inherited.remove(&old)).unwrap_or(meta);
                if *outcome == Some(CallOutcome::Superseded) {
                    self.inherited.insert(*id, meta);
                    return;
                }
                let (provider_id, extra) = call_meta_parts(meta);
                let data = PartData::FunctionCall { id: provider_id.clone(), name: tool.clone(), args: args.clone() };
                self.push(Role::Model, Part { data, thought: false, extra });
                let response = response(outcome.as_ref(), edit.as_ref());
                let data = PartData::FunctionResponse { id: provider_id, name: tool.clone(), response };
                self.results.push(Part { data, thought: false, extra: Map::new() });
                let media = outcome.as_ref().and_then(CallOutcome::result).map(|result| result.media.as_slice());
                for media in media.unwrap_or_default() {
                    self.result_media.push((self.results.len(), media));
                    self.results.push(stand_in(media, NOT_SHOWN));
                }
            }
            // A step is over before its calls are recorded, so the calls still open are those of the step before.
            Line::Step { .. } => self.answer_calls(),
            Line::Prompt { .. }
            | Line::Turn { .. }
            | Line::Item { kind: ItemKind::Thought, .. }
            | Line::Retry { .. }
            | Line::FellBack { .. }
            | Line::Rewound { .. }
            | Line::Spent { .. }
            | Line::Summary { .. }
            | Line::NoSummary { .. }
            | Line::End { .. } => {}
        }
    }

    /// Know of a line that a summary stands for.
    fn pass_over(&mut self, line: &'a Line) {
        match self.wishes.hear(line) {
            Some(wish) => self.under_way = Some(wish),
            None if matches!(line, Line::Turn { .. } | Line::End { .. }) => self.under_way = None,
            None => {}
        }
    }

    /// Say again what is wanted of a turn that began before the summary and goes on after it.
    fn resume_turn(&mut self) {
        if let Some(wish) = self.under_way.take() {
            self.want(wish);
        }
    }

    /// Say what is wanted, and show the files that came with it under their names.
    fn want(&mut self, wish: Wish<'a>) {
        if let Some(text) = wish.text {
            self.push(Role::User, text_part(text, Map::new()));
        }
        for media in wish.media {
            self.push(Role::User, text_part(&format!("{ATTACHED}{}]", media.name), Map::new()));
            self.show(media);
        }
    }

    /// Leave a spot for something that is no text.
    fn show(&mut self, media: &'a Media) {
        self.push(Role::User, stand_in(media, NOT_SHOWN));
        let content = self.contents.len() - 1;
        let part = self.contents[content].parts.len() - 1;
        self.spots.push(Spot { content, part, media });
    }

    /// Put the results of the newest calls behind them.
    fn answer_calls(&mut self) {
        if !self.results.is_empty() {
            let content = self.contents.len();
            let spots = std::mem::take(&mut self.result_media).into_iter();
            self.spots.extend(spots.map(|(part, media)| Spot { content, part, media }));
            self.contents.push(Content { role: Role::User, parts: std::mem::take(&mut self.results) });
        }
    }

    fn push(&mut self, role: Role, part: Part) {
        match self.contents.last_mut() {
            Some(last) if last.role == role => last.parts.push(part),
            _ => self.contents.push(Content { role, parts: vec![part] }),
        }
    }
}

fn text_part(text: &str, extra: Map<String, Value>) -> Part {
    Part { data: PartData::Text(text.to_owned()), thought: false, extra }
}

/// What the model learns about a call: `output` when it worked, `error` when it did not.
pub(crate) fn response(outcome: Option<&CallOutcome>, edit: Option<&Edit>) -> Value {
    let error = |text: &str| json!({ "error": text });
    match outcome {
        Some(CallOutcome::Succeeded { result }) => match edit {
            // What a person answered is in the tool's own text.
            None | Some(Edit::Answers { .. }) => json!({ "output": result.text }),
            Some(Edit::Content { new }) => json!({
                "output": result.text,
                "note": "The user changed the content before allowing this; the file holds what is in `written`.",
                "written": new,
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
