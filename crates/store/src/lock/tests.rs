use super::*;
use pretty_assertions::assert_eq;
use std::fs;

fn holder(pid: u32, port: Option<u16>) -> LockHolder {
    LockHolder { pid, port, workspace: "/ws".into(), since: UnixMillis(7) }
}

fn held(result: Result<DatabaseLock, LockError>) -> LockHolder {
    match result {
        Err(LockError::Held(holder)) => holder,
        other => panic!("expected a held lock, got {other:?}"),
    }
}

#[test]
fn a_second_owner_is_told_who_the_first_is() {
    let dir = tempfile::tempdir().unwrap();
    let mut lock = DatabaseLock::take(dir.path(), &holder(11, None)).unwrap();
    assert_eq!(held(DatabaseLock::take(dir.path(), &holder(12, None))), holder(11, None));

    lock.set_port(Some(41242)).unwrap();
    assert_eq!(held(DatabaseLock::take(dir.path(), &holder(12, None))), holder(11, Some(41242)));
    assert_eq!(DatabaseLock::holder(dir.path()).unwrap(), Some(holder(11, Some(41242))));

    drop(lock);
    assert_eq!(DatabaseLock::holder(dir.path()).unwrap(), None);
    let lock = DatabaseLock::take(dir.path(), &holder(12, None)).unwrap();
    assert_eq!(DatabaseLock::holder(dir.path()).unwrap(), Some(holder(12, None)));
    drop(lock);
}

#[test]
fn what_a_dead_owner_left_behind_is_harmless() {
    let dir = tempfile::tempdir().unwrap();
    for stale in [&b"{\"pid\":1,\"port\":null,\"workspace\":\"/a/long/path/of/old\",\"since\":1}\n"[..], b"\xff{", b""]
    {
        fs::write(dir.path().join(FILE), stale).unwrap();
        assert_eq!(DatabaseLock::holder(dir.path()).unwrap(), None);
        let lock = DatabaseLock::take(dir.path(), &holder(12, None)).unwrap();
        assert_eq!(DatabaseLock::holder(dir.path()).unwrap(), Some(holder(12, None)));
        drop(lock);
    }
}

#[test]
fn an_owner_without_a_name_is_still_an_owner() {
    let dir = tempfile::tempdir().unwrap();
    let lock = DatabaseLock::take(dir.path(), &holder(11, None)).unwrap();
    fs::write(dir.path().join(FILE), b"{").unwrap();
    assert!(matches!(DatabaseLock::take(dir.path(), &holder(12, None)), Err(LockError::Unnamed(_))));
    assert!(matches!(DatabaseLock::holder(dir.path()), Err(LockError::Unnamed(_))));
    drop(lock);
}

#[test]
fn a_directory_that_is_not_there_cannot_be_locked_and_is_held_by_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    assert!(matches!(DatabaseLock::take(&missing, &holder(1, None)), Err(LockError::Io { .. })));
    assert_eq!(DatabaseLock::holder(&missing).unwrap(), None);
}

#[test]
fn the_sentence_names_the_process_and_the_port() {
    let check = |port, sentence: &str| assert_eq!(LockError::Held(holder(11, port)).to_string(), sentence);
    check(Some(41242), "the database is held by pid 11 on port 41242");
    check(None, "the database is held by pid 11, which is not shared");
}

#[test]
fn a_full_disk_is_told_with_the_files_name_and_what_to_do() {
    let error = LockError::of(std::path::Path::new("/data/lock"), std::io::ErrorKind::StorageFull.into());
    let sentence = "the disk is full: /data/lock cannot be written; free some space and start again";
    assert_eq!(error.to_string(), sentence);
}
