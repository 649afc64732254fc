//! The changelog has a place for what is not released yet.

use super::TidyFault;
use crate::repo::SourceFile;

const PATH: &str = "CHANGELOG.md";
const HEADING: &str = "# Unreleased";

pub(super) fn check(sources: &[SourceFile]) -> Option<TidyFault> {
    let Some(changelog) = sources.iter().find(|source| source.path == PATH) else {
        return Some(TidyFault::file(PATH, "there is no changelog"));
    };
    let found = changelog.text.lines().any(|line| line.trim_end() == HEADING);
    (!found).then(|| TidyFault::file(PATH, format!("has no `{HEADING}` section; what users will notice goes there")))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_changelog_needs_its_open_section() {
        assert_eq!(check(&[]), Some(TidyFault::file(PATH, "there is no changelog")));
        let what = "has no `# Unreleased` section; what users will notice goes there";
        assert_eq!(check(&[source(PATH, "# 0.1.0\n")]), Some(TidyFault::file(PATH, what)));
        assert_eq!(check(&[source(PATH, "# Unreleased\n\n- None.\n")]), None);
    }
}
