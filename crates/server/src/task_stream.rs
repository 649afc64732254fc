//! A stream that ends: what follows an entry until a prompt's turn rests or, in rfc, only asks remain, as SSE. Closing
//! one stops nothing.

use crate::cursor;
use crate::dialect::{Dialect, EncodedFrame, EntryFrames, FrameRole, encode, event_name, flat_frame};
use crate::errors::RequestError;
use crate::feed::{FeedWatcher, SessionFeeds};
use crate::presence::{ConnectionKind, Presence, PresenceGuard, REMOVED};
use crate::rest::written_fault;
use crate::session_access::{AcceptedMessage, TaskHandle};
use crate::stream_end::StreamEnd;
use crate::version::A2aVersion;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::stream::unfold;
use pollux_session::{CallId, Seq};
use pollux_wire::jsonrpc::{self, Id};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The silence of a stream after which a comment shows that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The comment that shows it. No empty line follows: httpx-sse, which a2a-python reads streams with, would take that for an
/// event without data, and `resubscribe` of a2a-python 0.3 fails on one.
const ALIVE: &[u8] = b": keep-alive\n";

/// The last line of a stream that the server's end cuts off.
const STOPPING: &[u8] = b": the server is stopping; go on later with the last id as Last-Event-ID\n";

/// Headers of an SSE response.
const HEADERS: [(header::HeaderName, &str); 3] = [
    (header::CONTENT_TYPE, "text/event-stream"),
    (header::CACHE_CONTROL, "no-store"),
    (header::HeaderName::from_static("x-accel-buffering"), "no"),
];

/// A stream that ends.
pub(crate) struct TaskStream {
    /// `None` when all there is to say is ready.
    watch: Option<FeedWatcher>,
    incarnation: u32,
    until: StreamEnd,
    /// The prompt that opened the stream: its sender does not get it back.
    own_prompt: Option<Seq>,
    ready: VecDeque<TaskStreamEvent>,
    /// A rest that was reached before the newest entry: the last event, if nothing else is told after it.
    held: Option<HeldEvent>,
    presence: Presence,
    /// Lists its client among those who follow the session.
    presence_guard: Option<PresenceGuard>,
}

/// An event that may turn out to be the last one.
struct HeldEvent {
    event: TaskStreamEvent,
    /// The frame with `final: true`.
    last: Bytes,
}

/// One event of a stream.
pub(crate) struct TaskStreamEvent {
    /// The cursor after it; only the last event of an entry has one.
    cursor: Option<String>,
    json: Bytes,
}

impl TaskStreamEvent {
    /// The cursor after it, if it has one.
    #[cfg(feature = "grpc")]
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// The event, in the form that the stream was opened in.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.json
    }
}

/// The envelope of an event's JSON.
pub(crate) enum EventEnvelope {
    /// Nothing.
    Bare,
    /// A JSON-RPC answer to this request.
    Rpc(Id),
    /// Nothing, and a fault as the HTTP+JSON of this version has it.
    Rest(A2aVersion),
    /// Nothing, and a fault as the routes with a path of their own have it.
    Page,
    /// As [`EventEnvelope::Page`], with the name of each event before it.
    Named,
}

impl TaskStream {
    /// The stream of a message, from the entry that accepted it.
    pub(crate) fn of_message(feeds: &Arc<SessionFeeds>, admitted: &AcceptedMessage, dialect: Dialect) -> TaskStream {
        let AcceptedMessage { task, receipt } = admitted;
        let after = Seq(receipt.seq.0.saturating_sub(1));
        let until = StreamEnd::of_message(receipt, dialect);
        let mut stream = TaskStream::new(feeds, task, dialect, after, until);
        stream.own_prompt = Some(receipt.settled());
        stream.watch.iter_mut().for_each(|watch| watch.set_known_asks(admitted.known_asks()));
        stream
    }

    /// One event and nothing else.
    pub(crate) fn of_one(json: Bytes) -> TaskStream {
        let ready = VecDeque::from([TaskStreamEvent { cursor: None, json }]);
        TaskStream {
            watch: None,
            incarnation: 0,
            until: StreamEnd::Reached,
            own_prompt: None,
            ready,
            held: None,
            presence: Presence::default(),
            presence_guard: None,
        }
    }

    /// The entries after `after`, until the end that it was opened for.
    pub(crate) fn new(
        feeds: &Arc<SessionFeeds>,
        task: &TaskHandle,
        dialect: Dialect,
        after: Seq,
        until: StreamEnd,
    ) -> TaskStream {
        let watch = Some(feeds.watch(&task.seat, task.scope, dialect, after));
        let incarnation = task.seat.incarnation();
        let presence = feeds.presence().clone();
        TaskStream {
            watch,
            incarnation,
            until,
            own_prompt: None,
            ready: VecDeque::new(),
            held: None,
            presence,
            presence_guard: None,
        }
    }

    /// List its client among those who follow the session, for as long as the stream lives.
    pub(crate) fn register_presence(&mut self, how: ConnectionKind) {
        self.presence_guard = self.watch.as_ref().map(|watch| self.presence.register(watch.seat(), how));
    }

    /// Begin with an event that stands for the entry `at`, or for none.
    pub(crate) fn begin_with(&mut self, json: Bytes, at: Option<Seq>) {
        let cursor = at.map(|seq| cursor::write(self.incarnation, seq));
        self.ready.push_back(TaskStreamEvent { cursor, json });
    }

    /// What it begins with shows the asks of `calls`.
    pub(crate) fn record_shown_asks(&self, calls: &[CallId]) {
        self.watch.iter().for_each(|watch| watch.record_shown_asks(calls));
    }

    /// Say this before everything else.
    pub(crate) fn begin_before(&mut self, json: Bytes) {
        self.ready.push_front(TaskStreamEvent { cursor: None, json });
    }

    /// The newest entry that was read for it.
    pub(crate) fn position(&self) -> Option<Seq> {
        self.watch.as_ref().map(FeedWatcher::cursor)
    }

    /// Its task.
    pub(crate) fn task(&self) -> Option<TaskHandle> {
        self.watch.as_ref().map(|watch| TaskHandle { seat: watch.shared_seat(), scope: watch.scope() })
    }

    /// End after what is ready.
    pub(crate) fn end(&mut self) {
        self.until = StreamEnd::Reached;
    }

    /// The next event; `None` at the end. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Option<TaskStreamEvent>, RequestError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.until == StreamEnd::Reached {
                return Ok(None);
            }
            let Some(watch) = &mut self.watch else { return Ok(None) };
            let removed = async {
                match &self.presence_guard {
                    Some(guard) => guard.removed().await,
                    None => pending().await,
                }
            };
            let shown = tokio::select! {
                biased;
                () = removed => return Err(RequestError::new(jsonrpc::UNSUPPORTED_OPERATION, REMOVED)),
                shown = watch.next() => shown?,
            };
            self.take(&shown);
        }
    }

    fn take(&mut self, shown: &EntryFrames) {
        self.until = self.until.after(&shown.standing);
        let ends = self.until == StreamEnd::Reached;
        let silent = shown.frames.is_empty();
        match self.held.take() {
            Some(held) if silent && !ends => {
                self.held = Some(held);
                return;
            }
            Some(HeldEvent { last, .. }) if silent && !shown.standing.stops_turn() => {
                let cursor = Some(cursor::write(self.incarnation, shown.seq()));
                self.ready.push_back(TaskStreamEvent { cursor, json: last });
                return;
            }
            Some(held) => self.ready.push_back(held.event),
            None => {}
        }
        let own = self.own_prompt == Some(shown.seq());
        let told = shown.frames.iter().filter(|frame| !(own && frame.role == FrameRole::Echo));
        let mut frames: Vec<Bytes> = told.map(|frame| frame.json.clone()).collect();
        if ends {
            let final_form = |frame: &EncodedFrame| frame.last.clone().unwrap_or_else(|| frame.json.clone());
            match (&shown.closing, shown.frames.last(), frames.last_mut()) {
                (Some(closing), ..) => frames.push(final_form(closing)),
                (None, Some(frame), Some(json)) => *json = final_form(frame),
                (None, ..) => {}
            }
        }
        let count = frames.len();
        self.ready.extend(frames.into_iter().enumerate().map(|(index, json)| TaskStreamEvent {
            cursor: (index + 1 == count).then(|| cursor::write(self.incarnation, shown.seq())),
            json,
        }));
        if let (false, true, StreamEnd::Quiet(_)) = (ends, shown.standing.quiet, &self.until)
            && let Some(last) = shown.frames.last().and_then(|frame| frame.last.clone())
        {
            self.held = self.ready.pop_back().map(|event| HeldEvent { event, last });
        }
    }
}

/// The stream as an SSE response.
pub(crate) fn sse(mut stream: TaskStream, wrap: EventEnvelope, shutdown: CancellationToken) -> Response {
    stream.register_presence(ConnectionKind::Sse);
    let body = unfold(Some((stream, wrap, shutdown)), |going| async {
        let (mut stream, wrap, shutdown) = going?;
        let event = tokio::select! {
            biased;
            // A comment, which every client passes over: to end without a word would say that there is no more news.
            () = shutdown.cancelled() => return Some((Ok(Bytes::from_static(STOPPING)), None)),
            event = stream.next() => event,
            () = tokio::time::sleep(KEEP_ALIVE) => {
                return Some((Ok::<_, Infallible>(Bytes::from_static(ALIVE)), Some((stream, wrap, shutdown))));
            }
        };
        match event {
            Ok(Some(event)) => Some((Ok(wrap.write(&event)), Some((stream, wrap, shutdown)))),
            Ok(None) => None,
            Err(fault) => Some((Ok(wrap.write_fault(fault)), None)),
        }
    });
    (HEADERS, Body::from_stream(body)).into_response()
}

/// A stream that has nothing to say but what was wrong with the request for it.
pub(crate) fn sse_fault(fault: RequestError, wrap: &EventEnvelope) -> Response {
    (HEADERS, wrap.write_fault(fault)).into_response()
}

impl EventEnvelope {
    fn write(&self, event: &TaskStreamEvent) -> Bytes {
        let mut line = BytesMut::with_capacity(event.json.len() + 128);
        if let Some(cursor) = &event.cursor {
            line.extend_from_slice(format!("id: {cursor}\n").as_bytes());
        }
        if matches!(self, EventEnvelope::Named) {
            line.extend_from_slice(format!("event: {}\n", event_name(&event.json)).as_bytes());
        }
        line.extend_from_slice(b"data: ");
        match self {
            EventEnvelope::Bare | EventEnvelope::Rest(_) | EventEnvelope::Page | EventEnvelope::Named => {
                line.extend_from_slice(&event.json);
            }
            EventEnvelope::Rpc(id) => {
                let id = serde_json::to_string(id).unwrap_or_else(|_| "null".into());
                line.extend_from_slice(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":").as_bytes());
                line.extend_from_slice(&event.json);
                line.extend_from_slice(b"}");
            }
        }
        line.extend_from_slice(b"\n\n");
        line.freeze()
    }

    fn write_fault(&self, fault: RequestError) -> Bytes {
        let json = match self {
            EventEnvelope::Bare => flat_frame(fault.into_body(), None, 0),
            EventEnvelope::Rest(version) => written_fault(fault, *version),
            EventEnvelope::Page | EventEnvelope::Named => {
                encode(&serde_json::json!({ "error": fault.into_error_object() }))
            }
            EventEnvelope::Rpc(id) => {
                let answer = jsonrpc::Response::<()>::error(id.clone(), fault.into_error_object());
                encode(&answer)
            }
        };
        let mut line = BytesMut::from(&b"event: error\ndata: "[..]);
        line.extend_from_slice(&json);
        line.extend_from_slice(b"\n\n");
        line.freeze()
    }
}
