//! Touches the machine: the tools a model may call, confined to one workspace.
//!
//! A call is first previewed (what would it do?), then run. What a person was shown is what runs; if the world
//! changed in between, the run says so and does nothing. Failures are data for the model, never errors of ours.

mod arguments;
mod background;
mod built_in;
mod checkpoint;
mod error;
mod excerpt;
mod file_change;
mod file_exchange;
mod file_names;
mod file_work;
mod git_keys;
mod git_personal_files;
mod inject;
mod line_ends;
mod mcp;
mod media;
mod output;
mod patch;
mod plan;
mod planned_files;
mod pluralize;
mod process;
mod process_environment;
mod text_encoding;
mod text_file;
mod text_match;
mod tool;
mod toolbox;
mod toolbox_settings;
mod walk;
mod workspace;

pub use background::{BackgroundCommand, BackgroundProcesses};
pub use built_in::google_web_search::{SearchAnswer, SearchSource, WebSearch};
pub use built_in::run_shell_command::{ShellLimits, ShellStreams};
pub use built_in::web_fetch::{UrlAnswer, UrlReader};
pub use checkpoint::{
    CheckpointError, CheckpointRequest, CheckpointSettings, CheckpointedCall, Checkpoints, RestorePlan, RestoreScope,
    forget_session_checkpoints,
};
pub use error::{FileOperation, ToolError};
pub use file_names::list_names_below;
pub use file_work::{FileWorkError, run_file_work};
pub use inject::InjectedFiles;
pub use mcp::{
    McpContent, McpError, McpLimits, McpOauth, McpOptions, McpPrompt, McpPromptArgument, McpReach, McpResource,
    McpSamplingAnswer, McpSamplingMessage, McpSamplingRequest, McpSamplingRole, McpServerConfig, McpServers, McpStatus,
    McpTokenStore, SignIn, SignInError, elicitation_tool,
};
pub use media::media_type;
pub use output::{OutputSpool, OutputStore, ToolCallContext};
pub use plan::{PlanFiles, PlanObjection, object_to_plan};
pub use planned_files::{PlannedFile, PlannedFiles};
pub use process::{
    SUPERVISOR_ARGUMENT, any_process_started, clipboard_picture, edit_file, end_leftover_processes, is_supervisor,
    run_supervisor_if_asked,
};
pub use process_environment::ProcessEnvironment;
pub use tool::{CallMisfit, CallPreview, Tool, ToolRunOutcome, ToolSpec};
pub use toolbox::Toolbox;
pub use toolbox_settings::{FetchReach, FileFilterSettings, ToolboxSettings};
pub use workspace::{KeptFiles, ObeyedPlaces, find_secret, secret_name};
