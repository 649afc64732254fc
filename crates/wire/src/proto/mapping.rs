//! From the types the server works with to those of a `.proto`, and back, as tables: a field or a variant is named once and
//! mapped in both directions. 1.0 and the `.proto` of 0.3 share most of their messages, so most tables are shared, too; what
//! differs is in the `mapping` of each.

/// `None` for the empty text that stands for no text in a `.proto`.
pub(crate) fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Each of them in the other form.
pub(crate) fn all<T, U: From<T>>(many: Vec<T>) -> Vec<U> {
    many.into_iter().map(U::from).collect()
}

/// Two structs with the same fields. Each field says how it is mapped: `same` as it is, `text` from and to a text that may be
/// missing, `into` by a mapping of its own, `maybe` and `all` for an option and a list of such. `only` are the fields that the
/// first has alone.
macro_rules! map_fields {
    ($first:path, $second:path {
        $( $field:ident: $how:ident ),+ $(,)?
    } $( only { $( $own:ident: $value:expr ),+ $(,)? } )?) => {
        impl From<$first> for $second {
            fn from(from: $first) -> $second {
                type Mapped = $second;
                Mapped { $( $field: $crate::proto::mapping::map_fields!(@there $how from.$field), )+ }
            }
        }

        impl From<$second> for $first {
            fn from(from: $second) -> $first {
                type Mapped = $first;
                Mapped {
                    $( $field: $crate::proto::mapping::map_fields!(@back $how from.$field), )+
                    $( $( $own: $value, )+ )?
                }
            }
        }
    };
    (@there text $value:expr) => { $value.unwrap_or_default() };
    (@back text $value:expr) => { $crate::proto::mapping::some($value) };
    (@$_way:ident same $value:expr) => { $value };
    (@$_way:ident into $value:expr) => { $value.into() };
    (@$_way:ident maybe $value:expr) => { $value.map(Into::into) };
    (@$_way:ident all $value:expr) => { $crate::proto::mapping::all($value) };
}

/// Two enums with the same variants, each by its name in the first and in the second.
macro_rules! map_variants {
    ($first:path, $second:path { $( $one:ident = $other:ident ),+ $(,)? }) => {
        impl From<$first> for $second {
            fn from(from: $first) -> $second {
                type From = $first;
                type To = $second;
                match from { $( From::$one => To::$other, )+ }
            }
        }

        impl From<$second> for $first {
            fn from(from: $second) -> $first {
                type From = $second;
                type To = $first;
                match from { $( From::$other => To::$one, )+ }
            }
        }
    };
}

/// Mappings that the types of both `.proto` files share, for those of the module that uses this. Their parts, messages
/// and status updates differ.
macro_rules! map_shared_messages {
    (canceled = $canceled:ident) => {
        $crate::proto::mapping::map_variants!(a2a::TaskState, TaskState {
            Submitted = Submitted,
            Working = Working,
            InputRequired = InputRequired,
            Completed = Completed,
            Canceled = $canceled,
            Failed = Failed,
            Rejected = Rejected,
            AuthRequired = AuthRequired,
            Unknown = Unspecified,
        });

        $crate::proto::mapping::map_fields!(a2a::Artifact, Artifact {
            artifact_id: same,
            name: text,
            description: text,
            parts: all,
            extensions: same,
            metadata: same,
        });

        $crate::proto::mapping::map_fields!(a2a::TaskStatus, TaskStatus {
            state: into,
            message: maybe,
            timestamp: same,
        });

        $crate::proto::mapping::map_fields!(a2a::Task, Task {
            id: same,
            context_id: same,
            status: into,
            artifacts: all,
            history: all,
            metadata: same,
        } only {
            kind: a2a::TaskTag::Task,
        });

        $crate::proto::mapping::map_fields!(a2a::TaskArtifactUpdateEvent, TaskArtifactUpdateEvent {
            task_id: same,
            context_id: same,
            artifact: into,
            append: same,
            last_chunk: same,
            metadata: same,
        } only {
            kind: a2a::ArtifactUpdateTag::ArtifactUpdate,
        });

        impl From<a2a::Task> for SendMessageResponse {
            fn from(task: a2a::Task) -> SendMessageResponse {
                SendMessageResponse::Task(Box::new(task.into()))
            }
        }

        impl From<a2a::Message> for SendMessageResponse {
            fn from(message: a2a::Message) -> SendMessageResponse {
                SendMessageResponse::Message(Box::new(message.into()))
            }
        }

        impl From<a2a::StreamEvent> for StreamResponse {
            fn from(event: a2a::StreamEvent) -> StreamResponse {
                match event {
                    a2a::StreamEvent::Task(task) => StreamResponse::Task(Box::new((*task).into())),
                    a2a::StreamEvent::Message(message) => StreamResponse::Message(message.into()),
                    a2a::StreamEvent::Status(update) => StreamResponse::StatusUpdate(update.into()),
                    a2a::StreamEvent::Artifact(update) => StreamResponse::ArtifactUpdate(update.into()),
                }
            }
        }

        impl From<SendMessageRequest> for a2a::MessageSendParams {
            fn from(request: SendMessageRequest) -> a2a::MessageSendParams {
                a2a::MessageSendParams {
                    message: request.message.into(),
                    configuration: request.configuration.map(a2a::MessageSendConfiguration::from),
                    metadata: request.metadata,
                }
            }
        }
    };
}

pub(crate) use {map_fields, map_shared_messages, map_variants};
