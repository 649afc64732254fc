use super::*;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// A home directory with a workspace in it.
struct TestHome {
    _directory: TempDir,
    home: PathBuf,
    workspace: PathBuf,
}

impl TestHome {
    fn new() -> TestHome {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap().join("home");
        let workspace = home.join("ws");
        fs::create_dir_all(&workspace).unwrap();
        TestHome { _directory: directory, home, workspace }
    }

    /// Which of `paths`, relative to `root`, are protected in a workspace there.
    fn protected<'a>(&self, places: &ObeyedPlaces, root: &Path, paths: &[&'a str]) -> Vec<&'a str> {
        let resolved = places.resolve(&[root]);
        paths.iter().copied().filter(|path| resolved.find(&root.join(path)).is_some()).collect()
    }
}

#[test]
fn what_a_loader_reads_is_protected_wherever_it_lies() {
    let place = TestHome::new();
    let ws = &place.workspace;
    let places = ObeyedPlaces {
        files: vec![ws.join("tokens"), ws.join("conf/settings.json")],
        rules: vec![ws.join("pol"), ws.join("rules.toml")],
        ..ObeyedPlaces::default()
    };
    let paths = [
        "tokens",
        "tokens/a",
        "TOKENS/a",
        "token",
        "conf/settings.json",
        "conf/other.json",
        "pol/new.toml",
        "pol/README.md",
        "pol/deep/x.toml",
        "pol",
        "rules.toml",
        "rules",
        "src/a.rs",
    ];
    let expected = ["tokens", "tokens/a", "TOKENS/a", "conf/settings.json", "pol/new.toml", "pol", "rules.toml"];
    assert_eq!(place.protected(&places, ws, &paths), expected);
    let resolved = places.resolve(&[ws]);
    assert_eq!(resolved.find_below(&ws.join("conf")), Some(OBEYED));
    assert_eq!(resolved.find_below(&ws.join("src")), None);
}

#[test]
fn a_file_with_a_second_name_is_protected_under_it_as_well() {
    let place = TestHome::new();
    let ws = &place.workspace;
    let config = place.home.join(".config/pollux");
    fs::create_dir_all(config.join("policies")).unwrap();
    for (file, second) in [("settings.json", "a.json"), ("policies/x.toml", "b"), ("policies/README.md", "c")] {
        fs::write(config.join(file), "").unwrap();
        fs::hard_link(config.join(file), ws.join(second)).unwrap();
    }
    fs::write(ws.join("d"), "").unwrap();
    let places = ObeyedPlaces {
        files: vec![config.join("settings.json"), config.join("missing")],
        rules: vec![config.join("policies")],
        ..ObeyedPlaces::default()
    };
    assert_eq!(place.protected(&places, ws, &["a.json", "b", "c", "d", "missing"]), ["a.json", "b"]);
}

#[test]
fn links_are_followed_at_any_depth_where_files_are_loaded_so() {
    let place = TestHome::new();
    let ws = &place.workspace;
    let gemini = place.home.join(".gemini");
    fs::create_dir_all(gemini.join("commands/git")).unwrap();
    fs::create_dir_all(gemini.join("tmp/deep")).unwrap();
    fs::create_dir_all(ws.join("dotfiles")).unwrap();
    for (link, file) in [("commands/x.toml", "x.toml"), ("commands/git/y.toml", "y.toml"), ("tmp/deep/z", "z")] {
        fs::write(ws.join("dotfiles").join(file), "").unwrap();
        symlink(ws.join("dotfiles").join(file), gemini.join(link)).unwrap();
    }
    let places = ObeyedPlaces { trees: vec![gemini.join("commands")], files: vec![gemini], ..ObeyedPlaces::default() };
    let paths = ["dotfiles/x.toml", "dotfiles/y.toml", "dotfiles/z", "dotfiles/new.toml"];
    assert_eq!(place.protected(&places, ws, &paths), ["dotfiles/x.toml", "dotfiles/y.toml"]);
}

#[test]
fn links_are_followed_and_protected_themselves() {
    let place = TestHome::new();
    let ws = &place.workspace;
    for directory in ["dotfiles/pollux", "more", "hop"] {
        fs::create_dir_all(ws.join(directory)).unwrap();
    }
    fs::create_dir_all(place.home.join(".config")).unwrap();
    symlink(ws.join("hop/pollux"), place.home.join(".config/pollux")).unwrap();
    symlink("../dotfiles/pollux", ws.join("hop/pollux")).unwrap();
    fs::create_dir(ws.join("dotfiles/pollux/policies")).unwrap();
    symlink(ws.join("more/x.toml"), ws.join("dotfiles/pollux/policies/x.toml")).unwrap();
    symlink(ws.join("more/x.md"), ws.join("dotfiles/pollux/policies/x.md")).unwrap();
    let places = ObeyedPlaces {
        files: vec![place.home.join(".config/pollux")],
        rules: vec![place.home.join(".config/pollux/policies")],
        ..ObeyedPlaces::default()
    };
    let paths = ["dotfiles/pollux/new.json", "dotfiles/x", "hop/pollux", "hop/other", "more/x.toml", "more/x.md"];
    assert_eq!(place.protected(&places, ws, &paths), ["dotfiles/pollux/new.json", "hop/pollux", "more/x.toml"]);
}

#[test]
fn a_workspace_that_is_the_home_directory_has_protected_hidden_directories() {
    let place = TestHome::new();
    let home = &place.home;
    let places = ObeyedPlaces {
        home: Some(home.clone()),
        config_home: Some(home.join("conf")),
        programs: vec![home.join("bin"), "/usr/bin".into()],
        ..ObeyedPlaces::default()
    };
    let paths = [
        ".config/systemd/user/x.service",
        ".config/git/config",
        ".local/bin/ls",
        ".zshrc.local",
        "bin/ls",
        "conf/x",
        "bin.txt",
        "ws/.config/x",
        "ws/src/a.rs",
        "notes.txt",
    ];
    let expected =
        [".config/systemd/user/x.service", ".config/git/config", ".local/bin/ls", ".zshrc.local", "bin/ls", "conf/x"];
    assert_eq!(place.protected(&places, home, &paths), expected);
    // Above it, too.
    let above = home.parent().unwrap();
    assert_eq!(place.protected(&places, above, &["home/.local/bin/ls", "home/ws/a", ".x"]), ["home/.local/bin/ls"]);
    // Not in a workspace further down, unless it is a part of it in which everything decides what programs do.
    assert_eq!(place.protected(&places, &place.workspace, &[".cache/x", "bin/x"]), [""; 0]);
    assert_eq!(place.protected(&places, &home.join(".local"), &["bin/ls", "share/x"]), ["bin/ls"]);
    assert_eq!(place.protected(&places, &home.join("conf"), &["systemd/x"]), ["systemd/x"]);
}

#[test]
fn a_workspace_may_lie_where_pollux_keeps_its_sessions() {
    let place = TestHome::new();
    let places = ObeyedPlaces { storage: vec![place.home.clone()], ..ObeyedPlaces::default() };
    assert_eq!(place.protected(&places, &place.workspace, &["a.txt"]), [""; 0]);
    assert_eq!(place.protected(&places, &place.home, &["sessions/x"]), ["sessions/x"]);
}
