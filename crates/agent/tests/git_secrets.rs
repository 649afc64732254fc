//! Git without a question never shows a file with a protected name, whatever it is told: every option of the tables is
//! tried in a repository full of them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod plans;

use plans::{Judging, run_plan, toolbox};
use pollux_session::{By, CallOutcome, Grant, WORKSPACE_DIRECTORY};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What no command may print.
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

/// What a command prints if it runs without a question.
async fn printed(root: &Path, grants: Vec<(Grant, By)>, command: &str) -> Option<String> {
    let judging = Judging { root, is_trusted: true, grants };
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
            (grant, By::Client { principal: "local".into(), label: "terminal".into() })
        };
        vec![grant(&["git", "log"]), grant(&["git", "show"]), grant(&["grep"]), grant(&["touch"])]
    };
    // Not trusted, so that only the grant lets them run.
    for command in ["git log -p", "git show HEAD~1"] {
        let judging = Judging { root: &repository.root, is_trusted: false, grants: grants() };
        let plan = judging.judge(command).unwrap();
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
