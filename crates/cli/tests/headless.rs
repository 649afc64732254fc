//! `pollux -p` as a program reads it: what comes in, what goes out, in which shape, with which exit code.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{TIMEOUT, TestHome};
use pollux_testkit::replay::ReplayProvider;
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::{Output, Stdio};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Run with `input` on standard input.
async fn piped(home: &TestHome, args: &[&str], input: &[u8]) -> Result<Output> {
    let mut child = home.command(args).stdin(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("standard input is captured")?;
    // One that has read enough may close the pipe.
    let _ = timeout(TIMEOUT, stdin.write_all(input)).await.context("standard input is not read")?;
    drop(stdin);
    Ok(timeout(TIMEOUT, child.wait_with_output()).await.context("the program does not end")??)
}

/// The prompt that was accepted.
fn prompt(output: &Output) -> Result<String> {
    let told = text(&output.stdout);
    let lines = told.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<Value>>>()?;
    let message = lines.iter().find(|line| line["type"] == "message" && line["role"] == "user");
    Ok(message.and_then(|message| message["content"].as_str()).context(told + &text(&output.stderr))?.to_owned())
}

fn text_model(home: &TestHome) -> Result<String> {
    Ok(script::write(&home.path("script.jsonl"), &[script::repeat_forever(script::text_answer("heard"))])?)
}

#[tokio::test]
async fn what_is_piped_stands_before_the_prompt() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = text_model(&home)?;
    let flags = ["-m", &model, "-o", "stream-json"];
    let with_prompt = [&["-p", "what is wrong?"][..], &flags].concat();
    let both = piped(&home, &with_prompt, b"error: no such file\n").await?;
    assert_eq!((both.status.code(), prompt(&both)?.as_str()), (Some(0), "error: no such file\n\nwhat is wrong?"));
    assert_eq!(prompt(&piped(&home, &with_prompt, b"").await?)?, "what is wrong?");
    assert_eq!(prompt(&piped(&home, &flags, b"only this\n").await?)?, "only this\n");
    let long = piped(&home, &with_prompt, &vec![b'x'; 8 * 1024 * 1024 + 1]).await?;
    assert_eq!(long.status.code(), Some(2));
    ensure!(text(&long.stderr).contains("standard input is longer than 8 MB"), "{}", text(&long.stderr));
    Ok(())
}

#[tokio::test]
async fn what_is_piped_is_never_scanned() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = text_model(&home)?;
    std::fs::write(home.workspace().join("a.txt"), "in the file")?;
    for (args, input) in [
        (&["-m", &model][..], "@a.txt"),
        (&["-m", &model], "/nonsense @a.txt"),
        (&["-m", &model], "/quit"),
        (&["-p", "why?", "-m", &model], "/nonsense\nsee @a.txt"),
    ] {
        let output = piped(&home, args, input.as_bytes()).await?;
        let told = (output.status.code(), text(&output.stdout), text(&output.stderr));
        ensure!(told.0 == Some(0) && told.1 == "heard\n" && !told.2.contains("a.txt"), "{input}: {told:?}");
    }
    let own = piped(&home, &["-p", "compare @a.txt", "-m", &model], b"a log").await?;
    ensure!(text(&own.stderr).contains("@a.txt"), "{}", text(&own.stderr));
    Ok(())
}

#[tokio::test]
async fn a_protected_name_is_not_read_when_nobody_can_be_asked() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    std::fs::write(home.workspace().join(".env"), "TOKEN=hunter2\n")?;
    let read = script::call_answer("read_file", &json!({"file_path": ".env"}));
    let model = script::write(&home.path("script.jsonl"), &[read, script::text_answer("done")])?;
    for mode in ["default", "auto_edit", "plan"] {
        let output = home.run(&["-p", "go", "-m", &model, "-o", "stream-json", "--approval-mode", mode]).await?;
        let told = text(&output.stdout) + &text(&output.stderr);
        ensure!(output.status.code() == Some(1) && !told.contains("hunter2"), "{mode}: {told}");
        ensure!(told.contains("it reads a protected file"), "{mode}: {told}");
    }
    let output = home.run(&["-p", "go", "-m", &model, "-o", "stream-json", "--yolo"]).await?;
    let told = text(&output.stdout);
    ensure!(output.status.code() == Some(0) && told.contains("hunter2"), "{told}");
    let output = home.run(&["-p", "what is in @.env?", "-m", &text_model(&home)?]).await?;
    let told = text(&output.stderr);
    ensure!(told.contains(".env has a protected name"), "{told}");
    Ok(())
}

#[tokio::test]
async fn as_much_as_may_be_piped_is_answered() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = text_model(&home)?;
    let most = piped(&home, &["-p", "short", "-m", &model], &vec![b'x'; 8 * 1024 * 1024]).await?;
    assert_eq!((most.status.code(), text(&most.stdout)), (Some(0), "heard\n".into()), "{}", text(&most.stderr));
    Ok(())
}

#[tokio::test]
async fn a_pipe_that_stays_open_does_not_hold_up_a_prompt() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = text_model(&home)?;
    let mut child = home.command(&["-p", "hello", "-m", &model, "-o", "stream-json"]).stdin(Stdio::piped()).spawn()?;
    let idle = child.stdin.take();
    let output = timeout(TIMEOUT, child.wait_with_output()).await.context("the program waits for its input")??;
    assert_eq!((output.status.code(), prompt(&output)?.as_str()), (Some(0), "hello"));
    drop(idle);
    Ok(())
}

/// Every way to end, the code of each, and the word for it.
#[tokio::test]
async fn each_ending_has_its_exit_code_and_its_json() -> Result<()> {
    let failing = json!({"method": "generateContentStream", "http": {"status": 403},
        "error": {"code": 403, "status": "PERMISSION_DENIED", "message": "No access."}});
    let run = script::call_answer("run_shell_command", &json!({"command": "touch x"}));
    type Case = (&'static str, Vec<Value>, &'static [&'static str], i32, Option<&'static str>);
    let cases: [Case; 6] = [
        ("it rests", vec![script::text_answer("done")], &[], 0, None),
        ("something is denied", vec![run, script::text_answer("done")], &[], 1, Some("denied")),
        ("the model fails", vec![failing], &[], 1, Some("permission")),
        ("a wrong flag", vec![], &["--nope"], 2, Some("usage")),
        ("a wrong value", vec![], &["--approval-mode", "always"], 2, Some("usage")),
        ("no such session", vec![], &["--resume", "0198c0de-0000"], 2, Some("usage")),
    ];
    for format in ["json", "stream-json"] {
        for (name, lines, flags, code, kind) in &cases {
            let home = TestHome::new(POLLUX)?;
            let model = match lines.is_empty() {
                true => "demo".to_owned(),
                false => script::write(&home.path("script.jsonl"), lines)?,
            };
            let output = home.run(&[&["-p", "go", "-m", &model, "-o", format], *flags].concat()).await?;
            let told = text(&output.stdout);
            assert_eq!(output.status.code(), Some(*code), "{name} as {format}: {told}{}", text(&output.stderr));
            let last = match format {
                "json" => told.as_str(),
                _ => told.lines().last().with_context(|| format!("{name} says nothing"))?,
            };
            let last: Value = serde_json::from_str(last).with_context(|| format!("{name} as {format}: {told}"))?;
            match kind {
                None => ensure!(last.get("error").is_none(), "{name} as {format}: {last}"),
                Some(kind) => {
                    ensure!(last["error"]["code"] == json!(code), "{name} as {format}: {last}");
                    let found = last["error"]["type"].as_str().unwrap_or_default();
                    ensure!(found.contains(kind), "{name} as {format} is {found:?}");
                    ensure!(last["error"]["message"].as_str().is_some_and(|told| !told.is_empty()), "{last}");
                }
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_signal_cancels_and_the_json_is_whole() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let sleep = script::call_answer("run_shell_command", &json!({"command": "echo begun; sleep 600"}));
    let model = script::write(&home.path("script.jsonl"), &[sleep])?;
    let mut child = home.command(&["-p", "go", "-y", "-m", &model, "-o", "stream-json"]).spawn()?;
    let out = child.stdout.take().context("standard output is captured")?;
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(out));
    let mut seen = Vec::new();
    let pid = child.id().context("it runs")?;
    let all = async {
        while let Some(line) = lines.next_line().await? {
            let line: Value = serde_json::from_str(&line)?;
            if line["type"] == "tool_use" {
                let pid = rustix::process::Pid::from_raw(i32::try_from(pid)?).context("a pid")?;
                rustix::process::kill_process(pid, rustix::process::Signal::INT)?;
            }
            seen.push(line);
        }
        anyhow::Ok(())
    };
    timeout(TIMEOUT, all).await.context("it does not end")??;
    assert_eq!(child.wait().await?.code(), Some(130));
    let last = seen.last().context("it says something")?;
    assert_eq!(
        (&last["type"], &last["error"]["type"], &last["error"]["code"]),
        (&json!("result"), &json!("cancelled"), &json!(130))
    );
    Ok(())
}

/// Gemini CLI's fields are all there, by their names; what is more is ours.
#[tokio::test]
async fn the_shapes_are_gemini_clis() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    std::fs::write(home.workspace().join("a.txt"), "hello\n")?;
    let lines =
        [script::call_answer("read_file", &json!({"file_path": "a.txt"})), script::text_answer("It says hello.")];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    let whole: Value = serde_json::from_slice(&home.run(&["-p", "go", "-m", &model, "-o", "json"]).await?.stdout)?;
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
    };
    let has = |value: &Value, wanted: &str| {
        let (found, wanted) = (keys(value), wanted.split(' ').map(str::to_owned).collect::<BTreeSet<_>>());
        assert!(wanted.is_subset(&found), "{wanted:?} in {found:?}");
    };
    has(&whole, "session_id response stats");
    has(&whole["stats"], "models tools files");
    let model_stats =
        whole["stats"]["models"].as_object().and_then(|models| models.values().next()).context("a model")?;
    has(model_stats, "api tokens roles");
    has(&model_stats["api"], "totalRequests totalErrors totalLatencyMs errorsByType");
    has(&model_stats["tokens"], "input prompt candidates total cached thoughts tool");
    has(&model_stats["roles"], "main");
    let tools = &whole["stats"]["tools"];
    has(tools, "totalCalls totalSuccess totalFail totalDurationMs totalDecisions byName");
    has(&tools["totalDecisions"], "accept reject modify auto_accept");
    has(&tools["byName"]["read_file"], "count success fail durationMs decisions");
    has(&whole["stats"]["files"], "totalLinesAdded totalLinesRemoved");
    assert_eq!(whole["response"], "It says hello.");

    let output = home.run(&["-p", "go", "-m", &model, "-o", "stream-json"]).await?;
    let told = text(&output.stdout);
    let lines = told.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<Value>>>()?;
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).cloned().unwrap_or_default();
    has(&of("init"), "type timestamp session_id model");
    has(&of("message"), "type timestamp role content");
    has(&of("tool_use"), "type timestamp tool_name tool_id parameters");
    has(&of("tool_result"), "type timestamp tool_id status output");
    has(&of("result"), "type timestamp status stats");
    has(&of("result")["stats"], "total_tokens input_tokens output_tokens cached input duration_ms tool_calls models");
    assert_eq!(lines.first().map(|line| &line["type"]), Some(&json!("init")));
    assert_eq!(lines.last().map(|line| &line["type"]), Some(&json!("result")));
    assert_eq!(of("tool_use")["tool_id"], of("tool_result")["tool_id"]);
    ensure!(of("tool_result")["output"].as_str().is_some_and(|output| output.contains("hello")), "{told}");
    Ok(())
}

#[tokio::test]
async fn the_demo_reads_a_file_that_is_named_with_an_at() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    std::fs::write(home.workspace().join("README.md"), "# Read me\n")?;
    let output = home.run(&["-p", "read @README.md", "-m", "demo"]).await?;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    ensure!(text(&output.stdout).contains("# Read me"), "{}", text(&output.stdout));
    Ok(())
}

/// A tool server that needs a while to start, as those do that are downloaded first.
const SLOW_SERVER: &str = r#"
import json, sys, time
time.sleep(0.5)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    params = message.get("params") or {}
    tool = {"name": "say", "description": "Says it.", "inputSchema": {"type": "object", "properties": {}}}
    result = {
        "initialize": lambda: {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "slow", "version": "1"},
        },
        "tools/list": lambda: {"tools": [tool]},
    }.get(message["method"], dict)()
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

#[tokio::test]
async fn the_first_model_call_is_offered_the_tools_of_mcp_servers() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path("slow.py"), SLOW_SERVER)?;
    let server = json!({"command": "python3", "args": [home.path("slow.py")]});
    std::fs::write(home.path(".gemini/settings.json"), json!({"mcpServers": {"slow": server}}).to_string())?;
    let upstream = ReplayProvider::start(&[json!({"says": "hello"})]).await?;
    let mut command = home.command(&["-p", "hi", "-m", "gemini-2.5-flash"]);
    command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &upstream.address);
    let output = timeout(TIMEOUT, command.stdin(Stdio::null()).output()).await.context("it does not end")??;
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "hello\n".into()), "{}", text(&output.stderr));
    let requests = upstream.requests();
    let offered = requests.first().context("the model is asked")?.body["tools"].to_string();
    ensure!(offered.contains("mcp_slow_say"), "{offered}");
    Ok(())
}

#[tokio::test]
async fn an_mcp_server_that_fails_is_told_once_with_what_it_printed() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    let server = json!({"command": "sh", "args": ["-c", "echo 'no module foo' >&2; exit 1"]});
    std::fs::write(home.path(".gemini/settings.json"), json!({"mcpServers": {"broken": server}}).to_string())?;
    let why = "failed: it ended; the end of its error output: no module foo; correct its entry under `mcpServers`";
    for (args, listed) in [
        (&["-p", "hi", "-m", "demo"][..], 0),
        (&["-p", "/mcp", "-m", "demo"], 1),
        (&["-p", "/mcp", "-m", "demo", "-o", "json"], 1),
    ] {
        let output = timeout(TIMEOUT, home.command(args).stdin(Stdio::null()).output()).await??;
        let (told, said) = (text(&output.stderr), text(&output.stdout));
        assert_eq!([told.matches(why).count(), said.matches(why).count()], [1, listed], "{args:?}: {told}{said}");
        ensure!(!said.contains("connecting"), "{said}");
    }
    let output = timeout(TIMEOUT, home.command(&["mcp", "list"]).output()).await??;
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!((output.status.code(), told.matches(why).count()), (Some(1), 1), "{told}");
    Ok(())
}
