//! What a person's rules do not cover, because it changes what decides what runs.

use super::*;
use crate::ObeyedPlaces;
use pretty_assertions::assert_eq;

#[test]
fn what_pollux_obeys_asks_under_every_rule() {
    let test = TestWorkspace::new();
    test.write("conf/pol/a.toml", "");
    let obeyed = ObeyedPlaces {
        files: vec![test.root.join("conf/settings.json"), test.outside.join("settings.json")],
        rules: vec![test.root.join("conf/pol")],
        ..ObeyedPlaces::default()
    };
    let objection =
        |words: &[&str]| test.objection_with(FileAccess { obeyed: obeyed.clone(), ..FileAccess::default() }, words);
    let outside = test.outside.join("settings.json");
    for words in [
        vec!["touch", "conf/settings.json"],
        vec!["cp", "a.txt", "conf/pol/b.toml"],
        vec!["gunzip", "conf/pol/b.toml.gz"],
        vec!["cp", "a.txt", outside.to_str().unwrap()],
        vec!["mv", "conf", "elsewhere"],
        vec!["rm", "conf/pol"],
    ] {
        let expected = "what Pollux itself obeys is protected: changing it always asks";
        assert_eq!(objection(&words), expected, "{words:?}");
    }
    for words in [vec!["cp", "a.txt", "conf/x.json"], vec!["touch", "conf/pol/README.md"], vec!["touch", "."]] {
        assert_eq!(objection(&words), "", "{words:?}");
    }
}

#[test]
fn what_keeps_files_from_the_model_asks_under_every_rule() {
    let test = TestWorkspace::new();
    test.write("lists/private", "x\n");
    symlink("lists/private", test.root.join(".geminiignore")).unwrap();
    let filtering = |respect_gemini_ignore| FileFilterSettings {
        respect_gemini_ignore,
        custom_ignore_files: vec![".aiexclude".into()],
        ..FileFilterSettings::default()
    };
    let objection = |respected: bool, words: &[&str]| {
        test.objection_with(FileAccess { filtering: filtering(respected), ..FileAccess::default() }, words)
    };
    for file in [".geminiignore", "src/.geminiignore", ".AIExclude", "lists/private"] {
        let expected = "the list of files that are kept from the model is protected: changing it always asks";
        assert_eq!(objection(true, &["touch", file]), expected, "{file}");
        assert_eq!(objection(false, &["touch", file]), "", "{file}");
    }
    assert_eq!(objection(true, &["touch", "src/.aiexclude", ".gitignore", "lists/public"]), "");
}
