//! Where the two programs differ, held against the list of the differences that are meant.

use crate::differential::trace::ProgramTrace;
use anyhow::{Context as _, Result};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// One place where they differ; an empty side has nothing there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramDifference {
    conversation: String,
    gemini: String,
    pollux: String,
}

/// The list of differences that are meant.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedDifferences {
    /// The conversations that are compared.
    pub(crate) conversations: Vec<String>,
    /// The differences that may be there.
    #[serde(rename = "difference")]
    pub(crate) differences: Vec<IntendedDifference>,
}

/// A difference that is meant. Where a line ends in `*`, anything may follow.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntendedDifference {
    /// Why it is meant.
    pub(crate) reason: String,
    /// In which conversations it shows.
    conversations: Vec<String>,
    /// Gemini CLI's behaviour there.
    #[serde(rename = "gemini")]
    theirs: String,
    /// Pollux's behaviour there.
    #[serde(rename = "pollux")]
    pub(crate) ours: String,
}

impl IntendedDifference {
    fn covers(&self, found: &ProgramDifference) -> bool {
        let fits = |pattern: &str, line: &str| match pattern.strip_suffix('*') {
            Some(start) => line.starts_with(start),
            None => line == pattern,
        };
        self.conversations.contains(&found.conversation)
            && fits(&self.theirs, &found.gemini)
            && fits(&self.ours, &found.pollux)
    }
}

impl ExpectedDifferences {
    pub(crate) fn load(path: &Path) -> Result<ExpectedDifferences> {
        let text = std::fs::read_to_string(path)?;
        toml_edit::de::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Differences that nobody meant, and meant ones that are no more.
    pub(crate) fn complaints(&self, found: &[ProgramDifference], played: impl Fn(&String) -> bool) -> Vec<String> {
        let unlisted = found.iter().filter(|found| !self.differences.iter().any(|meant| meant.covers(found)));
        let mut complaints: Vec<String> = unlisted
            .map(|ProgramDifference { conversation, gemini, pollux }| {
                format!("{conversation} differs, and nobody meant it to:\n  gemini: {gemini}\n  pollux: {pollux}")
            })
            .collect();
        for meant in &self.differences {
            for conversation in meant.conversations.iter().filter(|name| played(name)) {
                let shows = |found: &&ProgramDifference| found.conversation == *conversation && meant.covers(found);
                if !found.iter().any(|found| shows(&found)) {
                    let (theirs, ours) = (&meant.theirs, &meant.ours);
                    complaints.push(format!(
                        "{conversation} no longer differs as listed; take it out:\n  gemini: {theirs}\n  pollux: {ours}"
                    ));
                }
            }
        }
        complaints
    }
}

/// Everything that differs between two traces of a conversation.
pub(crate) fn compare_traces(conversation: &str, theirs: &ProgramTrace, ours: &ProgramTrace) -> Vec<ProgramDifference> {
    let mut found = Vec::new();
    let mut note = |gemini: String, pollux: String| {
        if gemini != pollux {
            found.push(ProgramDifference { conversation: conversation.to_owned(), gemini, pollux });
        }
    };
    let line = |trace: &ProgramTrace, request: usize, at: usize| {
        trace.requests.get(request).and_then(|lines| lines.get(at)).cloned().unwrap_or_default()
    };
    for request in 0..theirs.requests.len().max(ours.requests.len()) {
        let count = |trace: &ProgramTrace| trace.requests.get(request).map_or(0, Vec::len);
        for at in 0..count(theirs).max(count(ours)) {
            note(line(theirs, request, at), line(ours, request, at));
        }
    }
    let paths: BTreeSet<&String> = theirs.files.keys().chain(ours.files.keys()).collect();
    let file = |trace: &ProgramTrace, path: &String| {
        let bytes = trace.files.get(path)?;
        Some(format!("leaves {path} with {:?}", String::from_utf8_lossy(bytes)))
    };
    for path in paths {
        note(file(theirs, path).unwrap_or_default(), file(ours, path).unwrap_or_default());
    }
    found
}
