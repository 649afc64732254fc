use super::*;
use pretty_assertions::assert_eq;
use std::os::unix::fs::{PermissionsExt, symlink};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn record(session_id: Option<SessionId>) -> DiscoveryRecord {
    DiscoveryRecord::for_this_process(
        41243,
        PathBuf::from("a/workspace"),
        session_id,
        BearerToken::parse(TOKEN).unwrap(),
    )
}

/// A place whose directory does not exist yet.
fn place() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("state").join("run");
    (root, dir)
}

fn json(record: &DiscoveryRecord) -> serde_json::Value {
    serde_json::to_value(SerializedRecord::from(record)).unwrap()
}

fn listed(dir: &Path) -> Vec<serde_json::Value> {
    list(dir).unwrap().iter().map(json).collect()
}

/// A file as another process could have left it.
fn leave(dir: &Path, name: &str, record: &DiscoveryRecord, mode: u32) {
    let path = dir.join(name);
    fs::write(&path, json(record).to_string()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_server_is_found_until_it_ends() {
    let (_root, dir) = place();
    assert_eq!(listed(&dir), Vec::<serde_json::Value>::new());
    let session = SessionId(uuid::Uuid::from_u128(7));
    let discovery = DiscoveryFile::write(&dir, &record(Some(session))).unwrap();
    let pid = std::process::id();
    let expected = serde_json::json!({
        "port": 41243, "pid": pid, "startTime": process_start::start_time(pid).unwrap(), "workspace": "a/workspace",
        "sessionId": session.to_string(), "token": TOKEN,
    });
    assert_eq!(listed(&dir), [expected]);
    assert_eq!(discovery.path(), dir.join(format!("a2a-{pid}.json")));
    drop(discovery);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
}

#[test]
fn nobody_else_can_read_it() {
    let (_root, dir) = place();
    let discovery = DiscoveryFile::write(&dir, &record(None)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!((mode(&dir), mode(discovery.path())), (0o700, 0o600));
}

#[test]
fn a_directory_that_others_can_open_is_refused() {
    let (_root, dir) = place();
    fs::create_dir_all(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    let refused = DiscoveryFile::write(&dir, &record(None)).unwrap_err();
    assert!(matches!(refused, DiscoveryError::Exposed { path } if path == dir));
}

#[test]
fn a_linked_directory_is_refused() {
    let (root, dir) = place();
    let real = root.path().join("real");
    DirBuilder::new().mode(0o700).create(&real).unwrap();
    fs::create_dir_all(dir.parent().unwrap()).unwrap();
    symlink(&real, &dir).unwrap();
    let refused = DiscoveryFile::write(&dir, &record(None)).unwrap_err();
    assert!(matches!(refused, DiscoveryError::Exposed { .. }));
}

#[test]
fn one_process_is_known_once() {
    let (_root, dir) = place();
    let _first = DiscoveryFile::write(&dir, &record(None)).unwrap();
    assert!(matches!(DiscoveryFile::write(&dir, &record(None)), Err(DiscoveryError::Taken { .. })));
    assert_eq!(listed(&dir), [json(&record(None))]);
}

#[test]
fn what_an_earlier_process_left_is_replaced() {
    let (_root, dir) = place();
    prepare(&dir).unwrap();
    let ours = record(None);
    let stale = DiscoveryRecord { start_time: ours.start_time + 1, port: 1, ..ours.clone() };
    leave(&dir, &format!("a2a-{}.json", ours.pid), &stale, 0o600);
    assert_eq!(listed(&dir), Vec::<serde_json::Value>::new());
    let _discovery = DiscoveryFile::write(&dir, &ours).unwrap();
    assert_eq!(listed(&dir), [json(&ours)]);
}

#[test]
fn a_link_in_its_place_is_replaced_and_not_followed() {
    let (root, dir) = place();
    prepare(&dir).unwrap();
    let victim = root.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let ours = record(None);
    symlink(&victim, dir.join(format!("a2a-{}.json", ours.pid))).unwrap();
    let _discovery = DiscoveryFile::write(&dir, &ours).unwrap();
    assert_eq!((fs::read_to_string(&victim).unwrap().as_str(), listed(&dir)), ("mine", vec![json(&ours)]));
}

#[test]
fn files_that_are_no_live_record_are_passed_over() {
    let (_root, dir) = place();
    prepare(&dir).unwrap();
    let ours = record(None);
    let gone = DiscoveryRecord { pid: u32::MAX, ..ours.clone() };
    leave(&dir, "a2a-1.json", &gone, 0o600);
    leave(&dir, "a2a-2.json", &ours, 0o644);
    leave(&dir, "b2b-3.json", &ours, 0o600);
    leave(&dir, "a2a-4.json.tmp", &ours, 0o600);
    fs::write(dir.join("a2a-5.json"), "{").unwrap();
    fs::set_permissions(dir.join("a2a-5.json"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink(dir.join("b2b-3.json"), dir.join("a2a-6.json")).unwrap();
    fs::create_dir(dir.join("a2a-7.json")).unwrap();
    assert_eq!(listed(&dir), Vec::<serde_json::Value>::new());
}

#[test]
fn the_runtime_directory_comes_first() {
    let state = Path::new("/home/me/state");
    assert_eq!(directory(Some(PathBuf::from("/run/user/7")), state), Path::new("/run/user/7/pollux"));
    assert_eq!(directory(Some(PathBuf::from("relative")), state), state.join("run"));
    assert_eq!(directory(None, state), state.join("run"));
}
