//! Files of one session that its own tools may open by their path: output that is too long for a model. They go with the
//! session, and before that when there are too many: the newest are kept.

use super::BlobStore;
use crate::dirs::make_dir;
use pollux_session::SessionId;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The directory among the blobs that has a directory for each session.
const SESSION_FILES: &str = "outputs";
/// The most bytes of the files of one session.
const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// The most files of one session.
const MAX_FILES: usize = 1000;

impl BlobStore {
    /// The directory that has a directory of files for each session.
    pub fn session_files(&self) -> PathBuf {
        self.dir().join(SESSION_FILES)
    }

    /// The file `name` of `session`, empty and for its owner only, which may grow to `room` bytes. The oldest files of the
    /// session are removed if there would be too many.
    pub fn create_session_file(&self, session: SessionId, name: &str, room: u64) -> io::Result<(File, PathBuf)> {
        let dir = self.session_files().join(session.to_string());
        let path = dir.join(name);
        let create = || {
            make_dir(&dir)?;
            make_room(&dir, room)?;
            OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(&path)
        };
        match create() {
            Ok(file) => Ok((file, path)),
            Err(error) => Err(self.failed(&error)),
        }
    }
}

/// Remove the oldest files in `dir`, until another one of `room` bytes fits.
fn make_room(dir: &Path, room: u64) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf, u64)> = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // One that is gone already takes no room.
        let Ok(metadata) = entry.metadata() else { continue };
        files.push((metadata.modified()?, entry.path(), metadata.len()));
    }
    files.sort();
    let mut bytes = files.iter().map(|(_, _, len)| len).sum::<u64>();
    let mut count = files.len();
    for (_, path, len) in &files {
        if bytes.saturating_add(room) <= MAX_BYTES && count < MAX_FILES {
            break;
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        bytes -= len;
        count -= 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    const SESSION: &str = "01890000-0000-7000-8000-000000000001";

    fn names(blobs: &BlobStore) -> Vec<String> {
        let dir = blobs.session_files().join(SESSION);
        let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_for_their_owner_only_and_stay_when_the_store_is_opened_again() {
        let dir = tempfile::tempdir().unwrap();
        let session = SESSION.parse().unwrap();
        let blobs = BlobStore::at(&dir.path().join("blobs")).unwrap();
        let (mut file, path) = blobs.create_session_file(session, "call-7.txt", 10).unwrap();
        file.write_all(b"text").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(path, dir.path().join("blobs/outputs").join(SESSION).join("call-7.txt"));

        BlobStore::at(&dir.path().join("blobs")).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "text");
    }

    #[test]
    fn the_oldest_make_room_for_the_newest() {
        let blobs = BlobStore::ephemeral().unwrap();
        let session = SESSION.parse().unwrap();
        let old = SystemTime::UNIX_EPOCH;
        for (name, age) in [("a", 1), ("b", 3), ("c", 2)] {
            let (file, _) = blobs.create_session_file(session, name, 10).unwrap();
            // Sparse: it has a length and takes no room on the disk.
            file.set_len(MAX_BYTES / 4).unwrap();
            file.set_modified(old + std::time::Duration::from_secs(age)).unwrap();
        }
        blobs.create_session_file(session, "d", MAX_BYTES / 4).unwrap();
        assert_eq!(names(&blobs), ["a", "b", "c", "d"]);
        blobs.create_session_file(session, "e", MAX_BYTES / 2).unwrap();
        assert_eq!(names(&blobs), ["b", "c", "d", "e"], "`a` was the oldest");
    }

    #[test]
    fn many_empty_files_are_too_many_as_well() {
        let blobs = BlobStore::ephemeral().unwrap();
        for count in 0..MAX_FILES + 2 {
            blobs.create_session_file(SESSION.parse().unwrap(), &format!("{count}"), 0).unwrap();
        }
        assert_eq!(names(&blobs).len(), MAX_FILES);
    }
}
