//! Gemini CLI from npm, for figures beside ours: on the same fake model, with nothing that leaves the machine.

use crate::fake_gemini::{self, FakeGeminiRequest};
use crate::test::setup;
use crate::{process, say};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PACKAGE: &str = "@google/gemini-cli";
const VERSION: &str = "0.61.0";
/// Its name in the output.
pub(crate) const NAME: &str = "gemini-cli 0.61";
/// A model that needs no other model to be chosen.
pub(crate) const MODEL: &str = "gemini-2.5-flash";

/// It, installed, with a home of its own.
pub(crate) struct GeminiCli {
    entry: PathBuf,
    home: PathBuf,
}

impl GeminiCli {
    /// Install it below `peers` where it is missing, and give it `home`; `None`, with a line that says why, when this machine
    /// cannot run it.
    pub(crate) fn find(root: &Path, peers: &Path, home: PathBuf) -> Result<Option<GeminiCli>> {
        if !setup::on_path("node") || !setup::on_path("npm") {
            say(format_args!("{NAME}: not measured, node is not installed"));
            return Ok(None);
        }
        let places = ["node", "gemini-cli"].map(|place| peers.join(place));
        let has_it = |place: &&PathBuf| setup::installed(place, PACKAGE).as_deref() == Some(VERSION);
        let prefix = match places.iter().find(has_it) {
            Some(prefix) => prefix,
            None => {
                if let Err(error) = setup::npm_install(root, &places[1], &[format!("{PACKAGE}@{VERSION}")]) {
                    say(format_args!("{NAME}: not measured, {error:#}"));
                    return Ok(None);
                }
                &places[1]
            }
        };
        let package = prefix.join("node_modules").join(PACKAGE);
        let manifest: Value = serde_json::from_slice(&std::fs::read(package.join("package.json"))?)?;
        let entry = manifest["bin"]["gemini"].as_str().context("it has no program called gemini")?;
        let cli = GeminiCli { entry: package.join(entry), home };
        cli.write_settings()?;
        Ok(Some(cli))
    }

    /// The same program with another home.
    pub(crate) fn with_home(&self, home: PathBuf) -> Result<GeminiCli> {
        let cli = GeminiCli { entry: self.entry.clone(), home };
        cli.write_settings()?;
        Ok(cli)
    }

    fn write_settings(&self) -> Result<()> {
        let settings = json!({
            "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "disableAutoUpdate": true, "disableUpdateNag": true },
            "privacy": { "usageStatisticsEnabled": false },
            "telemetry": { "enabled": false },
            "security": { "auth": { "selectedType": "gemini-api-key" } },
        });
        let directory = self.home.join(".gemini");
        std::fs::create_dir_all(&directory)?;
        Ok(std::fs::write(directory.join("settings.json"), settings.to_string())?)
    }

    /// A command that has it answer `prompt` in `directory`, asking the fake model at `port`.
    pub(crate) fn prompt(&self, directory: &Path, port: u16, prompt: &str) -> Command {
        let mut command = self.screen(directory, port);
        command.args(["-p", prompt]).stdin(Stdio::null());
        command
    }

    /// A command that starts it at a terminal, asking the fake model at `port`.
    pub(crate) fn screen(&self, directory: &Path, port: u16) -> Command {
        let mut command = self.program(directory);
        command.args(["-m", MODEL, "--yolo"]);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", &self.home);
        command.env("GEMINI_API_KEY", "x").env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"));
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("NO_COLOR", "1");
        command
    }

    /// A command that starts it, with no flags but those for a folder that is trusted.
    pub(crate) fn program(&self, directory: &Path) -> Command {
        let mut command = process::command("node", directory);
        command.arg(&self.entry).arg("--skip-trust");
        command
    }

    /// The time that one of its tools takes, by its own account: from the event that says it is called to its result.
    pub(crate) fn tool_time(&self, directory: &Path, tool: &str, args: &Value) -> Result<Duration> {
        let port = fake_gemini::start_with(model_calling(tool.to_owned(), args.clone()))?;
        let mut command = self.prompt(directory, port, "go");
        let output = command.args(["-o", "stream-json"]).output().context("node could not be started")?;
        let text = String::from_utf8_lossy(&output.stdout);
        match tool_duration(&text) {
            Some(Ok(took)) => Ok(took),
            Some(Err(why)) => bail!("{tool} failed: {why}"),
            None => bail!("it told of no {tool}; it said: {text}{}", String::from_utf8_lossy(&output.stderr)),
        }
    }
}

/// A model that calls `tool` first and then has no more to say.
fn model_calling(tool: String, args: Value) -> impl Fn(&FakeGeminiRequest) -> Value + Send + Sync + 'static {
    move |asked| {
        if asked.contains("\"functionResponse\"") {
            return fake_gemini::text_answer("done");
        }
        fake_gemini::answer_of(&json!({ "functionCall": { "name": tool, "args": args } }), 1)
    }
}

/// The time from the first call to its result in a stream of events, or why it failed.
fn tool_duration(stream: &str) -> Option<Result<Duration, String>> {
    let events = Vec::from_iter(stream.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()));
    let find = |kind: &str| events.iter().find(|event| event["type"] == kind);
    let (called, result) = (find("tool_use")?, find("tool_result")?);
    if result["status"] != "success" {
        return Some(Err(result.to_string()));
    }
    let at = |event: &Value| milliseconds(event["timestamp"].as_str()?);
    Some(Ok(Duration::from_millis(at(result)?.checked_sub(at(called)?)?)))
}

/// Milliseconds since midnight of `2026-01-02T03:04:05.678Z`; nothing here runs past midnight twice.
fn milliseconds(timestamp: &str) -> Option<u64> {
    let (_, time) = timestamp.trim_end_matches('Z').split_once('T')?;
    let mut parts = time.split([':', '.']);
    let mut next = || parts.next()?.parse::<u64>().ok();
    let (hours, minutes, seconds, thousandths) = (next()?, next()?, next()?, next()?);
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_tool_is_read_from_its_events() {
        let events = |status: &str| {
            format!(
                "noise\n{{\"type\":\"tool_use\",\"timestamp\":\"2026-01-02T03:04:05.900Z\"}}\n\
                 {{\"type\":\"tool_result\",\"timestamp\":\"2026-01-02T03:04:06.050Z\",\"status\":\"{status}\"}}\n"
            )
        };
        assert_eq!(tool_duration(&events("success")), Some(Ok(Duration::from_millis(150))));
        assert!(matches!(tool_duration(&events("error")), Some(Err(_))));
        assert_eq!(tool_duration("{}"), None);
        assert_eq!(milliseconds("yesterday"), None);
    }
}
