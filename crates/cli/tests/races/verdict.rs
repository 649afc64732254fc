//! The choices, and their results.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

/// An option of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RaceChoice {
    Once,
    Always,
    Cancel,
}

/// A choice, and who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RaceDecision {
    pub(crate) by: String,
    pub(crate) choice: RaceChoice,
}

/// The result of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RaceVerdict {
    Won,
    /// Too late: this was decided before.
    Lost(RaceDecision),
}

impl RaceChoice {
    /// In the order they are offered.
    pub(crate) const ALL: [RaceChoice; 3] = [RaceChoice::Once, RaceChoice::Always, RaceChoice::Cancel];

    pub(crate) fn id(self) -> &'static str {
        match self {
            RaceChoice::Once => "proceed_once",
            RaceChoice::Always => "proceed_always",
            RaceChoice::Cancel => "cancel",
        }
    }

    /// The key a person presses for it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            RaceChoice::Once => "1",
            RaceChoice::Always => "2",
            RaceChoice::Cancel => "3",
        }
    }

    pub(crate) fn runs(self) -> bool {
        self != RaceChoice::Cancel
    }

    pub(crate) fn named(id: &str) -> Result<RaceChoice> {
        RaceChoice::ALL.into_iter().find(|choice| choice.id() == id).with_context(|| format!("no option {id:?}"))
    }

    /// The message that answers `call` with it.
    pub(crate) fn message(self, call: &str) -> Value {
        json!({"role": "user", "messageId": fresh_id(), "parts": [
            {"kind": "data", "data": {"tool_call_id": call, "selected_option_id": self.id()}},
        ]})
    }
}

impl RaceDecision {
    /// The kind of seat it came from.
    pub(crate) fn kind(&self) -> &'static str {
        match self.by.as_str() {
            "terminal" => "terminal",
            by if by.contains("socket") => "socket",
            _ => "poster",
        }
    }
}

impl RaceVerdict {
    /// Read the `error` of a JSON-RPC answer.
    pub(crate) fn from_error(error: &Value) -> Result<RaceVerdict> {
        let info = &error["data"][1];
        let told = (&info["reason"], &info["metadata"]["decided_by"], &info["metadata"]["choice"]);
        match (told.0.as_str(), told.1.as_str(), told.2.as_str()) {
            (Some("ALREADY_DECIDED"), Some(by), Some(choice)) => {
                Ok(RaceVerdict::Lost(RaceDecision { by: by.to_owned(), choice: RaceChoice::named(choice)? }))
            }
            _ => bail!("a loser must be told who won, not {error}"),
        }
    }

    /// Read an `ERROR` frame: it names the winner in a field and the choice in its sentence.
    pub(crate) fn from_frame(frame: &Value) -> Result<RaceVerdict> {
        let by = frame["decided_by"].as_str().with_context(|| format!("a loser must be told who won, not {frame}"))?;
        let sentence = frame["message"].as_str().unwrap_or_default();
        let choice = sentence.split_whitespace().last().unwrap_or_default();
        Ok(RaceVerdict::Lost(RaceDecision { by: by.to_owned(), choice: RaceChoice::named(choice)? }))
    }
}

/// An id no other message has.
pub(crate) fn fresh_id() -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("message-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}
