//! Attempts of a confined program that the kernel of this machine must prevent. Each attempt is made without
//! confinement too: one that fails anyway shows nothing.

use super::super::{ReadablePaths, RunnableAction, RunnablePlan, RunnableProgram};
use super::{files, plan, run};
use crate::process::confinement::confinement_available;
use pretty_assertions::assert_eq;
use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;

/// Run `line` both ways; it succeeds only without confinement. Returns what it printed when confined.
async fn fails_confined(line: &str, directory: &Path) -> String {
    let (printed, code) = run(plan(line, directory, false)).await;
    assert_eq!(code, Some(0), "without confinement: {line}: {printed}");
    let (printed, code) = run(plan(line, directory, true)).await;
    assert!(code.is_some_and(|code| code != 0), "confined: {line}: {printed}");
    printed
}

#[tokio::test]
async fn it_reads_the_workspace_and_the_system() {
    let place = files();
    assert_eq!(confinement_available(), Ok(()));
    for (line, expected) in [
        ("cat a.txt", "one\ntwo\nthree\n"),
        ("cat <a.txt", "one\ntwo\nthree\n"),
        ("ls", "a.txt\nempty\nheadless\nlink\nscript\nsub\n"),
        ("grep -c t link", "2\n"),
        ("sh -c 'cat a.txt | head -n 1 2>/dev/null'", "one\n"),
        ("timeout 5 /bin/cat a.txt", "one\ntwo\nthree\n"),
        ("git --version | cut -c 1-3", "git\n"),
    ] {
        let (printed, code) = run(plan(line, place.path(), true)).await;
        assert_eq!((printed.as_str(), code), (expected, Some(0)), "{line}");
    }
}

#[tokio::test]
async fn it_reads_nothing_else() {
    let place = files();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret"), place.path().join("way-out")).unwrap();
    let secret = outside.path().join("secret").display().to_string();
    for line in [
        format!("cat {secret}"),
        "cat way-out".to_owned(),
        "cat <way-out".to_owned(),
        format!("ls {}", outside.path().display()),
        format!("sh -c 'cat {secret}'"),
        "cat /proc/self/environ".to_owned(),
        format!("cat /proc/{}/environ", std::process::id()),
        "cat /proc/1/cmdline".to_owned(),
        "cat /proc/self/root/etc/hostname".to_owned(),
        "ls /proc /etc".to_owned(),
    ] {
        let printed = fails_confined(&line, place.path()).await;
        assert!(!printed.contains("secret\n") && printed.contains("Permission denied"), "{line}: {printed}");
    }
}

#[tokio::test]
async fn it_writes_nothing() {
    let (place, outside) = (files(), tempfile::tempdir().unwrap());
    let beside = format!("sh -c 'echo x >{}/new-file'", outside.path().display());
    for line in [
        "sh -c 'echo x >>a.txt'",
        "sh -c 'echo x >new-file'",
        beside.as_str(),
        "truncate -s 5 a.txt",
        "mkdir new-directory",
        "ln a.txt hard",
        "ln -s a.txt soft",
        "mv empty moved",
        "chmod 600 a.txt",
        "touch a.txt",
        "touch -d 2001-01-01 a.txt",
        "sh -c 'chown `id -u` a.txt'",
        "mkfifo new-pipe",
    ] {
        let (fresh, before) = (files(), fs::read_to_string(place.path().join("a.txt")).unwrap());
        let (printed, code) = run(plan(line, fresh.path(), false)).await;
        assert_eq!(code, Some(0), "without confinement: {line}: {printed}");
        let (printed, code) = run(plan(line, place.path(), true)).await;
        assert!(code.is_some_and(|code| code != 0), "confined: {line}: {printed}");
        assert_eq!(fs::read_to_string(place.path().join("a.txt")).unwrap(), before, "{line}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 6, "{line}");
    }
}

#[tokio::test]
async fn it_reaches_no_socket() {
    let place = files();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let _unix = UnixListener::bind(place.path().join("socket")).unwrap();
    fails_confined(&format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'"), place.path()).await;
    fails_confined(&format!("bash -c 'exec 3<>/dev/udp/127.0.0.1/{port}'"), place.path()).await;
    let connect = "use IO::Socket::UNIX; exit !IO::Socket::UNIX->new(Peer => q(socket))";
    fails_confined(&format!("perl -e '{connect}'"), place.path()).await;
    let listen = "use IO::Socket::INET; exit !IO::Socket::INET->new(Listen => 1)";
    fails_confined(&format!("perl -e '{listen}'"), place.path()).await;
}

#[tokio::test]
async fn it_signals_nobody_outside_and_executes_nothing_of_the_workspace() {
    let place = files();
    fails_confined(&format!("sh -c 'kill -0 {}'", std::process::id()), place.path()).await;
    let printed = fails_confined("sh -c 'printed=`./script`; test -n \"$printed\"'", place.path()).await;
    assert!(printed.contains("Permission denied"), "{printed}");
    // A program that is itself the command's may be anywhere.
    let (printed, code) = run(plan("./script one", place.path(), true)).await;
    assert_eq!((printed.as_str(), code), ("script one\n", Some(7)));
}

#[tokio::test]
async fn it_reads_files_that_the_plan_lists_and_none_beside_them() {
    let (place, outside) = (files(), files());
    let listed = outside.path().join("a.txt");
    let mut plan = plan(&format!("cat {}", listed.display()), place.path(), true);
    let readable = |files: Vec<&Path>| ReadablePaths {
        files: files.into_iter().map(Into::into).collect(),
        ..ReadablePaths::default()
    };
    program_of(&mut plan).readable = readable(vec![&listed]);
    assert_eq!(run(plan.clone()).await, ("one\ntwo\nthree\n".to_owned(), Some(0)));
    program_of(&mut plan).readable = readable(vec![&outside.path().join("empty"), &outside.path().join("missing")]);
    assert_eq!(run(plan.clone()).await.1, Some(1));
    // A directory has taken the place of what was judged, or a link.
    program_of(&mut plan).readable = readable(vec![outside.path()]);
    assert_eq!(run(plan.clone()).await.1, Some(1));
    let swapped = outside.path().join("link");
    let own_files = vec![swapped.clone().into()];
    program_of(&mut plan).readable = readable(vec![&swapped]);
    assert_eq!(run(plan.clone()).await.1, Some(1));
    program_of(&mut plan).readable = ReadablePaths { own_files, ..ReadablePaths::default() };
    assert_eq!(run(plan).await.1, Some(0));
}

#[tokio::test]
async fn it_lists_directories_without_reading_what_is_in_them() {
    let place = files();
    let listed = vec![place.path().into()];
    for (line, expected) in
        [("ls", Some(0)), ("find . -name a.txt", Some(0)), ("du -s .", Some(0)), ("cat a.txt", Some(1))]
    {
        let mut plan = plan(line, place.path(), true);
        program_of(&mut plan).readable = ReadablePaths { listed: listed.clone(), ..ReadablePaths::default() };
        let (printed, code) = run(plan).await;
        assert_eq!(code, expected, "{line}: {printed}");
    }
}

#[tokio::test]
async fn it_has_a_limited_memory_and_dumps_no_core() {
    let place = files();
    // It takes the memory, finds nothing to read and ends.
    let printed = fails_confined("dd bs=1500M", place.path()).await;
    assert!(printed.starts_with("dd: memory exhausted"), "{printed}");
    let (printed, code) = run(plan("dd bs=500M", place.path(), true)).await;
    assert_eq!(code, Some(0), "{printed}");
    let limits = "sh -c 'ulimit -d; ulimit -c; ulimit -Hd; ulimit -Hc'";
    let (confined, unconfined) = (plan(limits, place.path(), true), plan(limits, place.path(), false));
    let (before, _) = run(unconfined.clone()).await;
    let (printed, _) = run(confined.clone()).await;
    assert!(printed.starts_with("1048576\n0\n"), "{printed}");
    // A program beside it that is not confined keeps its limits.
    let mut both = confined;
    both.pipelines.extend(unconfined.pipelines);
    assert_eq!(run(both).await.0, printed + &before);
}

#[tokio::test]
async fn programs_of_one_pipeline_share_the_memory() {
    let place = files();
    // What is started has its share a moment later, if this process needs more itself.
    let limits = |count: usize| vec!["sh -c 'cat; sleep 0.3; ulimit -d'"; count].join(" | ");
    for (count, each) in [(2, "524288\n"), (4, "262144\n"), (20, "65536\n")] {
        let (printed, _) = run(plan(&limits(count), place.path(), true)).await;
        assert_eq!(printed, each.repeat(count), "{count}");
    }
    // Those that are not confined take no share.
    let mut mixed = plan(&limits(2), place.path(), true);
    let RunnableAction::Program(first) = &mut mixed.pipelines[0].commands[0].action else { panic!("no program") };
    first.confined = false;
    let (printed, _) = run(mixed).await;
    assert!(printed.ends_with("\n1048576\n"), "{printed}");
}

fn program_of(plan: &mut RunnablePlan) -> &mut RunnableProgram {
    let RunnableAction::Program(program) = &mut plan.pipelines[0].commands[0].action else { panic!("no program") };
    program
}

/// However a program came to want it: what starts no others cannot be talked into it.
#[tokio::test]
async fn a_program_that_starts_no_others_starts_none() {
    let place = files();
    let line = "awk 'BEGIN { system(\"echo started\"); print \"done\" }'";
    let mut plan = plan(line, place.path(), true);
    assert_eq!(run(plan.clone()).await, ("started\ndone\n".to_owned(), Some(0)));
    program_of(&mut plan).starts_others = false;
    let (printed, _) = run(plan).await;
    assert!(!printed.contains("started") && printed.contains("done"), "{printed}");
}
