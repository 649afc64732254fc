//! Google's a2a-server, on loopback and with a fake model. It takes seconds to start, so one plays all conversations.

use crate::transcripts::golden::GoldenRecording;
use crate::transcripts::play;
use anyhow::{Context as _, Result};
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::replay::ReplayProvider;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// The running server.
pub(crate) struct OriginalServer {
    home: TestHome,
    server: ServerProcess,
    upstream: ReplayProvider,
}

impl OriginalServer {
    /// Start it; `None`, with a word on why, where it is not installed.
    pub(crate) async fn start() -> Result<Option<OriginalServer>> {
        let Some(peers) = std::env::var_os("POLLUX_PEERS").map(PathBuf::from) else {
            eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
            return Ok(None);
        };
        let bundle = peers.join("a2a-server/node_modules/@google/gemini-cli-a2a-server/dist/a2a-server.mjs");
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let upstream = ReplayProvider::start(&[]).await?;
        let loopback = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drop_in/loopback.mjs");
        let mut command = home.command_of("node", &["--import"]);
        command.arg(loopback).arg(&bundle);
        command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &upstream.address);
        // Told to pick a port, it says that it is at port 0.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        command.env("CODER_AGENT_PORT", port.to_string()).env("NODE_ENV", "production");
        // It makes a commit before each edit, and gives up the turn if git does not know who it is.
        for whose in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{whose}_NAME"), "test").env(format!("GIT_{whose}_EMAIL"), "test@localhost");
        }
        let server = ServerProcess::start(command)
            .await
            .with_context(|| format!("{} does not start; `cargo xtask test` sets it up", bundle.display()))?;
        Ok(Some(OriginalServer { home, server, upstream }))
    }

    /// Its answers to the requests of `golden`, in a workspace of that conversation's own.
    pub(crate) async fn play(&mut self, golden: &GoldenRecording) -> Result<Vec<Vec<String>>> {
        let workspace = self.home.path(&golden.name);
        std::fs::create_dir(&workspace)?;
        self.upstream.load_answers(&play::answers(golden))?;
        play::play(golden, &self.server, &self.upstream, &workspace).await
    }
}
