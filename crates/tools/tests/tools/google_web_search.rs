//! `google_web_search` over a search that is made up.

use crate::tools::test_workspace::{ToolTestWorkspace, failure, success};
use pollux_session::{BoxFuture, ToolKind};
use pollux_tools::{SearchAnswer, SearchSource, WebSearch};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;

struct FakeWebSearch;

impl WebSearch for FakeWebSearch {
    fn search<'a>(&'a self, query: &'a str) -> BoxFuture<'a, Result<SearchAnswer, String>> {
        Box::pin(async move {
            match query {
                "nothing" => Ok(SearchAnswer::default()),
                "broken" => Err("the search is out of order".into()),
                _ => Ok(SearchAnswer {
                    text: format!("All about {query} [1].\n"),
                    sources: vec![SearchSource { title: "A page".into(), uri: "https://example.com/".into() }],
                    spent: None,
                }),
            }
        })
    }
}

#[tokio::test]
async fn an_answer_comes_with_its_sources() {
    let room = ToolTestWorkspace::with_settings(|settings| settings.search = Some(Arc::new(FakeWebSearch)));
    let args = json!({ "query": " rust " });
    let preview = room.preview("google_web_search", args.clone()).await.unwrap();
    assert_eq!((preview.kind, preview.summary.as_str()), (ToolKind::Fetch, "Search the web for \"rust\""));
    let text =
        "What the web says about \"rust\":\n\nAll about rust [1].\n\nSources:\n[1] A page (https://example.com/)";
    assert_eq!(success(room.run("google_web_search", args).await).text, text);
    let nothing = success(room.run("google_web_search", json!({ "query": "nothing" })).await).text;
    assert_eq!(nothing, "The search for \"nothing\" found nothing.");
    let error = failure(room.run("google_web_search", json!({ "query": "broken" })).await);
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("web_search_failed", "the search is out of order"));
    assert_eq!(room.refusal("google_web_search", json!({ "query": " " })).await.kind, "invalid_tool_params");
}

#[test]
fn without_a_search_it_is_not_offered() {
    assert!(!ToolTestWorkspace::new().toolbox.names().contains(&"google_web_search".to_owned()));
}
