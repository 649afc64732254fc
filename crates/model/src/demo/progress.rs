//! How far a chain is: its steps against the results that are in the conversation.

use super::step::{Call, Step, write_call};
use serde_json::Value;

/// What a tool call gave.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome<'a> {
    /// Its output.
    Gave(&'a str),
    /// A person changed what was written before allowing it.
    Changed,
    /// It failed or was declined; why, and what it printed all the same.
    Failed { why: &'a str, output: &'a str },
}

/// Where a chain is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Progress<'a> {
    /// The newest result, and the step it belongs to.
    pub(super) newest: Option<(usize, Outcome<'a>)>,
    /// What comes now.
    pub(super) next: Next,
}

/// What comes now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Next {
    /// This call, for this step.
    Call(usize, Call),
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
pub(super) fn progress<'a>(steps: &[Step], responses: &[&'a Value]) -> Progress<'a> {
    let mut results = responses.iter().map(|response| outcome(response));
    let mut newest = None;
    for (at, step) in steps.iter().enumerate() {
        let mut call = step.call();
        loop {
            let Some(result) = results.next() else { return Progress { newest, next: Next::Call(at, call) } };
            newest = Some((at, result.clone()));
            let is_first = call.0 == "read_file";
            match (step, result) {
                (_, Outcome::Failed { .. }) => return Progress { newest, next: Next::Stop(at) },
                (Step::Replace { from, to, file }, Outcome::Gave(text)) if is_first => {
                    if is_part(text) {
                        return Progress { newest, next: Next::NotWhole(at) };
                    }
                    if !text.contains(from.as_str()) {
                        return Progress { newest, next: Next::NotThere(at) };
                    }
                    call = write_call(file, &text.replace(from.as_str(), to));
                }
                _ => break,
            }
        }
    }
    Progress { newest, next: Next::Rest }
}

fn outcome(response: &Value) -> Outcome<'_> {
    let text = |key: &str| response.get(key).and_then(Value::as_str);
    match (text("error"), text("output")) {
        (Some(why), output) => Outcome::Failed { why, output: output.unwrap_or_default() },
        (None, Some(_)) if response.get("written").is_some() => Outcome::Changed,
        (None, Some(output)) => Outcome::Gave(output),
        (None, None) => Outcome::Failed { why: "the result has no output", output: "" },
    }
}

/// Whether the text of a file is not all of it, or not exactly it: `read_file` says so in brackets on its first line.
fn is_part(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    (first.starts_with('[') && first.ends_with(".]"))
        || text.contains("characters left out ...]")
        || text.contains('\u{fffd}')
}
