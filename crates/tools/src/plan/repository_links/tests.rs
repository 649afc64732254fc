use super::*;
use crate::plan::lookups::MAX_LOOKS;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

fn repository() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for made in
        ["hooks", "info", "logs/refs", "objects/ab", "objects/info", "refs/heads/objects/ab", "modules/x/objects/ab"]
    {
        fs::create_dir_all(directory.path().join(made)).unwrap();
    }
    directory
}

fn check(git_dir: &Path) -> Result<(), String> {
    let checked = check_no_links(git_dir, &PlanLookups::new(MAX_LOOKS)).and_then(|()| check_alternates(git_dir));
    checked.map_err(|objection| objection.why.replace(&format!("{}/", git_dir.display()), ""))
}

#[test]
fn a_link_that_git_would_read_is_objected_to() {
    for link in [
        "info/grafts",
        "objects/info/alternates",
        "rebase-merge",
        "shallow",
        "packed-refs",
        "logs/refs/stash",
        "refs/heads/x",
        "refs/heads/objects/ab/x",
        "modules/x/HEAD",
        "sequencer",
        "HEAD",
    ] {
        let repository = repository();
        symlink("/etc/hostname", repository.path().join(link)).unwrap();
        assert_eq!(check(repository.path()), Err(format!("{link} is a link or no file, and git would read it")));
    }
}

#[test]
fn what_git_does_not_read_may_be_a_link() {
    let repository = repository();
    for link in ["hooks/pre-commit", "objects/ab/cd", "modules/x/objects/ab/cd", "lfs"] {
        symlink("/etc/hostname", repository.path().join(link)).unwrap();
    }
    fs::write(repository.path().join("objects/info/alternates"), "# none\n\n").unwrap();
    assert_eq!(check(repository.path()), Ok(()));
    fs::write(repository.path().join("objects/info/alternates"), "../../other\n").unwrap();
    assert_eq!(check(repository.path()), Err("the repository takes objects from another place, ../../other".into()));
}

#[test]
fn a_repository_is_looked_through_once_and_within_the_budget() {
    let repository = repository();
    let lookups = PlanLookups::new(20);
    assert!(check_no_links(repository.path(), &lookups).is_ok());
    for _ in 0..5 {
        assert!(check_no_links(repository.path(), &lookups).is_ok());
    }
    assert!(check_no_links(repository.path(), &PlanLookups::new(5)).is_err());
}
