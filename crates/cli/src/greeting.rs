//! What a person reads first.

use crate::endpoint::Bound;
use crate::settings::Basics;

/// The lines before the first prompt.
pub(crate) struct Greeting {
    pub(crate) workspace: String,
    /// Where others come in; empty when they do not.
    pub(crate) door: Vec<String>,
    /// How to get a real model.
    pub(crate) note: Option<String>,
}

impl Greeting {
    pub(crate) fn lines(self) -> Vec<String> {
        let name = format!("pollux {} in {}", env!("CARGO_PKG_VERSION"), self.workspace);
        [name].into_iter().chain(self.door).chain(self.note).collect()
    }
}

/// How others reach a socket.
pub(crate) fn door_lines(basics: &Basics, bound: &Bound) -> Vec<String> {
    let address = format!("shared on {}  (WebSocket: ws://{}/ws)", bound.url(), bound.address);
    let grpc = bound.grpc_address().map(|address| format!("gRPC on {address}"));
    let token = bound.token_to_print(basics).map(|token| format!("token: {token}"));
    [address].into_iter().chain(grpc).chain(token).collect()
}
