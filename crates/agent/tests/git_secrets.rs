//! Git without a question never shows a file with a protected name, whatever it is told: every option of the tables is
//! tried in a repository full of them.

use crate::plans::{PolicySetup, run_plan, toolbox};
use crate::program_tables::ProgramTables;
use pollux_session::{CallOutcome, CommandPlan, EntryAuthor, Grant, PlanAuthority, WORKSPACE_DIRECTORY};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The secret that no command may print.
const SECRET: &str = "sekrit";
/// How many commands run as one.
const AT_ONCE: usize = 25;

struct Repository {
    _directory: TempDir,
    root: PathBuf,
}

impl Repository {
    /// With secrets in the work tree, in the index and in the past, and a file whose name is a path of the past.
    fn new() -> Repository {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let repository = Repository { _directory: directory, root };
        repository.git(&["init", "-q"]);
        for (file, text) in [("a.txt", "one\n"), (".env", "KEY=sekrit\n"), ("deep/id_rsa", "sekrit\n")] {
            repository.write(file, text);
        }
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-qm", "first"]);
        repository.git(&["rm", "-q", "--cached", ".env"]);
        repository.write("a.txt", "two\n");
        repository.git(&["add", "a.txt"]);
        repository.git(&["commit", "-qm", "second"]);
        repository.write("deep/id_rsa", "sekrit again\n");
        repository.write("HEAD~1:.env", "");
        repository
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test prepares a repository")]
    fn git(&self, args: &[&str]) {
        let settings = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
        let done = Command::new("git").args(settings).args(args).current_dir(&self.root).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
}

/// True if a command runs without a question.
async fn is_silent(root: &Path, command: &str) -> bool {
    let judging = PolicySetup { root, is_trusted: true, grants: Vec::new() };
    match judging.judge(command) {
        Some(plan) => toolbox().check_plan(root, &plan).await.is_ok(),
        None => false,
    }
}

/// The output of a command if it runs without a question.
async fn printed(root: &Path, grants: Vec<(Grant, EntryAuthor)>, command: &str) -> Option<String> {
    let judging = PolicySetup { root, is_trusted: true, grants };
    let plan = judging.judge(command)?;
    let toolbox = toolbox();
    toolbox.check_plan(root, &plan).await.ok()?;
    match run_plan(&toolbox, root, command, plan).await {
        CallOutcome::Succeeded { result } => Some(result.text),
        other => panic!("{command}: {other:?}"),
    }
}

/// A value for an option of git's.
fn value_of(name: &str) -> String {
    let value = match name {
        _ if name.contains("format") || name.contains("pretty") => "%H%n%B%n%N",
        _ if name.contains("date") || name.contains("since") || name.contains("after") => "2000-01-01",
        "--abbrev" | "-M" | "-C" | "-U" | "--unified" | "--skip" | "-n" | "--max-count" | "-A" | "-B" | "-L" => "3",
        "--diff-filter" => "AMD",
        "-e" => "k",
        _ => ".",
    };
    value.to_owned()
}

/// What every command of git's is told besides an option.
#[rustfmt::skip]
const OPERANDS: [(&str, &[&str]); 24] = [
    ("git blame", &["a.txt", "HEAD~1 -- a.txt"]),
    ("git branch", &["", "--list m"]),
    ("git check-ignore", &["a.txt"]),
    ("git config --get", &["user.name"]),
    ("git describe", &["", "HEAD"]),
    ("git diff", &["HEAD~1", "-- deep a.txt"]),
    ("git for-each-ref", &["", "refs"]),
    ("git grep", &["k", "k HEAD~1", "k -- deep a.txt"]),
    ("git log", &["-p HEAD~1", "-p -- deep a.txt", "--stat deep"]),
    ("git ls-files", &["", "deep"]),
    ("git ls-tree", &["HEAD", "HEAD deep"]),
    ("git merge-base", &["HEAD HEAD~1"]),
    ("git remote", &[""]),
    ("git remote get-url", &["origin"]),
    ("git rev-list", &["HEAD", "--all -- deep"]),
    ("git rev-parse", &["HEAD", "HEAD~1 deep"]),
    ("git shortlog", &["HEAD"]),
    ("git show", &["HEAD~1", "-- deep a.txt"]),
    ("git show-ref", &["", "main"]),
    ("git stash list", &[""]),
    ("git status", &["", "deep"]),
    ("git symbolic-ref", &["HEAD"]),
    ("git tag", &["", "-l v"]),
    ("git worktree list", &[""]),
];

#[tokio::test]
async fn no_option_brings_a_secret_to_light() {
    let repository = Repository::new();
    repository.git(&["tag", "v1"]);
    repository.git(&["remote", "add", "origin", "https://example.org/x.git"]);
    std::fs::write(repository.root.join("deep/.env"), "KEY=sekrit\n").unwrap();
    repository.git(&["stash", "-uq"]);
    std::fs::write(repository.root.join("deep/.env"), "KEY=sekrit\n").unwrap();
    let before = digest(&repository.root);
    let tables = ProgramTables::read();
    let named: BTreeSet<&str> =
        tables.names().filter(|name| name.starts_with("git ") && !name.contains("version")).collect();
    assert_eq!(named, OPERANDS.iter().map(|(command, _)| *command).collect(), "every command of git's is tried");
    let (mut asked, mut silent) = (BTreeSet::new(), Vec::new());
    for (command, all_operands) in OPERANDS {
        let options = tables.options(command, value_of);
        assert!(!options.is_empty(), "{command}");
        for option in options.iter().map(String::as_str).chain([""]) {
            for operands in all_operands {
                let line = format!("{command} {option} {operands}");
                match is_silent(&repository.root, &line).await {
                    true => silent.push(line),
                    false => drop(asked.insert(format!("{command} {option}"))),
                }
            }
        }
    }
    for lines in silent.chunks(AT_ONCE) {
        let text = printed(&repository.root, Vec::new(), &lines.join("\n")).await.unwrap();
        assert!(!text.contains(SECRET), "of {lines:#?}: {text}");
    }
    let wanted = ["git log --follow", "git log --simplify-by-decoration"];
    assert_eq!(Vec::from_iter(asked), wanted, "these ask where content is shown");
    assert_eq!(digest(&repository.root), before, "something was changed");
}

/// Everything in a directory, with its content.
fn digest(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => directories.push(path),
                false => files.push((path.clone(), std::fs::read(path).unwrap())),
            }
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn a_name_that_a_pattern_finds_is_a_path() {
    let repository = Repository::new();
    // It would be a secret of the past if it were taken for a revision.
    assert_eq!(printed(&repository.root, Vec::new(), "git show HEAD*").await, None);
    let shown = printed(&repository.root, Vec::new(), "git diff HEAD~1 -- a*").await.unwrap();
    assert!(shown.contains("+two"), "{shown}");
    let shown = printed(&repository.root, Vec::new(), "git log --oneline a*").await.unwrap();
    assert!(shown.contains("second"), "{shown}");
}

#[tokio::test]
async fn what_a_person_allows_leaves_out_secrets_too() {
    let repository = Repository::new();
    let grants = || {
        let grant = |words: &[&str]| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            let grant = Grant::Prefix { words, options: Vec::new(), directory: Some(WORKSPACE_DIRECTORY.into()) };
            (grant, EntryAuthor::Client { principal: "local".into(), label: "terminal".into() })
        };
        vec![grant(&["git", "log"]), grant(&["git", "show"]), grant(&["grep"]), grant(&["touch"])]
    };
    for command in ["git log -p", "git show HEAD~1"] {
        let plan = allowed_by_person(&repository.root, command);
        let outcome = run_plan(&toolbox(), &repository.root, command, plan).await;
        let CallOutcome::Succeeded { result } = outcome else { panic!("{command}: {outcome:?}") };
        assert!(result.text.contains("one") && !result.text.contains(SECRET), "{command}: {}", result.text);
    }
    std::os::unix::fs::symlink("/", repository.root.join("out")).unwrap();
    for command in [
        "git show HEAD~1:.env",
        "git log --format=%GG",
        "grep -r KEY .env",
        "touch out/tmp",
        "touch .git/hooks/post-checkout",
        "touch .env",
    ] {
        assert_eq!(printed(&repository.root, grants(), command).await, None, "{command}");
    }
    assert!(printed(&repository.root, grants(), "touch new.txt").await.is_some());
    let mut plan = allowed_by_person(&repository.root, "grep -rh KEY . --include=*");
    plan.pipelines[0].commands[0].authority = PlanAuthority::Person;
    let outcome = run_plan(&toolbox(), &repository.root, "grep -rh KEY . --include=*", plan).await;
    let CallOutcome::Succeeded { result } = outcome else { panic!("{outcome:?}") };
    assert!(result.text.contains("[Not searched, ") && !result.text.contains(SECRET), "{}", result.text);
}

/// The plan of a command that a person's own rule allows, in a folder that they trust.
fn allowed_by_person(root: &Path, command: &str) -> CommandPlan {
    let judging = PolicySetup { root, is_trusted: true, grants: Vec::new() };
    let mut plan = judging.judge(command).unwrap_or_else(|| panic!("{command} asks"));
    plan.pipelines[0].commands[0].authority = PlanAuthority::Person;
    plan
}

/// Everything that begins with these words, with these options besides harmless ones.
fn granted(words: &[&str], options: &[&str]) -> Vec<(Grant, EntryAuthor)> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let directory = Some(WORKSPACE_DIRECTORY.into());
    let grant = Grant::Prefix { words: owned(words), options: owned(options), directory };
    vec![(grant, EntryAuthor::Client { principal: "local".into(), label: "terminal".into() })]
}

#[tokio::test]
async fn a_file_of_the_past_is_known_by_its_whole_path() {
    let repository = Repository::new();
    for file in [".aws/config", ".aws/config.bak", ".config/gh/hosts.yml", "x.git/config", "service-account:1.json"] {
        repository.write(file, "sekrit\n");
    }
    repository.write("deep/fine.txt", "fine\n");
    repository.git(&["add", "-Af"]);
    repository.git(&["commit", "-qm", "third"]);
    for command in [
        "cd .aws && git show HEAD:./config",
        "cd .aws && git show HEAD@{0}:./config",
        "cd .aws && git log -p -- config.bak",
        "cd .aws && git diff",
        "cd .config && git show HEAD:./gh/hosts.yml",
        "cd x.git && git show HEAD:./config",
        "git show 'HEAD:service-account:1.json'",
    ] {
        assert_eq!(printed(&repository.root, Vec::new(), command).await, None, "{command}");
    }
    let shown = printed(&repository.root, Vec::new(), "cd deep && git show HEAD:./fine.txt").await;
    assert_eq!(shown.as_deref().map(str::trim), Some("fine"));
}

#[tokio::test]
async fn a_path_that_was_something_else_shows_no_secret() {
    let repository = Repository::new();
    repository.write("notes/.env", "sekrit\n");
    repository.write("notes.bak/.env", "sekrit\n");
    repository.write("renamed.key", "KEY=sekrit\nsame\nlines\nhere\n");
    repository.git(&["add", "-Af"]);
    repository.git(&["commit", "-qm", "third"]);
    repository.git(&["rm", "-qr", "notes", "notes.bak"]);
    repository.git(&["mv", "renamed.key", "renamed.txt"]);
    repository.write("renamed.txt", "KEY=\nsame\nlines\nhere\n");
    repository.write("notes", "a file\n");
    repository.write("notes.bak", "a file\n");
    repository.git(&["add", "-Af"]);
    repository.git(&["commit", "-qm", "fourth"]);
    // As many people have it.
    repository.git(&["config", "log.follow", "true"]);
    for command in ["git log -p -- notes", "git log -p -- renamed.txt"] {
        let shown = printed(&repository.root, Vec::new(), command).await.unwrap_or_else(|| panic!("{command} asks"));
        assert!(shown.contains("fourth") && !shown.contains(SECRET), "{command}: {shown}");
    }
    assert_eq!(printed(&repository.root, Vec::new(), "git log -p -- notes.bak").await, None);
}

#[tokio::test]
async fn a_search_does_not_read_what_was_committed() {
    let repository = Repository::new();
    std::fs::remove_file(repository.root.join("deep/id_rsa")).unwrap();
    std::fs::remove_file(repository.root.join(".env")).unwrap();
    std::fs::remove_file(repository.root.join("HEAD~1:.env")).unwrap();
    let listed = printed(&repository.root, Vec::new(), "grep -rl '' .").await.unwrap();
    assert!(listed.contains("a.txt") && !listed.contains(".git"), "{listed}");
    for command in ["LC_ALL=C grep -rahz '' .git/ --include='[0-9a-f]*'", "cd .git && grep -ra '' ."] {
        assert_eq!(printed(&repository.root, Vec::new(), command).await, None, "{command}");
    }
}

#[tokio::test]
async fn what_an_ignore_file_keeps_from_the_model_git_does_not_show() {
    let repository = Repository::new();
    repository.write(".geminiignore", "private.txt\n");
    assert_eq!(printed(&repository.root, Vec::new(), "git diff").await, None);
    assert!(printed(&repository.root, Vec::new(), "git status").await.is_some());
}

#[tokio::test]
async fn a_grant_covers_no_git_that_is_not_understood() {
    let repository = Repository::new();
    let root = repository.root.display();
    for (words, options, command) in [
        (["git", "log"], vec![], format!("git log -p {root} < a.txt")),
        (["git", "show"], vec![], format!("git show HEAD~1 {root} < a.txt")),
        (["git", "log"], vec!["--follow"], "git log --follow -p -- .".to_owned()),
        (["git", "log"], vec!["--follow"], "git log -p -- . --follow".to_owned()),
        (["git", "diff"], vec!["--no-index"], "git diff --no-index -- a.txt .".to_owned()),
    ] {
        let shown = printed(&repository.root, granted(&words, &options), &command).await;
        assert!(!shown.is_some_and(|shown| shown.contains(SECRET)), "{command}");
    }
    // A file with the number of a secret is a file.
    let number = "HEAD~1:.env";
    #[expect(clippy::disallowed_methods, reason = "a test asks for a number")]
    let number = Command::new("git").args(["rev-parse", number]).current_dir(&repository.root).output().unwrap().stdout;
    let number = String::from_utf8(number).unwrap().trim().to_owned();
    repository.write(&number, "a file\n");
    let command = format!("git show {number} -- .");
    let shown = printed(&repository.root, granted(&["git", "show"], &[]), &command).await;
    assert!(!shown.is_some_and(|shown| shown.contains(SECRET)), "{command}");
}

#[tokio::test]
async fn a_granted_git_that_only_looks_runs_no_program_of_the_repository() {
    let repository = Repository::new();
    for setting in [
        ["filter.evil.clean", "touch ran; cat"],
        ["merge.evil.driver", "touch ran"],
        ["gpg.program", "./evil"],
        ["format.pretty", "%h %G?"],
    ] {
        repository.git(&["config", setting[0], setting[1]]);
        for command in ["git status", "git log -p", "git log -1", "git diff", "git show"] {
            let plan = allowed_by_person(&repository.root, command);
            assert!(toolbox().check_plan(&repository.root, &plan).await.is_err(), "{command} with {setting:?}");
        }
        repository.git(&["config", "--unset", setting[0]]);
    }
}

#[tokio::test]
async fn only_commits_with_names_are_shown_where_those_are_wanted() {
    let repository = Repository::new();
    repository.git(&["commit", "-q", "--allow-empty", "-m", "third"]);
    let shown = printed(&repository.root, Vec::new(), "git log --format=%s --simplify-by-decoration").await.unwrap();
    assert!(shown.contains("third") && !shown.contains("second"), "{shown}");
    assert_eq!(printed(&repository.root, Vec::new(), "git log -p --simplify-by-decoration").await, None);
}

#[tokio::test]
async fn git_looks_in_another_directory_of_its_own_repository() {
    let repository = Repository::new();
    repository.write("deep/fine.txt", "fine\n");
    repository.git(&["add", "deep/fine.txt"]);
    std::os::unix::fs::symlink("deep", repository.root.join("link")).unwrap();
    std::fs::create_dir_all(repository.root.join("other/.git")).unwrap();
    let shown = printed(&repository.root, Vec::new(), "git --no-pager -C deep diff --cached --relative").await.unwrap();
    assert!(shown.contains("+fine") && !shown.contains(SECRET), "{shown}");
    let shown = printed(&repository.root, Vec::new(), "git -C deep show HEAD~1").await.unwrap();
    assert!(shown.contains("+one") && !shown.contains(SECRET), "{shown}");
    for command in [
        "git -C link status",
        "git -C other status",
        "git -C .git status",
        "git -C / status",
        "git -C missing status",
        "git -C deep show HEAD:./id_rsa",
        "git -C deep log -p -- id_rsa",
    ] {
        assert_eq!(printed(&repository.root, Vec::new(), command).await, None, "{command}");
    }
}

#[tokio::test]
async fn an_address_with_a_password_is_not_shown() {
    let repository = Repository::new();
    let shown = |command: &'static str| printed(&repository.root, Vec::new(), command);
    for address in [
        "https://me:sekrit@example.org/x",
        "https://sekrit@example.org/x",
        "ssh://me:sekrit@example.org/x",
        "https://example.org/x?token=sekrit",
        "\"https://a#:sekrit@example.org/x\"",
    ] {
        repository.git(&["config", "remote.origin.url", address]);
        for command in ["git remote -v", "git remote get-url origin", "git config --get remote.origin.url"] {
            assert_eq!(shown(command).await, None, "{command}: {address}");
        }
        assert_eq!(shown("git remote").await.as_deref(), Some("origin\n"));
    }
    for address in ["https://example.org/x", "git@example.org:x", "ssh://git@example.org/x"] {
        repository.git(&["config", "remote.origin.url", address]);
        assert!(shown("git remote -v").await.unwrap().contains(address), "{address}");
    }
    repository.git(&["config", "url.https://sekrit@example.org/.insteadOf", "https://example.org/"]);
    assert_eq!(shown("git remote -v").await, None);
    repository.git(&["config", "--unset", "url.https://sekrit@example.org/.insteadOf"]);
    repository.write(".git/remotes/old", "URL: https://sekrit@example.org/x\n");
    assert_eq!(shown("git remote -v").await, None);
}

/// What is no revision in a file of revisions that blame passes over is shown, and the file may be a link.
#[tokio::test]
async fn blame_reads_no_other_file_that_the_repository_names() {
    let repository = Repository::new();
    std::os::unix::fs::symlink(".env", repository.root.join("revisions")).unwrap();
    let shown = printed(&repository.root, Vec::new(), "git blame a.txt").await.unwrap();
    assert!(shown.contains("two"), "{shown}");
    repository.git(&["config", "blame.ignoreRevsFile", "revisions"]);
    assert_eq!(printed(&repository.root, Vec::new(), "git blame a.txt").await, None);
}
