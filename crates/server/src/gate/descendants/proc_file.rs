//! Reads files of `/proc`. What they say of a process is up to that process, whoever's it is: a command line can be gigabytes
//! long. So nothing is read without a limit.

use std::fs::File;
use std::io::{self, Read};

/// What most of these files are shorter than. One read takes all of such a file.
const USUAL_BYTES: usize = 4 * 1024;

/// The first bytes of a file, at most `limit`.
pub(super) fn read_start(file: File, limit: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(limit.min(USUAL_BYTES));
    file.take(limit as u64).read_to_end(&mut start)?;
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn no_more_is_read_than_the_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "text").unwrap();
        let read = |limit| read_start(file.reopen().unwrap(), limit).unwrap();
        assert_eq!((read(3), read(4), read(5)), (b"tex".to_vec(), b"text".to_vec(), b"text".to_vec()));
    }
}
