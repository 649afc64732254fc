use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use pretty_assertions::assert_eq;
use std::fs;
use std::io::Write;
use tar::{Builder, Header};
use tempfile::TempDir;

fn pack(build: impl FnOnce(&mut Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    build(&mut archive);
    archive.into_inner().unwrap().finish().unwrap()
}

fn header(kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(0o640);
    header.set_size(size);
    header.set_path("x").unwrap();
    header.set_cksum();
    header
}

fn ground(dir: &TempDir) -> RestoreRoot {
    RestoreRoot { path: dir.path().join("workspace"), note: dir.path().join("restoring/it") }
}

fn refusal(packed: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    unpack(packed, &ground(&dir)).unwrap_err().to_string()
}

#[test]
fn long_names_of_both_kinds_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let long = format!("{}/file", vec!["directory"; 20].join("/"));
    let packed = pack(|archive| {
        let mut gnu = Header::new_gnu();
        gnu.set_size(3);
        gnu.set_mode(0o640);
        archive.append_data(&mut gnu, format!("gnu/{long}"), &b"gnu"[..]).unwrap();
        let pax = format!("pax/{long}");
        archive.append_pax_extensions([("path", pax.as_bytes())]).unwrap();
        archive.append(&header(EntryType::Regular, 3), &b"pax"[..]).unwrap();
        archive.append(&header(EntryType::Regular, 5), &b"plain"[..]).unwrap();
    });
    unpack(&packed, &ground(&dir)).unwrap();
    let root = dir.path().join("workspace");
    assert_eq!(fs::read_to_string(root.join("gnu").join(&long)).unwrap(), "gnu");
    assert_eq!(fs::read_to_string(root.join("pax").join(&long)).unwrap(), "pax");
    assert_eq!(fs::read_to_string(root.join("x")).unwrap(), "plain");
}

#[test]
fn a_name_that_would_fill_the_memory_is_refused() {
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader, EntryType::XGlobalHeader] {
        // Only the header is looked at: what it promises need not follow.
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(header(kind, NAME_BYTES + 1).as_bytes()).unwrap();
        let why = refusal(&packer.finish().unwrap());
        assert!(why.contains("an extended header of more than 64 KiB"), "{why}");
    }
}

#[test]
fn a_header_that_changes_a_size_is_refused() {
    let why = refusal(&pack(|archive| {
        archive.append_pax_extensions([("size", &b"0"[..])]).unwrap();
        archive.append(&header(EntryType::Regular, 3), &b"abc"[..]).unwrap();
    }));
    assert!(why.contains("another size"), "{why}");
}

#[test]
fn too_many_entries_and_too_many_bytes_are_refused() {
    let why = refusal(&pack(|archive| {
        let directory = header(EntryType::Directory, 0);
        for _ in 0..=ENTRIES {
            archive.append(&directory, io::empty()).unwrap();
        }
    }));
    assert!(why.contains("more than 100000 entries or 2 GiB"), "{why}");
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(header(EntryType::Regular, BYTES + 1).as_bytes()).unwrap();
    let why = refusal(&packer.finish().unwrap());
    assert!(why.contains("more than 100000 entries or 2 GiB"), "{why}");
}
