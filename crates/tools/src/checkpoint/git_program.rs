//! The git program, as a tool of ours: told everything on its command line, and nothing by anybody's settings.

use super::error::CheckpointError;
use crate::process::{OwnProgram, start_own_program};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The most bytes of an answer: more than the names of all files that are ever saved.
const MAX_ANSWER: u64 = 256 * 1024 * 1024;
/// The most bytes of a complaint.
const MAX_COMPLAINT: u64 = 4 * 1024;

/// Settings of every command, whatever settings files say: bytes are kept as they are, nothing is run besides git
/// itself, and nothing happens by itself.
const SETTINGS: [&str; 14] = [
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.quotePath=false",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.logAllRefUpdates=false",
    "core.compression=1",
    "core.protectNTFS=false",
    "gc.auto=0",
    "gc.packRefs=false",
    "submodule.recurse=false",
];

/// A git that was found.
pub(super) struct GitProgram {
    program: String,
}

impl GitProgram {
    /// The first git on `search_path` that no workspace has put there.
    pub(super) fn find(search_path: Option<&OsStr>, workspace: &Path) -> Option<GitProgram> {
        let places = std::env::split_paths(search_path?).filter(|place| place.is_absolute());
        let program = places.map(|place| place.join("git")).find(|git| {
            let real = git.canonicalize();
            real.is_ok_and(|real| real.is_file() && !real.starts_with(workspace)) && !git.starts_with(workspace)
        })?;
        Some(GitProgram { program: program.to_str()?.to_owned() })
    }

    /// Start git in `directory` with the repository that `variables` name.
    pub(super) fn start(
        &self,
        directory: &Path,
        variables: &BTreeMap<String, String>,
        args: &[&str],
    ) -> io::Result<OwnProgram> {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        let args: Vec<String> = settings.chain(args.iter().copied()).map(str::to_owned).collect();
        start_own_program(&self.program, &args, variables, directory)
    }

    /// Run git to its end, with `input`, and return what it printed.
    pub(super) async fn run(
        &self,
        directory: &Path,
        variables: &BTreeMap<String, String>,
        (doing, args): (&'static str, &[&str]),
        input: Vec<u8>,
    ) -> Result<Vec<u8>, CheckpointError> {
        let failed = |error: io::Error| CheckpointError::Git { doing, said: error.to_string() };
        let OwnProgram { input: mut to_git, output, errors, mut group } =
            self.start(directory, variables, args).map_err(failed)?;
        let (mut answer, mut complaint) = (Vec::new(), Vec::new());
        let write = async move {
            // When git ends before it has read everything, its exit code and its complaint say why.
            let _ = to_git.write_all(&input).await;
        };
        let (mut output, mut errors) = (output.take(MAX_ANSWER), errors.take(MAX_COMPLAINT));
        let ((), read, heard) =
            tokio::join!(write, output.read_to_end(&mut answer), errors.read_to_end(&mut complaint));
        read.and(heard).map_err(failed)?;
        let status = group.wait().await.map_err(failed)?;
        if status.success() {
            return Ok(answer);
        }
        let said = String::from_utf8_lossy(&complaint).trim().to_owned();
        let said = if said.is_empty() { status.to_string() } else { said };
        Err(CheckpointError::Git { doing, said })
    }
}
