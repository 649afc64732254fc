//! The settings that come with a message or a new task. They narrow what an agent may do and say where it works, so none is
//! dropped in silence: it is understood, or refused, or, for clients of Google's a2a-server, ignored with a notice.

use super::read_typed;
use crate::errors::RequestError;
use pollux_wire::coder;
use pollux_wire::devtool::{AgentSettings, ExtensionUri, URI};
use serde_json::{Map, Value};

/// The longest name of a model, in characters.
const MAX_MODEL_CHARS: usize = 256;
/// Names of settings that clients put where nobody looks for them.
const MISPLACED: [&str; 4] = ["agentSettings", "agent_settings", "agent-settings", "AgentSettings"];
/// The longest name of a member that a notice repeats, in characters.
const MAX_NAME_CHARS: usize = 64;

/// Settings, understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GivenSettings {
    pub(crate) settings: AgentSettings,
    /// Settings that were not understood and had no effect: a sentence each, for the client and the log.
    pub(crate) ignored: Vec<String>,
}

/// The treatment of a member that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownMembers {
    /// The request is refused: the RFC's dialect, and every route of ours.
    Refused,
    /// It is ignored with a notice, since Google's a2a-server takes any: its dialect.
    Ignored,
}

/// Settings as they stand in an object.
pub(crate) fn settings_of(place: &str, value: &Value, unknown: UnknownMembers) -> Result<GivenSettings, RequestError> {
    let settings: AgentSettings = read_typed(place, value)?;
    if settings.model.as_deref().is_some_and(|model| !fits_a_model(model)) {
        let rule = format!("must have 1 to {MAX_MODEL_CHARS} characters and no control characters");
        return Err(RequestError::invalid_params(format!("`{place}.model` {rule}")));
    }
    let mut ignored = Vec::new();
    if settings.is_trusted.is_some() {
        tracing::warn!("[A2AService] isTrusted in a request is ignored: trust comes from the person's own files");
    }
    for name in unknown_members(value) {
        let known = AgentSettings::MEMBERS.join(", ");
        let what = format!("`{place}` holds {name:?}, which is no setting here; known are {known}");
        match unknown {
            UnknownMembers::Refused => return Err(RequestError::invalid_params(what)),
            UnknownMembers::Ignored => ignored.push(format!("{what}. It was ignored.")),
        }
    }
    if unknown == UnknownMembers::Refused
        && let Some(kind) = value.get("kind").filter(|kind| kind.as_str() != Some(coder::AGENT_SETTINGS))
    {
        return Err(RequestError::invalid_params(format!(
            "`{place}.kind` is {kind}, not {:?}; leave it out",
            coder::AGENT_SETTINGS
        )));
    }
    for notice in &ignored {
        tracing::warn!("[A2AService] {notice}");
    }
    Ok(GivenSettings { settings, ignored })
}

/// The members of settings that are not known, by their names, long ones cut.
pub(crate) fn unknown_members(settings: &Value) -> impl Iterator<Item = String> {
    let names = settings.as_object().into_iter().flat_map(Map::keys);
    let unknown = names.filter(|name| *name != "kind" && !AgentSettings::knows(name));
    unknown.map(|name| name.chars().take(MAX_NAME_CHARS).collect())
}

/// The settings of a request that is no message: under the address of the extension in its metadata.
pub(crate) fn settings_of_request(params: &Value) -> Result<AgentSettings, RequestError> {
    Ok(message_settings(params, &Map::new())?.settings)
}

/// The settings of a message: of a client of Google's a2a-server under `coderAgent`, of all others under the address of the
/// extension, in the message's metadata or the request's.
pub(super) fn message_settings(params: &Value, message: &Map<String, Value>) -> Result<GivenSettings, RequestError> {
    let of_message = ("params.message.metadata", message.get("metadata"));
    let of_params = ("params.metadata", params.get("metadata"));
    check_misplaced("params", params.as_object())?;
    check_misplaced("params.message", Some(message))?;
    let mut places: Vec<(String, &Value)> = Vec::new();
    for (place, metadata) in [of_message, of_params] {
        let metadata = metadata.and_then(Value::as_object);
        check_misplaced(place, metadata)?;
        for (uri, value) in metadata.into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            if is_spoken(place, uri)? {
                places.push((format!("{place}[{uri:?}]"), value));
            }
        }
    }
    if params.get("metadata").is_some_and(|metadata| metadata.get(coder::KEY).is_some()) {
        let key = coder::KEY;
        return Err(RequestError::invalid_params(format!(
            "`params.metadata.{key}` is not read; put it into `params.message.metadata`"
        )));
    }
    let coder = match message.get("metadata").and_then(|metadata| metadata.get(coder::KEY)) {
        None | Some(Value::Null) => None,
        Some(settings @ Value::Object(_)) => Some((format!("params.message.metadata.{}", coder::KEY), settings)),
        Some(_) => {
            return Err(RequestError::invalid_params(format!(
                "`params.message.metadata.{}` must be an object",
                coder::KEY
            )));
        }
    };
    match (coder, &places[..]) {
        (None, []) => Ok(GivenSettings::default()),
        (None, [(place, settings)]) => settings_of(place, settings, UnknownMembers::Refused),
        (None, [(place, settings), others @ ..]) => match others.iter().find(|(_, other)| other != settings) {
            Some((other, _)) => Err(given_twice(place, other)),
            None => settings_of(place, settings, UnknownMembers::Refused),
        },
        (Some((place, _)), [(other, _), ..]) => Err(given_twice(&place, other)),
        (Some((place, settings)), []) => read_coder_settings(&place, settings),
    }
}

/// As with that server, settings of another kind set nothing; here they do not do so in silence.
fn read_coder_settings(place: &str, settings: &Value) -> Result<GivenSettings, RequestError> {
    if settings.get("kind").and_then(Value::as_str) == Some(coder::AGENT_SETTINGS) {
        return settings_of(place, settings, UnknownMembers::Ignored);
    }
    let sets_something = settings.as_object().is_some_and(|members| members.keys().any(|name| name != "kind"));
    if !sets_something {
        return Ok(GivenSettings::default());
    }
    let notice = format!("`{place}.kind` is not {:?}, so nothing of it was set.", coder::AGENT_SETTINGS);
    tracing::warn!("[A2AService] {notice}");
    Ok(GivenSettings { settings: AgentSettings::default(), ignored: vec![notice] })
}

/// True if a key of metadata is the address of the extension in a version that is spoken here. In another one it is
/// refused.
fn is_spoken(place: &str, uri: &str) -> Result<bool, RequestError> {
    if uri == URI {
        return Ok(true);
    }
    let (Some(ours), Some(theirs)) = (ExtensionUri::parse(URI), ExtensionUri::parse(uri)) else { return Ok(false) };
    if ours.supports(&theirs) {
        return Ok(true);
    }
    if !ours.names_the_same_extension(&theirs) {
        return Ok(false);
    }
    Err(RequestError::invalid_params(format!(
        "the metadata under {uri:?} in `{place}` is of a version that is not spoken here; put it under {URI:?}"
    )))
}

fn check_misplaced(place: &str, object: Option<&Map<String, Value>>) -> Result<(), RequestError> {
    match object.and_then(|object| MISPLACED.iter().find(|name| object.contains_key(**name))) {
        Some(name) => Err(RequestError::invalid_params(format!(
            "`{place}.{name}` is not read; put the settings into metadata, under {URI:?}"
        ))),
        None => Ok(()),
    }
}

fn given_twice(one: &str, other: &str) -> RequestError {
    RequestError::invalid_params(format!("settings are in `{one}` and others in `{other}`; give them once"))
}

fn fits_a_model(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= MAX_MODEL_CHARS && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
