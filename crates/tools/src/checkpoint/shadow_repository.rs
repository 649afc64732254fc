//! The repository of one workspace.

use super::error::CheckpointError;
use super::git_program::GitProgram;
use super::index::IndexDraft;
use super::private_modes::PrivateModes;
use super::scan::{WorkspaceScan, scan};
use crate::file_work::{FileWorkError, run_file_work};
use crate::process::OwnProgram;
use pollux_session::SessionId;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio_util::sync::CancellationToken;

/// The attributes of every file, before whatever the workspace's own files say: bytes are bytes.
const ATTRIBUTES: &str = "* -text !eol !crlf -ident !filter !working-tree-encoding\n";
/// The mode of an entry that stands for a file that was left out: it was too large, or could not be read.
pub(super) const LEFT_OUT: &str = "160000";

/// The repository of one workspace.
pub(super) struct ShadowRepository {
    git: GitProgram,
    /// Its real path.
    workspace: PathBuf,
    directory: PathBuf,
}

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GitTreeFile {
    pub(super) mode: String,
    pub(super) id: String,
    /// Relative to the workspace.
    pub(super) path: PathBuf,
}

/// The files of a tree that it has the content of.
pub(super) fn saved_paths(files: &[GitTreeFile]) -> Vec<PathBuf> {
    files.iter().filter(|file| file.mode != LEFT_OUT).map(|file| file.path.clone()).collect()
}

impl ShadowRepository {
    pub(super) fn new(all: &Path, workspace: PathBuf, git: GitProgram) -> ShadowRepository {
        let digest = Sha256::digest(workspace.as_os_str().as_encoded_bytes());
        let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        ShadowRepository { git, workspace, directory: all.join(name) }
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Make the repository, if there is none yet: complete, and then put in its place. Two who do so at once make the same.
    pub(super) async fn create(&self) -> Result<(), CheckpointError> {
        let Some(all) = self.directory.parent().filter(|_| !self.directory.exists()) else { return Ok(()) };
        let refused = |source| CheckpointError::directory(&self.directory, source);
        DirBuilder::new().recursive(true).mode(0o700).create(all).map_err(refused)?;
        // It goes away by itself unless it is put in place.
        let made = tempfile::Builder::new().prefix(".new-").tempdir_in(all).map_err(refused)?;
        let init = &["init", "--quiet", "--bare", "--template="];
        self.git.run(made.path(), &variables(made.path()), ("make a repository", init), Vec::new()).await?;
        let path = self.workspace.as_os_str().as_encoded_bytes();
        fs::write(made.path().join("description"), [path, b"\n"].concat()).map_err(refused)?;
        fs::create_dir_all(made.path().join("info")).map_err(refused)?;
        fs::write(made.path().join("info/attributes"), ATTRIBUTES).map_err(refused)?;
        match fs::rename(made.path(), &self.directory) {
            Err(error) if !self.directory.exists() => Err(refused(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Save the workspace, and those of `also` that ignore rules would leave out. Returns its tree.
    pub(super) async fn save(&self, also: Vec<PathBuf>) -> Result<String, CheckpointError> {
        let scan = self.scan(also).await?;
        let refused = |source| CheckpointError::directory(&self.directory, source);
        PrivateModes::update(&self.directory, &scan.modes).map_err(refused)?;
        let draft = IndexDraft::begin(&self.directory).map_err(refused)?;
        match draft.fill(self, &scan).await {
            // The index may be damaged, or a file may have become something else meanwhile. An empty one knows nothing
            // wrong; it takes longer to fill.
            Err(CheckpointError::Git { said, .. }) => {
                tracing::debug!(said, "a checkpoint is made anew");
                draft.discard().map_err(refused)?.fill(self, &scan).await
            }
            done => done,
        }
    }

    async fn scan(&self, also: Vec<PathBuf>) -> Result<WorkspaceScan, CheckpointError> {
        let (workspace, stop) = (self.workspace.clone(), CancellationToken::new());
        let cancelled = stop.clone();
        let _cancel_on_drop = stop.drop_guard();
        let scanned = run_file_work(move || scan(&workspace, &also, &cancelled)).await;
        let broken = |error: FileWorkError| CheckpointError::Git { doing: "look", said: error.to_string() };
        scanned.map_err(broken)?
    }

    /// Keep `tree` for a session.
    pub(super) async fn keep(&self, session: SessionId, tree: &str) -> Result<(), CheckpointError> {
        if let Ok(kept) = File::open(self.reference_file(session, tree)) {
            // Its time says when it was wanted last.
            let refused = |source| CheckpointError::directory(&self.directory, source);
            return kept.set_modified(SystemTime::now()).map_err(refused);
        }
        let name = reference(session, tree);
        self.run(("keep a checkpoint", &["update-ref", &name, tree]), Vec::new()).await.map(drop)
    }

    /// The tree that `saved` names, if this session saved it here.
    pub(super) fn find(&self, session: SessionId, saved: &str) -> Result<String, CheckpointError> {
        let is_id = saved.len() >= 40 && saved.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id || !self.reference_file(session, saved).exists() {
            return Err(CheckpointError::Unknown);
        }
        Ok(saved.to_owned())
    }

    /// The references of one session.
    pub(super) fn references(&self, session: SessionId) -> PathBuf {
        self.directory.join("refs/checkpoints").join(session.to_string())
    }

    fn reference_file(&self, session: SessionId, tree: &str) -> PathBuf {
        self.references(session).join(tree)
    }

    /// The files of a tree.
    pub(super) async fn files_of(&self, tree: &str) -> Result<Vec<GitTreeFile>, CheckpointError> {
        let listed = self.run(("list a checkpoint", &["ls-tree", "-r", "-z", "--full-tree", tree]), Vec::new()).await?;
        Ok(records(&listed).filter_map(tree_file).collect())
    }

    /// Run git on this repository.
    pub(super) async fn run(
        &self,
        command: (&'static str, &[&str]),
        input: Vec<u8>,
    ) -> Result<Vec<u8>, CheckpointError> {
        self.git.run(&self.directory, &variables(&self.directory), command, input).await
    }

    /// Run git on the workspace, with an index of the caller's.
    pub(super) async fn run_on(
        &self,
        index: &Path,
        command: (&'static str, &[&str]),
        input: Vec<u8>,
    ) -> Result<Vec<u8>, CheckpointError> {
        let mut variables = variables(&self.directory);
        variables.insert("GIT_WORK_TREE".into(), self.workspace.to_string_lossy().into_owned());
        variables.insert("GIT_INDEX_FILE".into(), index.to_string_lossy().into_owned());
        self.git.run(&self.workspace, &variables, command, input).await
    }

    /// Start a git that is talked to.
    pub(super) fn start(&self, args: &[&str]) -> io::Result<OwnProgram> {
        self.git.start(&self.directory, &variables(&self.directory), args)
    }
}

/// The variables that tell git where things are, and to look for settings nowhere.
fn variables(directory: &Path) -> BTreeMap<String, String> {
    let directory = directory.to_string_lossy().into_owned();
    let given = [
        ("GIT_DIR", directory.clone()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
        ("GIT_ATTR_NOSYSTEM", "1".into()),
        ("GIT_DEFAULT_HASH", "sha1".into()),
        ("GIT_DEFAULT_REF_FORMAT", "files".into()),
        ("GIT_LITERAL_PATHSPECS", "1".into()),
        // What else it would look for at home.
        ("HOME", directory),
        ("LC_ALL", "C".into()),
    ];
    given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The reference that keeps `tree` for a session.
pub(super) fn reference(session: SessionId, tree: &str) -> String {
    format!("refs/checkpoints/{session}/{tree}")
}

/// The parts of an answer that ends each with a NUL.
pub(super) fn records(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// The path that bytes of git's are.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

/// `100644 blob ID<TAB>PATH`
fn tree_file(record: &[u8]) -> Option<GitTreeFile> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let (head, name) = record.split_at(tab);
    let mut words = std::str::from_utf8(head).ok()?.split(' ');
    let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
    Some(GitTreeFile { mode: mode.to_owned(), id: id.to_owned(), path: path(name.get(1..)?) })
}
