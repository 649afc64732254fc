use super::*;
use pretty_assertions::assert_eq;
use std::fs;

struct TestWorkspace {
    dir: tempfile::TempDir,
    settings: MemorySettings,
}

fn test_workspace(files: &[(&str, &str)]) -> TestWorkspace {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let settings = MemorySettings { own_dir: Some(dir.path().join("own")), ..MemorySettings::default() };
    TestWorkspace { dir, settings }
}

impl TestWorkspace {
    /// The memory of `workspace`, with the directory's own name taken out.
    fn loaded_memory(&self, workspace: &str) -> String {
        self.loaded_memory_with(workspace, &[])
    }

    /// The memory when other directories were added to the workspace.
    fn loaded_memory_with(&self, workspace: &str, added: &[&str]) -> String {
        let root = self.dir.path().canonicalize().unwrap();
        let added: Vec<PathBuf> = added.iter().map(|name| self.dir.path().join(name)).collect();
        let text = load(&self.dir.path().join(workspace), &added, &self.settings, &KeptFiles::default());
        text.replace(&format!("{}/", root.display()), "").replace(&format!("{}/", self.dir.path().display()), "")
    }
}

#[test]
fn own_memory_comes_first_and_the_nearest_last() {
    let place = test_workspace(&[
        ("own/GEMINI.md", "be brief\n"),
        ("repo/.git/HEAD", ""),
        ("repo/AGENTS.md", "use tabs\n"),
        ("repo/app/GEMINI.md", "this is the app\n"),
        ("GEMINI.md", "above the repository: not read\n"),
    ]);
    assert_eq!(
        place.loaded_memory("repo/app"),
        "--- own/GEMINI.md ---\nbe brief\n--- repo/AGENTS.md ---\nuse tabs\n--- repo/app/GEMINI.md ---\nthis is the app\n"
    );
}

#[test]
fn without_a_repository_only_the_workspace_counts() {
    let place = test_workspace(&[("GEMINI.md", "above\n"), ("work/GEMINI.md", "here\n")]);
    assert_eq!(place.loaded_memory("work"), "--- work/GEMINI.md ---\nhere\n");
    assert_eq!(place.loaded_memory("elsewhere"), "");
}

#[test]
fn imports_are_put_in_place_but_never_leave_the_repository_or_go_in_circles() {
    let place = test_workspace(&[
        ("repo/.git/HEAD", ""),
        ("secret.md", "secret\n"),
        ("repo/GEMINI.md", "top\n@./rules/style.md\n@../secret.md\n@missing.md\n```\n@./rules/style.md\n```\n"),
        ("repo/rules/style.md", "style\n@../GEMINI.md\n"),
    ]);
    assert_eq!(
        place.loaded_memory("repo"),
        "--- repo/GEMINI.md ---\ntop\nstyle\n@../GEMINI.md\n\n@../secret.md\n@missing.md\n```\n@./rules/style.md\n```\n"
    );
}

#[test]
fn protected_names_are_not_told() {
    let place = test_workspace(&[
        ("repo/.git/HEAD", ""),
        ("repo/.env", "TOKEN=hunter2\n"),
        ("repo/AGENTS.md", "top\n@./.env\n@./notes\nend\n"),
    ]);
    std::os::unix::fs::symlink(".env", place.dir.path().join("repo/notes")).unwrap();
    std::os::unix::fs::symlink(".env", place.dir.path().join("repo/GEMINI.md")).unwrap();
    let left_out =
        "[repo/.env is left out: its name is protected. To see it, call read_file, and the person is asked.]\n";
    assert_eq!(
        place.loaded_memory("repo"),
        format!("--- repo/GEMINI.md ---\n{left_out}--- repo/AGENTS.md ---\ntop\n{left_out}{left_out}end\n")
    );
}

#[test]
fn long_memory_is_cut_and_says_so() {
    let long = "x".repeat(FILE_BYTES + 10);
    let place = test_workspace(&[("work/GEMINI.md", &long)]);
    let told = place.loaded_memory("work");
    assert!(told.len() < FILE_BYTES + 200);
    assert!(told.contains("[The rest of this file is left out"), "{}", &told[told.len() - 100..]);
}

#[test]
fn added_directories_speak_before_the_workspace_unless_they_may_not() {
    let files = [("own/GEMINI.md", "own\n"), ("work/GEMINI.md", "work\n"), ("more/AGENTS.md", "more\n")];
    let mut place = test_workspace(&files);
    let told = place.loaded_memory_with("work", &["more", "gone", "work"]);
    assert_eq!(told, "--- own/GEMINI.md ---\nown\n--- more/AGENTS.md ---\nmore\n--- work/GEMINI.md ---\nwork\n");
    place.settings.from_added = false;
    let told = place.loaded_memory_with("work", &["more"]);
    assert_eq!(told, "--- own/GEMINI.md ---\nown\n--- work/GEMINI.md ---\nwork\n");
}

#[test]
fn a_pipe_is_no_memory_and_nobody_waits_for_it() {
    let place =
        test_workspace(&[("work/GEMINI.md", "before\n@./notes\n@./real.md\nafter\n"), ("work/real.md", "imported\n")]);
    for name in ["work/notes", "work/AGENTS.md", "own"] {
        let path = place.dir.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(place.loaded_memory("work")));
    let told = finished.recv_timeout(std::time::Duration::from_secs(20)).expect("reading memory hangs");
    assert_eq!(told, "--- work/GEMINI.md ---\nbefore\n@./notes\nimported\n\nafter\n");
}
