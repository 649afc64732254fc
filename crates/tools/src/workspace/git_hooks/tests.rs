use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::symlink;

/// Which of `paths` are hooks of a repository at `root`.
fn hooks<'a>(root: &Path, paths: &[&'a str]) -> Vec<&'a str> {
    paths.iter().copied().filter(|path| is_hook_of_git(&root.join(path))).collect()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const PATHS: [&str; 4] = ["hk/pre-commit", "tools/hooks/pre-commit", "tools/x", "pre-commit"];

#[test]
fn hooks_are_where_a_configuration_says_however_it_says_it() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    write(&root.join("tools/hooks/pre-commit"), "");
    symlink("tools/hooks", root.join("hk")).unwrap();
    let configurations = [
        ("", &[][..]),
        ("[core]\n\thooksPath = tools/hooks\n", &["tools/hooks/pre-commit"]),
        ("[core]\n\thooksPath = tools/hooks/../hooks\n", &["tools/hooks/pre-commit"]),
        ("[core]\n\thooksPath = hk\n", &["tools/hooks/pre-commit"]),
        ("[core]\n\thooksPath = tools/hooks\n\thooksPath = elsewhere\n", &["tools/hooks/pre-commit"]),
        ("[include]\n\tpath = ../more\n", &["tools/hooks/pre-commit"]),
        ("[includeIf \"gitdir:~/jobs/\"]\n\tpath = ../more\n", &["tools/hooks/pre-commit"]),
        ("[core]\n\thooksPath = .\n", &["pre-commit"]),
        // It cannot be told.
        ("[core\n", &["hk/pre-commit", "tools/hooks/pre-commit", "pre-commit"]),
        ("[include]\n\tpath = config\n", &["hk/pre-commit", "tools/hooks/pre-commit", "pre-commit"]),
    ];
    write(&root.join("more"), "[core]\n\thooksPath = tools/hooks\n");
    for (configuration, expected) in configurations {
        write(&root.join(".git/config"), configuration);
        assert_eq!(hooks(&root, &PATHS), expected, "{configuration}");
    }
}

#[test]
fn a_work_tree_beside_another_one_has_the_hooks_of_both() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    let root = base.join("tree");
    write(&root.join(".git"), &format!("gitdir: {}\n", base.join("main/.git/worktrees/tree").display()));
    write(&base.join("main/.git/worktrees/tree/commondir"), "../..\n");
    write(&base.join("main/.git/config"), "[core]\n\thooksPath = tools/hooks\n");
    write(&base.join("main/.git/worktrees/tree/config.worktree"), "[core]\n\thooksPath = hk\n");
    assert_eq!(hooks(&root, &PATHS), ["hk/pre-commit", "tools/hooks/pre-commit"]);
    assert_eq!(usual_hooks_directory(&root), base.join("main/.git/worktrees/tree/../../hooks"));
}

#[test]
fn what_lies_below_a_directory_of_hooks_belongs_to_them() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let paths = ["scripts/hooks/pre-commit", "scripts/hooks/lib/x", "scripts/hooks", "scripts/build", "src/lib.rs"];
    write(&root.join(".git/config"), "[core]\n\tbare = false\n");
    assert_eq!(hooks(&root, &paths), Vec::<&str>::new());
    write(&root.join(".git/config"), "[core]\n\thooksPath = \"./scripts/hooks\"\n");
    assert_eq!(hooks(&root, &paths), paths[..3]);
}

#[test]
fn without_a_repository_there_are_no_hooks() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(hooks(&directory.path().canonicalize().unwrap(), &PATHS), Vec::<&str>::new());
}
