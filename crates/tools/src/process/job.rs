//! The job that a supervisor is asked to do, and its messages about it. Both ends are the same program, so nothing here
//! has to stay as it is. Paths and arguments are OS strings: their bytes need not be UTF-8.

use super::runnable_plan::RunnablePlan;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

/// The work of one supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SupervisedJob {
    pub(super) work: SupervisedWork,
    pub(super) streams: JobStreams,
}

/// The program or plan that runs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SupervisedWork {
    /// One program, bash for instance, and whatever it starts.
    Program(ProgramWork),
    /// The programs of a plan, without a shell.
    Plan(RunnablePlan),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProgramWork {
    /// A path, or a name that is searched in the environment's PATH.
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) directory: OsString,
}

/// Which descriptors come with the job, after the job's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum JobStreams {
    /// One pipe for everything that is printed. There is no input.
    Output,
    /// A stream that is a terminal, which becomes the controlling one.
    Terminal,
    /// Standard input, output and error.
    Three,
}

impl JobStreams {
    pub(super) fn count(self) -> usize {
        match self {
            JobStreams::Output | JobStreams::Terminal => 1,
            JobStreams::Three => 3,
        }
    }
}

/// A message of a supervisor, one line of JSON each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum SupervisorMessage {
    /// The work runs, in this process group.
    Started { group: i32 },
    /// The work could not be started, for this reason of the operating system's.
    NotStarted { errno: i32 },
    /// The work ended with this wait status. What it left behind may go on.
    Ended { status: i32 },
    /// Nothing is left, and whether processes had to be ended that outlived the work.
    Over { stopped_leftovers: bool },
}
