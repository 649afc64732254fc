//! The part of the turn that one client received, gathered frame by frame, and the check that nothing is missing.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The most bytes of a running call's output that a client is shown.
const LIVE_TAIL: usize = 64 * 1024;
/// The most that the mark of what was cut may add to it.
const MARK: usize = 100;

/// Everything one client was told.
#[derive(Default)]
pub(crate) struct ReceivedTurn {
    /// The place of the newest frame.
    pub(crate) seq: u64,
    /// True if the turn is over.
    pub(crate) is_over: bool,
    /// The bytes of that text: the least that had to be sent.
    pub(crate) bytes: usize,
    text: String,
    /// The bytes that the command had printed at the newest update.
    printed: u64,
    updates: usize,
    status: String,
}

impl ReceivedTurn {
    /// Take in a frame of the flat dialect.
    pub(crate) fn take_flat_frame(&mut self, frame: &Value) -> Result<()> {
        self.check_seq(frame["seq"].as_u64().context("every frame has a number")?)?;
        match frame["kind"].as_str().context("every frame has a kind")? {
            "TEXT_CONTENT" => self.add_text(&frame["content"]["text"])?,
            "TOOL_CALL_UPDATE" => self.call(frame)?,
            "STATE_CHANGE" => self.state(frame["state"].as_str(), frame["final"] == true)?,
            "CONSOLE_LOG" | "USER_MESSAGE" => {}
            other => ensure!(other.is_empty(), "an unexpected frame: {frame}"),
        }
        Ok(())
    }

    /// Take in an event of an rfc stream and its cursor.
    pub(crate) fn take_rfc_event(&mut self, event: &Value, cursor: Option<&str>) -> Result<()> {
        let seq = cursor.and_then(|cursor| cursor.split_once('.')).map(|(_, seq)| seq.parse()).transpose()?;
        self.check_seq(seq.unwrap_or(self.seq))?;
        let update = &event["result"];
        if update["kind"] == "task" || update["kind"] == "artifact-update" {
            return Ok(());
        }
        ensure!(update["kind"] == "status-update", "an unexpected event: {event}");
        for part in update["status"]["message"]["parts"].as_array().into_iter().flatten() {
            match part["kind"].as_str() {
                Some("text") => self.add_text(&part["text"])?,
                Some("data") if part["data"]["tool_call_id"].is_string() => self.call(&part["data"])?,
                _ => {}
            }
        }
        self.state(update["status"]["state"].as_str(), update["final"] == true)
    }

    /// Check that the client was told the whole turn and nothing after its end.
    pub(crate) fn check(&self, speech: &str) -> Result<()> {
        ensure!(self.is_over, "the end was not told");
        ensure!(self.status == "SUCCEEDED", "the call ended as {:?}", self.status);
        ensure!(self.updates > 0, "nothing that the command printed was shown");
        let same = self.text.bytes().zip(speech.bytes()).take_while(|(told, said)| told == said).count();
        ensure!(self.text == speech, "of {} bytes {} were told, {same} of them right", speech.len(), self.text.len());
        Ok(())
    }

    fn check_seq(&mut self, seq: u64) -> Result<()> {
        ensure!(seq >= self.seq, "{seq} after {}", self.seq);
        ensure!(!self.is_over, "something comes after the end");
        self.seq = seq;
        Ok(())
    }

    fn add_text(&mut self, text: &Value) -> Result<()> {
        let text = text.as_str().context("text is text")?;
        self.bytes += text.len();
        self.text.push_str(text);
        Ok(())
    }

    fn state(&mut self, state: Option<&str>, is_final: bool) -> Result<()> {
        ensure!(!is_final || state == Some("completed"), "the turn ended as {state:?}");
        self.is_over = is_final;
        Ok(())
    }

    fn call(&mut self, call: &Value) -> Result<()> {
        self.status = call["status"].as_str().context("a call has a status")?.to_owned();
        let Some(live) = call["live_content"].as_str() else { return Ok(()) };
        self.bytes += live.len();
        ensure!(live.len() <= LIVE_TAIL + MARK, "{} bytes of live output", live.len());
        let (cut, shown) = match live.strip_prefix("[… ") {
            Some(marked) => {
                let (cut, rest) = marked.split_once(' ').context("the mark has a figure")?;
                (cut.parse()?, rest.split_once('\n').context("the mark is a line")?.1)
            }
            None => (0_u64, live),
        };
        ensure!(shown.bytes().all(|byte| matches!(byte, b'x' | b'\n')), "this was never printed: {shown}");
        let printed = cut + shown.len() as u64;
        ensure!(printed >= self.printed, "the output went back from {} to {printed}", self.printed);
        self.printed = printed;
        self.updates += 1;
        Ok(())
    }
}
