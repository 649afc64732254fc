//! Files that Pollux itself obeys: rules, settings, trust, tokens, sessions. They may lie in a workspace, above all in one that is
//! the home directory, and whoever changes them decides what runs without a question. So do the files in a home directory that
//! programs start or read by themselves.
//!
//! Whoever loads such files says where they lie. They are compared by where they really are, links followed, and by every link on
//! the way there. A file may also have two names without a link (`ln`, a bind mount), so those that exist are compared by identity
//! as well.

use std::collections::{HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

#[cfg(test)]
mod tests;

/// What a person reads where a file decides what Pollux does.
const OBEYED: &str = "what Pollux itself obeys";
/// What a person reads where a file of theirs decides what programs do.
const OF_HOME: &str = "the configuration in your home directory";

/// The most links that are followed to one file, as systems have it.
const MAX_LINKS: usize = 40;
/// The most names of one directory that are looked at.
const MAX_NAMES: usize = 1000;
/// How deep directories are looked into.
const MAX_DEPTH: usize = 5;

/// Where the files lie that Pollux obeys: absolute paths, as their loaders have them. None has to exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObeyedPlaces {
    /// Files, and directories with everything below them.
    pub files: Vec<PathBuf>,
    /// Directories in which files are read at any depth.
    pub trees: Vec<PathBuf>,
    /// Files of rules, and directories of which every `*.toml` is one.
    pub rules: Vec<PathBuf>,
    /// Directories in which Pollux keeps what it knows. A workspace may lie in one.
    pub storage: Vec<PathBuf>,
    /// The person's home directory.
    pub home: Option<PathBuf>,
    /// Where programs keep the person's settings, if not in a hidden directory of the home directory.
    pub config_home: Option<PathBuf>,
    /// Directories in which programs are looked for.
    pub programs: Vec<PathBuf>,
}

/// The same for one workspace, with all links followed.
#[derive(Clone, Debug, Default)]
pub(super) struct ResolvedPlaces {
    /// Protected with everything below them.
    whole: Vec<PathBuf>,
    /// Protected with the rules directly in them.
    rules: Vec<PathBuf>,
    /// Links by which Pollux comes to them.
    links: Vec<PathBuf>,
    /// Those of them that are files now, and the files directly in those that are directories, whatever they are called elsewhere.
    identities: HashSet<FileIdentity>,
    /// A home directory in the workspace, whose hidden entries are protected.
    home: Option<PathBuf>,
    /// Protected with everything below them, for their programs' sake.
    of_home: Vec<PathBuf>,
}

/// What a file is, by whichever name: its device and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// That of a regular file; a link is none.
    fn of(path: &Path) -> Option<FileIdentity> {
        let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(FileIdentity { device: metadata.dev(), inode: metadata.ino() })
    }
}

impl ObeyedPlaces {
    /// The places as they are now, for a workspace of these `roots`: real paths.
    pub(super) fn resolve(&self, roots: &[&Path]) -> ResolvedPlaces {
        let mut resolved = ResolvedPlaces::default();
        let is_inside = |place: &Path| roots.iter().any(|root| place.starts_with(root));
        for file in &self.files {
            let place = resolved.follow(file);
            resolved.look_into(&place, |_| true);
            resolved.whole.push(place);
        }
        for tree in &self.trees {
            let place = resolved.follow(tree);
            resolved.look_into_tree(&place, MAX_DEPTH);
            resolved.whole.push(place);
        }
        for rules in &self.rules {
            let place = resolved.follow(rules);
            resolved.look_into(&place, is_rule_file);
            resolved.rules.push(place);
        }
        for storage in &self.storage {
            let place = resolved.follow(storage);
            let is_around = roots.iter().any(|root| root.starts_with(&place) && **root != place);
            resolved.whole.extend((!is_around).then_some(place));
        }
        let home = self.home.as_deref().map(destination_of);
        let config = self.config_home.as_deref().map(destination_of);
        let own_programs = home.as_ref().map(|home| home.join(".local/bin"));
        resolved.of_home.extend(config.into_iter().chain(own_programs).filter(|place| is_inside(place)));
        resolved.home = home.filter(|home| is_inside(home));
        if let Some(home) = &resolved.home {
            let programs = self.programs.iter().map(|programs| destination_of(programs));
            resolved.of_home.extend(programs.filter(|programs| programs.starts_with(home) && programs != home));
        }
        resolved
    }
}

impl ResolvedPlaces {
    /// What the file at `path`, an absolute one, is, if changing it changes what Pollux or programs of the person do.
    pub(super) fn find(&self, path: &Path) -> Option<&'static str> {
        let is_obeyed = || {
            self.whole.iter().any(|place| is_in(path, place))
                || self.rules.iter().any(|place| is_rule_in(path, place))
                || self.links.iter().any(|link| is_same(path, link))
                || FileIdentity::of(path).is_some_and(|file| self.identities.contains(&file))
        };
        let is_of_home = || {
            let inside = self.home.as_deref().and_then(|home| below(path, home));
            inside.is_some_and(is_hidden) || self.of_home.iter().any(|place| is_in(path, place))
        };
        is_obeyed().then_some(OBEYED).or_else(|| is_of_home().then_some(OF_HOME))
    }

    /// The same of a directory that is moved or replaced with everything in it.
    pub(super) fn find_below(&self, directory: &Path) -> Option<&'static str> {
        let is_above = |place: &PathBuf| is_in(place, directory);
        let mut obeyed = self.whole.iter().chain(&self.rules).chain(&self.links);
        let is_obeyed = obeyed.any(is_above).then_some(OBEYED);
        is_obeyed.or_else(|| self.of_home.iter().chain(&self.home).any(is_above).then_some(OF_HOME))
    }

    /// Where `path` really leads. Every link on the way counts as well.
    fn follow(&mut self, path: &Path) -> PathBuf {
        let (links, end) = follow_links(path);
        self.links.extend(links);
        end
    }

    /// Keep what `place` is, or what the entries directly in it are whose names fit, with the links among them followed.
    fn look_into(&mut self, place: &Path, fits: impl Fn(&OsStr) -> bool + Copy) {
        self.identities.extend(FileIdentity::of(place));
        for entry in entries_of(place).filter(|entry| fits(&entry.file_name())) {
            self.identities.extend(FileIdentity::of(&entry.path()));
        }
        self.follow_links_in(place, fits);
    }

    /// The same of a directory in which files are read at any depth.
    fn look_into_tree(&mut self, place: &Path, depth: usize) {
        self.look_into(place, |_| true);
        if depth == 0 {
            return;
        }
        let is_directory = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        for entry in entries_of(place).filter(is_directory) {
            self.look_into_tree(&entry.path(), depth - 1);
        }
    }

    /// Follow the links directly in `directory` whose names fit: what they lead to is read as if it lay there.
    pub(super) fn follow_links_in(&mut self, directory: &Path, fits: impl Fn(&OsStr) -> bool) {
        for entry in entries_of(directory).filter(|entry| is_link(entry) && fits(&entry.file_name())) {
            let end = self.follow(&entry.path());
            self.identities.extend(FileIdentity::of(&end));
            self.whole.push(end);
        }
    }
}

fn entries_of(directory: &Path) -> impl Iterator<Item = DirEntry> {
    std::fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_NAMES)
}

fn is_link(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_symlink())
}

/// Where `path` leads, as far as it exists.
pub(super) fn destination_of(path: &Path) -> PathBuf {
    follow_links(path).1
}

/// The links on the way to where `path` leads, each by its real place, and where that is. What does not exist has no links.
pub(super) fn follow_links(path: &Path) -> (Vec<PathBuf>, PathBuf) {
    let parts_of = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<OsString>>();
    let mut parts: VecDeque<OsString> = parts_of(path).into();
    let (mut links, mut current) = (Vec::new(), PathBuf::from("/"));
    while let Some(part) = parts.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => drop(current.pop()),
            Some(Component::CurDir) | None => {}
            Some(Component::RootDir | Component::Prefix(_) | Component::Normal(_)) => current.push(&part),
        }
        if let Ok(target) = current.read_link()
            && links.len() < MAX_LINKS
        {
            links.push(current.clone());
            current.pop();
            parts_of(&target).into_iter().rev().for_each(|part| parts.push_front(part));
        }
    }
    (links, current)
}

/// `path` relative to `place`, if it lies there. File systems may ignore case.
fn below<'a>(path: &'a Path, place: &Path) -> Option<&'a Path> {
    let mut parts = path.components();
    let fits = |part: Component<'_>| {
        parts.next().is_some_and(|other| other.as_os_str().eq_ignore_ascii_case(part.as_os_str()))
    };
    place.components().all(fits).then_some(parts.as_path())
}

pub(super) fn is_in(path: &Path, place: &Path) -> bool {
    below(path, place).is_some()
}

fn is_same(path: &Path, other: &Path) -> bool {
    path.as_os_str().eq_ignore_ascii_case(other.as_os_str())
}

/// Whether a path relative to a home directory begins with a hidden name.
fn is_hidden(inside: &Path) -> bool {
    inside.components().next().is_some_and(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// Whether `path` is `place`, a file of rules or a directory of them, or a file of rules in it.
fn is_rule_in(path: &Path, place: &Path) -> bool {
    let is_directly_in = || path.parent().is_some_and(|parent| is_same(parent, place));
    is_same(path, place) || (is_directly_in() && path.file_name().is_some_and(is_rule_file))
}

fn is_rule_file(name: &OsStr) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}
