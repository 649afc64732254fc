//! Programs that make many files at once: those that copy, move or pack directories, and those that unpack archives. No word of the
//! command names the files that they make, and a protected place or a secret may be among them.

use super::input_names::runs_with_names;
use super::packing::{PackedPaths, packed_paths};
use super::unpacking::may_unpack;
use super::{PlanObjection, PlanResolver, base_name, reads};
use ignore::WalkBuilder;
use pollux_session::{PlannedCommand, PlannedWord};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Programs that copy or move directories: the last operand says where to.
const COPIES: [&str; 7] = ["cp", "ditto", "gcp", "gmv", "mv", "rsync", "scp"];

impl PlanResolver<'_> {
    /// Whether `command`, which a person allowed, makes no protected place that nobody named.
    pub(super) fn check_copies(&self, command: &PlannedCommand) -> Result<(), PlanObjection> {
        // Which of the words of these is the program that they run is not known.
        let starts = if runs_with_names(command) { command.words.len() } else { 1 };
        (0..starts).try_for_each(|at| self.check_copies_by(&command.words[at..]))
    }

    fn check_copies_by(&self, call: &[PlannedWord]) -> Result<(), PlanObjection> {
        let Some((program, arguments)) = call.split_first() else { return Ok(()) };
        let program = base_name(program.literal().unwrap_or_default());
        let (program, arguments) = match program {
            "git" => match arguments.iter().position(|word| word.literal() == Some("mv")) {
                Some(at) => ("mv", &arguments[at + 1..]),
                None => return Ok(()),
            },
            _ => (program, arguments),
        };
        let mut words = Vec::new();
        for word in arguments {
            words.extend(self.paths_of(word)?);
        }
        let texts: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        if may_unpack(program, &texts) {
            let why = "what it unpacks is known only when it runs, and protected places may be among it";
            return Err(PlanObjection::new(why));
        }
        self.check_packed(&packed_paths(program, &texts), arguments, &texts)?;
        match COPIES.contains(&program) {
            true => self.check_copied(program, &CopiedPaths::of(program, words)),
            false => Ok(()),
        }
    }

    /// Whether nothing that a call packs is protected.
    fn check_packed(
        &self,
        packed: &PackedPaths<'_>,
        arguments: &[PlannedWord],
        texts: &[&str],
    ) -> Result<(), PlanObjection> {
        let mut directories = vec![self.directory.clone()];
        match packed {
            PackedPaths::Nothing => return Ok(()),
            PackedPaths::Unknown => return Err(PlanObjection::new("which files it packs is known only when it runs")),
            PackedPaths::Named { directory: Some(only) } => directories = vec![self.directory.join(only)],
            PackedPaths::Named { directory: None } => directories.extend(self.directories_named(arguments)?),
            PackedPaths::NamedAndHere => {
                self.check_copied_directory(&self.directory, &[])?;
                directories.extend(self.directories_named(arguments)?);
            }
        }
        let operands = || texts.iter().filter(|text| !text.starts_with('-'));
        for path in directories.iter().flat_map(|directory| operands().map(move |text| directory.join(text))) {
            self.lookups.spend(1)?;
            if path.is_dir() {
                self.check_copied_directory(&path, &[])?;
            }
        }
        Ok(())
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
        // Each with what it is called in `source`, and the links by which it is reached.
        let mut directories =
            vec![(source.to_owned(), PathBuf::new(), vec![source.canonicalize().unwrap_or_default()])];
        while let Some((directory, above, reached_by)) = directories.pop() {
            for entry in WalkBuilder::new(&directory).standard_filters(false).build() {
                self.lookups.spend(1)?;
                let Ok(entry) = entry else { continue };
                let Ok(inside) = entry.path().strip_prefix(&directory) else { continue };
                // The directory itself is a word of the command, or was met as a link, and is judged as such.
                if inside.as_os_str().is_empty() {
                    continue;
                }
                reads::check_name(entry.path())?;
                reads::check_protected(self.workspace, entry.path())?;
                let inside = above.join(inside);
                for place in &made {
                    reads::check_protected(self.workspace, &reads::without_dots(&place.join(&inside)))?;
                }
                if entry.path_is_symlink() {
                    let target = entry.path().canonicalize().unwrap_or_default();
                    reads::check_name(&target)?;
                    // Whether what it leads to is copied in its place is an option's to say.
                    if target.is_dir() && !reached_by.contains(&target) {
                        let reached_by = reached_by.iter().chain([&target]).cloned().collect();
                        directories.push((target, inside, reached_by));
                    }
                }
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

/// Whether `source` lies on another machine: `host:path`, `rsync://host/path`.
fn is_elsewhere(source: &OsString) -> bool {
    let text = source.to_string_lossy();
    text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}
