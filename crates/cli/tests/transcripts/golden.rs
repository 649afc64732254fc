//! One recording as its file has it.

use anyhow::{Context as _, Result, bail};
use pollux_testkit::conversation::ScriptedConversation;
use serde_json::Value;
use std::path::Path;

/// A recording.
pub(crate) struct GoldenRecording {
    pub(crate) name: String,
    /// The model's answers, in order.
    pub(crate) upstream: Vec<Value>,
    /// Files that are in the workspace.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Variables of the server's environment; `$WS` is the workspace.
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) steps: Vec<RecordedStep>,
}

/// One request, and what was said to it.
pub(crate) struct RecordedStep {
    pub(crate) request: Value,
    lines: Vec<RecordedLine>,
}

struct RecordedLine {
    by: LineSource,
    text: String,
    reason: Option<String>,
}

/// The source of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineSource {
    Both,
    Original,
    Pollux,
}

impl GoldenRecording {
    /// Every recording in `directory`, by name.
    pub(crate) fn all(directory: &Path) -> Result<Vec<GoldenRecording>> {
        ScriptedConversation::all(directory)?.iter().map(GoldenRecording::read).collect()
    }

    fn read(file: &ScriptedConversation) -> Result<GoldenRecording> {
        let mut steps: Vec<RecordedStep> = Vec::new();
        for line in file.section("replay").context("no section `replay`")?.lines() {
            match (line.strip_prefix("> "), steps.last_mut()) {
                (Some(request), _) => {
                    let request = serde_json::from_str(request).with_context(|| format!("{}: {line}", file.name))?;
                    steps.push(RecordedStep { request, lines: Vec::new() });
                }
                (None, Some(step)) => step.lines.push(RecordedLine::read(line).with_context(|| file.name.clone())?),
                (None, None) => bail!("{}: a line before the first request: {line}", file.name),
            }
        }
        let files = file.files("before")?.into_iter().collect();
        let environment = file.lines("environment").into_iter().map(|line| {
            let (name, value) = line.split_once('=').with_context(|| format!("{}: {line}", file.name))?;
            Ok((name.to_owned(), value.to_owned()))
        });
        let environment = environment.collect::<Result<_>>()?;
        Ok(GoldenRecording { name: file.name.clone(), upstream: file.values("upstream")?, files, environment, steps })
    }

    /// The reasons it gives.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.steps.iter().flat_map(|step| step.lines.iter().filter_map(|line| line.reason.clone())).collect()
    }
}

impl RecordedStep {
    /// The lines of one of them.
    pub(crate) fn lines_of(&self, by: LineSource) -> Vec<String> {
        let said = self.lines.iter().filter(|line| line.by == LineSource::Both || line.by == by);
        said.map(|line| line.text.clone()).collect()
    }
}

impl RecordedLine {
    fn read(line: &str) -> Result<RecordedLine> {
        let by = match line.chars().next() {
            Some(' ') => LineSource::Both,
            Some('-') => LineSource::Original,
            Some('+') => LineSource::Pollux,
            _ => bail!("a line must begin with a space, `-` or `+`: {line:?}"),
        };
        let text = line.get(2..).unwrap_or_default();
        if by == LineSource::Both {
            return Ok(RecordedLine { by, text: text.to_owned(), reason: None });
        }
        let (text, reason) =
            text.rsplit_once(" ; ").with_context(|| format!("a difference without a reason: {line}"))?;
        Ok(RecordedLine { by, text: text.to_owned(), reason: Some(reason.to_owned()) })
    }
}
