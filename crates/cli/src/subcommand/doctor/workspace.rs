//! Checks of the folder that the person is in.

use super::DoctorCheck;
use crate::folder_trust::find_trust_dependent;
use pollux_policy::FolderTrust;
use std::path::Path;

#[cfg(test)]
mod tests;

/// The trust in the folder, and if that makes a difference.
pub(super) fn trust(folder: &Path, trust: FolderTrust) -> DoctorCheck {
    const NAME: &str = "trust";
    let names: Vec<&str> = find_trust_dependent(folder).into_iter().map(|(name, _)| name).collect();
    match (trust, names.as_slice()) {
        (FolderTrust::Trusted, []) => DoctorCheck::good(NAME, "this folder is trusted"),
        (FolderTrust::Trusted, names) => {
            DoctorCheck::good(NAME, format!("this folder is trusted, with {}", names.join(", ")))
        }
        (FolderTrust::Untrusted | FolderTrust::Unknown, []) => {
            DoctorCheck::neutral(NAME, "this folder is not trusted, and has nothing that would count if it were")
        }
        (FolderTrust::Untrusted | FolderTrust::Unknown, names) => DoctorCheck::missing(
            NAME,
            format!("this folder is not trusted, so this does not count: {}", names.join(", ")),
            "`pollux trust`, if you know what is in it",
        ),
    }
}
