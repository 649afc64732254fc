//! Git without a question never shows a file with a protected name, whatever it is told: every option of the tables is
//! tried in a repository full of them.

use crate::plans::{PolicySetup, run_plan, toolbox};
use pollux_session::{CallOutcome, CommandPlan, EntryAuthor, Grant, PlanAuthority, WORKSPACE_DIRECTORY};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The secret that no command may print.
const SECRET: &str = "sekrit";
const TABLES: &str = include_str!("../../policy/src/programs.toml");

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

/// The options of a git command as its table has them, each with a value if it takes one.
fn options_of(command: &str) -> Vec<String> {
    let tables: BTreeMap<String, BTreeMap<String, serde_json::Value>> = toml_edit::de::from_str(TABLES).unwrap();
    let words = |key: &str| tables[command].get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let value_of = |name: &str| match name {
        _ if name.contains("format") || name.contains("pretty") => "%H%n%B%n%N",
        _ if name.contains("date") || name.contains("since") || name.contains("after") => "2000-01-01",
        "--abbrev" | "-M" | "-C" | "-U" | "--unified" | "--skip" | "-n" | "--max-count" => "3",
        "--diff-filter" => "AMD",
        _ => ".",
    };
    let flags = words("flags")
        .split_whitespace()
        .map(|flag| match flag.strip_suffix('=') {
            Some(name) if name.starts_with("--") => format!("{flag}{}", value_of(name)),
            Some(name) => format!("{name}{}", value_of(name)),
            None => flag.to_owned(),
        })
        .collect::<Vec<_>>();
    let texts = words("texts").split_whitespace().map(|name| format!("{name} {}", value_of(name))).collect::<Vec<_>>();
    flags.into_iter().chain(texts).collect()
}

#[tokio::test]
async fn no_option_brings_a_secret_to_light() {
    let repository = Repository::new();
    for (command, always) in [("git log", " -p"), ("git show", ""), ("git diff", "")] {
        let options = options_of(command);
        assert!(options.len() > 20, "{options:?}");
        for option in options {
            for operands in [" HEAD~1", " -- deep a.txt"] {
                let line = format!("{command}{always} {option}{operands}");
                let text = printed(&repository.root, Vec::new(), &line).await;
                if option == "--simplify-by-decoration" && always == " -p" {
                    assert_eq!(text, None, "{line}");
                    continue;
                }
                let text = text.unwrap_or_else(|| panic!("{line} asks"));
                assert!(!text.contains(SECRET), "{line}: {text}");
            }
        }
    }
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
        "grep -r KEY .",
        "touch out/tmp",
        "touch .git/hooks/post-checkout",
        "touch .env",
    ] {
        assert_eq!(printed(&repository.root, grants(), command).await, None, "{command}");
    }
    assert!(printed(&repository.root, grants(), "touch new.txt").await.is_some());
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
