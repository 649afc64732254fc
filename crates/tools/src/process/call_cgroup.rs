//! A control group for the processes of one call, where the system lets us make one (cgroup v2, delegated to us). It is the
//! only thing that ends processes which fork faster than anybody can list them. Where there is none, the list has to do.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number of attempts to remove a group whose processes are about to end.
const REMOVALS: usize = 200;
/// The time between two of those.
const PAUSE: Duration = Duration::from_millis(5);

/// The control group of a call. Dropping it removes it, once it is empty.
pub(super) struct CallCgroup {
    directory: PathBuf,
    /// The group of the supervisor itself, which must not end with its work.
    home: PathBuf,
    is_inside: Cell<bool>,
}

impl CallCgroup {
    /// Make a group for the call whose supervisor this process is.
    pub(super) fn create(supervisor: i32, start: u64) -> Option<CallCgroup> {
        let home = find_own_directory()?;
        let directory = home.join(name_of_call(supervisor, start));
        fs::create_dir(&directory).ok()?;
        let group = CallCgroup { directory, home, is_inside: Cell::new(false) };
        // A kernel that cannot end a whole group is of no use.
        group.directory.join("cgroup.kill").exists().then_some(group)
    }

    /// Do what starts a process so that it starts inside of the group.
    pub(super) fn start_inside<T>(group: Option<&CallCgroup>, start: impl FnOnce() -> T) -> T {
        let Some(group) = group else { return start() };
        if move_here(&group.directory).is_ok() {
            group.is_inside.set(true);
        }
        let started = start();
        if group.is_inside.get() && move_here(&group.home).is_ok() {
            group.is_inside.set(false);
        }
        started
    }

    /// End every process in the group at once.
    pub(super) fn kill(&self) {
        if !self.is_inside.get() {
            let _ = kill_group(&self.directory);
        }
    }
}

impl Drop for CallCgroup {
    fn drop(&mut self) {
        // It is empty, unless a process could not be ended; then it stays as long as that one.
        let _ = fs::remove_dir(&self.directory);
    }
}

/// End every process in the control group `directory`, which may not be there any more, and remove it. It blocks until
/// they are gone, or [`REMOVALS`] were of no use.
pub(super) fn end_group(directory: &Path) {
    let _ = kill_group(directory);
    for _ in 0..REMOVALS {
        match fs::remove_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PAUSE),
            Ok(()) | Err(_) => return,
        }
    }
}

/// The control group of the call with this supervisor, if it has one: it is below the group of this process.
pub(super) fn find_directory_of_call(supervisor: i32, start: u64) -> Option<PathBuf> {
    Some(find_own_directory()?.join(name_of_call(supervisor, start)))
}

/// The name of the control group of the call with this supervisor.
pub(super) fn name_of_call(supervisor: i32, start: u64) -> String {
    format!("pollux-call-{supervisor}-{start}")
}

fn kill_group(directory: &Path) -> io::Result<()> {
    fs::write(directory.join("cgroup.kill"), "1")
}

/// Move this process to the control group `directory`.
fn move_here(directory: &Path) -> io::Result<()> {
    fs::write(directory.join("cgroup.procs"), "0")
}

/// The directory of the control group that this process is in.
fn find_own_directory() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|mount| directory_in_mount(mount, Path::new(path)))
}

/// The directory of the group `path` below a mount, if that is one of control groups.
fn directory_in_mount(mount: &str, path: &Path) -> Option<PathBuf> {
    let (place, kind) = mount.split_once(" - ")?;
    kind.starts_with("cgroup2 ").then_some(())?;
    let fields: Vec<&str> = place.split(' ').collect();
    let below = path.strip_prefix(fields.get(3)?).ok()?;
    Some(Path::new(fields.get(4)?).join(below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_group_is_found_below_its_mount() {
        let mount = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";
        let expected = PathBuf::from("/sys/fs/cgroup/user.slice/a.scope");
        assert_eq!(directory_in_mount(mount, Path::new("/user.slice/a.scope")), Some(expected));
        let bound = "35 24 0:30 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
        assert_eq!(directory_in_mount(bound, Path::new("/docker/1/x")), Some(PathBuf::from("/sys/fs/cgroup/x")));
        assert_eq!(directory_in_mount(bound, Path::new("/elsewhere")), None);
        assert_eq!(
            directory_in_mount("30 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", Path::new("/")),
            None
        );
    }
}
