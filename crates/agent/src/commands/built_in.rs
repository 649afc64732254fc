//! The commands that come with Pollux.

use super::Command;
use super::about::About;
use super::chat::Chat;
use super::clear::Clear;
use super::compress::Compress;
use super::extensions::{Extensions, ListExtensions};
use super::help::Help;
use super::init::Init;
use super::mcp::Mcp;
use super::memory::Memory;
use super::model::Model;
use super::restore::Restore;
use super::rewind::Rewind;
use super::settings::Settings;
use super::shell::Shell;
use super::stats::Stats;
use super::tools::Tools;

/// Each of them, by name.
pub(super) const BUILT_IN: &[fn() -> Box<dyn Command>] = &[
    || Box::new(About),
    || Box::new(Chat),
    || Box::new(Clear),
    || Box::new(Compress),
    || Box::new(Extensions),
    || Box::new(Help),
    || Box::new(Init),
    || Box::new(ListExtensions),
    || Box::new(Mcp),
    || Box::new(Memory),
    || Box::new(Model),
    || Box::new(Restore),
    || Box::new(Rewind),
    || Box::new(Settings),
    || Box::new(Shell),
    || Box::new(Stats),
    || Box::new(Tools),
];
