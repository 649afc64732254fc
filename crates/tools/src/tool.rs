//! What every tool can say and do.

use crate::error::ToolError;
use crate::output::Output;
use pollux_session::{Call, CallOutcome, CallResult, Details, Grant, Pending, ToolKind};
use serde_json::Value;
use std::path::Path;

/// How a tool is described to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its name.
    pub name: &'static str,
    /// What it does and when to use it.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// What a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// What the tool does to the world.
    pub kind: ToolKind,
    /// What a person is shown before it runs.
    pub details: Details,
    /// What a session grant for this call would be.
    pub grant: Grant,
    /// One line about the call.
    pub summary: String,
    /// The protected place the call would change (`.git`, `.vscode`), if any: such a change always asks.
    pub protected: Option<String>,
}

/// What came of running a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one per call, and it is unpacked at once")]
pub enum Ran {
    /// It is over.
    Done(CallOutcome),
    /// What it was about to change is no longer what was shown; nothing was done.
    Stale,
}

impl Ran {
    /// The call did its work.
    pub(crate) fn succeeded(result: CallResult) -> Ran {
        Ran::Done(CallOutcome::Succeeded { result })
    }
}

/// One tool.
pub(crate) trait Tool: Send + Sync {
    fn declaration(&self) -> Declaration;

    /// What a call with `args` would do, without doing it.
    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>>;

    /// Run a call. Dropping the future ends everything it started.
    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a Call,
        out: &'a mut dyn Output,
    ) -> Pending<'a, Result<Ran, ToolError>>;
}

/// Run file work off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(broken) => Err(ToolError::Broken(broken.to_string())),
    }
}
