//! Web search and page reading for the tools, done by a model that can.

use pollux_model::{Model, WebSource};
use pollux_session::BoxFuture;
use pollux_tools::{SearchAnswer, SearchSource, UrlAnswer, UrlReader, WebSearch};
use std::sync::Arc;

/// Asks a model that searches and reads.
pub(crate) struct ModelSearch(pub(crate) Arc<dyn Model>);

impl WebSearch for ModelSearch {
    fn search<'a>(&'a self, query: &'a str) -> BoxFuture<'a, Result<SearchAnswer, String>> {
        Box::pin(async move {
            let found = self.0.search(query).await.map_err(|error| error.to_string())?;
            let spent = Some((self.0.info().id, found.usage));
            Ok(SearchAnswer { text: found.text, sources: sources(found.sources), spent })
        })
    }
}

impl UrlReader for ModelSearch {
    fn read<'a>(&'a self, prompt: &'a str) -> BoxFuture<'a, Result<UrlAnswer, String>> {
        Box::pin(async move {
            let found = self.0.read_urls(prompt).await.map_err(|error| error.to_string())?;
            let spent = Some((self.0.info().id, found.usage));
            Ok(UrlAnswer { text: found.text, sources: sources(found.sources), unread: found.unread, spent })
        })
    }
}

fn sources(found: Vec<WebSource>) -> Vec<SearchSource> {
    found.into_iter().map(|source| SearchSource { title: source.title, uri: source.uri }).collect()
}
