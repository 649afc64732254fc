//! The operations of the agent over A2A, once, below every binding: JSON-RPC, HTTP+JSON and gRPC only read the question
//! and write the answer. Answers are the types of [`pollux_wire::a2a`]; a binding of 1.0 converts them.

mod cards;
mod list;
mod push;
mod request_head;
mod send;
mod subscribe;
mod task;
mod v10;

pub(crate) use list::{TaskListPage, TaskListQuery};
pub(crate) use push::PushConfigQuery;
pub(crate) use request_head::RequestHead;

use crate::client_profile::{ClientProfile, ToolExtension};
use crate::errors::RequestError;
use crate::extensions::{DeclaredExtensions, tool_extension};
use crate::router::AppState;
use crate::session_access::TaskHandle;
use crate::version::A2aVersion;
use pollux_session::Who;
use std::sync::Arc;

/// One caller's way to the operations.
pub(crate) struct A2aOperations {
    pub(crate) app: Arc<AppState>,
    pub(crate) who: Who,
    pub(crate) version: A2aVersion,
    pub(crate) head: RequestHead,
}

impl A2aOperations {
    /// The caller's declaration of the `development-tool` extension, by this request alone.
    pub(crate) fn extension(&self, message: Option<&DeclaredExtensions>) -> ToolExtension {
        tool_extension(&self.app.card_config, &self.head.extensions, message)
    }

    /// The reader of what the caller is told of `handle`.
    async fn audience(
        &self,
        handle: &TaskHandle,
        message: Option<&DeclaredExtensions>,
    ) -> Result<ClientProfile, RequestError> {
        let extension = handle.extension(&self.app.feeds, self.extension(message)).await?;
        Ok(ClientProfile { version: self.version, extension })
    }
}
