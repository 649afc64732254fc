//! Plans with real programs: they do what bash would have done, and the confined ones only read.

mod confined;

use super::*;
use crate::built_in::run_shell_command::ShellStreams;
use crate::process::{EnvironmentRules, ProcessOutput, ShellInput, start_plan, start_shell};
use pretty_assertions::assert_eq;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The output and the exit code.
pub(super) type PlanOutcome = (String, Option<i32>);

async fn finish(mut running: crate::process::RunningProcess) -> PlanOutcome {
    let (mut printed, mut buffer) = (Vec::new(), vec![0; 65_536]);
    while let Ok(len @ 1..) = running.output.read(&mut buffer).await {
        printed.extend_from_slice(&buffer[..len]);
    }
    let status = running.group.wait().await.unwrap();
    (String::from_utf8_lossy(&printed).into_owned(), status.code())
}

pub(super) async fn run(plan: RunnablePlan) -> PlanOutcome {
    finish(start_plan(plan, ShellStreams::Pipes).await.unwrap()).await
}

/// A directory with a few files.
pub(super) fn files() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    std::fs::write(at("a.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(at("empty"), "").unwrap();
    std::fs::create_dir(at("sub")).unwrap();
    std::os::unix::fs::symlink("a.txt", at("link")).unwrap();
    for (name, text) in [("script", "#!/bin/sh\necho script $1\nexit 7\n"), ("headless", "echo from a shell\n")] {
        std::fs::write(at(name), text).unwrap();
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    place
}

/// Read a simple command line: words in quotes or not, `$?`, pipes, joints and redirections between blanks.
pub(super) fn plan(line: &str, directory: &Path, confined: bool) -> RunnablePlan {
    let mut pipelines = vec![];
    let (mut condition, mut commands, mut words, mut redirections) = (RunCondition::Always, vec![], vec![], vec![]);
    let mut tokens = split(line).into_iter();
    loop {
        let token = tokens.next();
        let end = token.as_deref().unwrap_or(";");
        let redirection = match end {
            "2>&1" => Some(RunnableRedirection::ErrorsToOutput),
            "1>&2" => Some(RunnableRedirection::OutputToErrors),
            ">/dev/null" => Some(RunnableRedirection::OutputToNull),
            "2>/dev/null" => Some(RunnableRedirection::ErrorsToNull),
            "&>/dev/null" => Some(RunnableRedirection::BothToNull),
            "</dev/null" => Some(RunnableRedirection::InputFromNull),
            file if file.starts_with('<') => {
                Some(RunnableRedirection::InputFrom { path: directory.join(&file[1..]).into() })
            }
            _ => None,
        };
        if let Some(redirection) = redirection {
            redirections.push(redirection);
        } else if ["|", ";", "&&", "||"].contains(&end) {
            let action = action(&std::mem::take(&mut words), directory, confined);
            commands.push(RunnableCommand { action, redirections: std::mem::take(&mut redirections) });
            if end != "|" {
                pipelines.push(RunnablePipeline { condition, commands: std::mem::take(&mut commands) });
            }
            condition = match end {
                "&&" => RunCondition::AfterSuccess,
                "||" => RunCondition::AfterFailure,
                ";" => RunCondition::Always,
                _ => condition,
            };
        } else {
            words.push(end.to_owned());
        }
        if token.is_none() {
            return RunnablePlan { directory: directory.into(), pipelines };
        }
    }
}

fn split(line: &str) -> Vec<String> {
    let mut tokens = vec![];
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            tokens.push(part.to_owned());
        } else {
            tokens.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    tokens
}

fn word(text: &str) -> RunnableWord {
    let mut pieces = vec![];
    for (index, text) in text.split("$?").enumerate() {
        if index > 0 {
            pieces.push(RunnablePiece::ExitCode);
        }
        pieces.push(RunnablePiece::Text(text.into()));
    }
    RunnableWord(pieces)
}

fn action(words: &[String], directory: &Path, confined: bool) -> RunnableAction {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let test = |op: &str, operand: &str| RunnableAction::Test { test: unary(op), operand: word(operand) };
    let found =
        |name: &str, answer| RunnableAction::FindProgram { name: word(name), search_path: SEARCH_PATH.into(), answer };
    match words.as_slice() {
        ["echo", "-n", rest @ ..] => {
            RunnableAction::Echo { words: rest.iter().map(|text| word(text)).collect(), newline: false }
        }
        ["echo", rest @ ..] => {
            RunnableAction::Echo { words: rest.iter().map(|text| word(text)).collect(), newline: true }
        }
        ["pwd"] => RunnableAction::PrintDirectory,
        ["true" | ":"] => RunnableAction::Exit(0),
        ["false"] => RunnableAction::Exit(1),
        ["command", "-v", name] => found(name, FoundProgramAnswer::Path),
        ["type", name] => found(name, FoundProgramAnswer::Sentence),
        ["printf", format, rest @ ..] => {
            RunnableAction::Printf { format: (*format).to_owned(), words: rest.iter().map(|text| word(text)).collect() }
        }
        ["test", op, operand] | ["[", op, operand, "]"] => test(op, operand),
        ["timeout", limit, inner @ ..] => {
            let inner: Vec<String> = inner.iter().map(|word| (*word).to_owned()).collect();
            let mut action = action(&inner, directory, confined);
            if let RunnableAction::Program(program) = &mut action {
                program.time_limit = Some(std::time::Duration::from_secs_f64(limit.parse().unwrap()));
            }
            action
        }
        [name, ..] => match find(name, directory) {
            Some(file) => RunnableAction::Program(RunnableProgram {
                file: file.into(),
                words: words.iter().map(|text| word(text)).collect(),
                environment: vec![("PATH".into(), SEARCH_PATH.into()), ("LC_ALL".into(), "C".into())],
                time_limit: None,
                confined,
                starts_others: true,
                readable: ReadablePaths { directories: vec![directory.into()], ..ReadablePaths::default() },
            }),
            None => RunnableAction::NotFound { name: name.into() },
        },
        [] => panic!("a command without words"),
    }
}

fn find(name: &str, directory: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(directory.join(name));
    }
    std::env::split_paths(SEARCH_PATH).map(|place| place.join(name)).find(|file| file.exists())
}

fn unary(op: &str) -> UnaryTest {
    match op {
        "-d" => UnaryTest::IsDirectory,
        "-e" => UnaryTest::Exists,
        "-f" => UnaryTest::IsFile,
        "-h" | "-L" => UnaryTest::IsSymbolicLink,
        "-r" => UnaryTest::IsReadable,
        "-s" => UnaryTest::HasContent,
        "-w" => UnaryTest::IsWritable,
        "-x" => UnaryTest::IsExecutable,
        "-n" => UnaryTest::IsNotEmpty,
        "-z" => UnaryTest::IsEmpty,
        other => panic!("{other} is no test"),
    }
}

const COMMANDS: &[&str] = &[
    "echo hello   world",
    "echo -n x",
    "echo",
    "echo 'a  b' '' '\\n'",
    "pwd",
    "true",
    "false",
    ":",
    "false ; echo $?",
    "false && echo no",
    "false || echo yes",
    "true && echo yes || echo no",
    "true || echo no && echo yes",
    "false && echo a ; echo b",
    "false || false || echo third",
    "cat a.txt",
    "cat missing",
    "cat missing 2>/dev/null",
    "cat missing 2>/dev/null || echo code$?code",
    "cat missing 2>&1 | wc -l",
    "cat missing | wc -l",
    "cat a.txt | grep t | wc -l",
    "false | true",
    "true | false",
    "ls missing a.txt",
    "ls missing a.txt >/dev/null",
    "ls missing a.txt 2>/dev/null",
    "ls missing a.txt &>/dev/null",
    "echo shown 1>&2 2>/dev/null",
    "echo hidden 2>/dev/null 1>&2",
    "cat a.txt 1>&2 | true",
    "cat",
    "cat </dev/null",
    "cat <a.txt",
    "wc -l <a.txt | cat",
    "cat <missing-file",
    "true <missing-file ; echo $?",
    "yes | head -n 2",
    "head -c 300000 /dev/zero | wc -c",
    "echo a | cat | cat | cat",
    "echo first | true",
    "cat a.txt | echo not read",
    "test -d sub",
    "test -d a.txt",
    "[ -f a.txt ] && echo file",
    "test -e missing || echo missing",
    "test -s empty ; echo $?",
    "test -s a.txt ; echo $?",
    "test -h link && echo link",
    "test -L a.txt || echo no link",
    "test -x script && echo program",
    "test -x a.txt ; echo $?",
    "test -r a.txt && echo readable",
    "test -w a.txt && echo writable",
    "test -n '' ; echo $?",
    "test -z '' ; echo $?",
    "test -n $?",
    "test -e '' ; echo $?",
    "command -v ls",
    "command -v nothing-of-this-name ; echo $?",
    "type ls",
    "type nothing-of-this-name ; echo $?",
    r"printf 'a\tb\n'",
    r"printf '%s\n' a 'b c' ''",
    r"printf '%s-%s|' a b c",
    r"printf '%s' ; echo ; printf '%s|%s\n'",
    r"printf 'é%%\\\n' unused",
    r"false ; printf 'code %s\n' $?",
    r"printf '' a",
    "nothing-of-this-name",
    "nothing-of-this-name 2>/dev/null ; echo $?",
    "nothing-of-this-name 2>&1 | wc -l",
    "./script one",
    "./script one ; echo $? then",
    "./a.txt",
    "./sub",
    "./missing",
    "timeout 5 /bin/echo in time",
    "timeout 0.2 sleep 30",
    "timeout 0.2 sleep 30 || echo late $?",
    "timeout 0.2 sh -c 'trap \"exit 3\" TERM; while :; do :; done'",
    "timeout 0.2 sh -c 'sleep 30; echo never'",
    "timeout 0.2 sh -c 'trap \"\" TERM; sleep 0.5; echo went on'",
    "timeout 0.2 sh -c 'kill -STOP $$; echo never'",
    "timeout 5 sh -c 'exit 3'",
    "timeout 0.2 sh -c 'trap \"kill -9 $$\" TERM; while :; do :; done'",
    "timeout 0.2 yes | tail -n 1",
    "yes | timeout 0.2 sleep 30",
    "timeout 0.2 sleep 30 | timeout 0.3 sleep 30",
    "timeout 0.3 sleep 30 | timeout 0.1 sleep 30 ; echo $?",
    "head -c 300000 /dev/zero | timeout 0.2 sleep 30",
    "printf '%s' a b | timeout 0.2 cat",
    "sh -c 'exit 3'",
    "sh -c 'kill -PIPE $$' ; echo $?",
    "env | sort | head -n 0",
    "sh -c 'echo $0 $1' name one",
];

#[tokio::test]
async fn a_plan_does_what_bash_does() {
    let place = files();
    let directory = place.path().canonicalize().unwrap();
    for line in COMMANDS {
        let bash = format!("export LC_ALL=C PATH={SEARCH_PATH}; {line}");
        let bash =
            start_shell(&bash, &directory, EnvironmentRules::default(), (ShellStreams::Pipes, ShellInput::Nothing))
                .await;
        let (expected, code) = finish(bash.unwrap()).await;
        let shown = directory.display().to_string();
        // Bash says who complains, and names files as they were written; both is told by the words around it.
        let expected = expected.replace("/bin/bash: line 1: ", "").replace(&format!("{shown}/missing"), "missing");
        let (printed, planned_code) = run(plan(line, &directory, false)).await;
        let printed = printed.replace(&format!("{shown}/missing"), "missing");
        assert_eq!((printed, planned_code), (expected, code), "{line}");
    }
}

#[tokio::test]
async fn a_program_that_a_signal_ends_has_the_code_of_a_shell() {
    let place = files();
    for (line, code) in [
        ("sh -c 'kill -9 $$'", 137),
        ("timeout 5 sh -c 'kill -9 $$'", 137),
        ("sh -c 'kill -TERM $$' | cat", 0),
        ("sh -c 'kill -INT $$'", 130),
    ] {
        assert_eq!(run(plan(line, place.path(), false)).await, (String::new(), Some(code)), "{line}");
    }
}

#[tokio::test]
async fn a_file_that_only_a_shell_could_run_is_not_run() {
    let place = files();
    for confined in [false, true] {
        let (printed, code) = run(plan("./headless", place.path(), confined)).await;
        assert_eq!((printed.as_str(), code), ("./headless: Exec format error\n", Some(126)));
    }
}

#[tokio::test]
async fn words_need_not_be_text() {
    use std::os::unix::ffi::OsStringExt;
    let place = files();
    let name = OsString::from_vec(b"caf\xe9".to_vec());
    std::fs::write(place.path().join(&name), "found\n").unwrap();
    let mut plan = plan("cat name", place.path(), true);
    let RunnableAction::Program(program) = &mut plan.pipelines[0].commands[0].action else { panic!("no program") };
    program.words[1] = RunnableWord::text(name);
    assert_eq!(run(plan).await, ("found\n".to_owned(), Some(0)));
}

#[tokio::test]
async fn a_named_pipe_in_the_place_of_a_file_holds_nobody_up() {
    let place = files();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let (printed, code) = run(plan("cat <pipe", place.path(), false)).await;
    assert_eq!((printed, code), (format!("{}: not a regular file\n", place.path().join("pipe").display()), Some(1)));
}

#[tokio::test]
async fn a_plan_has_a_terminal_where_it_is_wanted() {
    let place = files();
    let line = "test -n x && sh -c 'test -t 1 && test -t 2 && ! test -t 0 && stty size </dev/tty' | cat ; sh -c 'stty size </dev/tty'";
    let running = start_plan(plan(line, place.path(), false), ShellStreams::Terminal).await.unwrap();
    assert!(matches!(running.output, ProcessOutput::Terminal(_)));
    assert_eq!(finish(running).await, ("40 120\n".to_owned(), Some(0)));
}

#[tokio::test]
async fn a_signal_to_the_group_of_a_plan_ends_the_plan() {
    let place = files();
    let line = "sh -c 'trap \"\" TERM; echo ready; while :; do sleep 1; done' ; echo never";
    let mut running = start_plan(plan(line, place.path(), false), ShellStreams::Pipes).await.unwrap();
    let mut buffer = [0; 100];
    assert_eq!(running.output.read(&mut buffer).await.unwrap(), 6);
    let group = rustix::process::Pid::from_raw(running.group.pid().cast_signed()).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::TERM).unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&running.group.wait().await.unwrap()), Some(15));
    assert!(running.group.stop_leftovers().await);
    assert_eq!(running.output.read(&mut buffer).await.unwrap(), 0);
}

#[tokio::test]
async fn a_plan_that_is_dropped_ends() {
    let place = files();
    rustix::fs::mkfifoat(rustix::fs::CWD, place.path().join("alive"), rustix::fs::Mode::RWXU).unwrap();
    let line = "sh -c 'exec 3>alive; (setsid sleep 1000 &); sleep 1000' | cat ; echo never";
    let running = start_plan(plan(line, place.path(), false), ShellStreams::Pipes).await.unwrap();
    let path = place.path().join("alive");
    let opened = tokio::task::spawn_blocking(move || std::fs::File::open(path).unwrap());
    let mut alive = opened.await.unwrap();
    drop(running);
    let read = tokio::task::spawn_blocking(move || std::io::Read::read(&mut alive, &mut [0]).unwrap());
    assert_eq!(read.await.unwrap(), 0);
}
