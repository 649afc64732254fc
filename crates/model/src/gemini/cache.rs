//! Instructions and tools that Google is paid to keep, so that sending them again with every step costs less.
//!
//! Only what was asked for is kept, and it is left to expire: another session may be using it.

use super::answer::Answer;
use crate::emit;
use crate::error::{ModelError, ProviderFault};
use crate::model::ModelChunk;
use crate::transport::{BackoffPolicy, ProviderLink, ProviderRequest, follow};
use futures_util::stream::BoxStream;
use ring::digest::{Digest, SHA256, digest};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The parts of a request that are kept: all of it comes before the conversation.
const KEPT: [&str; 2] = ["systemInstruction", "tools"];
/// What is refused beside the name of a kept beginning, and not worth a beginning of its own.
const LEFT_OUT: &str = "toolConfig";
/// The most beginnings that are remembered, newest first.
const REMEMBERED: usize = 16;
/// The time before its end from which a kept beginning is not used any more.
const MARGIN: Duration = Duration::from_secs(10);

/// The beginnings that Google keeps for one model.
pub(super) struct Cache {
    pub(super) link: ProviderLink,
    /// Where they are made.
    pub(super) path: String,
    /// The model's full name.
    pub(super) model: String,
    /// For how long they are kept.
    pub(super) lasts: Duration,
    known: Mutex<VecDeque<(Vec<u8>, State)>>,
}

/// The state of a beginning.
#[derive(Clone)]
enum State {
    /// It is kept under a name.
    Kept { name: String, until: Instant },
    /// Google does not keep it, and would not the next time: it may be too small.
    Refused,
}

impl Cache {
    /// Nothing is kept yet. A failure to keep something is not worth a second attempt: the request goes without.
    pub(super) fn new(link: &ProviderLink, path: String, model: String, lasts: Duration) -> Cache {
        let link = ProviderLink { backoff: BackoffPolicy { attempts: 1, ..link.backoff }, ..link.clone() };
        Cache { link, path, model, lasts, known: Mutex::default() }
    }

    /// Stream the answer to `whole`, sending the name of its beginning instead of it where that is kept.
    pub(super) fn stream(
        self: Arc<Self>,
        link: ProviderLink,
        path: String,
        whole: Value,
    ) -> BoxStream<'static, Result<ModelChunk, ModelError>> {
        emit::stream(move |emit| async move {
            let answer = Answer::to(&whole);
            // One that is gone is made again, once.
            for _ in 0..2 {
                let Some((key, short)) = self.shorten(&whole).await else { break };
                let error = match link.connect(&ProviderRequest::post(path.clone(), short), Some(&emit)).await {
                    Ok(reply) => return follow(reply, answer, &emit).await,
                    Err(error) => error,
                };
                match verdict(&error) {
                    Verdict::Gone => self.forget(&key).await,
                    Verdict::Unusable => self.remember(key, State::Refused).await,
                    Verdict::Other => return Err(error),
                }
            }
            let reply = link.connect(&ProviderRequest::post(path, whole), Some(&emit)).await?;
            follow(reply, answer, &emit).await
        })
    }

    /// `whole` with a name in place of its beginning, and the key of that beginning. Nothing when it is not kept.
    async fn shorten(&self, whole: &Value) -> Option<(Vec<u8>, Value)> {
        let fields = whole.as_object()?;
        let beginning: Map<String, Value> =
            KEPT.iter().filter_map(|key| Some(((*key).to_owned(), fields.get(*key)?.clone()))).collect();
        if beginning.is_empty() {
            return None;
        }
        let key = key_of(&beginning);
        let name = self.name(&key, beginning).await?;
        let mut short = fields.clone();
        KEPT.iter().chain([&LEFT_OUT]).for_each(|key| drop(short.shift_remove(*key)));
        short.insert("cachedContent".into(), Value::String(name));
        Some((key, Value::Object(short)))
    }

    /// The name under which a beginning is kept, now if not before. Locked meanwhile, so that it is made once.
    async fn name(&self, key: &[u8], mut beginning: Map<String, Value>) -> Option<String> {
        let mut known = self.known.lock().await;
        match known.iter().find(|(of, _)| of == key).map(|(_, state)| state) {
            Some(State::Kept { name, until }) if *until > Instant::now() + MARGIN => return Some(name.clone()),
            Some(State::Refused) => return None,
            Some(State::Kept { .. }) | None => {}
        }
        beginning.insert("model".into(), json!(self.model));
        beginning.insert("ttl".into(), json!(format!("{}s", self.lasts.as_secs())));
        let asked = Instant::now();
        let made = self.link.clone().fetch(ProviderRequest::post(self.path.clone(), Value::Object(beginning))).await;
        let state = match made {
            Ok(made) => {
                let name = made["name"].as_str().filter(|name| !name.is_empty())?.to_owned();
                State::Kept { name, until: asked + self.lasts }
            }
            Err(error) if is_for_good(&error) => State::Refused,
            // It may work the next time.
            Err(_) => return None,
        };
        let name = match &state {
            State::Kept { name, .. } => Some(name.clone()),
            State::Refused => None,
        };
        put(&mut known, key.to_vec(), state);
        name
    }

    async fn remember(&self, key: Vec<u8>, state: State) {
        put(&mut *self.known.lock().await, key, state);
    }

    async fn forget(&self, key: &[u8]) {
        self.known.lock().await.retain(|(known, _)| known != key);
    }
}

fn put(known: &mut VecDeque<(Vec<u8>, State)>, key: Vec<u8>, state: State) {
    known.retain(|(of, _)| *of != key);
    known.push_front((key, state));
    known.truncate(REMEMBERED);
}

fn key_of(beginning: &Map<String, Value>) -> Vec<u8> {
    let text = serde_json::to_vec(beginning).unwrap_or_default();
    let digest: Digest = digest(&SHA256, &text);
    digest.as_ref().to_vec()
}

/// An error's meaning for the kept beginning that the request named.
enum Verdict {
    /// It is not there any more. Google does not tell that from one that is not ours.
    Gone,
    /// It is there and cannot be used.
    Unusable,
    /// Nothing.
    Other,
}

fn verdict(error: &ModelError) -> Verdict {
    match error {
        ModelError::Api { fault: ProviderFault::Permission | ProviderFault::NotFound, .. } => Verdict::Gone,
        ModelError::Api { fault: ProviderFault::Request, message, .. } if message.to_lowercase().contains("cached") => {
            Verdict::Unusable
        }
        _ => Verdict::Other,
    }
}

/// True if keeping the same thing again would be refused again.
fn is_for_good(error: &ModelError) -> bool {
    matches!(error, ModelError::Api { fault, .. } if !matches!(fault, ProviderFault::Rate | ProviderFault::Server))
}
