//! Every setting that has an effect has it, with the real program.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::program::{TIMEOUT, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::process::Output;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

/// A home with these settings.
fn home(settings: &Value) -> Result<TestHome> {
    let home = TestHome::new(POLLUX)?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/settings.json"), settings.to_string())?;
    Ok(home)
}

/// The result of the first call when the model wants `tool` and then rests.
async fn call(home: &TestHome, tool: &str, args: &Value, flags: &[&str]) -> Result<Value> {
    let model =
        script::write(&home.path("script.jsonl"), &[script::call_answer(tool, args), script::text_answer("done")])?;
    let output = home.run(&[&["-p", "go", "-y", "-m", &model, "-o", "stream-json"], flags].concat()).await?;
    let told = text(&output.stdout);
    let lines = told.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<Value>>>()?;
    lines.into_iter().find(|line| line["type"] == "tool_result").context(told + &text(&output.stderr))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn more_directories_belong_to_the_workspace() -> Result<()> {
    let elsewhere = |home: &TestHome, name: &str| -> Result<Value> {
        std::fs::create_dir_all(home.path(name))?;
        let path = home.path(name).canonicalize()?.join("a.txt");
        Ok(json!({"file_path": path, "content": format!("for {name}\n")}))
    };
    let none = home(&json!({}))?;
    let args = elsewhere(&none, "one")?;
    assert_eq!(call(&none, "write_file", &args, &[]).await?["status"], "error");
    let dirs = format!("{},{}", none.path("two").display(), none.path("one").display());
    elsewhere(&none, "two")?;
    assert_eq!(call(&none, "write_file", &args, &["--include-directories", &dirs]).await?["status"], "success");

    let set = home(&json!({"context": {"includeDirectories": ["~/one"]}}))?;
    let (one, two) = (elsewhere(&set, "one")?, elsewhere(&set, "two")?);
    let written = call(&set, "write_file", &one, &[]).await?;
    assert_eq!(written["status"], "success", "{written}");
    let refused = call(&set, "write_file", &two, &[]).await?;
    assert_eq!(refused["status"], "error", "{refused}");
    let both = call(&set, "write_file", &two, &["--include-directories", "../two"]).await?;
    assert_eq!(both["status"], "success", "{both}");
    Ok(())
}

#[tokio::test]
async fn searches_pass_over_what_the_settings_say() -> Result<()> {
    let found = async |filtering: Value| -> Result<Vec<bool>> {
        let home = home(&json!({"context": {"fileFiltering": filtering}}))?;
        let at = |name: &str| home.workspace().join(name);
        std::fs::create_dir(at(".git"))?;
        for (name, content) in [(".gitignore", "a.txt\n"), (".geminiignore", "b.txt\n"), ("mine.ignore", "c.txt\n")] {
            std::fs::write(at(name), content)?;
        }
        for name in ["a.txt", "b.txt", "c.txt", "d.txt"] {
            std::fs::write(at(name), "")?;
        }
        let output = call(&home, "glob", &json!({"pattern": "*.txt"}), &[]).await?;
        let output = output["output"].as_str().context("glob has an output")?.to_owned();
        Ok(["a.txt", "b.txt", "c.txt", "d.txt"].map(|name| output.contains(name)).to_vec())
    };
    assert_eq!(found(json!({})).await?, [false, false, true, true]);
    assert_eq!(found(json!({"respectGitIgnore": false})).await?, [true, false, true, true]);
    assert_eq!(found(json!({"respectGeminiIgnore": false})).await?, [false, true, true, true]);
    assert_eq!(found(json!({"customIgnoreFilePaths": ["mine.ignore"]})).await?, [false, false, false, true]);
    Ok(())
}

#[tokio::test]
async fn long_output_is_cut_where_the_settings_say() -> Result<()> {
    let printed = async |settings: Value| -> Result<usize> {
        let home = home(&settings)?;
        let result = call(&home, "run_shell_command", &json!({"command": "seq 1 2000"}), &[]).await?;
        Ok(result["output"].as_str().context("a command has an output")?.len())
    };
    ensure!(printed(json!({})).await? > 8000, "the usual threshold cuts it");
    ensure!(printed(json!({"tools": {"truncateToolOutputThreshold": 1000}})).await? < 2000, "it is not cut");
    ensure!(printed(json!({"tools": {"truncateToolOutputThreshold": -1}})).await? > 8000, "no limit is one");
    Ok(())
}

#[tokio::test]
async fn commands_get_a_terminal_unless_the_settings_say_pipes() -> Result<()> {
    for (interactive, wanted) in [(true, "a terminal"), (false, "a pipe")] {
        let home = home(&json!({"tools": {"shell": {"enableInteractiveShell": interactive}}}))?;
        let command = json!({"command": "if test -t 1; then echo a terminal; else echo a pipe; fi"});
        let result = call(&home, "run_shell_command", &command, &[]).await?;
        ensure!(result["output"].as_str().is_some_and(|output| output.contains(wanted)), "{wanted}: {result}");
    }
    Ok(())
}

#[tokio::test]
async fn a_session_has_no_more_turns_than_the_settings_say() -> Result<()> {
    let home = home(&json!({"model": {"maxSessionTurns": 1}}))?;
    let model = script::write(&home.path("script.jsonl"), &[script::repeat_forever(script::text_answer("done"))])?;
    assert_eq!(home.run(&["-p", "one", "-m", &model]).await?.status.code(), Some(0));
    let over = home.run(&["-p", "two", "-m", &model, "--resume", "-o", "json"]).await?;
    assert_eq!(over.status.code(), Some(53), "{}", text(&over.stderr));
    let told: Value = serde_json::from_slice(&over.stdout)?;
    assert_eq!((&told["error"]["type"], &told["error"]["code"]), (&json!("turn_limit"), &json!(53)));
    Ok(())
}

#[tokio::test]
async fn a_model_that_goes_round_in_circles_is_stopped_unless_the_settings_say_not_to() -> Result<()> {
    for (disabled, code) in [(false, 1), (true, 0)] {
        let home = home(&json!({"model": {"disableLoopDetection": disabled}}))?;
        let list = script::call_answer("list_directory", &json!({"dir_path": "."}));
        let mut lines = vec![list; 12];
        lines.push(script::text_answer("done"));
        let model = script::write(&home.path("script.jsonl"), &lines)?;
        let output = home.run(&["-p", "go", "-m", &model]).await?;
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    }
    Ok(())
}

/// Run against a fake of Google's API.
async fn ask(home: &TestHome, google: &FakeGemini, args: &[&str]) -> Result<Output> {
    let mut command = home.command(args);
    command.env("GEMINI_API_KEY", "test-key").env("GOOGLE_GEMINI_BASE_URL", &google.base_url);
    Ok(timeout(TIMEOUT, command.output()).await.context("the program does not end")??)
}

#[tokio::test]
async fn a_failing_request_is_sent_as_often_as_the_settings_say() -> Result<()> {
    let home = home(&json!({"general": {"maxAttempts": 1}, "model": {"fallback": false}}))?;
    let busy = json!({"method": "generateContentStream", "http": {"status": 503},
        "error": {"code": 503, "status": "UNAVAILABLE", "message": "Busy."}});
    let google = FakeGemini::start([script::repeat_forever(busy)]).await?;
    let output = ask(&home, &google, &["-p", "go", "-m", "gemini-2.5-flash"]).await?;
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(google.requests().len(), 1);
    Ok(())
}

#[tokio::test]
async fn another_model_steps_in_unless_the_settings_say_not_to() -> Result<()> {
    let spent = json!({"method": "generateContentStream", "http": {"status": 429}, "error": {"code": 429,
        "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota.", "details": [{
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}});
    for (fallback, code) in [(true, 0), (false, 1)] {
        let home = home(&json!({"model": {"fallback": fallback}}))?;
        let google = FakeGemini::start([spent.clone(), script::text_answer("flash here")]).await?;
        let output = ask(&home, &google, &["-p", "go", "-m", "gemini-2.5-pro"]).await?;
        assert_eq!(output.status.code(), Some(code), "{fallback}: {}", text(&output.stderr));
        let asked = google.requests().iter().filter(|request| request.target.contains("gemini-2.5-flash")).count();
        assert_eq!((asked, text(&output.stdout).as_str()), if fallback { (1, "flash here\n") } else { (0, "") });
    }
    Ok(())
}

#[tokio::test]
async fn google_keeps_instructions_only_when_the_settings_say_so() -> Result<()> {
    for cached in [false, true] {
        let home = home(&json!({"model": {"cachedContent": cached}}))?;
        let google = FakeGemini::start([script::repeat_forever(script::text_answer("done"))]).await?;
        let output = ask(&home, &google, &["-p", "go", "-m", "gemini-2.5-flash"]).await?;
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let kept = google.requests().iter().filter(|request| request.target.contains("cachedContents")).count();
        assert_eq!(kept > 0, cached, "{kept}");
    }
    Ok(())
}

#[tokio::test]
async fn a_file_stands_in_for_the_system_prompt() -> Result<()> {
    let home = home(&json!({}))?;
    std::fs::write(home.path("system.md"), "You are a lighthouse.")?;
    std::fs::create_dir(home.workspace().join(".gemini"))?;
    std::fs::write(home.workspace().join(".gemini/system.md"), "You are a harbour.")?;
    let told = async |value: &str| -> Result<(Option<i32>, String)> {
        let google = FakeGemini::start([script::text_answer("done")]).await?;
        let mut command = home.command(&["-p", "go", "-m", "gemini-2.5-flash"]);
        command.env("GEMINI_API_KEY", "test-key").env("GOOGLE_GEMINI_BASE_URL", &google.base_url);
        let output = timeout(TIMEOUT, command.env("GEMINI_SYSTEM_MD", value).output()).await??;
        let told = google.requests().iter().map(|request| request.body["systemInstruction"].to_string()).collect();
        Ok((output.status.code(), if output.status.success() { told } else { text(&output.stderr) }))
    };
    let contains = |(code, told): (Option<i32>, String), wanted: (i32, &str)| {
        ensure!(code == Some(wanted.0) && told.contains(wanted.1), "{code:?}: {told}");
        Ok(())
    };
    contains(told("~/system.md").await?, (0, "You are a lighthouse."))?;
    contains(told("0").await?, (0, "Workspace: "))?;
    contains(told("~/missing.md").await?, (2, "missing.md, which cannot be used: there is no such file"))?;
    contains(told("1").await?, (2, "which you do not trust; run `pollux trust`"))?;
    assert_eq!(home.run(&["trust"]).await?.status.code(), Some(0));
    contains(told("true").await?, (0, "You are a harbour."))
}

#[tokio::test]
async fn memory_of_added_directories_is_read_unless_the_settings_say_not_to() -> Result<()> {
    for read in [true, false] {
        let context = json!({"includeDirectories": ["~/one"], "loadMemoryFromIncludeDirectories": read});
        let home = home(&json!({ "context": context }))?;
        std::fs::create_dir(home.path("one"))?;
        std::fs::write(home.path("one/GEMINI.md"), "The magic word is xyzzy.")?;
        let google = FakeGemini::start([script::text_answer("done")]).await?;
        let output = ask(&home, &google, &["-p", "go", "-m", "gemini-2.5-flash"]).await?;
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let told = google.requests().iter().any(|request| request.body.to_string().contains("xyzzy"));
        assert_eq!(told, read);
    }
    Ok(())
}

#[tokio::test]
async fn gemini_clis_own_safety_set_up_holds_or_is_told() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let run = script::call_answer("run_shell_command", &json!({"command": "touch made.txt"}));
    let lines = [run.clone(), script::text_answer("done"), run, script::text_answer("done")];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    std::fs::create_dir_all(home.path(".gemini/policies"))?;
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"deny\"\npriority = 900\n";
    std::fs::write(home.path(".gemini/policies/mine.toml"), rule)?;
    let denied = home.run(&["-p", "go", "-m", &model, "--yolo", "-o", "stream-json"]).await?;
    let told = String::from_utf8_lossy(&denied.stdout).into_owned();
    ensure!(told.contains("mine.toml") && !home.workspace().join("made.txt").exists(), "{told}");

    std::fs::write(home.path(".gemini/policies/mine.toml"), "")?;
    let hooks = r#"{"hooks": {"BeforeTool": [{"matcher": "*", "hooks": [{"type": "command", "command": "false"}]}]}}"#;
    std::fs::write(home.path(".gemini/settings.json"), hooks)?;
    let refused = home.run(&["-p", "go", "-m", &model, "--yolo"]).await?;
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(refused.status.code() == Some(2) && told.contains("yolo mode is refused: hooks.BeforeTool"), "{told}");
    let asked = home.run(&["-p", "go", "-m", &model]).await?;
    let told = String::from_utf8_lossy(&asked.stderr).into_owned();
    ensure!(told.contains(".gemini/settings.json:1: hooks.BeforeTool is not run"), "{told}");
    let doctor = home.run(&["doctor"]).await?;
    let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
    ensure!(told.contains("hooks.BeforeTool is not run by this release ("), "{told}");
    ensure!(told.matches("hooks.BeforeTool").count() == 1 && doctor.stderr.is_empty(), "{doctor:?}");
    std::fs::write(home.path(".gemini/settings.json"), r#"{"modle": 1}"#)?;
    let doctor = home.run(&["doctor"]).await?;
    let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
    ensure!(told.matches("there is no setting \"modle\"").count() == 1 && doctor.stderr.is_empty(), "{doctor:?}");
    std::fs::write(home.path(".gemini/settings.json"), "{\n  model: 1 }")?;
    let doctor = home.run(&["doctor"]).await?;
    let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
    let broken = "settings.json, line 2, column 3: a name in double quotes is expected here";
    ensure!(told.contains(broken) && told.contains("one thing is broken"), "{told}");
    ensure!(told.contains("✓ git") && doctor.status.code() == Some(1), "the other checks are made: {doctor:?}");
    ensure!(!home.workspace().join("made.txt").exists(), "something has run");
    Ok(())
}
