//! A session remembered as a list of facts.
//!
//! Pure: no IO, no clock, no randomness, no async runtime. [`decide()`] says what an input may cause, [`State::apply`]
//! folds a fact in, [`next()`] says which work is owed; [`take`] is the three of them in a row. Time and ids arrive
//! with the input. Everything a client ever sees is a fold of [`Entry`] values.

mod absent_command;
mod ask;
mod call;
mod command;
mod decide;
mod engine;
mod entrust;
mod event;
mod ids;
mod listing;
mod next;
mod notice;
mod offer;
mod plain;
mod plan;
mod push;
mod refusal;
mod reply;
mod report;
mod sanitize;
mod seat;
mod seat_frame;
mod standing;
mod state;
mod tool_entry;
mod transcript;
mod upcast;
mod weight;
mod who;

pub use absent_command::explain_absent_command;
pub use ask::{
    Ask, Choice, Details, Edit, FileDiff, Grant, InvokedAgent, McpToolVersion, Reach, WORKSPACE_DIRECTORY,
    cancel_choice, lasting_choice, once_choice, session_choice,
};
pub use call::{BlobRef, Call, CallError, CallOutcome, CallPhase, CallResult, Display, Leaving, Media, ToolKind};
pub use command::{CancelScope, Command, Envelope, Fingerprint, PromptTarget, ReplyScope, Setting};
pub use decide::decide;
pub use engine::{Input, take};
pub use entrust::{Entrusted, LentServer, Secret};
pub use event::{
    By, Checkpoint, Closing, Entry, Equipment, Event, Failure, ItemKind, Mode, Opened, Overrides, TaskKind,
    TurnOutcome, Usage,
};
pub use ids::{At, CallId, CommandId, Context, ItemId, PromptId, Seq, SessionId, TaskId, TurnId};
pub use listing::{TaskMark, TaskPage, TaskPlace, TaskQuery, TaskRow, Unprompted};
pub use next::{Effect, next};
pub use notice::{Level, Notice, Notices};
pub use offer::{ArgumentInfo, CommandInfo, ServerInfo, ServerStatus, ToolInfo, Tooling};
pub use plain::{MAX_SEQUENCE, plain, sequence_len};
pub use plan::{
    CommandPlan, PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRead, PlannedRedirection, PlannedWord,
    ReadKind, RunCondition, WordPiece,
};
pub use push::{PushBook, PushTarget};
pub use refusal::{Refusal, Right};
pub use reply::{ReplyForm, describe_asks};
pub use report::{Fragment, NewCall, Report, Verdict};
pub use sanitize::{clean, hides, one_line};
pub use seat::{
    Begun, Found, Landmark, Opening, Pending, ReadError, Receipt, Roster, RosterError, Seat, SendError, Summary, Target,
};
pub use seat_frame::{Guest, SEAT_FRAME_BYTES, SEAT_PROTOCOL, SeatAsk, SeatTell, Sitter, Welcome};
pub use standing::{Standing, TaskStatus};
pub use state::{Decision, Keeping, KeptCheckpoint, Prompt, State, Step, Task, Turn};
pub use tool_entry::ToolEntry;
pub use transcript::{Line, Transcript};
pub use upcast::{DecodeError, decode, encode};
pub use who::{Owner, Rights, Who};
