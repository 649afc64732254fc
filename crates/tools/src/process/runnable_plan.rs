//! A plan with nothing left to look up: which file each program is, what each word is, what may be read. The supervisor
//! runs it as it stands, and no shell reads any of it.

pub(crate) use pollux_session::RunCondition;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// A command, ready to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunnablePlan {
    /// An absolute path.
    pub(crate) directory: OsString,
    /// Run in order.
    pub(crate) pipelines: Vec<RunnablePipeline>,
}

/// The paths that a confined program may read besides the system's directories and its own file, absolute. One that does not
/// exist, or is a link by the time the program starts, is not readable, and no error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadablePaths {
    /// Directories with everything below them.
    pub(crate) directories: Vec<OsString>,
    /// Directories of which only the names may be read, below them, too.
    pub(crate) listed: Vec<OsString>,
    /// Single files.
    pub(crate) files: Vec<OsString>,
    /// Files of the person's own, wherever they lead: git's global configuration.
    pub(crate) own_files: Vec<OsString>,
}

/// Commands that run at once, each reading what the one before it prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunnablePipeline {
    pub(crate) condition: RunCondition,
    /// At least one.
    pub(crate) commands: Vec<RunnableCommand>,
}

/// One program or builtin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunnableCommand {
    pub(crate) action: RunnableAction,
    /// In the order in which they take effect.
    pub(crate) redirections: Vec<RunnableRedirection>,
}

/// The action of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RunnableAction {
    /// A program of the machine.
    Program(RunnableProgram),
    /// `echo`. It knows no option but `-n`, and prints its words as they are.
    Echo { words: Vec<RunnableWord>, newline: bool },
    /// `printf`, with a format of `%s`, `%%`, and the escapes of a line's end, a tab and a backslash.
    Printf { format: String, words: Vec<RunnableWord> },
    /// `pwd`.
    PrintDirectory,
    /// `true`, `false` and `:`.
    Exit(u8),
    /// `command -v NAME` and `type NAME`, with the search path.
    FindProgram { name: RunnableWord, search_path: OsString, answer: FoundProgramAnswer },
    /// `test` or `[` with one unary test.
    Test { test: UnaryTest, operand: RunnableWord },
    /// A program that no directory of the search path has.
    NotFound { name: OsString },
}

/// How the place of a program is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FoundProgramAnswer {
    /// Alone, as `command -v` does.
    Path,
    /// In a sentence, as `type` does, also if there is none.
    Sentence,
}

/// A program and all that it is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunnableProgram {
    /// The file, as an absolute path.
    pub(crate) file: OsString,
    /// Its name as it was written (`argv[0]`), then its arguments.
    pub(crate) words: Vec<RunnableWord>,
    /// The whole environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// As with `timeout`: by then it is told to end.
    pub(crate) time_limit: Option<Duration>,
    /// True if the kernel keeps it from everything but reading what it lists.
    pub(crate) confined: bool,
    /// Whether it may start the system's programs then, which are as confined as itself.
    pub(crate) starts_others: bool,
    /// What it may read then.
    pub(crate) readable: ReadablePaths,
}

/// A word: its pieces are joined without anything in between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunnableWord(pub(crate) Vec<RunnablePiece>);

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RunnablePiece {
    Text(OsString),
    /// `$?`: the exit code of the last pipeline that ran.
    ExitCode,
}

impl RunnableWord {
    /// A word that is nothing but `text`.
    pub(crate) fn text(text: impl Into<OsString>) -> RunnableWord {
        RunnableWord(vec![RunnablePiece::Text(text.into())])
    }

    /// The whole word, if it does not depend on an exit code.
    pub(crate) fn literal(&self) -> Option<&OsStr> {
        match self.0.as_slice() {
            [] => Some(OsStr::new("")),
            [RunnablePiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The word when the last pipeline ended with `exit_code`.
    pub(super) fn fill(&self, exit_code: u8) -> OsString {
        let mut word = OsString::new();
        for piece in &self.0 {
            match piece {
                RunnablePiece::Text(text) => word.push(text),
                RunnablePiece::ExitCode => word.push(exit_code.to_string()),
            }
        }
        word
    }
}

/// Where a stream of a command goes to, or comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RunnableRedirection {
    /// `2>&1`.
    ErrorsToOutput,
    /// `1>&2`.
    OutputToErrors,
    /// `>/dev/null`.
    OutputToNull,
    /// `2>/dev/null`.
    ErrorsToNull,
    /// `&>/dev/null`.
    BothToNull,
    /// `</dev/null`.
    InputFromNull,
    /// `<file`: the absolute path of a regular file. A confined command gets no more by it than it may read itself.
    InputFrom { path: OsString },
}

/// One unary test of `test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum UnaryTest {
    /// `-d`.
    IsDirectory,
    /// `-e`.
    Exists,
    /// `-f`.
    IsFile,
    /// `-h` and `-L`.
    IsSymbolicLink,
    /// `-r`.
    IsReadable,
    /// `-s`.
    HasContent,
    /// `-w`.
    IsWritable,
    /// `-x`.
    IsExecutable,
    /// `-n`.
    IsNotEmpty,
    /// `-z`.
    IsEmpty,
}

impl UnaryTest {
    /// The test that `test` knows by `flag`.
    pub(crate) fn from_flag(flag: &str) -> Option<UnaryTest> {
        Some(match flag {
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
            _ => return None,
        })
    }
}

/// A plan of one confined program, for tests.
#[cfg(test)]
pub(crate) fn plan_of_program(words: &[&str], directory: &std::path::Path) -> RunnablePlan {
    let program = RunnableProgram {
        file: words[0].into(),
        words: words.iter().map(RunnableWord::text).collect(),
        environment: Vec::new(),
        time_limit: None,
        confined: true,
        starts_others: true,
        readable: ReadablePaths { directories: vec![directory.into()], ..ReadablePaths::default() },
    };
    let command = RunnableCommand { action: RunnableAction::Program(program), redirections: Vec::new() };
    let pipeline = RunnablePipeline { condition: RunCondition::Always, commands: vec![command] };
    RunnablePlan { directory: directory.into(), pipelines: vec![pipeline] }
}
