//! Shell commands. What is allowed without a rule of a person's own has a plan that only looks. Its words are those that a
//! shell would read, every file that it names is checked, and the plan, written down and read again, is the same plan.

#![no_main]

#[path = "judging.rs"]
mod judging;

use judging::{MAX_BYTES, WORKSPACE, commands_of, judge, literals};
use pollux_policy::{PolicyDecision, PolicyJudgement};
use pollux_session::{
    ApprovalMode, CommandPlan, PlannedCommand, PlannedRedirection, PlannedWord, ReadKind, RunCondition,
};

/// Everything that may run without a question. Written down a second time, so that a slip in the rules is seen.
#[rustfmt::skip]
const SILENT: [&str; 78] = [
    ":", "[", "awk", "b2sum", "base64", "basename", "cargo", "cat", "cmp", "column", "comm", "command", "cut", "date", "df",
    "diff", "dirname", "du", "echo", "egrep", "expr", "false", "fgrep", "file", "find", "fold", "gawk", "gcc", "git", "grep",
    "head", "hexdump", "hostname", "id", "join", "jq", "ls", "make", "mawk", "md5sum", "nl", "node", "nproc", "numfmt", "od",
    "paste", "printf", "pwd", "python", "python3", "readlink", "realpath", "rev", "rg", "rustc", "sed", "seq", "sha1sum",
    "sha224sum", "sha256sum", "sha384sum", "sha512sum", "sort", "stat", "strings", "tac", "tail", "test", "tr", "tree",
    "true", "type", "uname", "uniq", "wc", "which", "whoami", "xxd",
];

/// Options with which a program writes, runs another one, follows links, or never ends.
#[rustfmt::skip]
const FORBIDDEN: [(&str, &[&str]); 25] = [
    (
        "find",
        &[
            "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf", "-files0-from", "-L",
            "-H", "-follow",
        ],
    ),
    ("rg", &["--pre", "--pre-glob", "--hostname-bin", "--search-zip", "-z", "-L", "--follow", "--hyperlink-format", "--ignore-file"]),
    (
        "git",
        &[
            "--output", "--ext-diff", "--textconv", "--exec", "--upload-pack", "--no-index", "--git-dir", "--work-tree",
            "--exec-path", "--config-env", "--show-signature", "-O", "-D", "--delete", "--force", "--edit-description",
            "--set-upstream-to", "--paginate", "--contents", "--ignore-revs-file", "--open-files-in-pager", "--recurse-submodules",
            "--dirty", "--broken", "--stdin", "--literal-pathspecs", "--remerge-diff",
        ],
    ),
    ("git branch", &["-d", "-f", "-m", "-c", "-u", "-t"]),
    ("git tag", &["-d", "-f", "-a", "-s", "-m", "-F", "-u", "-v"]),
    ("sed", &["-i", "-f", "--in-place", "--file"]),
    ("awk", &["-f", "--file", "-E", "--exec", "-i", "--include", "-l", "--load"]),
    ("jq", &["-f", "--from-file", "-L", "--args", "--jsonargs", "--argfile"]),
    ("sort", &["-o", "--output", "-T", "--temporary-directory", "--compress-program", "--files0-from", "--random-source"]),
    ("diff", &["-l", "--paginate", "-X", "--exclude-from", "--from-file", "--to-file", "-S", "--starting-file"]),
    ("du", &["-L", "--dereference", "-D", "-H", "-X", "--exclude-from", "--files0-from"]),
    ("date", &["-s", "--set", "-f", "--file"]),
    ("file", &["-f", "-m", "-C", "-z", "-Z", "-S", "-p", "--files-from", "--magic-file", "--compile", "--uncompress"]),
    ("xxd", &["-r", "-revert"]),
    ("hexdump", &["-f", "--format-file"]),
    ("hostname", &["-F", "--file", "-b", "--boot"]),
    ("tree", &["-o", "-R", "-l", "-H", "-T", "--fromfile", "--fromtabfile", "--gitfile", "--infofile"]),
    ("md5sum", &["-c", "--check"]),
    ("sha256sum", &["-c", "--check"]),
    ("grep", &["-d", "-D", "--directories", "--devices"]),
    ("tail", &["-f", "-F", "--follow", "--retry", "--pid"]),
    ("wc", &["--files0-from"]),
    ("ls", &["-L", "--dereference"]),
    ("stat", &["-L", "--dereference"]),
    ("uniq", &["--group"]),
];

/// Programs whose operands are files of which they print the content.
#[rustfmt::skip]
const PRINTERS: [&str; 23] = [
    "base64", "cat", "cmp", "column", "comm", "cut", "file", "fold", "head", "hexdump", "join", "md5sum", "nl", "od", "paste",
    "rev", "sha256sum", "sort", "strings", "tac", "tail", "uniq", "wc",
];
/// Programs whose operands are files of which they print names and metadata.
const LISTERS: [&str; 6] = ["du", "ls", "readlink", "realpath", "stat", "tree"];
/// Programs whose first operand may be what they look for, or what they do.
const SEARCHERS: [&str; 8] = ["awk", "egrep", "fgrep", "gawk", "grep", "mawk", "rg", "sed"];
/// Programs for which the first operand ends the options.
const FIRST_OPERAND_ENDS: [&str; 4] = ["awk", "gawk", "mawk", "xxd"];
/// Commands of git's of which the next word is a part.
const IN_TWO_WORDS: [&str; 3] = ["remote", "stash", "worktree"];
/// Programs whose operands may be whole directories.
const COMPARERS: [&str; 1] = ["diff"];
/// Git's own options, which may stand before its command.
const BEFORE_COMMAND: [&str; 4] = ["--no-optional-locks", "--no-pager", "-C", "-P"];

libfuzzer_sys::fuzz_target!(|command: &str| {
    let default = check_in(command, ApprovalMode::Default, true);
    let untrusted = check_in(command, ApprovalMode::Default, false);
    // Some commands that only look ask in default mode, because they could be what a firm rule speaks of.
    let planning = check_in(command, ApprovalMode::Plan, true);
    assert_eq!(default, check_in(command, ApprovalMode::AutoEdit, true), "{command:?}");
    if let Some(default) = default {
        assert_eq!(planning.as_ref(), Some(&default), "{command:?}");
        let uses_git = commands_of(&default).any(|planned| planned.words[0] == PlannedWord::text("git"));
        assert_eq!(untrusted.is_none(), uses_git, "{command:?}");
        assert!(untrusted.is_none_or(|untrusted| untrusted.pipelines == default.pipelines && !untrusted.trusted));
        check_words(command, &default);
        check_written(command, &default);
    } else {
        assert_eq!(untrusted, None, "{command:?}");
    }
});

/// The plan of a command that is allowed.
fn check_in(command: &str, mode: ApprovalMode, trusted: bool) -> Option<CommandPlan> {
    let PolicyJudgement { verdict, plan, .. } = judge(command, mode, trusted);
    if verdict != PolicyDecision::Allow {
        assert_eq!(plan, None, "only what is allowed has a plan");
        return None;
    }
    let plan = plan.expect("nothing runs in a shell without a person");
    assert!(plan.only_reads(), "{command:?}");
    for planned in commands_of(&plan) {
        check_command(planned);
    }
    Some(plan)
}

/// It is a program that only looks, with no option of which we know better, and each file it names is judged.
fn check_command(planned: &PlannedCommand) {
    let shown = planned.to_string();
    let name = planned.words[0].literal().expect("the program is fixed");
    assert!(SILENT.contains(&name), "{shown}");
    let is_read =
        |word: &PlannedWord, kind: ReadKind| planned.reads.iter().any(|read| read.path == *word && read.kind == kind);
    for redirection in &planned.redirections {
        if let PlannedRedirection::InputFrom(path) = redirection {
            assert!(path.literal() == Some("/dev/null") || is_read(path, ReadKind::File), "{shown}");
        }
    }
    let command_at = command_place(planned);
    let command = planned.words.get(command_at).map(PlannedWord::unquoted).unwrap_or_default();
    let of_git = format!("git {command}");
    let speaks_of = |program: &str| program == name || (name == "git" && program == of_git);
    let is_forbidden =
        |option: &str| FORBIDDEN.iter().any(|(program, options)| speaks_of(program) && options.contains(&option));
    let is_dashed = |word: &PlannedWord| word.unquoted().starts_with('-') && word.literal() != Some("-");
    // Options end at `--` for all of them but `find`.
    let end = match name {
        "find" => planned.words.len(),
        _ => planned.words.iter().position(|word| word.literal() == Some("--")).unwrap_or(planned.words.len()),
    };
    // Behind an option it may be that option's value.
    if end < planned.words.len() && is_dashed(&planned.words[end - 1]) {
        return;
    }
    let is_recursive = planned.words[..end].iter().any(|word| matches!(word.literal(), Some("-r" | "--recursive")));
    let mut operands = 0;
    for (at, word) in planned.words.iter().enumerate().skip(1) {
        let is_value = at > 1 && at < end && is_dashed(&planned.words[at - 1]);
        if at == end || is_value {
            continue;
        }
        let has_ended = at > end || (FIRST_OPERAND_ENDS.contains(&name) && operands > 0);
        if !has_ended && is_dashed(word) {
            let text = word.unquoted();
            let option = text.split('=').next().unwrap_or(&text);
            assert!(!is_forbidden(option) || (name == "git" && at < command_at), "{shown}");
            assert!(!(name == "git" && option.starts_with("--") && text.contains("%G")), "{shown}");
            continue;
        }
        operands += 1;
        if word.literal() == Some("-") {
            continue;
        }
        let is_judged = match name {
            _ if PRINTERS.contains(&name) => is_read(word, ReadKind::File),
            _ if LISTERS.contains(&name) => is_read(word, ReadKind::Entry),
            _ if SEARCHERS.contains(&name) && operands == 1 => true,
            _ if COMPARERS.contains(&name) => is_read(word, ReadKind::Tree),
            "egrep" | "fgrep" | "grep" if !is_recursive => {
                is_read(word, ReadKind::File) || is_read(word, ReadKind::Tree)
            }
            "egrep" | "fgrep" | "grep" | "rg" => is_read(word, ReadKind::Tree),
            "awk" | "gawk" | "mawk" | "sed" | "xxd" => is_read(word, ReadKind::File),
            "git" if at == command_at => true,
            "git" if at == command_at + 1 && IN_TWO_WORDS.contains(&command.as_str()) => true,
            // What it looks for.
            "git" if command == "grep" && operands == 2 => true,
            "git" => is_read(word, ReadKind::Repository) || is_read(word, ReadKind::RepositoryContent),
            _ => true,
        };
        assert!(is_judged, "{shown}: {word}");
    }
    if ["uniq", "base64", "xxd"].contains(&name) {
        assert!(operands <= 1, "{shown}");
    }
}

/// Where the command of git's stands, behind git's own options.
fn command_place(planned: &PlannedCommand) -> usize {
    let mut at = 1;
    while let Some(word) = planned.words.get(at).and_then(PlannedWord::literal)
        && BEFORE_COMMAND.contains(&word)
    {
        at += if word == "-C" { 2 } else { 1 };
    }
    at
}

/// The words are those that another reader of shell text sees.
fn check_words(command: &str, plan: &CommandPlan) {
    let mut commands = commands_of(plan);
    if let (Some(only), None) = (commands.next(), commands.next())
        && plan.directory == WORKSPACE
        && only.variables.is_empty()
        && only.timeout.is_none()
        && only.redirections.is_empty()
        && let Some(words) = literals(&only.words)
        && !command.trim_end().ends_with(';')
        && let read = shlex::split(command).unwrap_or_default()
        && read.first().is_none_or(|first| first != "cd")
    {
        assert_eq!(read, words, "{command:?}");
    }
    for planned in commands_of(plan) {
        let Some(words) = literals(&planned.words) else { continue };
        let bare = PlannedCommand { variables: Vec::new(), timeout: None, redirections: Vec::new(), ..planned.clone() };
        assert_eq!(shlex::split(&bare.to_string()).unwrap_or_default(), words, "{bare}");
    }
}

/// The plan survives being shown and being recorded.
fn check_written(command: &str, plan: &CommandPlan) {
    let recorded = serde_json::to_string(plan).expect("a plan is recorded");
    assert_eq!(serde_json::from_str::<CommandPlan>(&recorded).expect("a recorded plan is read"), *plan, "{recorded}");
    let written = on_one_line(plan);
    // Quotes can make it too long to be read again, and a backslash at a line's end always asks.
    if written.len() > MAX_BYTES || written.contains("\\\n") {
        return;
    }
    let again = judge(&written, ApprovalMode::Default, true);
    if let Some(again) = again.plan {
        assert_eq!(again.pipelines, plan.pipelines, "{written:?}");
        return;
    }
    // The other reader of shell text takes some odd words for another command, which a firm rule may speak of.
    let planned = commands_of(plan).count();
    let as_planned = again.findings.iter().take(planned).all(|finding| finding.decision == PolicyDecision::Allow);
    assert!(
        as_planned && again.findings.len() > planned,
        "{command:?} is allowed and {written:?} is not: {}",
        again.why
    );
}

/// As a shell could read it. For people a plan has a line for each pipeline, and each line begins with its condition.
fn on_one_line(plan: &CommandPlan) -> String {
    let mut line = String::new();
    for (at, pipeline) in plan.pipelines.iter().enumerate() {
        line.push_str(match pipeline.condition {
            RunCondition::Always if at == 0 => "",
            RunCondition::Always => "; ",
            RunCondition::AfterSuccess => " && ",
            RunCondition::AfterFailure => " || ",
        });
        let commands: Vec<String> = pipeline.commands.iter().map(PlannedCommand::to_string).collect();
        line.push_str(&commands.join(" | "));
    }
    line
}
