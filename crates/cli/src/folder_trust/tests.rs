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
