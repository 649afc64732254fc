//! Grants: what a person allowed for one command covers another one only in the same directory, and only without words
//! that can run a program, unless the first command showed them. The two commands are split at a line of their own.

#![no_main]

#[path = "judging.rs"]
mod judging;

use judging::{WORKSPACE, commands_of, grants_for, judge, judge_as, judge_granted, literals};
use pollux_policy::{Policy, PolicyDecision, RuleTier, ToolPermissions};
use pollux_session::{ApprovalMode, CommandPlan, Grant, PlanAuthority};
use std::path::Path;
use std::sync::LazyLock;
use toml_edit::DocumentMut;

/// Options that make some program run another one.
#[rustfmt::skip]
const DANGEROUS: [&str; 28] = [
    "--upload-pack", "--receive-pack", "--exec", "--config", "--config-env", "-c", "-e", "--eval", "--require", "--script-shell",
    "-exec", "-toolexec", "-vettool", "--init-file", "--init-script", "-I", "--file", "-f", "--makefile", "-C", "--directory",
    "--plugin", "--rcfile", "--ext-diff", "--output", "--preload", "--globalSetup", "-P",
];

/// Programs and commands for which one of those letters means something harmless, and built_in.toml says so.
#[rustfmt::skip]
const HARMLESS_LETTERS: [&str; 18] = [
    "switch", "rspec", "dotnet", "touch", "prettier", "mvn", "pytest", "composer", "gradle", "add", "fetch", "log", "diff",
    "show", "status", "test", "commit", "stash",
];

/// Programs for which `@` begins the name of a package, or of a branch.
const AT_IS_A_PACKAGE: [&str; 6] = ["bun", "deno", "git", "npm", "pnpm", "yarn"];

/// Beginnings of commands, and the options that are listed as harmless for them.
static HARMLESS: LazyLock<Vec<(Vec<String>, Vec<String>)>> = LazyLock::new(|| {
    let split =
        |text: &str| text.split_whitespace().map(|word| word.trim_end_matches('=').to_owned()).collect::<Vec<_>>();
    let built_in: DocumentMut = include_str!("../../crates/policy/src/built_in.toml").parse().expect("built_in.toml");
    let programs: DocumentMut = include_str!("../../crates/policy/src/programs.toml").parse().expect("programs.toml");
    let listed = built_in["shell"]["harmlessOptions"].as_table().expect("a table").iter();
    let mut harmless: Vec<_> =
        listed.map(|(words, options)| (split(words), split(options.as_str().unwrap_or_default()))).collect();
    for (words, table) in &*programs {
        for key in ["flags", "texts", "recursive"] {
            let options = table.get(key).and_then(|item| item.as_str()).unwrap_or_default();
            harmless.push((split(words), split(options)));
        }
    }
    harmless
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Some((shown, wanted)) = text.split_once("\n--\n") else { return };
    let is_silent = judge(wanted, ApprovalMode::Default, true).verdict == PolicyDecision::Allow;
    for grant in grants_for(shown) {
        let shown_plan = judge_granted(shown, WORKSPACE, &grant).plan;
        for directory in [WORKSPACE, "/ws/sub"] {
            let judgement = judge_granted(wanted, directory, &grant);
            let kept = judge_as(&kept(&grant), wanted, directory, |request| request);
            assert!(kept.verdict >= judgement.verdict, "kept, {grant} allows {wanted:?}");
            if judgement.verdict != PolicyDecision::Allow || is_silent {
                continue;
            }
            let Grant::Prefix { words, .. } = &grant else {
                assert_eq!((shown, WORKSPACE), (wanted, directory), "{grant}");
                continue;
            };
            let plan = judgement.plan.expect("a beginning never allows a shell");
            let shown_plan = shown_plan.as_ref().expect("what was shown is allowed now");
            assert_eq!(plan.directory, shown_plan.directory, "{grant}: {wanted:?}");
            check(&plan, words, shown_plan);
        }
    }
});

/// What a kept grant says when it is read again.
fn kept(grant: &Grant) -> Policy {
    let mut table = toml_edit::Table::new();
    table["toolName"] = toml_edit::value("run_shell_command");
    match grant {
        Grant::Command { command, .. } => table["command"] = toml_edit::value(command),
        Grant::Prefix { words, options, .. } => {
            table["commandPrefix"] = toml_edit::value(words.join(" "));
            table["options"] = toml_edit::value(options.iter().map(String::as_str).collect::<toml_edit::Array>());
        }
        other => panic!("{other} is nothing that a shell command offers"),
    }
    if let Grant::Command { directory, .. } | Grant::Prefix { directory, .. } = grant {
        table["directory"] = toml_edit::value(directory.as_deref().expect("a grant has a directory"));
    }
    table["decision"] = toml_edit::value("allow");
    table["priority"] = toml_edit::value(0);
    let mut rules = toml_edit::ArrayOfTables::new();
    rules.push(table);
    let mut document = DocumentMut::new();
    document["rule"] = toml_edit::Item::ArrayOfTables(rules);
    let files = [("auto-saved.toml".into(), RuleTier::User, Ok(document.to_string()))];
    let policy = Policy::new(&files, Some(Path::new(WORKSPACE)), &ToolPermissions::default());
    assert_eq!(policy.problems(), [], "{document}");
    policy
}

/// No word of a command that a person's grant allows can make its program run another one.
fn check(plan: &CommandPlan, prefix: &[String], shown: &CommandPlan) {
    let shown: Vec<Vec<&str>> = commands_of(shown).filter_map(|command| literals(&command.words)).collect();
    for command in commands_of(plan).filter(|command| command.authority == PlanAuthority::Person) {
        let words = literals(&command.words).expect("no pattern is covered");
        assert!(
            words.len() >= prefix.len() && words.iter().zip(prefix).all(|(word, wanted)| word == wanted),
            "{command}"
        );
        let program = words[0];
        for (at, word) in words.iter().enumerate().skip(prefix.len()) {
            let next = words.get(at + 1).filter(|next| !is_special(program, next));
            // The person has seen it, and what stands behind it.
            let is_shown = shown.iter().any(|shown| {
                let mut places = shown.iter().enumerate().filter(|(_, there)| *there == word);
                places.any(|(place, _)| next.is_none() || shown.get(place + 1) == next)
            });
            if is_shown || *word == "--" {
                continue;
            }
            let path = Path::new(word);
            let goes_out =
                word.split('/').any(|part| part == "..") || (path.is_absolute() && !path.starts_with(WORKSPACE));
            let is_option = is_special(program, word);
            assert!(is_option || !goes_out, "{command}: {word} was not shown");
            assert!(!is_option || is_harmless(&words, word), "{command}: {word} was not shown");
            assert!(program != "git" || words[1] == "commit" || !word.contains("::"), "{command}");
            let name = word.split('=').next().unwrap_or(word);
            let is_listed = words.iter().any(|word| HARMLESS_LETTERS.contains(word));
            assert!(!DANGEROUS.contains(&name) || is_listed, "{command}: {word} was not shown");
            assert!(!(program == "git" && word.starts_with("--") && word.contains("%G")), "{command} runs gpg.program");
        }
    }
}

/// Whether a program can take a word for something else than an operand.
fn is_special(program: &str, word: &str) -> bool {
    let is_dashed = word.starts_with(['-', '+']) && word != "-";
    let is_setting = program != "git" && word.contains('=');
    is_dashed || is_setting || (word.starts_with('@') && !AT_IS_A_PACKAGE.contains(&program))
}

fn is_harmless(words: &[&str], option: &str) -> bool {
    let fits = |beginning: &[String]| {
        beginning.iter().zip(words).all(|(wanted, word)| wanted == word) && beginning.len() <= words.len()
    };
    let fitting: Vec<&String> =
        HARMLESS.iter().filter(|(words, _)| fits(words)).flat_map(|(_, options)| options).collect();
    let is_listed = |name: &str| name.starts_with('-') && fitting.iter().any(|option| *option == name);
    let letters = option.trim_start_matches('-').trim_end_matches(|char: char| char.is_ascii_digit());
    let is_cluster = !option.starts_with("--") && !letters.is_empty();
    is_listed(option.split('=').next().unwrap_or(option))
        || (is_cluster && letters.chars().all(|letter| is_listed(&format!("-{letter}"))))
}
