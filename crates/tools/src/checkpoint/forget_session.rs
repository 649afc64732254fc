//! Lets go of all checkpoints of a session that is deleted.

use pollux_session::SessionId;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Forget what was kept for `session` in the repositories in `directory`, whichever workspaces they are of. Git drops the
/// content itself the next time it tidies up.
pub fn forget_session_checkpoints(directory: &Path, session: SessionId) -> io::Result<()> {
    let repositories = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    for repository in repositories {
        let kept = repository?.path().join("refs/checkpoints").join(session.to_string());
        match std::fs::remove_dir_all(kept) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::forget_session_checkpoints;
    use pollux_session::SessionId;
    use std::fs;
    use uuid::Uuid;

    #[test]
    fn only_what_one_session_kept_is_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let (gone, stays) = (SessionId(Uuid::from_u128(1)), SessionId(Uuid::from_u128(2)));
        forget_session_checkpoints(&place.path().join("absent"), gone).unwrap();
        let references = |session: SessionId| place.path().join("repo/refs/checkpoints").join(session.to_string());
        for session in [gone, stays] {
            fs::create_dir_all(references(session)).unwrap();
            fs::write(references(session).join("tree"), "tree").unwrap();
        }
        fs::write(place.path().join("a file"), "").unwrap();
        forget_session_checkpoints(place.path(), gone).unwrap();
        assert!(!references(gone).exists() && references(stays).join("tree").exists());
    }
}
