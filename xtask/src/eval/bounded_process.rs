//! A program that may not take longer than it is given: its output goes to files, and everything in its group ends with it.

use crate::process;
use anyhow::{Context, Result};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked at.
const PACE: Duration = Duration::from_millis(5);

/// How a program ended; `None` if it was stopped because its time was over.
pub(super) struct ProcessEnd {
    pub(super) status: Option<ExitStatus>,
    pub(super) time: Duration,
}

/// Run it with nothing to read, and its output and errors in these files.
pub(super) fn run(command: &mut Command, output: &Path, errors: &Path, limit: Duration) -> Result<ProcessEnd> {
    let create = |path: &Path| File::create(path).with_context(|| format!("{} cannot be written", path.display()));
    command.stdin(Stdio::null()).stdout(create(output)?).stderr(create(errors)?).process_group(0);
    let began = Instant::now();
    let line = process::describe(command);
    let mut child = command.spawn().with_context(|| format!("`{line}` could not be started"))?;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if began.elapsed() > limit => break None,
            None => std::thread::sleep(PACE),
        }
    };
    let time = began.elapsed();
    end_group(child.id());
    if status.is_none() {
        child.wait()?;
    }
    Ok(ProcessEnd { status, time })
}

/// End every process of a group, if there is one left.
pub(super) fn end_group(leader: u32) {
    let mut kill = process::command("sh", Path::new("/"));
    kill.args(["-c", &format!("kill -s KILL -- -{leader}")]).stdout(Stdio::null()).stderr(Stdio::null());
    // Without a group there is nothing to end.
    let _ = kill.status();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_script(script: &str, limit: Duration) -> (ProcessEnd, String) {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("output");
        let mut command = process::command("sh", directory.path());
        let end = run(command.args(["-c", script]), &output, &directory.path().join("errors"), limit).unwrap();
        (end, std::fs::read_to_string(output).unwrap())
    }

    #[test]
    fn a_program_is_waited_for() {
        let (end, output) = run_script("echo done; exit 3", Duration::from_secs(60));
        assert_eq!((end.status.and_then(|status| status.code()), output.as_str()), (Some(3), "done\n"));
    }

    #[test]
    fn one_that_takes_too_long_is_stopped_with_what_it_started() {
        let began = Instant::now();
        let (end, output) = run_script("sleep 60 & echo $!; wait", Duration::from_millis(300));
        assert!(end.status.is_none() && began.elapsed() < Duration::from_secs(30));
        let mut is_there = process::command("sh", Path::new("/"));
        is_there.args(["-c", &format!("kill -0 {output}")]).stderr(Stdio::null());
        // The kernel may take a moment.
        while is_there.status().unwrap().success() {
            assert!(began.elapsed() < Duration::from_secs(30), "it is still there");
            std::thread::sleep(PACE);
        }
    }
}
