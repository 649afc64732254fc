//! Files that Pollux itself obeys: rules, settings, trust, tokens, sessions. They may lie in a workspace, above all in one that is
//! the home directory, and whoever changes them decides what runs without a question. So do the files in a home directory that
//! programs start or read by themselves.
//!
//! Whoever loads such files says where they lie. They are compared by where they really are, links followed, and by every link on
//! the way there.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

#[cfg(test)]
mod tests;

/// What a person reads where a file decides what Pollux does.
const OBEYED: &str = "what Pollux itself obeys";
/// What a person reads where a file of theirs decides what programs do.
const OF_HOME: &str = "the configuration in your home directory";

/// The most links that are followed to one file, as systems have it.
const MAX_LINKS: usize = 40;
/// The most names of one directory among which links are looked for.
const MAX_NAMES: usize = 1000;

/// Where the files lie that Pollux obeys: absolute paths, as their loaders have them. None has to exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObeyedPlaces {
    /// Files, and directories with everything below them.
    pub files: Vec<PathBuf>,
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
    /// A home directory in the workspace, whose hidden entries are protected.
    home: Option<PathBuf>,
    /// Protected with everything below them, for their programs' sake.
    of_home: Vec<PathBuf>,
}

impl ObeyedPlaces {
    /// The places as they are now, for a workspace of these `roots`: real paths.
    pub(super) fn resolve(&self, roots: &[&Path]) -> ResolvedPlaces {
        let mut resolved = ResolvedPlaces::default();
        let is_inside = |place: &Path| roots.iter().any(|root| place.starts_with(root));
        for file in &self.files {
            let place = resolved.follow(file);
            resolved.follow_links_in(&place, |_| true);
            resolved.whole.push(place);
        }
        for rules in &self.rules {
            let place = resolved.follow(rules);
            resolved.follow_links_in(&place, is_rule_file);
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

    /// Follow the links directly in `directory` whose names fit: what they lead to is read as if it lay there.
    fn follow_links_in(&mut self, directory: &Path, fits: impl Fn(&OsStr) -> bool) {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_NAMES);
        let is_link = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        for entry in entries.filter(|entry| is_link(entry) && fits(&entry.file_name())) {
            let end = self.follow(&entry.path());
            self.whole.push(end);
        }
    }
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
