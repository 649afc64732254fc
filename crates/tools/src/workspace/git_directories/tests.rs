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
        (is_used_by_git(&path), is_kept_by_git(&path))
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
    assert!(!is_used_by_git(Path::new("config")) && !is_used_by_git(Path::new("/x/../config")));
}

#[test]
fn a_directory_is_no_repository_without_all_its_parts() {
    let root = bare_repository();
    fs::remove_file(root.path().join(".bare/HEAD")).unwrap();
    assert!(!is_used_by_git(&root.path().join(".bare/config")));
    fs::write(root.path().join(".bare/HEAD"), "x").unwrap();
    assert!(is_used_by_git(&root.path().join(".bare/config")));
    fs::remove_dir_all(root.path().join(".bare/refs")).unwrap();
    assert!(!is_used_by_git(&root.path().join(".bare/config")));
}
