//! The runner: one model, one toolbox, any number of sessions.

use crate::{act, think};
use pollux_host::{Job, Reporter, Runner, Work};
use pollux_model::Model;
use pollux_session::{Equipment, Pending};
use pollux_tools::Toolbox;
use std::sync::Arc;

/// Does the work sessions owe.
#[derive(Clone)]
pub struct Agent {
    model: Arc<dyn Model>,
    toolbox: Toolbox,
}

impl Agent {
    /// An agent that asks `model` and works with `toolbox`.
    pub fn new(model: Arc<dyn Model>, toolbox: Toolbox) -> Agent {
        Agent { model, toolbox }
    }
}

impl Runner for Agent {
    fn equipment(&self) -> Equipment {
        Equipment { model: self.model.info().id, tools: self.toolbox.names() }
    }

    fn run(&self, job: Job, reporter: Reporter) -> Pending<'static, ()> {
        let agent = self.clone();
        Box::pin(async move {
            let Job { session, workspace, work } = job;
            // `Gone` only says that the work is no longer owed: there is nobody left to tell.
            let ended = match work {
                Work::Think { transcript, .. } => {
                    think::think(agent.model.as_ref(), &agent.toolbox, &workspace, &transcript, &reporter).await
                }
                Work::Vet { call, mode, grants } => {
                    act::vet(&agent.toolbox, &workspace, &call, mode, &grants, &reporter).await
                }
                Work::Run { call } => act::run(&agent.toolbox, &workspace, &call, &reporter).await,
            };
            if ended.is_err() {
                tracing::debug!(%session, "work ended early: it is no longer owed");
            }
        })
    }
}
