use super::*;
use pretty_assertions::assert_eq;

fn shelf(dir: &Path, owner: &str, workspace: &str) -> Shelf {
    Shelf::of(dir, &Owner(owner.into()), Path::new(workspace))
}

fn kept(text: &str) -> Kept {
    Kept { model: "demo".into(), text: text.into() }
}

#[test]
fn each_owner_and_workspace_has_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mine = shelf(dir.path(), "me", "/a");
    mine.save("one", &kept("text")).unwrap();
    assert_eq!(mine.read("one"), Ok(kept("text")));
    for (owner, workspace) in [("me", "/b"), ("you", "/a")] {
        assert_eq!(shelf(dir.path(), owner, workspace).tags(), Ok(vec![]));
        let missing = "no conversation is kept as one; /chat list shows what is".to_owned();
        assert_eq!(shelf(dir.path(), owner, workspace).read("one"), Err(missing));
    }
    mine.delete("one").unwrap();
    assert_eq!(mine.tags(), Ok(vec![]));
    assert!(mine.delete("one").is_err());
}

#[test]
fn a_tag_is_a_plain_word_and_is_taken_once() {
    let dir = tempfile::tempdir().unwrap();
    let mine = shelf(dir.path(), "me", "/a");
    for tag in ["", "..", "../x", "a/b", ".a", "a b", "ä", &"x".repeat(65)] {
        assert!(mine.save(tag, &kept("")).is_err_and(|why| why.contains("is no tag")), "{tag}");
    }
    mine.save("v1.0_a-b", &kept("first")).unwrap();
    let taken = "a conversation is kept as v1.0_a-b already; choose another tag, or /chat delete v1.0_a-b".to_owned();
    assert_eq!(mine.save("v1.0_a-b", &kept("second")), Err(taken));
    assert_eq!(mine.read("v1.0_a-b"), Ok(kept("first")));
}

#[test]
fn there_is_a_bound_and_damage_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let mine = shelf(dir.path(), "me", "/a");
    for number in 0..MAX_KEPT {
        mine.save(&format!("t{number}"), &kept("")).unwrap();
    }
    assert!(mine.save("more", &kept("")).is_err_and(|why| why.contains("100 conversations")));
    fs::write(mine.file("t1").unwrap(), "{").unwrap();
    assert!(mine.read("t1").is_err_and(|why| why.contains("is damaged")));
    fs::write(mine.file("t2").unwrap(), vec![b' '; 1024 * 1024 + 1]).unwrap();
    assert!(mine.read("t2").is_err_and(|why| why.contains("larger than")));
}
