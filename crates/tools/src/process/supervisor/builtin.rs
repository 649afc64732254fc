//! The few commands of a plan that are no programs, as bash has them.

use crate::process::runnable_plan::{FoundProgramAnswer, RunnableAction, UnaryTest};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
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
            print_formatted(&output, format, &words)
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

/// Print what `printf` does: the format once, and again as long as it takes words and there are more. It may be much more than what
/// went in, so it is not put together before, and ends where nobody reads it any more.
fn print_formatted(output: impl Write, format: &str, words: &[OsString]) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    let mut words = words.iter();
    loop {
        let before = words.len();
        let mut chars = format.chars();
        while let Some(char) = chars.next() {
            match (char, if matches!(char, '%' | '\\') { chars.next() } else { None }) {
                ('%', Some('s')) => output.write_all(words.next().map_or(&b""[..], |word| word.as_bytes()))?,
                ('\\', Some('n')) => output.write_all(b"\n")?,
                ('\\', Some('t')) => output.write_all(b"\t")?,
                (_, Some(itself)) => output.write_all(itself.encode_utf8(&mut [0; 4]).as_bytes())?,
                (char, None) => output.write_all(char.encode_utf8(&mut [0; 4]).as_bytes())?,
            }
        }
        if words.len() == 0 || words.len() == before {
            return output.flush();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes `room` bytes and no more.
    struct SmallOutput {
        room: usize,
        longest_write: usize,
    }

    impl Write for &mut SmallOutput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.longest_write = self.longest_write.max(bytes.len());
            match bytes.len().min(self.room) {
                0 => Err(io::ErrorKind::BrokenPipe.into()),
                taken => {
                    self.room -= taken;
                    Ok(taken)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn printf_prints_piece_by_piece_and_stops_when_nobody_reads() {
        let (format, words) = ("x".repeat(15_500) + "%s", vec![OsString::from("name"); 100_000]);
        let mut output = SmallOutput { room: 1 << 20, longest_write: 0 };
        let started = std::time::Instant::now();
        assert!(print_formatted(&mut output, &format, &words).is_err());
        assert!(output.room == 0 && output.longest_write < 64 * 1024, "{}", output.longest_write);
        assert!(started.elapsed() < std::time::Duration::from_secs(10));
    }
}
