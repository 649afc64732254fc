//! The parts of a request's head that matter to operations.

use crate::{card, extensions};
use axum::http::HeaderMap;

/// The parts of a request's head that matter to operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestHead {
    /// The name by which the caller came.
    pub(crate) host: Option<String>,
    /// The extensions that it asks for.
    pub(crate) extensions: Vec<String>,
}

impl RequestHead {
    /// Reads it from the headers, which for gRPC are its metadata.
    pub(crate) fn from_headers(headers: &HeaderMap) -> RequestHead {
        RequestHead {
            host: card::host(headers).map(str::to_owned),
            extensions: extensions::requested_extensions(headers),
        }
    }
}
