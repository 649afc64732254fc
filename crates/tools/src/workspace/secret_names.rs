//! Protected names: files whose content is a secret by convention, such as `.env` or a private key.
//!
//! Reading one always asks, whatever a rule allows. Names decide, so nothing has to be opened to know. Whoever
//! asks passes both the path as it was written and the path it really leads to: a link may hide either.
//! docs/SETTINGS.md, "Protected names", lists them for people.

use super::git_directories::is_kept_by_git;
use super::repository_files::{COMMITTED_FILES, KEPT_BY_GIT, REPOSITORY_DIRECTORIES, kept_by_version_control};
use std::path::{Component, Path};

#[cfg(test)]
mod tests;

const PRIVATE_KEY: &str = "a private key";
const KEY_STORE: &str = "a key store";
const PASSWORDS: &str = "passwords";
const CREDENTIALS: &str = "credentials";
const VARIABLES: &str = "environment variables with secrets";
const HISTORY: &str = "a history of commands";
const SECRETS: &str = "secrets of a deployment";
const REPOSITORY: &str = "addresses of a repository, maybe with a password or a token";
const OWN_FILES: &str = "Pollux's own tokens and sessions";
const KERNEL_FILES: &str = "the state of processes and devices";

/// Directories at the root of the file system that show processes, kernel and devices as files.
const KERNEL_DIRECTORIES: [&str; 3] = ["proc", "sys", "dev"];

/// Directories in which everything is a secret: their last components.
const DIRECTORIES: [(&[&str], &str); 20] = [
    (&[".ssh"], PRIVATE_KEY),
    (&[".gnupg"], PRIVATE_KEY),
    (&[".password-store"], PASSWORDS),
    (&[".aws"], CREDENTIALS),
    (&[".azure"], CREDENTIALS),
    (&[".kube"], CREDENTIALS),
    (&[".config", "gcloud"], CREDENTIALS),
    (&[".config", "gh"], CREDENTIALS),
    (&["run", "secrets"], SECRETS),
    (&[".pollux"], OWN_FILES),
    (&[".pollux-outputs"], OWN_FILES),
    (&[".config", "pollux"], OWN_FILES),
    (&[".local", "state", "pollux"], OWN_FILES),
    (&[".codex", "auth.json"], CREDENTIALS),
    (&[".docker", "config.json"], CREDENTIALS),
    (&[".svn", "auth"], PASSWORDS),
    (&[".m2", "settings.xml"], CREDENTIALS),
    (&[".m2", "settings-security.xml"], CREDENTIALS),
    (&[".bundle", "config"], CREDENTIALS),
    (&[".envs"], VARIABLES),
];

/// Where Pollux keeps its discovery files; `*` is a user.
const RUNTIME_DIRECTORY: [&str; 4] = ["run", "user", "*", "pollux"];

/// Names of files, wherever they are.
const FILES: [(&str, &str); 56] = [
    (".envrc", VARIABLES),
    (".flaskenv", VARIABLES),
    (".dev.vars", VARIABLES),
    ("env.local", VARIABLES),
    (".netrc", CREDENTIALS),
    ("_netrc", CREDENTIALS),
    (".authinfo", CREDENTIALS),
    (".pgpass", PASSWORDS),
    (".my.cnf", PASSWORDS),
    (".mylogin.cnf", PASSWORDS),
    (".htpasswd", PASSWORDS),
    ("htpasswd", PASSWORDS),
    (".vault_pass", PASSWORDS),
    (".vault-pass", PASSWORDS),
    (".vault_password", PASSWORDS),
    (".npmrc", CREDENTIALS),
    (".yarnrc.yml", CREDENTIALS),
    ("pip.conf", CREDENTIALS),
    ("nuget.config", CREDENTIALS),
    (".databrickscfg", CREDENTIALS),
    (".sentryclirc", CREDENTIALS),
    ("local.settings.json", CREDENTIALS),
    (".pypirc", CREDENTIALS),
    (".dockercfg", CREDENTIALS),
    (".dockerconfigjson", CREDENTIALS),
    (".s3cfg", CREDENTIALS),
    (".boto", CREDENTIALS),
    (".terraformrc", CREDENTIALS),
    (".vault-token", CREDENTIALS),
    (".git-credentials", CREDENTIALS),
    ("credentials", CREDENTIALS),
    ("credentials.json", CREDENTIALS),
    ("credentials.toml", CREDENTIALS),
    ("credentials.tfrc.json", CREDENTIALS),
    (".credentials.json", CREDENTIALS),
    ("application_default_credentials.json", CREDENTIALS),
    ("gemini-credentials.json", CREDENTIALS),
    ("oauth_creds.json", CREDENTIALS),
    ("mcp-tokens.json", CREDENTIALS),
    ("kubeconfig", CREDENTIALS),
    ("token", CREDENTIALS),
    (".token", CREDENTIALS),
    ("token.json", CREDENTIALS),
    ("shadow", PASSWORDS),
    ("gshadow", PASSWORDS),
    ("secring.gpg", PRIVATE_KEY),
    (".secrets", SECRETS),
    ("secret.json", SECRETS),
    ("secret.toml", SECRETS),
    ("secret.yaml", SECRETS),
    ("secret.yml", SECRETS),
    ("secrets.json", SECRETS),
    ("secrets.toml", SECRETS),
    ("secrets.yaml", SECRETS),
    ("secrets.yml", SECRETS),
    ("wallet.dat", PRIVATE_KEY),
];

/// Names of files by how they end.
const ENDINGS: [(&str, &str); 21] = [
    (".env", VARIABLES),
    (".env.local", VARIABLES),
    (".pem", PRIVATE_KEY),
    (".key", PRIVATE_KEY),
    (".ppk", PRIVATE_KEY),
    (".p8", PRIVATE_KEY),
    (".p12", KEY_STORE),
    (".pfx", KEY_STORE),
    (".jks", KEY_STORE),
    (".jceks", KEY_STORE),
    (".keystore", KEY_STORE),
    (".keytab", KEY_STORE),
    (".kdb", PASSWORDS),
    (".kdbx", PASSWORDS),
    (".ovpn", PRIVATE_KEY),
    (".tfstate", SECRETS),
    (".tfvars", SECRETS),
    (".tfvars.json", SECRETS),
    (".kubeconfig", CREDENTIALS),
    (".token", CREDENTIALS),
    ("_history", HISTORY),
];

/// Names of files by how they begin and end.
const PATTERNS: [(&str, &str, &str); 5] = [
    ("service-account", ".json", CREDENTIALS),
    ("service_account", ".json", CREDENTIALS),
    ("serviceaccount", ".json", CREDENTIALS),
    ("client_secret", ".json", CREDENTIALS),
    ("mcp-oauth-tokens", ".json", CREDENTIALS),
];

/// Files of a repository in which addresses may hold a password or a token.
const REPOSITORY_FILES: [&str; 3] = ["config", "config.worktree", "credentials"];

/// Directories in which `auth.json` is source, test data or a translation. Elsewhere it is what Composer and others keep
/// tokens in.
const ORDINARY_DIRECTORIES: [&str; 15] = [
    "src",
    "app",
    "public",
    "test",
    "tests",
    "testdata",
    "__tests__",
    "fixtures",
    "__fixtures__",
    "lang",
    "locale",
    "locales",
    "i18n",
    "messages",
    "translations",
];

/// Endings of source files and of texts about them. One that is named after a key (`api.key.ts`) is no copy of a key.
const SOURCE_ENDINGS: [&str; 32] = [
    ".c", ".cc", ".cjs", ".cpp", ".cs", ".css", ".dart", ".erb", ".ex", ".go", ".h", ".hpp", ".html", ".java", ".js",
    ".jsx", ".kt", ".md", ".mjs", ".php", ".py", ".rb", ".rs", ".scala", ".scss", ".sh", ".snap", ".svelte", ".swift",
    ".ts", ".tsx", ".vue",
];

/// The beginnings of the names of private keys of SSH.
const SSH_KEYS: [&str; 5] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];

/// The beginning of the names of private keys that other tools make.
const KEY_START: &str = "rsa_private_key";
/// Parts of the names of copies of private keys.
const KEY_PARTS: [&str; 2] = [".pem.", ".key."];

/// The beginnings of the names of files with variables, one for each environment.
const VARIABLE_STARTS: [&str; 3] = [".env.", ".env-", ".env_"];

/// Endings of armoured files. They are mostly signatures and public keys, and some are AsciiDoc.
const ARMOURED_ENDINGS: [&str; 3] = [".asc", ".gpg", ".pgp"];
/// Words in the names of those that hold a private key.
const ARMOURED_WORDS: [&str; 2] = ["private", "secret"];

/// The endings that a copy adds to the name of the file it was made of.
const COPY_ENDINGS: [&str; 9] = ["~", ".bak", ".backup", ".old", ".orig", ".save", ".swn", ".swo", ".swp"];
/// The endings of them that an editor adds to a name with a dot before it.
const SWAP_ENDINGS: [&str; 3] = [".swn", ".swo", ".swp"];

/// Endings of files that show what a secret looks like, and hold none.
const TEMPLATE_ENDINGS: [&str; 5] = [".example", ".sample", ".template", ".dist", ".tpl"];

/// Names of what is public: certificates of authorities, chains of certificates, public keys.
const PUBLIC_ENDINGS: [&str; 11] = [
    "public.pem",
    "public.key",
    ".pub.pem",
    ".pub.key",
    "cacert.pem",
    "ca-bundle.pem",
    "ca-certificates.pem",
    "chain.pem",
    "dhparam.pem",
    "dhparams.pem",
    ".pub",
];

/// Patterns for the names of such files and directories, as git writes them. They cover every relative path that
/// [`secret_name`] does, whatever directories stand before it.
///
/// A pattern has no exceptions, so they cover a little more: templates, what is public, `auth.json` in every directory,
/// source files that are named after a key, and copies of any file (`notes.bak`). A pattern for each copy of each name
/// would be exact, and git three times as slow.
pub(crate) fn secret_patterns() -> impl Iterator<Item = String> {
    let directories = DIRECTORIES.into_iter().map(|(parts, _)| parts.join("/")).chain([RUNTIME_DIRECTORY.join("/")]);
    let directories = directories.flat_map(|directory| [directory.clone(), format!("{directory}/**")]);
    // Git keeps nothing below `.git`, but what others keep may be in a commit.
    let others = REPOSITORY_DIRECTORIES.into_iter().filter(|name| *name != ".git").map(|name| format!("{name}/**"));
    let kept = KEPT_BY_GIT.into_iter().flat_map(|name| [format!("*.git/{name}"), format!("*.git/{name}/**")]);
    let repositories = REPOSITORY_FILES.into_iter().map(|name| format!("*.git/**/{name}")).chain(kept);
    let files = FILES.into_iter().map(|(name, _)| name.to_owned());
    let endings = ENDINGS.into_iter().map(|(ending, _)| format!("*{ending}"));
    let patterns = PATTERNS.into_iter().map(|(start, end, _)| format!("{start}*{end}"));
    let variables = VARIABLE_STARTS.into_iter().map(|start| format!("{start}*"));
    let keys = SSH_KEYS.into_iter().chain([KEY_START]).map(|start| format!("{start}*"));
    let key_copies = KEY_PARTS.into_iter().map(|part| format!("*{part}*"));
    let armoured =
        ARMOURED_ENDINGS.into_iter().flat_map(|ending| ARMOURED_WORDS.map(|word| format!("*{word}*{ending}")));
    let copies = COPY_ENDINGS.into_iter().map(|ending| format!("*{ending}"));
    let more = ["auth.json", "*firebase-adminsdk*.json", "*.tfstate.", "*.tfstate.[0-9]*", "a2a-*.json"];
    directories
        .chain(others)
        .chain(repositories)
        .chain(files)
        .chain(endings)
        .chain(patterns)
        .chain(variables)
        .chain(keys)
        .chain(key_copies)
        .chain(armoured)
        .chain(copies)
        .chain(more.map(str::to_owned))
}

/// True if the names of files in `directory` do not tell all secrets among them: it is a directory of secrets itself,
/// or one that such a directory's name begins with, as `.config` is for `.config/gh`.
pub(crate) fn hides_secret_names(directory: &Path) -> bool {
    let parts: Vec<String> = directory.iter().map(|part| part.to_string_lossy().to_ascii_lowercase()).collect();
    let ends_with = |start: &[&str]| parts.len() >= start.len() && parts[parts.len() - start.len()..] == *start;
    let begins = |whole: &[&str]| (1..whole.len()).any(|len| ends_with(&whole[..len]));
    let is_below = secret_name(&directory.join("file")).is_some();
    is_below || DIRECTORIES.into_iter().any(|(whole, _)| begins(whole))
}

/// The content of the file at `path`, if it is a secret: words for people that follow "holds". By its name, or because
/// it lies in a repository that only a look at the disk tells.
pub fn find_secret(path: &Path) -> Option<&'static str> {
    secret_name(path).or_else(|| is_kept_by_git(path).then_some(COMMITTED_FILES))
}

/// The content by the name alone. Upper and lower case are the same, as some file systems have it.
pub fn secret_name(path: &Path) -> Option<&'static str> {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_string_lossy().to_ascii_lowercase()),
            Component::ParentDir => drop(parts.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let by_directory = below_kernel_directory(path, &parts).or_else(|| below_directory(&parts));
    let by_name = by_directory.or_else(|| secret_by_path(&parts)).or_else(|| secret_of_file(parts.last()?));
    by_name.or_else(|| kept_by_version_control(&parts))
}

/// Whether every file called `name` is a secret, whatever directories it lies in.
pub(crate) fn is_secret_anywhere(name: &str) -> bool {
    secret_of_file(&name.to_ascii_lowercase()).is_some()
}

/// Whether everything in every directory called `name` is a secret.
pub(crate) fn is_secret_directory(name: &str) -> bool {
    DIRECTORIES.iter().any(|(parts, _)| matches!(parts, [only] if only.eq_ignore_ascii_case(name)))
}

fn below_kernel_directory(path: &Path, parts: &[&str]) -> Option<&'static str> {
    let first = parts.first().filter(|_| path.has_root())?;
    // Shared memory holds ordinary files, and people do put workspaces there.
    let is_ordinary = parts.starts_with(&["dev", "shm"]);
    (KERNEL_DIRECTORIES.contains(first) && !is_ordinary).then_some(KERNEL_FILES)
}

fn below_directory(parts: &[&str]) -> Option<&'static str> {
    let holds = |directory: &[&str]| parts.windows(directory.len()).any(|window| window == directory);
    let is_runtime =
        |window: &[&str]| RUNTIME_DIRECTORY.iter().zip(window).all(|(name, part)| *name == "*" || name == part);
    let runtime = || parts.windows(RUNTIME_DIRECTORY.len()).any(is_runtime);
    let found = DIRECTORIES.into_iter().find(|(directory, _)| holds(directory)).map(|(_, what)| what);
    found.or_else(|| runtime().then_some(OWN_FILES))
}

/// The content of a secret by the name of the file and the directories above it.
fn secret_by_path(parts: &[&str]) -> Option<&'static str> {
    let (name, directories) = parts.split_last()?;
    let name = without_copy_endings(name);
    // Those of submodules are further down, and a bare repository has a name before the dot.
    let in_repository = || directories.iter().any(|directory| directory.ends_with(".git"));
    if REPOSITORY_FILES.contains(&name) && in_repository() {
        return Some(REPOSITORY);
    }
    let is_ordinary = || directories.iter().any(|directory| ORDINARY_DIRECTORIES.contains(directory));
    (name == "auth.json" && !is_ordinary()).then_some(CREDENTIALS)
}

fn secret_of_file(name: &str) -> Option<&'static str> {
    let is_swap = SWAP_ENDINGS.into_iter().any(|ending| name.ends_with(ending));
    let swapped = name.strip_prefix('.').filter(|_| is_swap);
    secret_of_name(name).or_else(|| secret_of_name(swapped?))
}

fn secret_of_name(name: &str) -> Option<&'static str> {
    let name = without_copy_endings(name);
    if TEMPLATE_ENDINGS.into_iter().any(|ending| name.ends_with(ending)) || is_template(name) {
        return None;
    }
    if PUBLIC_ENDINGS.into_iter().any(|ending| name.ends_with(ending)) {
        return None;
    }
    if let Some((_, what)) = FILES.into_iter().find(|(file, _)| *file == name) {
        return Some(what);
    }
    if let Some((_, what)) = ENDINGS.into_iter().find(|(ending, _)| name.ends_with(ending)) {
        return Some(what);
    }
    if let Some((_, _, what)) =
        PATTERNS.into_iter().find(|(start, end, _)| name.starts_with(start) && name.ends_with(end))
    {
        return Some(what);
    }
    if VARIABLE_STARTS.into_iter().any(|start| name.starts_with(start)) {
        return Some(VARIABLES);
    }
    let is_ssh_key =
        |start: &str| name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if SSH_KEYS.into_iter().any(is_ssh_key) || is_copy_of_key(name) {
        return Some(PRIVATE_KEY);
    }
    if name.contains("firebase-adminsdk") && name.ends_with(".json") {
        return Some(CREDENTIALS);
    }
    // Terraform puts a time into the names of its copies.
    let after_state = name.split_once(".tfstate.").map(|(_, rest)| rest);
    if after_state.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
        return Some(SECRETS);
    }
    let is_armoured = ARMOURED_ENDINGS.into_iter().any(|ending| name.ends_with(ending));
    if is_armoured && ARMOURED_WORDS.into_iter().any(|word| name.contains(word)) {
        return Some(PRIVATE_KEY);
    }
    is_discovery_file(name).then_some(OWN_FILES)
}

/// True if it is `server.key.txt`, `rsa_private_key_old` and the like.
fn is_copy_of_key(name: &str) -> bool {
    let is_source = || SOURCE_ENDINGS.into_iter().any(|ending| name.ends_with(ending));
    let is_named_so = name.starts_with(KEY_START) || KEY_PARTS.into_iter().any(|part| name.contains(part));
    is_named_so && !is_source()
}

/// True if it is `example.env` and the like, which show what variables there are.
fn is_template(name: &str) -> bool {
    matches!(name.strip_suffix(".env"), Some("example" | "sample" | "template" | "dist"))
}

/// True if it is the file by which local clients find a server, token and all: `a2a-123.json`.
fn is_discovery_file(name: &str) -> bool {
    let id = name.strip_prefix("a2a-").and_then(|rest| rest.strip_suffix(".json"));
    id.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

fn without_copy_endings(mut name: &str) -> &str {
    while let Some(rest) = COPY_ENDINGS.into_iter().find_map(|ending| name.strip_suffix(ending)) {
        name = rest;
    }
    name
}
