//! The most memory that a program and everything it has started ever had in RAM. Read from /proc, so on Linux only.

use std::collections::HashSet;
use std::path::Path;

/// The peaks of `root` and of all its descendants, added up, in bytes.
pub(super) fn peak_of_tree(root: u32) -> u64 {
    let processes = processes();
    let mut family = HashSet::from([root]);
    // A child may stand before its parent in the list.
    loop {
        let before = family.len();
        family.extend(
            processes.iter().filter(|(_, parent)| family.contains(parent)).map(|(id, _)| *id).collect::<Vec<_>>(),
        );
        if family.len() == before {
            break;
        }
    }
    family.iter().filter_map(|id| peak(&std::fs::read_to_string(format!("/proc/{id}/status")).ok()?)).sum()
}

/// Every process and its parent.
fn processes() -> Vec<(u32, u32)> {
    let listing = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    listing.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, parent(&entry.path())?))).collect()
}

fn parent(process: &Path) -> Option<u32> {
    field(&std::fs::read_to_string(process.join("status")).ok()?, "PPid:")?.parse().ok()
}

fn peak(status: &str) -> Option<u64> {
    let kibibytes: u64 = field(status, "VmHWM:")?.strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_what_is_needed() {
        let status = "Name:\tx\nPPid:\t12\nVmHWM:\t   12 kB\n";
        assert_eq!((peak(status), field(status, "PPid:")), (Some(12288), Some("12")));
        assert_eq!(peak("Name:\tx\n"), None);
    }

    #[test]
    fn this_very_process_has_memory() {
        assert!(peak_of_tree(std::process::id()) > 0);
    }
}
