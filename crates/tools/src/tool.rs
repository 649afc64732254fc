//! The trait of every tool.

use crate::arguments::schema;
use crate::error::ToolError;
use crate::excerpt::split_at_char;
use crate::file_work::{FileWorkError, run_file_work};
use crate::output::ToolCallContext;
use crate::planned_files::{PlannedFile, PlannedFiles};
use crate::workspace::{OutsideDirectory, ProtectedFile};
use pollux_session::{
    ApprovalMode, AskDetails, AskOption, BoxFuture, CallOutcome, CallResult, CallState, Grant, InvokedAgent, SessionId,
    ToolKind, cancel_choice, once_choice,
};
use schemars::JsonSchema;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The description of a tool for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    /// Its work, and when to use it.
    pub description: String,
    /// The JSON schema of its arguments. Shared: it is told with every model call.
    pub parameters: Arc<Value>,
}

impl ToolSpec {
    /// A tool whose arguments are `Arguments`.
    pub(crate) fn with_arguments<Arguments: JsonSchema>(name: &str, description: &str) -> ToolSpec {
        ToolSpec { name: name.into(), description: description.into(), parameters: schema::<Arguments>().into() }
    }
}

/// The effect that a call would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPreview {
    pub kind: ToolKind,
    /// The details that a person is shown before it runs.
    pub details: AskDetails,
    /// The session grant for this call.
    pub grant: Grant,
    /// A short phrase about the call.
    pub summary: String,
    /// The protected place the call would change (`.git`, `.vscode`), if any: such a change always asks.
    pub protected: Option<String>,
    /// The directory outside the workspace that the call would look into, if any.
    pub outside: Option<PathBuf>,
    /// Which secret the call would show or overwrite, by the name of the file: a sentence. Such a call always asks.
    pub secret: Option<String>,
    /// The choices a person has, when they are not the usual ones.
    pub options: Option<Vec<AskOption>>,
    /// The agent that the call hands work to, if it does.
    pub agent: Option<InvokedAgent>,
    /// True if the person has said in their own settings that such calls need no ask.
    pub trusted: bool,
    /// Set if the call cannot do its work on the files as they are.
    pub misfit: Option<CallMisfit>,
}

/// Why a call cannot do its work on the files as they are. Policy judges it all the same, and first: if only calls that fit were
/// judged, a model could guess what a file holds that it may not read, and learn from each verdict whether the guess was right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallMisfit {
    /// How the call ends, once policy has nothing against it.
    pub outcome: CallOutcome,
    /// What a person is asked where it touches a secret: a call that fits asks them, too.
    pub question: AskDetails,
}

impl CallMisfit {
    /// The misfit of a call that does what `summary` says, to `secret` among others.
    pub(crate) fn new(summary: &str, secret: Option<&str>, error: ToolError) -> CallMisfit {
        let summary = shorten_to_phrase(summary);
        let mut question =
            format!("{summary}: this does not fit what is there now, so nothing will be changed, whatever you answer.");
        if let Some(secret) = secret {
            question.push_str(&format!(
                "\n{secret}. That the change does not fit says something about the content, too: the model is told so only if you \
                 allow it."
            ));
        }
        CallMisfit { outcome: error.into(), question: AskDetails::generic(question) }
    }
}

impl CallPreview {
    /// A call with nothing protected and the usual choices, whose grant covers every call of the tool.
    pub fn new(tool: &str, kind: ToolKind, summary: impl Into<String>, details: AskDetails) -> CallPreview {
        let grant = Grant::Tool { tool: tool.into() };
        CallPreview {
            kind,
            details,
            grant,
            summary: shorten_to_phrase(&summary.into()),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        }
    }

    /// A call that only looks: its summary says all there is to show.
    pub(crate) fn reading(tool: &str, summary: impl Into<String>) -> CallPreview {
        let summary = summary.into();
        CallPreview::new(tool, ToolKind::Read, summary.clone(), AskDetails::generic(summary))
    }

    /// A call that only looks, possibly at what a person has to allow.
    pub(crate) fn looking(tool: &str, look: &Look) -> CallPreview {
        let preview = CallPreview::new(tool, ToolKind::Read, &*look.summary, look.details());
        let once = || vec![once_choice(), cancel_choice()];
        let outside = look.outside.as_ref();
        CallPreview {
            options: outside.filter(|outside| !outside.can_be_granted).map(|_| once()),
            outside: outside.map(|outside| outside.path.clone()),
            secret: look.secret.as_ref().map(ProtectedFile::to_string),
            ..preview
        }
    }
}

/// What a call looks at.
#[derive(Debug)]
pub(crate) struct Look {
    /// A phrase that names it.
    pub(crate) summary: String,
    pub(crate) outside: Option<OutsideDirectory>,
    pub(crate) secret: Option<ProtectedFile>,
}

/// What allows a call that only looks to do so.
pub(crate) struct LookPermission {
    /// True if it may look at secrets that nobody was asked about.
    reads_secrets: bool,
    /// What a person was shown.
    asked: Option<AskDetails>,
    /// What policy allowed, if nobody was asked.
    judged: Option<AskDetails>,
}

impl LookPermission {
    pub(crate) fn new(call: &CallState, out: &dyn ToolCallContext) -> LookPermission {
        let asked = call.ask.as_ref().map(|ask| ask.details.clone());
        LookPermission { reads_secrets: out.reads_secrets(), asked, judged: out.judged().cloned() }
    }

    pub(crate) fn reads_secrets(&self) -> bool {
        self.reads_secrets
    }

    /// True if it covers `look`: what is outside the workspace or a secret is just what was shown, or was allowed as a whole.
    pub(crate) fn covers(&self, look: &Look) -> bool {
        let details = look.details();
        let is_asked = self.asked.as_ref() == Some(&details);
        let is_allowed = || self.asked.is_none() && self.judged.as_ref() == Some(&details);
        let covers_secret = look.secret.is_none() || self.reads_secrets || is_asked;
        let covers_outside = look.outside.is_none() || is_asked || is_allowed();
        covers_secret && covers_outside
    }
}

impl Look {
    /// The details that a person is shown.
    fn details(&self) -> AskDetails {
        let outside = self
            .outside
            .as_ref()
            .map(|outside| format!("It is outside the workspace, in the directory {}", outside.path.display()));
        let secret = self.secret.as_ref().map(ProtectedFile::to_string);
        let lines: Vec<String> = [self.summary.clone()].into_iter().chain(outside).chain(secret).collect();
        AskDetails::generic(lines.join("\n"))
    }
}

/// The longest summary, in characters.
pub(crate) const SUMMARY_CHARS: usize = 150;

/// The beginning of `text`, short enough for one line.
pub(crate) fn shorten_to_phrase(text: &str) -> String {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default();
    let (kept, cut) = split_at_char(first, SUMMARY_CHARS);
    if cut.is_empty() && first.len() == text.len() { kept.to_owned() } else { format!("{} …", kept.trim_end()) }
}

/// The result of running a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one per call, and it is unpacked at once")]
pub enum ToolRunOutcome {
    /// It is over.
    Done(CallOutcome),
    /// The file that it was about to change is no longer as it was shown; nothing was done.
    Stale,
}

impl ToolRunOutcome {
    /// The call did its work.
    pub fn succeeded(result: CallResult) -> ToolRunOutcome {
        ToolRunOutcome::Done(CallOutcome::Succeeded { result })
    }

    /// The call did its work, and this is all there is to say.
    pub(crate) fn from_text(text: impl Into<String>) -> ToolRunOutcome {
        ToolRunOutcome::succeeded(CallResult { text: text.into(), ..CallResult::default() })
    }
}

/// One tool.
pub trait Tool: Send + Sync {
    /// Its description for a model.
    fn declaration(&self) -> ToolSpec;

    /// True if a model is offered it in `mode`.
    fn offered_in(&self, mode: ApprovalMode) -> bool {
        let _ = mode;
        true
    }

    /// True if calls that change things may change the workspace, and not only something of the person's own.
    fn changes_workspace(&self) -> bool {
        true
    }

    /// Its arguments that tell the person something and change nothing.
    fn remarks(&self) -> &'static [&'static str] {
        &[]
    }

    /// True if it keeps its text as short as the context wants it by itself.
    fn limits_own_length(&self) -> bool {
        false
    }

    /// The effect that a call with `args` would have, without doing it.
    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>>;

    /// The same, where calls that come first will have made `planned` of files.
    fn preview_after<'a>(
        &'a self,
        workspace: &'a Path,
        args: &'a Value,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        let _ = planned;
        self.preview(workspace, args)
    }

    /// The same for a call of `session`: for a tool of which each session has something of its own.
    fn preview_in_session<'a>(
        &'a self,
        session: SessionId,
        workspace: &'a Path,
        args: &'a Value,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        let _ = session;
        self.preview_after(workspace, args, planned)
    }

    /// The files that `call` would read or change after the calls that will have made `planned` of files, as it would leave them.
    /// There are none for a call that changes no file in a way known before, or that does not fit. What a person made of the result
    /// goes before.
    fn plan_files<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Vec<(PathBuf, PlannedFile)>> {
        let _ = (workspace, call, planned);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Run a call. Dropping the future ends everything it started, background processes aside.
    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>>;
}

/// Run file work off the async threads.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match run_file_work(work).await {
        Ok(done) => done,
        Err(busy @ FileWorkError::Busy { .. }) => Err(ToolError::failed("file_system_busy", busy.to_string())),
        Err(FileWorkError::Broken(why)) => Err(ToolError::Broken(why)),
    }
}
