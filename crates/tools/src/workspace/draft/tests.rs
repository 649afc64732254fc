use super::*;
use crate::workspace::FileAccess;
use pretty_assertions::assert_eq;
use std::fs;
use std::io::Write;
use std::sync::Arc;

#[test]
fn a_write_that_fails_halfway_leaves_the_file_and_no_trace() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.txt"), "old").unwrap();
    let workspace = Arc::new(FileAccess::default()).open(root.path()).unwrap();
    let place = workspace.find("a.txt").unwrap();
    let broken = FileDraft::write(&workspace, &place, |file| {
        file.write_all(b"half of the new cont")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(broken.err().map(|error| error.kind()), Some("no_space_left"));
    assert_eq!(listing(root.path()), ["a.txt"]);
    assert_eq!(fs::read_to_string(root.path().join("a.txt")).unwrap(), "old");
}

#[test]
fn a_draft_is_invisible_until_it_is_published() {
    let root = tempfile::tempdir().unwrap();
    let workspace = Arc::new(FileAccess::default()).open(root.path()).unwrap();
    let place = workspace.find("new/dir/a.txt").unwrap();
    let draft = FileDraft::write(&workspace, &place, |file| file.write_all(b"new")).unwrap();
    assert!(!place.absolute.exists());
    draft.publish().unwrap();
    assert_eq!(fs::read_to_string(&place.absolute).unwrap(), "new");
    assert_eq!(listing(&root.path().join("new/dir")), ["a.txt"]);
}

#[test]
fn a_directory_that_became_a_link_after_it_was_found_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("shown/in")).unwrap();
    fs::create_dir(root.path().join("other")).unwrap();
    let workspace = Arc::new(FileAccess::default()).open(root.path()).unwrap();
    for (path, link) in [("shown/in/a.txt", "shown/in"), ("shown/a.txt", "shown"), ("new/a.txt", "new")] {
        let place = workspace.find(path).unwrap();
        let _ = fs::remove_dir_all(root.path().join(link));
        std::os::unix::fs::symlink(root.path().join("other"), root.path().join(link)).unwrap();
        assert!(FileDraft::write(&workspace, &place, |file| file.write_all(b"new")).is_err(), "{path}");
        assert_eq!(listing(&root.path().join("other")), [""; 0], "{path}");
    }
}

#[test]
fn an_abandoned_draft_disappears() {
    let root = tempfile::tempdir().unwrap();
    let workspace = Arc::new(FileAccess::default()).open(root.path()).unwrap();
    let place = workspace.find("a.txt").unwrap();
    drop(FileDraft::write(&workspace, &place, |file| file.write_all(b"new")).unwrap());
    assert_eq!(listing(root.path()), Vec::<String>::new());
}

#[test]
fn a_draft_that_a_killed_process_left_is_removed_by_the_next_one() {
    let root = tempfile::tempdir().unwrap();
    // No process has such a number.
    let left = fs::File::create(root.path().join(".pollux-4194305-0.tmp")).unwrap();
    left.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let workspace = Arc::new(FileAccess::default()).open(root.path()).unwrap();
    let place = workspace.find("a.txt").unwrap();
    FileDraft::write(&workspace, &place, |file| file.write_all(b"new")).unwrap().publish().unwrap();
    assert_eq!(listing(root.path()), ["a.txt"]);
}

fn listing(directory: &std::path::Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}
