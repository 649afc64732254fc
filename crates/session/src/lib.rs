//! A session remembered as a list of facts.
//!
//! Pure: no IO, no clock, no randomness, no async runtime. [`decide()`] says what an input may cause, [`SessionState::apply`]
//! folds a fact in, [`next()`] says which work is owed; [`take`] is the three of them in a row. Time and ids arrive
//! with the input. Everything a client ever sees is a fold of [`Entry`] values.

mod absent_command;
mod all_variants;
mod ask;
mod attachment_names;
mod built_in_command;
mod built_in_tool;
mod call;
mod client_credentials;
mod code_span;
mod command;
mod decide;
mod describe;
mod engine;
mod error_chain;
mod event;
mod event_subjects;
mod form_question;
mod ids;
mod listing;
mod mention;
mod next;
mod notice;
mod patched_file;
mod plain;
mod plan;
mod plan_verdict;
mod price_lookup;
mod push;
mod refusal;
mod reply;
mod report;
mod sanitize;
mod seat;
mod seat_frame;
mod seen_files;
mod state;
mod status;
mod tool_entry;
mod tool_listing;
mod transcript;
mod upcast;
mod view;
mod weight;
mod who;

pub use absent_command::explain_absent_command;
pub use ask::{
    AnswerEdit, Ask, AskDetails, AskOption, EditedFile, FileDiff, Grant, GrantScope, InvokedAgent, McpToolVersion,
    WORKSPACE_DIRECTORY, cancel_choice, lasting_choice, once_choice, session_choice,
};
pub use attachment_names::{
    ENDED_ATTACHMENT, KEPT_ATTACHMENT, LOOP_ATTACHMENT, NOTE_ATTACHMENTS, OPEN_WORK_ATTACHMENT, REFUSED_ATTACHMENT,
    RULES_ATTACHMENT, SHELL_ATTACHMENT, SITUATION_ATTACHMENT,
};
pub use built_in_command::{BuiltInCommand, CommandAnswerer, CommandSeat};
pub use built_in_tool::BuiltInTool;
pub use call::{
    BlobRef, CallArtifact, CallError, CallOutcome, CallPhase, CallResult, CallState, MediaContent, ResultDisplay,
    ToolKind,
};
pub use client_credentials::{ClientCredentials, ClientMcpServer, SecretText};
pub use code_span::{code_span, longest_backquote_run};
pub use command::{
    CancelScope, Command, CommandEnvelope, CommandFingerprint, PromptTarget, ReplyScope, SessionSetting,
};
pub use decide::decide;
pub use describe::{
    EntryContext, EntryOrigin, EventNote, MARK_CHARS, NoteTone, NoteTopic, UNSEEN_SUMMARY_SENTENCE, ask_heading,
    call_title, choice_label, choice_name, client_name, describe_aftermath, describe_answer, describe_answers,
    describe_call_error, describe_change, describe_decision, describe_early_stop, describe_ending, describe_entry,
    describe_heading, describe_plan_mode, describe_reach, describe_run, describe_turn_usage, format_age,
    format_duration, format_seconds, format_tokens, is_plan_schema, plural, proposed_plan, resumes_chat, short_name,
    stated_purpose, summarize_args, without_model_advice,
};
pub use engine::{SessionInput, take};
pub use error_chain::describe_error_chain;
pub use event::{
    ApprovalMode, Entry, EntryAuthor, Event, ItemKind, ModelUsage, RuntimeDescription, SessionOpened, SessionOverrides,
    StepLimit, TaskClosing, TaskKind, TurnFailure, TurnOutcome, WorkspaceCheckpoint,
};
pub use form_question::{AnswerKind, AnswerNeed, AnswerOption, CustomAnswers, FormQuestion, questions_from_schema};
pub use ids::{CallId, CommandId, ContextId, ItemId, PromptId, Seq, SessionId, TaskId, TurnId, UnixMillis};
pub use listing::{TaskCursor, TaskMark, TaskPage, TaskQuery, TaskRow, UnpromptedTasks};
pub use mention::{Mention, ends_path, find_mentions, find_open_mention, spell_mention};
pub use next::{Effect, next};
pub use notice::{Notice, NoticeFeed, NoticeLevel};
pub use patched_file::{PatchedFile, PatchedFileChange, describe_patch, list_patched_files, whole_diff};
pub use plain::{ERASE_LINE, MAX_SEQUENCE, plain, returns_to_line_start, sequence_len};
pub use plan::{
    CommandPlan, InnerCommand, PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRead, PlannedRedirection,
    PlannedWord, ReadKind, RunCondition, WordPiece,
};
pub use plan_verdict::PlanVerdict;
pub use price_lookup::PriceLookup;
pub use push::{PushTarget, PushTargets};
pub use refusal::{Refusal, Right};
pub use reply::{ReplyForm, describe_asks};
pub use report::{ModelFragment, NewCall, PolicyVerdict, Report};
pub use sanitize::{clean, hides, one_line};
pub use seat::{
    BegunSession, BoxFuture, CheckpointLocation, CommandReceipt, FoundSession, OpenSessionRequest, ReadError, Roster,
    RosterError, Seat, SendError, SessionLookup, SessionSummary,
};
pub use seat_frame::{
    ConnectedClient, SEAT_FRAME_BYTES, SEAT_PROTOCOL, SeatMessage, SeatRequest, SeatWelcome, WhoFrame,
};
pub use seen_files::{SeenFile, SeenFiles};
pub use state::{
    AskClosing, AskDecision, PendingGrant, QueuedPrompt, SavedCheckpoint, SessionState, SessionTask, StepState,
    SummaryStack, TurnState,
};
pub use status::{PromptStatus, TaskStatus};
pub use tool_entry::ToolEntry;
pub use tool_listing::{ArgumentInfo, CommandInfo, ServerInfo, ServerStatus, SessionTools, ToolInfo};
pub use transcript::{Transcript, TranscriptLine};
pub use upcast::{DecodeError, decode, encode};
pub use view::{
    CallProgress, CallRemark, CallView, ConversationStats, CurrentActivity, ItemContent, ModelCallPurpose,
    ModelCallStats, OutputPiece, OutputTail, SessionView, StreamedText, ThoughtSubjects, ToolCallStats, TurnStats,
    ViewChanges, ViewItem, ViewItemId, ViewLimits, ViewPage, split_thought,
};
pub use who::{Owner, Rights, Who};
