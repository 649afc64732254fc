//! The address of a bucket.

use crate::error::BucketError;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which bucket, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketAddress {
    pub(crate) place: BucketProvider,
    /// The beginning of every key; empty for none.
    pub(crate) prefix: String,
}

/// Whose bucket it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BucketProvider {
    Google(String),
    Amazon(String),
    Azure(String),
    Directory(PathBuf),
}

impl BucketAddress {
    /// Read an address. A bare name is a bucket of Google's, as the seeds have it.
    pub fn parse(text: &str) -> Result<BucketAddress, BucketError> {
        let refuse = |why| BucketError::Address(text.to_owned(), why);
        let (scheme, rest) = text.split_once("://").unwrap_or(("gs", text));
        if scheme == "file" {
            let directory = Path::new(rest);
            if !directory.is_absolute() {
                return Err(refuse("a directory is given by its absolute path"));
            }
            return Ok(BucketAddress { place: BucketProvider::Directory(directory.to_owned()), prefix: String::new() });
        }
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return Err(refuse("a name has letters, digits, dots and dashes only"));
        }
        let prefix = prefix.trim_matches('/').to_owned();
        if prefix.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(refuse("a prefix does not climb"));
        }
        let name = name.to_owned();
        let place = match scheme {
            "gs" => BucketProvider::Google(name),
            "s3" => BucketProvider::Amazon(name),
            "az" => BucketProvider::Azure(name),
            _ => return Err(refuse("its scheme is not known")),
        };
        Ok(BucketAddress { place, prefix })
    }

    /// The directory it is, if it is one.
    pub fn directory(&self) -> Option<&Path> {
        match &self.place {
            BucketProvider::Directory(path) => Some(path),
            BucketProvider::Google(_) | BucketProvider::Amazon(_) | BucketProvider::Azure(_) => None,
        }
    }
}

impl fmt::Display for BucketAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            BucketProvider::Google(name) => write!(f, "gs://{name}")?,
            BucketProvider::Amazon(name) => write!(f, "s3://{name}")?,
            BucketProvider::Azure(name) => write!(f, "az://{name}")?,
            BucketProvider::Directory(path) => write!(f, "file://{}", path.display())?,
        }
        if self.prefix.is_empty() { Ok(()) } else { write!(f, "/{}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn told(text: &str) -> String {
        BucketAddress::parse(text).map_or_else(|error| error.to_string(), |address| address.to_string())
    }

    #[test]
    fn addresses_are_read_and_said_alike() {
        assert_eq!(told("tasks"), "gs://tasks");
        assert_eq!(told("gs://tasks/team/a/"), "gs://tasks/team/a");
        assert_eq!(told("s3://tasks"), "s3://tasks");
        assert_eq!(told("az://tasks/x"), "az://tasks/x");
        assert_eq!(told("file:///srv/tasks"), "file:///srv/tasks");
    }

    #[test]
    fn what_names_no_bucket_is_refused_with_the_forms_that_do() {
        for bad in ["", "gs://", "file://here", "ftp://x", "gs://a b", "gs://a/../b", "tasks?x=1"] {
            let said = told(bad);
            assert!(said.contains("names no bucket") && said.contains("file:///DIRECTORY"), "{bad:?}: {said}");
        }
    }
}
