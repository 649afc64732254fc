use super::super::WordRole;
use super::*;
use pretty_assertions::assert_eq;

fn search_words(program: &str, words: &[&str]) -> Option<Vec<String>> {
    let resolved = |word: &&str| ResolvedWord { word: RunnableWord::text(*word), role: WordRole::Option };
    let told = without_repositories(program, words.iter().map(resolved).collect()).ok()?;
    Some(told.iter().map(|word| word.literal().unwrap().to_str().unwrap().to_owned()).collect())
}

#[test]
fn the_last_glob_is_ours() {
    let told = |words: &[&str]| search_words("rg", words).map(|told| told.join(" "));
    let ours = "--glob=!.bzr --glob=!.git --glob=!.hg --glob=!.jj --glob=!.svn \
                --iglob=!.bzr --iglob=!.git --iglob=!.hg --iglob=!.jj --iglob=!.svn";
    assert_eq!(told(&["-g", ".git", "x"]).unwrap(), format!("-g .git x {ours}"));
    assert_eq!(told(&["x", "--", "src"]).unwrap(), format!("x {ours} -- src"));
    assert_eq!(told(&["--", "src"]).unwrap(), format!("{ours} -- src"));
    // It is the pattern here.
    assert_eq!(told(&["-e", "--", "src"]), None);
}

#[test]
fn a_search_is_known_by_its_options() {
    let may_search = |program: &str, words: &[&str]| {
        super::may_search(program, &words.iter().map(|word| PlannedWord::text(*word)).collect::<Vec<_>>())
    };
    for option in ["-R", "-r", "-nR", "-drecurse", "-d", "--rec", "--dereference-r", "--directories=recurse"] {
        assert!(may_search("grep", &["grep", option, "x"]), "{option}");
    }
    assert!(may_search("rg", &["rg", "x"]));
    assert!(!may_search("grep", &["grep", "-n", "--include=*.rs", "error", "a.txt"]));
    assert!(!may_search("cat", &["cat", "-r"]));
    for program in ["egrep", "fgrep"] {
        assert!(may_search(program, &[program, "-r", "x"]) && !may_search(program, &[program, "x"]));
    }
    assert!(may_search("rgrep", &["rgrep", "x"]));
}

#[test]
fn every_search_leaves_out_what_version_control_keeps() {
    for program in ["grep", "egrep", "fgrep", "rgrep"] {
        assert!(search_words(program, &["-r", "x"]).unwrap().contains(&"--exclude-dir=.git".to_owned()), "{program}");
    }
    assert!(search_words("diff", &["-ru", "a", "b"]).unwrap().contains(&"--exclude=.git".to_owned()));
    assert_eq!(search_words("diff", &["-u", "a", "b"]).unwrap(), ["-u", "a", "b"]);
    // Others do so unless an option says otherwise.
    assert_eq!(search_words("ag", &["-il", "x", "src"]).unwrap(), ["-il", "x", "src"]);
    for option in ["-u", "--hidden", "-iu"] {
        assert_eq!(search_words("ag", &[option, "x"]), None);
    }
}
