use super::super::WordRole;
use super::*;
use pretty_assertions::assert_eq;
use std::path::Path;

fn search_words(program: &str, words: &[&str]) -> Option<Vec<String>> {
    search_words_without(program, words, &[])
}

/// The same where files of these names are found.
fn search_words_without(program: &str, words: &[&str], secrets: &[&str]) -> Option<Vec<String>> {
    let resolved = |word: &&str| ResolvedWord { word: RunnableWord::text(*word), role: WordRole::Option };
    let mut left_out = LeftOutNames::default();
    for secret in secrets {
        left_out.add(Path::new("/ws"), &Path::new("/ws").join(secret), "x").unwrap();
    }
    let told = told_to_leave_out(program, words.iter().map(resolved).collect(), &left_out).ok()?;
    Some(told.iter().map(|word| word.literal().unwrap().to_str().unwrap().to_owned()).collect())
}

#[test]
fn the_last_glob_is_ours() {
    let told = |words: &[&str]| search_words("rg", words).map(|told| told.join(" "));
    let ours = "--glob=!.bzr --glob=!.git --glob=!.hg --glob=!.jj --glob=!.svn \
                --iglob=!.bzr --iglob=!.git --iglob=!.hg --iglob=!.jj --iglob=!.svn --no-ignore-messages";
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
    assert!(may_search("diff", &["diff", "a", "b"]) && !may_search("sdiff", &["sdiff", "a", "b"]));
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

#[test]
fn secrets_are_left_out_after_everything_else_that_was_said() {
    let told = |program: &str, words: &[&str]| {
        let ours = |word: &String| !["git", "bzr", "hg", "jj", "svn"].iter().any(|name| word.ends_with(name));
        let words = search_words_without(program, words, &["a/.env", "b/.env", "we[*]rd.pem", ".ssh/x"])?;
        Some(words.into_iter().filter(ours).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(
        told("grep", &["-r", "--include=*.rs", "x", "--", "-y"]).unwrap(),
        "--exclude-dir=.ssh -r --include=*.rs x --exclude=.env --exclude=we\\[\\*\\]rd.pem -- -y"
    );
    assert_eq!(
        told("rg", &["-g", "*.env", "x"]).unwrap(),
        "-g *.env x --iglob=!.env --iglob=!we\\[\\*\\]rd.pem --iglob=!.ssh --no-ignore-messages"
    );
    assert_eq!(
        told("diff", &["-r", "a", "b"]).unwrap(),
        "--exclude=.env --exclude=we\\[\\*\\]rd.pem --exclude=.ssh -r a b"
    );
    assert_eq!(told("ag", &["x"]), None);
    assert_eq!(told("grep", &["-r", "-e", "--", "x"]), None);
}
