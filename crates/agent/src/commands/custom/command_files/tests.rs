use super::*;
use pretty_assertions::assert_eq;

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

#[test]
fn the_nearest_file_of_a_name_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let one = |text: &str| format!("prompt = \"x\"\ndescription = \"{text}\"");
    write(
        dir.path(),
        &[
            ("ws/git/commit.toml", &one("theirs")),
            ("own/git/commit.toml", &one("own")),
            ("own/a b.toml", &one("blank")),
            ("own/notes.txt", "no command"),
            ("ext/git/commit.toml", &one("taken")),
            ("ext/deploy.toml", &one("ext")),
        ],
    );
    let at = |name: &str| dir.path().join(name);
    let shelf = CommandDirectories {
        workspace: Some(at("ws")),
        own: Some(at("own")),
        extensions: vec![("cloud".into(), at("ext")), ("none".into(), at("missing"))],
    };
    let listed: Vec<(String, String)> =
        list_commands(&shelf).into_iter().map(|info| (info.name, info.description)).collect();
    let expected = [("git:commit", "theirs"), ("a_b", "blank"), ("deploy", "ext"), ("cloud.git:commit", "taken")];
    assert_eq!(listed, expected.map(|(name, description)| (name.to_owned(), description.to_owned())));
    assert!(find_command(&shelf, "git:commit").unwrap().is_ok_and(|command| command.description == "theirs"));
    assert!(find_command(&shelf, "commit").is_none());
    assert!(
        list_commands(&CommandDirectories { workspace: None, ..shelf }).iter().any(|info| info.description == "own")
    );
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let long = format!("prompt = \"{}\"", "x".repeat(64 * 1024));
    write(
        dir.path(),
        &[
            ("broken.toml", "prompt ="),
            ("empty.toml", "description = \"d\""),
            ("open.toml", "prompt = \"!{ls\""),
            ("long.toml", &long),
        ],
    );
    std::os::unix::fs::symlink("/dev/zero", dir.path().join("endless.toml")).unwrap();
    let shelf = CommandDirectories { own: Some(dir.path().to_owned()), ..CommandDirectories::default() };
    for (word, why) in [
        ("endless", "it is not a regular file"),
        ("empty", "missing field `prompt`"),
        ("open", "a `!{` in it is never closed"),
        ("long", "it is longer than 65536 bytes"),
    ] {
        let file = dir.path().join(format!("{word}.toml"));
        let expected = format!("the command file {}: {why}", file.display());
        assert_eq!(find_command(&shelf, word).unwrap().err(), Some(expected), "{word}");
    }
    assert!(find_command(&shelf, "broken").unwrap().is_err());
    assert!(list_commands(&shelf).iter().all(|info| info.description.starts_with("cannot be used: the command file ")));
}
