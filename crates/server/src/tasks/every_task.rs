//! Every task of a caller, read page by page while the list is being sent: a long list is never held whole.

use crate::errors::RequestError;
use crate::ops::{A2aOperations, TaskListQuery};
use crate::wire_state::timestamp;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use pollux_session::UnixMillis;
use pollux_wire::a2a::Task;
use std::collections::{HashSet, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};

/// The most tasks that are read at once.
const PAGE: i32 = 100;

/// A walk over every task, newest change of standing first. A task that changes meanwhile moves to the front, behind the
/// walk's back, so those that changed since it began are looked at once more at the end.
pub(super) struct EveryTask {
    ops: A2aOperations,
    query: TaskListQuery,
    began: String,
    is_second_look: bool,
    has_more: bool,
    sent: HashSet<String>,
    read: VecDeque<Task>,
}

impl EveryTask {
    /// Nothing is read yet.
    pub(super) fn new(ops: A2aOperations, wish: TaskListQuery) -> EveryTask {
        let query = TaskListQuery { page_size: Some(PAGE), ..wish };
        let (sent, read) = (HashSet::new(), VecDeque::new());
        EveryTask { ops, query, began: now(), is_second_look: false, has_more: true, sent, read }
    }

    /// The next task.
    pub(super) async fn next(&mut self) -> Result<Option<Task>, RequestError> {
        loop {
            while let Some(task) = self.read.pop_front() {
                if self.sent.insert(task.id.clone()) {
                    return Ok(Some(task));
                }
            }
            match (self.has_more, self.is_second_look) {
                (true, _) => self.read_page().await?,
                (false, true) => return Ok(None),
                (false, false) => self.look_again(),
            }
        }
    }

    async fn read_page(&mut self) -> Result<(), RequestError> {
        let page = self.ops.list(&self.query).await?;
        self.read = page.tasks.into();
        self.has_more = !page.next_page_token.is_empty();
        self.query.page_token = Some(page.next_page_token).filter(|token| !token.is_empty());
        Ok(())
    }

    fn look_again(&mut self) {
        let since = self.query.since.take().into_iter().chain([self.began.clone()]).max();
        self.query = TaskListQuery { since, page_token: None, ..std::mem::take(&mut self.query) };
        (self.is_second_look, self.has_more) = (true, true);
    }
}

fn now() -> String {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    timestamp(UnixMillis(u64::try_from(millis).unwrap_or(u64::MAX)))
}

/// Writes tasks one after the other, as a list has them.
pub(super) trait TaskWriter: Send + Sync + 'static {
    /// One task, as JSON.
    fn write(&self, task: Task) -> impl Future<Output = Result<Bytes, RequestError>> + Send;
}

/// Every task as a JSON list between `before` and `after`, sent while it is read; `None` when there is none. The first
/// task is read before anything is sent, so that a request that cannot be answered gets its error.
pub(super) async fn send_list(
    before: &'static str,
    after: &'static str,
    mut tasks: Box<EveryTask>,
    writer: impl TaskWriter,
) -> Result<Option<Response>, RequestError> {
    let Some(first) = tasks.next().await? else { return Ok(None) };
    let first = writer.write(first).await?;
    let head = Bytes::from([before.as_bytes(), &first].concat());
    let rest = unfold(Some((tasks, writer, Some(head))), move |going| async move {
        let (mut tasks, writer, head) = going?;
        if let Some(head) = head {
            return Some((Ok(head), Some((tasks, writer, None))));
        }
        match next_written(&mut tasks, &writer).await {
            Ok(Some(task)) => Some((Ok([b",", &task[..]].concat().into()), Some((tasks, writer, None)))),
            Ok(None) => Some((Ok(Bytes::from_static(after.as_bytes())), None)),
            Err(fault) => {
                tracing::warn!("[A2AService] a list of tasks was cut short: {fault}");
                Some((Err(std::io::Error::other(fault.to_string())), None))
            }
        }
    });
    Ok(Some(([(CONTENT_TYPE, "application/json")], Body::from_stream(rest)).into_response()))
}

async fn next_written(tasks: &mut EveryTask, writer: &impl TaskWriter) -> Result<Option<Bytes>, RequestError> {
    match tasks.next().await? {
        Some(task) => writer.write(task).await.map(Some),
        None => Ok(None),
    }
}
