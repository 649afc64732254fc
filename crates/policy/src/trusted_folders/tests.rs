use super::*;
use pretty_assertions::assert_eq;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_nearest_entry_counts_and_nothing_is_trusted_unasked() {
    let root = tempfile::tempdir().unwrap();
    let at = |path: &str| root.path().join(path);
    for folder in ["a/in", "a/not/deep", "b/c", "b/d", "other"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    std::os::unix::fs::symlink(at("a/not"), at("other/link")).unwrap();
    let file = at("config/trustedFolders.json");
    let mut trust = TrustedFolders::load(&file).unwrap();
    assert_eq!(trust.folder_trust(&at("a")), FolderTrust::Unknown);
    trust.set(&at("a"), TrustLevel::TrustFolder).unwrap();
    trust.set(&at("a/not"), TrustLevel::DoNotTrust).unwrap();
    trust.set(&at("b/c"), TrustLevel::TrustParent).unwrap();
    let seen = |trust: &TrustedFolders| {
        ["a", "a/in", "a/not", "a/not/deep", "b", "b/d", "other", "other/link", "nowhere"]
            .map(|path| trust.folder_trust(&at(path)))
    };
    use FolderTrust::{Trusted, Unknown, Untrusted};
    let expected = [Trusted, Trusted, Untrusted, Untrusted, Trusted, Trusted, Unknown, Untrusted, Unknown];
    assert_eq!(seen(&trust), expected);
    assert_eq!(seen(&TrustedFolders::load(&file).unwrap()), expected);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("\"TRUST_FOLDER\"") && text.contains("\"TRUST_PARENT\"") && text.contains("\"DO_NOT_TRUST\"")
    );
}

#[test]
fn a_name_that_begins_alike_is_not_inside() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["a", "ab"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    let mut trust = TrustedFolders::load(&root.path().join("t.json")).unwrap();
    trust.set(&root.path().join("a"), TrustLevel::TrustFolder).unwrap();
    assert_eq!(trust.folder_trust(&root.path().join("ab")), FolderTrust::Unknown);
}

#[test]
fn where_two_say_opposite_things_of_one_folder_it_is_not_trusted() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("a/b")).unwrap();
    let mut trust = TrustedFolders::load(&root.path().join("t.json")).unwrap();
    trust.set(&root.path().join("a/b"), TrustLevel::TrustParent).unwrap();
    trust.set(&root.path().join("a"), TrustLevel::DoNotTrust).unwrap();
    assert_eq!(trust.folder_trust(&root.path().join("a")), FolderTrust::Untrusted);
}

#[test]
fn a_broken_store_is_an_error_and_is_not_overwritten() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("t.json");
    let mut trust = TrustedFolders::load(&file).unwrap();
    for text in ["{", "[]", "{\"/a\": \"YES\"}"] {
        fs::write(&file, text).unwrap();
        assert!(matches!(TrustedFolders::load(&file), Err(TrustError::Broken { .. })), "{text}");
        assert!(trust.set(root.path(), TrustLevel::TrustFolder).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn what_is_forgotten_is_gone_and_the_rest_stays() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["a", "b"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    let (kept, link) = (root.path().join("dotfiles.json"), root.path().join("t.json"));
    fs::write(&kept, "{\"/elsewhere\": \"DO_NOT_TRUST\"}").unwrap();
    std::os::unix::fs::symlink(&kept, &link).unwrap();
    let mut trust = TrustedFolders::load(&link).unwrap();
    trust.set(&root.path().join("a"), TrustLevel::TrustFolder).unwrap();
    assert!(!trust.forget(&root.path().join("b")).unwrap());
    assert!(trust.forget(&root.path().join("a")).unwrap());
    assert_eq!(trust.folder_trust(&root.path().join("a")), FolderTrust::Unknown);
    assert!(link.is_symlink());
    let read = TrustedFolders::load(&kept).unwrap();
    assert_eq!(read.folders().collect::<Vec<_>>(), [(Path::new("/elsewhere"), TrustLevel::DoNotTrust)]);
}

/// A folder `p` in a folder `in` that is trusted in both ways, and where that is kept.
fn trusted_both_ways(level: TrustLevel) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let (file, folder) = (root.path().join("t.json"), root.path().canonicalize().unwrap().join("in/p"));
    fs::create_dir_all(&folder).unwrap();
    TrustedFolders::load(&file).unwrap().set(&folder, level).unwrap();
    assert_eq!(TrustedFolders::load(&file).unwrap().folder_trust(&folder), FolderTrust::Trusted);
    (root, file, folder)
}

#[test]
fn a_folder_that_took_the_place_of_a_trusted_one_is_unknown() {
    for level in [TrustLevel::TrustFolder, TrustLevel::TrustParent] {
        let (_root, file, folder) = trusted_both_ways(level);
        let trusted = trusted_root(&folder, level).unwrap();
        let of = || TrustedFolders::load(&file).unwrap().folder_trust(&folder);

        let aside = trusted.with_file_name("aside");
        fs::rename(trusted, &aside).unwrap();
        assert_eq!(of(), FolderTrust::Unknown, "it is gone");
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(of(), FolderTrust::Unknown, "another one was renamed to its place");
        assert!(TrustedFolders::load(&file).unwrap().is_outdated(&folder));

        fs::remove_dir_all(trusted).unwrap();
        fs::rename(&aside, trusted).unwrap();
        assert_eq!(of(), FolderTrust::Trusted, "it is back");

        fs::remove_dir_all(trusted).unwrap();
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(of(), FolderTrust::Unknown, "it was removed and made anew");
        TrustedFolders::load(&file).unwrap().set(&folder, level).unwrap();
        assert_eq!(of(), FolderTrust::Trusted, "the person trusts the new one");
    }
}

#[test]
fn a_link_in_the_place_of_a_trusted_folder_carries_trust_nowhere() {
    let (root, file, folder) = trusted_both_ways(TrustLevel::TrustFolder);
    let evil = root.path().join("evil");
    fs::create_dir(&evil).unwrap();
    fs::remove_dir(&folder).unwrap();
    std::os::unix::fs::symlink(&evil, &folder).unwrap();
    for path in [&evil, &folder] {
        assert_eq!(TrustedFolders::load(&file).unwrap().folder_trust(path), FolderTrust::Unknown);
    }
    // Nor does one that was there before anybody looked.
    fs::remove_file(folder_identity::file_beside(&file)).unwrap();
    for path in [&evil, &folder] {
        assert_eq!(TrustedFolders::load(&file).unwrap().folder_trust(path), FolderTrust::Unknown);
    }
}

#[test]
fn what_gemini_cli_wrote_is_taken_for_what_is_there_at_first_sight() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().canonicalize().unwrap().join(name);
    fs::create_dir(at("there")).unwrap();
    let file = at("trustedFolders.json");
    let written = serde_json::json!({ at("there").to_str().unwrap(): "TRUST_FOLDER", at("gone").to_str().unwrap(): "TRUST_FOLDER" });
    fs::write(&file, written.to_string()).unwrap();
    let of = |name: &str| TrustedFolders::load(&file).unwrap().folder_trust(&at(name));
    assert_eq!(of("there"), FolderTrust::Trusted);
    fs::create_dir(at("gone")).unwrap();
    assert_eq!(of("gone"), FolderTrust::Unknown, "nobody can have meant a folder that was made later");
    fs::rename(at("there"), at("old")).unwrap();
    fs::create_dir(at("there")).unwrap();
    assert_eq!(of("there"), FolderTrust::Unknown);
    assert_eq!(fs::read_to_string(&file).unwrap(), written.to_string(), "their file stays as they wrote it");
    // Taken out and put in again, it is what is there now.
    fs::write(&file, "{}").unwrap();
    assert_eq!(of("there"), FolderTrust::Unknown);
    fs::write(&file, written.to_string()).unwrap();
    assert_eq!(of("there"), FolderTrust::Trusted);
}

#[test]
fn what_is_not_trusted_stays_so_whatever_takes_its_place() {
    let root = tempfile::tempdir().unwrap();
    let (file, folder) = (root.path().join("t.json"), root.path().join("p"));
    fs::create_dir(&folder).unwrap();
    TrustedFolders::load(&file).unwrap().set(&folder, TrustLevel::DoNotTrust).unwrap();
    fs::remove_dir(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    assert_eq!(TrustedFolders::load(&file).unwrap().folder_trust(&folder), FolderTrust::Untrusted);
}

#[test]
fn a_broken_file_of_identities_is_an_error_that_names_it() {
    let (_root, file, _folder) = trusted_both_ways(TrustLevel::TrustFolder);
    let beside = folder_identity::file_beside(&file);
    assert_eq!(fs::metadata(&beside).unwrap().permissions().mode() & 0o777, 0o600);
    fs::write(&beside, "[").unwrap();
    let Err(TrustError::Broken { file: named, .. }) = TrustedFolders::load(&file) else { panic!("it was loaded") };
    assert_eq!(named, beside);
}
