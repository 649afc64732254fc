//! The query of an address: the fields of a request that has no body, in camel case or with underscores.

use crate::dialect::state_word;
use crate::errors::RequestError;
use crate::ops::{PushConfigQuery, TaskListQuery};
use crate::task_snapshot::HistoryLength;
use axum::http::Uri;
use pollux_session::UnpromptedTasks;
use pollux_wire::named::State;
use pollux_wire::{a2a, v03_proto};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Every state that a task may be in.
const ALL_STATES: [a2a::TaskState; 8] = [
    a2a::TaskState::Submitted,
    a2a::TaskState::Working,
    a2a::TaskState::InputRequired,
    a2a::TaskState::AuthRequired,
    a2a::TaskState::Completed,
    a2a::TaskState::Canceled,
    a2a::TaskState::Failed,
    a2a::TaskState::Rejected,
];

/// The names and values, in order.
pub(crate) struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    /// The query of `uri`.
    pub(crate) fn from_uri(uri: &Uri) -> Result<QueryParameters, RequestError> {
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
        let unreadable = |error| RequestError::invalid_params(format!("the query cannot be read: {error}"));
        pairs.map(|pairs| QueryParameters(pairs.0)).map_err(unreadable)
    }

    /// A value; an empty one is as good as none.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let named = |given: &str| given.replace('_', "").eq_ignore_ascii_case(name);
        let value = self.0.iter().find(|(given, _)| named(given)).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// The length of history that is wanted.
    pub(super) fn history(&self) -> Result<HistoryLength, RequestError> {
        HistoryLength::from_v10(self.number("historyLength")?)
    }

    /// Which tasks are wanted, and what of them.
    pub(crate) fn task_list_query(&self) -> Result<TaskListQuery, RequestError> {
        let text = |name| self.text(name).map(str::to_owned);
        let negative = |_| RequestError::invalid_params("`historyLength` must not be negative");
        Ok(TaskListQuery {
            context: text("contextId"),
            states: self.states()?,
            page_size: self.number("pageSize")?,
            page_token: text("pageToken"),
            history_length: self.number("historyLength")?.map(u32::try_from).transpose().map_err(negative)?,
            since: text("statusTimestampAfter"),
            unprompted: UnpromptedTasks::LeftOut,
            artifacts: self.flag("includeArtifacts")?.unwrap_or_default(),
        })
    }

    /// The wanted part of a list of push configurations.
    pub(super) fn push_config_query(&self) -> Result<PushConfigQuery<'_>, RequestError> {
        let page_size = self.number("pageSize")?.unwrap_or_default();
        Ok(PushConfigQuery { page_size, page_token: self.text("pageToken").unwrap_or_default() })
    }

    fn number(&self, name: &str) -> Result<Option<i32>, RequestError> {
        let read = |text: &str| {
            text.parse().map_err(|_| RequestError::invalid_params(format!("`{name}` {text:?} is no whole number")))
        };
        self.text(name).map(read).transpose()
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, RequestError> {
        let read = |text: &str| match text.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(RequestError::invalid_params(format!("`{name}` {text:?} is neither true nor false"))),
        };
        self.text(name).map(read).transpose()
    }

    /// The states of a name: one in either version, the one that nobody knows meaning any, or those that `GET /tasks`
    /// itself calls so.
    fn states(&self) -> Result<Vec<a2a::TaskState>, RequestError> {
        let Some(text) = self.text("status") else { return Ok(Vec::new()) };
        let state =
            named::<a2a::TaskState>(text).or_else(|| named::<v03_proto::TaskState>(text).map(a2a::TaskState::from));
        match (state, named::<State>(text)) {
            (Some(a2a::TaskState::Unknown), _) => Ok(Vec::new()),
            (Some(state), _) => Ok(vec![state]),
            (None, Some(word)) => Ok(ALL_STATES.into_iter().filter(|state| state_word(*state) == word).collect()),
            (None, None) => {
                Err(RequestError::invalid_params(format!("`status` {text:?} is no state such as TASK_STATE_WORKING")))
            }
        }
    }
}

fn named<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(Value::String(name.to_owned())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use a2a::TaskState::{AuthRequired, Canceled, Completed, Failed, InputRequired, Rejected, Submitted, Working};

    #[test]
    fn a_status_is_read_in_every_spelling() {
        let states = |query: &str| {
            let uri: Uri = format!("/tasks?{query}").parse().unwrap();
            QueryParameters::from_uri(&uri)
                .and_then(|query| query.task_list_query())
                .map(|wish| wish.states)
                .map_err(|fault| fault.message)
        };
        for (query, expected) in [
            ("", vec![]),
            ("status=working", vec![Working]),
            ("status=TASK_STATE_WORKING", vec![Working]),
            ("status=completed", vec![Completed]),
            ("status=running", vec![Submitted, Working, InputRequired, AuthRequired]),
            ("status=error", vec![Canceled, Failed, Rejected]),
        ] {
            assert_eq!(states(query), Ok(expected), "{query}");
        }
        assert!(states("status=asleep").unwrap_err().contains("is no state such as"));
    }
}
