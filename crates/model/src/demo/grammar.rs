//! The language that the engine understands: a verb, and its objects.

use super::sentences::{PromptSentence, sentences};
use super::step::DemoStep;
use super::words::SentenceWords;

/// A prompt, understood or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DemoPlan {
    /// All of it: what to do, in order.
    Steps(Vec<DemoStep>),
    /// The person asks what there is to say.
    Help,
    /// This sentence is not understood, so nothing is done.
    NotUnderstood(String),
}

const READ: &[&str] = &["read", "show", "cat", "open", "print", "display"];
const WRITE: &[&str] = &["create", "write", "make", "save"];
const LIST: &[&str] = &["list", "ls"];
const FIND: &[&str] = &["find", "grep", "search"];
const REPLACE: &[&str] = &["replace"];
const RUN: &[&str] = &["run", "exec", "execute", "$"];
const POLITE: &[&str] = &["please", "can", "could", "would", "you", "now", "and", "also", "first", "next", "finally"];

/// The steps that `prompt` asks for.
pub(super) fn parse(prompt: &str) -> DemoPlan {
    let sentences = sentences(prompt);
    if let [only] = sentences.as_slice()
        && only.body.is_none()
        && is_help(&only.text)
    {
        return DemoPlan::Help;
    }
    let mut steps = Vec::new();
    for sentence in &sentences {
        match step(sentence) {
            Some(step) => steps.push(step),
            None => return DemoPlan::NotUnderstood(sentence.text.clone()),
        }
    }
    if steps.is_empty() { DemoPlan::NotUnderstood(prompt.trim().to_owned()) } else { DemoPlan::Steps(steps) }
}

/// True if a command begins here.
pub(super) fn starts_with_verb(text: &str) -> bool {
    let mut words = SentenceWords::new(text);
    words.skip_all(POLITE);
    [READ, WRITE, LIST, FIND, REPLACE, RUN].iter().any(|verbs| words.take(verbs))
}

fn is_help(text: &str) -> bool {
    let text = text.trim_end_matches(['?', '!', '.']).to_lowercase();
    matches!(text.as_str(), "" | "help" | "/help" | "what can you do" | "what do you understand" | "hello" | "hi")
}

fn step(sentence: &PromptSentence) -> Option<DemoStep> {
    let mut words = SentenceWords::new(&sentence.text);
    words.skip_all(POLITE);
    if words.take(RUN) {
        return run(words, sentence.body.as_deref());
    }
    if words.take(WRITE) {
        return write(words, sentence.body.as_deref());
    }
    // No other command takes fenced text.
    if sentence.body.is_some() {
        return None;
    }
    if words.take(READ) {
        return read(words);
    }
    if words.take(LIST) {
        return list(words);
    }
    if words.take(FIND) {
        return find(words);
    }
    if words.take(REPLACE) {
        return replace(words);
    }
    None
}

fn run(mut words: SentenceWords, body: Option<&str>) -> Option<DemoStep> {
    let stated = words;
    if words.take(&["the"]) && !words.take(&["command"]) {
        words = stated;
    } else {
        words.take(&["command"]);
    }
    if let Some(body) = body {
        return words.is_done().then(|| DemoStep::Run { command: body.trim_end().to_owned() });
    }
    // Only back quotes are ours: the others belong to the command.
    let whole = words.rest();
    let command = match words.quotation().filter(|_| whole.starts_with('`') && words.is_done()) {
        Some(quoted) => quoted,
        None => whole.to_owned(),
    };
    (!command.trim().is_empty()).then_some(DemoStep::Run { command })
}

fn write(mut words: SentenceWords, body: Option<&str>) -> Option<DemoStep> {
    if let Some(step) = write_quoted(words) {
        return body.is_none().then_some(step);
    }
    words.skip_all(&["a", "an", "the", "new"]);
    let is_empty = words.take(&["empty"]);
    words.skip_all(&["text", "file", "called", "named"]);
    let file = words.path()?;
    words.take(&["that", "and"]);
    let has_text = words.take(&["with", "containing", "contains", "saying", "says", "which"]);
    if let Some(body) = body {
        words.skip_all(&["the", "this", "following", "text", "content", "contents", "code", "body"]);
        return words.is_done().then(|| DemoStep::Write { file, content: body.to_owned() });
    }
    if is_empty {
        return words.is_done().then(|| DemoStep::Write { file, content: String::new() });
    }
    if !has_text {
        return None;
    }
    let stated = words;
    words.take(&["the"]);
    if !words.take(&["text", "content", "contents"]) || words.rest().is_empty() {
        words = stated;
    }
    let whole = words.rest().to_owned();
    let content = match words.quotation() {
        Some(quoted) if words.is_done() => quoted,
        _ => whole,
    };
    (!content.is_empty()).then_some(DemoStep::Write { file, content })
}

/// `write "text" to FILE`
fn write_quoted(mut words: SentenceWords) -> Option<DemoStep> {
    let content = words.quotation()?;
    if !words.take(&["to", "into", "in"]) {
        return None;
    }
    words.skip_all(&["the", "a", "new", "file"]);
    let file = words.path()?;
    words.is_done().then_some(DemoStep::Write { file, content })
}

fn read(mut words: SentenceWords) -> Option<DemoStep> {
    words.skip_all(&["me", "the", "content", "contents", "of", "file"]);
    let file = words.path()?;
    words.is_done().then_some(DemoStep::Read { file })
}

fn list(mut words: SentenceWords) -> Option<DemoStep> {
    let here = DemoStep::List { dir: ".".to_owned() };
    words.skip_all(&["me", "all", "the", "files", "file", "contents", "content"]);
    words.skip_all(&["in", "of", "under", "inside"]);
    words.skip_all(&["the", "this", "current", "directory", "folder", "workspace"]);
    if words.is_done() && !words.rest().starts_with('.') {
        return Some(here);
    }
    let dir = words.path()?;
    words.skip_all(&["directory", "folder"]);
    words.is_done().then_some(DemoStep::List { dir })
}

fn find(mut words: SentenceWords) -> Option<DemoStep> {
    words.skip_all(&["for", "the", "text", "word", "string"]);
    let whole = words.rest();
    let (pattern, place) = match words.quotation() {
        Some(pattern) if words.is_done() => (pattern, None),
        Some(pattern) => (pattern, Some(words.rest().strip_prefix("in ")?)),
        None => match whole.rsplit_once(" in ") {
            Some((pattern, place)) => (pattern.trim().to_owned(), Some(place)),
            None => (whole.trim_end_matches('.').to_owned(), None),
        },
    };
    let dir = match place {
        None => ".".to_owned(),
        Some(place) => {
            let mut words = SentenceWords::new(place);
            words.skip_all(&["the", "directory", "folder", "file"]);
            let dir = words.path()?;
            words.skip_all(&["directory", "folder"]);
            if !words.is_done() {
                return None;
            }
            dir
        }
    };
    (!pattern.is_empty()).then_some(DemoStep::Find { pattern, dir })
}

fn replace(mut words: SentenceWords) -> Option<DemoStep> {
    let from = words.term().filter(|from| !from.is_empty())?;
    if !words.take(&["with", "by"]) {
        return None;
    }
    let to = words.term()?;
    if !words.take(&["in"]) {
        return None;
    }
    words.skip_all(&["the", "file"]);
    let file = words.path()?;
    words.is_done().then_some(DemoStep::Replace { from, to, file })
}
