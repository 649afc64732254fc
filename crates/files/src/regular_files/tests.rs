use super::{open_regular, read_beginning, read_text, read_whole};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, FileType, mknodat};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

fn why<T>(read: io::Result<T>) -> String {
    read.err().map(|error| error.to_string()).unwrap_or_default()
}

/// The result of `read`, unless it hangs.
fn in_time<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || done.send(read()));
    finished.recv_timeout(Duration::from_secs(20)).expect("reading hangs")
}

fn pipe(directory: &Path) -> PathBuf {
    let path = directory.join("pipe");
    mknodat(CWD, &path, FileType::Fifo, 0o600.into(), 0).unwrap();
    path
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let link = dir.path().join("link");
    symlink("/dev/zero", &link).unwrap();
    let (pipe, at) = (pipe(dir.path()), dir.path().to_owned());
    assert_eq!(in_time(move || why(open_regular(&pipe))), "it is not a regular file");
    assert_eq!(in_time(move || why(read_whole(&link, 10))), "it is not a regular file");
    assert_eq!(in_time(move || why(read_text(&at, 10))), "it is not a regular file");
    // The system itself does not open sockets.
    assert!(in_time(move || open_regular(&socket)).is_err());
    assert_eq!(open_regular(&dir.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_that_changes_places_with_a_pipe_never_makes_anybody_wait() {
    let dir = tempfile::tempdir().unwrap();
    let (pipe, file, at) = (pipe(dir.path()), dir.path().join("file"), dir.path().join("at"));
    std::fs::write(&file, "text").unwrap();
    let reader = {
        let at = at.clone();
        move || (0..2_000).map(|_| read_text(&at, 100)).collect::<Vec<_>>()
    };
    symlink(&file, &at).unwrap();
    let (stop, stopped) = mpsc::channel::<()>();
    let place = dir.path().join("next");
    let swapping = std::thread::spawn(move || {
        for target in [&pipe, &file].into_iter().cycle() {
            symlink(target, &place).unwrap();
            std::fs::rename(&place, &at).unwrap();
            if stopped.try_recv() != Err(mpsc::TryRecvError::Empty) {
                break;
            }
        }
    });
    for read in in_time(reader) {
        match read {
            Ok(text) => assert_eq!(text, "text"),
            Err(error) => assert_eq!(error.to_string(), "it is not a regular file"),
        }
    }
    drop(stop);
    swapping.join().unwrap();
}

#[test]
fn no_more_is_read_than_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "0123456789").unwrap();
    assert_eq!(read_beginning(&path, 4).unwrap(), b"0123");
    assert_eq!(read_text(&path, 10).unwrap(), "0123456789");
    assert_eq!(why(read_text(&path, 9)), "it is longer than 9 bytes");
    std::fs::write(&path, b"\xff").unwrap();
    assert_eq!(why(read_text(&path, 9)), "it is not UTF-8 text");
    // One without an end, as far as its length goes: 1 TiB of nothing.
    std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(why(read_whole(&path, 1000)), "it is longer than 1000 bytes");
}

#[test]
fn a_file_that_grows_is_read_to_the_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let mut file = std::fs::File::create(&path).unwrap();
    let (stop, stopped) = mpsc::channel::<()>();
    let growing = std::thread::spawn(move || {
        while stopped.try_recv() == Err(mpsc::TryRecvError::Empty) {
            file.write_all(&[b'x'; 4096]).unwrap();
            if file.metadata().unwrap().len() > 1 << 24 {
                file.set_len(1 << 23).unwrap();
            }
        }
    });
    while std::fs::metadata(&path).unwrap().len() < 100_000 {
        std::thread::yield_now();
    }
    assert_eq!(read_beginning(&path, 100_000).unwrap().len(), 100_000);
    drop(stop);
    growing.join().unwrap();
}
