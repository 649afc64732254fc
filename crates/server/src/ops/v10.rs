//! Questions of 1.0 as the operations take them, and their answers as 1.0 has them.

use super::{TaskListPage, TaskListQuery};
use crate::errors::RequestError;
use crate::task_snapshot::HistoryLength;
use pollux_session::UnpromptedTasks;
use pollux_wire::a2a::TaskState;
use pollux_wire::v1::{self, ListTasksRequest, ListTasksResponse};

impl HistoryLength {
    /// The length of history that a client of 1.0 asks for.
    pub(crate) fn from_v10(length: Option<i32>) -> Result<HistoryLength, RequestError> {
        match length.map(usize::try_from) {
            None => Ok(HistoryLength::Whole),
            Some(Ok(length)) => Ok(HistoryLength::Newest(length)),
            Some(Err(_)) => Err(RequestError::invalid_params("`historyLength` must not be negative")),
        }
    }
}

impl TryFrom<ListTasksRequest> for TaskListQuery {
    type Error = RequestError;

    fn try_from(request: ListTasksRequest) -> Result<TaskListQuery, RequestError> {
        let some = |text: String| (!text.is_empty()).then_some(text);
        let history_length = match request.history_length.map(u32::try_from) {
            None => None,
            Some(Ok(length)) => Some(length),
            Some(Err(_)) => return Err(RequestError::invalid_params("`historyLength` must not be negative")),
        };
        Ok(TaskListQuery {
            context: some(request.context_id),
            states: request.status.and_then(state).into_iter().collect(),
            page_size: request.page_size,
            page_token: some(request.page_token),
            history_length,
            since: request.status_timestamp_after,
            unprompted: UnpromptedTasks::LeftOut,
            artifacts: request.include_artifacts.unwrap_or_default(),
        })
    }
}

/// The state that is asked for; `None` for the one that means any.
fn state(state: v1::TaskState) -> Option<TaskState> {
    Some(match state {
        v1::TaskState::Unspecified => return None,
        v1::TaskState::Submitted => TaskState::Submitted,
        v1::TaskState::Working => TaskState::Working,
        v1::TaskState::Completed => TaskState::Completed,
        v1::TaskState::Failed => TaskState::Failed,
        v1::TaskState::Canceled => TaskState::Canceled,
        v1::TaskState::InputRequired => TaskState::InputRequired,
        v1::TaskState::Rejected => TaskState::Rejected,
        v1::TaskState::AuthRequired => TaskState::AuthRequired,
    })
}

impl From<TaskListPage> for ListTasksResponse {
    fn from(listed: TaskListPage) -> ListTasksResponse {
        ListTasksResponse {
            tasks: listed.tasks.into_iter().map(v1::Task::from).collect(),
            next_page_token: listed.next_page_token,
            page_size: listed.page_size,
            total_size: i32::try_from(listed.total).unwrap_or(i32::MAX),
        }
    }
}
