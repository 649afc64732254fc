use super::super::patch_plan::plan;
use super::super::reader::read_patch;
use super::*;
use crate::planned_files::PlannedFiles;
use crate::workspace::FileAccess;
use pollux_session::{SeenFile, SeenFiles};
use pretty_assertions::assert_eq;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n*** Add File: deep/er/b.txt\n+b\n*** Update File: c.txt\n*** \
                     Move to: far/d.txt\n@@\n-c\n+d\n*** Delete File: e.txt\n*** End Patch\n";

/// Every file below `root` with its mode, and every directory.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                found.insert(format!("{name}/"), String::new());
                open.push(path);
            } else {
                let mode = path.metadata().unwrap().permissions().mode() & 0o777;
                found.insert(name, format!("{mode:o} {}", fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}

/// The model has seen these files as they are.
fn seen(root: &Path, names: &[&str]) -> PlannedFiles {
    let mut files = SeenFiles::default();
    for name in names {
        let path = root.join(name);
        let sha256 = crate::text_file::sha256(&fs::read(&path).unwrap());
        files.add(SeenFile { path: path.to_string_lossy().into_owned(), sha256 });
    }
    PlannedFiles::new(Arc::new(files))
}

#[test]
fn a_failure_at_any_change_leaves_everything_as_it_was() {
    for fails_at in 0..=5 {
        let holder = tempfile::tempdir().unwrap();
        let root = holder.path().canonicalize().unwrap();
        for (name, mode) in [("a.txt", 0o640), ("c.txt", 0o755), ("e.txt", 0o600)] {
            fs::write(root.join(name), format!("{}\n", &name[..1])).unwrap();
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let before = tree(&root);
        let workspace = Arc::new(FileAccess::default()).open(&root).unwrap();
        let seen = seen(&root, &["a.txt", "c.txt", "e.txt"]);
        let files = plan(&workspace, &read_patch(PATCH).unwrap(), &seen).ok().unwrap();
        let mut changes = 0;
        let result = publish_with(&workspace, &files, &CancellationToken::new(), |_| {
            changes += 1;
            if changes > fails_at { Err(ToolError::Broken("the disk is gone".into())) } else { Ok(()) }
        });
        if fails_at == 5 {
            assert_eq!(result.unwrap(), PatchWriting::Done);
            let after = [
                ("a.txt", "640 A\n"),
                ("deep/", ""),
                ("deep/er/", ""),
                ("deep/er/b.txt", "600 b\n"),
                ("far/", ""),
                ("far/d.txt", "755 d\n"),
            ];
            let mode = tree(&root)["deep/er/b.txt"][..3].to_owned();
            let after = after.map(|(name, content)| (name.to_owned(), content.replace("600", &mode)));
            assert_eq!(tree(&root), BTreeMap::from(after));
        } else {
            assert_eq!(result.unwrap_err().to_string(), "the tool broke down: the disk is gone");
            assert_eq!(tree(&root), before, "{fails_at}");
        }
    }
}

#[test]
fn what_changed_meanwhile_and_what_was_cancelled_is_not_written() {
    let holder = tempfile::tempdir().unwrap();
    let root = holder.path().canonicalize().unwrap();
    for name in ["a.txt", "c.txt", "e.txt"] {
        fs::write(root.join(name), format!("{}\n", &name[..1])).unwrap();
    }
    let workspace = Arc::new(FileAccess::default()).open(&root).unwrap();
    let seen = seen(&root, &["a.txt", "c.txt", "e.txt"]);
    let files = plan(&workspace, &read_patch(PATCH).unwrap(), &seen).ok().unwrap();
    let before = tree(&root);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert!(publish(&workspace, &files, &cancelled).is_err());
    assert_eq!(tree(&root), before);
    for changed in ["a.txt", "c.txt", "e.txt", "deep/er/b.txt", "far/d.txt"] {
        let was = fs::read(root.join(changed)).ok();
        fs::create_dir_all(root.join(changed).parent().unwrap()).unwrap();
        fs::write(root.join(changed), "other\n").unwrap();
        let there = tree(&root);
        assert_eq!(publish(&workspace, &files, &CancellationToken::new()).unwrap(), PatchWriting::Stale, "{changed}");
        assert_eq!(tree(&root), there);
        match was {
            Some(was) => fs::write(root.join(changed), was).unwrap(),
            None => fs::remove_dir_all(root.join(changed.split('/').next().unwrap())).unwrap(),
        }
    }
}

/// A person saves a file at the very moment before it is changed, removed or put back: the save stays, and everything else is as it
/// was.
#[test]
fn a_save_between_two_changes_of_a_patch_is_not_lost() {
    let saved = "the person's work\n";
    for saves_at in 0..5 {
        let holder = tempfile::tempdir().unwrap();
        let root = holder.path().canonicalize().unwrap();
        for name in ["a.txt", "c.txt", "e.txt"] {
            fs::write(root.join(name), format!("{}\n", &name[..1])).unwrap();
        }
        let expected = tree(&root);
        let workspace = Arc::new(FileAccess::default()).open(&root).unwrap();
        let seen = seen(&root, &["a.txt", "c.txt", "e.txt"]);
        let files = plan(&workspace, &read_patch(PATCH).unwrap(), &seen).ok().unwrap();
        let mut changes = 0;
        let mut saved_name = String::new();
        let result = publish_with(&workspace, &files, &CancellationToken::new(), |place| {
            if changes == saves_at {
                saved_name = place.name();
                fs::write(root.join("sav"), saved).unwrap();
                fs::rename(root.join("sav"), &place.absolute).unwrap();
            }
            changes += 1;
            Ok(())
        });
        let is_new = ["deep/er/b.txt", "far/d.txt"].contains(&saved_name.as_str());
        assert!(if is_new { result.is_err() } else { result.unwrap() == PatchWriting::Stale }, "{saved_name}");
        let now = tree(&root);
        assert!(now[&saved_name].ends_with(saved), "{saved_name}: {now:?}");
        for (name, content) in &expected {
            if *name != saved_name {
                assert_eq!(now.get(name), Some(content), "{saved_name}");
            }
        }
    }
}

#[test]
fn what_is_undone_is_as_it_was_in_its_encoding() {
    let contents: [(&str, &[u8]); 3] =
        [("a.txt", b"caf\xe9\r\na\r\n"), ("c.txt", b"\xff\xfec\0\xe9\0\n\0"), ("e.txt", b"\xef\xbb\xbfe\n")];
    for fails_at in 0..5 {
        let holder = tempfile::tempdir().unwrap();
        let root = holder.path().canonicalize().unwrap();
        contents.iter().for_each(|(name, content)| fs::write(root.join(name), content).unwrap());
        let workspace = Arc::new(FileAccess::default()).open(&root).unwrap();
        let patch = PATCH.replace(" c\n", " c\u{e9}\n").replace("-c\n", "-c\u{e9}\n");
        let seen = seen(&root, &["a.txt", "c.txt", "e.txt"]);
        let files = plan(&workspace, &read_patch(&patch).unwrap(), &seen).ok().unwrap();
        let mut changes = 0;
        let result = publish_with(&workspace, &files, &CancellationToken::new(), |_| {
            changes += 1;
            if changes > fails_at { Err(ToolError::Broken("the disk is gone".into())) } else { Ok(()) }
        });
        assert_eq!(result.unwrap_err().to_string(), "the tool broke down: the disk is gone");
        for (name, content) in contents {
            assert_eq!(fs::read(root.join(name)).unwrap(), content, "{name} {fails_at}");
        }
    }
}

/// The same while the patch is undone: what was saved since stays, and is named.
#[test]
fn a_save_before_the_undo_is_not_lost() {
    for target in ["a.txt", "deep/er/b.txt", "far/d.txt", "c.txt"] {
        let holder = tempfile::tempdir().unwrap();
        let root = holder.path().canonicalize().unwrap();
        for name in ["a.txt", "c.txt", "e.txt"] {
            fs::write(root.join(name), format!("{}\n", &name[..1])).unwrap();
        }
        let workspace = Arc::new(FileAccess::default()).open(&root).unwrap();
        let seen = seen(&root, &["a.txt", "c.txt", "e.txt"]);
        let files = plan(&workspace, &read_patch(PATCH).unwrap(), &seen).ok().unwrap();
        let mut changes = 0;
        let result = publish_with(&workspace, &files, &CancellationToken::new(), |_| {
            changes += 1;
            if changes == 5 {
                fs::write(root.join(target), "saved\n").unwrap();
                return Err(ToolError::Broken("the disk is gone".into()));
            }
            Ok(())
        });
        let told = result.unwrap_err().to_string();
        assert!(told.contains(&format!("`{target}`: it was saved meanwhile")), "{told}");
        assert_eq!(fs::read_to_string(root.join(target)).unwrap(), "saved\n");
        assert_eq!(fs::read_to_string(root.join("e.txt")).unwrap(), "e\n");
    }
}
