//! Which line answers a call: found from the conversation alone, so that a restart changes nothing.

use super::line::{HistoryEffect, ScriptLine};
use super::{LoadError, ScriptMismatch};
use crate::content::GO_ON;
use lru::LruCache;
use parking_lot::Mutex;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::ops::Range;

/// The most conversations with failing lines that are remembered at once.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

/// The lines, grouped: each place holds the lines that leave nothing behind and the one that then answers.
pub(super) struct ScriptPositions {
    lines: Vec<ScriptLine>,
    places: Vec<Range<usize>>,
    /// The place the repeating lines begin at, if any do.
    round: Option<usize>,
    /// Attempts made at a place, by conversation. Only failing lines need it, and it is all a restart forgets.
    attempts: Mutex<LruCache<u64, usize>>,
}

impl ScriptPositions {
    pub(super) fn new(lines: Vec<ScriptLine>) -> Result<ScriptPositions, LoadError> {
        let first_repeat = lines.iter().position(|line| line.repeat);
        if let Some(line) = lines.iter().skip(first_repeat.unwrap_or(lines.len())).find(|line| !line.repeat) {
            let why = "it can never be reached: lines before it repeat".to_owned();
            return Err(LoadError::Line { line: line.number, why });
        }
        let mut places = Vec::new();
        let mut round = None;
        let mut start = 0;
        for (at, line) in lines.iter().enumerate() {
            // A round begins with a place of its own.
            if Some(at) == first_repeat {
                if start < at {
                    places.push(start..at);
                }
                start = at;
                round = Some(places.len());
            }
            if line.leaves == HistoryEffect::Content {
                places.push(start..at + 1);
                start = at + 1;
            }
        }
        if start < lines.len() {
            places.push(start..lines.len());
        }
        if places.is_empty() {
            return Err(LoadError::Empty);
        }
        Ok(ScriptPositions { lines, places, round, attempts: Mutex::new(LruCache::sparse(REMEMBERED)) })
    }

    /// The line for the next attempt at answering `body`.
    pub(super) fn find(&self, body: &Value) -> Result<&ScriptLine, ScriptMismatch> {
        let contents = finished(body["contents"].as_array().map(Vec::as_slice).unwrap_or_default());
        let answered = contents.iter().filter(|content| content["role"] == "model").count();
        let ran_out = || ScriptMismatch::RanOut { call: answered + 1 };
        let place = match self.round {
            Some(round) if answered >= round => round + (answered - round) % (self.places.len() - round),
            _ => answered,
        };
        let lines = self.places.get(place).and_then(|range| self.lines.get(range.clone())).ok_or_else(ran_out)?;
        match lines {
            [only] if only.leaves == HistoryEffect::Content => Ok(only),
            _ => self.attempt(contents, lines).ok_or_else(ran_out),
        }
    }

    /// The line for one more attempt at a place; the one that answers is given as often as it is asked for.
    fn attempt<'a>(&self, contents: &[Value], lines: &'a [ScriptLine]) -> Option<&'a ScriptLine> {
        let mut attempts = self.attempts.lock();
        let made = attempts.get_or_insert_mut(fingerprint(contents), usize::default);
        let last = lines.last()?;
        let is_endless = last.repeat || last.leaves == HistoryEffect::Content;
        let line = lines.get(*made).or_else(|| is_endless.then_some(last));
        *made += 1;
        line
    }
}

/// The contents without an answer that broke off and the request to go on with it: asking again is another attempt.
fn finished(contents: &[Value]) -> &[Value] {
    match contents {
        [before @ .., unfinished, last] if unfinished["role"] == "model" && last["parts"][0]["text"] == GO_ON => before,
        _ => contents,
    }
}

/// A digest of a conversation that stays the same until the model has answered again, however often it is asked.
fn fingerprint(contents: &[Value]) -> u64 {
    let mut hasher = DefaultHasher::new();
    match contents.iter().rposition(|content| content["role"] == "model") {
        Some(last) => contents.iter().take(last + 1).for_each(|content| content.to_string().hash(&mut hasher)),
        None => contents.first().map(|content| content["parts"][0].to_string()).hash(&mut hasher),
    }
    hasher.finish()
}
