//! Paths: which files are secrets by their names.

#![no_main]

use pollux_tools::secret_name;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|path: &str| {
    let named = secret_name(Path::new(path));
    // Upper and lower case are the same, and so is the path with a slash at its end.
    if path.is_ascii() {
        assert_eq!(secret_name(Path::new(&path.to_ascii_uppercase())), named, "{path:?}");
    }
    // What lies below a secret directory stays a secret, however one goes there.
    let below = format!("/home/me/.ssh/x/../{}", path.trim_start_matches('/'));
    if !path.split('/').any(|part| part == "..") {
        assert!(secret_name(Path::new(&below)).is_some(), "{below:?}");
    }
});
