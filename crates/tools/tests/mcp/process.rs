//! Servers that are our children.

use crate::mcp::mcp_client::{failure_reason, start, status};
use pollux_tools::{McpLimits, McpOptions, McpServerConfig, McpServers, McpStatus};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// What to do about a server that never worked.
const ADVICE: &str = "correct its entry under `mcpServers` in settings.json, or try what it starts in a shell";

fn bash(script: &str) -> McpServerConfig {
    let args = vec!["-c".into(), script.into()];
    McpServerConfig { command: Some("bash".into()), args, ..McpServerConfig::default() }
}

fn here(directory: &tempfile::TempDir) -> McpOptions {
    McpOptions { directory: directory.path().to_owned(), ..McpOptions::default() }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let config = McpServerConfig { command: Some("no-such-program".into()), ..McpServerConfig::default() };
    let room = tempfile::tempdir().unwrap();
    let servers = start(config, here(&room)).await;
    assert_eq!(
        failure_reason(&servers),
        "`no-such-program` could not be started: No such file or directory (os error 2); check `command` in its entry"
    );
    let servers = start(McpServerConfig::default(), here(&room)).await;
    assert_eq!(failure_reason(&servers), "its entry names no `command`, `httpUrl` or `url`; give it one of them");
}

#[tokio::test]
async fn the_last_words_of_a_program_are_shown() {
    let room = tempfile::tempdir().unwrap();
    let script = r#"printf 'usage:\n  \033[31mserver\033[0m FILE\n' >&2; exit 2"#;
    let servers = start(bash(script), here(&room)).await;
    assert_eq!(
        failure_reason(&servers),
        format!("it ended; the end of its error output: usage: ⏎ server FILE; {ADVICE}")
    );
}

#[tokio::test]
async fn a_program_that_hangs_is_told_with_what_it_printed() {
    let room = tempfile::tempdir().unwrap();
    let limits = McpLimits { start: Duration::from_millis(500), ..McpLimits::default() };
    let script = "echo 'open http://x to log in' >&2; sleep 1000";
    let servers = start(bash(script), McpOptions { limits, ..here(&room) }).await;
    assert_eq!(
        failure_reason(&servers),
        format!("it was not ready within 0.5 seconds; the end of its error output: open http://x to log in; {ADVICE}")
    );
}

#[tokio::test]
async fn a_program_is_given_only_what_its_entry_says() {
    let room = tempfile::tempdir().unwrap();
    let mut config = bash("pwd > place; env > environment; exit 1");
    config.env = BTreeMap::from([("TOKEN".into(), "mine".into()), ("PAGER".into(), "less".into())]);
    let servers = start(config, here(&room)).await;
    assert_eq!(failure_reason(&servers), format!("it ended; {ADVICE}"));
    let place = fs::read_to_string(room.path().join("place")).unwrap();
    assert_eq!(place.trim_end(), room.path().canonicalize().unwrap().to_str().unwrap());
    let environment = fs::read_to_string(room.path().join("environment")).unwrap();
    let names = environment.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
    // Cargo sets many variables for a test, none of which a child may see.
    assert_eq!(names.filter(|name| name.starts_with("CARGO")).collect::<Vec<_>>(), [""; 0]);
    for line in ["TOKEN=mine", "PAGER=less", "POLLUX=1"] {
        assert!(environment.lines().any(|found| found == line), "{line} is not in {environment}");
    }
}

#[tokio::test]
async fn a_program_ends_with_the_servers() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("alive");
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    // Everyone holds the pipe open, and nobody listens to SIGTERM.
    let config = bash("exec 3>alive; trap '' TERM; (sleep 1000) & sleep 1000; wait");
    let servers = Arc::new(McpServers::start(BTreeMap::from([("peer".to_owned(), config)]), here(&room)));
    let alive = tokio::task::spawn_blocking(move || fs::File::open(path).unwrap());
    // It can be opened for reading once someone has it open for writing.
    let mut alive = alive.await.unwrap();
    assert_eq!(status(&servers), McpStatus::Connecting);
    drop(servers);
    let ended = tokio::task::spawn_blocking(move || alive.read(&mut [0]).unwrap());
    assert_eq!(ended.await.unwrap(), 0);
}

#[tokio::test]
async fn no_program_of_an_untrusted_directory_runs_and_none_runs_there() {
    let (home, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let untrusted = vec![theirs.path().canonicalize().unwrap()];
    let options = || McpOptions { untrusted: untrusted.clone(), ..here(&home) };
    for cwd in [None, Some(theirs.path().to_owned()), Some(".".into())] {
        let servers = start(McpServerConfig { cwd: cwd.clone(), ..bash("pwd > place; exit 1") }, options()).await;
        assert_eq!(failure_reason(&servers), format!("it ended; {ADVICE}"), "{cwd:?}");
        let place = fs::read_to_string(home.path().join("place")).unwrap();
        assert_eq!(place.trim_end(), home.path().canonicalize().unwrap().to_str().unwrap(), "{cwd:?}");
        fs::remove_file(home.path().join("place")).unwrap();
    }
    let planted = theirs.path().join("planted");
    fs::write(&planted, "#!/bin/sh\ntouch ran\n").unwrap();
    fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", theirs.path().display());
    let config = McpServerConfig {
        command: Some("planted".into()),
        env: BTreeMap::from([("PATH".into(), path)]),
        ..McpServerConfig::default()
    };
    assert!(failure_reason(&start(config.clone(), options()).await).starts_with("`planted` could not be started"));
    let found = failure_reason(&start(config, here(&home)).await);
    assert_eq!(found, format!("it ended; {ADVICE}"), "it is found where it is trusted");
}
