use super::*;
use pretty_assertions::assert_eq;

/// SHA-256 of `hello`.
const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

fn hello() -> BlobRef {
    BlobRef { sha256: HELLO.into(), len: 5, media: "text/plain".into() }
}

fn write_hello(blobs: &BlobStore) -> BlobRef {
    let mut spool = blobs.spool().unwrap();
    spool.write(b"hel").unwrap();
    spool.write(b"lo").unwrap();
    spool.finish("text/plain").unwrap()
}

/// All files under `dir`, by their path in it.
fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(next) = dirs.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                found.push(path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn bytes_are_kept_under_their_digest_once() {
    let dir = tempfile::tempdir().unwrap();
    let blobs = BlobStore::at(&dir.path().join("blobs")).unwrap();
    assert_eq!(write_hello(&blobs), hello());
    assert_eq!(write_hello(&blobs), hello());
    assert_eq!(blobs.read(&hello()).unwrap(), b"hello");
    assert_eq!(files(dir.path()), [format!("blobs/2c/{}", &HELLO[2..])]);

    let again = BlobStore::at(&dir.path().join("blobs")).unwrap();
    assert_eq!(again.read(&hello()).unwrap(), b"hello");
}

#[test]
fn an_empty_blob_is_a_blob() {
    let blobs = BlobStore::ephemeral().unwrap();
    let empty = blobs.spool().unwrap().finish("text/plain").unwrap();
    assert_eq!((empty.len, blobs.read(&empty).unwrap()), (0, vec![]));
}

#[test]
fn an_unfinished_blob_was_never_there() {
    let dir = tempfile::tempdir().unwrap();
    let blobs = BlobStore::at(dir.path()).unwrap();
    let mut spool = blobs.spool().unwrap();
    spool.write(b"hello").unwrap();
    assert!(matches!(blobs.read(&hello()), Err(BlobError::Missing(name)) if name == HELLO));
    drop(spool);
    assert_eq!(files(dir.path()), [""; 0]);
}

#[test]
fn what_a_crash_left_half_written_is_swept_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut spool = BlobStore::at(dir.path()).unwrap().spool().unwrap();
    spool.write(b"hello").unwrap();
    // A killed process removes nothing.
    std::mem::forget(spool);
    assert_eq!(files(dir.path()).len(), 1);

    let blobs = BlobStore::at(dir.path()).unwrap();
    assert_eq!(files(dir.path()), [""; 0]);
    assert!(matches!(blobs.read(&hello()), Err(BlobError::Missing(_))));
    assert_eq!(write_hello(&blobs), hello());
}

#[test]
fn damage_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let blobs = BlobStore::at(dir.path()).unwrap();
    let blob = write_hello(&blobs);
    for wrong in [&b"jello"[..], b"hell", b""] {
        fs::write(dir.path().join(&HELLO[..2]).join(&HELLO[2..]), wrong).unwrap();
        assert!(matches!(blobs.read(&blob), Err(BlobError::Damaged(name)) if name == HELLO));
    }
}

#[test]
fn a_name_that_is_no_digest_reaches_no_file() {
    let blobs = BlobStore::ephemeral().unwrap();
    let upper = HELLO.to_uppercase();
    let climbing = format!("../{}", &HELLO[3..]);
    for name in ["", "2c", "../../etc/passwd", &upper, &climbing] {
        let blob = BlobRef { sha256: name.into(), ..hello() };
        assert!(matches!(blobs.read(&blob), Err(BlobError::Name(told)) if told == name));
    }
}

#[test]
fn ephemeral_blobs_go_with_their_last_user() {
    let blobs = BlobStore::ephemeral().unwrap();
    let dir = blobs.dir().to_owned();
    let spool = blobs.spool().unwrap();
    drop(blobs);
    assert!(dir.is_dir());
    drop(spool);
    assert!(!dir.exists());
}
