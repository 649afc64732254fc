//! Protobuf to JSON and back, by the descriptors of `wire`.

use super::map_order::order_maps;
use crate::dialect::EventEncoding;
use crate::errors::RequestError;
use crate::version::A2aVersion;
use bytes::Bytes;
use pollux_wire::a2a::StreamEvent;
use pollux_wire::descriptors::DESCRIPTORS;
use pollux_wire::{jsonrpc, v1, v03_proto};
use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, SerializeOptions};
use serde::Serialize;
use serde_json::{Number, Value};
use std::sync::LazyLock;

/// Without its descriptors the pool is empty, and [`is_whole`] says so before anybody is listened to.
static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap_or_default());

/// The largest whole number that a double holds exactly.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The deepest JSON of an answer. Readers of protobuf give up at a hundred messages within each other, and one level of
/// free-form JSON is three.
const MAX_DEPTH: usize = 32;

/// The package of a version's messages.
pub(super) fn package(version: A2aVersion) -> &'static str {
    match version {
        A2aVersion::V03 => "a2a.v1",
        A2aVersion::V10 => "lf.a2a.v1",
    }
}

/// True if the descriptors are all there.
pub(super) fn is_whole() -> bool {
    ["a2a.v1.StreamResponse", "lf.a2a.v1.StreamResponse", "google.rpc.Status"]
        .iter()
        .all(|name| POOL.get_message_by_name(name).is_some())
}

/// A message as its JSON.
pub(super) fn read(name: &str, message: Bytes) -> Result<Value, RequestError> {
    let descriptor = POOL.get_message_by_name(name).ok_or_else(|| unknown(name))?;
    let message = DynamicMessage::decode(descriptor, message)
        .map_err(|error| RequestError::invalid_params(format!("the request is no {name}: {error}")))?;
    let mut json = message
        .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
        .map_err(|error| RequestError::invalid_params(format!("the request is no {name}: {error}")))?;
    whole_numbers(&mut json);
    Ok(json)
}

/// A value that is written as JSON elsewhere, as the message `name`. Members for which the message has no field are
/// left out.
pub(super) fn write(name: &str, value: &impl Serialize) -> Result<Bytes, RequestError> {
    let descriptor = POOL.get_message_by_name(name).ok_or_else(|| unknown(name))?;
    let failed = |error| RequestError::new(jsonrpc::INTERNAL_ERROR, format!("the answer is no {name}: {error}"));
    let mut json = serde_json::to_value(value).map_err(failed)?;
    flatten(&mut json, 0);
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let message = DynamicMessage::deserialize_with_options(descriptor.clone(), json, &options).map_err(failed)?;
    let mut bytes = message.encode_to_vec();
    order_maps(&mut bytes, &descriptor);
    Ok(bytes.into())
}

/// One event of a stream, for all who watch it on this version. Our own types always encode.
pub(crate) fn write_event(form: EventEncoding, event: StreamEvent) -> Bytes {
    let version = form.version();
    let name = format!("{}.StreamResponse", package(version));
    let written = match version {
        A2aVersion::V03 => write(&name, &v03_proto::StreamResponse::from(event)),
        A2aVersion::V10 => write(&name, &v1::StreamResponse::from(event)),
    };
    written.unwrap_or_default()
}

/// Protobuf's free-form numbers are all doubles; a whole one is written as JSON would write it.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|double| double.fract() == 0.0 && double.abs() <= MAX_WHOLE);
            // In this range the cast loses nothing.
            if let Some(double) = whole {
                *number = Number::from(double as i64);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Write values that lie too deep for protobuf as text: an event that cannot be read would be worse.
fn flatten(value: &mut Value, depth: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => *value = Value::String(value.to_string()),
        Value::Array(values) => values.iter_mut().for_each(|value| flatten(value, depth + 1)),
        Value::Object(fields) => fields.values_mut().for_each(|value| flatten(value, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn unknown(name: &str) -> RequestError {
    RequestError::new(jsonrpc::INTERNAL_ERROR, format!("there is no descriptor of {name}"))
}
