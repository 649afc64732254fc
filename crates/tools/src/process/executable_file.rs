//! What the kernel needs besides a program's own file to start it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// How much of a file is read: the headers of programs and the name of the interpreter are at the beginning.
const HEAD_BYTES: u64 = 64 * 1024;
/// The part of an ELF file that names the interpreter.
const PT_INTERP: u32 = 3;

/// The file that loads the libraries of the ELF program at `path`; none if it needs no libraries. An error if it is another
/// kind of file, such as a script, or not understood.
pub(super) fn find_interpreter(path: &Path) -> Result<Option<PathBuf>, ()> {
    let head = pollux_files::read_beginning(path, HEAD_BYTES).map_err(drop)?;
    interpreter_in(&head).ok_or(())
}

/// The same of a file that begins with `head`; `None` if it is not understood.
fn interpreter_in(head: &[u8]) -> Option<Option<PathBuf>> {
    // 64 bits, the lowest byte first: other machines are not confined so closely.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, len: usize| -> Option<u64> {
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(head.get(at..at.checked_add(len)?)?);
        Some(u64::from_le_bytes(bytes))
    };
    let place = |at: usize, len: usize| usize::try_from(number(at, len)?).ok();
    let (table, entry_len, count) = (place(32, 8)?, place(54, 2)?, place(56, 2)?);
    for index in 0..count {
        let entry = table.checked_add(index.checked_mul(entry_len)?)?;
        if number(entry, 4)? != u64::from(PT_INTERP) {
            continue;
        }
        let (start, len) = (place(entry.checked_add(8)?, 8)?, place(entry.checked_add(32)?, 8)?);
        let name = head.get(start..start.checked_add(len)?)?;
        let name = name.split(|byte| *byte == 0).next()?;
        return Some(Some(OsString::from_vec(name.to_vec()).into()));
    }
    Some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_say_what_loads_their_libraries() {
        let found = find_interpreter(Path::new("/bin/ls")).unwrap().unwrap();
        assert!(found.is_file() && found.is_absolute(), "{}", found.display());
        let script = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(script.path(), "#!/bin/sh\n").unwrap();
        assert_eq!(find_interpreter(script.path()), Err(()));
        assert_eq!(find_interpreter(Path::new("/no/such/file")), Err(()));
    }

    #[test]
    fn a_file_that_is_cut_off_or_odd_is_not_understood() {
        let head = pollux_files::read_beginning(Path::new("/bin/ls"), HEAD_BYTES).unwrap();
        for len in [0, 4, 6, 40, 60, 100] {
            assert_eq!(interpreter_in(&head[..len]), None, "{len}");
        }
        let mut far = head;
        far[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(interpreter_in(&far), None);
        far[56..58].copy_from_slice(&[0, 0]);
        assert_eq!(interpreter_in(&far), Some(None));
    }
}
