//! gRPC: the same requests as protobuf over HTTP/2. What gRPC adds to that, a length before each message and a status in
//! the trailers, is small enough to be written out here, as on the server's side.

use crate::card::{ChosenInterface, InterfaceVersion};
use crate::error::RemoteError;
use crate::event_stream::AgentEventStream;
use crate::http_client::{ANSWER, ANSWER_BYTES, AgentOperation, AgentResponse, SAID_CHARS, unwrap_result};
use crate::stream_allowance::StreamAllowance;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::{Stream, TryStreamExt, stream};
use http_body_util::BodyExt;
use pollux_session::describe_error_chain;
use pollux_wire::descriptors::DESCRIPTORS;
use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, SerializeOptions};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, TE};
use reqwest::{Body, Client};
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::LazyLock;

#[cfg(test)]
mod tests;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap_or_default());

/// The length of the head of a message: a flag for compression, and the length.
const PREFIX: usize = 5;

/// A method of the service.
struct GrpcMethod {
    /// The package of the service and its messages.
    package: &'static str,
    name: &'static str,
    request: &'static str,
    response: &'static str,
}

impl GrpcMethod {
    fn for_operation(version: InterfaceVersion, operation: AgentOperation) -> GrpcMethod {
        let package = match version {
            InterfaceVersion::V03 => "a2a.v1",
            InterfaceVersion::V10 => "lf.a2a.v1",
        };
        let (name, request, response) = match (operation, version) {
            (AgentOperation::Send, _) => ("SendMessage", "SendMessageRequest", "SendMessageResponse"),
            (AgentOperation::Stream, _) => ("SendStreamingMessage", "SendMessageRequest", "StreamResponse"),
            (AgentOperation::Get, _) => ("GetTask", "GetTaskRequest", "Task"),
            (AgentOperation::Cancel, _) => ("CancelTask", "CancelTaskRequest", "Task"),
            (AgentOperation::Subscribe, InterfaceVersion::V03) => {
                ("TaskSubscription", "TaskSubscriptionRequest", "StreamResponse")
            }
            (AgentOperation::Subscribe, InterfaceVersion::V10) => {
                ("SubscribeToTask", "SubscribeToTaskRequest", "StreamResponse")
            }
        };
        GrpcMethod { package, name, request, response }
    }

    fn path(&self) -> String {
        format!("/{}.A2AService/{}", self.package, self.name)
    }
}

/// Ask for something. `params` are as the version's HTTP+JSON has them.
pub(crate) async fn call(
    client: &Client,
    line: &ChosenInterface,
    headers: HeaderMap,
    operation: AgentOperation,
    params: &Value,
    allowance: &StreamAllowance,
) -> Result<AgentResponse, RemoteError> {
    let method = GrpcMethod::for_operation(line.version, operation);
    let message = encode(&format!("{}.{}", method.package, method.request), &with_resource_name(line.version, params))?;
    let mut url = line.url.clone();
    url.set_path(&method.path());
    let request = client.post(url).headers(headers).body(frame(&message));
    let request = request
        .header(CONTENT_TYPE, HeaderValue::from_static("application/grpc"))
        .header(TE, HeaderValue::from_static("trailers"));
    let request = if operation.streams() { request } else { request.timeout(ANSWER) };
    let host = crate::agent_address::host_of(&line.url);
    let response = request.send().await.map_err(|error| RemoteError::Unreachable {
        host: host.clone(),
        why: describe_error_chain(&error.without_url()),
    })?;
    if !response.status().is_success() {
        return Err(RemoteError::Status { host, status: response.status().as_u16(), said: String::new() });
    }
    // An answer without a message has its status here.
    if let Some(status) = read_status(response.headers()) {
        status?;
    }
    let name = format!("{}.{}", method.package, method.response);
    let messages =
        MessageReader { body: Body::from(response), buffer: BytesMut::new(), allowance: allowance.clone(), name };
    let messages = messages.into_stream();
    if operation.streams() {
        return Ok(AgentResponse::Stream(AgentEventStream::from_values(messages)));
    }
    match pin!(messages).try_next().await? {
        Some(value) => unwrap_result(value, line).map(AgentResponse::Value),
        None => Err(RemoteError::Garbled { why: "an answer without a message".into() }),
    }
}

/// 0.3 names a task as a resource.
fn with_resource_name(version: InterfaceVersion, params: &Value) -> Value {
    match (version, params.get("id").and_then(Value::as_str)) {
        (InterfaceVersion::V03, Some(id)) => json!({ "name": format!("tasks/{id}") }),
        _ => params.clone(),
    }
}

/// The messages of one answer, as they come.
struct MessageReader {
    body: Body,
    buffer: BytesMut,
    allowance: StreamAllowance,
    name: String,
}

impl MessageReader {
    fn into_stream(self) -> impl Stream<Item = Result<Value, RemoteError>> + Send {
        stream::try_unfold(self, async |mut messages| Ok(messages.next().await?.map(|value| (value, messages))))
    }

    /// The next one; `None` once the agent has said that all is well.
    async fn next(&mut self) -> Result<Option<Value>, RemoteError> {
        loop {
            if let Some(message) = take_message(&mut self.buffer)? {
                return decode(&self.name, message).map(Some);
            }
            let broken = |why: String| RemoteError::Broken { why };
            let frame = match self.body.frame().await {
                None => return Err(broken("the answer ended without a status".into())),
                Some(frame) => frame.map_err(|error| broken(describe_error_chain(&error.without_url())))?,
            };
            match frame.into_data() {
                Ok(bytes) => self.take(&bytes)?,
                Err(frame) => {
                    let trailers = frame.into_trailers().unwrap_or_default();
                    return match read_status(&trailers) {
                        Some(status) => status.map(|()| None),
                        None => Err(broken("the answer ended without a status".into())),
                    };
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), RemoteError> {
        self.allowance.take(bytes.len())?;
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }
}

/// The first message in `buffer`, if it is all there.
fn take_message(buffer: &mut BytesMut) -> Result<Option<Bytes>, RemoteError> {
    let Some((compressed, mut length)) = buffer.get(..PREFIX).and_then(<[u8]>::split_first) else { return Ok(None) };
    if *compressed != 0 {
        return Err(RemoteError::Garbled { why: "a compressed message, which was not asked for".into() });
    }
    let length = length.get_u32() as usize;
    if length > ANSWER_BYTES {
        return Err(RemoteError::TooMuch { limit: ANSWER_BYTES });
    }
    if buffer.len() < PREFIX + length {
        return Ok(None);
    }
    buffer.advance(PREFIX);
    Ok(Some(buffer.split_to(length).freeze()))
}

fn frame(message: &[u8]) -> Bytes {
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    // Longer ones than four bytes can say are beyond every limit here.
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(message);
    framed.freeze()
}

/// The status with which a call ended, if it is said here.
fn read_status(headers: &HeaderMap) -> Option<Result<(), RemoteError>> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let code: i64 = text("grpc-status")?.parse().unwrap_or(2);
    if code == 0 {
        return Some(Ok(()));
    }
    let message = text("grpc-message").map(percent_decoded).filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| "no reason given".into());
    Some(Err(RemoteError::Refused { code, message: message.chars().take(SAID_CHARS).collect() }))
}

/// A status message, in which other characters than those of ASCII are percent-encoded.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn encode(name: &str, value: &Value) -> Result<Vec<u8>, RemoteError> {
    let garbled = |why: String| RemoteError::Garbled { why: format!("our own {name}: {why}") };
    let descriptor = POOL.get_message_by_name(name).ok_or_else(|| garbled("there is no descriptor".into()))?;
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let message = DynamicMessage::deserialize_with_options(descriptor, value, &options);
    Ok(message.map_err(|error| garbled(error.to_string()))?.encode_to_vec())
}

fn decode(name: &str, message: Bytes) -> Result<Value, RemoteError> {
    let garbled = |why: String| RemoteError::Garbled { why: format!("it is no {name}: {why}") };
    let descriptor = POOL.get_message_by_name(name).ok_or_else(|| garbled("there is no descriptor".into()))?;
    let message = DynamicMessage::decode(descriptor, message).map_err(|error| garbled(error.to_string()))?;
    message
        .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
        .map_err(|error| garbled(error.to_string()))
}
