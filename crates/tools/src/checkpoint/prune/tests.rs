use super::*;
use crate::checkpoint::git_program::GitProgram;
use pretty_assertions::assert_eq;
use std::fs::{self, File};
use std::path::PathBuf;

fn shadow(dir: &Path) -> Arc<ShadowRepository> {
    let workspace = dir.join("workspace");
    fs::create_dir(&workspace).unwrap();
    let git = GitProgram::find(std::env::var_os("PATH").as_deref(), &workspace).unwrap();
    Arc::new(ShadowRepository::new(&dir.join("kept"), workspace, git))
}

/// Save a workspace that holds `text`, as if that had been so many hours ago.
async fn save(shadow: &ShadowRepository, session: SessionId, text: &str, hours: u64) -> String {
    fs::write(shadow.workspace().join("a.txt"), text).unwrap();
    let tree = shadow.save(Vec::new()).await.unwrap();
    shadow.keep(session, &tree).await.unwrap();
    let then = SystemTime::now() - Duration::from_secs(hours * 60 * 60);
    File::open(shadow.references(session).join(&tree)).unwrap().set_modified(then).unwrap();
    tree
}

fn saved_trees(shadow: &ShadowRepository, session: SessionId) -> HashSet<String> {
    names_in(&shadow.references(session), Duration::ZERO, SystemTime::now()).into_iter().collect()
}

#[tokio::test]
async fn only_what_nobody_can_name_goes_and_young_ones_stay() {
    let dir = tempfile::tempdir().unwrap();
    let shadow = shadow(dir.path());
    shadow.create().await.unwrap();
    let session = |number| SessionId(uuid::Uuid::from_u128(number));
    let (ours, idle, busy) = (session(1), session(2), session(3));
    let named = save(&shadow, ours, "named", 500).await;
    let unnamed = save(&shadow, ours, "unnamed", 500).await;
    let young = save(&shadow, ours, "young", 0).await;
    save(&shadow, idle, "idle", 24 * 91).await;
    let old = save(&shadow, busy, "old", 24 * 91).await;
    let new = save(&shadow, busy, "new", 24).await;
    let left = [PathBuf::from("draft-1-1"), "draft-1-1.lock".into()].map(|name| shadow.directory().join(name));
    for file in &left {
        fs::write(file, "").unwrap();
    }
    prune_checkpoints(Arc::clone(&shadow), ours, HashSet::from([named.clone()])).await;
    assert_eq!(saved_trees(&shadow, ours), HashSet::from([named.clone(), young]));
    assert_eq!(saved_trees(&shadow, idle), HashSet::new());
    assert_eq!(saved_trees(&shadow, busy), HashSet::from([old, new]), "a session that goes on keeps what it may name");
    assert!(shadow.find(ours, &named).is_ok() && shadow.find(ours, &unnamed).is_err());
    assert!(left.iter().all(|file| file.exists()), "a draft that was just made may be somebody's");
}

#[tokio::test]
async fn a_checkpoint_that_is_wanted_again_is_young_again() {
    let dir = tempfile::tempdir().unwrap();
    let shadow = shadow(dir.path());
    shadow.create().await.unwrap();
    let session = SessionId(uuid::Uuid::nil());
    let tree = save(&shadow, session, "same", 500).await;
    shadow.keep(session, &tree).await.unwrap();
    assert_eq!(old_references(&shadow, session, &HashSet::new(), SystemTime::now()), Vec::<String>::new());
}
