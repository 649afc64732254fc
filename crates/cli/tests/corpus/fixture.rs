//! Where a conversation takes place: a home, a workspace, and a provider that knows its lines.

use anyhow::{Context as _, Result, bail};
use pollux_testkit::conversation::ScriptedConversation;
use pollux_testkit::program::TestHome;
use pollux_testkit::replay::ReplayProvider;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The model that answers when the flags name none.
const MODEL: &str = "gemini-2.5-flash";

/// The file that the MCP server waits for, in the home.
const MCP_SERVER_GATE: &str = "desk-is-open";

/// Files by their path.
pub(crate) type FileContents = BTreeMap<String, Vec<u8>>;

/// The place of one conversation. It is gone with this.
pub(crate) struct ConversationFixture {
    pub(crate) home: TestHome,
    pub(crate) upstream: ReplayProvider,
    /// The flags of `pollux serve`.
    pub(crate) flags: Vec<String>,
    pub(crate) workspace: PathBuf,
    before: FileContents,
}

impl ConversationFixture {
    pub(crate) async fn prepare(conversation: &ScriptedConversation) -> Result<ConversationFixture> {
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let workspace = std::fs::canonicalize(home.workspace())?;
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
        let places = [
            ("$WS", workspace.clone()),
            ("$HOME", workspace.parent().context("a home")?.to_owned()),
            ("$CORPUS", corpus),
            ("$DESK", home.path(MCP_SERVER_GATE)),
        ];
        let fill = |text: &str| {
            let put = |text: String, (name, path): &(&str, PathBuf)| text.replace(name, &path.display().to_string());
            places.iter().fold(text.to_owned(), put)
        };
        let answers = conversation.values("upstream")?;
        let answers = answers.iter().map(|answer| serde_json::from_str(&fill(&answer.to_string())));
        let upstream = ReplayProvider::start(&answers.collect::<Result<Vec<Value>, _>>()?).await?;
        let mut flags: Vec<String> = conversation.lines("flags").into_iter().map(fill).collect();
        if !flags.iter().any(|flag| flag.starts_with("--model")) {
            flags.push(format!("--model={MODEL}"));
        }
        let scene = ConversationFixture { before: conversation.files("before")?, home, upstream, flags, workspace };
        for (path, bytes) in &scene.before {
            put(&scene.workspace.join(path), bytes)?;
        }
        for (path, bytes) in conversation.files("home")? {
            put(&scene.home.path(&path), fill(&String::from_utf8(bytes)?).as_bytes())?;
        }
        if let Some(settings) = conversation.section("settings") {
            put(&scene.home.path(".gemini/settings.json"), fill(settings).as_bytes())?;
        }
        if let Some(policy) = conversation.section("policy") {
            put(&scene.home.path(".config/pollux/policies/corpus.toml"), fill(policy).as_bytes())?;
        }
        Ok(scene)
    }

    /// The environment the program runs in.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let address = &self.upstream.address;
        let mut all = self.home.environment();
        for (name, value) in [
            ("GEMINI_API_KEY", "key".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", address.clone()),
            ("OPENAI_API_KEY", "key".to_owned()),
            ("OPENAI_BASE_URL", format!("{address}/v1")),
            ("ANTHROPIC_API_KEY", "key".to_owned()),
            ("ANTHROPIC_BASE_URL", address.clone()),
        ] {
            all.push((name.to_owned(), value));
        }
        all
    }

    /// Let the MCP server answer.
    pub(crate) fn open_mcp_server(&self) -> Result<()> {
        put(&self.home.path(MCP_SERVER_GATE), b"")
    }

    /// Change a file behind everybody's back.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        put(&self.workspace.join(path), text.as_bytes())
    }

    /// Files that are new or not what they were, and those that are gone.
    pub(crate) fn changes(&self) -> Result<(FileContents, Vec<String>)> {
        let mut now = BTreeMap::new();
        collect(&self.workspace, &self.workspace, &mut now)?;
        let gone = self.before.keys().filter(|path| !now.contains_key(*path)).cloned().collect();
        now.retain(|path, bytes| self.before.get(path) != Some(bytes));
        Ok((now, gone))
    }

    /// The person's own files that a conversation may change, by their path in the home.
    pub(crate) fn read_own_files(&self) -> Result<FileContents> {
        let mut kept = BTreeMap::new();
        for path in [".gemini/GEMINI.md", ".config/pollux/policies/auto-saved.toml"] {
            if let Ok(bytes) = std::fs::read(self.home.path(path)) {
                kept.insert(path.to_owned(), self.normalize(&String::from_utf8(bytes)?).into_bytes());
            }
        }
        Ok(kept)
    }

    /// `text` without what differs from run to run.
    pub(crate) fn normalize(&self, text: &str) -> String {
        let home = self.workspace.parent().map(|home| home.display().to_string()).unwrap_or_default();
        let text = text.replace(&self.workspace.display().to_string(), "$WS").replace(&home, "$HOME");
        without_line_numbers(&without_session_directory(&text.replace(&self.upstream.address, "$UPSTREAM")))
    }
}

/// The files of a session are in a directory of their own in each run: `/tmp/…/outputs/ID/call-7.txt` is `$OUTPUTS/call-7.txt`.
fn without_session_directory(text: &str) -> String {
    const ID_LEN: usize = 36;
    let (mut tidy, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("/outputs/") {
        let start = before.rfind('`').map_or(0, |at| at + 1);
        tidy.push_str(&before[..start]);
        tidy.push_str("$OUTPUTS");
        rest = after.get(ID_LEN..).unwrap_or_default();
    }
    tidy + rest
}

/// The lines of our own rules move with every release: `(built-in rules:29)` is `(built-in rules)`.
fn without_line_numbers(text: &str) -> String {
    const RULES: &str = "built-in rules:";
    let mut parts = text.split(RULES);
    let mut tidy = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        tidy.push_str(RULES.trim_end_matches(':'));
        tidy.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    tidy
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let parent = path.parent().context("a file is in a directory")?;
    std::fs::create_dir_all(parent)?;
    Ok(std::fs::write(path, bytes)?)
}

fn collect(root: &Path, dir: &Path, files: &mut FileContents) -> Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        let kind = std::fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            collect(root, &path, files)?;
        } else if kind.is_file() {
            let name = path.strip_prefix(root)?.to_str().context("a file's name is text")?;
            files.insert(name.to_owned(), std::fs::read(&path)?);
        } else {
            bail!("{} is neither a file nor a directory", path.display());
        }
    }
    Ok(())
}
