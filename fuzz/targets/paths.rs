//! Paths: which files are secrets by their names, however a path to them is written.

#![no_main]

use pollux_tools::secret_name;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// Files that are secrets wherever they are.
#[rustfmt::skip]
const SECRET_FILES: [&str; 10] = [
    ".env", ".env.production", "id_rsa", "id_ed25519.bak", "server.pem", "tls.KEY", ".netrc", "credentials", "a2a-12.json",
    "terraform.tfstate",
];

/// Directories whose content is secret.
const SECRET_DIRECTORIES: [&str; 6] = [".ssh", ".gnupg", ".aws", ".config/gh", ".pollux", "run/user/1000/pollux"];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = Path::new(OsStr::from_bytes(bytes));
    let named = secret_name(path);
    // Upper and lower case are the same.
    assert_eq!(secret_name(Path::new(OsStr::from_bytes(&bytes.to_ascii_uppercase()))), named, "{path:?}");
    // So are other ways to write the same path.
    for same in [path.join("."), Path::new(".").join(path), path.join("x/..")] {
        assert_eq!(secret_name(&same), named, "{same:?}");
    }
    let from_root = path.has_root();
    let doubled: Vec<u8> = bytes.split(|byte| *byte == b'/').collect::<Vec<_>>().join(&b"//./"[..]);
    assert_eq!(secret_name(Path::new(OsStr::from_bytes(&doubled))), named, "{path:?}");
    // A secret stays one, whatever leads to it.
    for file in SECRET_FILES {
        assert!(secret_name(&path.join(file)).is_some(), "{path:?}/{file}");
    }
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    if goes_up {
        return;
    }
    // What lies below a secret directory stays a secret, however one goes there.
    let relative = path.strip_prefix("/").unwrap_or(path);
    for directory in SECRET_DIRECTORIES {
        let below = Path::new("/home/me").join(directory).join("x/..").join(relative);
        assert!(secret_name(&below).is_some(), "{below:?}");
    }
    for directory in ["/proc", "/sys", "/../dev/fd"] {
        let below = Path::new(directory).join(relative);
        assert!(secret_name(&below).is_some(), "{below:?}");
    }
    // Nothing else than the root makes the kernel's directories what they are.
    if !from_root && named.is_some() {
        assert!(secret_name(&Path::new("/home/me").join(path)).is_some(), "{path:?}");
    }
});
