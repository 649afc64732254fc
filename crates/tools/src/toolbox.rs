//! All tools, by name.

use crate::arguments::{check_names, declared_part};
use crate::background::{BackgroundCommand, BackgroundRegistry};
use crate::built_in::apply_patch::ApplyPatchTool;
use crate::built_in::ask_user::AskUserTool;
use crate::built_in::enter_plan_mode::EnterPlanModeTool;
use crate::built_in::exit_plan_mode::ExitPlanModeTool;
use crate::built_in::glob::GlobTool;
use crate::built_in::google_web_search::{self, GoogleWebSearchTool};
use crate::built_in::grep_search::GrepSearchTool;
use crate::built_in::list_background_processes::ListBackgroundProcessesTool;
use crate::built_in::list_directory::{ListDirectoryTool, list_top_names};
use crate::built_in::read_background_output::ReadBackgroundOutputTool;
use crate::built_in::read_file::ReadFileTool;
use crate::built_in::replace::ReplaceTool;
use crate::built_in::run_shell_command::{RunShellCommandTool, ShellStreams};
use crate::built_in::save_memory::SaveMemoryTool;
use crate::built_in::web_fetch::{self, WebFetchTool};
use crate::built_in::write_background_input::WriteBackgroundInputTool;
use crate::built_in::write_file::WriteFileTool;
use crate::built_in::write_todos::WriteTodosTool;
use crate::error::ToolError;
use crate::excerpt::ExcerptBuilder;
use crate::inject::{InjectedFiles, inject};
use crate::output::{OutputFileKey, OutputStore, ToolCallContext, keep_text};
use crate::plan::{self, PlanEnvironment, PlanObjection};
use crate::planned_files::PlannedFiles;
use crate::tool::{CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::toolbox_settings::ToolboxSettings;
use crate::workspace::{FileAccess, KeptFiles};
use pollux_session::{ApprovalMode, BuiltInTool, CallId, CallOutcome, CallState, CommandPlan, SeenFiles, SessionId};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The tools a model may call. Cloning is cheap.
#[derive(Clone)]
pub struct Toolbox {
    tools: Arc<BTreeMap<String, DeclaredTool>>,
    access: Arc<FileAccess>,
    output_store: Arc<dyn OutputStore>,
    max_text_chars: usize,
    /// `web_fetch` that asks no model.
    plain_fetch: Arc<WebFetchTool>,
    background: Arc<BackgroundRegistry>,
    /// Lets one call at a time plan what the calls before it will make of files.
    planning: Arc<Semaphore>,
}

/// The factor by which `read_file` may return more than other tools: it cuts between lines and says how to read on.
const READ_SHARE: usize = 10;

/// A tool in its place. Its declaration is made once: it is told with every model call.
#[derive(Clone)]
struct DeclaredTool {
    declaration: Arc<ToolSpec>,
    tool: Arc<dyn Tool>,
}

/// The advice to a model on how to get at what was cut and could not be kept for it.
const REST: &str =
    "\n[To see what was left out, call the tool again for less at a time: a page, a filter, a narrower question.]";

impl Toolbox {
    /// Every tool that needs nothing special. Output too long for the log goes to `blobs`.
    pub fn standard(blobs: Arc<dyn OutputStore>) -> Toolbox {
        Toolbox::new(ToolboxSettings::new(blobs))
    }

    /// Every tool that `settings` has what it needs for.
    pub fn new(settings: ToolboxSettings) -> Toolbox {
        let background = settings.background.0;
        let reach = Arc::new(FileAccess {
            include: settings.include_directories,
            filtering: settings.filtering,
            obeyed: settings.obeyed,
            session_files: settings.output_store.session_files(),
            seen_texts: Arc::default(),
        });
        let (keeper, told_chars) = (settings.output_store, settings.output_chars);
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(ApplyPatchTool(Arc::clone(&reach))),
            Arc::new(AskUserTool),
            Arc::new(EnterPlanModeTool),
            Arc::new(ExitPlanModeTool),
            Arc::new(GlobTool(Arc::clone(&reach))),
            Arc::new(GrepSearchTool(Arc::clone(&reach))),
            Arc::new(ListBackgroundProcessesTool(Arc::clone(&background))),
            Arc::new(ListDirectoryTool(Arc::clone(&reach))),
            Arc::new(ReadBackgroundOutputTool(Arc::clone(&background))),
            Arc::new(ReadFileTool {
                access: Arc::clone(&reach),
                output_store: Arc::clone(&keeper),
                max_text_chars: told_chars.saturating_mul(READ_SHARE),
            }),
            Arc::new(ReplaceTool(Arc::clone(&reach))),
            Arc::new(RunShellCommandTool {
                output_store: Arc::clone(&keeper),
                access: Arc::clone(&reach),
                limits: settings.shell,
                streams: settings.shell_streams,
                max_text_chars: told_chars,
                environment: settings.environment,
                background: Arc::clone(&background),
            }),
            Arc::new(WebFetchTool::new(settings.fetch, settings.url_reader)),
            Arc::new(WriteBackgroundInputTool(Arc::clone(&background))),
            Arc::new(WriteFileTool(Arc::clone(&reach))),
            Arc::new(WriteTodosTool),
        ];
        tools.extend(settings.search.map(|search| Arc::new(GoogleWebSearchTool(search)) as Arc<dyn Tool>));
        tools.extend(settings.memory.map(|file| Arc::new(SaveMemoryTool::new(file)) as Arc<dyn Tool>));
        let plain_fetch = Arc::new(WebFetchTool::new(settings.fetch, None));
        let (tools_by_name, max_text_chars, planning) = (Arc::default(), told_chars, Arc::new(Semaphore::new(1)));
        Toolbox {
            tools: tools_by_name,
            access: reach,
            output_store: keeper,
            max_text_chars,
            plain_fetch,
            background,
            planning,
        }
        .and(tools)
    }

    /// The first call of `session` that has left a command in the background since this process runs. One process at a time
    /// holds a session, so what earlier calls have left there has ended with another one.
    pub fn first_background_call(&self, session: SessionId) -> Option<CallId> {
        self.background.first_call(session)
    }

    /// The commands of `session` that run in the background, the oldest first.
    pub fn background_commands(&self, session: SessionId) -> Vec<BackgroundCommand> {
        self.background.running(session)
    }

    /// Ask a command of `session` that runs in the background to end; `None` when none of this number runs.
    pub fn stop_background_command(&self, session: SessionId, pid: u32) -> Option<BackgroundCommand> {
        self.background.stop(session, pid)
    }

    /// These tools, where none asks a model of its own: there is no web search, and pages are fetched from here.
    #[must_use]
    pub fn without_models(&self) -> Toolbox {
        let mut tools = BTreeMap::clone(&self.tools);
        tools.remove(google_web_search::NAME);
        if let Some(placed) = tools.get_mut(web_fetch::NAME) {
            placed.tool = self.plain_fetch.clone();
        }
        Toolbox { tools: Arc::new(tools), ..self.clone() }
    }

    /// These tools and `more`, made elsewhere. One that has the name of a tool already here is left out.
    #[must_use]
    pub fn and(&self, more: Vec<Arc<dyn Tool>>) -> Toolbox {
        let mut tools = BTreeMap::clone(&self.tools);
        for tool in more {
            let declaration = Arc::new(tool.declaration());
            let name = declaration.name.clone();
            if tools.contains_key(&name) {
                tracing::warn!(%name, "two tools have one name; the second is left out");
                continue;
            }
            tools.insert(name, DeclaredTool { declaration, tool });
        }
        Toolbox { tools: Arc::new(tools), ..self.clone() }
    }

    /// Those of these tools that `names` lists. A name may be followed by words in brackets, as in policy rules.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Toolbox {
        let listed = |tool: &str| names.iter().any(|name| name.split('(').next().unwrap_or(name).trim() == tool);
        let kept = self.tools.iter().filter(|(name, _)| listed(name));
        let tools = Arc::new(kept.map(|(name, placed)| (name.clone(), placed.clone())).collect());
        Toolbox { tools, ..self.clone() }
    }

    /// All of these tools but those that `names` lists. A name with a pattern in brackets forbids some calls, not the tool.
    #[must_use]
    ///
    /// A patch does what the tools for one file do, so it goes with each of them.
    pub fn without(&self, names: &[String]) -> Toolbox {
        let is_listed = |tool: &str| names.iter().any(|name| name.trim() == tool);
        let listed_file_tool = BuiltInTool::ALL.into_iter().any(|tool| tool.changes_file() && is_listed(tool.name()));
        let is_left_out = |tool: &str| is_listed(tool) || (listed_file_tool && tool == BuiltInTool::ApplyPatch.name());
        let kept = self.tools.iter().filter(|(tool, _)| !is_left_out(tool));
        let tools = Arc::new(kept.map(|(name, placed)| (name.clone(), placed.clone())).collect());
        Toolbox { tools, ..self.clone() }
    }

    /// Those of these tools that `names` lists, and those that no model is ever offered: through them others ask.
    #[must_use]
    pub fn only_offered(&self, names: &[String]) -> Toolbox {
        let offered = self.ever_offered();
        let unoffered = self.tools.keys().filter(|name| !offered.contains(&name.as_str())).cloned();
        self.only(&names.iter().cloned().chain(unoffered).collect::<Vec<_>>())
    }

    /// The descriptions of the tools that a model has in `mode`, by name.
    pub fn declarations(&self, mode: ApprovalMode) -> Vec<ToolSpec> {
        let offered = self.tools.values().filter(|placed| placed.tool.offered_in(mode));
        offered.map(|placed| ToolSpec::clone(&placed.declaration)).collect()
    }

    /// The names of all tools, sorted, whatever the mode.
    pub fn names(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }

    /// True if calls of `tool` that change things may change the workspace.
    pub fn changes_workspace(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(|placed| placed.tool.changes_workspace())
    }

    /// The effect that the call would have in `session`, without doing it. An error is the end of the call: unknown tool, bad
    /// arguments, a path outside the workspace, no such file.
    /// `seen` are the versions of files that the model has seen.
    pub async fn preview(
        &self,
        session: SessionId,
        workspace: &Path,
        tool: &str,
        args: &Value,
        seen: &Arc<SeenFiles>,
    ) -> Result<CallPreview, CallOutcome> {
        let preview = async {
            let found = self.find(tool)?;
            self.check_argument_names(tool, args)?;
            found.preview_in_session(session, workspace, args, &PlannedFiles::new(Arc::clone(seen))).await
        };
        let mut preview = preview.await.map_err(CallOutcome::from)?;
        match preview.misfit.take() {
            Some(misfit) => Err(misfit.outcome),
            None => Ok(preview),
        }
    }

    /// The same for an open call of an answer, after what the calls `before` it will make of files, and for policy to judge even if
    /// it does not fit them. One of the calls before that does not fit, or cannot run, leaves its file as it is.
    pub async fn preview_after(
        &self,
        session: SessionId,
        workspace: &Path,
        call: &CallState,
        before: &[CallState],
        seen: &Arc<SeenFiles>,
    ) -> Result<CallPreview, CallOutcome> {
        let preview = async {
            let found = self.find(&call.tool)?;
            self.check_argument_names(&call.tool, &call.args)?;
            // All calls of an answer are previewed at once, and each plans the calls before it: together they could hold any
            // number of large files. The semaphore is never closed.
            let _permit = self.planning.acquire().await.ok();
            let planned = self.plan_files(workspace, before, PlannedFiles::new(Arc::clone(seen))).await;
            found.preview_in_session(session, workspace, &call.args, &planned).await
        };
        preview.await.map_err(CallOutcome::from)
    }

    /// `planned` with what `calls` will make of files, one after the other.
    async fn plan_files(&self, workspace: &Path, calls: &[CallState], mut planned: PlannedFiles) -> PlannedFiles {
        for call in calls {
            if let Ok(tool) = self.find(&call.tool)
                && self.check_argument_names(&call.tool, &call.args).is_ok()
            {
                for (path, file) in tool.plan_files(workspace, call, &planned).await {
                    planned.insert(path, file);
                }
            }
        }
        planned
    }

    /// Those of `args` that the tool acts on: what its schema has, without remarks for the person.
    pub fn obeyed_arguments(&self, tool: &str, args: &Value) -> Value {
        let Some(placed) = self.tools.get(tool) else { return Value::Null };
        let mut obeyed = declared_part(&placed.declaration.parameters, args);
        if let Some(members) = obeyed.as_object_mut() {
            members.retain(|name, _| !placed.tool.remarks().contains(&name.as_str()));
        }
        obeyed
    }

    /// Check that the disk does not speak against running `plan` without a question.
    pub async fn check_plan(&self, workspace: &Path, plan: &CommandPlan) -> Result<(), PlanObjection> {
        let (workspace, reach, plan) = (workspace.to_owned(), Arc::clone(&self.access), plan.clone());
        let surroundings = PlanEnvironment { streams: ShellStreams::Pipes, passed: Vec::new() };
        let checked = run_blocking(move || Ok(plan::resolve(&reach.open(&workspace)?, &plan, &surroundings))).await;
        match checked {
            Ok(resolved) => resolved.map(drop),
            Err(error) => Err(PlanObjection::new(error.to_string())),
        }
    }

    /// Run `call`: what was shown, with the person's edit, is what runs. Output is streamed to `out`. Dropping the
    /// future ends everything the call started, background processes aside: those end with the last toolbox.
    pub async fn run(&self, workspace: &Path, call: &CallState, out: &mut dyn ToolCallContext) -> ToolRunOutcome {
        let run = async {
            let tool = self.find(&call.tool)?;
            self.check_argument_names(&call.tool, &call.args)?;
            let ran = tool.run(workspace, call, out).await?;
            let key = OutputFileKey { session: out.session(), call: call.id };
            Ok(if tool.limits_own_length() { ran } else { self.shorten(ran, key).await })
        };
        run.await.unwrap_or_else(|error: ToolError| ToolRunOutcome::Done(error.into()))
    }

    /// Read what `paths`, which a prompt names, lead to.
    pub async fn inject(&self, workspace: &Path, paths: &[String]) -> InjectedFiles {
        inject(Arc::clone(&self.access), Arc::clone(&self.output_store), workspace, paths).await
    }

    /// The names at the top of the workspace, directories first; none if it cannot be listed.
    pub async fn top_names(&self, workspace: &Path) -> Vec<String> {
        let (workspace, access) = (workspace.to_owned(), Arc::clone(&self.access));
        run_blocking(move || list_top_names(&access, &workspace)).await.unwrap_or_default()
    }

    /// The files of `workspace` that are kept from the model.
    pub fn kept_files(&self, workspace: &Path) -> KeptFiles {
        KeptFiles::new(Arc::clone(&self.access), workspace)
    }

    /// The directories besides the workspace whose files are inside it.
    pub fn include_directories(&self) -> &[PathBuf] {
        &self.access.include
    }

    /// The store for output that is too long for the log, or no text.
    pub fn output_store(&self) -> Arc<dyn OutputStore> {
        Arc::clone(&self.output_store)
    }

    /// Cut a text that is too long for the context, and keep the whole of it. Tools leave this to the toolbox, so that nothing is
    /// cut twice and the count is that of the real whole.
    async fn shorten(&self, mut ran: ToolRunOutcome, key: OutputFileKey) -> ToolRunOutcome {
        let ToolRunOutcome::Done(CallOutcome::Succeeded { result } | CallOutcome::Failed { result: Some(result), .. }) =
            &mut ran
        else {
            return ran;
        };
        let mut excerpt = ExcerptBuilder::new(self.max_text_chars);
        excerpt.push(&result.text);
        if !excerpt.is_cut() {
            return ran;
        }
        let whole = std::mem::replace(&mut result.text, excerpt.finish());
        // What a person made of a change may be in the part that is cut.
        result.seen.clear();
        let store = Arc::clone(&self.output_store);
        let kept = run_blocking(move || {
            let kept = store.spool().and_then(|mut spool| {
                spool.write(whole.as_bytes())?;
                spool.finish("text/plain")
            });
            let kept = kept.inspect_err(|error| tracing::warn!(%error, "the whole result of a call could not be kept"));
            Ok((kept.ok(), keep_text(&store, key, &whole)))
        });
        let (blob, file) = kept.await.unwrap_or_default();
        result.whole = result.whole.take().or(blob);
        result.text.push_str(&file.map_or_else(|| REST.to_owned(), |file| format!("\n{file}")));
        ran
    }

    /// Refuse arguments that a tool of ours does not take. An MCP server says that itself, and what no model is offered is
    /// called by us.
    fn check_argument_names(&self, tool: &str, args: &Value) -> Result<(), ToolError> {
        let is_ours = !tool.starts_with("mcp_") && self.ever_offered().contains(&tool);
        match self.tools.get(tool).filter(|_| is_ours) {
            Some(placed) => check_names(tool, &placed.declaration.parameters, args),
            None => Ok(()),
        }
    }

    /// True if there is a tool of this name.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// The end of a call of a tool that is not here, where a model is offered the tools of `mode`.
    pub fn unknown(&self, tool: &str, mode: ApprovalMode) -> CallOutcome {
        let offered: Vec<String> = self.declarations(mode).into_iter().map(|tool| tool.name).collect();
        ToolError::UnknownTool { tool: tool.to_owned(), known: offered.join(", ") }.into()
    }

    /// The end of a call of `tool` that a model is offered in other modes only, if it is one.
    pub fn misplaced(&self, tool: &str, mode: ApprovalMode) -> Option<CallOutcome> {
        let is_elsewhere = self.ever_offered().contains(&tool) && !self.tools.get(tool)?.tool.offered_in(mode);
        let why = match mode {
            ApprovalMode::Plan => "you are in plan mode already",
            ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Yolo => {
                "you are not in plan mode, so there is no plan to approve; go on with the work"
            }
        };
        is_elsewhere.then(|| ToolError::failed("wrong_mode", why).into())
    }

    /// The names of the tools that a model may have in some mode: the others are none of its business.
    pub fn ever_offered(&self) -> Vec<&str> {
        let modes = [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo];
        let tools = self.tools.iter().filter(|(_, placed)| modes.iter().any(|mode| placed.tool.offered_in(*mode)));
        tools.map(|(name, _)| name.as_str()).collect()
    }

    fn find(&self, tool: &str) -> Result<&dyn Tool, ToolError> {
        match self.tools.get(tool) {
            Some(found) => Ok(found.tool.as_ref()),
            None => Err(ToolError::UnknownTool { tool: tool.to_owned(), known: self.ever_offered().join(", ") }),
        }
    }
}
