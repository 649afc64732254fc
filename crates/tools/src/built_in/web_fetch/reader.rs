//! Pages read by somebody who answers from them: a model whose provider fetches.

use crate::built_in::google_web_search::SearchSource;
use crate::excerpt::split_at_char;
use crate::pluralize::pluralize;
use pollux_session::{BoxFuture, CallResult, ModelUsage, ResultDisplay};

/// The most sources that are listed.
const MAX_SOURCES: usize = 20;

/// Reads the pages a prompt names.
pub trait UrlReader: Send + Sync {
    /// Answer `prompt` from the pages whose addresses it names. An error is a sentence; the pages are fetched from here
    /// then.
    fn read<'a>(&'a self, prompt: &'a str) -> BoxFuture<'a, Result<UrlAnswer, String>>;
}

/// The reader's answer from the pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlAnswer {
    /// The answer, with markers such as `[1]` where it relies on a source.
    pub text: String,
    /// The sources, in the order of their markers.
    pub sources: Vec<SearchSource>,
    /// The addresses that could not be read, and why.
    pub unread: Vec<(String, String)>,
    /// The model that read and what that cost.
    pub spent: Option<(String, ModelUsage)>,
}

impl UrlAnswer {
    /// True if it says something, and not only from memory.
    pub(super) fn is_useful(&self) -> bool {
        !self.text.trim().is_empty() && !self.sources.is_empty()
    }
}

/// The answer as the model and the person are told it, at most `most` characters of it.
pub(super) fn show(answer: &UrlAnswer, most: usize) -> CallResult {
    let (kept, cut) = split_at_char(answer.text.trim(), most);
    let mut text = format!("What the pages say:\n\n{kept}");
    if !cut.is_empty() {
        text.push_str(&format!("\n[{} more characters are left out.]", cut.chars().count()));
    }
    if !answer.sources.is_empty() {
        text.push_str("\n\nSources:");
    }
    for (number, source) in answer.sources.iter().take(MAX_SOURCES).enumerate() {
        text.push_str(&source.line(number + 1));
    }
    for (address, why) in answer.unread.iter().take(MAX_SOURCES) {
        text.push_str(&format!("\n[{address} could not be read: {why}]"));
    }
    let display =
        ResultDisplay::Text { text: format!("answered from {}", pluralize(answer.sources.len(), "page", "pages")) };
    CallResult { text, display: Some(display), ..CallResult::default() }
}
