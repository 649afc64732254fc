use super::*;
use pretty_assertions::assert_eq;

#[test]
fn trust_is_missed_only_where_it_would_count() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = "this folder is not trusted, and has nothing that would count if it were";
    assert_eq!(trust(folder.path(), FolderTrust::Unknown), DoctorCheck::neutral("trust", nothing));
    assert_eq!(trust(folder.path(), FolderTrust::Trusted), DoctorCheck::good("trust", "this folder is trusted"));
    std::fs::create_dir_all(folder.path().join(".gemini/agents")).unwrap();
    std::fs::write(folder.path().join(".env"), "A=1").unwrap();
    let missed = DoctorCheck::missing(
        "trust",
        "this folder is not trusted, so this does not count: .env, .gemini/agents",
        "`pollux trust`, if you know what is in it",
    );
    assert_eq!(trust(folder.path(), FolderTrust::Untrusted), missed);
    let counted = DoctorCheck::good("trust", "this folder is trusted, with .env, .gemini/agents");
    assert_eq!(trust(folder.path(), FolderTrust::Trusted), counted);
}
