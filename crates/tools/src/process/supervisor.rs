//! The supervisor of one call: our own program, started anew. It leads the call's session, starts the work, reaps what
//! is below it, and ends all of it when the call is over or Pollux is dead: both are the end of its control socket.

mod builtin;
mod descriptors;
mod end_descendants;
mod keystroke_filter;
mod reaper;
mod run_pipeline;
mod run_program;
mod wait_for_pipeline;

use super::call_cgroup::CallCgroup;
use super::job::{JobStreams, SupervisedWork, SupervisorMessage};
use super::process_list::ProcessSnapshot;
use reaper::Reaper;
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getpid, getrlimit, ioctl_tiocsctty, set_child_subreaper, set_dumpable_behavior,
    setrlimit, setsid,
};
use rustix::termios::tcsetpgrp;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::exit;
use tokio::io::AsyncReadExt;
use tokio::net::unix::OwnedReadHalf;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The first argument of a process that is to be a supervisor. Other processes of this program know it by that.
pub const SUPERVISOR_ARGUMENT: &str = "__supervise-call";

/// Signals that must not end a supervisor: whoever signals a group may mean the work in it. Handlers, unlike ignored
/// signals, are not handed down to the work.
const SURVIVED: [i32; 17] = [
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGSTKFLT,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGURG,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGWINCH,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGHUP,
];

/// The most descriptors that a process of a call can have. A server looks through all of them to tell who has connected to it, and
/// the system's own limit can be a million. Builds, bundlers and node need some thousands; 10,240 is what macOS gives a process
/// at most, so programs that run there do with it.
const MOST_DESCRIPTORS: u64 = 10_240;

/// Signals that end a plan, as they would end a shell.
const ENDING: [i32; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGQUIT];

/// Be the supervisor of a call if this process was started as one, and never return then. Call it in the first line of
/// `main`, before there are threads and before anything reads the environment.
pub fn run_supervisor_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == SUPERVISOR_ARGUMENT) {
        exit(match supervise() {
            Ok(()) => 0,
            Err(error) => i32::from(error.kind() == io::ErrorKind::InvalidInput) + 1,
        });
    }
}

/// Lets a test binary serve as its own supervisor: it has no `main` of ours.
#[cfg(feature = "supervise-in-tests")]
mod in_tests {
    // SAFETY: on Linux the standard library has its arguments before the first constructor runs, and nothing here needs
    // anything else that `main` sets up. The process either does nothing or never gets to `main`.
    #[ctor::ctor(unsafe)]
    fn serve_as_supervisor() {
        // Cargo puts tests there. The real program is not there, so no test passes because of this function alone.
        let is_test =
            std::env::current_exe().is_ok_and(|exe| exe.parent().is_some_and(|place| place.ends_with("deps")));
        if is_test {
            super::run_supervisor_if_asked();
        }
    }
}

fn supervise() -> io::Result<()> {
    let control = descriptors::take_control()?;
    // Nobody else of our user may look into this process, or take its end of the socket.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    set_child_subreaper(Some(getpid()))?;
    setsid()?;
    // Threads that are started later have it too.
    keystroke_filter::refuse_typing_into_terminals()?;
    limit_descriptors()?;
    let (job, streams) = descriptors::receive_job(&control)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let supervised = runtime.block_on(async {
        let mut supervisor = Supervisor::new(control, job.streams)?;
        let supervised = supervisor.run(job.work, streams).await;
        // Whatever went wrong, nothing is left.
        end_descendants::end_descendants(&mut supervisor.reaper, supervisor.group.as_ref()).await;
        supervised
    });
    // Nothing waits for what the runtime may still have to do.
    runtime.shutdown_background();
    supervised
}

/// Lower the limits that this process hands down. One that is lower already stays as it is.
fn limit_descriptors() -> io::Result<()> {
    let lower = |limit: Option<u64>| Some(limit.map_or(MOST_DESCRIPTORS, |limit| limit.min(MOST_DESCRIPTORS)));
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: lower(current), maximum: lower(maximum) })?;
    Ok(())
}

struct Supervisor {
    control: UnixStream,
    lifeline: Lifeline,
    reaper: Reaper,
    group: Option<CallCgroup>,
    streams: JobStreams,
    /// Kept, because a handler lives as long as its stream.
    _survived: Vec<Signal>,
}

/// The end of our socket that Pollux holds.
struct Lifeline(OwnedReadHalf);

impl Lifeline {
    /// Wait until the call is over, or Pollux is dead.
    async fn ended(&mut self) {
        // Nothing more is ever sent, so whatever comes is the end.
        let _ = self.0.read(&mut [0]).await;
    }
}

/// The streams of the work.
struct WorkStreams {
    input: Option<OwnedFd>,
    output: OwnedFd,
    errors: OwnedFd,
}

impl Supervisor {
    fn new(control: UnixStream, streams: JobStreams) -> io::Result<Supervisor> {
        let reader = control.try_clone()?;
        reader.set_nonblocking(true)?;
        let (reader, writer) = tokio::net::UnixStream::from_std(reader)?.into_split();
        writer.forget();
        let survived = SURVIVED.into_iter().map(|number| signal(SignalKind::from_raw(number)));
        let _survived = survived.collect::<io::Result<_>>()?;
        let us = getpid().as_raw_nonzero().get();
        let group = ProcessSnapshot::read(us).and_then(|stat| CallCgroup::create(us, stat.start));
        Ok(Supervisor { control, lifeline: Lifeline(reader), reaper: Reaper::new()?, group, streams, _survived })
    }

    async fn run(&mut self, work: SupervisedWork, streams: WorkStreams) -> io::Result<()> {
        if self.streams == JobStreams::Terminal {
            ioctl_tiocsctty(&streams.output)?;
        }
        let status = self.run_work(work, streams).await?;
        let Some(status) = status else {
            // The call ended before its work.
            end_descendants::end_descendants(&mut self.reaper, self.group.as_ref()).await;
            return self.send_message(SupervisorMessage::Over { stopped_leftovers: false });
        };
        self.send_message(SupervisorMessage::Ended { status })?;
        let stopped_leftovers = loop {
            // Whatever lost its parent is our child, so having no children is having nothing below us.
            if self.reaper.reap_all() {
                break false;
            }
            tokio::select! {
                () = self.lifeline.ended() => break end_descendants::end_descendants(&mut self.reaper, self.group.as_ref()).await,
                () = self.reaper.child_changed() => {}
            }
        };
        self.send_message(SupervisorMessage::Over { stopped_leftovers })
    }

    /// The wait status of the work, or none when the call ended first.
    async fn run_work(&mut self, work: SupervisedWork, streams: WorkStreams) -> io::Result<Option<i32>> {
        let mut ending = ENDING.map(|number| signal(SignalKind::from_raw(number)));
        match work {
            SupervisedWork::Program(program) => {
                let terminal = match self.streams {
                    JobStreams::Terminal => Some(streams.output.try_clone()?),
                    JobStreams::Output | JobStreams::Three => None,
                };
                let pid = match CallCgroup::start_inside(self.group.as_ref(), || run_program::start(program, streams)) {
                    Ok(pid) => pid,
                    Err(error) => {
                        let errno = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
                        self.send_message(SupervisorMessage::NotStarted { errno })?;
                        return Ok(None);
                    }
                };
                self.reaper.await_child(pid);
                if let Some(terminal) = terminal {
                    tcsetpgrp(&terminal, pid)?;
                    // It may have used the terminal too early, and been stopped for that.
                    let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::CONT);
                }
                self.send_message(SupervisorMessage::Started { group: pid.as_raw_nonzero().get() })?;
                tokio::select! {
                    () = self.lifeline.ended() => Ok(None),
                    status = self.reaper.ended(pid) => Ok(Some(status)),
                }
            }
            SupervisedWork::Plan(plan) => {
                self.send_message(SupervisorMessage::Started { group: getpid().as_raw_nonzero().get() })?;
                let [terminated, interrupted, quit] = &mut ending;
                tokio::select! {
                    () = self.lifeline.ended() => Ok(None),
                    number = first_signal(terminated, libc::SIGTERM) => Ok(Some(number)),
                    number = first_signal(interrupted, libc::SIGINT) => Ok(Some(number)),
                    number = first_signal(quit, libc::SIGQUIT) => Ok(Some(number)),
                    exit_code = run_pipeline::run_plan(&plan, &streams, self.group.as_ref(), &mut self.reaper) => {
                        Ok(Some(i32::from(exit_code) << 8))
                    }
                }
            }
        }
    }

    fn send_message(&mut self, message: SupervisorMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(&message)?;
        line.push(b'\n');
        match rustix::net::send(&self.control, &line, rustix::net::SendFlags::NOSIGNAL) {
            Ok(_) => Ok(()),
            // Nobody listens any more: the end of the lifeline says what is to be done.
            Err(Errno::PIPE | Errno::CONNRESET) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The number of the signal, once it has come: as a wait status, that is its end by this signal.
async fn first_signal(stream: &mut io::Result<Signal>, number: i32) -> i32 {
    match stream {
        Ok(stream) => drop(stream.recv().await),
        Err(_) => std::future::pending().await,
    }
    number
}
