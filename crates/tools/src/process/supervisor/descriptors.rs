//! The descriptors of a supervisor: its control socket comes as standard input, the job and the work's streams over that
//! socket. So no other child of Pollux can inherit any of them, and the work inherits nothing of the supervisor's.

use super::WorkStreams;
use crate::process::job::{JobStreams, SupervisedJob};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_getfd, fcntl_setfd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// The control socket, in the place of which standard input is nothing.
pub(super) fn take_control() -> io::Result<UnixStream> {
    let control = UnixStream::from(fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    if control.local_addr().is_err() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "only Pollux itself starts a supervisor"));
    }
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    keep_from_children()?;
    Ok(control)
}

/// Let no child inherit what Pollux itself was started with.
fn keep_from_children() -> io::Result<()> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Some(number) = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        if number > 2 {
            set_close_on_exec(number);
        }
    }
    Ok(())
}

#[expect(unsafe_code, reason = "a descriptor that was inherited has no owner to borrow it from")]
fn set_close_on_exec(number: i32) {
    // SAFETY: the borrow ends before anything can close the descriptor: there is one thread. A descriptor that is closed
    // already (the one that listed the directory) is an error of the call and nothing else.
    let inherited = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
    if let Ok(flags) = fcntl_getfd(inherited) {
        let _ = fcntl_setfd(inherited, flags | FdFlags::CLOEXEC);
    }
}

/// Wait for the job and the streams of its work.
pub(super) fn receive_job(control: &UnixStream) -> io::Result<(SupervisedJob, WorkStreams)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut received = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let message = recvmsg(control, &mut [IoSliceMut::new(&mut byte)], &mut received, RecvFlags::CMSG_CLOEXEC)?;
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "the job of a supervisor is not whole");
    if message.bytes != 1 {
        return Err(broken());
    }
    let mut descriptors: Vec<OwnedFd> = received
        .drain()
        .flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
            _ => Vec::new(),
        })
        .collect();
    if descriptors.is_empty() {
        return Err(broken());
    }
    let job: SupervisedJob = serde_json::from_reader(io::BufReader::new(File::from(descriptors.remove(0))))?;
    if descriptors.len() != job.streams.count() {
        return Err(broken());
    }
    let mut next = || descriptors.drain(..1).next().ok_or_else(broken);
    let streams = match job.streams {
        JobStreams::Output | JobStreams::Terminal => {
            let output = next()?;
            WorkStreams { input: None, errors: output.try_clone()?, output }
        }
        JobStreams::Three => WorkStreams { input: Some(next()?), output: next()?, errors: next()? },
    };
    Ok((job, streams))
}
