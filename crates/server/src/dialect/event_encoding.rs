//! In which form the events of a stream are written: the version's shape, as JSON or, for gRPC, as protobuf.

use super::encode;
use crate::version::A2aVersion;
use bytes::Bytes;
use pollux_wire::a2a::{StreamEvent, TaskState};
use pollux_wire::v1::StreamResponse;
use pollux_wire::v03_proto;
use std::collections::BTreeMap;

/// A form of A2A's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EventEncoding {
    Json03,
    Json10,
    /// The JSON of 0.3 in a member that says what it is, as its HTTP+JSON has it.
    Wrapped03,
    /// The JSON of 0.3's `.proto`, which clients of its HTTP+JSON speak.
    ProtoJson03,
    /// The protobuf of 0.3.
    #[cfg(feature = "grpc")]
    Proto03,
    /// The protobuf of 1.0.
    #[cfg(feature = "grpc")]
    Proto10,
}

impl From<A2aVersion> for EventEncoding {
    fn from(version: A2aVersion) -> EventEncoding {
        match version {
            A2aVersion::V03 => EventEncoding::Json03,
            A2aVersion::V10 => EventEncoding::Json10,
        }
    }
}

impl EventEncoding {
    /// The version it belongs to.
    pub(crate) fn version(self) -> A2aVersion {
        match self {
            EventEncoding::Json03 | EventEncoding::Wrapped03 | EventEncoding::ProtoJson03 => A2aVersion::V03,
            EventEncoding::Json10 => A2aVersion::V10,
            #[cfg(feature = "grpc")]
            EventEncoding::Proto03 => A2aVersion::V03,
            #[cfg(feature = "grpc")]
            EventEncoding::Proto10 => A2aVersion::V10,
        }
    }

    /// One event, written.
    pub(crate) fn write(self, event: StreamEvent) -> Bytes {
        match self {
            EventEncoding::Json03 => encode(&event),
            EventEncoding::Json10 => encode(&StreamResponse::from(event)),
            EventEncoding::Wrapped03 => encode(&BTreeMap::from([(name_of(&event), event)])),
            EventEncoding::ProtoJson03 => encode(&v03_proto::StreamResponse::from(event)),
            #[cfg(feature = "grpc")]
            EventEncoding::Proto03 | EventEncoding::Proto10 => crate::grpc::write_event(self, event),
        }
    }
}

/// The member that holds an event.
fn name_of(event: &StreamEvent) -> &'static str {
    match event {
        StreamEvent::Task(_) => "task",
        StreamEvent::Message(_) => "message",
        StreamEvent::Status(_) => "statusUpdate",
        StreamEvent::Artifact(_) => "artifactUpdate",
    }
}

/// The consequence of the end of a turn for its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskContinuation {
    /// It takes no more messages.
    Closed,
    /// It takes another message.
    Open,
    /// Another message waits already.
    Queued,
}

/// The word of `version` for `state`. In 1.0 only what is closed for good has ended: a task that rests and takes another
/// message waits for input.
pub(crate) fn state_in_version(version: A2aVersion, state: TaskState, rest: TaskContinuation) -> TaskState {
    let ended = matches!(state, TaskState::Completed | TaskState::Canceled | TaskState::Failed);
    match (version, ended, rest) {
        (A2aVersion::V10, true, TaskContinuation::Open) => TaskState::InputRequired,
        (A2aVersion::V10, true, TaskContinuation::Queued) => TaskState::Working,
        (A2aVersion::V10, true, TaskContinuation::Closed) | (A2aVersion::V10, false, _) | (A2aVersion::V03, ..) => {
            state
        }
    }
}
