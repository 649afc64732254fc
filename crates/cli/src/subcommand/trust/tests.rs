use super::*;
use pretty_assertions::assert_eq;

#[test]
fn only_what_would_count_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(find_trust_dependent(folder.path()), []);
    std::fs::create_dir_all(folder.path().join(".gemini/commands")).unwrap();
    std::fs::write(folder.path().join(".gemini/settings.json"), "{}").unwrap();
    std::fs::write(folder.path().join("GEMINI.md"), "").unwrap();
    assert_eq!(
        find_trust_dependent(folder.path()),
        [(".gemini/settings.json", "settings that narrow yours"), (".gemini/commands", "commands")]
    );
}

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
