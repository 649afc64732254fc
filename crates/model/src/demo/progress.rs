//! The progress of a chain: its steps against the results that are in the conversation.

use super::step::{DemoCall, DemoStep, write_call};
use pollux_session::BuiltInTool;
use serde_json::Value;

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ChainOutcome<'a> {
    /// Its output.
    Gave(&'a str),
    /// A person changed what was written before allowing it.
    Changed,
    /// It failed or was declined; why, and what it printed all the same.
    Failed { why: &'a str, output: &'a str },
}

/// Where a chain is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChainProgress<'a> {
    /// The newest result, and the step it belongs to.
    pub(super) newest: Option<(usize, ChainOutcome<'a>)>,
    pub(super) next: NextStep,
}

/// The next step of a chain.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NextStep {
    /// This call, for this step.
    Call(usize, DemoCall),
    /// Nothing: this step went wrong, and those after it are not tried.
    Stop(usize),
    /// Nothing: the text to be replaced is not there.
    NotThere(usize),
    /// Nothing: the file was not shown whole, and writing it back would lose the rest.
    NotWhole(usize),
    /// Nothing: all is done.
    Rest,
}

/// Lay the `responses` of the turn against its `steps`.
pub(super) fn progress<'a>(steps: &[DemoStep], responses: &[&'a Value]) -> ChainProgress<'a> {
    let mut results = responses.iter().map(|response| outcome(response));
    let mut newest = None;
    for (at, step) in steps.iter().enumerate() {
        let mut call = step.call();
        loop {
            let Some(result) = results.next() else { return ChainProgress { newest, next: NextStep::Call(at, call) } };
            newest = Some((at, result.clone()));
            let is_first = call.0 == BuiltInTool::ReadFile;
            match (step, result) {
                (_, ChainOutcome::Failed { .. }) => return ChainProgress { newest, next: NextStep::Stop(at) },
                (DemoStep::Replace { from, to, file }, ChainOutcome::Gave(text)) if is_first => {
                    if is_part(text) {
                        return ChainProgress { newest, next: NextStep::NotWhole(at) };
                    }
                    if !text.contains(from.as_str()) {
                        return ChainProgress { newest, next: NextStep::NotThere(at) };
                    }
                    call = write_call(file, &text.replace(from.as_str(), to));
                }
                _ => break,
            }
        }
    }
    ChainProgress { newest, next: NextStep::Rest }
}

fn outcome(response: &Value) -> ChainOutcome<'_> {
    let text = |key: &str| response.get(key).and_then(Value::as_str);
    match (text("error"), text("output")) {
        (Some(why), output) => ChainOutcome::Failed { why, output: output.unwrap_or_default() },
        (None, Some(_)) if response.get("note").is_some() => ChainOutcome::Changed,
        (None, Some(output)) => ChainOutcome::Gave(output),
        (None, None) => ChainOutcome::Failed { why: "the result has no output", output: "" },
    }
}

/// True if the text of a file is not all of it, or not exactly it: `read_file` says so in brackets on its first line.
fn is_part(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    (first.starts_with('[') && first.ends_with(".]"))
        || text.contains("characters left out ...]")
        || text.contains('\u{fffd}')
}
