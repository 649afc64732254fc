use super::{IgnoreFiles, IgnoreRules};
use ignore::WalkBuilder;
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, FileType, mknodat};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;

const ALL: IgnoreFiles =
    IgnoreFiles { gemini: true, ignore: true, git: true, git_exclude: true, git_global: false, parents: false };

fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn paths(builder: &WalkBuilder, root: &Path) -> BTreeSet<String> {
    let entries = builder.build().filter_map(Result::ok);
    entries.map(|entry| entry.path().strip_prefix(root).unwrap().display().to_string()).collect()
}

/// The files that a walk with our rules finds.
fn walked(root: &Path, files: IgnoreFiles) -> BTreeSet<String> {
    let rules = Arc::new(IgnoreRules::new(root, files));
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).filter_entry(move |entry| {
        !rules.is_ignored(entry.path(), entry.file_type().is_some_and(|kind| kind.is_dir()))
    });
    paths(&builder, root)
}

/// The files that a walk finds which reads ignore files itself.
fn walked_by_crate(root: &Path, files: IgnoreFiles) -> BTreeSet<String> {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).require_git(false).git_ignore(files.git).ignore(files.ignore);
    builder.git_exclude(files.git_exclude).git_global(false).parents(files.parents);
    if files.gemini {
        builder.add_custom_ignore_filename(".geminiignore");
    }
    paths(&builder, root)
}

#[test]
fn rules_are_those_of_the_walker_itself() {
    let files = [
        (".gitignore", "\u{feff}target\n*.log\n!keep.log\n/only-here\ndirs/\n"),
        (".geminiignore", "secret\n!deep/important.log\n"),
        (".ignore", "notes.txt\n!shown.tmp\n"),
        (".git/info/exclude", "*.tmp\n"),
        ("target/a", ""),
        ("a.log", ""),
        ("keep.log", ""),
        ("only-here", ""),
        ("deep/only-here", ""),
        ("deep/dirs/x", ""),
        ("deep/.gitignore", "!a.log\nkeep.log\n/below/*.rs\n"),
        ("deep/a.log", ""),
        ("deep/keep.log", ""),
        ("deep/important.log", ""),
        ("deep/below/a.rs", ""),
        ("deep/below/more/a.rs", ""),
        ("deep/secret", ""),
        ("deep/.geminiignore", "!secret\n"),
        ("notes.txt", ""),
        ("x.tmp", ""),
        ("shown.tmp", ""),
        ("nested/.git/info/exclude", "hidden\n"),
        ("nested/hidden", ""),
        ("nested/a.log", ""),
        ("dirs", ""),
        ("[", ""),
    ];
    let dir = tree(&files);
    for bits in 0..32_u8 {
        let bit = |at: u8| bits & (1 << at) != 0;
        let (gemini, ignore, git, git_exclude, parents) = (bit(0), bit(1), bit(2), bit(3), bit(4));
        let files = IgnoreFiles { gemini, ignore, git, git_exclude, parents, git_global: false };
        for root in [dir.path().to_owned(), dir.path().join("deep")] {
            assert_eq!(walked(&root, files), walked_by_crate(&root, files), "{files:?} in {}", root.display());
        }
    }
    let all = walked(dir.path(), ALL);
    assert!(all.contains("deep/secret") && all.contains("deep/a.log") && all.contains("shown.tmp"), "{all:?}");
    assert!(!all.contains("target/a") && !all.contains("x.tmp") && !all.contains("nested/hidden"), "{all:?}");
}

#[test]
fn a_work_tree_has_the_excludes_of_its_repository() {
    let dir = tree(&[
        ("main/.git/info/exclude", "hidden\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("work/hidden", ""),
        ("work/shown", ""),
    ]);
    let own = dir.path().join("main/.git/worktrees/w");
    fs::write(dir.path().join("work/.git"), format!("gitdir: {}\n", own.display())).unwrap();
    let work = dir.path().join("work");
    assert_eq!(walked(&work, ALL), walked_by_crate(&work, ALL));
    assert!(!walked(&work, ALL).contains("hidden"));
}

#[test]
fn an_ignore_file_that_is_a_pipe_has_no_rules_and_nobody_waits_for_it() {
    let dir = tree(&[("a.log", ""), ("deep/b.log", ""), (".git/config", ""), ("deep/.git", "gitdir: pipe\n")]);
    fs::create_dir(dir.path().join(".git/info")).unwrap();
    for name in [".gitignore", ".ignore", ".git/info/exclude", "deep/.gitignore", "deep/pipe"] {
        mknodat(CWD, dir.path().join(name), FileType::Fifo, 0o600.into(), 0).unwrap();
    }
    let root = dir.path().to_owned();
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || done.send(walked(&root, ALL)));
    let walked = finished.recv_timeout(Duration::from_secs(20)).expect("the walk hangs");
    assert!(walked.contains("a.log") && walked.contains("deep/b.log"), "{walked:?}");
}

#[test]
fn one_that_keeps_files_from_the_model_and_cannot_be_read_keeps_all_of_them() {
    let dir = tree(&[("a.txt", ""), ("deep/b.txt", ""), ("other/c.txt", "")]);
    mknodat(CWD, dir.path().join("deep/.geminiignore"), FileType::Fifo, 0o600.into(), 0).unwrap();
    fs::create_dir(dir.path().join("other/.geminiignore")).unwrap();
    let walked = walked(dir.path(), ALL);
    assert!(walked.contains("a.txt") && walked.contains("other/c.txt") && !walked.contains("deep/b.txt"), "{walked:?}");
}
