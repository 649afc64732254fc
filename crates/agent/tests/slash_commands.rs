//! Commands over the real host, store, tools and policy, with a model that remembers what it was told.

mod chat;
mod command_session;
mod conversation;
mod custom;
mod files;
mod shown;
