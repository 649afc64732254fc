//! Keys in the environment reach whom they are for and nobody else: not `/proc`, where every process of the same user looks,
//! the commands of the model first, and not what the model and clients are told.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::program::{ServerProcess, TIMEOUT, TestHome};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::os::unix::process::CommandExt;
use std::process::{Output, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");
const SECRET: &str = "sekrit-4711";

/// Prints the environment block of the shell and of every process above it.
const PRINT_ENVIRONMENTS: &str = "p=$$; while [ \"$p\" -gt 1 ]; do tr '\\0' '\\n' < /proc/$p/environ; \
                                  p=$(sed 's/.*) . //; s/ .*//' /proc/$p/stat); done; env; echo done-$((40+2))";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

async fn finish(mut command: Command) -> Result<Output> {
    Ok(timeout(TIMEOUT, command.output()).await.context("the program does not end")??)
}

fn with_key(mut command: Command, google: &FakeGemini) -> Command {
    command.env("GEMINI_API_KEY", SECRET).env("GOOGLE_GEMINI_BASE_URL", &google.base_url);
    command
}

#[tokio::test]
async fn a_command_that_looks_for_the_key_finds_none_and_the_provider_gets_it() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let look = script::call_answer("run_shell_command", &json!({"command": PRINT_ENVIRONMENTS}));
    let google = FakeGemini::start([look, script::text_answer("seen")]).await?;
    let command = home.command(&["-p", "go", "-m", "gemini-2.5-flash", "--yolo", "-o", "stream-json"]);
    let output = finish(with_key(command, &google)).await?;
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}{}", text(&output.stderr));
    let requests = google.requests();
    let heard: String = requests.iter().map(|request| request.body.to_string()).collect();
    ensure!(heard.contains("done-42") && heard.contains("XDG_STATE_HOME="), "the blocks were printed: {heard}");
    ensure!(!heard.contains(SECRET) && !told.contains(SECRET), "the key is found in {heard}{told}");
    let keys = requests.iter().map(|request| request.headers.get("x-goog-api-key").map(|key| key.as_bytes()));
    assert_eq!(keys.collect::<Vec<_>>(), vec![Some(SECRET.as_bytes()); 2]);
    Ok(())
}

#[tokio::test]
async fn a_server_shows_no_key_in_proc_and_looks_as_it_was_started() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("done"))]).await?;
    let server = ServerProcess::start(with_key(home.command(&["serve", "--port", "0"]), &google)).await?;
    let message = json!({"role": "user", "messageId": "1", "parts": [{"kind": "text", "text": "hello"}]});
    http::rpc(&server.address, "message/send", &json!({"message": message})).await?;
    assert_eq!(google.requests().len(), 1);
    let of_process = |name: &str| std::fs::read(format!("/proc/{}/{name}", server.pid())).map(|bytes| text(&bytes));
    let block = of_process("environ")?;
    ensure!(block.contains("HOME=") && !block.contains(SECRET), "{block}");
    assert_eq!(of_process("comm")?, "pollux\n");
    assert_eq!(of_process("cmdline")?, format!("{POLLUX}\0serve\0--port\00\0"));
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", server.pid()))?;
    let open = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok()).collect::<Vec<_>>();
    ensure!(!open.iter().any(|file| file.to_string_lossy().contains("memfd")), "{open:?}");
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_proxy_with_a_password_is_used_and_not_shown() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let proxy = TcpListener::bind("127.0.0.1:0").await?;
    let mut command = home.command(&["-p", "go", "-m", "gemini-2.5-flash"]);
    command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", "https://model.example");
    command.env("HTTPS_PROXY", format!("http://me:{SECRET}@{}", proxy.local_addr()?));
    let mut child = command.spawn()?;
    let (mut connection, _) = timeout(TIMEOUT, proxy.accept()).await.context("the proxy is not used")??;
    let mut head = vec![0; 4096];
    let len = connection.read(&mut head).await?;
    let head = text(&head[..len]).to_ascii_lowercase();
    ensure!(head.starts_with("connect model.example:443") && head.contains("proxy-authorization: basic "), "{head}");
    let pid = child.id().context("it runs")?;
    let block = text(&std::fs::read(format!("/proc/{pid}/environ"))?);
    ensure!(block.contains("HOME=") && !block.contains(SECRET), "{block}");
    connection.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await?;
    child.kill().await?;
    Ok(())
}

#[tokio::test]
async fn executing_itself_again_changes_nothing_that_others_see() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = script::write(&home.path("script.jsonl"), &[script::repeat_forever(script::text_answer("heard"))])?;
    for (args, input) in [
        (&["--version"][..], ""),
        (&["--no-such-flag"][..], ""),
        (&["-p", "", "-m", "demo", "-o", "json"][..], ""),
        (&["-m", &model, "-o", "text"][..], "piped words"),
    ] {
        let mut seen = Vec::new();
        for secret in [false, true] {
            let mut command = home.command(args);
            if secret {
                command.env("SOME_TOKEN", SECRET);
            }
            let mut child = command.stdin(Stdio::piped()).spawn()?;
            let mut stdin = child.stdin.take().context("standard input is captured")?;
            // One that needs no input may have ended.
            let _ = stdin.write_all(input.as_bytes()).await;
            drop(stdin);
            let output = timeout(TIMEOUT, child.wait_with_output()).await.context("it does not end")??;
            seen.push((output.status.code(), text(&output.stdout), text(&output.stderr)));
        }
        assert_eq!(seen[0], seen[1], "{args:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_handover_that_is_not_its_own_is_ignored_or_refused() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let handover = |value: &str| {
        // The shell becomes the program, so `$$` is the program's own process id.
        let line = format!("export POLLUX_ENVIRONMENT_HANDOVER=\"{value}\"; exec \"$0\" sessions");
        home.command_of("/bin/sh", &["-c", &line, POLLUX])
    };
    for of_another_process in ["9 1 pollux", "nonsense", ""] {
        let output = finish(handover(of_another_process)).await?;
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{of_another_process}");
    }
    for (forged, why) in [("99 $$ pollux", "descriptor 99 is not open"), ("0 $$ x", "")] {
        let output = finish(handover(forged)).await?;
        let told = text(&output.stderr);
        match why {
            // The standard streams are never taken for it.
            "" => assert_eq!(output.status.code(), Some(0), "{told}"),
            why => {
                assert_eq!(output.status.code(), Some(1), "{told}");
                ensure!(told.contains("cannot be taken over") && told.contains(why), "{told}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_name_that_the_program_was_called_by_stays() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    #[expect(clippy::disallowed_methods, reason = "tests start the programs they test")]
    let mut command = std::process::Command::new(POLLUX);
    command.arg0("gemini").arg("--no-such-flag").env_clear().envs(home.environment()).env("SOME_TOKEN", SECRET);
    let told = text(&command.output()?.stderr);
    ensure!(told.contains("Usage: gemini"), "{told}");
    Ok(())
}
