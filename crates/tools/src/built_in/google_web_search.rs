//! `google_web_search`: an answer from the web, with its sources. Who searches is for the program to say.

use crate::arguments::parse;
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::pluralize::pluralize;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec};
use pollux_session::{AskDetails, BoxFuture, BuiltInTool, CallResult, CallState, ModelUsage, ResultDisplay, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub(crate) const NAME: &str = BuiltInTool::GoogleWebSearch.name();
/// The most sources that are listed.
const MAX_SOURCES: usize = 20;

/// Searches the web.
pub trait WebSearch: Send + Sync {
    /// Search for `query`. An error is a sentence for the model.
    fn search<'a>(&'a self, query: &'a str) -> BoxFuture<'a, Result<SearchAnswer, String>>;
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchAnswer {
    /// The answer, with markers such as `[1]` where it relies on a source.
    pub text: String,
    /// The sources, in the order of their markers.
    pub sources: Vec<SearchSource>,
    /// The model that searched and what that cost, if a model did.
    pub spent: Option<(String, ModelUsage)>,
}

/// A page a search relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchSource {
    pub title: String,
    /// Its address.
    pub uri: String,
}

impl SearchSource {
    /// A line of the list of sources, with the marker that the text uses for it.
    pub(crate) fn line(&self, number: usize) -> String {
        let SearchSource { title, uri } = self;
        if title.trim().is_empty() { format!("\n[{number}] {uri}") } else { format!("\n[{number}] {title} ({uri})") }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What to look for: a question in plain words, or search terms.
    query: String,
}

pub(crate) struct GoogleWebSearchTool(pub(crate) Arc<dyn WebSearch>);

impl Tool for GoogleWebSearchTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Searches the web and returns an answer with numbered sources. Use it for what you cannot know or what may \
             have changed: new releases, obscure errors, current documentation. To read one of the sources in full, \
             call web_fetch with its address.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let query = parse_query(args)?;
            let summary = format!("Search the web for \"{query}\"");
            Ok(CallPreview::new(NAME, ToolKind::Fetch, summary.clone(), AskDetails::generic(summary)))
        })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let query = parse_query(&call.args)?;
            let answer = self.0.search(&query).await;
            let mut answer = answer.map_err(|message| ToolError::failed("web_search_failed", message))?;
            if let Some((model, usage)) = answer.spent.take() {
                out.spend(model, usage).await;
            }
            Ok(ToolRunOutcome::succeeded(show(&query, &answer)))
        })
    }
}

fn parse_query(args: &Value) -> Result<String, ToolError> {
    let Arguments { query } = parse(args)?;
    let query = query.trim();
    if query.is_empty() {
        return Err(ToolError::BadArguments("argument `query`: it is empty".into()));
    }
    Ok(query.to_owned())
}

fn show(query: &str, answer: &SearchAnswer) -> CallResult {
    if answer.text.trim().is_empty() {
        let text = format!("The search for \"{query}\" found nothing.");
        return CallResult { text, ..CallResult::default() };
    }
    let mut text = format!("What the web says about \"{query}\":\n\n{}", answer.text.trim());
    if !answer.sources.is_empty() {
        text.push_str("\n\nSources:");
    }
    for (number, source) in answer.sources.iter().take(MAX_SOURCES).enumerate() {
        text.push_str(&source.line(number + 1));
    }
    let sources = pluralize(answer.sources.len(), "source", "sources");
    let display = Some(ResultDisplay::Text { text: format!("{sources} for \"{query}\"") });
    CallResult { text, display, ..CallResult::default() }
}
