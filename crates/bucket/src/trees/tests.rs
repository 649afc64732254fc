use super::*;
use pretty_assertions::assert_eq;
use std::fs;

/// `root`, with its note beside it.
fn ground(root: &Path) -> RestoreRoot {
    RestoreRoot { path: root.to_owned(), note: root.with_file_name("restoring").join("note") }
}

fn paths(root: &Path, excluded: &[PathBuf]) -> Vec<String> {
    look(root, excluded).files.into_iter().map(|seen| seen.path).collect()
}

#[test]
fn ignored_files_git_links_and_our_own_directories_stay_behind() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for path in [".git", "target", "src", "own"] {
        fs::create_dir(root.join(path)).unwrap();
    }
    for path in [".git/HEAD", "target/big", "src/main.rs", "own/x", "notes.txt", "secret.txt"] {
        fs::write(root.join(path), path).unwrap();
    }
    fs::write(root.join(".gitignore"), "target/\n").unwrap();
    fs::write(root.join(".geminiignore"), "secret.txt\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("link")).unwrap();
    assert_eq!(paths(root, &[root.join("own")]), [".geminiignore", ".gitignore", "notes.txt", "src/main.rs"]);
    assert_eq!(look(root, &[]).left_out, ["link: it is a link or a device"]);
}

#[test]
fn a_file_that_is_too_large_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::File::create(dir.path().join("huge")).unwrap().set_len(FILE_BYTES + 1).unwrap();
    let tree = look(dir.path(), &[]);
    assert_eq!((tree.files.len(), tree.left_out), (0, vec!["huge: larger than 64 MiB".to_owned()]));
}

#[test]
fn only_a_missing_an_empty_or_a_half_restored_directory_is_free() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("workspace");
    assert!(is_free(&ground(&root)));
    let site = RestoreSite::begin(&ground(&root)).unwrap();
    site.write("a/b.txt", 0o600, b"whole").unwrap();
    assert!(is_free(&ground(&root)));
    site.finish().unwrap();
    assert!(!is_free(&ground(&root)));
    assert_eq!(paths(&root, &[]), ["a/b.txt"]);
    fs::write(dir.path().join("file"), "").unwrap();
    assert!(!is_free(&ground(&dir.path().join("file"))));
}

#[test]
fn nothing_is_written_beside_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("workspace");
    let site = RestoreSite::begin(&ground(&root)).unwrap();
    std::os::unix::fs::symlink(dir.path(), root.join("out")).unwrap();
    for path in ["../x", "/x", "a/../../x", "out/x", ""] {
        site.write(path, 0o600, b"no").unwrap_err();
    }
    assert!(!dir.path().join("x").exists());
}

#[test]
fn a_mark_that_this_machine_did_not_make_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("workspace");
    fs::create_dir(&root).unwrap();
    fs::write(root.join(MARKER), "").unwrap();
    assert!(!is_free(&ground(&root)));
}

#[test]
fn secrets_stay_behind_and_are_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".ssh")).unwrap();
    for path in [".env", ".env.local", ".ssh/id", "code.rs"] {
        fs::write(dir.path().join(path), path).unwrap();
    }
    let tree = look(dir.path(), &[]);
    assert_eq!(tree.files.iter().map(|seen| seen.path.as_str()).collect::<Vec<_>>(), ["code.rs"]);
    let told = [".env", ".env.local", ".ssh/id"].map(|path| format!("{path}: it may hold secrets"));
    assert_eq!(tree.left_out, told);
}
