use super::*;
use std::fs;

/// A bare repository beside its work tree, as `git clone --bare x .bare` makes it.
fn bare_repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for directory in [".bare/objects/pack", ".bare/refs/heads", ".bare/worktrees/main", ".bare/main/src", "config"] {
        fs::create_dir_all(root.path().join(directory)).unwrap();
    }
    fs::write(root.path().join(".bare/HEAD"), "ref: refs/heads/main\n").unwrap();
    for file in ["HEAD", "commondir"] {
        fs::write(root.path().join(".bare/worktrees/main").join(file), "x\n").unwrap();
    }
    root
}

#[test]
fn a_repository_is_known_by_what_lies_in_it() {
    let root = bare_repository();
    let is_found = |path: &str| {
        let path = root.path().join(path);
        (is_used_by_git(&path, PlannedPaths::default()), is_kept_by_git(&path))
    };
    for (path, found) in [
        (".bare/config", (true, true)),
        (".bare/CONFIG", (true, true)),
        (".bare/config.worktree", (true, true)),
        (".bare/worktrees/main/config.worktree", (true, true)),
        (".bare/objects/ab/cd", (true, true)),
        (".bare/hooks/pre-commit", (true, false)),
        (".bare/info/attributes", (true, false)),
        (".bare/HEAD", (true, false)),
        (".bare/main/src/lib.rs", (false, false)),
        (".bare", (false, false)),
        ("config", (false, false)),
        ("config/hooks/x", (false, false)),
    ] {
        assert_eq!(is_found(path), found, "{path}");
    }
}

#[test]
fn a_relative_path_is_looked_up_nowhere() {
    assert!(
        !is_used_by_git(Path::new("config"), PlannedPaths::default())
            && !is_used_by_git(Path::new("/x/../config"), PlannedPaths::default())
    );
}

#[test]
fn a_directory_is_no_repository_without_all_its_parts() {
    let root = bare_repository();
    fs::remove_file(root.path().join(".bare/HEAD")).unwrap();
    assert!(!is_used_by_git(&root.path().join(".bare/config"), PlannedPaths::default()));
    fs::write(root.path().join(".bare/HEAD"), "x").unwrap();
    assert!(is_used_by_git(&root.path().join(".bare/config"), PlannedPaths::default()));
    fs::remove_dir_all(root.path().join(".bare/refs")).unwrap();
    assert!(!is_used_by_git(&root.path().join(".bare/config"), PlannedPaths::default()));
}

/// Whoever writes the configuration first and the rest then has a repository that nobody was asked about, and what git runs there.
#[test]
fn what_helps_to_make_a_repository_is_used_by_git() {
    let root = tempfile::tempdir().unwrap();
    let is_used = |path: &str| is_used_by_git(&root.path().join(path), PlannedPaths::default());
    for path in ["x/config", "x/HEAD", "x/objects/a", "x/refs/a", "x/commondir"] {
        assert!(!is_used(path), "{path}");
    }
    fs::create_dir_all(root.path().join("x/objects")).unwrap();
    assert!(is_used("x/HEAD") && !is_used("x/refs/a") && !is_used("x/src/HEAD"));
    fs::create_dir_all(root.path().join("y")).unwrap();
    fs::write(root.path().join("y/HEAD"), "ref: refs/heads/main\n").unwrap();
    for path in ["y/objects", "y/objects/a", "y/refs/heads/main", "y/commondir"] {
        assert!(is_used(path), "{path}");
    }
    assert!(!is_used("y/config") && !is_used("y/src/objects/a"));
    assert!(!is_kept_by_git(&root.path().join("y/objects/a")));
}

#[test]
fn files_that_come_together_make_a_repository_together() {
    let root = tempfile::tempdir().unwrap();
    let path = |path: &str| root.path().join(path);
    let planned = ["x/HEAD", "x/objects/keep", "x/config", "y/head", "y/Refs/a", "z/HEAD"].map(path);
    let is_used = |name: &str| is_used_by_git(&path(name), PlannedPaths(&planned));
    assert!(is_used("x/HEAD") && is_used("x/objects/keep") && is_used("y/head") && is_used("y/Refs/a"));
    assert!(!is_used("z/HEAD") && !is_used("x/notes"));
}
