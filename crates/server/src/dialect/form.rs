//! In which form the events of a stream are written: the version's shape, as JSON or, for gRPC, as protobuf.

use super::encode;
use crate::version::Version;
use bytes::Bytes;
use pollux_wire::a2a::{StreamEvent, TaskState};
use pollux_wire::v1::StreamResponse;
use pollux_wire::v03_proto;
use std::collections::BTreeMap;

/// A form of A2A's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// The JSON of 0.3.
    Json03,
    /// The JSON of 1.0.
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

impl From<Version> for Form {
    fn from(version: Version) -> Form {
        match version {
            Version::V03 => Form::Json03,
            Version::V10 => Form::Json10,
        }
    }
}

impl Form {
    /// The version it belongs to.
    pub(crate) fn version(self) -> Version {
        match self {
            Form::Json03 | Form::Wrapped03 | Form::ProtoJson03 => Version::V03,
            Form::Json10 => Version::V10,
            #[cfg(feature = "grpc")]
            Form::Proto03 => Version::V03,
            #[cfg(feature = "grpc")]
            Form::Proto10 => Version::V10,
        }
    }

    /// One event, written.
    pub(crate) fn write(self, event: StreamEvent) -> Bytes {
        match self {
            Form::Json03 => encode(&event),
            Form::Json10 => encode(&StreamResponse::from(event)),
            Form::Wrapped03 => encode(&BTreeMap::from([(name_of(&event), event)])),
            Form::ProtoJson03 => encode(&v03_proto::StreamResponse::from(event)),
            #[cfg(feature = "grpc")]
            Form::Proto03 | Form::Proto10 => crate::grpc::write_event(self, event),
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

/// What the end of a turn means for its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It takes no more messages.
    ForGood,
    /// It takes another message.
    TakesMore,
    /// Another message waits already.
    GoesOn,
}

/// The word of `version` for `state`. In 1.0 only what is closed for good has ended: a task that rests and takes another
/// message waits for input.
pub(crate) fn state_in(version: Version, state: TaskState, rest: Rest) -> TaskState {
    let ended = matches!(state, TaskState::Completed | TaskState::Canceled | TaskState::Failed);
    match (version, ended, rest) {
        (Version::V10, true, Rest::TakesMore) => TaskState::InputRequired,
        (Version::V10, true, Rest::GoesOn) => TaskState::Working,
        (Version::V10, true, Rest::ForGood) | (Version::V10, false, _) | (Version::V03, ..) => state,
    }
}
