use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A machine without dots in its paths.
struct Disk {
    dir: TempDir,
}

impl Disk {
    fn new() -> Disk {
        let dir = tempfile::Builder::new().prefix("disk").tempdir().unwrap();
        for path in ["home/.gemini", "home/project", "data", "bucket"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        Disk { dir }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn serving(&self, served: &str) -> RestoreRoots {
        let own = [self.at("data"), self.at("bucket")];
        RestoreRoots::new(&self.at(served), Some(&self.at("home")), &own, &self.at("data/restoring"))
    }

    fn may_restore(&self, served: &str, path: &str) -> bool {
        self.serving(served).to_restore(&self.at(path)).is_ok()
    }
}

#[test]
fn a_workspace_comes_back_in_the_served_one_or_where_no_name_has_a_dot() {
    let disk = Disk::new();
    for path in ["home/project", "home/project/.worktrees/one", "home/other", "elsewhere/deep"] {
        assert!(disk.may_restore("home/project", path), "{path}");
    }
    for path in [
        "home/.gemini/extensions/evil",
        "home/.config/evil",
        "home/.ssh",
        "elsewhere/.hidden/x",
        "home/project/../.gemini/x",
        "home",
        "",
        "data",
        "data/new",
        "bucket/new",
    ] {
        assert!(!disk.may_restore("home/project", path), "{path}");
    }
    let grounds = disk.serving("home/project");
    grounds.to_restore(Path::new("relative")).unwrap_err();
}

#[test]
fn serving_the_home_directory_does_not_open_its_dot_directories() {
    let disk = Disk::new();
    assert!(!disk.may_restore("home", "home/.gemini/extensions/evil"));
    assert!(!disk.may_restore("", "data/new"));
    assert!(disk.may_restore("home", "home/other"));
    assert!(disk.may_restore("data/served", "data/served/one"));
}

#[test]
fn links_are_followed_before_a_path_is_judged() {
    let disk = Disk::new();
    symlink(disk.at("home/.gemini"), disk.at("innocent")).unwrap();
    symlink(disk.at("nowhere"), disk.at("dangling")).unwrap();
    symlink(disk.at("home"), disk.at("same_home")).unwrap();
    assert!(!disk.may_restore("home/project", "innocent/extensions/evil"));
    assert!(!disk.may_restore("home/project", "dangling/x"));
    let ground = disk.serving("home/project").to_restore(&disk.at("same_home/other")).unwrap();
    assert_eq!(ground.path, disk.at("home/other").parent().unwrap().canonicalize().unwrap().join("other"));
    disk.serving("home/project").to_carry(&disk.at("same_home")).unwrap_err();
}

#[test]
fn what_holds_the_home_or_our_own_directories_is_not_carried() {
    let disk = Disk::new();
    let grounds = disk.serving("home/project");
    for path in ["home", "", "data", "bucket", "data/inside", "home/.ssh/keys"] {
        grounds.to_carry(&disk.at(path)).unwrap_err();
    }
    for path in ["home/project", "elsewhere", "home/.worktrees/one"] {
        grounds.to_carry(&disk.at(path)).unwrap();
    }
    let roundabout =
        RestoreRoots::new(&disk.at("home/project"), None, &[disk.at("home/../data")], &disk.at("data/restoring"));
    roundabout.to_carry(&disk.at("data")).unwrap_err();
    let why = grounds.to_carry(&disk.at("")).unwrap_err();
    assert!(why.starts_with("it is or holds ") && why.ends_with("/home"), "{why}");
}

#[test]
fn names_that_hold_secrets_are_known() {
    for path in [".env", "a/.env.local", ".envrc", ".ssh/id", "a/.aws/credentials", ".gnupg/x"] {
        assert!(is_secret(Path::new(path)), "{path}");
    }
    for path in ["env", "a/environment.rs", "ssh/x", ".gitignore"] {
        assert!(!is_secret(Path::new(path)), "{path}");
    }
}
