//! Every flag and what it refuses: exit code 2 and a sentence that names the thing and the way out.

mod resumed_model;
mod stored_sessions;

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerProcess, TIMEOUT, TestHome};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");
const GEMINI: &str = env!("CARGO_BIN_EXE_gemini");

/// The refusals whose words do not depend on the machine.
const REFUSED: &[(&[&str], &[&str])] = &[
    (&["--nope"], &["--nope", "--help"]),
    (&["serv"], &["no command `serv`; did you mean `pollux serve`?", "-p \"serv\""]),
    (&["skills", "list"], &["no command `pollux skills`", "`pollux --help`"]),
    (&["-m", "demo", ""], &["the prompt is empty"]),
    (&["-i", "x"], &["--prompt-interactive needs a terminal", "-p TEXT"]),
    (&["-i", " "], &["--prompt-interactive is empty"]),
    (&["-i", "x", "-p", "y"], &["--prompt", "--prompt-interactive", "cannot be used with"]),
    (&["-p", "x", "y"], &["cannot be used with", "PROMPT"]),
    (&["sessions", "--yolo"], &["--yolo", "--help"]),
    (&["--a2a-port"], &["--a2a-port <PORT>", "value is required"]),
    (&["--a2a-port", "http"], &["--a2a-port", "http"]),
    (&["--a2a-port", "-1"], &["-1"]),
    (&["--a2a-port", "65536"], &["--a2a-port", "0..=65535"]),
    (&["-p"], &["--prompt <TEXT>", "value is required"]),
    (&["-p", ""], &["--prompt is empty", "say what to do"]),
    (&["-p", " \n\t"], &["--prompt is empty", "say what to do"]),
    (&["-p", "/nope it"], &["no command /nope; /help lists them", "put a space before the slash"]),
    (&["-p", "/theme dark", "-m", "demo"], &["/theme works only at the full screen of a terminal"]),
    (&["-p", "x"], &["no API key found", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "-m demo"]),
    (&[], &["standard input is empty", "-p TEXT", "--a2a-port", "--plain"]),
    (&["-m"], &["--model <MODEL>", "value is required"]),
    (&["-p", "x", "-m", "gemini-2.5-pro"], &["gemini-2.5-pro needs a key", "GEMINI_API_KEY", "-m demo"]),
    (&["-p", "x", "-m", "no-such-model"], &["no model is called \"no-such-model\"", "GEMINI_API_KEY"]),
    (&["-p", "x", "-m", "script:missing.jsonl"], &["cannot use script missing.jsonl", "No such file"]),
    (&["-p", "x", "-m", "script:."], &["cannot use script .", "directory"]),
    (&["-p", "x", "--approval-mode", "always"], &["always", "default, auto_edit, plan, yolo"]),
    (&["-p", "x", "--yolo", "--approval-mode", "plan"], &["--yolo", "--approval-mode"]),
    (&["-p", "x", "--resume", "yesterday"], &["\"yesterday\" is not a session id", "`pollux sessions --all`"]),
    (&["-p", "x", "--continue", "--resume"], &["--continue", "--resume", "cannot be used with"]),
    (&["-p", "x", "--resume", "0198c0d"], &["too short for a session id", "13 characters"]),
    (
        &["-p", "x", "--resume", "0198c0de-0000-7000-8000-000000000000"],
        &["there is no session", "`pollux sessions --all`"],
    ),
    (&["-p", "x", "--resume"], &["no earlier session in", "without --resume"]),
    (&["-p", "x", "--ephemeral", "--resume"], &["--ephemeral", "--resume"]),
    (
        &["-p", "x", "-m", "demo", "--include-directories", "/nope"],
        &["--include-directories names /nope", "No such file", "name a directory that exists"],
    ),
    (&["-p", "x", "-m", "demo", "--include-directories", "/dev/null"], &["/dev/null", "it is not a directory"]),
    (&["-p", "x", "-m", "demo", "--allowed-tools", "nosuchtool"], &["\"nosuchtool\", which is no tool", "read_file"]),
    (&["-p", "x", "-m", "demo", "--allowed-tools", "mcp_a_b"], &["mcp_a_b", "no MCP server is configured"]),
    (&["-p", "x", "-m", "demo", "--allowed-mcp-server-names", "zzz"], &["\"zzz\"", "no MCP server is configured"]),
    (&["-p", "x", "-m", "demo", "--policy", "/nope"], &["--policy names /nope", "a file or directory of rules"]),
    (&["-p", "x", "-m", "demo", "--admin-policy", "/nope"], &["--admin-policy names /nope", "No such file"]),
    (&["serve", "--port", "0", "--allowed-tools", "nosuchtool"], &["\"nosuchtool\", which is no tool"]),
    (&["serve", "--port", "0", "--include-directories", "/nope"], &["--include-directories names /nope"]),
    (&["mcp-server", "--allowed-mcp-server-names", "zzz"], &["\"zzz\"", "no MCP server is configured"]),
    (&["policy", "check", "ls", "--include-directories", "/nope"], &["--include-directories names /nope"]),
    (&["-p", "x", "--max-connections", "0"], &["--max-connections must be at least 1"]),
    (&["-p", "x", "--max-connections", "many"], &["--max-connections", "many"]),
    (
        &["-p", "x", "-m", "demo", "--data-dir", "/dev/null"],
        &["cannot keep sessions in /dev/null", "--data-dir DIR", "--ephemeral"],
    ),
    (&["-p", "x", "-m", "demo", "--token-file", "f"], &["--token-file has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--card-key", "f"], &["--card-key has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--grpc-port", "0"], &["--grpc-port has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--agent-name", "x"], &["--agent-name has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--require-extension"], &["--require-extension has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--max-connections", "3"], &["--max-connections has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--push-host", "a.example"], &["--push-host has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--mcp-host", "a.example"], &["--mcp-host has no effect without --a2a-port"]),
    (&["-p", "x", "-m", "demo", "--allowed-tools", "run_shell_command("], &["brackets are not balanced"]),
    (&["-p", "! ", "-m", "demo"], &["put a command after the !"]),
    (&["-p", "/settingsx", "-m", "demo"], &["no command /settingsx; did you mean /settings?"]),
    (&["policy", "check", ""], &["there is no command to check"]),
    (
        &["sessions", "delete", "0198c0de-0000-7000-8000-000000000000"],
        &["there is no session", "`pollux sessions --all`"],
    ),
    (&["--delete-session", "1"], &["no --delete-session here", "`pollux sessions delete ID`"]),
    (&["sessions", "--data-dir", "/dev/null"], &["cannot list the sessions in /dev/null"]),
    (&["sessions", "--a2a-port", "1"], &["--a2a-port"]),
    (&["--a2a-port", "0", "--token-file", "missing"], &["token file missing", "openssl rand -hex 32 > missing"]),
    (&["--a2a-port", "0", "serve"], &["`serve` is a command and comes before its flags", "-p \"serve\""]),
    (&["serve", "--a2a-port", "0"], &["--a2a-port"]),
    (&["serve", "--port", "99999"], &["--port", "0..=65535"]),
    (&["serve", "--host", "localhost"], &["--host", "localhost", "IP address"]),
    (
        &["serve", "--host", "0.0.0.0"],
        &["other machines", "--token-file (or CODER_AGENT_TOKEN) and --tls-in-front", "127.0.0.1"],
    ),
    (
        &["serve", "--host", "::", "--tls-in-front"],
        &["other machines", "give --token-file (or CODER_AGENT_TOKEN),", "127.0.0.1"],
    ),
    (&["serve", "--workspace", "missing"], &["missing cannot be the workspace", "No such file"]),
    (&["serve", "--workspace-root", "/nope"], &["--workspace-root /nope cannot be used", "No such file"]),
    (&["serve", "--workspace", "/dev/null"], &["/dev/null cannot be the workspace", "not a directory"]),
    (&["serve", "-m", "script:missing.jsonl"], &["cannot use script missing.jsonl"]),
    (&["serve", "--port", "0", "--data-dir", "/dev/null"], &["cannot keep sessions in /dev/null"]),
    (&["serve", "--ephemeral", "--bucket", "gs://tasks"], &["--ephemeral keeps nothing", "to a bucket: name none"]),
];

#[tokio::test]
async fn what_cannot_be_is_refused_with_a_sentence() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    for (args, words) in REFUSED {
        refused(&home.run(args).await?, words).with_context(|| format!("pollux {}", args.join(" ")))?;
    }
    ensure!(std::fs::read_dir(home.workspace())?.next().is_none(), "a refused program writes nothing");
    ensure!(!home.path("state").exists(), "a refused program keeps nothing");
    Ok(())
}

#[tokio::test]
async fn the_help_names_every_flag_and_nothing_else() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let rules = "--approval-mode --yolo --allowed-tools --include-directories --policy --admin-policy";
    let agent = format!("--model {rules} --checkpointing --allowed-mcp-server-names");
    let endpoint = "--token-file --max-connections --grpc-port --grpc-outside --push-host --mcp-host --agent-name \
                --require-extension --card-key";
    let session = "--a2a-port --prompt --prompt-interactive --output-format --resume --continue --ephemeral --plain \
                   --version";
    let serve = "--host --port --tls-in-front --allow-host --workspace --workspace-root --bucket \
                 --clients-may-start-programs --drain --ephemeral";
    let cases: [(&[&str], String); 18] = [
        (&["--help"], format!("{agent} {endpoint} {session} --data-dir --debug")),
        (&["serve", "--help"], format!("{agent} {endpoint} {serve} --data-dir --debug")),
        (&["attach", "--help"], "--plain --token-file --data-dir --debug".into()),
        (&["mcp-server", "--help"], format!("{agent} --workspace --tools --no-tasks --data-dir --debug")),
        (&["mcp", "list", "--help"], "--debug".into()),
        (&["mcp", "login", "--help"], "--debug".into()),
        (&["trust", "--help"], "--remove --list --debug".into()),
        (&["sessions", "--help"], "--all --data-dir --debug".into()),
        (&["sessions", "delete", "--help"], "--data-dir --debug".into()),
        (&["doctor", "--help"], "--model --data-dir --debug".into()),
        (&["health", "--help"], "--debug".into()),
        (&["policy", "check", "--help"], format!("{rules} --debug")),
        (&["settings", "show", "--help"], format!("{agent} --json --debug")),
        (&["extensions", "list", "--help"], "--json --debug".into()),
        (&["extensions", "enable", "--help"], "--scope --debug".into()),
        (&["extensions", "disable", "--help"], "--scope --debug".into()),
        (&["completions", "--help"], String::new()),
        (&["man", "--help"], String::new()),
    ];
    for (args, flags) in cases {
        let help = home.run(args).await?;
        assert_eq!((help.status.code(), text(&help.stderr)), (Some(0), String::new()));
        let help = text(&help.stdout);
        let named: BTreeSet<&str> = help.lines().filter_map(flag_of).collect();
        let flags: BTreeSet<&str> = flags.split_whitespace().chain(["--help"]).collect();
        assert_eq!(named, flags, "pollux {}", args.join(" "));
    }
    Ok(())
}

#[tokio::test]
async fn the_help_is_grouped_and_has_examples() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let cases: [(&[&str], &[&str]); 3] = [
        (&["--help"], &["Session:", "Model:", "Tools:", "Sharing:", "Other:", "Examples:", "git diff | pollux -p"]),
        (&["serve", "-h"], &["Server:", "Tools:", "Sharing:", "Examples:", "pollux serve --port 8080"]),
        (&["attach", "-h"], &["Examples:", "pollux attach http://"]),
    ];
    for (args, parts) in cases {
        contains_all(&text(&home.run(args).await?.stdout), parts).with_context(|| format!("pollux {args:?}"))?;
    }
    let help = text(&home.run(&["-h"]).await?.stdout);
    assert!(
        help.starts_with("One coding-agent session that your terminal, your scripts and other agents share"),
        "{help}"
    );
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"doctor"), "{help}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let help = text(&home.run(&[command, "-h"]).await?.stdout);
        contains_all(&help, &["\nExamples:\n  pollux "]).with_context(|| format!("pollux {command} -h"))?;
    }
    Ok(())
}

#[tokio::test]
async fn shells_and_man_get_what_they_read() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    for (shell, part) in [("bash", "complete -F _pollux"), ("zsh", "#compdef pollux"), ("fish", "complete -c pollux")] {
        let printed = home.run(&["completions", shell]).await?;
        assert_eq!((printed.status.code(), text(&printed.stderr)), (Some(0), String::new()), "{shell}");
        contains_all(&text(&printed.stdout), &[part, "a2a-port", "mcp-server"]).context(shell)?;
    }
    // The script is one that its shell reads.
    let script = home.path("completions.bash");
    std::fs::write(&script, home.run(&["completions", "bash"]).await?.stdout)?;
    let read = home.run_program("bash", &["-n", script.to_str().context("the path is text")?]).await?;
    assert_eq!((read.status.code(), text(&read.stderr)), (Some(0), String::new()));
    refused(&home.run(&["completions", "csh"]).await?, &["csh", "bash"])?;

    let page = text(&home.run(&["man"]).await?.stdout);
    contains_all(&page, &[".TH pollux 1", "SUBCOMMANDS", "prompt\\-interactive"])?;
    let page = text(&home.run(&["man", "serve"]).await?.stdout);
    contains_all(&page, &[".TH pollux-serve 1", "workspace\\-root"])?;
    refused(&home.run(&["man", "nothing"]).await?, &["there is no command nothing", "`pollux --help`"])
}

#[tokio::test]
async fn bare_words_are_a_prompt() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = script::write(&home.path("script.jsonl"), &[script::repeat_forever(script::text_answer("heard"))])?;
    for words in [&["fix the bug"][..], &["fix", "the", "bug"], &["hello"]] {
        let said = home.run(&[&["-m", &model, "-o", "stream-json"], words].concat()).await?;
        assert_eq!(said.status.code(), Some(0), "{}", text(&said.stderr));
        contains_all(&text(&said.stdout), &[&format!("\"content\":\"{}\"", words.join(" ")), "heard"])?;
    }
    let both = piped(&home, &["-m", &model, "-o", "stream-json", "what is wrong?"], b"an error\n").await?;
    contains_all(&text(&both.stdout), &["an error\\n\\nwhat is wrong?"])
}

#[tokio::test]
async fn gemini_is_pollux_under_another_name() -> Result<()> {
    let (pollux, gemini) = (TestHome::new(POLLUX)?, TestHome::new(GEMINI)?);
    let cases: [&[&str]; 7] = [
        &["--help"],
        &["--version"],
        &["serve", "--help"],
        &["sessions"],
        &["-m", "demo", "-p", "list the files"],
        &["-m", "demo", "-p", "create hello.txt with hello", "--ephemeral"],
        &["--approval-mode", "always"],
    ];
    for args in cases {
        let (one, other) = (pollux.run(args).await?, gemini.run(args).await?);
        let said = |output: &Output, home: &TestHome| {
            let told = text(&output.stdout) + &text(&output.stderr);
            told.replace(&home.workspace().display().to_string(), "HERE").replace("gemini", "pollux")
        };
        assert_eq!(other.status.code(), one.status.code(), "{args:?}");
        assert_eq!(steady(&said(&other, &gemini)), steady(&said(&one, &pollux)), "{args:?}");
    }
    let version = pollux.run(&["--version"]).await?;
    assert_eq!(text(&version.stdout), format!("pollux {}\n", env!("CARGO_PKG_VERSION")));
    Ok(())
}

/// A mode decides about two tools when nobody is there to be asked.
#[tokio::test]
async fn each_approval_mode_does_what_it_says() -> Result<()> {
    struct FlagCase {
        flags: &'static [&'static str],
        code: i32,
        wrote: bool,
        ran: bool,
        says: &'static str,
    }
    let asks = "denied, because nobody is here to allow it: run_shell_command";
    let cases = [
        FlagCase { flags: &[], code: 1, wrote: false, ran: false, says: asks },
        FlagCase { flags: &["--approval-mode", "default"], code: 1, wrote: false, ran: false, says: asks },
        FlagCase { flags: &["--approval-mode", "auto_edit"], code: 1, wrote: true, ran: false, says: asks },
        FlagCase { flags: &["--approval-mode", "plan"], code: 0, wrote: false, ran: false, says: "plan" },
        FlagCase { flags: &["--approval-mode", "yolo"], code: 0, wrote: true, ran: true, says: "run_shell_command" },
        FlagCase { flags: &["--yolo"], code: 0, wrote: true, ran: true, says: "run_shell_command" },
        FlagCase { flags: &["-y"], code: 0, wrote: true, ran: true, says: "run_shell_command" },
    ];
    for case in cases {
        let home = TestHome::new(POLLUX)?;
        let both = script::answer(&json!([
            {"functionCall": {"name": "write_file", "args": {"file_path": "note.txt", "content": "written\n"}}},
            {"functionCall": {"name": "run_shell_command", "args": {"command": "echo ran > ran.txt"}}},
        ]));
        let model = script::write(&home.path("script.jsonl"), &[both, script::text_answer("done")])?;
        let output = home.run(&[&["-p", "go", "-m", &model], case.flags].concat()).await?;
        let (told, flags) = (text(&output.stderr), case.flags);
        assert_eq!(output.status.code(), Some(case.code), "{flags:?}: {told}");
        // The model hears of what nobody could allow and of what the mode forbids, and goes on.
        assert_eq!(text(&output.stdout), "done\n", "{flags:?}");
        let there = |name: &str| home.workspace().join(name).exists();
        assert_eq!((there("note.txt"), there("ran.txt")), (case.wrote, case.ran), "{flags:?}");
        ensure!(told.contains(case.says), "{flags:?} does not say {:?}: {told}", case.says);
    }
    Ok(())
}

/// Which tools a server has is known once it is up.
#[tokio::test]
async fn tools_of_mcp_servers_are_checked_when_the_servers_are_up() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    // Pollux itself, as the server of another Pollux.
    let server = json!({"command": POLLUX, "args": ["mcp-server", "-m", "demo"]});
    std::fs::create_dir(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/settings.json"), json!({"mcpServers": {"own": server}}).to_string())?;
    let model = script::write(&home.path("script.jsonl"), &[script::text_answer("heard")])?;
    let told = async |flags: &[&str]| home.run(&[&["-p", "go", "-m", &model], flags].concat()).await;
    for known in ["mcp_own_read_file", "mcp_own_*", "mcp_*_glob"] {
        let output = told(&["--allowed-tools", known]).await?;
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "heard\n".into()), "{known}");
    }
    for unknown in ["mcp_own_sing", "mcp_other_*"] {
        let output = told(&["--allowed-tools", unknown]).await?;
        refused(&output, &[unknown, "no tool of any MCP server", "`pollux mcp list`"]).context(unknown)?;
    }
    let output = told(&["--allowed-mcp-server-names", "other"]).await?;
    refused(&output, &["\"other\", which is no MCP server; there are own"])
}

#[tokio::test]
async fn a_prompt_with_nobody_to_ask_names_the_way_out() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let output = home.run(&["-m", "demo", "-p", "create note.txt with hello"]).await?;
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    for words in ["nobody is here to allow it: write_file", "--approval-mode auto_edit", "--yolo"] {
        ensure!(told.contains(words), "{words:?} is missing in: {told}");
    }
    ensure!(!home.workspace().join("note.txt").exists(), "what was denied was done");
    Ok(())
}

#[tokio::test]
async fn a_pipe_is_a_prompt() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = script::write(&home.path("script.jsonl"), &[script::text_answer("heard")])?;
    let said = piped(&home, &["-m", &model], "hello\n".as_bytes()).await?;
    assert_eq!((said.status.code(), text(&said.stdout)), (Some(0), "heard\n".into()));

    refused(&piped(&home, &["-m", &model], b" \n \n").await?, &["standard input is empty", "-p TEXT"])?;
    let not_text = piped(&home, &["-m", &model], b"caf\xe9").await?;
    refused(&not_text, &["standard input is not valid UTF-8", "put it into a file"])?;
    let too_long = piped(&home, &["-m", &model], &vec![b'x'; 8 * 1024 * 1024 + 1]).await?;
    refused(&too_long, &["standard input is longer than 8 MB", "put it into a file"])
}

#[tokio::test]
async fn a_script_that_cannot_be_used_names_the_line() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let good = script::text_answer("good").to_string();
    let cases: [(&str, String, &[&str]); 6] = [
        ("empty", String::new(), &["it has no generateContentStream line"]),
        ("not JSON", format!("{good}\n\nnot json\n"), &["line 3:"]),
        (
            "an unknown key",
            format!("{good}\n{{\"method\": \"generateContentStream\", \"respond\": []}}"),
            &["line 2:", "respond"],
        ),
        ("an unknown method", "{\"method\": \"sing\"}".into(), &["line 1:", "sing"]),
        ("no response", "\n{\"method\": \"generateContentStream\"}".into(), &["line 2:", "response is missing"]),
        (
            "after a repeat",
            format!("{}\n{good}", script::repeat_forever(script::text_answer("x"))),
            &["line 2:", "repeat"],
        ),
    ];
    for (name, content, words) in cases {
        let path = home.path("script.jsonl");
        std::fs::write(&path, content)?;
        let model = format!("script:{}", path.display());
        let output = home.run(&["-p", "x", "-m", &model]).await?;
        refused(&output, &[words, &["cannot use script"]].concat()).context(name)?;
    }
    Ok(())
}

/// A model that fails in the middle of the work is no wrong flag: exit code 1.
#[tokio::test]
async fn a_model_that_fails_says_why() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let list = script::call_answer("list_directory", &json!({"dir_path": "."}));
    let denied = json!({"method": "generateContentStream", "http": {"status": 403},
        "error": {"code": 403, "status": "PERMISSION_DENIED", "message": "No access."}});
    let misfit = json!({"method": "generateContentStream", "response": [], "error": {"code": 400, "message": "x"},
        "expect": {"lastUserContains": "please"}});
    let cases: [(&[serde_json::Value], &[&str]); 3] = [
        (std::slice::from_ref(&list), &["the script ran out: call 2 has no line"]),
        (&[denied], &["403 PERMISSION_DENIED: No access;", "-m"]),
        (&[misfit], &["script line 1 does not fit", "\"please\""]),
    ];
    for (lines, words) in cases {
        let model = script::write(&home.path("script.jsonl"), lines)?;
        let output = home.run(&["-p", "go", "-m", &model]).await?;
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        contains_all(&told, words)?;
    }
    Ok(())
}

#[tokio::test]
async fn the_environment_is_checked_like_a_flag() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let cases: [(&str, &str, &[&str], &[&str]); 6] = [
        ("CODER_AGENT_PORT", "http", &["serve"], &["environment CODER_AGENT_PORT: serve.port must be", "65535"]),
        ("CODER_AGENT_PORT", "65536", &["serve"], &["environment CODER_AGENT_PORT: serve.port must be", "65535"]),
        ("PORT", "none", &["serve"], &["environment PORT: serve.port must be a whole number from 0 to 65535"]),
        ("CODER_AGENT_WORKSPACE_PATH", "missing", &["serve"], &["missing cannot be the workspace"]),
        ("GEMINI_MODEL", "script:missing.jsonl", &["-p", "x"], &["cannot use script missing.jsonl"]),
        ("GOOGLE_GEMINI_BASE_URL", "gateway", &["-p", "x"], &["GOOGLE_GEMINI_BASE_URL is not usable", "https://"]),
    ];
    for (name, value, args, words) in cases {
        let output = timeout(TIMEOUT, home.command(args).env(name, value).output()).await??;
        refused(&output, words).with_context(|| format!("{name}={value}"))?;
    }
    Ok(())
}

#[tokio::test]
async fn the_port_comes_from_the_flag_then_the_environment() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let serve = |args: &[&str]| {
        let mut command = home.command(args);
        // Cloud Run's comes after it, and may be anything.
        command.env("CODER_AGENT_PORT", &free).env("PORT", "none");
        command
    };
    let server = ServerProcess::start(serve(&["serve"])).await?;
    assert_eq!(server.address, format!("127.0.0.1:{free}"));
    assert_eq!(http::get(&server.address, "/health").await?.status, 200);

    let taken = timeout(TIMEOUT, serve(&["serve", "--data-dir", "other"]).output()).await??;
    refused(&taken, &[&format!("port {free} is taken by another Pollux (pid "), "or 0 for any"])?;
    let shared = home.run(&["--a2a-port", &free]).await?;
    refused(&shared, &[&format!("port {free} is taken by another Pollux (pid "), "or 0 for any"])?;

    let elsewhere = ServerProcess::start(serve(&["serve", "--port", "0", "--data-dir", "other"])).await?;
    assert_ne!(elsewhere.address, server.address);
    assert_eq!(elsewhere.stop().await?, Some(0));
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_prompt_is_answered_by_the_demo_only_if_somebody_named_it() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    refused(&piped(&home, &[], b"list the files\n").await?, &["no API key found"])?;
    let by_variable = timeout(TIMEOUT, home.command(&["-p", "list the files"]).env("GEMINI_MODEL", "demo").output());
    assert_eq!(by_variable.await??.status.code(), Some(0));
    std::fs::create_dir(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/settings.json"), r#"{"model": {"name": "demo"}}"#)?;
    assert_eq!(home.run(&["-p", "list the files"]).await?.status.code(), Some(0));
    Ok(())
}

#[tokio::test]
async fn a_token_file_must_be_a_secret() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let token = "0123456789abcdef0123456789abcdef";
    let cases: [(&str, &str, u32, &[&str]); 5] = [
        ("readable", token, 0o644, &["other users can read the token file", "chmod 600"]),
        ("writable", token, 0o620, &["other users can read the token file", "chmod 600"]),
        ("short", "0123456789abcdef", 0o600, &["a token is 32 or more letters", "openssl rand -hex 32"]),
        ("blank", "\n", 0o600, &["a token is 32 or more letters", "openssl rand -hex 32"]),
        ("spaced", "0123456789abcdef 0123456789abcdef", 0o600, &["a token is 32 or more letters"]),
    ];
    for (name, content, mode, words) in cases {
        let path = home.path(name);
        secret(&path, content, mode)?;
        let path = path.to_str().context("the path is text")?;
        for args in [&["--a2a-port", "0"][..], &["serve", "--port", "0"]] {
            let output = home.run(&[args, &["--token-file", path]].concat()).await?;
            refused(&output, words).context(name)?;
            ensure!(content.trim().is_empty() || !text(&output.stderr).contains(content.trim()), "{name} is shown");
        }
    }
    let path = home.path("good");
    secret(&path, &format!("{token}\n"), 0o600)?;
    let path = path.to_str().context("the path is text")?;
    let refusal = home.run(&["serve", "--host", "0.0.0.0", "--token-file", path]).await?;
    refused(&refusal, &["other machines", "give --tls-in-front,"])?;

    let server = home.serve(&["--token-file", path]).await?;
    let post = async |authorization: Option<&str>| {
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        http::request(&server.address, "POST", "/tasks", &headers, b"{}").await
    };
    for wrong in
        [None, Some("Bearer 0123456789abcdef0123456789abcdee"), Some("Bearer"), Some(&format!("Basic {token}"))]
    {
        let answer = post(wrong).await?;
        assert_eq!((answer.status, answer.headers.contains_key("www-authenticate")), (401, true), "{wrong:?}");
    }
    assert_eq!(post(Some(&format!("Bearer {token}"))).await?.status, 201);
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn the_server_keeps_to_its_connections_hosts_and_workspace() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    std::fs::create_dir(home.path("elsewhere"))?;
    let elsewhere = home.path("elsewhere").canonicalize()?;
    let workspace = elsewhere.to_str().context("the path is text")?;
    let server = home
        .serve(&["--max-connections", "1", "--allow-host", "pollux.test:8443", "--workspace", workspace, "--yolo"])
        .await?;

    // An open stream of the person keeps its connection; one that has asked for nothing would make room.
    let mut idle = TcpStream::connect(&server.address).await?;
    let request = format!("GET /tasks HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    idle.write_all(request.as_bytes()).await?;
    idle.read_exact(&mut [0; 12]).await?;
    let full = http::get(&server.address, "/health").await?;
    assert_eq!((full.status, full.headers.get("retry-after").map(String::as_str)), (503, Some("1")));
    drop(idle);
    assert_eq!(freed(|| http::get(&server.address, "/health")).await?.status, 200);

    let by_host = async |host: &str| http::request(&server.address, "GET", "/health", &[("Host", host)], b"").await;
    assert_eq!(freed(|| by_host("pollux.test:8443")).await?.status, 200);
    assert_eq!(freed(|| by_host("pollux.test")).await?.status, 421);

    let message =
        json!({"message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "run pwd"}]}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": message});
    let told = freed(|| http::post(&server.address, "/", &call)).await?.text().await?;
    ensure!(told.contains(workspace), "the command ran elsewhere: {told}");
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn debug_tells_what_happens_inside() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let mut child = home.command(&["--a2a-port", "0", "--debug"]).spawn()?;
    let mut lines = BufReader::new(child.stderr.take().context("standard error is captured")?).lines();
    let told = timeout(TIMEOUT, async {
        while let Some(line) = lines.next_line().await? {
            if line.contains("[A2AService] listening on 127.0.0.1:") {
                return Ok(());
            }
        }
        anyhow::bail!("nothing was said about the endpoint")
    });
    told.await??;
    child.kill().await?;
    let quiet = home.run(&["-m", "demo", "-p", "list the files"]).await?;
    ensure!(!text(&quiet.stderr).contains("DEBUG"), "it tells without being asked");
    Ok(())
}

/// The program said no, as a program does that was asked for something that cannot be.
fn refused(output: &Output, words: &[&str]) -> Result<()> {
    let told = text(&output.stderr);
    ensure!(output.status.code() == Some(2), "exit code {:?}: {told}", output.status.code());
    ensure!(output.stdout.is_empty(), "standard output is for answers, not for {:?}", text(&output.stdout));
    ensure!(!told.contains("panicked"), "{told}");
    contains_all(&told, words)
}

fn contains_all(told: &str, words: &[&str]) -> Result<()> {
    for word in words {
        ensure!(told.contains(word), "{word:?} is missing in: {told}");
    }
    Ok(())
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

/// Ask until a server of one connection has noticed that the last one is over.
async fn freed<F: Future<Output = Result<http::HttpAnswer>>>(ask: impl Fn() -> F) -> Result<http::HttpAnswer> {
    let asking = async {
        loop {
            match ask().await {
                Ok(answer) if answer.status == 503 => tokio::task::yield_now().await,
                answer => return answer,
            }
        }
    };
    timeout(TIMEOUT, asking).await.context("the connection stays taken")?
}

fn secret(path: &Path, content: &str, mode: u32) -> Result<()> {
    std::fs::write(path, content)?;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}

fn port(server: &ServerProcess) -> &str {
    server.address.rsplit(':').next().unwrap_or_default()
}

/// The long name of the flag that a line of the help is about.
fn flag_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let start = if line.starts_with("--") { 0 } else { line.strip_prefix('-').and_then(|_| line.find("--"))? };
    line[start..].split([' ', ',', '[']).next()
}

/// Text without the times it names.
fn steady(told: &str) -> String {
    told.split(' ').filter(|word| word.parse::<u64>().is_err()).collect::<Vec<_>>().join(" ")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
