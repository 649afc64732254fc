//! The engine, told as short plays: each test moves a [`stage::Stage`] and compares the whole log that came of it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should say so at once")]

mod asks;
mod calls;
mod cancels;
mod children;
mod clients;
mod commands;
mod compaction;
mod files;
mod golden;
mod harness;
mod lasting;
mod laws;
mod messages;
mod prompts;
mod replies;
mod settings;
mod tasks;
mod texts;
mod views;
mod wakes;
