//! Programs that make many files at once: those that copy or move directories, and those that unpack archives. No word of the command
//! names the files that they make, and a protected place may be among them.

use super::{PlanObjection, PlanResolver, base_name, reads};
use ignore::WalkBuilder;
use pollux_session::{PlannedCommand, PlannedWord};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Programs that copy or move directories: the last operand says where to.
const COPIES: [&str; 7] = ["cp", "ditto", "gcp", "gmv", "mv", "rsync", "scp"];
/// Programs that run the program which their words name.
#[rustfmt::skip]
const RUNS_ANOTHER: [&str; 13] = [
    "busybox", "chronic", "command", "doas", "env", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "xargs",
];
/// Letters of `tar` behind which the rest of a word is the value of an option.
const TAR_VALUED: &str = "bCfFgHIKLNTVX";

impl PlanResolver<'_> {
    /// Whether `command`, which a person allowed, makes no protected place that nobody named.
    pub(super) fn check_copies(&self, command: &PlannedCommand) -> Result<(), PlanObjection> {
        let Some((program, arguments)) = inner_program(&command.words) else { return Ok(()) };
        let mut words = Vec::new();
        for word in arguments {
            words.extend(self.paths_of(word)?);
        }
        if unpacks(program, &words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>()) {
            let why = "what it unpacks is known only when it runs, and protected places may be among it";
            return Err(PlanObjection::new(why));
        }
        match COPIES.contains(&program) {
            true => self.check_copied(program, &CopiedPaths::of(program, words)),
            false => Ok(()),
        }
    }

    fn check_copied(&self, program: &str, copied: &CopiedPaths) -> Result<(), PlanObjection> {
        for source in &copied.sources {
            if ["rsync", "scp"].contains(&program) && is_elsewhere(source) {
                let why = format!("what {} holds is known only when it runs", source.to_string_lossy());
                return Err(PlanObjection::new(why));
            }
            let path = self.directory.join(source);
            self.lookups.spend(1)?;
            if path.is_dir() {
                self.check_copied_directory(&path, &copied.destinations)?;
            }
        }
        Ok(())
    }

    /// Whether nothing below `source` is protected, nor what would be made of it in one of `destinations`.
    fn check_copied_directory(&self, source: &Path, destinations: &[OsString]) -> Result<(), PlanObjection> {
        let name = source.file_name().map(Path::new).unwrap_or(Path::new(""));
        let mut made: Vec<PathBuf> = destinations.iter().map(|place| self.directory.join(place)).collect();
        made.extend(made.clone().into_iter().map(|place| place.join(name)));
        for entry in WalkBuilder::new(source).standard_filters(false).build() {
            self.lookups.spend(1)?;
            let Ok(entry) = entry else { continue };
            let Ok(inside) = entry.path().strip_prefix(source) else { continue };
            // The directory itself is a word of the command, which is judged as such.
            if inside.as_os_str().is_empty() {
                continue;
            }
            reads::check_name(entry.path())?;
            if entry.path_is_symlink() {
                reads::check_name(&entry.path().canonicalize().unwrap_or_default())?;
            }
            reads::check_protected(self.workspace, entry.path())?;
            for place in &made {
                reads::check_protected(self.workspace, &reads::without_dots(&place.join(inside)))?;
            }
        }
        Ok(())
    }
}

/// The words of a copy that are no options. Which of them are values of options is not known, so there may be too many.
struct CopiedPaths {
    sources: Vec<OsString>,
    destinations: Vec<OsString>,
}

impl CopiedPaths {
    fn of(program: &str, words: Vec<OsString>) -> CopiedPaths {
        let (options, operands): (Vec<OsString>, Vec<OsString>) =
            words.into_iter().partition(|word| word.as_encoded_bytes().starts_with(b"-"));
        let options: Vec<_> = options.iter().map(|option| option.to_string_lossy()).collect();
        // `-t DIR` and `--target-directory=DIR`, but for those to which `-t` is something else.
        let has_target = ["cp", "gcp", "gmv", "mv"].contains(&program);
        let short = || options.iter().filter_map(|option| option.strip_prefix('-')?.split_once('t'));
        let short = short().filter(|(letters, _)| !letters.starts_with('-')).map(|(_, value)| value);
        let long = options.iter().filter(|option| option.starts_with("--t"));
        let long = long.map(|option| option.split_once('=').map_or("", |(_, value)| value));
        let targets: Vec<OsString> = short.chain(long).filter(|_| has_target).map(OsString::from).collect();
        let mut sources = operands.clone();
        if targets.is_empty() && sources.len() > 1 {
            sources.pop();
        }
        CopiedPaths { sources, destinations: operands.into_iter().chain(targets).collect() }
    }
}

/// The program that copies or unpacks among `words`, and the words behind it.
fn inner_program(words: &[PlannedWord]) -> Option<(&str, &[PlannedWord])> {
    let first = base_name(words.first()?.literal()?);
    let is_known = |name: &str| COPIES.contains(&name) || is_unpacker(name);
    let at = match RUNS_ANOTHER.contains(&first) {
        _ if first == "git" => words.iter().position(|word| word.literal() == Some("mv"))?,
        true => words.iter().position(|word| word.literal().is_some_and(|text| is_known(base_name(text))))?,
        false => 0,
    };
    let name = base_name(words[at].literal()?);
    is_known(name).then_some((name, &words[at + 1..]))
}

fn is_unpacker(program: &str) -> bool {
    matches!(
        program,
        "tar"
            | "gtar"
            | "bsdtar"
            | "unzip"
            | "cpio"
            | "pax"
            | "7z"
            | "7za"
            | "7zr"
            | "7zz"
            | "unrar"
            | "rar"
            | "unar"
            | "jar"
    )
}

/// Whether `program`, told `words`, writes the files that an archive holds.
fn unpacks(program: &str, words: &[impl AsRef<str>]) -> bool {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let clusters =
        || words.iter().filter_map(|word| word.strip_prefix('-')).filter(|letters| !letters.starts_with('-'));
    let has_letter = |wanted: &[char]| clusters().any(|letters| letters.contains(wanted));
    let has_word = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let begins = |start: &str| words.iter().any(|word| word.starts_with(start));
    match program {
        "tar" | "gtar" | "bsdtar" => {
            // The first word may be a cluster without a dash.
            let first = words.first().filter(|word| !word.starts_with('-')).copied();
            let flags = |letters: &str| {
                letters.split(|letter| TAR_VALUED.contains(letter)).next().unwrap_or_default().to_owned()
            };
            let has = |letter: char| {
                first.is_some_and(|letters| letters.contains(letter))
                    || clusters().any(|word| flags(word).contains(letter))
            };
            let prints = has('O') || begins("--to-s");
            (has('x') || begins("--ext") || begins("--ge")) && !prints
        }
        "unzip" => !has_letter(&['l', 'p', 't', 'v', 'z', 'Z']),
        "cpio" => (has_letter(&['i', 'p']) && !has_letter(&['t'])) || begins("--extract") || begins("--pass"),
        "pax" => has_letter(&['r']),
        "jar" => words.first().is_some_and(|letters| letters.contains('x')) || begins("--extract"),
        "unar" => true,
        "7z" | "7za" | "7zr" | "7zz" | "unrar" | "rar" => has_word(&["e", "x"]) && !has_word(&["-so"]),
        _ => false,
    }
}

/// Whether `source` lies on another machine: `host:path`, `rsync://host/path`.
fn is_elsewhere(source: &OsString) -> bool {
    let text = source.to_string_lossy();
    text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}
