//! Programs that only look, told every option of their tables in a directory full of secrets: none is printed, no option's
//! value is read as a file that was not checked, and nothing is changed.

use crate::plans::{PolicySetup, run_plan, toolbox};
use crate::program_tables::ProgramTables;
use pollux_session::{CallOutcome, PlannedWord};
use std::collections::BTreeSet;
use std::path::PathBuf;
use tempfile::TempDir;

/// What no command may print.
const SECRET: &str = "sekrit";
/// How many commands run as one.
const AT_ONCE: usize = 25;

struct SecretsWorkspace {
    _directory: TempDir,
    root: PathBuf,
}

impl SecretsWorkspace {
    fn new() -> SecretsWorkspace {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let workspace = SecretsWorkspace { _directory: directory, root };
        for file in
            [".env", "1", "deep/.env", "deep/id_rsa", "deep/.aws/config", "deep/we[i]*rd.pem", "other/.env", "x.key"]
        {
            let text = if file == "1" { "one\n" } else { "KEY=sekrit\nsekrit\n" };
            workspace.write(file, text);
        }
        for file in ["a.txt", "deep/a.txt", "other/a.txt"] {
            workspace.write(file, &format!("three 3\none 1\nin {file}\n"));
        }
        workspace.write("a.json", "{\"a\": [1, 2], \"env\": 3}\n");
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Whether a command runs without a question.
    async fn is_silent(&self, command: &str) -> bool {
        let judging = PolicySetup { root: &self.root, is_trusted: true, grants: Vec::new() };
        match judging.judge(command) {
            Some(plan) => toolbox().check_plan(&self.root, &plan).await.is_ok(),
            None => false,
        }
    }

    /// What a command prints that runs without a question.
    async fn run(&self, command: &str) -> String {
        let judging = PolicySetup { root: &self.root, is_trusted: true, grants: Vec::new() };
        let plan = judging.judge(command).unwrap_or_else(|| panic!("{command} asks"));
        match run_plan(&toolbox(), &self.root, command, plan).await {
            CallOutcome::Succeeded { result } => result.text,
            other => panic!("{command}: {other:?}"),
        }
    }

    /// Every file with its content.
    fn content(&self) -> BTreeSet<(PathBuf, Vec<u8>)> {
        let mut files = BTreeSet::new();
        let mut directories = vec![self.root.clone()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => directories.push(path),
                    false => drop(files.insert((path.clone(), std::fs::read(path).unwrap()))),
                }
            }
        }
        files
    }
}

/// What a program is told besides an option, so that it does something.
fn operands_of(tables: &ProgramTables, program: &str) -> Vec<String> {
    let written = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let required = tables.words(program, "required");
    if let Some(flag) = required.first() {
        return vec![flag.clone()];
    }
    match (tables.words(program, "operands").join("").as_str(), program) {
        (_, "jq") => written(&[". a.json", "a.txt"]),
        (_, "awk") => written(&["'{print}' a.txt"]),
        (_, "sed") => written(&["p a.txt", "a.txt"]),
        (_, "tr") => written(&["a b"]),
        (_, "seq") => written(&["3"]),
        (_, "numfmt" | "expr") => written(&["3"]),
        (_, "cmp" | "comm" | "join") => written(&["a.txt deep/a.txt"]),
        ("files", _) => written(&["a.txt"]),
        ("trees", _) => written(&["a.txt deep/a.txt", "deep other"]),
        ("pattern-files", _) => written(&["k a.txt", "-r k", "-r k deep other"]),
        ("pattern-trees", _) => written(&["k", "--hidden --no-ignore k deep other"]),
        ("entries", _) => written(&[".", "deep"]),
        ("text", _) => written(&["a.txt"]),
        _ => written(&[""]),
    }
}

/// A value for an option: `value`, where that can be one.
fn value_of(program: &str, name: &str, value: &str) -> String {
    match (program, name) {
        ("sed", _) => "p".to_owned(),
        _ => value.to_owned(),
    }
}

#[tokio::test]
async fn no_option_of_any_program_brings_a_secret_to_light() {
    let workspace = SecretsWorkspace::new();
    let before = workspace.content();
    let tables = ProgramTables::read();
    let (mut silent, mut asking) = (BTreeSet::new(), Vec::new());
    for program in tables.names().filter(|name| !name.starts_with("git ") && *name != "find") {
        if tables.is_copy(program) {
            continue;
        }
        for value in ["1", ".env", "k"] {
            for option in tables.options(program, |name| value_of(program, name, value)) {
                for operands in operands_of(&tables, program) {
                    let command = format!("{program} {option} {operands}");
                    match workspace.is_silent(&command).await {
                        true => drop(silent.insert(command)),
                        false => asking.push((program.to_owned(), option.clone())),
                    }
                }
            }
        }
    }
    let silent = Vec::from_iter(silent);
    assert!(silent.len() > 800, "{}", silent.len());
    for commands in silent.chunks(AT_ONCE) {
        let text = workspace.run(&commands.join("\n")).await;
        assert!(!text.contains(SECRET), "of {commands:#?}: {text}");
    }
    assert_eq!(workspace.content(), before, "something was changed");
    // Options that name a file ask for one that is protected, and not every machine has programs that only say their version.
    let is_expected =
        |program: &str, option: &str| option.contains(".env") || !tables.words(program, "required").is_empty();
    let unexpected: Vec<_> = asking.iter().filter(|(program, option)| !is_expected(program, option)).collect();
    assert_eq!(unexpected, Vec::<&(String, String)>::new(), "these ask whatever they are told");
}

fn is_installed(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|directory| directory.join(program).is_file())
}

#[tokio::test]
async fn a_search_leaves_out_secrets_and_says_so() {
    let workspace = SecretsWorkspace::new();
    for file in ["we[i]*rd.txt", "weXrd.pem.txt", "deep/weird.txt"] {
        workspace.write(file, "sekrit is not here\n");
    }
    for command in [
        "grep -rn sekrit .",
        "grep -R sekrit",
        "grep -r --include='*' --include=.env sekrit deep .",
        "egrep -rh sekrit .",
        "rg --no-heading sekrit",
        "rg -uu sekrit",
        "rg --hidden -g '*' -g .env -g '**/.env' sekrit",
        "diff -rN deep other",
    ] {
        // Not every machine has `rg`.
        if !is_installed(command.split(' ').next().unwrap()) {
            continue;
        }
        let text = workspace.run(command).await;
        assert!(!text.contains("KEY="), "{command}: {text}");
        assert!(text.contains("sekrit is not here"), "{command}: {text}");
        let told = text.lines().find(|line| line.starts_with("[Not searched, because their names are protected: "));
        let told = told.unwrap_or_else(|| panic!("{command}: {text}"));
        for left_out in ["deep/.aws", "deep/.env", "deep/id_rsa", "deep/we[i]*rd.pem"] {
            assert!(told.contains(left_out), "{command}: {told}");
        }
    }
    for command in ["grep -r sekrit .env", "grep sekrit .env", "rg sekrit deep/.aws", "rg x .env", "diff a.txt .env"] {
        assert!(!workspace.is_silent(command).await, "{command}");
    }
    // What is protected by where it lies cannot be left out by its name.
    workspace.write("deep/.docker/config.json", "sekrit\n");
    workspace.write("config.json", "{}\n");
    assert!(!workspace.is_silent("grep -r sekrit .").await);
}

#[tokio::test]
async fn names_of_files_are_never_options_or_lists_of_words() {
    let workspace = SecretsWorkspace::new();
    for file in ["-o", "@.env", "--files0-from=.env", "x=.env", "+%s"] {
        workspace.write(file, "fine\n");
    }
    for command in ["sort ./*", "md5sum *", "file *", "strings ./*", "awk '{print}' ./*", "diff -- -o +%s", "cat @.env"]
    {
        let silent = workspace.is_silent(command).await;
        assert!(!silent || !workspace.run(command).await.contains(SECRET), "{command}");
    }
    assert!(!workspace.is_silent("strings *").await && !workspace.is_silent("sort *").await);
}

/// Links may lead anywhere, and a comparison follows them.
#[tokio::test]
async fn a_link_is_not_followed_to_a_secret() {
    let workspace = SecretsWorkspace::new();
    std::os::unix::fs::symlink("../.env", workspace.root.join("other/link")).unwrap();
    std::fs::create_dir(workspace.root.join("third")).unwrap();
    workspace.write("third/link", "x\n");
    for command in
        ["diff other third", "diff -r other third", "grep -R sekrit other", "sort other/link", "jq . other/link"]
    {
        assert!(!workspace.is_silent(command).await, "{command}");
    }
    assert!(!workspace.run("grep -r sekrit other").await.contains("KEY="));
    assert!(!workspace.run("rg -uu sekrit other").await.contains("KEY="));
    assert!(!workspace.run("du -a other; tree other; file third/link").await.contains(SECRET));
}

impl SecretsWorkspace {
    /// What a command prints if its word at `place` is taken for `word` after it was judged: as if it had been misunderstood.
    async fn run_misunderstood(&self, command: &str, place: usize, word: &str) -> String {
        let judging = PolicySetup { root: &self.root, is_trusted: true, grants: Vec::new() };
        let mut plan = judging.judge(command).unwrap_or_else(|| panic!("{command} asks"));
        plan.pipelines[0].commands[0].words[place] = PlannedWord::text(word);
        match run_plan(&toolbox(), &self.root, command, plan).await {
            CallOutcome::Succeeded { result } => result.text,
            other => format!("{other:?}"),
        }
    }
}

/// Scripts of awk that hide what they do from whoever reads them in a hurry.
const HIDING_SCRIPTS: [&str; 6] = [
    "BEGIN{x=1getline<\".env\";print}",
    "BEGIN{x=1ENVIRON[\"HOME\"];print x}",
    "/[^]/]\"/ || (getline x < \".env\") > 0 {print x} #\"",
    "/[]/]\"/  || (getline x < \".env\") > 0 {print x} #\"",
    "/[[:alpha:]/]\"/ || (getline x < \".env\") > 0 {print x} #\"",
    "BEGIN{1system(\"id; cat .env\")}",
];

#[tokio::test]
async fn a_script_that_hides_what_it_does_asks_and_would_find_nothing() {
    let workspace = SecretsWorkspace::new();
    for script in HIDING_SCRIPTS {
        for before in ["", "timeout 5 "] {
            assert!(!workspace.is_silent(&format!("{before}awk '{script}' a.txt")).await, "{before}{script}");
            let text = workspace.run_misunderstood(&format!("{before}awk '{{print}}' a.txt"), 1, script).await;
            assert!(!text.contains(SECRET) && !text.contains("uid="), "{before}{script}: {text}");
        }
    }
    // What it was told of it reads.
    let text = workspace.run_misunderstood("awk '{print}' a.txt", 1, "BEGIN{getline x < \"a.txt\"; print x}").await;
    assert!(text.contains("three 3"), "{text}");
    // Whatever a program would do: the kernel knows what was judged.
    for (command, place, word) in [
        ("cat a.txt", 1, ".env"),
        ("ls .env", 0, "cat"),
        ("find deep/.env", 0, "cat"),
        ("stat .env", 0, "cat"),
        ("grep -r k other", 3, "deep"),
        ("diff -r other other", 2, "deep"),
        ("jq . a.json", 2, ".env"),
        ("seq .env", 0, "cat"),
    ] {
        let text = workspace.run_misunderstood(command, place, word).await;
        assert!(!text.contains(SECRET) && text.contains("denied"), "{command} with {word}: {text}");
    }
}

#[tokio::test]
async fn what_was_judged_is_read_all_the_same() {
    let workspace = SecretsWorkspace::new();
    std::os::unix::fs::symlink("a.txt", workspace.root.join("alias")).unwrap();
    std::os::unix::fs::symlink("deep", workspace.root.join("way")).unwrap();
    for (command, expected) in [
        ("cat alias", "three 3"),
        ("cat way/a.txt", "in deep/a.txt"),
        ("cat < way/a.txt", "in deep/a.txt"),
        ("sort <a.txt | head -n 1", "in a.txt"),
        ("cat ./*.txt", "in a.txt"),
        ("cd deep && cat a.txt ../other/a.txt", "in other/a.txt"),
        ("cat deep 2>&1", "Is a directory"),
        ("grep x deep 2>&1", "Is a directory"),
        ("cat missing 2>&1", "No such file"),
        ("ls way/", "a.txt"),
        ("ls -la deep | cat", "a.txt"),
        ("ls", "a.json"),
        ("ls -laR | cat", "a.json"),
        ("cd deep && ls -1", "a.txt"),
        ("du -a", "./deep/a.txt"),
        ("tree -a", "a.json"),
        ("find", "./deep/a.txt"),
        ("rg --files", "deep/a.txt"),
        ("grep -rl deep", "deep/a.txt"),
        ("find . -name 'a.t?t'", "./deep/a.txt"),
        ("find . -name a.txt -newer a.json -o -name other", "other"),
        ("stat -c %n deep/a.txt", "deep/a.txt"),
        ("du -a deep", "deep/a.txt"),
        ("realpath way", "/deep"),
        ("grep -rl deep .", "deep/a.txt"),
        ("grep -rl deep way/", "way/a.txt"),
        ("diff deep/a.txt other", "in other/a.txt"),
        ("diff a.txt way/a.txt", "in deep/a.txt"),
        ("sed -n '$p' a.txt alias", "in a.txt"),
        ("awk 'END {print NR / 3}' a.txt", "1"),
        ("timeout 5 awk '/^three/ {print $2}' a.txt", "3"),
        ("timeout 5 cat a.txt && timeout 5 grep -c e a.txt", "in a.txt"),
        ("timeout 5 find deep -name a.txt | timeout 5 wc -l", "1"),
        ("timeout 0.1 tail -n 1 a.txt | sort", "in a.txt"),
        ("which cat", "/cat"),
        ("egrep 'o|x' a.txt", "one 1"),
        ("md5sum a.txt | cut -c 1-3; wc -l < a.txt", "3"),
        ("file a.txt", "ASCII"),
        ("date -r a.txt +fine", "fine"),
        ("jq '.a[1]' a.json", "2"),
    ] {
        if !is_installed(command.split(' ').next().unwrap()) && !command.starts_with("cd ") {
            continue;
        }
        let text = workspace.run(command).await;
        assert!(text.contains(expected) && !text.contains("Permission denied"), "{command}: {text}");
    }
}
