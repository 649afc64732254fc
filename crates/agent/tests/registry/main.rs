//! Commands over the real host, store, tools and policy, with a model that remembers what it was told.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chat;
mod conversation;
mod custom;
mod files;
mod shown;
mod stage;
