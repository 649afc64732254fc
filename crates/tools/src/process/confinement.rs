//! Keeps a thread, and what it starts, from everything but reading: Landlock for files, seccomp for sockets and for
//! changes that Landlock does not know. Both or nothing: a thread that could not be confined must not start anything.
//! What it has started gets limits for memory.

use super::executable_file::find_interpreter;
use super::runnable_plan::ReadablePaths;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Where programs, their libraries and what they need to start are. Those that a machine does not have are passed over.
const SYSTEM_DIRECTORIES: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// The files that the C library and common programs read besides: none of them is a secret.
const SYSTEM_FILES: [&str; 12] = [
    "/etc/group",
    "/etc/host.conf",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/dev/zero",
    "/dev/urandom",
];

/// Calls that fail with EPERM. Sockets: Landlock knows only TCP, and that only in newer kernels. io_uring: it makes calls
/// that no filter sees. The rest changes files in ways that Landlock does not know.
const REFUSED_CALLS: &[i64] = &[
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

// The newest calls have the same number on every architecture.
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// On x86-64 most calls have a second number with this bit, for programs with 32-bit pointers.
#[cfg(target_arch = "x86_64")]
const X32_BIT: i64 = 0x4000_0000;

/// The most memory that the confined programs of a pipeline may have for their data together, in bytes. Files that they map to
/// read do not count.
const MAX_DATA_BYTES: u64 = 1 << 30;

/// What each of them gets at least. Policy lets no more than sixteen run at once.
const LEAST_DATA_BYTES: u64 = 64 << 20;

/// The memory that starting a program takes besides what this process has.
const SPAWNING_BYTES: u64 = 64 << 20;

/// The most memory that one confined program may have for its data.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataLimit(u64);

impl DataLimit {
    /// The share of one of `count` programs that run at once.
    pub(super) fn one_of(count: usize) -> DataLimit {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        DataLimit((MAX_DATA_BYTES / count).max(LEAST_DATA_BYTES))
    }
}

/// Confine this thread, for good, to reading the system's directories, `readable` and `program`, which it may also
/// execute, as it may the system's programs if `program` starts others. The error says why that cannot be.
pub(super) fn confine_thread(readable: &ReadablePaths, program: &Path, starts_others: bool) -> Result<(), String> {
    let filter = build_filter()?;
    let restricted = restrict_files(readable, program, starts_others).map_err(|error| format!("Landlock: {error}"))?;
    if restricted == RulesetStatus::NotEnforced {
        return Err("Landlock: this kernel does not have it, or it is off".into());
    }
    seccompiler::apply_filter(&filter).map_err(|error| format!("seccomp: {error}"))
}

/// Call `start`, which starts a confined program, so that the program has limits: `limit` for its memory, and no core dump.
///
/// It inherits the limits of this process, which are lowered meanwhile. They may not be lower than what this process
/// needs itself, so the program gets its own at once; what it has started by then keeps the first.
pub(super) fn start_limited<E>(
    own_data: OwnData,
    limit: DataLimit,
    start: impl FnOnce() -> Result<Pid, E>,
) -> Result<Result<Pid, E>, String> {
    let own_need = own_data.0 + SPAWNING_BYTES;
    let lower = |resource, bytes| LoweredLimit::set(resource, bytes).map_err(|error| format!("setrlimit: {error}"));
    let _data = lower(Resource::Data, own_need.max(limit.0))?;
    let _core = lower(Resource::Core, 0)?;
    Ok(start().inspect(|pid| {
        let maximum = getrlimit(Resource::Data).maximum;
        let current = Some(maximum.map_or(limit.0, |maximum| maximum.min(limit.0)));
        // The only failure is that it has ended.
        let _ = prlimit(Some(*pid), Resource::Data, Rlimit { current, maximum });
    }))
}

/// The memory of this process for its own data, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnData(u64);

impl OwnData {
    /// Must be read before a thread is confined: it could not read it any more.
    pub(super) fn read() -> OwnData {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let data = status.lines().find_map(|line| line.strip_prefix("VmData:"));
        let kibibytes = data.and_then(|data| data.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
        // Where nothing is known, the limit is so high that starting a program does not fail.
        OwnData(kibibytes.map_or(4 * MAX_DATA_BYTES, |kibibytes| kibibytes << 10))
    }
}

/// A limit of this process that is lower as long as this lives.
struct LoweredLimit {
    resource: Resource,
    before: Rlimit,
}

impl LoweredLimit {
    fn set(resource: Resource, bytes: u64) -> rustix::io::Result<LoweredLimit> {
        let before = getrlimit(resource);
        let current = before.current.map_or(bytes, |current| current.min(bytes));
        setrlimit(resource, Rlimit { current: Some(current), maximum: before.maximum })?;
        Ok(LoweredLimit { resource, before })
    }
}

impl Drop for LoweredLimit {
    fn drop(&mut self) {
        if let Err(error) = setrlimit(self.resource, self.before) {
            tracing::warn!(%error, "a limit could not be put back");
        }
    }
}

/// Check that commands can be confined on this machine; an error says why not.
pub(crate) fn confinement_available() -> Result<(), String> {
    static AVAILABLE: OnceLock<Result<(), String>> = OnceLock::new();
    // What is tried on a thread of its own is over when the thread is.
    let attempt =
        || std::thread::spawn(|| confine_thread(&ReadablePaths::default(), Path::new("/bin/true"), true)).join();
    AVAILABLE.get_or_init(|| attempt().unwrap_or_else(|_| Err("the attempt to confine a thread failed".into()))).clone()
}

fn restrict_files(
    readable: &ReadablePaths,
    program: &Path,
    starts_others: bool,
) -> Result<RulesetStatus, RulesetError> {
    let read_file = AccessFs::ReadFile.into();
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        // What newer kernels can do besides is used where it is there.
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V9))?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?;
    let interpreter = find_interpreter(program);
    let of_system = if starts_others || interpreter.is_err() { read | AccessFs::Execute } else { read };
    for directory in SYSTEM_DIRECTORIES {
        rules = allow(rules, Path::new(directory), of_system)?;
    }
    if let Ok(Some(interpreter)) = interpreter {
        rules = allow(rules, &interpreter, AccessFs::ReadFile | AccessFs::Execute)?;
    }
    for file in SYSTEM_FILES {
        rules = allow(rules, Path::new(file), read_file)?;
    }
    rules = allow(rules, Path::new("/dev/null"), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate)?;
    rules = allow(rules, program, AccessFs::ReadFile | AccessFs::Execute)?;
    let judged = [
        (&readable.directories, read),
        (&readable.listed, AccessFs::ReadDir.into()),
        (&readable.files, AccessFs::ReadFile.into()),
    ];
    for (paths, access) in judged {
        for path in paths {
            rules = allow_judged(rules, Path::new(path), access)?;
        }
    }
    for file in &readable.own_files {
        rules = allow(rules, Path::new(file), read_file)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

/// Allow `access` to `path` and below it. A path that cannot be opened is not allowed, which is no failure.
fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(opened) => rules.add_rule(PathBeneath::new(opened, access)),
        Err(_) => Ok(rules),
    }
}

/// The same of a path that was judged: it is not allowed if a link leads elsewhere by now, or if a directory has taken the place of
/// a file, below which everything would be readable.
fn allow_judged(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(opened) => {
            let is_file = fstat(&opened).is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_file());
            match is_file || access.contains(AccessFs::ReadDir) {
                true => rules.add_rule(PathBeneath::new(opened, access)),
                false => Ok(rules),
            }
        }
        // Older sandboxes for whole machines refuse the call.
        Err(Errno::NOSYS | Errno::PERM) if path.canonicalize().is_ok_and(|real| real == path) => {
            allow(rules, path, access)
        }
        Err(_) => Ok(rules),
    }
}

fn build_filter() -> Result<BpfProgram, String> {
    let arch: TargetArch = std::env::consts::ARCH.try_into().map_err(|error| format!("seccomp: {error}"))?;
    let numbers = REFUSED_CALLS.iter().copied();
    #[cfg(target_arch = "x86_64")]
    let numbers = numbers.flat_map(|number| [number, number | X32_BIT]);
    let rules: BTreeMap<i64, _> = numbers.map(|number| (number, Vec::new())).collect();
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch);
    filter.and_then(BpfProgram::try_from).map_err(|error| format!("seccomp: {error}"))
}
