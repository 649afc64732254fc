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

use crate::house::client::{Client, many, shared};
use crate::house::{House, Session, who};
use std::sync::Arc;

/// A server of the terminal, and its session.
fn one_session() -> (Arc<Session>, Client) {
    let house = House::new();
    let session = house.session("ctx", "/");
    let client = Client::new(shared(&house, session.id, "/"), who("seed"));
    (session, client)
}

/// A server of many sessions.
fn serve() -> (Arc<House>, Client) {
    let house = House::new();
    let client = Client::new(many(&house, "/"), who("seed"));
    (house, client)
}
