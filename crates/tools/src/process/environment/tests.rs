use super::*;
use pretty_assertions::assert_eq;

fn built(ours: &[(&str, &str)], passed: &[&str]) -> Vec<String> {
    let passed: Vec<String> = passed.iter().map(|name| (*name).to_owned()).collect();
    let ours = ours.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let line = |(name, value): (OsString, OsString)| format!("{}={}", name.display(), value.display());
    build(ours, EnvironmentRules { passed: &passed, off_path: &[] }).into_iter().map(line).collect()
}

#[test]
fn only_what_is_listed_is_passed_on() {
    let ours = [
        ("PATH", "/bin"),
        ("HOME", "/home/ada"),
        ("LC_ALL", "C.UTF-8"),
        ("TERM", "xterm"),
        ("PAGER", "less"),
        ("GEMINI_API_KEY", "secret"),
        ("LD_PRELOAD", "evil.so"),
        ("BASH_ENV", "evil.sh"),
        ("PROMPT_COMMAND", "evil"),
        ("SSH_AUTH_SOCK", "/tmp/agent"),
    ];
    assert_eq!(
        built(&ours, &[]),
        [
            "GEMINI_CLI=1",
            "GIT_EDITOR=true",
            "GIT_PAGER=cat",
            "GIT_TERMINAL_PROMPT=0",
            "HOME=/home/ada",
            "LC_ALL=C.UTF-8",
            "MANPAGER=cat",
            "NO_COLOR=1",
            "PAGER=cat",
            "PATH=/bin",
            "POLLUX=1",
            "PYTHONUNBUFFERED=1",
            "SYSTEMD_PAGER=cat",
            "TERM=dumb",
        ]
    );
}

#[test]
fn a_child_in_a_terminal_may_draw_and_still_waits_for_no_key() {
    let child = build_for_terminal([("NO_COLOR".into(), "1".into())], EnvironmentRules::default());
    let value = |name: &str| child.get(OsStr::new(name)).map(|value| value.display().to_string());
    assert_eq!(value("TERM").as_deref(), Some("xterm-256color"));
    assert_eq!(value("NO_COLOR"), None);
    assert_eq!(value("PAGER").as_deref(), Some("cat"));
}

#[test]
fn there_is_always_a_path() {
    assert!(built(&[], &[]).contains(&format!("PATH={DEFAULT_PATH}")));
}

#[test]
fn what_a_person_names_is_passed_on_but_does_not_replace_what_is_given() {
    let ours = [("CARGO_HOME", "/cargo"), ("CARGO_TOKEN", "secret"), ("TERM", "xterm")];
    let built = built(&ours, &["CARGO_HOME", "TERM", "MISSING"]);
    let kept: Vec<&String> =
        built.iter().filter(|line| line.starts_with("CARGO") || line.starts_with("TERM")).collect();
    assert_eq!(kept, ["CARGO_HOME=/cargo", "TERM=dumb"]);
}

#[test]
fn a_search_path_means_the_same_everywhere() {
    for (ours, expected) in [
        ("/usr/bin:/bin", "/usr/bin:/bin"),
        (":/usr/bin::/bin:", "/usr/bin:/bin"),
        (".:bin:./bin:../bin:/bin", "/bin"),
        ("", DEFAULT_PATH),
        (".", DEFAULT_PATH),
        ("/not/there:/bin", "/not/there:/bin"),
    ] {
        assert!(built(&[("PATH", ours)], &[]).contains(&format!("PATH={expected}")), "{ours}");
    }
}

#[test]
fn programs_of_the_workspace_are_not_found_by_name() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let (workspace, tools) = (root.join("workspace"), root.join("workspace-tools"));
    std::fs::create_dir_all(workspace.join("bin")).unwrap();
    std::fs::create_dir_all(&tools).unwrap();
    std::os::unix::fs::symlink(workspace.join("bin"), root.join("way-in")).unwrap();
    let path =
        [workspace.join("bin"), root.join("way-in"), tools.join("../workspace/bin"), tools.clone(), workspace.clone()];
    let path = std::env::join_paths(path).unwrap();
    assert_eq!(search_directories(Some(&path), std::slice::from_ref(&workspace)), [tools]);
    assert_eq!(search_directories(Some(&path), &[]).len(), 5);
    let only_inside = std::env::join_paths([&workspace]).unwrap();
    let default: Vec<PathBuf> = std::env::split_paths(DEFAULT_PATH).collect();
    assert_eq!(search_directories(Some(&only_inside), &[workspace]), default);
}
