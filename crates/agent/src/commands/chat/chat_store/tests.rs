use super::*;
use pretty_assertions::assert_eq;

fn open_store(dir: &Path, owner: &str, workspace: &str) -> ChatStore {
    ChatStore::open(dir, &Owner(owner.into()), Path::new(workspace))
}

fn saved_chat(text: &str) -> SavedChat {
    SavedChat { model: "demo".into(), text: text.into(), shown: String::new() }
}

#[test]
fn each_owner_and_workspace_has_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mine = open_store(dir.path(), "me", "/a");
    mine.save("one", &saved_chat("text")).unwrap();
    assert_eq!(mine.read("one"), Ok(saved_chat("text")));
    for (owner, workspace) in [("me", "/b"), ("you", "/a")] {
        assert_eq!(open_store(dir.path(), owner, workspace).tags(), Ok(vec![]));
        let missing = "no conversation is saved as one; /chat list shows what is".to_owned();
        assert_eq!(open_store(dir.path(), owner, workspace).read("one"), Err(missing));
    }
    let kept = mine.tags().unwrap();
    assert!(kept[0].tag == "one" && kept[0].saved.is_some(), "it says when: {kept:?}");
    mine.delete("one").unwrap();
    assert_eq!(mine.tags(), Ok(vec![]));
    assert!(mine.delete("one").is_err());
}

#[test]
fn a_tag_is_a_plain_word_and_is_taken_once() {
    let dir = tempfile::tempdir().unwrap();
    let mine = open_store(dir.path(), "me", "/a");
    for tag in ["", "..", "../x", "a/b", ".a", "a b", "ä", &"x".repeat(65)] {
        assert!(mine.save(tag, &saved_chat("")).is_err_and(|why| why.contains("is no tag")), "{tag}");
    }
    mine.save("v1.0_a-b", &saved_chat("first")).unwrap();
    let taken = "a conversation is saved as v1.0_a-b already; choose another tag, or /chat delete v1.0_a-b".to_owned();
    assert_eq!(mine.save("v1.0_a-b", &saved_chat("second")), Err(taken));
    assert_eq!(mine.read("v1.0_a-b"), Ok(saved_chat("first")));
}

#[test]
fn there_is_a_bound_and_damage_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let mine = open_store(dir.path(), "me", "/a");
    for number in 0..MAX_SAVED {
        mine.save(&format!("t{number}"), &saved_chat("")).unwrap();
    }
    assert!(mine.save("more", &saved_chat("")).is_err_and(|why| why.contains("100 conversations")));
    fs::write(mine.file("t1").unwrap(), "{").unwrap();
    assert!(mine.read("t1").is_err_and(|why| why.contains("is damaged")));
    fs::write(mine.file("t2").unwrap(), vec![b' '; 1024 * 1024 + 1]).unwrap();
    assert!(mine.read("t2").is_err_and(|why| why.contains("larger than")));
}
