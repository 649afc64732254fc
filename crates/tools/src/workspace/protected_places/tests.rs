use super::*;
use pretty_assertions::assert_eq;

#[test]
fn places_are_known_by_any_part_of_the_path() {
    let found = [
        ".git/hooks/pre-commit",
        "vendor/lib/.git/config",
        ".GIT/config",
        ".github/workflows/ci.yml",
        ".pollux/settings.toml",
        "home/.bashrc",
        ".claude/settings.json",
        "sub/.pre-commit-config.yaml",
        ".mise.toml",
        ".cargo/config.toml",
        ".zed/tasks.json",
        ".nvim.lua",
        ".hg/hgrc",
        "lefthook.yaml",
        ".Woodpecker.yaml",
        "opencode.jsonc",
        "mise.local.toml",
        ".helix/languages.toml",
        ".gitconfig",
    ]
    .map(|path| find_protected_place(Path::new(path), Path::new(""), PlannedPaths::default()));
    let names = [".git", ".git", ".git", ".github", ".pollux", ".bashrc"];
    let more = [".claude", ".pre-commit-config.yaml", ".mise.toml", ".cargo", ".zed", ".nvim.lua", ".hg"];
    let newest = ["lefthook.yaml", ".woodpecker.yaml", "opencode.jsonc", "mise.local.toml", ".helix", ".gitconfig"];
    let more = more.iter().chain(&newest);
    assert_eq!(found.to_vec(), names.iter().chain(more).copied().map(Some).collect::<Vec<_>>());
}

#[test]
fn others_are_not() {
    for path in
        ["src/main.rs", ".gitignore", "git/config", "docs/.github.md", "bashrc", "", "lefthook", "mise.rs", "a.json"]
    {
        assert_eq!(find_protected_place(Path::new(path), Path::new(""), PlannedPaths::default()), None, "{path}");
    }
}

#[test]
fn what_an_ending_would_make_a_protected_place_is_known() {
    let completions = |name: &str| completions_of(OsStr::new(name)).collect::<Vec<_>>();
    assert!(completions(".bash").contains(&(".bashrc", "rc")));
    assert!(completions(".Bash").contains(&(".bash_login", "_login")));
    assert_eq!(completions(".envr"), [(".envrc", "c")]);
    assert!(completions(".mis").contains(&(".mise.toml", "e.toml")));
    for name in [".", "..", "", "bash", "Jenkins", ".bashrcs", ".gitignore", "azure", ".ä"] {
        assert_eq!(completions(name), [], "{name}");
    }
}
