//! The first lines that a person reads.

use crate::endpoint::BoundEndpoint;
use crate::settings::GlobalSettings;

/// The lines before the first prompt.
pub(crate) struct StartupBanner {
    pub(crate) workspace: String,
    /// Where others come in; empty when they do not.
    pub(crate) endpoint_lines: Vec<String>,
    /// The way to a real model.
    pub(crate) note: Option<String>,
    /// Tips for somebody who is here for the first time.
    pub(crate) tips: &'static [&'static str],
}

/// The first tips at the screen.
pub(crate) const SCREEN_TIPS: &[&str] = &[
    "1. Ask about the code or for a change. @FILE adds a file, !CMD runs a command.",
    "2. Edits ask first, and so do commands that are not known to only read.",
    "3. Shift+Tab sets the mode; /help lists commands; /a2a open lets others join.",
];
/// The first tips in the line mode, which has no keys of its own and opens no endpoint.
pub(crate) const LINE_TIPS: &[&str] = &[
    "1. Ask about the code or for a change. @FILE adds a file, !CMD runs a command.",
    "2. Edits ask first, and so do commands that are not known to only read.",
    "3. /mode MODE changes that; /help lists commands; --a2a-port lets others join.",
];

impl StartupBanner {
    pub(crate) fn lines(self) -> Vec<String> {
        let name = format!("pollux {} in {}", env!("CARGO_PKG_VERSION"), self.workspace);
        let tips = self.tips.iter().map(|tip| (*tip).to_owned());
        [name].into_iter().chain(self.endpoint_lines).chain(self.note).chain(tips).collect()
    }
}

/// The lines on how others reach a socket.
pub(crate) fn endpoint_lines(global_settings: &GlobalSettings, bound: &BoundEndpoint) -> Vec<String> {
    let address = format!("shared on {}  (WebSocket: ws://{}/ws)", bound.url(), bound.address);
    let grpc = bound.grpc_address().map(|address| format!("gRPC on {address}"));
    let token = bound.token_to_print(global_settings).map(|token| format!("token: {token}"));
    [address].into_iter().chain(grpc).chain(token).collect()
}
