//! The models a key may use.

use super::in_gemini_family;
use crate::error::ModelError;
use crate::info::OfferedModel;
use crate::provider::Provider;
use crate::transport::{ProviderLink, ProviderRequest};
use serde_json::Value;

/// The most pages that are read: a list that goes on is not worth waiting for.
const PAGES: usize = 10;

/// Every model at `path` that answers prompts.
pub(super) async fn list(link: ProviderLink, path: String) -> Result<Vec<OfferedModel>, ModelError> {
    let mut offers = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..PAGES {
        let page = token.map(|token| format!("&pageToken={token}")).unwrap_or_default();
        let size = if link.provider == Provider::Vertex { 100 } else { 1000 };
        let answer = link.clone().fetch(ProviderRequest::get(format!("{path}?pageSize={size}{page}"))).await?;
        offers.extend(answer["models"].as_array().into_iter().flatten().filter_map(read));
        offers.extend(answer["publisherModels"].as_array().into_iter().flatten().filter_map(read_on_vertex));
        let next = answer["nextPageToken"].as_str().filter(|token| is_token(token));
        match next {
            Some(next) => token = Some(next.to_owned()),
            None => break,
        }
    }
    Ok(offers)
}

fn read(model: &Value) -> Option<OfferedModel> {
    let methods = model["supportedGenerationMethods"].as_array()?;
    let answers = methods.iter().any(|method| method == "generateContent");
    let name = model["name"].as_str().filter(|_| answers)?;
    Some(OfferedModel {
        provider: Provider::Gemini,
        model: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        context_window: model["inputTokenLimit"].as_u64(),
    })
}

/// Vertex AI does not say what a model can do; of Google's own, Gemini's answer prompts.
fn read_on_vertex(model: &Value) -> Option<OfferedModel> {
    let name = model["name"].as_str()?.rsplit('/').next()?;
    let offered = || OfferedModel { provider: Provider::Vertex, model: name.to_owned(), context_window: None };
    in_gemini_family(name).map(|_| offered())
}

/// True if the text may go into a URL as it is.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~'))
}
