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
    let mut trust = Trust::load(&file).unwrap();
    assert_eq!(trust.of(&at("a")), FolderTrust::Unknown);
    trust.set(&at("a"), TrustLevel::TrustFolder).unwrap();
    trust.set(&at("a/not"), TrustLevel::DoNotTrust).unwrap();
    trust.set(&at("b/c"), TrustLevel::TrustParent).unwrap();
    let seen = |trust: &Trust| {
        ["a", "a/in", "a/not", "a/not/deep", "b", "b/d", "other", "other/link", "nowhere"]
            .map(|path| trust.of(&at(path)))
    };
    use FolderTrust::{Trusted, Unknown, Untrusted};
    let expected = [Trusted, Trusted, Untrusted, Untrusted, Trusted, Trusted, Unknown, Untrusted, Unknown];
    assert_eq!(seen(&trust), expected);
    assert_eq!(seen(&Trust::load(&file).unwrap()), expected);
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
    let mut trust = Trust::load(&root.path().join("t.json")).unwrap();
    trust.set(&root.path().join("a"), TrustLevel::TrustFolder).unwrap();
    assert_eq!(trust.of(&root.path().join("ab")), FolderTrust::Unknown);
}

#[test]
fn where_two_say_opposite_things_of_one_folder_it_is_not_trusted() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("a/b")).unwrap();
    let mut trust = Trust::load(&root.path().join("t.json")).unwrap();
    trust.set(&root.path().join("a/b"), TrustLevel::TrustParent).unwrap();
    trust.set(&root.path().join("a"), TrustLevel::DoNotTrust).unwrap();
    assert_eq!(trust.of(&root.path().join("a")), FolderTrust::Untrusted);
}

#[test]
fn a_broken_store_is_an_error_and_is_not_overwritten() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("t.json");
    let mut trust = Trust::load(&file).unwrap();
    for text in ["{", "[]", "{\"/a\": \"YES\"}"] {
        fs::write(&file, text).unwrap();
        assert!(matches!(Trust::load(&file), Err(TrustError::Broken { .. })), "{text}");
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
    let mut trust = Trust::load(&link).unwrap();
    trust.set(&root.path().join("a"), TrustLevel::TrustFolder).unwrap();
    assert!(!trust.forget(&root.path().join("b")).unwrap());
    assert!(trust.forget(&root.path().join("a")).unwrap());
    assert_eq!(trust.of(&root.path().join("a")), FolderTrust::Unknown);
    assert!(link.is_symlink());
    let read = Trust::load(&kept).unwrap();
    assert_eq!(read.folders().collect::<Vec<_>>(), [(Path::new("/elsewhere"), TrustLevel::DoNotTrust)]);
}
