//! The caller's tasks, a page at a time.

use super::A2aOperations;
use crate::dialect::{TaskContinuation, state_in_version};
use crate::errors::RequestError;
use crate::inbound::read_context;
use crate::session_access::TaskHandle;
use crate::task_snapshot::{self, HistoryLength};
use crate::wire_state::timestamp;
use pollux_session::{TaskCursor, TaskId, TaskMark, TaskQuery, TaskRow, UnixMillis, UnpromptedTasks};
use pollux_wire::a2a::{Metadata, Task, TaskState, TaskStatus, TaskTag};
use uuid::Uuid;

/// The tasks of a page when nobody says.
const PAGE_SIZE: i32 = 50;
/// The most tasks of a page.
const MAX_PAGE_SIZE: i32 = 100;

/// Which tasks are wanted, and what of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskListQuery {
    pub(crate) context: Option<String>,
    pub(crate) states: Vec<TaskState>,
    pub(crate) page_size: Option<i32>,
    pub(crate) page_token: Option<String>,
    pub(crate) history_length: Option<u32>,
    /// ISO 8601.
    pub(crate) since: Option<String>,
    pub(crate) unprompted: UnpromptedTasks,
    pub(crate) artifacts: bool,
}

/// A page of tasks.
pub(crate) struct TaskListPage {
    pub(crate) tasks: Vec<Task>,
    pub(crate) next_page_token: String,
    pub(crate) page_size: i32,
    pub(crate) total: u64,
}

impl A2aOperations {
    /// A page of the caller's tasks, newest change of standing first.
    pub(crate) async fn list(&self, wish: &TaskListQuery) -> Result<TaskListPage, RequestError> {
        let page_size = wish.page_size.unwrap_or(PAGE_SIZE);
        if !(1..=MAX_PAGE_SIZE).contains(&page_size) {
            return Err(RequestError::invalid_params(format!("`pageSize` must be 1 to {MAX_PAGE_SIZE}")));
        }
        let query = TaskQuery {
            context: wish.context.as_deref().map(read_context).transpose()?,
            marks: self.marks_of(&wish.states),
            since: wish.since.as_deref().map(read_time).transpose()?,
            unprompted: wish.unprompted,
            after: wish.page_token.as_deref().map(read_token).transpose()?,
            limit: usize::try_from(page_size).unwrap_or_default(),
        };
        // No task stands so: asking for nothing would find everything.
        if !wish.states.is_empty() && query.marks.is_empty() {
            return Ok(TaskListPage { tasks: Vec::new(), next_page_token: String::new(), page_size, total: 0 });
        }
        let page = self.app.sessions.roster().tasks(&self.who, query).await?;
        let mut tasks = Vec::with_capacity(page.rows.len());
        for row in page.rows.iter().filter(|row| self.app.sessions.admits(row.session)) {
            tasks.push(self.list_item(row, wish).await?);
        }
        let next_page_token = page.next.map(write_token).unwrap_or_default();
        Ok(TaskListPage { tasks, next_page_token, page_size, total: page.total })
    }

    /// One task of the list. Only who asks for more than its standing has its log read.
    async fn list_item(&self, row: &TaskRow, wish: &TaskListQuery) -> Result<Task, RequestError> {
        let history = wish.history_length.filter(|length| *length > 0);
        let bare = self.task_of_row(row);
        if history.is_none() && !wish.artifacts {
            return Ok(bare);
        }
        let handle: TaskHandle = self.app.sessions.find(&self.who, &row.task.to_string()).await?;
        let history = HistoryLength::from(history.or(Some(0)));
        let audience = self.audience(&handle, None).await?;
        let mut whole = task_snapshot::task_in_list(&self.app.feeds, &handle, history, audience).await?;
        if !wish.artifacts {
            whole.artifacts.clear();
        }
        Ok(Task { artifacts: whole.artifacts, history: whole.history, ..bare })
    }

    fn task_of_row(&self, row: &TaskRow) -> Task {
        let state = state_in_version(self.version, task_state(row.mark), continuation(row.mark));
        Task {
            kind: TaskTag::Task,
            id: row.task.to_string(),
            context_id: row.context.as_str().to_owned(),
            status: TaskStatus { state, message: None, timestamp: Some(timestamp(row.since)) },
            artifacts: Vec::new(),
            history: Vec::new(),
            metadata: Metadata::new(),
        }
    }

    /// The marks that a client of this version reads as one of `states`.
    fn marks_of(&self, states: &[TaskState]) -> Vec<TaskMark> {
        let reads_so =
            |mark: &TaskMark| states.contains(&state_in_version(self.version, task_state(*mark), continuation(*mark)));
        TaskMark::ALL.into_iter().filter(reads_so).collect()
    }
}

/// A once task is closed in the commit in which it comes to rest, so what rests takes another message.
fn continuation(mark: TaskMark) -> TaskContinuation {
    match mark {
        TaskMark::Completed | TaskMark::Cancelled | TaskMark::Failed => TaskContinuation::Closed,
        TaskMark::Submitted
        | TaskMark::Working
        | TaskMark::InputRequired
        | TaskMark::Rested
        | TaskMark::RestedCancelled
        | TaskMark::RestedFailed => TaskContinuation::Open,
    }
}

fn task_state(mark: TaskMark) -> TaskState {
    match mark {
        TaskMark::Submitted => TaskState::Submitted,
        TaskMark::Working => TaskState::Working,
        TaskMark::InputRequired => TaskState::InputRequired,
        TaskMark::Rested | TaskMark::Completed => TaskState::Completed,
        TaskMark::RestedCancelled | TaskMark::Cancelled => TaskState::Canceled,
        TaskMark::RestedFailed | TaskMark::Failed => TaskState::Failed,
    }
}

fn read_time(text: &str) -> Result<UnixMillis, RequestError> {
    let time: jiff::Timestamp = text.parse().map_err(|_| {
        RequestError::invalid_params(format!("`statusTimestampAfter` {text:?} is no time such as 2026-01-31T12:00:00Z"))
    })?;
    Ok(UnixMillis(u64::try_from(time.as_millisecond()).unwrap_or_default()))
}

/// A position in the list as opaque text.
fn write_token(cursor: TaskCursor) -> String {
    format!("{:x}.{}", cursor.since.0, cursor.task.0.simple())
}

fn read_token(text: &str) -> Result<TaskCursor, RequestError> {
    let cursor = text.split_once('.').and_then(|(since, task)| {
        let since = UnixMillis(u64::from_str_radix(since, 16).ok()?);
        Some(TaskCursor { since, task: TaskId(Uuid::try_parse(task).ok()?) })
    });
    cursor.ok_or_else(|| {
        RequestError::invalid_params("`pageToken` is none that was given out here; leave it out to start over")
    })
}
