//! Regular files, and nothing else, with a limit on how much of one is read.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

#[cfg(test)]
mod tests;

/// Open `path` for reading if it is a regular file. A pipe is not waited for, a terminal does not become ours. It is the
/// open file that is looked at, so one that changes places with a pipe meanwhile is found out.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let without_waiting = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(without_waiting).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// The first `limit` bytes of the regular file at `path`.
pub fn read_beginning(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// All bytes of the regular file at `path`, which may be no more than `limit`.
pub fn read_whole(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let bytes = read_beginning(path, limit.saturating_add(1))?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {limit} bytes")));
    }
    Ok(bytes)
}

/// The text of the regular file at `path`, of at most `limit` bytes.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read_whole(path, limit)?).map_err(not_text)
}
