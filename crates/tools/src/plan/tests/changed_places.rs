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

#[test]
fn a_name_is_a_file_wherever_a_program_is_told_to_go() {
    let test = TestWorkspace::new();
    for file in ["sub/id_rsa", "sub/deep/token", "sub/notes", "sub/plain"] {
        test.write(file, "x\n");
    }
    fs::remove_file(test.root.join("sub/notes")).unwrap();
    symlink("id_rsa", test.root.join("sub/notes")).unwrap();
    for words in [
        vec!["env", "-C", "sub", "cat", "id_rsa"],
        vec!["env", "--chdir=sub", "cat", "id_rsa"],
        vec!["tar", "-cf", "-", "-Csub", "id_rsa"],
        vec!["tar", "cfC", "-", "sub", "id_rsa"],
        vec!["env", "-C", "sub", "env", "-C", "deep", "cat", "token"],
        vec!["env", "-C", "sub", "cat", "notes"],
        vec!["curl", "--output-dir", "sub", "-Tid_rsa"],
    ] {
        let objection = test.objection_to_allowed(&words);
        assert!(objection.contains("is protected: it holds "), "{words:?}: {objection}");
    }
    for words in [
        vec!["env", "-C", "sub", "cat", "plain"],
        vec!["pytest", "sub", "-k", "token"],
        vec!["cargo", "test", "id_rsa"],
        vec!["make", "-C", "sub", "credentials"],
    ] {
        assert_eq!(test.objection_to_allowed(&words), "", "{words:?}");
    }
}

#[test]
fn a_push_runs_no_hooks_of_a_repository_on_this_machine() {
    let test = TestWorkspace::new();
    test.git(&["init", "-q", "."]);
    test.git(&["remote", "add", "origin", "https://example.org/x.git"]);
    let push = |words: &[&str]| test.objection_to_allowed(&[&["git"], words].concat());
    assert_eq!(push(&["push"]), "");
    test.git(&["remote", "add", "evil", "./vendor/repo"]);
    assert_eq!(push(&["push", "evil", "HEAD:refs/heads/x"]), "the hooks of the repository in ./vendor/repo may run");
    // Which one it is without a name is a matter of many settings.
    assert_eq!(push(&["push"]), "the hooks of the repository in ./vendor/repo may run");
    assert_eq!(push(&["push", "-u", "origin", "main"]), "");
    assert_eq!(push(&["stash", "push"]), "");
    test.git(&["remote", "set-url", "--push", "origin", "file:///srv/x"]);
    assert_eq!(push(&["push", "origin"]), "the hooks of the repository in file:///srv/x may run");
    test.git(&["remote", "remove", "evil"]);
    test.git(&["remote", "set-url", "--push", "origin", "git@example.org:x"]);
    assert_eq!(push(&["push", "origin"]), "");
    test.git(&["config", "url../vendor/.insteadOf", "https://example.org/"]);
    assert_eq!(push(&["push", "origin"]), "the hooks of the repository in ./vendor/ may run");
}

#[test]
fn a_push_without_a_name_goes_where_every_setting_says() {
    let test = TestWorkspace::new();
    test.git(&["init", "-q", "."]);
    test.git(&["remote", "add", "origin", "https://example.org/x.git"]);
    let push = |words: &[&str]| test.objection_to_allowed(&[&["git", "push"], words].concat());
    let here = "the hooks of the repository in ./vendor/repo may run";
    for key in ["remote.pushDefault", "branch.main.remote", "branch.main.pushRemote"] {
        test.git(&["config", key, "./vendor/repo"]);
        assert_eq!(push(&[]), here, "{key}");
        // A word that looks like the remote's name is not yet where it goes.
        assert_eq!(push(&["-o", "origin"]), here, "{key}");
        assert_ne!(push(&["--unknown", "origin"]), "", "{key}");
        assert_eq!(push(&["-q", "origin", "main"]), "", "{key}");
        test.git(&["config", key, "origin"]);
        assert_eq!(push(&["-o", "x"]), "", "{key}");
    }
    for key in
        ["remote.origin.vcs", "remote.origin.receivepack", "push.recurseSubmodules", "submodule.recurse", "remotes.x"]
    {
        test.git(&["config", key, "x"]);
        assert!(push(&["origin"]).starts_with("where it goes cannot be told"), "{key}");
        test.git(&["config", "--unset", key]);
        assert_eq!(push(&["origin"]), "", "{key}");
    }
    assert_ne!(test.objection_to_allowed(&["git", "-C", "src", "push"]), "");
}

#[test]
fn a_patch_that_changes_a_protected_place_asks() {
    let test = TestWorkspace::new();
    test.git(&["init", "-q", "."]);
    let patch = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n");
    test.write("good.patch", &patch("src/lib.rs"));
    test.write("tasks.patch", &patch(".vscode/tasks.json"));
    test.write("unsafe.patch", &patch("../UNSAFE.txt"));
    test.write("sub/secret.patch", "diff --git a/x b/.env\nrename from x\nrename to .env\n");
    test.write("odd.patch", "--- /dev/null\n+++ \"b/.v\\163code/tasks.json\"\n");
    test.write("mail", "Content-Transfer-Encoding: BASE64\n\nLS0tIGEv\n");
    test.write("folded", "Content-Transfer-Encoding:\n base64\n\nLS0tIGEv\n");
    test.write("old.patch", "diff --git a/x b/x\nrename old x\nrename new .bashrc\n");
    test.write(
        "dated.patch",
        "--- a/.bashrc 1970-01-01 00:00:00 +0000\n+++ b/.bashrc 2020-01-01 00:00:00 +0000\n@@ -0,0 +1 @@\n+x\n",
    );
    let indented = |by: &str| patch(".bashrc").lines().map(|line| format!("{by}{line}\n")).collect::<String>();
    test.write("indented.patch", &indented("  "));
    test.write("crossed.patch", &indented("X"));
    test.write("stack/series", "# This series applies on GIT commit 0123\nother.patch\n");
    test.write("maildir/new/1", &patch(".bashrc"));
    test.write("bash.patch", &patch(".bash"));
    test.write("numbered.patch", &patch("src/lib.rs").replace("@@ -1 +1 @@", "@@ -1,9 +1,9 @@"));
    for words in [
        &["git", "apply", "good.patch"][..],
        &["git", "-C", "src", "apply", "../good.patch"],
        &["git", "am", "good.patch"],
        &["git", "am", "--continue"],
        &["patch", "-p1", "-i", "good.patch"],
        &["patch", "-Np1", "--input=good.patch"],
        &["patch", "src/lib.rs", "good.patch"],
        &["git", "apply", "--check", "-3p1", "good.patch"],
        &["git", "stash", "apply"],
        &["npm", "version", "patch"],
        &["npm", "run", "patch", "--", "-x"],
    ] {
        assert_eq!(test.objection_to_allowed(words), "", "{words:?}");
    }
    for words in [
        &["git", "apply", "tasks.patch"][..],
        &["git", "apply", "--index", "good.patch", "tasks.patch"],
        &["git", "--no-pager", "apply", "tasks.patch"],
        &["git", "apply", "--unsafe-paths", "unsafe.patch"],
        &["git", "-C", "sub", "apply", "secret.patch"],
        &["git", "apply", "odd.patch"],
        &["git", "am", "mail"],
        &["patch", "-p1", "-itasks.patch"],
        &["git", "apply", "-"],
        &["git", "apply"],
        &["git", "apply", "made-later.patch"],
        &["git", "apply", "old.patch"],
        &["git", "apply", "dated.patch"],
        &["patch", "-p1", "-i", "dated.patch"],
        &["patch", "-p1", "-i", "indented.patch"],
        &["patch", "-p1", "-i", "crossed.patch"],
        &["git", "am", "folded"],
        &["git", "am", "stack/series"],
        &["git", "am", "maildir", "good.patch"],
        &["git", "am", "--exclude", "--skip", "maildir"],
        &["git", "am", "--skip", "maildir"],
        &["patch", "-b", "-z", "rc", "-p1", "-i", "bash.patch"],
        &["patch", "-p1", "-B.vscode/", "-i", "good.patch"],
        &["git", "apply", "--recount", "good.patch"],
        &["git", "apply", "numbered.patch"],
        &["git", "apply", "good.patch", "-"],
        &["patch", "a.txt", "good.patch", "tasks.patch"],
        // What another program starts is told more than can be read here.
        &["parallel", "patch", "-p1", "-i", "good.patch", ":::", "1"],
        &["parallel", "patch -p1 -i tasks.patch", ":::", "1"],
        &["parallel", "git", "apply", ":::", "tasks.patch"],
        &["wrapper", "patch", "-p1", "-i", "tasks.patch"],
        &["wrapper", "/usr/bin/patch", "a.txt", "tasks.patch"],
        &["wrapper", "git", "apply", "tasks.patch"],
    ] {
        assert_ne!(test.objection_to_allowed(words), "", "{words:?}");
    }
}

#[test]
fn a_copied_directory_holds_no_protected_place() {
    let test = TestWorkspace::new();
    for file in ["payload/.vscode/tasks.json", "keys/id_rsa", "plain/a/b.txt", "rules/policy.toml"] {
        test.write(file, "x");
    }
    fs::create_dir_all(test.root.join("links")).unwrap();
    symlink("../keys/id_rsa", test.root.join("links/x")).unwrap();
    test.write("around/deep/a", "x");
    symlink("../../payload", test.root.join("around/deep/link")).unwrap();
    symlink(".", test.root.join("plain/a/again")).unwrap();
    let obeyed = ObeyedPlaces { rules: vec![test.root.join("policy.toml")], ..ObeyedPlaces::default() };
    let objection =
        |words: &[&str]| test.objection_with(FileAccess { obeyed: obeyed.clone(), ..FileAccess::default() }, words);
    for words in [
        &["cp", "-r", "payload/.", "."][..],
        &["cp", "-r", "-t", ".", "payload"],
        &["cp", "-rt.", "payload"],
        &["mv", "payload", "dst"],
        &["git", "mv", "payload", "dst"],
        &["rsync", "-a", "payload/", "dst"],
        &["rsync", "-rt", "payload/", "dst"],
        &["rsync", "-a", "host:payload/", "dst"],
        &["cp", "-r", "keys", "dst"],
        &["cp", "-rL", "links", "dst"],
        &["cp", "-rL", "around", "dst"],
        &["cp", "-r", "--dereference", "around/deep", "dst"],
        &["cp", "-r", "rules/.", "."],
        &["tar", "xf", "p.tar"],
        &["tar", "-xf", "p.tar", "--exclude", "-O"],
        &["unzip", "-dlib", "p.zip"],
        &["gunzip", "-kN", "y.gz"],
        &["jar", "-f", "p.jar", "-x"],
        &["ar", "x", "l.a"],
        &["tar", "-C", "src", "-xzf", "p.tgz"],
        &["tar", "--extract", "-f", "p.tar"],
        &["unzip", "-o", "p.zip"],
        &["cpio", "-id"],
        &["7z", "x", "p.7z"],
    ] {
        assert_ne!(objection(words), "", "{words:?}");
    }
    for words in [
        &["cp", "a.txt", "b.txt"][..],
        &["cp", "a.txt", "src"],
        &["cp", "-r", "plain", "dst"],
        &["cp", "-r", "rules", "dst"],
        &["mv", "plain", "dst"],
        &["mv", "a.txt", "payload"],
        &["cp", "-r", "plain", "-t", "src"],
        &["rsync", "-a", "plain/", "host:dst"],
        &["tar", "czf", "p.tgz", "plain"],
        &["tar", "-tf", "extra.tar"],
        &["tar", "-xOf", "p.tar"],
        &["unzip", "-l", "p.zip"],
        &["cargo", "test", "tar", "x"],
    ] {
        assert_eq!(objection(words), "", "{words:?}");
    }
}

/// What is packed can be printed from the archive, which has no secret's name.
#[test]
fn a_packed_directory_holds_no_protected_file() {
    let test = TestWorkspace::new();
    for file in [".env", "keys/id_rsa", "payload/.vscode/tasks.json", "dist/app.js", "deep/dist/id_rsa"] {
        test.write(file, "x");
    }
    fs::create_dir_all(test.root.join("links")).unwrap();
    symlink("../keys", test.root.join("links/x")).unwrap();
    for words in [
        &["tar", "cf", "x.tar", "."][..],
        &["tar", "-rf", "x.tar", "keys"],
        &["tar", "-cf", "x.tar", "payload"],
        &["tar", "chf", "x.tar", "links"],
        &["tar", "cf", "x.tar", "-C", "keys", "."],
        &["tar", "cf", "x.tar", "-C", "deep", "dist"],
        &["tar", "cf", "x.tar", "dist", "-C", "deep", "dist"],
        &["tar", "cf", "x.tar", ".", "-C", "dist", "."],
        &["zip", "-r", "x.zip", "."],
        &["zip", "-R", "x.zip", "*.x"],
        &["zip", "x.zip", "-@"],
        &["7z", "a", "x.7z", "."],
        &["7z", "a", "x.7z"],
        &["rar", "a", "x.rar", "@list"],
        &["jar", "cf", "x.jar", "-C", "deep", "dist"],
        &["pax", "-wf", "x.tar", "keys"],
        &["cpio", "-o"],
        &["parallel", "tar", "cf", "x.tar", ".", ":::", "1"],
    ] {
        assert_ne!(test.objection_to_allowed(words), "", "{words:?}");
    }
    for words in [
        &["tar", "czf", "x.tgz", "dist", "src"][..],
        &["tar", "czf", "x.tgz", "-C", "dist", "."],
        &["tar", "czf", "x.tgz", "--directory=dist", "."],
        &["tar", "tf", "x.tar"],
        &["zip", "-r", "x.zip", "dist"],
        &["7z", "a", "x.7z", "dist"],
        &["7z", "l", "x.7z"],
        &["jar", "cf", "x.jar", "dist"],
    ] {
        assert_eq!(test.objection_to_allowed(words), "", "{words:?}");
    }
}

#[test]
fn a_protected_name_asks_where_a_part_before_may_make_the_file() {
    let test = TestWorkspace::new();
    let objection = |commands: &[&[&str]], at_once: bool| {
        let allowed: Vec<_> = commands.iter().map(|words| (*words, PlanAuthority::Person, &[][..])).collect();
        let mut plan = super::pipeline(&test, &allowed);
        if !at_once {
            let commands = plan.pipelines.remove(0).commands;
            let alone = |command| PlannedPipeline { condition: RunCondition::AfterSuccess, commands: vec![command] };
            plan.pipelines = commands.into_iter().map(alone).collect();
        }
        test.resolve(&plan).err().unwrap_or_default()
    };
    let (copy, read, run) =
        (&["cp", "a.txt", "id_rsa"][..], &["mycat", "id_rsa"][..], &["cargo", "test", "id_rsa"][..]);
    for at_once in [false, true] {
        assert!(objection(&[copy, read], at_once).contains("id_rsa is protected: it holds "), "{at_once}");
    }
    assert_eq!(objection(&[run], false), "");
    assert_eq!(objection(&[run, &["mycat", "a.txt"]], false), "");
}
