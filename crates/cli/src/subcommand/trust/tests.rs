use super::*;
use pretty_assertions::assert_eq;

#[test]
fn the_list_says_what_was_said_and_where_it_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("trustedFolders.json");
    let told = || {
        let mut out = Vec::new();
        list(&TrustedFolders::load(&file).unwrap(), &file, &mut out).unwrap();
        String::from_utf8(out).unwrap().replace(&dir.path().display().to_string(), "~")
    };
    assert_eq!(told(), "no folder is trusted; `pollux trust` trusts the one you are in\n");
    let folders = serde_json::json!({"/gone": "DO_NOT_TRUST", dir.path().display().to_string(): "TRUST_PARENT"});
    std::fs::write(&file, folders.to_string()).unwrap();
    assert_eq!(
        told(),
        "/gone  not trusted  (not there)\n~  trusted, with the folder that holds it\n\nkept in ~/trustedFolders.json\n"
    );
}
