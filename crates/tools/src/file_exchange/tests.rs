use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn open(directory: &Path) -> OwnedFd {
    openat(rustix::fs::CWD, directory, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

fn draft(directory: &Path, content: &[u8]) -> ExchangeDraft {
    let make = |parent: &OwnedFd, draft: &OsStr| write_new(parent, draft, Mode::from_raw_mode(0o644), None, content);
    ExchangeDraft::make(open(directory), OsStr::new("a"), make).unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn only_what_is_expected_gives_way() {
    let room = tempfile::tempdir().unwrap();
    let at = room.path();
    let changed = FileExchangeOutcome::Changed { kept: None };
    fs::write(at.join("a"), "mine").unwrap();
    for expected in [ExpectedFile::Content(b"old"), ExpectedFile::Content(b"oldd"), ExpectedFile::Link(b"mine")] {
        assert_eq!(draft(at, b"new").replace(expected).unwrap(), changed);
        assert_eq!(remove_expected(&open(at), OsStr::new("a"), expected).unwrap(), changed);
    }
    assert_eq!(draft(at, b"new").place_new().unwrap(), changed);
    assert_eq!((fs::read_to_string(at.join("a")).unwrap(), names(at)), ("mine".to_owned(), vec!["a".to_owned()]));
    assert_eq!(draft(at, b"new").replace(ExpectedFile::Content(b"mine")).unwrap(), FileExchangeOutcome::Done);
    assert_eq!(fs::read_to_string(at.join("a")).unwrap(), "new");
    let removed = remove_expected(&open(at), OsStr::new("a"), ExpectedFile::Content(b"new")).unwrap();
    assert_eq!((removed, names(at)), (FileExchangeOutcome::Done, vec![]));
    assert_eq!(draft(at, b"new").replace(ExpectedFile::Content(b"new")).unwrap(), changed, "it is gone");
    std::os::unix::fs::symlink("there", at.join("a")).unwrap();
    assert_eq!(draft(at, b"new").replace(ExpectedFile::Content(b"there")).unwrap(), changed);
    assert_eq!(draft(at, b"new").replace(ExpectedFile::Link(b"there")).unwrap(), FileExchangeOutcome::Done);
    assert_eq!((fs::read_to_string(at.join("a")).unwrap(), names(at)), ("new".to_owned(), vec!["a".to_owned()]));
}

/// Somebody who saves as editors do, while the file is replaced, put back and removed all the time: every save is there afterwards.
#[test]
fn no_save_is_lost_between_a_look_and_a_rename() {
    let room = tempfile::tempdir().unwrap();
    let at = room.path().to_owned();
    fs::write(at.join("a"), "0").unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let program = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = draft(&at, b"program").replace(ExpectedFile::Content(b"0"));
                let _ = draft(&at, b"0").replace(ExpectedFile::Content(b"program"));
                let _ = remove_expected(&open(&at), OsStr::new("a"), ExpectedFile::Content(b"0"));
                let _ = draft(&at, b"0").place_new();
            }
        });
        for save in 0..200 {
            let saved = format!("save {save}");
            fs::write(at.join("sav"), &saved).unwrap();
            fs::rename(at.join("sav"), at.join("a")).unwrap();
            let is_kept = || {
                let kept = names(&at).into_iter().filter(|name| name.starts_with('a') || name.starts_with(".pollux-"));
                kept.filter_map(|name| fs::read_to_string(at.join(name)).ok()).any(|content| content == saved)
            };
            // It may be on its way back at this moment.
            assert!((0..10_000).any(|_| is_kept()), "{saved} is lost: {:?}", names(&at));
            while fs::read_to_string(at.join("a")).ok().as_deref() != Some(&saved) {
                std::thread::yield_now();
            }
            fs::write(at.join("sav"), "0").unwrap();
            fs::rename(at.join("sav"), at.join("a")).unwrap();
        }
        over.store(true, Ordering::Relaxed);
        program.join().unwrap();
    });
}
