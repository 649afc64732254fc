//! Reading a small text file that may be anything.

use std::io::ErrorKind;
use std::path::Path;

/// The most that is read.
const BYTES: u64 = 1024 * 1024;

/// The text in `path`, or nothing when there is no such file. Only a regular file is read, and a pipe is not waited for.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let text = match pollux_files::read_text(path, BYTES) {
        Ok(text) => text,
        // A component that is a file cannot hold one.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => return Err("it is larger than 1 MiB".into()),
        Err(error) => return Err(error.to_string()),
    };
    // Some editors begin a text with a mark that is no part of it.
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn only_a_small_regular_utf8_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        assert_eq!(read(&put("marked", b"\xef\xbb\xbf{}")), Ok(Some("{}".into())));
        assert_eq!(read(&dir.path().join("none")), Ok(None));
        assert_eq!(read(&put("file", b"").join("below")), Ok(None));
        assert_eq!(read(dir.path()), Err("it is not a regular file".into()));
        assert_eq!(read(&put("latin", b"\xe9")), Err("it is not UTF-8 text".into()));
        assert_eq!(read(&put("large", &vec![b' '; 1024 * 1024 + 1])), Err("it is larger than 1 MiB".into()));
        assert_eq!(
            read(&put("full", &vec![b' '; 1024 * 1024])).map(|text| text.map(|text| text.len())),
            Ok(Some(1024 * 1024))
        );
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(read(&pipe), Err("it is not a regular file".into()));
    }
}
