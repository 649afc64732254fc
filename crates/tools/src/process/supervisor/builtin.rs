//! The few commands of a plan that are no programs, as bash has them.

use crate::process::runnable_plan::{FoundProgramAnswer, RunnableAction, UnaryTest};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The context of a builtin.
pub(super) struct BuiltinContext {
    pub(super) directory: OsString,
    /// Of the last pipeline.
    pub(super) exit_code: u8,
}

/// Run a builtin and return its exit code.
pub(super) fn run(action: &RunnableAction, context: &BuiltinContext, mut output: File, mut errors: &File) -> u8 {
    let printed = match action {
        RunnableAction::Echo { words, newline } => {
            let words: Vec<OsString> = words.iter().map(|word| word.fill(context.exit_code)).collect();
            let mut line = words.join(OsStr::new(" "));
            if *newline {
                line.push("\n");
            }
            output.write_all(line.as_bytes())
        }
        RunnableAction::Printf { format, words } => {
            let words: Vec<OsString> = words.iter().map(|word| word.fill(context.exit_code)).collect();
            output.write_all(&formatted(format, &words))
        }
        RunnableAction::PrintDirectory => print_line(&mut output, &context.directory),
        RunnableAction::Exit(code) => return *code,
        RunnableAction::FindProgram { name, search_path, answer } => {
            let name = name.fill(context.exit_code);
            match (find_program(&name, search_path), answer) {
                (Some(found), FoundProgramAnswer::Path) => print_line(&mut output, &found),
                (Some(found), FoundProgramAnswer::Sentence) => {
                    print_line(&mut output, &[name.as_os_str(), &found].join(OsStr::new(" is ")))
                }
                (None, FoundProgramAnswer::Path) => return 1,
                (None, FoundProgramAnswer::Sentence) => {
                    // Nobody reads it then.
                    let _ = errors.write_all(&[b"type: ", name.as_bytes(), b": not found\n"].concat());
                    return 1;
                }
            }
        }
        RunnableAction::Test { test, operand } => {
            let holds = holds(*test, &operand.fill(context.exit_code), Path::new(&context.directory));
            return u8::from(!holds);
        }
        RunnableAction::NotFound { name } => {
            let line = [name.as_bytes(), b": command not found\n"].concat();
            // Nobody reads it then.
            let _ = errors.write_all(&line);
            return 127;
        }
        // Programs are not run here.
        RunnableAction::Program(_) => return 126,
    };
    u8::from(printed.is_err())
}

/// What `printf` prints: the format once, and again as long as it takes words and there are more.
fn formatted(format: &str, words: &[OsString]) -> Vec<u8> {
    let mut printed = Vec::new();
    let mut words = words.iter();
    loop {
        let before = words.len();
        let mut chars = format.chars();
        while let Some(char) = chars.next() {
            match (char, if matches!(char, '%' | '\\') { chars.next() } else { None }) {
                ('%', Some('s')) => printed.extend_from_slice(words.next().map_or(&b""[..], |word| word.as_bytes())),
                ('\\', Some('n')) => printed.push(b'\n'),
                ('\\', Some('t')) => printed.push(b'\t'),
                (_, Some(itself)) => printed.extend_from_slice(itself.encode_utf8(&mut [0; 4]).as_bytes()),
                (char, None) => printed.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        if words.len() == 0 || words.len() == before {
            return printed;
        }
    }
}

fn print_line(output: &mut File, line: &OsStr) -> io::Result<()> {
    output.write_all(&[line.as_bytes(), b"\n"].concat())
}

/// The output of `command -v NAME`. Policy lets only names through that are neither a path nor a word of the shell's
/// own.
fn find_program(name: &OsStr, search_path: &OsStr) -> Option<OsString> {
    let places = std::env::split_paths(search_path).filter(|place| place.is_absolute());
    places.map(|place| place.join(name)).find(|file| is_program(file)).map(PathBuf::into_os_string)
}

fn is_program(file: &Path) -> bool {
    file.is_file() && is_accessible(file, Access::EXEC_OK)
}

fn is_accessible(path: &Path, access: Access) -> bool {
    accessat(CWD, path, access, AtFlags::EACCESS).is_ok()
}

fn holds(test: UnaryTest, operand: &OsStr, directory: &Path) -> bool {
    match test {
        UnaryTest::IsEmpty => return operand.is_empty(),
        UnaryTest::IsNotEmpty => return !operand.is_empty(),
        _ if operand.is_empty() => return false,
        _ => {}
    }
    let path = directory.join(operand);
    match test {
        UnaryTest::IsDirectory => path.is_dir(),
        UnaryTest::Exists => path.metadata().is_ok(),
        UnaryTest::IsFile => path.is_file(),
        UnaryTest::IsSymbolicLink => path.is_symlink(),
        UnaryTest::IsReadable => is_accessible(&path, Access::READ_OK),
        UnaryTest::HasContent => path.metadata().is_ok_and(|found| found.len() > 0),
        UnaryTest::IsWritable => is_accessible(&path, Access::WRITE_OK),
        UnaryTest::IsExecutable => is_accessible(&path, Access::EXEC_OK),
        UnaryTest::IsEmpty | UnaryTest::IsNotEmpty => false,
    }
}
