//! `list_background_processes`: what the session has left running.

use crate::background::Background;
use crate::error::ToolError;
use crate::output::Output;
use crate::tool::{Declaration, Preview, Ran, Tool};
use pollux_session::{Call, Pending};
use schemars::JsonSchema;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const NAME: &str = "list_background_processes";

#[derive(JsonSchema)]
struct Arguments {}

pub(crate) struct ListBackgroundProcesses(pub(crate) Arc<Background>);

impl Tool for ListBackgroundProcesses {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Arguments>(
            NAME,
            "Lists the commands you have started in the background in this session, running and ended.",
        )
    }

    fn preview<'a>(&'a self, _: &'a Path, _: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move { Ok(Preview::reading(NAME, "List background processes")) })
    }

    fn run<'a>(&'a self, _: &'a Path, _: &'a Call, out: &'a mut dyn Output) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            let processes = self.0.of(out.session());
            let lines = processes
                .iter()
                .map(|process| format!("- [PID {}] {}: `{}`", process.pid, process.state(), process.command));
            let lines: Vec<String> = lines.collect();
            let text = if lines.is_empty() { "Nothing runs in the background.".to_owned() } else { lines.join("\n") };
            Ok(Ran::said(text))
        })
    }
}
