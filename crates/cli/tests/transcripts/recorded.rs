//! The raw recordings, where they are at hand: what the original said, reduced to lines just as what Pollux says.

use crate::transcripts::golden::{GoldenRecording, LineSource};
use crate::transcripts::http_requests;
use crate::transcripts::lines::{self, SeenIds};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The line for an original that said nothing and hung up, or was not there any more.
const NO_ANSWER: &str = "no answer";

/// Where the lines that `golden` has for the original are not those of its `recording`.
pub(crate) fn complaints(golden: &GoldenRecording, recording: &str) -> Result<Vec<String>> {
    let recorded = Vec::from_iter(recording.split("##### ").skip(1));
    let written = exchanges(golden)?;
    let (before, after) = (recorded.len(), written.len());
    ensure!(before == after, "{}: {before} requests were recorded, {after} are replayed", golden.name);
    let mut names = SeenIds::default();
    let mut complaints = Vec::new();
    for (number, (request, lines)) in written.iter().enumerate() {
        let place = request.get("recorded").and_then(Value::as_u64).map_or(Ok(number), usize::try_from)?;
        let exchange = recorded.get(place).with_context(|| format!("{}: no place {place}", golden.name))?;
        let said = reduced(request, exchange, &mut names).with_context(|| format!("{}: {exchange}", golden.name))?;
        if said.len() != lines.len() || !lines.iter().zip(&said).all(|(line, said)| fits(line, said)) {
            let (lines, said) = (lines.join("\n  "), said.join("\n  "));
            complaints.push(format!("{}: {request}\nwritten:\n  {lines}\nrecorded:\n  {said}", golden.name));
        }
    }
    Ok(complaints)
}

/// True if this was said, where `(words)` stands for any text.
fn fits(line: &str, mut said: &str) -> bool {
    let mut pieces = line.split("(words)").peekable();
    let Some(rest) = said.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    said = rest;
    while let Some(piece) = pieces.next() {
        let found = if pieces.peek().is_some() { said.find(piece) } else { said.strip_suffix(piece).map(str::len) };
        let Some(at) = found else { return false };
        said = &said[at + piece.len()..];
    }
    said.is_empty()
}

/// Each request with the original's lines; those of a stream that is read in two goes are together. A request may say at
/// which place it is `recorded`, if that is not its own, or that it is not.
fn exchanges(golden: &GoldenRecording) -> Result<Vec<(Value, Vec<String>)>> {
    let mut exchanges: Vec<(Value, Vec<String>)> = Vec::new();
    let mut open = Vec::new();
    for step in &golden.steps {
        let (request, lines) = (&step.request, step.lines_of(LineSource::Original));
        if let Some(index) = request.get("rest").and_then(Value::as_u64) {
            let stream: usize = *open.get(usize::try_from(index)?).context("no such stream")?;
            let mut lines = lines.into_iter();
            let begun = &mut exchanges[stream].1;
            match (begun.last_mut(), lines.next()) {
                (Some(last), Some(next)) => match lines::joined(last, &next) {
                    Some(both) => *last = both,
                    None => begun.push(next),
                },
                (None, Some(next)) => begun.push(next),
                (_, None) => {}
            }
            begun.extend(lines);
        } else if request.get("hang_up").is_none() && request.get("wait").is_none() && request["recorded"] != false {
            if request.get("until").is_some() {
                open.push(exchanges.len());
            }
            exchanges.push((request.clone(), lines));
        }
    }
    Ok(exchanges)
}

/// The lines of one exchange: `LABEL`, `>>> request`, a request, `<<< response`, an answer, and what was measured.
fn reduced(request: &Value, exchange: &str, names: &mut SeenIds) -> Result<Vec<String>> {
    let Some((_, answer)) = exchange.split_once("\n<<< response ") else { return Ok(vec![NO_ANSWER.to_owned()]) };
    let (_, answer) = answer.split_once('\n').context("an answer")?;
    let answer = answer.split("\n--- ").next().unwrap_or_default();
    let (head, body) = answer.split_once("\n\n").unwrap_or((answer, ""));
    let Some(status) = head.split(' ').nth(1) else { return Ok(vec![NO_ANSWER.to_owned()]) };
    let (status, body) = (status.parse()?, body.trim());
    let is_fetch = request.get("fetch").is_some();
    if head.contains("text/event-stream") {
        let events = body.lines().filter_map(|line| line.strip_prefix("data: ").map(serde_json::from_str));
        let events: Vec<Value> = events.collect::<Result<_, _>>()?;
        return Ok(if is_fetch { http_requests::event_lines(status, &events, names) } else { names.lines(&events) });
    }
    Ok(match serde_json::from_str::<Value>(body) {
        Err(_) => vec![http_requests::plain_line(status, body)],
        Ok(id) if request.get("create").is_some() => {
            names.tasks.extend(id.as_str().map(str::to_owned));
            vec![format!("{status} {}", if id.is_string() { "id" } else { "other" })]
        }
        Ok(value) if is_fetch => http_requests::json_lines(status, &value, names),
        Ok(value) => names.lines(&[value]),
    })
}
