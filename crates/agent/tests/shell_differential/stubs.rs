//! A workspace in which every program is a stub, and the shells that run commands in it.

use pollux_session::CallResult;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Every program that policy allows, and some that it does not.
const PROGRAMS: [&str; 56] = [
    "base64", "cat", "cut", "expr", "find", "grep", "head", "id", "ls", "nl", "numfmt", "paste", "rev", "rg", "sed",
    "seq", "stat", "tac", "tail", "timeout", "tr", "uname", "uniq", "wc", "which", "whoami", "git", "rm", "touch",
    "curl", "make", "npm", "python3", "sh", "bash", "dash", "env", "xargs", "sort", "tee", "comm", "diff", "cmp",
    "fold", "column", "md5sum", "od", "xxd", "hexdump", "du", "basename", "dirname", "realpath", "date", "awk", "jq",
];

/// Prints how it was called, then what it reads. Whether it succeeds depends on how many arguments it has. It is a binary,
/// because a script outside the system's directories does not run confined. It passes over what only Pollux says: that a
/// search leaves out the directories of version control and is silent about ignore files. `timeout` is what Pollux does itself, so
/// as a stub it is nothing but what stands behind it.
const STUB: &str = r#"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  const char *slash = strrchr(argv[0], '/');
  if (!strcmp(slash ? slash + 1 : argv[0], "timeout") && argc > 2) {
    execvp(argv[2], argv + 2);
    return 127;
  }
  /* Whatever was printed before may lack the end of its line. */
  printf("\n<%s", slash ? slash + 1 : argv[0]);
  int told = 0;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--exclude-dir=.", 15) || !strncmp(argv[i], "--glob=!.", 9)) continue;
    if (!strncmp(argv[i], "--iglob=!.", 10) || !strncmp(argv[i], "--exclude=.", 11)) continue;
    if (!strcmp(argv[i], "--no-ignore-messages")) continue;
    printf("|%s", argv[i]);
    told++;
  }
  printf(">\n");
  char bytes[4096];
  size_t len;
  while ((len = fread(bytes, 1, sizeof bytes, stdin)) > 0) fwrite(bytes, 1, len, stdout);
  return told % 3;
}
"#;

/// Files of the workspace: odd names are what shells stumble over. All of them are ASCII, because `?` is a byte to dash.
const FILES: [&str; 12] = [
    "a.txt",
    "b.txt",
    "c d",
    "-name",
    "-x.txt",
    "x=y",
    "$(touch p)",
    "`touch p`",
    "src/lib.rs",
    "src/main.rs",
    "#h",
    "~",
];

/// Where a shard finds its task.
const ROOT: &str = "POLLUX_SHARD_ROOT";
const SEED: &str = "POLLUX_SHARD_SEED";
const COUNT: &str = "POLLUX_SHARD_COUNT";

/// A workspace with odd files, and the stubs beside it.
pub(crate) struct StubWorkspace {
    _directory: TempDir,
    root: PathBuf,
    stubs: PathBuf,
}

impl StubWorkspace {
    pub(crate) fn new() -> StubWorkspace {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let (root, stubs) = (base.join("ws"), base.join("stubs"));
        for made in [root.join("src"), root.join("empty"), stubs.clone()] {
            std::fs::create_dir_all(made).unwrap();
        }
        for file in FILES {
            std::fs::write(root.join(file), "").unwrap();
        }
        let stub = compile_stub(&base);
        for program in PROGRAMS {
            std::fs::hard_link(&stub, stubs.join(program)).unwrap();
        }
        StubWorkspace { _directory: directory, root, stubs }
    }

    /// This program again, for `commands` commands.
    #[expect(clippy::disallowed_methods, reason = "a test starts itself with another search path")]
    pub(crate) fn start_shard(&self, seed: u64, commands: usize) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "shell_differential::shard", "--ignored", "--nocapture"])
            .env_clear()
            .env("PATH", &self.stubs)
            .env("LC_ALL", "C.UTF-8")
            .env(ROOT, &self.root)
            .env(SEED, seed.to_string())
            .env(COUNT, commands.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// The stub, made by the C compiler that building needs anyway.
#[expect(clippy::disallowed_methods, reason = "a test makes a program to start")]
fn compile_stub(directory: &Path) -> PathBuf {
    let (source, stub) = (directory.join("stub.c"), directory.join("stub"));
    std::fs::write(&source, STUB).unwrap();
    let done = Command::new("cc").args(["-O1", "-o"]).arg(&stub).arg(&source).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    stub
}

/// The arguments of a shard: the workspace, the seed, the number of commands.
pub(crate) fn shard_arguments() -> Option<(PathBuf, u64, usize)> {
    let number = |name: &str| std::env::var(name).ok();
    Some((std::env::var_os(ROOT)?.into(), number(SEED)?.parse().ok()?, number(COUNT)?.parse().ok()?))
}

/// The end of a command: the lines it printed, in no particular order, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandEnding {
    lines: Vec<String>,
    exit_code: i32,
}

impl CommandEnding {
    fn new(text: &str, exit_code: i32) -> CommandEnding {
        // The intended differences: a file name that could mean more than a file gets a path before it, and the program
        // that `timeout` is told to start is named in full.
        let stubs = format!("|{}/", std::env::var("PATH").unwrap_or_default());
        let without_paths = |line: String, name: &&str| line.replace(&format!("./{name}"), name);
        let is_odd =
            |name: &&&str| !name.starts_with(|first: char| first.is_ascii_alphanumeric()) || name.contains('=');
        // Bash remembers where it has found a program, and says so.
        let as_found = |line: &str| match line.split_once(" is hashed (") {
            Some((name, path)) => format!("{name} is {}", path.trim_end_matches(')')),
            None => line.to_owned(),
        };
        let as_written =
            |line: &str| as_found(&FILES.iter().filter(is_odd).fold(line.replace(&stubs, "|"), without_paths));
        // A complaint about the one name with a line feed in it would be two lines.
        let text = text.replace("a\nb: ", "");
        let mut lines: Vec<String> = text.lines().map(as_written).collect();
        // That there is no such file is said in many ways, and by bash in several pieces.
        let starts = ["/bin/bash: ", "type: "];
        let is_complaint = |line: &str| {
            line.contains("No such file or directory") || starts.iter().any(|start| line.starts_with(start))
        };
        lines.retain(|line| !line.is_empty() && !is_complaint(line));
        lines.sort();
        CommandEnding { lines, exit_code }
    }

    /// The end of a call, without what it adds for the model.
    pub(crate) fn of_call(result: &CallResult) -> CommandEnding {
        let exit_code = result.exit_code.unwrap_or(-1);
        let text = result.text.strip_suffix(&format!("Exit code: {exit_code}\n")).unwrap_or(&result.text);
        CommandEnding::new(if text == "(no output)\n" { "" } else { text }, exit_code)
    }

    /// Only how stubs were called: shells differ in how they print.
    pub(crate) fn calls_alone(&self) -> Vec<&str> {
        self.lines.iter().map(String::as_str).filter(|line| line.starts_with('<') && line.ends_with('>')).collect()
    }
}

/// A real shell.
pub(crate) struct ReferenceShell {
    program: &'static str,
    root: PathBuf,
    path: OsString,
}

impl ReferenceShell {
    pub(crate) fn bash(root: &Path) -> ReferenceShell {
        ReferenceShell::new("/bin/bash", root)
    }

    pub(crate) fn dash(root: &Path) -> ReferenceShell {
        ReferenceShell::new("/bin/dash", root)
    }

    fn new(program: &'static str, root: &Path) -> ReferenceShell {
        ReferenceShell { program, root: root.to_owned(), path: std::env::var_os("PATH").unwrap_or_default() }
    }

    /// Run `command` in the workspace, with no input. Its errors have a stream of their own: what the shell itself says comes
    /// in pieces, and would stand in the middle of other lines.
    #[expect(clippy::disallowed_methods, reason = "the shell that a plan is compared with")]
    pub(crate) fn run(&self, command: &str) -> CommandEnding {
        let (mut reader, writer) = io::pipe().unwrap();
        let (mut errors, error_writer) = io::pipe().unwrap();
        let mut child = Command::new(self.program)
            .args(["-c", command])
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", &self.path)
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(error_writer)
            .spawn()
            .unwrap();
        let mut printed = Vec::new();
        reader.read_to_end(&mut printed).unwrap();
        // No command here says so much that the pipe is full.
        printed.push(b'\n');
        errors.read_to_end(&mut printed).unwrap();
        let status = child.wait().unwrap();
        CommandEnding::new(&String::from_utf8_lossy(&printed), status.code().unwrap_or(-1))
    }
}
