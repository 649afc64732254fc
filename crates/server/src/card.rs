//! The agent card.

mod advertised_address;
mod canonical;
mod catalogue;
mod compose;
mod config;
mod signing;

pub use catalogue::{SkillCatalogue, SkillListing};
pub use config::{CardConfig, CardForm, CardProvider, CardSecurity, ExtendedCard, UrlScheme};
pub use signing::{SigningKey, SigningKeyError};

use crate::router::AppState;
use crate::version::{self, A2aVersion};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_wire::v1::HybridCard;
use sha2::{Digest, Sha256};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The most cards that are kept. The gate knows few hosts; this bounds a router that has no gate in front.
const MAX_CARDS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The cards that were made, by form and host. A card never changes while the process runs, and a signature that is not
/// made again keeps its text, and so its tag, the same.
pub(crate) struct CardCache {
    created: Timestamp,
    cards: Mutex<LruCache<CardKey, Arc<RenderedCard>>>,
}

/// The form of a card, and the name by which its reader came.
type CardKey = (CardForm, Option<String>);

/// A card as it goes out.
struct RenderedCard {
    body: Bytes,
    etag: String,
}

impl CardCache {
    /// None yet. They count as changed now.
    pub(crate) fn new() -> CardCache {
        let now = Timestamp::now();
        // HTTP knows whole seconds only, and what is compared must be what was sent.
        let created = Timestamp::from_second(now.as_second()).unwrap_or(now);
        CardCache { created, cards: Mutex::new(LruCache::sparse(MAX_CARDS)) }
    }

    fn get(&self, app: &AppState, form: CardForm, host: Option<&str>) -> Arc<RenderedCard> {
        let place = (form, host.map(str::to_ascii_lowercase));
        let mut kept = self.cards.lock();
        if let Some(printed) = kept.get(&place) {
            return Arc::clone(printed);
        }
        let card = app.card_config.card(host, app.push.is_some(), None);
        let body = match form {
            // Every card made here has interfaces of 0.3.
            CardForm::Hybrid => serde_json::to_vec(&HybridCard::new(card)),
            CardForm::Pure => serde_json::to_vec(&card),
        };
        let body = Bytes::from(body.unwrap_or_default());
        let digest: String = Sha256::digest(&body)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let printed = Arc::new(RenderedCard { body, etag: format!("\"{digest}\"") });
        kept.put(place, Arc::clone(&printed));
        printed
    }

    /// When they changed last, as HTTP writes it.
    fn last_modified(&self) -> String {
        rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&self.created).unwrap_or_default()
    }
}

/// `GET /.well-known/agent-card.json`
pub(crate) async fn show(State(app): State<Arc<AppState>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let form = form_for(&app.card_config, &headers, query.as_deref());
    let printed = app.card_cache.get(&app, form, host(&headers));
    let about = [
        (header::ETAG, printed.etag.clone()),
        (header::LAST_MODIFIED, app.card_cache.last_modified()),
        (header::CACHE_CONTROL, "public, max-age=60".to_owned()),
        (header::VARY, version::HEADER.to_owned()),
    ];
    if is_known(&headers, &printed.etag, app.card_cache.created) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let media: (HeaderName, HeaderValue) = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    (about, [media], printed.body.clone()).into_response()
}

/// The name by which a client came.
pub(crate) fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// The pure card only for those who say that they speak 1.0. Whoever asks for a version that is not spoken here gets a
/// card too: it says which ones are.
fn form_for(card_config: &CardConfig, headers: &HeaderMap, query: Option<&str>) -> CardForm {
    let named = headers.get(version::HEADER).is_some_and(|value| !value.is_empty())
        || query.is_some_and(|query| query.to_ascii_lowercase().contains(version::HEADER));
    match A2aVersion::from_request(headers, query) {
        Ok(A2aVersion::V10) => CardForm::Pure,
        Ok(A2aVersion::V03) if named => CardForm::Hybrid,
        Ok(A2aVersion::V03) | Err(_) => card_config.without_version,
    }
}

/// True if the client has the card already. A tag says it better than a time.
fn is_known(headers: &HeaderMap, etag: &str, made: Timestamp) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(tags) = text(header::IF_NONE_MATCH) {
        return tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag);
    }
    let since = text(header::IF_MODIFIED_SINCE).and_then(|time| rfc2822::parse(time).ok());
    since.is_some_and(|since| made <= since.timestamp())
}
