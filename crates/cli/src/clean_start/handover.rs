//! The environment on its way from the first start of the program to the second: in a memory file that is sealed, has no
//! name in any directory, and is closed before anything else runs.
//!
//! All the unsafe code of the program's start is here. It runs while the process has one thread.

use super::EnvironmentVariables;
use super::harmless_variables::is_proxy;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
use rustix::io::Errno;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Tells the second start where the variables are: descriptor, process id, name of the process.
pub(super) const NAME: &str = "POLLUX_ENVIRONMENT_HANDOVER";

/// Our own executable, whatever its file is called by now.
const EXECUTABLE: &str = "/proc/self/exe";

/// Everything about the file is fixed before the program is executed again.
const SEALS: SealFlags = SealFlags::SEAL.union(SealFlags::SHRINK).union(SealFlags::GROW).union(SealFlags::WRITE);

/// The handover of this process, as the variable [`NAME`] describes it.
pub(super) struct EnvironmentHandover {
    descriptor: RawFd,
    process_name: CString,
}

impl EnvironmentHandover {
    /// Execute the program again, with the same arguments, and `variables` handed over. `stays` says which of them are
    /// in the new environment block too. Returns only if that fails.
    pub(super) fn start_again(variables: &EnvironmentVariables, stays: impl Fn(&OsStr, &OsStr) -> bool) -> io::Error {
        match write_variables(variables) {
            Ok(file) => execute(&file, variables, stays),
            Err(error) => error,
        }
    }

    /// The variables that the first start handed over; `None` when this is the first start.
    pub(super) fn receive() -> io::Result<Option<EnvironmentVariables>> {
        let Some(handover) = std::env::var_os(NAME).and_then(|value| EnvironmentHandover::read(&value)) else {
            return Ok(None);
        };
        // `/proc/PID/comm` says "exe" after executing ourselves; process lists and service managers show that name.
        let _ = rustix::thread::set_name(&handover.process_name);
        let variables = read_variables(handover.descriptor)?;
        restore_proxies(&variables);
        Ok(Some(variables))
    }

    /// The handover that `value` describes. One of another process is not for us: a child of a Pollux may have
    /// inherited it.
    fn read(value: &OsStr) -> Option<EnvironmentHandover> {
        let mut parts = value.to_str()?.splitn(3, ' ');
        let descriptor: RawFd = parts.next()?.parse().ok()?;
        let pid: u32 = parts.next()?.parse().ok()?;
        let process_name = CString::new(parts.next()?).ok()?;
        (pid == std::process::id() && descriptor > 2).then_some(EnvironmentHandover { descriptor, process_name })
    }
}

/// A sealed memory file with `variables`, which survives executing a program.
fn write_variables(variables: &EnvironmentVariables) -> io::Result<File> {
    let create = |flags| memfd_create("pollux-environment", MemfdFlags::ALLOW_SEALING | flags);
    let created = match create(MemfdFlags::NOEXEC_SEAL) {
        // Kernels before 6.3 do not know that flag.
        Err(Errno::INVAL) => create(MemfdFlags::empty()),
        created => created,
    };
    let mut file = File::from(created?);
    let mut bytes = Vec::new();
    for (name, value) in variables {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(b'=');
        bytes.extend_from_slice(value.as_bytes());
        bytes.push(0);
    }
    file.write_all(&bytes)?;
    file.rewind()?;
    fcntl_add_seals(&file, SEALS)?;
    Ok(file)
}

#[expect(clippy::disallowed_methods, reason = "this process becomes the program; no child is started")]
fn execute(file: &File, variables: &EnvironmentVariables, stays: impl Fn(&OsStr, &OsStr) -> bool) -> io::Error {
    let mut arguments = std::env::args_os();
    let called = arguments.next().unwrap_or_else(|| OsString::from("pollux"));
    let process_name = rustix::thread::name().unwrap_or_default();
    let handover = format!("{} {} {}", file.as_raw_fd(), std::process::id(), process_name.to_string_lossy());
    Command::new(EXECUTABLE)
        .arg0(called)
        .args(arguments)
        .env_clear()
        .envs(variables.iter().filter(|(name, value)| stays(name, value)))
        .env(NAME, handover)
        .exec()
}

fn read_variables(descriptor: RawFd) -> io::Result<EnvironmentVariables> {
    let mut file = File::from(take_descriptor(descriptor)?);
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    Ok(entries.filter_map(split_entry).collect())
}

/// A name may begin with `=`, as std has it, too.
fn split_entry(entry: &[u8]) -> Option<(OsString, OsString)> {
    let equals = entry.iter().skip(1).position(|byte| *byte == b'=')? + 1;
    let (name, value) = (entry.get(..equals)?, entry.get(equals + 1..)?);
    Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
}

#[expect(unsafe_code, reason = "the number of an inherited descriptor becomes a descriptor that is closed")]
fn take_descriptor(descriptor: RawFd) -> io::Result<OwnedFd> {
    let is_open = std::fs::symlink_metadata(format!("/proc/self/fd/{descriptor}")).is_ok();
    if !is_open {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("descriptor {descriptor} is not open")));
    }
    // SAFETY: it is open, and this process has opened nothing yet: nobody else owns it.
    let owned = unsafe { OwnedFd::from_raw_fd(descriptor) };
    match fcntl_get_seals(&owned) {
        Ok(seals) if seals.contains(SEALS) => Ok(owned),
        Ok(_) | Err(_) => {
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("descriptor {descriptor} is no sealed memory file")))
        }
    }
}

/// Put proxies back whose address has a password: HTTP clients read them from the environment by themselves. They are then
/// in the memory of this process alone; the environment block that others see is not changed by it.
#[expect(unsafe_code, clippy::disallowed_methods, reason = "HTTP clients look for proxies nowhere else")]
fn restore_proxies(variables: &EnvironmentVariables) {
    for (name, value) in variables.iter().filter(|(name, _)| name.to_str().is_some_and(is_proxy)) {
        // SAFETY: the process has one thread, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var(name, value) };
    }
}
