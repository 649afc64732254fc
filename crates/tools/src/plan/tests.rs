//! What is checked on the disk before a plan runs.

use super::*;
use crate::workspace::Reach;
use pollux_session::{PlannedPipeline, PlannedRead, RunCondition};
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// A workspace with a few files, and one more directory outside it.
struct TestWorkspace {
    _directory: TempDir,
    root: PathBuf,
    outside: PathBuf,
}

impl TestWorkspace {
    fn new() -> TestWorkspace {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let (root, outside) = (base.join("ws"), base.join("outside"));
        for made in [root.join("src"), outside.clone()] {
            fs::create_dir_all(made).unwrap();
        }
        for file in ["a.txt", "b.txt", "src/lib.rs", "src/main.rs", ".hidden"] {
            fs::write(root.join(file), "x\n").unwrap();
        }
        fs::write(outside.join("secret.txt"), "x\n").unwrap();
        TestWorkspace { _directory: directory, root, outside }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn plan(&self, words: &[PlannedWord], reads: &[(&PlannedWord, ReadKind)]) -> CommandPlan {
        let reads = reads.iter().map(|(path, kind)| PlannedRead { path: (*path).clone(), kind: *kind }).collect();
        let command = PlannedCommand {
            variables: Vec::new(),
            timeout: None,
            words: words.to_vec(),
            redirections: Vec::new(),
            reads,
            authority: PlanAuthority::BuiltIn,
        };
        let pipeline = PlannedPipeline { condition: RunCondition::Always, commands: vec![command] };
        CommandPlan { directory: self.root.to_str().unwrap().to_owned(), trusted: true, pipelines: vec![pipeline] }
    }

    fn resolve(&self, plan: &CommandPlan) -> Result<RunnablePlan, String> {
        let workspace = Arc::new(Reach::default()).open(&self.root).unwrap();
        let surroundings = PlanSurroundings { streams: ShellStreams::Pipes, passed: Vec::new() };
        resolve(&workspace, plan, &surroundings).map_err(|objection| objection.why)
    }

    /// What speaks against `cat` of a path, with the workspace's own path left out.
    fn objection_to_read(&self, path: &PlannedWord, kind: ReadKind) -> Option<String> {
        let plan = self.plan(&[PlannedWord::text("cat"), path.clone()], &[(path, kind)]);
        let root = format!("{}/", self.root.display());
        self.resolve(&plan).err().map(|why| why.replace(&root, ""))
    }

    /// The words that `echo WORD` prints.
    fn echoed(&self, word: &PlannedWord) -> Result<Vec<String>, String> {
        let runnable = self.resolve(&self.plan(&[PlannedWord::text("echo"), word.clone()], &[]))?;
        let RunnableAction::Echo { words, .. } = &runnable.pipelines[0].commands[0].action else { panic!("no echo") };
        Ok(words.iter().map(|word| word.literal().unwrap().to_string_lossy().into_owned()).collect())
    }

    fn git(&self, args: &[&str]) {
        #[expect(clippy::disallowed_methods, reason = "a test prepares a repository")]
        let mut git = Command::new("git");
        let settings = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
        let done = git.args(settings).args(args).current_dir(&self.root).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    fn objection_to_git(&self, words: &[&str], directory: &str) -> Option<String> {
        let words: Vec<PlannedWord> = words.iter().map(|word| PlannedWord::text(*word)).collect();
        let here = PlannedWord::text(".");
        let kind =
            if words[1].literal() == Some("status") { ReadKind::Repository } else { ReadKind::RepositoryContent };
        let mut plan = self.plan(&words, &[(&here, kind)]);
        plan.directory = self.root.join(directory).to_str().unwrap().trim_end_matches('/').to_owned();
        self.resolve(&plan).err().map(|why| why.replace(&format!("{}/", self.root.display()), ""))
    }
}

/// A word with patterns: `*` and `?` are not quoted.
fn pattern(text: &str) -> PlannedWord {
    let mut pieces = Vec::new();
    for char in text.chars() {
        match (char, pieces.last_mut()) {
            ('*', _) => pieces.push(WordPiece::AnyText),
            ('?', _) => pieces.push(WordPiece::AnyCharacter),
            (_, Some(WordPiece::Text(text))) => text.push(char),
            _ => pieces.push(WordPiece::Text(char.into())),
        }
    }
    PlannedWord { pieces }
}

#[test]
fn patterns_stand_for_names_in_the_order_of_their_bytes() {
    let test = TestWorkspace::new();
    for name in ["-n", "Z.txt", "a b", "é", "src/deep/x.rs", "src-x/lib.rs"] {
        test.write(name, "");
    }
    symlink(&test.outside, test.root.join("link")).unwrap();
    for (word, expected) in [
        ("*.txt", vec!["Z.txt", "a.txt", "b.txt"]),
        ("?.txt", vec!["Z.txt", "a.txt", "b.txt"]),
        ("?", vec!["é"]),
        ("*/lib.rs", vec!["src-x/lib.rs", "src/lib.rs"]),
        ("src/*/*", vec!["src/deep/x.rs"]),
        ("./a*", vec!["./a b", "./a.txt"]),
        ("src//*.rs", vec!["src//lib.rs", "src//main.rs"]),
        ("*/", vec!["src-x/", "src/"]),
        // Nothing matches: it stands for itself. Links are not followed.
        ("*.none", vec!["*.none"]),
        ("link/*", vec!["link/*"]),
        ("*/secret.txt", vec!["*/secret.txt"]),
    ] {
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(test.echoed(&pattern(word)), Ok(expected), "{word}");
    }
    let mut all = test.echoed(&pattern("*")).unwrap();
    all.retain(|name| !name.starts_with("src"));
    assert_eq!(all, ["./-n", "Z.txt", "a b", "a.txt", "b.txt", "link", "é"]);
}

#[test]
fn a_pattern_stays_inside_the_workspace_and_within_bounds() {
    let test = TestWorkspace::new();
    for word in ["../*", "src/../../outside/*", "/etc/*", ".*", "src/.*"] {
        assert!(test.echoed(&pattern(word)).is_err(), "{word}");
    }
    let absolute = format!("{}/*.txt", test.root.display());
    assert_eq!(test.echoed(&pattern(&absolute)).unwrap().len(), 2);
    for number in 0..=1000 {
        test.write(&format!("many/{number}"), "");
    }
    assert_eq!(test.echoed(&pattern("many/*")), Err("a pattern stands for more than 1000 names".into()));
    fs::remove_file(test.root.join("many/7")).unwrap();
    assert_eq!(test.echoed(&pattern("many/*")).unwrap().len(), 1000);
}

#[test]
fn only_files_of_the_workspace_that_are_no_secrets_are_read() {
    let test = TestWorkspace::new();
    for secret in [".env", "deploy/id_rsa", "server.key"] {
        test.write(secret, "x");
    }
    symlink(test.outside.join("secret.txt"), test.root.join("out")).unwrap();
    symlink(test.root.join(".env"), test.root.join("innocent")).unwrap();
    symlink("/nowhere/at/all", test.root.join("dangling")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, test.root.join("fifo"), rustix::fs::Mode::RUSR).unwrap();
    let objection = |path: &str| test.objection_to_read(&pattern(path), ReadKind::File);
    for fine in ["a.txt", "src/lib.rs", "missing", "*.txt", "./a.txt", "src/../a.txt"] {
        assert_eq!(objection(fine), None, "{fine}");
    }
    for (path, why) in [
        ("/etc/passwd", "/etc/passwd is outside the workspace"),
        ("/proc/self/environ", "is outside the workspace"),
        ("../outside/secret.txt", "is outside the workspace"),
        ("out", "out is outside the workspace"),
        ("dangling", "is outside the workspace"),
        (".env", ".env is protected"),
        ("innocent", ".env is protected"),
        ("deploy/id_rsa", "is protected"),
        ("*.key", "server.key is protected"),
        ("fifo", "fifo is not a regular file"),
        ("src", "src is not a regular file"),
    ] {
        let said = objection(path).unwrap_or_default();
        assert!(said.contains(why), "{path}: {said}");
    }
    // Names and metadata are no content.
    assert_eq!(test.objection_to_read(&PlannedWord::text(".env"), ReadKind::Entry), None);
    assert!(test.objection_to_read(&PlannedWord::text("/etc"), ReadKind::Entry).is_some());
}

#[test]
fn a_search_asks_where_its_directory_holds_a_secret() {
    let test = TestWorkspace::new();
    let search = |path: &str, kind| test.objection_to_read(&PlannedWord::text(path), kind);
    assert_eq!(search(".", ReadKind::Tree), None);
    test.write("deploy/.env", "x");
    assert!(search(".", ReadKind::Tree).unwrap().contains("deploy/.env is protected"));
    assert_eq!(search("src", ReadKind::Tree), None);
    // Hidden files are not searched by rg, ordinary ones are unless an ignore file lists them.
    assert_eq!(search(".", ReadKind::UnignoredTree), None);
    test.write(".gitignore", "!.env\n");
    assert!(search(".", ReadKind::UnignoredTree).unwrap().contains("deploy/.env is protected"));
    test.write(".gitignore", "*.key\n");
    test.write("deploy/server.key", "x");
    assert!(search(".", ReadKind::UnignoredTree).unwrap().contains("server.key is protected"));
    test.write(".geminiignore", "src\n");
    assert!(search("src", ReadKind::Tree).unwrap().contains("keeps from the model"));
}

#[test]
fn a_plan_runs_only_in_the_directory_that_was_judged() {
    let test = TestWorkspace::new();
    symlink(test.root.join("src"), test.root.join("linked")).unwrap();
    let mut plan = test.plan(&[PlannedWord::text("pwd")], &[]);
    assert!(test.resolve(&plan).is_ok());
    for directory in ["linked", "a.txt", "missing", "../outside"] {
        plan.directory = test.root.join(directory).to_str().unwrap().to_owned();
        assert!(test.resolve(&plan).is_err(), "{directory}");
    }
}

#[test]
fn an_option_with_a_pattern_asks_if_a_file_has_such_a_name() {
    let test = TestWorkspace::new();
    assert_eq!(test.echoed(&pattern("--include=*.rs")), Ok(vec!["--include=*.rs".into()]));
    test.write("--include=x.rs", "");
    assert!(test.echoed(&pattern("--include=*.rs")).unwrap_err().contains("a file has such a name"));
}

#[test]
fn git_asks_wherever_a_configuration_could_run_a_program() {
    let test = TestWorkspace::new();
    assert_eq!(
        test.objection_to_git(&["git", "status"], "").unwrap(),
        "the workspace has no git repository of its own"
    );
    test.git(&["init", "-q"]);
    test.git(&["add", "a.txt"]);
    assert_eq!(test.objection_to_git(&["git", "status"], ""), None);
    assert_eq!(test.objection_to_git(&["git", "diff"], "src"), None);
    for (key, value) in [
        ("filter.x.clean", "touch p"),
        ("diff.x.textconv", "touch p"),
        ("diff.external", "touch p"),
        ("core.fsmonitor", "touch p"),
        ("include.path", "/tmp/x"),
        ("includeIf.gitdir:/.path", "x"),
        ("core.worktree", "/"),
        ("gpg.program", "x"),
        ("core.pager", "x"),
    ] {
        test.git(&["config", key, value]);
        let said = test.objection_to_git(&["git", "status"], "").unwrap_or_default();
        assert!(said.starts_with(".git/config: it sets "), "{key}: {said}");
        test.git(&["config", "--unset-all", key]);
    }
    test.git(&["config", "remote.origin.url", "https://example.org/x.git"]);
    assert_eq!(test.objection_to_git(&["git", "status"], ""), None);
    for planted in ["sub/.git/HEAD", "file/.git"] {
        test.write(planted, "x");
    }
    assert!(test.objection_to_git(&["git", "status"], "sub").unwrap().contains("another repository"));
    assert!(test.objection_to_git(&["git", "status"], "file").unwrap().contains("another repository"));
    assert!(test.objection_to_git(&["git", "status"], ".git").unwrap().contains("own files"));
    test.git(&["add", "b.txt"]);
    test.write(".env", "x");
    assert_eq!(test.objection_to_git(&["git", "diff"], ""), None);
    test.git(&["add", "-f", ".env"]);
    assert!(test.objection_to_git(&["git", "diff"], "").unwrap().contains(".env is protected"));
    assert_eq!(test.objection_to_git(&["git", "status"], ""), None);
    test.git(&["update-index", "--index-version", "4"]);
    assert!(test.objection_to_git(&["git", "diff"], "").unwrap().contains(".env is protected"));
}

#[test]
fn git_is_told_to_run_nothing_and_finds_no_other_repository() {
    let test = TestWorkspace::new();
    test.git(&["init", "-q"]);
    let words = ["git", "diff", "--stat"].map(PlannedWord::text);
    let here = PlannedWord::text(".");
    let runnable = test.resolve(&test.plan(&words, &[(&here, ReadKind::RepositoryContent)])).unwrap();
    let RunnableAction::Program(program) = &runnable.pipelines[0].commands[0].action else { panic!("no program") };
    let words: Vec<String> =
        program.words.iter().map(|word| word.literal().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(words[..2], ["git", "--no-pager"]);
    let diff = words.iter().position(|word| word == "diff").unwrap();
    assert_eq!(words[diff..], ["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--stat"]);
    for setting in ["safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null"] {
        assert!(words.windows(2).any(|pair| pair == ["-c", setting]), "{setting}");
    }
    for (name, value) in [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1")] {
        assert!(program.environment.contains(&(name.into(), value.into())), "{name}");
    }
    assert!(program.confined);
}

#[test]
fn a_configuration_of_git_is_read_strictly() {
    use super::git_config::keys_of;
    let names = |text: &str| -> Result<Vec<String>, String> {
        let keys = keys_of(text)?;
        Ok(keys
            .into_iter()
            .map(|key| [Some(key.section), key.subsection, Some(key.name)].into_iter().flatten().collect::<Vec<_>>())
            .map(|parts| parts.join("."))
            .collect())
    };
    assert_eq!(
        names("# x\n[Core]\n\tBare = false ; y\n[remote \"a \\\"b]\"] url = x\n[branch.main]\nmerge=y\n[x]\n").unwrap(),
        ["core.bare", "remote.a \"b].url", "branch.main.merge"]
    );
    for strange in ["bare = x", "[core\nbare=x", "[core]\nbare = a \\\nx", "[core]\n=x", "[core] bare x", "[a \"b] c=d"]
    {
        assert!(names(strange).is_err(), "{strange}");
    }
}
