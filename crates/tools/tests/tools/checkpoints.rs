//! Workspaces saved and put back, with the real git.

use pollux_session::{SessionId, UnixMillis};
use pollux_tools::{
    CheckpointError, CheckpointRequest, CheckpointSettings, CheckpointedCall, Checkpoints, RestoreScope,
};
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

struct CheckpointFixture {
    dir: TempDir,
    checkpoints: Checkpoints,
    session: SessionId,
}

fn fixture() -> CheckpointFixture {
    fixture_with(|_| {})
}

fn fixture_with(change: impl FnOnce(&mut CheckpointSettings)) -> CheckpointFixture {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("workspace")).unwrap();
    let mut settings = CheckpointSettings::new(dir.path().join("kept"));
    settings.home = Some(dir.path().join("home"));
    change(&mut settings);
    CheckpointFixture { dir, checkpoints: Checkpoints::new(settings), session: SessionId(uuid::Uuid::now_v7()) }
}

impl CheckpointFixture {
    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join("workspace").join(path)
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), content).unwrap();
    }

    /// Write a file as if it had been written `seconds` after 1970.
    fn write_at(&self, seconds: u64, path: &str, content: &str) {
        self.write(path, content);
        let file = fs::File::options().write(true).open(self.path(path)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    async fn try_save(&self) -> Result<String, CheckpointError> {
        let (session, workspace) = (self.session, self.path(""));
        self.checkpoints
            .save(CheckpointRequest { session, workspace: &workspace, named: &[], also: None, changes: &[] })
            .await
    }

    async fn save(&self) -> String {
        self.try_save().await.unwrap()
    }

    /// Save the present as a restore does, then go back. Returns the undo and what was said.
    async fn restore(&self, saved: &str) -> (String, String) {
        let (session, workspace) = (self.session, self.path(""));
        let wanted = CheckpointRequest { session, workspace: &workspace, named: &[], also: Some(saved), changes: &[] };
        let undo = self.checkpoints.save(wanted).await.unwrap();
        let restore =
            self.checkpoints.compare(session, &workspace, saved, RestoreScope::Everything(&[])).await.unwrap();
        let said = restore.description().to_owned();
        restore.apply().await.unwrap();
        (undo, said)
    }

    /// What is said before going back.
    async fn compare(&self, saved: &str) -> String {
        let (session, workspace) = (self.session, self.path(""));
        let restore =
            self.checkpoints.compare(session, &workspace, saved, RestoreScope::Everything(&[])).await.unwrap();
        restore.description().to_owned()
    }
}

#[expect(clippy::disallowed_methods, reason = "the person's own git, beside ours")]
fn git(directory: &Path, args: &[&str]) -> String {
    let mut git = std::process::Command::new("git");
    git.current_dir(directory).args(["-c", "user.name=Me", "-c", "user.email=me@example.org"]).args(args);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null");
    let done = git.output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test]
async fn what_was_changed_removed_and_made_is_put_back_and_that_can_be_undone() {
    let scene = fixture();
    scene.write("a.txt", "one\ntwo\n");
    scene.write("deep/er/b.txt", "b\n");
    scene.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(scene.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.txt", scene.path("link")).unwrap();
    let saved = scene.save().await;
    scene.write("a.txt", "one\n2\n");
    fs::remove_dir_all(scene.path("deep")).unwrap();
    fs::remove_file(scene.path("link")).unwrap();
    fs::set_permissions(scene.path("run.sh"), fs::Permissions::from_mode(0o640)).unwrap();
    scene.write("new/c.txt", "c\n");
    let (undo, said) = scene.restore(&saved).await;
    assert_eq!(
        said,
        "2 files come back, 1 file is removed, 2 files are changed:\n- `a.txt` is changed\n\
         - `deep/er/b.txt` comes back\n- `link` comes back\n- `new/c.txt` is removed\n- `run.sh` is changed\n\n\
         a.txt:\n```diff\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n```\n\n\
         deep/er/b.txt:\n```diff\n--- deep/er/b.txt\n+++ deep/er/b.txt\n@@ -0,0 +1 @@\n+b\n```\n\n\
         link:\n```diff\n--- link (a symbolic link)\n+++ link (a symbolic link)\n@@ -0,0 +1 @@\n\
         +a.txt\n\\ No newline at end of file\n```\n\n\
         new/c.txt:\n```diff\n--- new/c.txt\n+++ new/c.txt\n@@ -1 +0,0 @@\n-c\n```"
    );
    assert_eq!(scene.read("a.txt").unwrap(), "one\ntwo\n");
    assert_eq!(scene.read("deep/er/b.txt").unwrap(), "b\n");
    assert_eq!(fs::read_link(scene.path("link")).unwrap(), Path::new("a.txt"));
    assert!(!scene.path("new").exists());
    // It may be run again, by those who may read it.
    assert_eq!(fs::metadata(scene.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);
    scene.restore(&undo).await;
    assert_eq!(scene.read("a.txt").unwrap(), "one\n2\n");
    assert_eq!(scene.read("new/c.txt").unwrap(), "c\n");
    assert!(!scene.path("deep").exists() && fs::symlink_metadata(scene.path("link")).is_err());
}

#[tokio::test]
async fn the_same_workspace_is_the_same_checkpoint_and_an_empty_one_is_one_too() {
    let scene = fixture();
    let empty = scene.save().await;
    scene.write("a", "a");
    let saved = scene.save().await;
    assert_eq!(scene.save().await, saved);
    scene.restore(&empty).await;
    assert!(!scene.path("a").exists());
    scene.restore(&saved).await;
    assert_eq!(scene.read("a").unwrap(), "a");
}

#[tokio::test]
async fn a_change_right_after_a_checkpoint_is_noticed_though_length_and_moment_are_the_same() {
    let scene = fixture();
    for round in 0..20 {
        scene.write("a", format!("{round:04}"));
        let saved = scene.save().await;
        scene.write("a", "ffff");
        assert_ne!(scene.save().await, saved, "round {round}");
    }
}

#[tokio::test]
async fn bytes_are_kept_as_they_are_whatever_attributes_say() {
    let scene = fixture();
    scene
        .write(".gitattributes", "* text=auto eol=lf\n*.id ident\n*.enc working-tree-encoding=UTF-16\n*.f filter=no\n");
    let files: [(&str, &[u8]); 5] = [
        ("crlf.txt", b"a\r\nb\r\n"),
        ("mixed.txt", b"a\r\nb\n\xff\0"),
        ("a.id", b"$Id$ $Id: x $\n"),
        ("a.enc", b"no utf-16\n"),
        ("a.f", b"plain\n"),
    ];
    for (path, content) in files {
        scene.write(path, content);
    }
    let saved = scene.save().await;
    for (path, _) in files {
        scene.write(path, "something else");
    }
    scene.restore(&saved).await;
    for (path, content) in files {
        assert_eq!(fs::read(scene.path(path)).unwrap(), content, "{path}");
    }
}

#[tokio::test]
async fn the_persons_repository_is_not_touched_and_no_hook_runs() {
    let scene = fixture();
    let workspace = scene.path("");
    git(&workspace, &["init", "--quiet"]);
    scene.write("a.txt", "one\n");
    git(&workspace, &["add", "-A"]);
    git(&workspace, &["commit", "--quiet", "-m", "first"]);
    scene.write("staged.txt", "staged\n");
    git(&workspace, &["add", "staged.txt"]);
    let told_on_itself = format!("#!/bin/sh\ntouch '{}'\n", scene.path(".git/fired").display());
    for hook in ["post-index-change", "reference-transaction", "post-checkout", "pre-commit", "pre-auto-gc"] {
        scene.write(&format!(".git/hooks/{hook}"), &told_on_itself);
        fs::set_permissions(scene.path(&format!(".git/hooks/{hook}")), fs::Permissions::from_mode(0o755)).unwrap();
    }
    scene.write(".git/info/exclude", "excluded\n");
    scene.write("excluded", "mine\n");
    let before = tree(&scene.path(".git"));
    let saved = scene.save().await;
    scene.write("a.txt", "two\n");
    fs::remove_file(scene.path("excluded")).unwrap();
    scene.restore(&saved).await;
    assert_eq!(tree(&scene.path(".git")), before);
    assert_eq!(scene.read("a.txt").unwrap(), "one\n");
    assert!(!scene.path("excluded").exists(), "what the person keeps out of version control is theirs alone");
    let status = git(&workspace, &["status", "--porcelain"]);
    assert_eq!(status, "A  staged.txt\n");
    assert!(scene.path(".git/fired").exists(), "the hooks work: this git looks into the index and runs one");
}

/// Every file beneath `directory`, with its bytes.
fn tree(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(tree(&path)),
            false => files.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn nested_repositories_are_saved_without_their_own_files() {
    let scene = fixture();
    scene.write("sub/x.txt", "x\n");
    git(&scene.path("sub"), &["init", "--quiet"]);
    let saved = scene.save().await;
    scene.write("sub/x.txt", "changed\n");
    git(&scene.path("sub"), &["add", "-A"]);
    git(&scene.path("sub"), &["commit", "--quiet", "-m", "changed"]);
    let before = tree(&scene.path("sub/.git"));
    scene.restore(&saved).await;
    assert_eq!(scene.read("sub/x.txt").unwrap(), "x\n");
    assert_eq!(tree(&scene.path("sub/.git")), before);
}

#[tokio::test]
async fn ignored_files_stay_as_they_are_even_when_the_rules_change_meanwhile() {
    let scene = fixture();
    scene.write(".gitignore", "target/\n.env\n");
    scene.write(".geminiignore", "secret\n");
    for path in ["target/big.o", ".env", "secret", "src/a.rs"] {
        scene.write(path, "then\n");
    }
    let saved = scene.save().await;
    for path in ["target/big.o", ".env", "secret", "src/a.rs"] {
        scene.write(path, "now\n");
    }
    // Now nothing of it is ignored, and something else is.
    fs::remove_file(scene.path(".geminiignore")).unwrap();
    scene.write(".gitignore", "src/\n");
    let (undo, _) = scene.restore(&saved).await;
    for path in ["target/big.o", ".env", "secret"] {
        assert_eq!(scene.read(path).as_deref(), Some("now\n"), "{path}");
    }
    assert_eq!(scene.read("src/a.rs").unwrap(), "then\n");
    assert_eq!(scene.read(".gitignore").unwrap(), "target/\n.env\n");
    scene.restore(&undo).await;
    assert_eq!(scene.read("src/a.rs").unwrap(), "now\n", "what the new rules ignore was saved all the same");
    assert_eq!(scene.read(".gitignore").unwrap(), "src/\n");
}

/// Save before a call that changes `files`, and say what that call is to a restore.
async fn save_before(scene: &CheckpointFixture, files: &[String]) -> String {
    let workspace = scene.path("");
    let wanted =
        CheckpointRequest { session: scene.session, workspace: &workspace, named: &[], also: None, changes: files };
    scene.checkpoints.save(wanted).await.unwrap()
}

fn call_for<'a>(saved: &'a str, files: &'a [String]) -> CheckpointedCall<'a> {
    CheckpointedCall {
        saved: Some(saved),
        files: Some(files),
        started: UnixMillis(0),
        ended: Some(UnixMillis(u64::MAX / 2)),
        background: None,
    }
}

/// A tool may change a file that an ignore file lists. Its own checkpoint has it, and one from before that has not.
#[tokio::test]
async fn an_ignored_file_that_a_call_changed_goes_back_and_others_stay() {
    for is_for_all in [false, true] {
        let scene = fixture();
        scene.write(".gitignore", "*.cfg\n");
        scene.write("a.cfg", "a\n");
        scene.write("b.cfg", "b\n");
        scene.write("own.cfg", "own\n");
        let name = |name: &str| vec![name.to_owned()];
        let (first, second, third) = (name("a.cfg"), name("b.cfg"), name("new.cfg"));
        let saved = save_before(&scene, &first).await;
        fs::remove_file(scene.path("a.cfg")).unwrap();
        let then = save_before(&scene, &second).await;
        scene.write("b.cfg", "B\n");
        let last = save_before(&scene, &third).await;
        scene.write("new.cfg", "new\n");
        scene.write("own.cfg", "OWN\n");
        let calls = [call_for(&saved, &first), call_for(&then, &second), call_for(&last, &third)];
        let scope = if is_for_all { RestoreScope::Everything(&calls) } else { RestoreScope::ChangedBy(&calls) };
        let restore = scene.checkpoints.compare(scene.session, &scene.path(""), &saved, scope).await.unwrap();
        let said = restore.description().to_owned();
        restore.apply().await.unwrap();
        assert_eq!(scene.read("a.cfg").as_deref(), Some("a\n"), "{said}");
        assert_eq!(scene.read("b.cfg").as_deref(), Some("b\n"), "{said}");
        // Nobody can tell a file that was not there from one that was not saved.
        assert_eq!(scene.read("new.cfg").as_deref(), Some("new\n"), "{said}");
        assert!(said.contains("so left as they are: `new.cfg`"), "{said}");
        assert_eq!(scene.read("own.cfg").as_deref(), Some("OWN\n"), "{said}");
        assert!(said.contains("- `a.cfg` comes back") && !said.contains("own.cfg"), "{said}");
    }
}

/// What git's own exclude file lists is ignored, too; and a file of version control is never saved.
#[tokio::test]
async fn a_file_that_only_git_excludes_is_not_removed() {
    let scene = fixture();
    git(&scene.path(""), &["init", "--quiet"]);
    scene.write(".git/info/exclude", "*.cfg\n");
    scene.write("b.cfg", "b\n");
    scene.write("a.txt", "a\n");
    let (first, second) = (vec!["a.txt".to_owned(), ".git/config".to_owned()], vec!["b.cfg".to_owned()]);
    let saved = save_before(&scene, &first).await;
    scene.write("a.txt", "A\n");
    let then = save_before(&scene, &second).await;
    scene.write("b.cfg", "B\n");
    let calls = [call_for(&saved, &first), call_for(&then, &second)];
    let scope = RestoreScope::ChangedBy(&calls);
    let restore = scene.checkpoints.compare(scene.session, &scene.path(""), &saved, scope).await.unwrap();
    restore.apply().await.unwrap();
    assert_eq!((scene.read("a.txt").as_deref(), scene.read("b.cfg").as_deref()), (Some("a\n"), Some("b\n")));
}

#[tokio::test]
async fn what_comes_back_is_open_to_nobody_who_could_not_read_it_before() {
    let scene = fixture();
    let files = [("secret", 0o600), ("group", 0o640), ("tool", 0o700), ("open", 0o644)];
    for (name, mode) in files {
        scene.write(name, name);
        fs::set_permissions(scene.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let saved = scene.save().await;
    for (name, _) in files {
        fs::remove_file(scene.path(name)).unwrap();
    }
    scene.save().await;
    scene.restore(&saved).await;
    for (name, mode) in &files[..3] {
        let now = fs::metadata(scene.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(now, *mode, "{name} {now:o}");
    }
}

#[tokio::test]
async fn what_was_saved_after_the_comparison_stays() {
    let scene = fixture();
    for name in ["changed", "gone"] {
        scene.write(name, "old\n");
    }
    let saved = scene.save().await;
    scene.write("changed", "new\n");
    fs::remove_file(scene.path("gone")).unwrap();
    scene.write("made", "new\n");
    let workspace = scene.path("");
    let restore =
        scene.checkpoints.compare(scene.session, &workspace, &saved, RestoreScope::Everything(&[])).await.unwrap();
    for name in ["changed", "gone", "made"] {
        scene.write(name, "the person's\n");
    }
    let told = restore.apply().await.unwrap_err().to_string();
    for name in ["changed", "gone", "made"] {
        assert_eq!(scene.read(name).as_deref(), Some("the person's\n"), "{name}");
        assert!(told.contains(&format!("`{name}`: it was changed meanwhile")), "{told}");
    }
}

#[tokio::test]
async fn a_name_with_line_breaks_forges_no_line() {
    let scene = fixture();
    let saved = scene.save().await;
    scene.write("x\n- `b.txt` comes back\n```\n", "new\n");
    let said = scene.compare(&saved).await;
    assert!(!said.contains("\n- `b.txt`") && said.contains("x⏎- "), "{said}");
}

#[tokio::test]
async fn files_that_are_too_large_are_left_alone_and_named() {
    let scene = fixture();
    let large = vec![b'x'; 17 * 1024 * 1024];
    scene.write("shrinks.bin", &large);
    scene.write("grows.bin", "small");
    scene.write("goes.bin", &large);
    let saved = scene.save().await;
    scene.write("shrinks.bin", "small");
    scene.write("grows.bin", &large);
    fs::remove_file(scene.path("goes.bin")).unwrap();
    let (_, said) = scene.restore(&saved).await;
    assert_eq!(said, "No file changes.\n\nToo large to be saved, so left as it is: goes.bin, grows.bin, shrinks.bin");
    assert_eq!(scene.read("shrinks.bin").unwrap(), "small");
    assert_eq!(fs::metadata(scene.path("grows.bin")).unwrap().len(), large.len() as u64);
}

#[tokio::test]
async fn links_are_put_back_and_never_followed() {
    let scene = fixture();
    let outside = scene.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x.txt"), "outside\n").unwrap();
    scene.write("dir/x.txt", "inside\n");
    symlink(&outside, scene.path("out")).unwrap();
    let saved = scene.save().await;
    // What was a directory is a link out of the workspace now, and the other way round.
    fs::remove_dir_all(scene.path("dir")).unwrap();
    symlink(&outside, scene.path("dir")).unwrap();
    fs::remove_file(scene.path("out")).unwrap();
    scene.write("out/x.txt", "made here\n");
    scene.restore(&saved).await;
    assert_eq!(fs::read_to_string(outside.join("x.txt")).unwrap(), "outside\n");
    assert!(fs::symlink_metadata(scene.path("dir")).unwrap().is_dir());
    assert_eq!(scene.read("dir/x.txt").unwrap(), "inside\n");
    assert_eq!(fs::read_link(scene.path("out")).unwrap(), outside);
}

#[tokio::test]
async fn a_link_that_is_ignored_and_in_the_way_is_named_and_nothing_is_written_through_it() {
    let scene = fixture();
    let outside = scene.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    scene.write("dir/x.txt", "inside\n");
    scene.write("b.txt", "then\n");
    let saved = scene.save().await;
    fs::remove_dir_all(scene.path("dir")).unwrap();
    symlink(&outside, scene.path("dir")).unwrap();
    scene.write(".gitignore", "dir\n");
    scene.write("b.txt", "now\n");
    let restore =
        scene.checkpoints.compare(scene.session, &scene.path(""), &saved, RestoreScope::Everything(&[])).await.unwrap();
    let trouble = restore.apply().await.unwrap_err().to_string();
    assert_eq!(trouble, "not everything could be put back: `dir/x.txt`: `dir` is no directory, or a symbolic link");
    assert!(!outside.join("x.txt").exists());
    assert_eq!(scene.read("b.txt").unwrap(), "then\n");
}

#[tokio::test]
async fn what_another_session_saved_or_nobody_did_cannot_be_gone_back_to() {
    let mut scene = fixture();
    scene.write("a", "a");
    let saved = scene.save().await;
    let forged = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let workspace = scene.path("");
    for odd in [forged, "../../../../etc/passwd", "HEAD", "", &saved[..7]] {
        let trouble = scene
            .checkpoints
            .compare(scene.session, &workspace, odd, RestoreScope::Everything(&[]))
            .await
            .err()
            .unwrap();
        assert!(matches!(trouble, CheckpointError::Unknown), "{odd}: {trouble}");
    }
    scene.session = SessionId(uuid::Uuid::now_v7());
    let trouble = scene
        .checkpoints
        .compare(scene.session, &workspace, &saved, RestoreScope::Everything(&[]))
        .await
        .err()
        .unwrap();
    assert!(matches!(trouble, CheckpointError::Unknown), "{trouble}");
    // Saved again, it is this session's too.
    assert_eq!(scene.save().await, saved);
    scene.checkpoints.compare(scene.session, &workspace, &saved, RestoreScope::Everything(&[])).await.unwrap();
}

#[tokio::test]
async fn sessions_save_one_workspace_side_by_side() {
    let scene = fixture();
    for n in 0..200 {
        scene.write(&format!("{n}.txt"), format!("{n}\n"));
    }
    let workspace = scene.path("");
    let session = |_| SessionId(uuid::Uuid::now_v7());
    let sessions: Vec<SessionId> = (0..8).map(session).collect();
    let save = |session: &SessionId| {
        scene.checkpoints.save(CheckpointRequest {
            session: *session,
            workspace: &workspace,
            named: &[],
            also: None,
            changes: &[],
        })
    };
    let saved = futures_util::future::join_all(sessions.iter().map(save)).await;
    let saved: Vec<String> = saved.into_iter().map(Result::unwrap).collect();
    assert!(saved.iter().all(|tree| *tree == saved[0]), "{saved:?}");
    scene.write("7.txt", "changed\n");
    for session in &sessions {
        let restore =
            scene.checkpoints.compare(*session, &workspace, &saved[0], RestoreScope::Everything(&[])).await.unwrap();
        assert_eq!(restore.files(), 1);
    }
}

#[tokio::test]
async fn drafts_and_locks_of_a_killed_process_are_in_nobodys_way() {
    let scene = fixture();
    scene.write("a", "a");
    scene.save().await;
    let kept = fs::read_dir(scene.dir.path().join("kept")).unwrap().next().unwrap().unwrap().path();
    for left in ["index.lock", "draft-1-0", "draft-1-0.lock"] {
        fs::write(kept.join(left), "half of it").unwrap();
    }
    scene.write("a", "b");
    let saved = scene.save().await;
    scene.write("a", "c");
    scene.restore(&saved).await;
    assert_eq!(scene.read("a").unwrap(), "b");
}

#[tokio::test]
async fn a_damaged_index_is_made_anew() {
    let scene = fixture();
    scene.write("a", "a");
    scene.save().await;
    let kept = fs::read_dir(scene.dir.path().join("kept")).unwrap().next().unwrap().unwrap().path();
    fs::write(kept.join("index"), "no index").unwrap();
    scene.write("a", "b");
    let saved = scene.save().await;
    fs::remove_file(scene.path("a")).unwrap();
    scene.restore(&saved).await;
    assert_eq!(scene.read("a").unwrap(), "b");
}

#[tokio::test]
async fn without_git_or_in_too_large_a_place_there_is_none_and_it_says_why() {
    let empty = tempfile::tempdir().unwrap();
    let no_git = fixture_with(|settings| settings.search_path = Some(empty.path().into()));
    assert_eq!(no_git.try_save().await.unwrap_err().to_string(), "git is not on PATH; install it to have checkpoints");
    let planted = fixture_with(|settings| {
        let own = settings.directory.parent().unwrap().join("workspace");
        fs::write(own.join("git"), "#!/bin/sh\ntouch planted\n").unwrap();
        fs::set_permissions(own.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
        settings.search_path = Some(std::env::join_paths([own, "bin".into(), ".".into()]).unwrap());
    });
    assert!(matches!(planted.try_save().await, Err(CheckpointError::NoGit)), "a workspace's own git is not run");
    let home = fixture_with(|settings| settings.home = settings.directory.parent().map(|dir| dir.join("workspace")));
    let why = "the workspace is too much to save: it holds the home directory; work in a folder of its own to have \
               checkpoints";
    assert_eq!(home.try_save().await.unwrap_err().to_string(), why);
    let inside =
        fixture_with(|settings| settings.directory = settings.directory.parent().unwrap().join("workspace/kept"));
    fs::create_dir(inside.path("kept")).unwrap();
    let trouble = inside.try_save().await.unwrap_err();
    assert!(matches!(trouble, CheckpointError::TooMuch("it holds the checkpoints themselves")), "{trouble}");
}

#[tokio::test]
async fn what_takes_too_long_is_given_up_and_not_tried_again_at_once() {
    let scene = fixture_with(|settings| settings.limit = Duration::ZERO);
    scene.write("a", "a");
    assert!(matches!(scene.try_save().await, Err(CheckpointError::TooSlow(_))));
    let again = scene.try_save().await.unwrap_err().to_string();
    assert_eq!(again, "saving this workspace took too long before; it is tried again in 10 minutes");
}

/// A call that took a second, `started` seconds after 1970, and may have changed `code.rs` alone.
fn edit_call(saved: &str, started: u64) -> CheckpointedCall<'_> {
    static FILE: LazyLock<[String; 1]> = LazyLock::new(|| ["code.rs".to_owned()]);
    CheckpointedCall { files: Some(FILE.as_slice()), ..command_call(saved, started, Some(started + 1)) }
}

/// One that may have changed any file, between these seconds after 1970.
fn command_call(saved: &str, started: u64, ended: Option<u64>) -> CheckpointedCall<'_> {
    let at = |seconds: u64| UnixMillis(seconds * 1000);
    CheckpointedCall { saved: Some(saved), files: None, started: at(started), ended: ended.map(at), background: None }
}

/// Save, then go back for what `calls` may have changed; returns what is said.
async fn restore_changes_of(scene: &CheckpointFixture, saved: &str, calls: &[CheckpointedCall<'_>]) -> String {
    let scope = RestoreScope::ChangedBy(calls);
    let restore = scene.checkpoints.compare(scene.session, &scene.path(""), saved, scope).await.unwrap();
    let said = restore.description().to_owned();
    restore.apply().await.unwrap();
    said
}

#[tokio::test]
async fn what_only_the_person_changed_is_left_alone_and_named() {
    let scene = fixture();
    scene.write("code.rs", "one\n");
    scene.write("mine.txt", "before\n");
    scene.write("gone.txt", "here\n");
    let saved = scene.save().await;
    scene.write("code.rs", "two\n");
    scene.write("mine.txt", "after\n");
    scene.write("new.txt", "new\n");
    fs::remove_file(scene.path("gone.txt")).unwrap();
    let calls = [edit_call(&saved, 10)];
    let said = restore_changes_of(&scene, &saved, &calls).await;
    assert!(said.starts_with("1 file is changed:\n- `code.rs` is changed\n"), "{said}");
    let own = "These were changed after the agent's calls, or by none of them, so they are left as they are: gone.txt, \
               mine.txt, new.txt";
    assert!(said.contains(own), "{said}");
    assert_eq!(scene.read("code.rs").unwrap(), "one\n");
    assert_eq!(scene.read("mine.txt").unwrap(), "after\n");
    assert_eq!((scene.read("new.txt").unwrap(), scene.read("gone.txt")), ("new\n".to_owned(), None));
    // Whoever wants everything back gets it.
    let (_, said) = scene.restore(&saved).await;
    assert!(!said.contains("left as they are"), "{said}");
    assert_eq!(scene.read("mine.txt").unwrap(), "before\n");
}

/// The text is what a person agrees to, and it is compared when they have.
#[tokio::test]
async fn a_change_that_is_not_shown_changes_the_text_all_the_same() {
    let scene = fixture();
    let lines = |last: &str| format!("{}{last}\n", "a line\n".repeat(60_000));
    scene.write("big.txt", lines("one"));
    scene.write("raw", [0, 1, 2]);
    let saved = scene.save().await;
    scene.write("big.txt", lines("two"));
    scene.write("raw", [0, 1, 3]);
    let first = scene.compare(&saved).await;
    let hidden =
        "The difference is not shown in full, because it is long or no text: `big.txt` and 1 other (fingerprint ";
    assert!(first.contains(hidden), "{first}");
    assert_eq!(scene.compare(&saved).await, first);
    scene.write("big.txt", lines("three"));
    let second = scene.compare(&saved).await;
    scene.write("raw", [0, 1, 4]);
    let third = scene.compare(&saved).await;
    assert!(first != second && second != third, "{first}\n{second}\n{third}");
}

#[tokio::test]
async fn what_changed_while_a_command_may_have_changed_it_goes_back() {
    let scene = fixture();
    scene.write_at(9, "code.rs", "one\n");
    let first = scene.save().await;
    scene.write_at(11, "code.rs", "two\n");
    scene.write_at(15, "mine.txt", "mine\n");
    let command = scene.save().await;
    scene.write_at(25, "built.txt", "built\n");
    let third = scene.save().await;
    scene.write_at(41, "code.rs", "three\n");
    scene.write_at(50, "later.txt", "later\n");
    let calls = [edit_call(&first, 10), command_call(&command, 20, Some(30)), edit_call(&third, 40)];
    let said = restore_changes_of(&scene, &first, &calls).await;
    assert!(said.contains("left as they are: later.txt, mine.txt"), "{said}");
    assert_eq!((scene.read("built.txt"), scene.read("code.rs").unwrap()), (None, "one\n".to_owned()));
    // A command whose checkpoint failed may have changed anything while it ran.
    scene.write_at(25, "mine.txt", "again\n");
    let unsaved = CheckpointedCall { saved: None, ..calls[1] };
    let said = restore_changes_of(&scene, &first, &[calls[0], unsaved]).await;
    assert!(said.contains("left as they are: later.txt\n"), "{said}");
    assert_eq!(scene.read("mine.txt"), None);
    let said = restore_changes_of(&scene, &first, &[calls[0], CheckpointedCall { ended: None, ..unsaved }]).await;
    assert!(!said.contains("left as they are"), "{said}");
    assert_eq!(scene.read("later.txt"), None);
}

#[tokio::test]
async fn what_changed_after_a_command_had_ended_is_the_persons_and_stays() {
    let scene = fixture();
    for path in ["a.txt", "b.txt", "gone.txt"] {
        scene.write_at(9, path, "before\n");
    }
    let saved = scene.save().await;
    scene.write_at(25, "a.txt", "by the command\n");
    // A program may give a file an older time, and a file system may be late by a moment.
    scene.write_at(1, "unpacked.txt", "by the command\n");
    scene.write_at(32, "late.txt", "by the command\n");
    scene.write_at(33, "b.txt", "by the person\n");
    scene.write_at(40, "mine.txt", "by the person\n");
    // The link is new; what it leads to is not.
    symlink("unpacked.txt", scene.path("mine.link")).unwrap();
    fs::remove_file(scene.path("gone.txt")).unwrap();
    let said = restore_changes_of(&scene, &saved, &[command_call(&saved, 20, Some(30))]).await;
    assert!(said.contains("left as they are: b.txt, mine.link, mine.txt\n"), "{said}");
    let files = ["a.txt", "b.txt", "gone.txt", "late.txt", "mine.txt", "unpacked.txt"].map(|path| scene.read(path));
    let (before, own) = (Some("before\n"), Some("by the person\n"));
    assert_eq!(files.each_ref().map(Option::as_deref), [before, own, before, None, own, None]);
    assert!(scene.path("mine.link").is_symlink());
}

#[tokio::test]
async fn what_the_person_changed_between_two_commands_stays() {
    let scene = fixture();
    let first = scene.save().await;
    scene.write_at(25, "one.txt", "by the first\n");
    scene.write_at(25, "same.txt", "by both\n");
    scene.write_at(35, "mine.txt", "by the person\n");
    let second = scene.save().await;
    scene.write_at(45, "two.txt", "by the second\n");
    scene.write_at(45, "same.txt", "by both\n");
    let calls = [command_call(&first, 20, Some(30)), command_call(&second, 40, Some(50))];
    let said = restore_changes_of(&scene, &first, &calls).await;
    assert!(said.contains("3 files are removed:"), "{said}");
    assert!(said.contains("left as they are: mine.txt\n"), "{said}");
    assert_eq!(scene.read("mine.txt").as_deref(), Some("by the person\n"));
}

#[tokio::test]
async fn a_command_that_goes_on_may_change_files_after_later_checkpoints() {
    for ended in [None, Some(60)] {
        let scene = fixture();
        scene.write_at(9, "code.rs", "one\n");
        let command = scene.save().await;
        let edit = scene.save().await;
        scene.write_at(41, "code.rs", "two\n");
        scene.write_at(55, "served.txt", "by the command\n");
        scene.write_at(70, "mine.txt", "by the person\n");
        let calls = [command_call(&command, 20, ended), edit_call(&edit, 40)];
        let said = restore_changes_of(&scene, &command, &calls).await;
        assert_eq!((scene.read("code.rs").as_deref(), scene.read("served.txt")), (Some("one\n"), None));
        assert_eq!(scene.read("mine.txt").is_some(), ended.is_some(), "{said}");
    }
}

/// A server runs for hours and changes nothing: what the person wrote meanwhile is not lost because of it.
#[tokio::test]
async fn what_changed_beside_a_command_in_the_background_stays_and_is_named() {
    let scene = fixture();
    scene.write_at(9, "code.rs", "one\n");
    scene.write_at(9, "README.md", "one\n");
    let server = scene.save().await;
    scene.write_at(25, "README.md", "by the person\n");
    let edit = scene.save().await;
    scene.write_at(31, "code.rs", "two\n");
    let build = scene.save().await;
    scene.write_at(45, "built.txt", "by the build\n");
    scene.write_at(60, "late.txt", "by the person\n");
    let serves = CheckpointedCall { background: Some("serve (in the background)"), ..command_call(&server, 20, None) };
    let calls = [serves, edit_call(&edit, 30), command_call(&build, 40, Some(50))];
    let scope = RestoreScope::ChangedBy(&calls);
    let plan = scene.checkpoints.compare(scene.session, &scene.path(""), &server, scope).await.unwrap();
    assert!(plan.leaves_own_changes());
    let said = restore_changes_of(&scene, &server, &calls).await;
    let doubt = "Perhaps yours, so left as they are: they changed after `serve (in the background)` began, and no other call \
                 can have changed them: README.md, late.txt\n";
    assert!(said.contains(doubt), "{said}");
    let files = ["code.rs", "README.md", "built.txt", "late.txt"].map(|path| scene.read(path));
    let own = Some("by the person\n");
    assert_eq!(files.each_ref().map(Option::as_deref), [Some("one\n"), own, None, own]);
    // Whoever wants everything back gets it.
    let (_, said) = scene.restore(&server).await;
    assert!(!said.contains("Perhaps yours"), "{said}");
    assert_eq!(scene.read("README.md").as_deref(), Some("one\n"));
}
