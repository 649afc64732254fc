//! Frames of a socket that are in no log: lines for a console, gaps, and refusals of frames without an id.

use crate::dialect::{Dialect, DomainFrame, FrameContext, console, encode, flat_frame, gap};
use crate::errors::RequestError;
use crate::wire_state::{TaskScope, WireState};
use bytes::Bytes;
use pollux_session::{NoticeLevel, Seq, SessionId};
use pollux_wire::flat::Body;
use pollux_wire::jsonrpc::{Id, Response};

/// Something that is not in the log.
pub(super) enum UnloggedFrame {
    Console(NoticeLevel, String),
    /// Earlier entries cannot be told.
    Gap(String),
    Refused(RequestError),
}

impl UnloggedFrame {
    /// As a flat frame. `task` is what the socket follows, `seq` where it is.
    pub(super) fn encode_flat(self, task: Option<&str>, seq: Seq) -> Bytes {
        let body = match self {
            UnloggedFrame::Console(level, text) => console(level, &text),
            UnloggedFrame::Gap(message) => Body::Gap { message },
            UnloggedFrame::Refused(fault) => fault.into_body(),
        };
        flat_frame(body, task, seq.0)
    }

    /// As a status update about what is followed where `wire_state` stands, or as a JSON-RPC error.
    pub(super) fn encode_rfc(
        self,
        dialect: Dialect,
        session: SessionId,
        view: TaskScope,
        wire_state: &WireState,
    ) -> Option<Bytes> {
        let frame_context = FrameContext::at_head(session, view, wire_state);
        match (self, dialect) {
            (UnloggedFrame::Refused(fault), _) => Some(refused(fault)),
            (UnloggedFrame::Gap(_), Dialect::Rfc(form, extension)) => Some(gap(&frame_context, form, extension)),
            (UnloggedFrame::Gap(_), _) => None,
            (UnloggedFrame::Console(level, line), dialect) => dialect
                .encode_frames(&DomainFrame::Remark { level, line }, &frame_context)
                .pop()
                .map(|frame| frame.json),
        }
    }
}

/// A refusal of what cannot be answered by its id.
pub(super) fn refused(fault: RequestError) -> Bytes {
    encode(&Response::<()>::error(Id::Null, fault.into_error_object()))
}
