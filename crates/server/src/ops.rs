//! What can be asked of the agent over A2A, once, below every binding: JSON-RPC, HTTP+JSON and gRPC only read the question
//! and write the answer. Answers are the types of [`pollux_wire::a2a`]; a binding of 1.0 converts them.

mod cards;
mod follow;
mod head;
mod list;
mod look;
mod push;
mod send;
mod v10;

pub(crate) use head::Head;
pub(crate) use list::{ListWish, Listed};
pub(crate) use push::PushWish;

use crate::audience::{Audience, ToolExtension};
use crate::errors::Fault;
use crate::extensions::{Declared, tool_extension};
use crate::rooms::Place;
use crate::router::Hall;
use crate::version::Version;
use pollux_session::Who;
use std::sync::Arc;

/// One caller's way to the operations.
pub(crate) struct Ops {
    pub(crate) hall: Arc<Hall>,
    pub(crate) who: Who,
    pub(crate) version: Version,
    pub(crate) head: Head,
}

impl Ops {
    /// Whether the caller knows the `development-tool` extension, by this request alone.
    pub(crate) fn extension(&self, message: Option<&Declared>) -> ToolExtension {
        tool_extension(&self.hall.face, &self.head.extensions, message)
    }

    /// Who reads what the caller is told of `place`.
    async fn audience(&self, place: &Place, message: Option<&Declared>) -> Result<Audience, Fault> {
        let extension = place.extension(&self.hall.feeds, self.extension(message)).await?;
        Ok(Audience { version: self.version, extension })
    }
}
