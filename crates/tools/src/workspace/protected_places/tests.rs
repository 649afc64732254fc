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
    ]
    .map(|path| find_protected_place(Path::new(path)));
    assert_eq!(found, [".git", ".git", ".git", ".github", ".pollux", ".bashrc"].map(Some));
}

#[test]
fn others_are_not() {
    for path in ["src/main.rs", ".gitignore", "git/config", "docs/.github.md", "bashrc", ""] {
        assert_eq!(find_protected_place(Path::new(path)), None, "{path}");
    }
}
