//! Starts a supervisor for a job: our own program, from the file it was started from even if that is gone by now.

use super::job::SupervisedJob;
use super::registry::RegisteredSupervisor;
use super::supervised_processes::SupervisedProcesses;
use super::supervisor::SUPERVISOR_ARGUMENT;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::fs::File;
use std::io::{self, IoSlice, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Have `job` run with `streams`, as many as it says. They are closed here.
#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
pub(super) async fn launch(job: &SupervisedJob, streams: Vec<OwnedFd>) -> io::Result<SupervisedProcesses> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(find_program()?);
    // It takes the socket from its standard input, and everything else through the socket: so none of it can be
    // inherited by another child that is started at the same time.
    command.arg0("pollux").arg(SUPERVISOR_ARGUMENT).env_clear().current_dir("/");
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    let (child, registered) = RegisteredSupervisor::start_process(&mut command)?;
    drop(command);
    send_job(&ours, job, &streams)?;
    // They are over when the work has closed them, so nobody else may have them open.
    drop(streams);
    ours.set_nonblocking(true)?;
    SupervisedProcesses::follow(child, registered, tokio::net::UnixStream::from_std(ours)?.into_split()).await
}

fn find_program() -> io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

/// Send the job in a file of its own, so that a long one does not have to wait for its reader.
fn send_job(socket: &UnixStream, job: &SupervisedJob, streams: &[OwnedFd]) -> io::Result<()> {
    let mut file = File::from(memfd_create("pollux-job", MemfdFlags::CLOEXEC)?);
    file.write_all(&serde_json::to_vec(job)?)?;
    file.rewind()?;
    let descriptors: Vec<_> = std::iter::once(file.as_fd()).chain(streams.iter().map(AsFd::as_fd)).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("a job has too many descriptors"));
    }
    sendmsg(socket, &[IoSlice::new(b"j")], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}
