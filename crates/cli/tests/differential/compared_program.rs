//! One of the two programs, playing a conversation headless in a home of its own.

use crate::differential::gemini_settings;
use crate::differential::trace::ProgramTrace;
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::conversation::ScriptedConversation;
use pollux_testkit::program::TestHome;
use pollux_testkit::replay::ReplayProvider;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// The model both ask: a fixed one, so that nobody routes.
const MODEL: &str = "gemini-2.5-flash";
/// The time limit of one run. Gemini CLI takes seconds to start, and retries wait for real.
const TIMEOUT: Duration = Duration::from_secs(180);

/// A program.
pub(crate) enum ComparedProgram<'a> {
    /// Gemini CLI, at this path.
    Gemini(&'a Path),
    /// This one.
    Pollux,
}

impl ComparedProgram<'_> {
    /// Play the first prompt of a conversation.
    pub(crate) async fn play(&self, conversation: &ScriptedConversation) -> Result<ProgramTrace> {
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let workspace = std::fs::canonicalize(home.workspace())?;
        let before = conversation.files("before")?;
        for (path, bytes) in &before {
            let path = workspace.join(path);
            std::fs::create_dir_all(path.parent().context("a file is in a directory")?)?;
            std::fs::write(path, bytes)?;
        }
        let upstream = ReplayProvider::start(&conversation.values("upstream")?).await?;
        let commands = conversation.values("commands")?;
        let [command] = &commands[..] else { anyhow::bail!("only conversations of one prompt are compared") };
        let prompt = command["prompt"].as_str().context("a prompt")?;
        let yolo = conversation.lines("flags").iter().any(|flag| flag.contains("yolo"));

        let mut command = self.command(&home, prompt, yolo)?;
        command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &upstream.address);
        let ended = timeout(TIMEOUT, command.output()).await.context("it does not end")??;
        let requests = upstream.requests();
        ensure!(
            !requests.is_empty(),
            "{} asked nothing: {}{}",
            self.name(),
            String::from_utf8_lossy(&ended.stdout),
            String::from_utf8_lossy(&ended.stderr)
        );
        let mut files = BTreeMap::new();
        collect(&workspace, &workspace, &mut files)?;
        files.retain(|path, bytes| before.get(path) != Some(bytes));
        Ok(ProgramTrace::new(&requests, prompt, &workspace, files))
    }

    fn name(&self) -> &'static str {
        match self {
            ComparedProgram::Gemini(_) => "Gemini CLI",
            ComparedProgram::Pollux => "Pollux",
        }
    }

    fn command(&self, home: &TestHome, prompt: &str, yolo: bool) -> Result<Command> {
        let mut args = vec!["--prompt", prompt];
        args.extend(yolo.then_some("--yolo"));
        Ok(match self {
            ComparedProgram::Pollux => {
                args.extend(["--model", MODEL, "--ephemeral"]);
                home.command(&args)
            }
            ComparedProgram::Gemini(program) => {
                let settings = home.path(".gemini/settings.json");
                std::fs::create_dir_all(settings.parent().context("a directory")?)?;
                std::fs::write(settings, gemini_settings::settings(MODEL).to_string())?;
                args.push("--skip-trust");
                home.command_of(program, &args)
            }
        })
    }
}

fn collect(root: &Path, dir: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.insert(path.strip_prefix(root)?.display().to_string(), std::fs::read(&path)?);
        }
    }
    Ok(())
}
