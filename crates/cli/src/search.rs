//! Web search for the tools, done by a model that can.

use pollux_model::Model;
use pollux_session::Pending;
use pollux_tools::{SearchAnswer, SearchSource, WebSearch};
use std::sync::Arc;

/// Asks a model that searches.
pub(crate) struct ModelSearch(pub(crate) Arc<dyn Model>);

impl WebSearch for ModelSearch {
    fn search<'a>(&'a self, query: &'a str) -> Pending<'a, Result<SearchAnswer, String>> {
        Box::pin(async move {
            let found = self.0.search(query).await.map_err(|error| error.to_string())?;
            let sources =
                found.sources.into_iter().map(|source| SearchSource { title: source.title, uri: source.uri }).collect();
            Ok(SearchAnswer { text: found.text, sources })
        })
    }
}
