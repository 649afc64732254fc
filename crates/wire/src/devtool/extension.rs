//! The version in an extension's address, such as the `v0` in `…/developer-profile/v0/spec.md`, read by the rules of
//! Semantic Versioning 2.0.0; numbers that are not there are zero, so `v0` is 0.0.0.

#[cfg(test)]
mod tests;

use std::fmt;

/// The address of a version of an extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExtensionUri {
    before: String,
    after: String,
    version: ExtensionVersion,
}

/// Major, minor and patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensionVersion {
    /// Changes when something breaks.
    pub major: u32,
    /// Changes when something is added.
    pub minor: u32,
    /// Changes when something is mended.
    pub patch: u32,
}

impl ExtensionUri {
    /// Read an address; `None` when no part of its path is a version. The last one that is counts.
    pub fn parse(uri: &str) -> Option<ExtensionUri> {
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        let mut end = path.len();
        loop {
            let start = path[..end].rfind('/')? + 1;
            if let Some(version) = ExtensionVersion::read(&path[start..end]) {
                let (before, after) = (uri[..start].to_owned(), uri[end..].to_owned());
                return Some(ExtensionUri { before, after, version });
            }
            end = start - 1;
        }
    }

    /// Its version.
    pub fn version(&self) -> ExtensionVersion {
        self.version
    }

    /// True if both are versions of one extension.
    pub fn is_same_extension(&self, other: &ExtensionUri) -> bool {
        self.before == other.before && self.after == other.after
    }

    /// True if both mean one extension, wherever its document is kept: the address around the version may differ in its
    /// scheme, its host and its branch, but ends the same way.
    pub fn names_the_same_extension(&self, other: &ExtensionUri) -> bool {
        let name = |uri: &ExtensionUri| uri.before.trim_end_matches('/').rsplit('/').next().map(str::to_lowercase);
        self.is_same_extension(other) || (name(self) == name(other) && name(self).is_some_and(|name| !name.is_empty()))
    }

    /// True if an agent that speaks `self` understands a client that speaks `other`: the same extension, nothing broken
    /// in between, and nothing that was added later. Before 1.0.0 every step may break, so the first number that is not
    /// zero plays the part of the major one.
    pub fn supports(&self, other: &ExtensionUri) -> bool {
        self.is_same_extension(other)
            && self.version.series() == other.version.series()
            && self.version >= other.version
    }
}

impl ExtensionVersion {
    fn read(segment: &str) -> Option<ExtensionVersion> {
        let mut numbers = segment.strip_prefix('v')?.split('.').map(number);
        let version = ExtensionVersion {
            major: numbers.next()??,
            minor: numbers.next().unwrap_or(Some(0))?,
            patch: numbers.next().unwrap_or(Some(0))?,
        };
        numbers.next().is_none().then_some(version)
    }

    /// The numbers that must be equal for two versions to understand each other.
    fn series(self) -> (u32, u32, u32) {
        match (self.major, self.minor) {
            (0, 0) => (0, 0, self.patch),
            (0, minor) => (0, minor, 0),
            (major, _) => (major, 0, 0),
        }
    }
}

/// A number without leading zeros.
fn number(text: &str) -> Option<u32> {
    let fits = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if fits { text.parse().ok() } else { None }
}

impl fmt::Display for ExtensionVersion {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
