//! The programs that run the one named behind their own options, and those options.

use super::{ShellWord, WrapperKind};
use crate::silent::is_reserved;

/// A program that runs the one named after its own options.
pub(super) struct KnownWrapper {
    name: &'static str,
    /// Options that stand alone.
    flags: &'static [&'static str],
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words of its own before the program.
    operands: usize,
    pub(super) wrapper: WrapperKind,
    pub(super) runs: RunsRest,
}

/// How a wrapper runs the words behind its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunsRest {
    /// As a program and its arguments.
    AsWords,
    /// As a package, whose program has its name, and the program's arguments.
    AsPackage,
    /// As a program, its arguments and others that are known only when it runs.
    WithMoreWords,
    /// As a script, joined by spaces.
    AsText,
    /// As a script if one of these options stands before it, else as words.
    AfterOption([&'static str; 2]),
}

/// A wrapper's own words, and what stands behind them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrapperWords<'a> {
    /// Its options with their values.
    pub(super) given: Vec<GivenOption<'a>>,
    /// What it runs: empty if there is nothing.
    pub(super) rest: &'a [ShellWord],
}

/// An option that a wrapper is given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GivenOption<'a> {
    /// With its dashes.
    pub(super) name: String,
    /// `None` also when it is known only when it runs.
    pub(super) value: Option<&'a str>,
    /// The words behind it and its value.
    pub(super) behind: &'a [ShellWord],
}

/// Wrappers that start a shell when they are given no program.
pub(super) const WITHOUT_PROGRAM: [&str; 8] =
    ["chroot", "doas", "nsenter", "runuser", "setarch", "ssh-agent", "sudo", "unshare"];

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
        &["-u", "--unset", "-C", "--chdir", "-S", "--split-string"],
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
    counted("toybox", &[], &[], 0),
    counted("coproc", &[], &[], 0),
    counted("pkexec", &["--keep-cwd", "--disable-internal-agent"], &["--user"], 0),
    counted("run0", &[], &["-u", "--user", "-g", "--group", "-D", "--chdir"], 0),
    counted("gosu", &[], &[], 1),
    counted("su-exec", &[], &[], 1),
    counted("tini", &["-s", "-g", "-v", "-w"], &["-p", "-e"], 0),
    counted("dumb-init", &["-c", "-v"], &["-r"], 0),
    counted("rlwrap", &[], &[], 0),
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
    counted("prlimit", PRLIMIT_FLAGS, &["-p", "--pid", "-o", "--output"], 0),
    counted(
        "setpriv",
        &["-d", "--dump", "--clear-groups", "--keep-groups", "--init-groups", "--no-new-privs", "--nnp", "--reset-env"],
        &[
            "--ambient-caps",
            "--inh-caps",
            "--bounding-set",
            "--ruid",
            "--euid",
            "--rgid",
            "--egid",
            "--reuid",
            "--regid",
            "--groups",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
        ],
        0,
    ),
    counted("setarch", ARCHITECTURE_FLAGS, &[], 0),
    counted("linux32", ARCHITECTURE_FLAGS, &[], 0),
    counted("linux64", ARCHITECTURE_FLAGS, &[], 0),
    counted("i386", ARCHITECTURE_FLAGS, &[], 0),
    counted("x86_64", ARCHITECTURE_FLAGS, &[], 0),
    counted("uname26", ARCHITECTURE_FLAGS, &[], 0),
    counted("choom", &[], &["-n", "--adjust"], 0),
    // What stands behind the host is read apart, and so are the commands of tmux.
    counted("ssh", SSH_FLAGS, SSH_VALUED, 0),
    counted("ssh-agent", &["-c", "-s", "-D", "-d"], &["-a", "-E", "-P", "-t"], 0),
    counted("logsave", &["-a", "-s", "-v"], &[], 1),
    counted("xvfb-run", &["-a", "--auto-servernum"], &["-n", "-s", "--server-num", "--server-args"], 0),
    counted("caffeinate", &["-d", "-i", "-m", "-s", "-u"], &["-t", "-w"], 0),
    counted("sshpass", &["-e", "-v"], &["-p", "-f", "-d", "-P"], 0),
    counted("setuidgid", &[], &[], 1),
    counted("envdir", &[], &[], 1),
    counted("dbus-run-session", &[], &["--dbus-daemon", "--config-file"], 0),
    counted("fakeroot", &["-u", "--unknown-is-real"], &["-l", "--lib", "-s", "-i", "-b"], 0),
    counted("catchsegv", &[], &[], 0),
    counted("cpulimit", &[], &[], 0),
    counted("daemonize", &["-a", "-v"], &["-c", "-e", "-E", "-o", "-p", "-l", "-u"], 0),
    counted("firejail", &[], &[], 0),
    counted("bwrap", &[], &[], 0),
    counted("proxychains", &["-q"], &["-f"], 0),
    counted("proxychains4", &["-q"], &["-f"], 0),
    counted("torsocks", &["-i", "-q"], &[], 0),
    counted("unbuffer", &["-p"], &[], 0),
    counted("valgrind", &["-q", "-v"], &[], 0),
    counted("systemd-run", &["--user", "--scope", "--pty", "-t", "-P", "--wait", "-q"], &["-p", "-u", "--unit"], 0),
    counted("systemd-inhibit", &[], &["--what", "--who", "--why", "--mode"], 0),
    counted("numactl", &[], &[], 0),
    counted("ip netns exec", &[], &[], 1),
    counted("perf record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf stat", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf trace", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf ftrace", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf c2c record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf kmem record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf kwork record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf lock contention", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf lock record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf mem record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf sched record", PERF_FLAGS, PERF_VALUED, 0),
    counted("perf timechart record", PERF_FLAGS, PERF_VALUED, 0),
    counted(
        "screen",
        &["-d", "-D", "-m", "-L", "-A", "-a", "-q", "-U"],
        &["-S", "-t", "-c", "-h", "-s", "-T", "-Logfile"],
        0,
    ),
    counted("tmux", &["-2", "-C", "-D", "-l", "-N", "-u", "-U", "-v"], &["-c", "-f", "-L", "-S", "-T"], 0),
    counted("eatmydata", &[], &[], 0),
    counted("chronic", &["-e", "-v"], &[], 0),
    counted("direnv exec", &[], &[], 1),
    counted("docker exec", CONTAINER_FLAGS, CONTAINER_VALUED, 1),
    counted("podman exec", CONTAINER_FLAGS, CONTAINER_VALUED, 1),
    counted("gdb --args", &[], &[], 0),
    counted("gdb -args", &[], &[], 0),
    counted("cmake -E chdir", &[], &[], 1),
    counted("pyenv exec", &[], &[], 0),
    counted("rustup run", &["--install"], &[], 1),
    counted("ip vrf exec", &[], &[], 1),
    counted("cmake -E env", &[], &["--unset", "--modify"], 0),
    counted("cmake -E time", &[], &[], 0),
    counted("uv run", UV_FLAGS, UV_VALUED, 0),
    counted("poetry run", &[], &[], 0),
    counted("pipenv run", &[], &[], 0),
    counted("bundle exec", &["--keep-file-descriptors"], &["--gemfile"], 0),
    counted("pnpm exec", &["-r", "--recursive", "--parallel"], &["--resume-from"], 0),
    as_text("yarn exec", &[], &[]),
    package("npm exec", NPM_FLAGS, NPM_VALUED),
    package("npm x", NPM_FLAGS, NPM_VALUED),
    package("npx", NPM_FLAGS, NPM_VALUED),
    package("pnpm dlx", &["-s", "--silent"], &["--package", "--allow-build"]),
    package("pnpx", &["-s", "--silent"], &["--package", "--allow-build"]),
    package("yarn dlx", &["-q", "--quiet"], &["-p", "--package"]),
    package("bunx", &["--bun", "--no-install", "--silent", "--verbose"], &["-p", "--package"]),
    package("bun x", &["--bun", "--no-install", "--silent", "--verbose"], &["-p", "--package"]),
    package("uvx", UV_FLAGS, UV_VALUED),
    package("uv tool run", UV_FLAGS, UV_VALUED),
    package("pipx run", &["--no-cache", "--verbose"], &["--spec", "--python", "--index-url", "--pip-args"]),
    counted("faketime", &["-m", "-p"], &["-f"], 1),
    counted("strace", STRACE_FLAGS, STRACE_VALUED, 0),
    counted(
        "ltrace",
        &["-b", "-c", "-C", "-f", "-i", "-L", "-r", "-S", "-t", "-T"],
        &["-a", "-e", "-l", "-n", "-o", "-p", "-s", "-u", "-x"],
        0,
    ),
];

const CONTAINER_FLAGS: &[&str] = &["-d", "-i", "-t", "--detach", "--interactive", "--privileged", "--tty"];
const CONTAINER_VALUED: &[&str] = &["-e", "-u", "-w", "--detach-keys", "--env", "--env-file", "--user", "--workdir"];
const UV_FLAGS: &[&str] = &[
    "-n",
    "-q",
    "-v",
    "--active",
    "--all-extras",
    "--dev",
    "--exact",
    "--frozen",
    "--isolated",
    "--locked",
    "--no-cache",
    "--no-dev",
    "--no-project",
    "--no-sync",
    "--offline",
    "--quiet",
    "--verbose",
];
const UV_VALUED: &[&str] = &[
    "-p",
    "--directory",
    "--env-file",
    "--extra",
    "--from",
    "--group",
    "--no-group",
    "--only-group",
    "--package",
    "--project",
    "--python",
    "--with",
    "--with-editable",
    "--with-requirements",
];
const NPM_FLAGS: &[&str] = &["-q", "-s", "-y", "--no", "--no-install", "--quiet", "--silent", "--yes"];
const NPM_VALUED: &[&str] = &["-p", "-w", "--package", "--workspace"];
const PERF_FLAGS: &[&str] =
    &["-a", "-d", "-g", "-i", "-n", "-q", "-s", "-v", "-A", "-B", "-R", "-T", "--all-cpus", "--inherit"];
const PERF_VALUED: &[&str] = &[
    "-c",
    "-C",
    "-e",
    "-F",
    "-m",
    "-o",
    "-p",
    "-r",
    "-t",
    "-u",
    "-x",
    "--call-graph",
    "--event",
    "--freq",
    "--output",
];
const SSH_FLAGS: &[&str] = &[
    "-4", "-6", "-A", "-a", "-C", "-f", "-G", "-g", "-K", "-k", "-M", "-N", "-n", "-q", "-s", "-T", "-t", "-V", "-v",
    "-X", "-x", "-Y", "-y",
];
const SSH_VALUED: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-P", "-p", "-Q", "-R",
    "-S", "-W", "-w",
];
const ARCHITECTURE_FLAGS: &[&str] = &[
    "-B",
    "-F",
    "-I",
    "-L",
    "-R",
    "-S",
    "-T",
    "-X",
    "-Z",
    "-v",
    "--32bit",
    "--addr-compat-layout",
    "--addr-no-randomize",
    "--verbose",
];
/// What a limit is set to is attached to its name, or left out.
const PRLIMIT_FLAGS: &[&str] = &[
    "--noheadings",
    "--raw",
    "--verbose",
    "--as",
    "--core",
    "--cpu",
    "--data",
    "--fsize",
    "--locks",
    "--memlock",
    "--msgqueue",
    "--nice",
    "--nofile",
    "--nproc",
    "--rss",
    "--rtprio",
    "--rttime",
    "--sigpending",
    "--stack",
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
    KnownWrapper { name, flags, valued, operands, wrapper: WrapperKind::Transparent, runs: RunsRest::AsWords }
}

const fn counted(
    name: &'static str,
    flags: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> KnownWrapper {
    KnownWrapper { wrapper: WrapperKind::Counts, ..transparent(name, flags, valued, operands) }
}

const fn as_text(name: &'static str, flags: &'static [&'static str], valued: &'static [&'static str]) -> KnownWrapper {
    KnownWrapper { runs: RunsRest::AsText, ..counted(name, flags, valued, 0) }
}

const fn package(name: &'static str, flags: &'static [&'static str], valued: &'static [&'static str]) -> KnownWrapper {
    KnownWrapper { runs: RunsRest::AsPackage, ..counted(name, flags, valued, 0) }
}

/// The wrapper of this name.
pub(super) fn find(name: &str) -> Option<&'static KnownWrapper> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The wrapper `program`, or its command that `arguments` begin with (`ip netns exec`), and the words behind its name.
/// Options of the program's own may stand before the command (`tmux -L x new`).
pub(super) fn find_in<'a>(
    program: &str,
    arguments: &'a [ShellWord],
) -> Option<(&'static KnownWrapper, &'a [ShellWord])> {
    let is_named = |known: &KnownWrapper| -> Option<&'a [ShellWord]> {
        let mut name = known.name.split(' ');
        let is_programs = name.next() == Some(program);
        let command: Vec<&str> = name.filter(|_| is_programs).collect();
        let behind_name = |given: &'a [ShellWord]| {
            let begins = given.get(..command.len())?;
            let is_same = begins.iter().zip(&command).all(|(word, wanted)| word.literal() == Some(wanted));
            is_same.then(|| &given[command.len()..])
        };
        is_programs.then(|| possible_commands(arguments).find_map(behind_name)).flatten()
    };
    KNOWN.iter().find_map(|known| Some((known, is_named(known)?)))
}

/// What `arguments` may be without a program's own options. Which of those have a value is not known, so the word behind
/// one may be its value or the command.
fn possible_commands(arguments: &[ShellWord]) -> impl Iterator<Item = &[ShellWord]> {
    let is_option = |at: usize| arguments[at].literal().is_some_and(|text| text.starts_with('-'));
    let is_left_out = move |at: usize| is_option(at) || at.checked_sub(1).is_some_and(is_option);
    let left_out = (0..arguments.len()).take_while(move |at| is_left_out(*at)).count();
    (0..=left_out).map(|at| &arguments[at..])
}

impl KnownWrapper {
    /// A command of tmux's that ends in a shell command.
    pub(super) const TMUX_COMMAND: KnownWrapper = counted(
        "tmux",
        &["-a", "-A", "-b", "-C", "-d", "-D", "-E", "-f", "-h", "-k", "-P", "-S", "-v", "-X", "-Z"],
        &["-c", "-e", "-F", "-l", "-n", "-s", "-t", "-x", "-y"],
        0,
    );

    /// The wrapper's own options, and what stands behind them and its operands. `None` when an option is not known, or which
    /// word is one is known only when it runs.
    pub(super) fn read_options<'a>(&self, words: &'a [ShellWord]) -> Option<WrapperWords<'a>> {
        let mut rest = words;
        let mut given = Vec::new();
        while let Some((word, behind)) = rest.split_first() {
            // A brace alone stands for itself.
            let text = word.literal().or(is_reserved(word.display_text()).then_some(word.display_text()))?;
            if text == "--" {
                rest = behind;
                break;
            }
            let sets_variable = self.sets_variables() && text.contains('=') && !text.starts_with('-');
            if !text.starts_with('-') && !sets_variable {
                break;
            }
            rest = if sets_variable { behind } else { self.read_option(text, behind, &mut given)? };
        }
        Some(WrapperWords { given, rest: rest.get(self.operands..).unwrap_or_default() })
    }

    /// Whether words like `NAME=value` before the program are variables for it.
    pub(super) fn sets_variables(&self) -> bool {
        ["cmake -E env", "env", "sudo"].contains(&self.name)
    }

    /// Read the options in `text`, behind which `behind` stands. Returns the words behind them and their values.
    fn read_option<'a>(
        &self,
        text: &'a str,
        behind: &'a [ShellWord],
        given: &mut Vec<GivenOption<'a>>,
    ) -> Option<&'a [ShellWord]> {
        let with_next = |name: &str| {
            // Braces with nothing in them stand for themselves, for once.
            let text_of = |word: &'a ShellWord| word.literal().or((word.display_text() == "{}").then_some("{}"));
            let (value, rest) = behind.split_first().map_or((None, behind), |(value, rest)| (text_of(value), rest));
            GivenOption { name: name.to_owned(), value, behind: rest }
        };
        let alone = |name: &str, value| GivenOption { name: name.to_owned(), value, behind };
        let option = if self.flags.contains(&text) {
            alone(text, None)
        } else if self.valued.contains(&text) {
            with_next(text)
        } else if text.starts_with("--") {
            let (name, value) = text.split_once('=')?;
            let is_known = self.valued.contains(&name) || self.flags.contains(&name);
            is_known.then(|| alone(name, Some(value)))?
        } else if self.name == "nice" && text[1..].parse::<u32>().is_ok() {
            alone("-n", Some(&text[1..]))
        } else {
            return self.read_cluster(text, behind, given);
        };
        let rest = option.behind;
        given.push(option);
        Some(rest)
    }

    /// `-abc`: flags, of which the last may have a value, attached or in the next word.
    fn read_cluster<'a>(
        &self,
        text: &'a str,
        behind: &'a [ShellWord],
        given: &mut Vec<GivenOption<'a>>,
    ) -> Option<&'a [ShellWord]> {
        let letters = text.strip_prefix('-').filter(|letters| !letters.is_empty())?;
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let attached = &letters[at + letter.len_utf8()..];
            if self.valued.contains(&name.as_str()) {
                if attached.is_empty() {
                    return self
                        .valued
                        .iter()
                        .find(|known| **known == name)
                        .and_then(|known| self.read_option(known, behind, given));
                }
                given.push(GivenOption { name, value: Some(attached), behind });
                return Some(behind);
            }
            if !self.flags.contains(&name.as_str()) {
                return None;
            }
            given.push(GivenOption { name, value: None, behind });
        }
        Some(behind)
    }
}
