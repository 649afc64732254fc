//! Programs that another one starts are judged as they would be alone.

use super::*;
use pollux_session::InnerCommand;
use pretty_assertions::assert_eq;

/// A plan of a command that a person allowed, in which the program at `at` is started by the one before it.
fn wrapped(test: &TestWorkspace, words: &[&str], at: usize) -> CommandPlan {
    let words: Vec<PlannedWord> = words.iter().map(|word| PlannedWord::text(*word)).collect();
    let mut plan = test.plan(&words, &[]);
    let outer = &mut plan.pipelines[0].commands[0];
    outer.authority = PlanAuthority::Person;
    outer.runs = vec![InnerCommand { at, command: PlannedCommand { words: words[at..].to_vec(), ..outer.clone() } }];
    plan
}

#[test]
fn a_program_behind_another_one_asks_as_it_does_alone() {
    let test = TestWorkspace::new();
    test.git(&["init", "-q", "."]);
    for file in ["payload/.vscode/tasks.json", "sub/id_rsa", "sub/plain"] {
        test.write(file, "x");
    }
    test.git(&["remote", "add", "evil", "./vendor/repo"]);
    test.write("plain.diff", "--- a/.envrc\n+++ b/.envrc\n@@ -0,0 +1 @@\n+x\n");
    let objection = |words: &[&str], at| test.resolve(&wrapped(&test, words, at)).err().unwrap_or_default();
    for (words, at) in [
        (&["env", "cp", "-a", "payload", "dst"][..], 1),
        (&["env", "patch", "-p1", "-i", "plain.diff"], 1),
        (&["env", "git", "apply", "plain.diff"], 1),
        (&["nice", "git", "log", "-p"], 1),
        (&["nice", "git", "push", "evil", "HEAD:y"], 1),
        (&["nice", "git", "checkout", "a.txt"], 1),
        (&["taskset", "-c", "0", "tar", "xf", "a.tar"], 3),
        (&["env", "-C", "sub", "git", "fetch"], 3),
        (&["env", "-C", "sub", "cat", "plain"], 3),
    ] {
        assert_ne!(objection(words, at), "", "{words:?}");
    }
    for (words, at) in
        [(&["nice", "git", "fetch"][..], 1), (&["env", "cp", "a.txt", "dst"], 1), (&["nice", "cat", "a.txt"], 1)]
    {
        assert_eq!(objection(words, at), "", "{words:?}");
    }
}

#[test]
fn a_program_behind_another_one_is_told_what_it_is_told_alone() {
    let test = TestWorkspace::new();
    test.git(&["init", "-q", "."]);
    test.write(".env", "API=1\n");
    let told = |words: &[&str], at| -> Vec<String> {
        let RunnableAction::Program(program) = action(&test, &wrapped(&test, words, at)).unwrap() else {
            panic!("no program")
        };
        program.words.iter().map(|word| word.literal().unwrap().to_string_lossy().into_owned()).collect()
    };
    let fetched = ["nice", "-n", "5", "git", "-c", "safe.bareRepository=explicit", "fetch"];
    assert_eq!(told(&["nice", "-n", "5", "git", "fetch"], 3), fetched);
    // What a search leaves out is known only of one that is understood.
    let why = test.resolve(&wrapped(&test, &["nice", "grep", "-r", "API", "."], 1)).unwrap_err();
    assert!(why.ends_with(".env is protected: it holds environment variables with secrets"), "{why}");
    let mut plan = wrapped(&test, &["nice", "grep", "-r", "API", "."], 1);
    plan.pipelines[0].commands[0].runs[0].command.reads =
        vec![PlannedRead { path: PlannedWord::text("."), kind: ReadKind::Tree, word: Some(3) }];
    let RunnableAction::Program(program) = action(&test, &plan).unwrap() else { panic!("no program") };
    let words: Vec<_> = program.words.iter().filter_map(|word| word.literal()?.to_str()).collect();
    assert_eq!(words[..2], ["nice", "grep"]);
    assert!(words.contains(&"--exclude=.env") && words.ends_with(&["--exclude=.env"]), "{words:?}");
}
