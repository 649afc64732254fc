//! A real tmux with programs in it: what is on the screen, where the cursor is and what has scrolled off are tmux's word.

use crate::program::TestHome;
use anyhow::{Context as _, Result, bail, ensure};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::AsyncWriteExt;
use tokio::time::{Duration, Instant, sleep};

/// The time that the screen may take to be as it should. Generous: machines are busy.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The interval of looks at the screen. tmux does not say when it changes.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Numbers what one test process puts into its homes.
static NUMBERS: AtomicU32 = AtomicU32::new(0);

fn next_number() -> u32 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// The settings that every server is told first: no keys of its own, no bar, and panes that stay when their program has
/// ended.
const SETTINGS: &str = "set -g status off\nset -g history-limit 200000\nset -g escape-time 0\nset -g remain-on-exit on\n\
                        set -g default-terminal screen-256color\nset -g focus-events on\nset -g set-clipboard on\n";

/// A program in a window of a tmux server of its own.
pub struct TmuxWindow<'a> {
    home: &'a TestHome,
    socket: String,
    window: u32,
    /// Where the program's exit code is put. tmux does not always learn of it.
    code: PathBuf,
}

impl<'a> TmuxWindow<'a> {
    /// Start the program of `home` with `args` in a window of `columns` by `rows`.
    pub async fn start(home: &'a TestHome, args: &[&str], columns: u16, rows: u16) -> Result<TmuxWindow<'a>> {
        let program = home.program().to_str().context("the path is text")?.to_owned();
        TmuxWindow::run(home, &program, args, columns, rows).await
    }

    /// Start any other program at the same place.
    pub async fn run(
        home: &'a TestHome,
        program: &str,
        args: &[&str],
        columns: u16,
        rows: u16,
    ) -> Result<TmuxWindow<'a>> {
        let settings = home.path("tmux.conf");
        std::fs::write(&settings, SETTINGS)?;
        let socket = home.path(&format!("tmux-{}", next_number()));
        let socket = socket.to_str().context("the path is text")?.to_owned();
        let tmux = TmuxWindow { home, socket, window: 0, code: home.path(&format!("code-{}", next_number())) };
        let settings = settings.to_str().context("the path is text")?;
        let size = [columns.to_string(), rows.to_string()];
        let script = tmux.script();
        let mut line = vec!["-f", settings, "new-session", "-d", "-x", &size[0], "-y", &size[1]];
        line.extend(["--", "/bin/sh", "-c", &script, program]);
        line.extend(args);
        tmux.run_command(&line).await?;
        Ok(tmux)
    }

    /// Start another program beside it, in a window of its own on the same server.
    pub async fn open_beside(&self, args: &[&str]) -> Result<TmuxWindow<'a>> {
        let program = self.home.program().to_str().context("the path is text")?;
        let code = self.home.path(&format!("code-{}", next_number()));
        let mut beside = TmuxWindow { home: self.home, socket: self.socket.clone(), window: u32::MAX, code };
        let script = beside.script();
        let mut line = vec!["new-window", "-d", "-P", "-F", "#{window_index}", "--", "/bin/sh", "-c", &script, program];
        line.extend(args);
        beside.window = self.run_command(&line).await?.trim().parse()?;
        Ok(beside)
    }

    /// The shell script around the program.
    fn script(&self) -> String {
        format!("\"$0\" \"$@\"; echo $? > '{}'", self.code.display())
    }

    /// Press keys, by tmux's names: `Enter`, `Escape`, `C-c`, `BTab`.
    pub async fn press(&self, keys: &[&str]) -> Result<()> {
        let target = self.target();
        let mut line = vec!["send-keys", "-t", &target];
        line.extend(keys);
        self.run_command(&line).await.map(drop)
    }

    /// Type text as it is.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        self.run_command(&["send-keys", "-t", &self.target(), "-l", "--", text]).await.map(drop)
    }

    /// Type a line and press Enter.
    pub async fn type_line(&self, text: &str) -> Result<()> {
        self.type_text(text).await?;
        self.press(&["Enter"]).await
    }

    /// Paste text as a terminal does, in brackets where the program has asked for them.
    pub async fn paste(&self, text: &str) -> Result<()> {
        let mut command = self.command(&["load-buffer", "-"]);
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().context("standard input is piped")?;
        input.write_all(text.as_bytes()).await?;
        drop(input);
        ensure!(child.wait().await?.success(), "tmux takes no buffer");
        self.run_command(&["paste-buffer", "-p", "-t", &self.target()]).await.map(drop)
    }

    /// Make the window another size.
    pub async fn resize(&self, columns: u16, rows: u16) -> Result<()> {
        let size = [columns.to_string(), rows.to_string()];
        self.run_command(&["resize-window", "-t", &self.target(), "-x", &size[0], "-y", &size[1]]).await.map(drop)
    }

    /// Give half of the window to something else, below.
    pub async fn split(&self) -> Result<()> {
        self.run_command(&["split-window", "-d", "-v", "-t", &self.target(), "--", "cat"]).await.map(drop)
    }

    /// The text on the screen.
    pub async fn screen(&self) -> Result<String> {
        self.run_command(&["capture-pane", "-p", "-t", &self.target()]).await
    }

    /// Wait until `text` is among the sequences that colour the screen; returns it with them.
    pub async fn wait_styled(&self, text: &str) -> Result<String> {
        wait_until(text, |screen| screen.contains(text), || self.styled()).await
    }

    async fn styled(&self) -> Result<String> {
        self.run_command(&["capture-pane", "-e", "-p", "-t", &self.target()]).await
    }

    /// Give every window of the server this background. Programs that ask for it are told from now on.
    pub async fn set_background(&self, colour: &str) -> Result<()> {
        self.run_command(&["set", "-g", "window-style", &format!("bg={colour}")]).await.map(drop)
    }

    /// The text on the screen and what has scrolled off it, lines that the terminal wrapped put together.
    pub async fn screen_and_scrollback(&self) -> Result<String> {
        self.run_command(&["capture-pane", "-p", "-J", "-S", "-", "-t", &self.target()]).await
    }

    /// Wait until tmux says this about the window: `#{pane_title}`, `#{alternate_on}`.
    pub async fn wait_for_format(&self, format: &str, wanted: &str) -> Result<()> {
        wait_until(&format!("{format} {wanted}"), |said| said == wanted, || self.read_format(format)).await.map(drop)
    }

    /// A format of tmux, filled in with the window's values at this moment.
    pub async fn read_format(&self, format: &str) -> Result<String> {
        let said = self.run_command(&["display-message", "-p", "-t", &self.target(), format]).await?;
        Ok(said.trim_end().to_owned())
    }

    /// Wait until `text` is on the screen; returns the screen.
    pub async fn wait_for(&self, text: &str) -> Result<String> {
        self.wait_until(text, |screen| screen.contains(text)).await
    }

    /// Wait until each of `texts` is on the screen.
    pub async fn wait_for_all(&self, texts: &[&str]) -> Result<()> {
        let all = |screen: &str| texts.iter().all(|text| screen.contains(text));
        self.wait_until(&texts.join(" and "), all).await.map(drop)
    }

    /// Wait until `text` is on the screen no more; returns the screen.
    pub async fn wait_gone(&self, text: &str) -> Result<String> {
        self.wait_until(&format!("no {text}"), |screen| !screen.contains(text)).await
    }

    /// Wait until the screen is as it should be; `what` says how, for whoever reads the failure.
    pub async fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        wait_until(what, is_so, || self.screen()).await
    }

    /// Wait until all that was printed is as it should be, what has scrolled off the screen included.
    pub async fn wait_until_printed(&self, what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        wait_until(what, is_so, || self.screen_and_scrollback()).await
    }

    /// Wait until the program has ended; its exit code.
    pub async fn exit_code(&self) -> Result<i32> {
        let until = Instant::now() + TIMEOUT;
        loop {
            let code = std::fs::read_to_string(&self.code).unwrap_or_default();
            if let Ok(code) = code.trim().parse() {
                return Ok(code);
            }
            if Instant::now() > until {
                bail!("the program does not end; the screen is:\n{}", self.screen().await?);
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    fn target(&self) -> String {
        format!(":{}", self.window)
    }

    fn command(&self, line: &[&str]) -> tokio::process::Command {
        let mut command = self.home.command_of("tmux", &[&["-S", &self.socket], line].concat());
        command.env("SHELL", "/bin/sh");
        command
    }

    async fn run_command(&self, line: &[&str]) -> Result<String> {
        let output = self.command(line).output().await.context("tmux cannot be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tmux {}: {said}", line.first().copied().unwrap_or_default());
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// Look until what is seen is as it should be: a terminal takes in what a program prints piece by piece.
async fn wait_until<F: Future<Output = Result<String>>>(
    what: &str,
    is_so: impl Fn(&str) -> bool,
    look: impl Fn() -> F,
) -> Result<String> {
    let until = Instant::now() + TIMEOUT;
    loop {
        let seen = look().await?;
        if is_so(&seen) {
            return Ok(seen);
        }
        ensure!(Instant::now() < until, "{what:?} does not come to be; there is:\n{seen}");
        sleep(POLL_INTERVAL).await;
    }
}

impl Drop for TmuxWindow<'_> {
    fn drop(&mut self) {
        // The first window owns the server; what runs in it ends with it.
        if self.window == 0 {
            #[expect(clippy::disallowed_methods, reason = "tests start the programs they test")]
            let mut command = std::process::Command::new("tmux");
            let _ = command.args(["-S", &self.socket, "kill-server"]).stderr(Stdio::null()).status();
        }
    }
}
