//! The extension's own methods, in both versions: `commands/get` and `command/execute`.

use super::{RpcAnswer, RpcRequest, result};
use crate::client_profile::ToolExtension;
use crate::commands::{
    Arguments, CommandCaller, CommandRequest, CommandStart, CommandUpdate, CommandWatcher, begin_command, find_task,
    list_commands_for_programs, set_mode, slash_commands, wanted_mode,
};
use crate::dialect::{Dialect, encode};
use crate::errors::RequestError;
use crate::inbound::{read_typed, settings_of_request};
use crate::session_access::AcceptedMessage;
use crate::task_stream::TaskStream;
use pollux_session::{ApprovalMode, TurnOutcome};
use pollux_wire::commands::{
    CommandExecutionStatus as Status, ExecuteSlashCommandRequest, ExecuteSlashCommandResponse,
    GetAllSlashCommandsResponse,
};
use std::time::Duration;

/// The wait for the first news of a command. Whatever comes later comes by its task.
const FIRST_UPDATE_WAIT: Duration = Duration::from_secs(2);

impl RpcRequest<'_> {
    /// `commands/get`
    pub(super) async fn commands(&self) -> Result<RpcAnswer, RequestError> {
        let id = |names: [&str; 2]| names.iter().find_map(|name| self.request.params.get(*name)?.as_str());
        let (task, context) = (id(["taskId", "task_id"]), id(["contextId", "context_id"]));
        let settings = settings_of_request(&self.request.params)?;
        let workspace = settings.workspace_path.as_deref();
        let commands = list_commands_for_programs(&self.ops.app, &self.ops.who, task, context, workspace).await?;
        result(GetAllSlashCommandsResponse { commands: commands.iter().map(slash_commands).collect() })
    }

    /// `command/execute`
    pub(super) async fn execute_command(&self) -> Result<RpcAnswer, RequestError> {
        let ExecuteSlashCommandRequest { command_path, args, task_id, context_id } =
            read_typed("params", &self.request.params)?;
        if command_path.iter().all(|word| word.trim().is_empty()) {
            let message = "`command_path` is empty: name a command, such as [\"memory\", \"show\"]".to_owned();
            return result(response(String::new(), Status::FailedToStart, message));
        }
        let mut path: Vec<String> = command_path;
        if let Some(first) = path.first_mut() {
            *first = first.trim_start_matches('/').to_owned();
        }
        if let Some(mode) = wanted_mode(&path, &args) {
            return self.choose_mode(mode, task_id.as_deref(), context_id.as_deref()).await;
        }
        let arguments = Arguments::Line(args);
        let wanted = CommandRequest { path, arguments, caller: CommandCaller::Rfc, task: task_id, context: context_id };
        let admitted = match begin_command(&self.ops.app, &self.ops.who, &wanted).await? {
            CommandStart::Running(admitted) => admitted,
            CommandStart::Unknown => {
                let message =
                    format!("there is no command /{}; commands/get lists those there are", wanted.path.join(" "));
                return result(response(String::new(), Status::FailedToStart, message));
            }
        };
        let id = admitted.task.scope.wire_id();
        if self.takes_events() {
            let begun = response(id, Status::Started, String::new());
            // Whoever calls the extension's methods knows it.
            let dialect = Dialect::Rfc(self.form(), ToolExtension::Declared);
            let mut stream = TaskStream::of_message(&self.ops.app.feeds, &admitted, dialect);
            stream.begin_with(encode(&begun), None);
            return Ok(RpcAnswer::Stream(Box::new(stream)));
        }
        let (status, message) = first_update(&admitted).await?;
        result(response(id, status, message))
    }
}

impl RpcRequest<'_> {
    /// `/mode`: a setting of the session, done when it is answered.
    async fn choose_mode(
        &self,
        mode: Result<ApprovalMode, String>,
        task: Option<&str>,
        context: Option<&str>,
    ) -> Result<RpcAnswer, RequestError> {
        let mode = match mode {
            Ok(mode) => mode,
            Err(message) => return result(response(String::new(), Status::FailedToStart, message)),
        };
        let Some(handle) = find_task(&self.ops.app, &self.ops.who, task, context).await? else {
            let message = "name the session whose mode to set: by `taskId` or `contextId`".to_owned();
            return result(response(String::new(), Status::FailedToStart, message));
        };
        set_mode(&handle, mode).await?;
        result(response(handle.scope.wire_id(), Status::Started, format!("the mode is {}", mode.name())))
    }
}

async fn first_update(admitted: &AcceptedMessage) -> Result<(Status, String), RequestError> {
    let mut watcher = CommandWatcher::new(admitted);
    let news = match tokio::time::timeout(FIRST_UPDATE_WAIT, watcher.next()).await {
        Ok(news) => news?,
        Err(_) => return Ok((Status::Started, String::new())),
    };
    let answered = "answer its tool call on the task that execution_id names";
    Ok(match news {
        CommandUpdate::Ended(TurnOutcome::Failed { failure }) => (Status::FailedToStart, failure.message),
        CommandUpdate::Ended(TurnOutcome::Rested | TurnOutcome::Cancelled) | CommandUpdate::ModelCalled => {
            (Status::Started, String::new())
        }
        CommandUpdate::Asks { shell: true } => (Status::AwaitingShellConfirmation, answered.to_owned()),
        CommandUpdate::Asks { shell: false } => (Status::AwaitingActionConfirmation, answered.to_owned()),
    })
}

fn response(execution_id: String, status: Status, message: String) -> ExecuteSlashCommandResponse {
    ExecuteSlashCommandResponse { execution_id, status, message }
}
