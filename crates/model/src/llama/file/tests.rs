use super::*;
use pretty_assertions::assert_eq;

fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

#[test]
fn a_file_is_known_by_its_head() {
    assert_eq!(check(written(b"GGUF\x03\0\0\0").path()), Ok(8));
    assert_eq!(check(written(b"PK\x03\x04zip").path()), Err(GgufError::NotGguf));
    assert_eq!(check(written(b"GG").path()), Err(GgufError::NotGguf));
    assert_eq!(check(Path::new("no/such/file.gguf")), Err(GgufError::Missing));
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(check(directory.path()), Err(GgufError::Unreadable(_))));
}

#[test]
fn the_window_is_what_the_model_was_trained_for_and_memory_allows() {
    let none = |_: &str| None;
    assert_eq!(window(Some(8_192), &none), Ok(8_192));
    assert_eq!(window(Some(131_072), &none), Ok(16_384));
    assert_eq!(window(None, &none), Ok(16_384));
    let more = |_: &str| Some("65536".to_owned());
    assert_eq!((window(Some(131_072), &more), window(Some(32_768), &more)), (Ok(65_536), Ok(32_768)));
    for wrong in ["many", "-1", "100"] {
        let told = |_: &str| Some(wrong.to_owned());
        assert_eq!(window(None, &told), Err(GgufError::Window(wrong.to_owned())));
    }
}

#[test]
fn weights_that_do_not_fit_are_refused_before_they_are_read() {
    let told = Some("MemTotal:       8000000 kB\nMemAvailable:   2048 kB\n");
    assert_eq!(fits(2 * MIB, told), Ok(()));
    assert_eq!(fits(2 * MIB + 1, told), Err(GgufError::TooLarge { needed_mib: 3, free_mib: 2 }));
    assert_eq!((fits(u64::MAX, None), fits(u64::MAX, Some("nothing"))), (Ok(()), Ok(())));
}
