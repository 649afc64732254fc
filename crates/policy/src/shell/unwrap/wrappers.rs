//! The programs that run the one named behind their own options, and those options.

use super::{Word, Wrapper};

/// A program that runs the one named after its own options.
pub(super) struct KnownWrapper {
    name: &'static str,
    /// Options that stand alone.
    flags: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words of its own before the program.
    operands: usize,
    pub(super) wrapper: Wrapper,
    pub(super) runs: RunsRest,
}

/// How a wrapper runs the words behind its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunsRest {
    /// As a program and its arguments.
    AsWords,
    /// As a program, its arguments and others that are known only when it runs.
    WithMoreWords,
    /// As a script, joined by spaces.
    AsText,
    /// As a script if one of these options stands before it, else as words.
    AfterOption([&'static str; 2]),
}

/// What stands behind a wrapper's own words.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BehindWrapper<'a> {
    Words(&'a [Word]),
    Nothing,
    /// An option is not known, or which word is one is known only when it runs.
    NotUnderstood,
}

/// Wrappers that start a shell when they are given no program.
pub(super) const WITHOUT_PROGRAM: [&str; 6] = ["chroot", "doas", "nsenter", "runuser", "sudo", "unshare"];

const KNOWN: &[KnownWrapper] = &[
    transparent(
        "timeout",
        &["--foreground", "-f", "-v", "-p", "--preserve-status", "--verbose"],
        &["-k", "-s", "--kill-after", "--signal"],
        1,
    ),
    transparent("nice", &[], &["-n", "--adjustment"], 0),
    transparent("nohup", &[], &[], 0),
    transparent(
        "time",
        &["-p", "-v", "-a", "-q", "--portability", "--verbose"],
        &["-f", "-o", "--format", "--output"],
        0,
    ),
    transparent("command", &["-p"], &[], 0),
    transparent("builtin", &[], &[], 0),
    transparent("stdbuf", &[], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    transparent("ionice", &["-t", "--ignore"], &["-c", "-n", "--class", "--classdata"], 0),
    transparent("setsid", &["-w", "--wait", "-f", "--fork", "-c", "--ctty"], &[], 0),
    counted(
        "env",
        &["-i", "-", "--ignore-environment", "-0", "--null", "-v", "--debug"],
        &["-u", "--unset", "-C", "--chdir"],
        0,
    ),
    counted("exec", &["-c", "-l"], &["-a"], 0),
    counted(
        "sudo",
        &["-n", "-E", "-H", "-S", "-k", "-b", "-i", "-s", "-A", "-P", "-B", "--login", "--shell", "--non-interactive"],
        &["-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-D", "-R", "--user", "--group"],
        0,
    ),
    counted("doas", &["-n", "-s"], &["-u", "-C"], 0),
    counted(
        "runuser",
        &["-f", "-l", "-m", "-p", "-P", "-", "--login"],
        &["-u", "-g", "-G", "-s", "-w", "--user", "--group"],
        0,
    ),
    KnownWrapper {
        runs: RunsRest::WithMoreWords,
        ..counted(
            "xargs",
            &["-0", "-r", "-t", "-p", "-x", "-o", "--null", "--no-run-if-empty", "--verbose", "--interactive"],
            &["-n", "-P", "-I", "-L", "-d", "-s", "-E", "-a", "--max-args", "--max-procs", "--delimiter", "--arg-file"],
            0,
        )
    },
    counted("busybox", &[], &[], 0),
    counted("coproc", &[], &[], 0),
    KnownWrapper {
        runs: RunsRest::AsText,
        ..counted("watch", &["-b", "-c", "-d", "-e", "-g", "-p", "-t", "-w", "-x"], &["-n", "-q", "--interval"], 0)
    },
    KnownWrapper {
        runs: RunsRest::AfterOption(["-c", "--command"]),
        ..counted(
            "flock",
            &[
                "-s",
                "-x",
                "-e",
                "-u",
                "-n",
                "-o",
                "-F",
                "--shared",
                "--exclusive",
                "--nonblock",
                "--close",
                "--no-fork",
                "--verbose",
            ],
            &["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"],
            1,
        )
    },
    counted(
        "chrt",
        &[
            "-a", "-b", "-d", "-e", "-f", "-i", "-m", "-o", "-r", "-R", "-v", "--batch", "--fifo", "--idle", "--other",
            "--rr",
        ],
        &["-T", "-P", "-D", "--sched-runtime", "--sched-period", "--sched-deadline"],
        1,
    ),
    counted("taskset", &["-a", "-c", "--all-tasks", "--cpu-list"], &[], 1),
    counted(
        "unshare",
        &[
            "-m",
            "-u",
            "-i",
            "-n",
            "-p",
            "-U",
            "-C",
            "-T",
            "-f",
            "-r",
            "-c",
            "--mount",
            "--uts",
            "--ipc",
            "--net",
            "--pid",
            "--user",
            "--cgroup",
            "--time",
            "--fork",
            "--map-root-user",
            "--map-current-user",
            "--mount-proc",
            "--kill-child",
            "--map-auto",
            "--keep-caps",
        ],
        &["-R", "-w", "-S", "-G", "-l", "--root", "--wd", "--setuid", "--setgid"],
        0,
    ),
    counted(
        "nsenter",
        &["-a", "-F", "-m", "-u", "-i", "-n", "-p", "-C", "-U", "-T"],
        &["-t", "-S", "-G", "--target"],
        0,
    ),
    counted("chroot", &["--skip-chdir"], &["--userspec", "--groups"], 1),
    counted("prlimit", &["--noheadings", "--raw", "--verbose"], &[], 0),
    counted("strace", STRACE_FLAGS, STRACE_VALUED, 0),
    counted(
        "ltrace",
        &["-b", "-c", "-C", "-f", "-i", "-L", "-r", "-S", "-t", "-T"],
        &["-a", "-e", "-l", "-n", "-o", "-p", "-s", "-u", "-x"],
        0,
    ),
];

const STRACE_FLAGS: &[&str] = &[
    "-A",
    "-c",
    "-C",
    "-d",
    "-D",
    "-f",
    "-F",
    "-i",
    "-k",
    "-n",
    "-N",
    "-q",
    "-r",
    "-t",
    "-T",
    "-v",
    "-w",
    "-x",
    "-y",
    "-Y",
    "-z",
    "-Z",
    "--follow-forks",
    "--summary-only",
];
const STRACE_VALUED: &[&str] =
    &["-a", "-b", "-e", "-E", "-I", "-o", "-O", "-p", "-P", "-s", "-S", "-u", "-U", "-X", "--output", "--trace"];

const fn transparent(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> KnownWrapper {
    KnownWrapper { name, flags, valued, operands, wrapper: Wrapper::Transparent, runs: RunsRest::AsWords }
}

const fn counted(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> KnownWrapper {
    KnownWrapper { wrapper: Wrapper::Counts, ..transparent(name, flags, valued, operands) }
}

/// The wrapper of this name.
pub(super) fn find(name: &str) -> Option<&'static KnownWrapper> {
    KNOWN.iter().find(|known| known.name == name)
}

impl KnownWrapper {
    /// What stands behind the wrapper's own options and operands.
    pub(super) fn skip_options<'a>(&self, words: &'a [Word]) -> BehindWrapper<'a> {
        let mut rest = words;
        while let Some(word) = rest.first() {
            let Some(text) = word.literal() else { return BehindWrapper::NotUnderstood };
            if text == "--" {
                rest = &rest[1..];
                break;
            }
            let sets_variable = ["env", "sudo"].contains(&self.name) && text.contains('=') && !text.starts_with('-');
            if !text.starts_with('-') && !sets_variable {
                break;
            }
            let taken = if sets_variable { Some(1) } else { self.words_of_option(text) };
            rest = match taken.map(|taken| rest.get(taken..)) {
                Some(Some(rest)) => rest,
                Some(None) => return BehindWrapper::Nothing,
                None => return BehindWrapper::NotUnderstood,
            };
        }
        match rest.get(self.operands..) {
            None | Some([]) => BehindWrapper::Nothing,
            Some(rest) => BehindWrapper::Words(rest),
        }
    }

    /// How many words the option `text` takes, itself included; `None` when it is not known.
    fn words_of_option(&self, text: &str) -> Option<usize> {
        if self.flags.contains(&text) {
            return Some(1);
        }
        if self.valued.contains(&text) {
            return Some(2);
        }
        if text.starts_with("--") {
            // Its value is part of it, whatever it means.
            return text.contains('=').then_some(1);
        }
        let letters = text.strip_prefix('-')?;
        let is_number = letters.chars().all(|char| char.is_ascii_digit());
        if is_number && self.name == "nice" {
            return Some(1);
        }
        for (at, letter) in letters.char_indices() {
            let option = format!("-{letter}");
            if self.valued.contains(&option.as_str()) {
                let is_last = at + letter.len_utf8() == letters.len();
                return Some(if is_last { 2 } else { 1 });
            }
            if !self.flags.contains(&option.as_str()) {
                return None;
            }
        }
        (!letters.is_empty()).then_some(1)
    }
}
