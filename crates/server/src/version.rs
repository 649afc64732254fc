//! Which version of A2A a client speaks, and what that changes.

use crate::errors::RequestError;
use axum::http::HeaderMap;
use pollux_wire::jsonrpc;

/// The header, or the query parameter, that names the version.
pub(crate) const HEADER: &str = "a2a-version";

/// A version of A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum A2aVersion {
    /// 0.3, which whoever names none speaks.
    V03,
    /// 1.0.
    V10,
}

impl A2aVersion {
    /// The version that a request names in its header or, failing that, in its query.
    pub(crate) fn from_request(headers: &HeaderMap, query: Option<&str>) -> Result<A2aVersion, RequestError> {
        let in_query = || {
            let pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
            pairs.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(HEADER)).map(|(_, value)| value)
        };
        match headers.get(HEADER).map(|value| value.to_str().unwrap_or("?")).or_else(in_query) {
            Some(named) => A2aVersion::read(named),
            None => Ok(A2aVersion::V03),
        }
    }

    /// Its number.
    pub(crate) fn name(self) -> &'static str {
        match self {
            A2aVersion::V03 => "0.3",
            A2aVersion::V10 => "1.0",
        }
    }

    /// A version as text. Only the major and the minor number count.
    pub(crate) fn read(named: &str) -> Result<A2aVersion, RequestError> {
        let mut numbers = named.trim().split('.');
        match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
            (Some(""), None, ..) | (Some("0"), Some("3"), _, None) => Ok(A2aVersion::V03),
            (Some("1"), Some("0"), _, None) => Ok(A2aVersion::V10),
            _ => {
                let message = format!("A2A {:?} is not spoken here; 1.0 and 0.3 are", named.trim());
                Err(RequestError::new(jsonrpc::VERSION_NOT_SUPPORTED, message))
            }
        }
    }
}
