//! Every JSON example of the five seeds, each test named by its seed and its section. What a client sends goes through the
//! live router; what a server sends is compared with what ours does, or read by the type that writes it.
//!
//! The requirements for `--a2a-port` hold no JSON of their own: the shapes they name are those of the extension and the
//! endpoint guide.

mod endpoint;
mod page;
mod reference;
mod requirements;
mod rfc;

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::{ScriptedSession, TestRoster, who};
use std::sync::Arc;

/// A server of the terminal, and its session.
fn one_session() -> (Arc<ScriptedSession>, TestClient) {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("seed"));
    (session, client)
}

/// A server of many sessions.
fn serve() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("seed"));
    (roster, client)
}
