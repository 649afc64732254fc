use super::{MIN_AGE, is_draft, note_start, remove_stale_drafts};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use pretty_assertions::assert_eq;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Above the largest number that a process can have.
const DEAD: u32 = 4_194_305;

fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn write_aged_file(directory: &Path, name: &str, age: Duration) {
    let file = File::create(directory.join(name)).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

#[test]
fn old_drafts_of_dead_processes_are_removed_and_nothing_else() {
    note_start();
    let dir = tempfile::tempdir().unwrap();
    let (old, young) = (MIN_AGE * 2, MIN_AGE / 2);
    let own = std::process::id();
    let stale = [
        format!(".pollux-{DEAD}-0.tmp"),
        format!(".pollux-restore-{DEAD}-12.tmp"),
        // Of an earlier process with our number.
        format!(".pollux-{own}-99999999.tmp"),
    ];
    for name in &stale {
        write_aged_file(dir.path(), name, old);
    }
    let mut kept = vec![
        format!(".pollux-{DEAD}-1.tmp"),
        // The first process always runs.
        ".pollux-1-0.tmp".to_owned(),
        format!("x.pollux-{DEAD}-0.tmp"),
        format!(".pollux-{DEAD}-0.tmp~"),
        format!(".pollux-{DEAD}.tmp"),
        format!(".pollux-{DEAD}-+1.tmp"),
        format!(".pollux--{DEAD}-1.tmp"),
        ".pollux-x-1.tmp".to_owned(),
        ".pollux-notes.tmp".to_owned(),
        ".pollux-99999999999999999999-1.tmp".to_owned(),
        "notes.txt".to_owned(),
    ];
    write_aged_file(dir.path(), &kept[0], young);
    for name in &kept[1..] {
        write_aged_file(dir.path(), name, old);
    }
    let link = format!(".pollux-{DEAD}-7.tmp");
    std::os::unix::fs::symlink("notes.txt", dir.path().join(&link)).unwrap();
    let folder = format!(".pollux-{DEAD}-8.tmp");
    fs::create_dir(dir.path().join(&folder)).unwrap();
    kept.extend([link, folder]);
    kept.sort();
    remove_stale_drafts(&Dir::open_ambient_dir(dir.path(), ambient_authority()).unwrap(), SystemTime::now());
    assert_eq!(names(dir.path()), kept);
    // In an hour the young one is old, and so is the link, which is still none of ours.
    let later = SystemTime::now() + Duration::from_secs(3600);
    remove_stale_drafts(&Dir::open_ambient_dir(dir.path(), ambient_authority()).unwrap(), later);
    kept.retain(|name| *name != format!(".pollux-{DEAD}-1.tmp"));
    assert_eq!(names(dir.path()), kept);
}

#[test]
fn a_file_of_somebody_else_stays() {
    if !rustix::process::geteuid().is_root() {
        // Only root can give a file away.
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let name = format!(".pollux-{DEAD}-0.tmp");
    write_aged_file(dir.path(), &name, MIN_AGE * 2);
    std::os::unix::fs::chown(dir.path().join(&name), Some(65534), Some(65534)).unwrap();
    remove_stale_drafts(&Dir::open_ambient_dir(dir.path(), ambient_authority()).unwrap(), SystemTime::now());
    assert_eq!(names(dir.path()), [name]);
}

#[test]
fn drafts_are_known_by_their_name() {
    assert!(is_draft(".pollux-12-3.tmp") && is_draft(".pollux-restore-12-3.tmp"));
    assert!(!is_draft(".pollux-notes.tmp") && !is_draft(".pollux-12-3.txt") && !is_draft("a.tmp"));
}
