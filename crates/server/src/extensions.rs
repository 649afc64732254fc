//! Extensions of the protocol: which of them a request asks for, which of those it gets, and which it must ask for.
//!
//! An extension is activated in the version that was asked for or not at all. What the agent writes under an extension's
//! address is written whether or not it was asked for: whoever does not know the address passes it over.

use crate::card::CardConfig;
use crate::client_profile::ToolExtension;
use crate::errors::RequestError;
use crate::router::AppState;
use crate::version::A2aVersion;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use pollux_wire::devtool::{ExtensionUri, URI};
use pollux_wire::jsonrpc::{self, ErrorInfo};
use pollux_wire::v1::AgentExtension;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The headers that name extensions: that of 1.0 and that of 0.3. Both are read in both versions.
const NAMES: [HeaderName; 2] = [HeaderName::from_static("a2a-extensions"), HeaderName::from_static("x-a2a-extensions")];

/// An extension in the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardExtension {
    /// Its address.
    pub uri: String,
    pub description: String,
    /// True if clients must declare it.
    pub required: bool,
}

impl CardConfig {
    /// All the extensions in the card.
    pub(crate) fn listed_extensions(&self) -> impl Iterator<Item = CardExtension> + '_ {
        let tool = CardExtension {
            uri: URI.into(),
            description: "Tool calls with confirmation, thoughts and state as structured updates.".into(),
            required: self.extension_required,
        };
        std::iter::once(tool).chain(self.extensions.iter().cloned())
    }
}

impl CardExtension {
    /// True if a client that speaks `uri` is understood.
    fn speaks(&self, uri: &str) -> bool {
        self.uri == uri
            || self.version().zip(ExtensionUri::parse(uri)).is_some_and(|(ours, theirs)| ours.supports(&theirs))
    }

    /// True if `uri` is this extension after or before something broke.
    fn is_other_major(&self, uri: &str) -> bool {
        self.version().zip(ExtensionUri::parse(uri)).is_some_and(|(ours, theirs)| {
            ours.is_same_extension(&theirs) && ours.version().major != theirs.version().major
        })
    }

    fn version(&self) -> Option<ExtensionUri> {
        ExtensionUri::parse(&self.uri)
    }
}

impl From<CardExtension> for AgentExtension {
    fn from(extension: CardExtension) -> AgentExtension {
        let CardExtension { uri, description, required } = extension;
        AgentExtension { uri, description, required, params: Map::new() }
    }
}

/// The headers that tell a request which extensions it got: for each of the two headers that it used, the extensions it
/// named there and that are spoken here, as it wrote them.
pub(crate) fn activated(card_config: &CardConfig, headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let listed: Vec<CardExtension> = card_config.listed_extensions().collect();
    let told = NAMES.into_iter().filter_map(|name| {
        let mut spoken: Vec<&str> = Vec::new();
        for uri in header_uris(headers, &name) {
            if !spoken.contains(&uri) && listed.iter().any(|extension| extension.speaks(uri)) {
                spoken.push(uri);
            }
        }
        let value = HeaderValue::from_str(&spoken.join(", ")).ok().filter(|value| !value.is_empty())?;
        Some((name, value))
    });
    told.collect()
}

/// The layer that tells every request what it got.
pub(crate) async fn echo(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let told = activated(&app.card_config, request.headers());
    let mut response = next.run(request).await;
    response.headers_mut().extend(told);
    response
}

/// The extensions that a request's headers ask for.
pub(crate) fn requested_extensions(headers: &HeaderMap) -> Vec<String> {
    NAMES.iter().flat_map(|name| header_uris(headers, name)).map(str::to_owned).collect()
}

/// The extensions that a message declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredExtensions {
    /// The addresses in its list of them.
    listed: Vec<String>,
    /// The names in its metadata and in that of the request, addresses of extensions or not.
    in_metadata: Vec<String>,
}

impl DeclaredExtensions {
    /// Reads it from the parameters of a message.
    pub(crate) fn from_params(params: &Value) -> DeclaredExtensions {
        let message = params.get("message");
        let listed = message.and_then(|message| message.get("extensions")).and_then(Value::as_array);
        let metadata = [message.and_then(|message| message.get("metadata")), params.get("metadata")];
        let metadata = metadata.into_iter().flatten().filter_map(Value::as_object);
        DeclaredExtensions {
            listed: listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            in_metadata: metadata.flat_map(|metadata| metadata.keys().cloned()).collect(),
        }
    }
}

/// A client's declaration of the `development-tool` extension, by the headers of its request or in its message.
pub(crate) fn tool_extension(
    card_config: &CardConfig,
    asked: &[String],
    message: Option<&DeclaredExtensions>,
) -> ToolExtension {
    let in_message = message.into_iter().flat_map(|message| message.listed.iter().chain(&message.in_metadata));
    let mut declared = asked.iter().chain(in_message);
    card_config.listed_extensions().next().is_some_and(|tool| declared.any(|uri| tool.speaks(uri))).into()
}

/// Check that a message may be taken. A client declares an extension by a header, in the message's list, or by putting
/// something under its address into metadata, which is how the clients of Google's server do it.
pub(crate) fn check(
    card_config: &CardConfig,
    version: A2aVersion,
    asked: &[String],
    message: &DeclaredExtensions,
) -> Result<(), RequestError> {
    let declared = || asked.iter().chain(&message.listed).chain(&message.in_metadata);
    for extension in card_config.listed_extensions() {
        if let Some(uri) = message.in_metadata.iter().find(|uri| extension.is_other_major(uri)) {
            return Err(RequestError::invalid_params(format!(
                "the metadata under {uri:?} is of a version that is not spoken here; put it under {:?}",
                extension.uri
            )));
        }
        if extension.required && !declared().any(|uri| extension.speaks(uri)) {
            return Err(missing(&extension, version));
        }
    }
    Ok(())
}

/// 0.3 has no code of its own for it.
fn missing(extension: &CardExtension, version: A2aVersion) -> RequestError {
    let message = format!(
        "this agent needs clients to speak the extension {:?}; name it in the header a2a-extensions",
        extension.uri
    );
    match version {
        A2aVersion::V10 => RequestError::new(jsonrpc::EXTENSION_SUPPORT_REQUIRED, message),
        A2aVersion::V03 => {
            let info = ErrorInfo::new("EXTENSION_SUPPORT_REQUIRED", [("uri", extension.uri.clone())]);
            RequestError { info: Some(Box::new(info)), ..RequestError::new(jsonrpc::UNSUPPORTED_OPERATION, message) }
        }
    }
}

/// The addresses in a header that may be there several times, each a list with commas.
fn header_uris<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> + use<'a> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|uri| !uri.is_empty())
}
