//! The program in a root of its own, where there is nothing but the program: no shell, no `/proc`, no `/etc`; as a user
//! who owns nothing but two directories. That is a container made `FROM scratch`.

use crate::deploy::{home, say};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http;
use pollux_testkit::program::{ServerProcess, TestHome};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// Somebody who is nobody here.
const STRANGER: u32 = 65532;
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn it_needs_nothing_around_it() -> Result<()> {
    let home = home()?;
    let root = Root::new(&home).await?;
    let Some(enter) = root.way_in().await? else { return Ok(()) };
    let run = |args: &[&str]| {
        let all = [&enter.iter().map(String::as_str).collect::<Vec<_>>()[1..], &["/pollux"], args].concat();
        let mut command = home.command_of(&enter[0], &all);
        command.env_clear().env("HOME", "/data").envs(std::env::var("PATH").map(|path| ("PATH", path)));
        command
    };
    let flags = ["--port", "0", "--token-file", "/data/token", "--data-dir", "/data", "--workspace", "/work"];
    let server = ServerProcess::start(run(&[&["serve", "--yolo"], &flags[..]].concat())).await?;

    let well = run(&["health", &server.url("")]).output().await?;
    assert_eq!(well.status.code(), Some(0), "{}", String::from_utf8_lossy(&well.stderr));
    let sent = ask(&server, "message/send", &say("create made.txt with here")).await?;
    assert_eq!(sent["result"]["status"]["state"], "completed", "{sent}");
    assert_eq!(fs::read_to_string(root.path.join("work/made.txt"))?, "here");
    // Without a shell a command is an answer to the model, not the end of the server.
    let sent = ask(&server, "message/send", &say("run echo hi")).await?;
    assert_eq!(sent["result"]["status"]["state"], "completed", "{sent}");
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

async fn ask(server: &ServerProcess, method: &str, params: &Value) -> Result<Value> {
    let call = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Content-Type", "application/json"), ("Authorization", bearer.as_str())];
    http::request(&server.address, "POST", "/", &headers, call.to_string().as_bytes()).await?.json().await
}

/// A root with the program in it.
struct Root<'a> {
    home: &'a TestHome,
    path: PathBuf,
}

impl<'a> Root<'a> {
    /// A static program comes alone, any other with its libraries.
    async fn new(home: &'a TestHome) -> Result<Root<'a>> {
        let path = home.path("root");
        for directory in ["data", "work"] {
            fs::create_dir_all(path.join(directory))?;
        }
        fs::copy(home.program(), path.join("pollux"))?;
        fs::write(path.join("data/token"), TOKEN)?;
        fs::set_permissions(path.join("data/token"), fs::Permissions::from_mode(0o600))?;
        let root = Root { home, path };
        for library in root.libraries().await? {
            let to = root.path.join(library.strip_prefix("/")?);
            fs::create_dir_all(to.parent().context("a library is in a directory")?)?;
            fs::copy(&library, to)?;
        }
        Ok(root)
    }

    async fn libraries(&self) -> Result<Vec<PathBuf>> {
        let program = self.home.program().to_string_lossy();
        let listed = self.home.run_program("ldd", &[&program]).await?;
        // A static program has none, which `ldd` reports as a failure.
        let text = String::from_utf8(listed.stdout)?;
        let words = text.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')));
        Ok(words.map(|word| Path::new(word).to_owned()).collect())
    }

    /// The command that starts a program in here as a stranger; `None` where this machine allows it to nobody.
    async fn way_in(&self) -> Result<Option<Vec<String>>> {
        let root = self.path.to_string_lossy().into_owned();
        let id = self.home.run_program("id", &["-u"]).await?;
        let words: Vec<String> = if id.stdout.trim_ascii() == b"0" {
            for owned in ["data", "data/token", "work"] {
                chown(self.path.join(owned), Some(STRANGER), Some(STRANGER))?;
            }
            self.let_through()?;
            vec!["chroot".into(), format!("--userspec={STRANGER}:{STRANGER}"), root]
        } else {
            let map = [format!("--map-user={STRANGER}"), format!("--map-group={STRANGER}")];
            [vec!["unshare".into(), "--user".into()], map.into(), vec![format!("--root={root}")]].concat()
        };
        let args: Vec<&str> = words[1..].iter().map(String::as_str).chain(["/pollux", "--version"]).collect();
        let tried = self.home.run_program(&words[0], &args).await?;
        let said = String::from_utf8_lossy(&tried.stderr).into_owned();
        if tried.status.success() {
            return Ok(Some(words));
        }
        ensure!(said.contains("Operation not permitted") || said.contains("No space left"), "{said}");
        #[expect(clippy::print_stderr, reason = "who reads the log of the tests must know what was not tested")]
        {
            eprintln!("skipped: nobody may change the root directory here ({})", said.trim());
        }
        Ok(None)
    }

    /// Let others pass through the directories above, which a test's home is closed to.
    fn let_through(&self) -> Result<()> {
        let home = self.path.parent().context("the root is in the home")?;
        fs::set_permissions(home, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }
}
