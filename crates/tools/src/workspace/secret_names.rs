//! Protected names: files whose content is a secret by convention, such as `.env` or a private key.
//!
//! Reading one always asks, whatever a rule allows. The name alone decides, so nothing has to be opened to know. Whoever
//! asks passes both the path as it was written and the path it really leads to: a link may hide either.
//! docs/SETTINGS.md, "Protected names", lists them for people.

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
const OWN_FILES: &str = "Pollux's own tokens and sessions";
const KERNEL_FILES: &str = "the state of processes and devices";

/// Directories at the root of the file system that show processes, kernel and devices as files.
const KERNEL_DIRECTORIES: [&str; 3] = ["proc", "sys", "dev"];

/// Directories in which everything is a secret: their last components.
const DIRECTORIES: [(&[&str], &str); 14] = [
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
    (&[".config", "pollux"], OWN_FILES),
    (&[".local", "state", "pollux"], OWN_FILES),
    (&[".codex", "auth.json"], CREDENTIALS),
    (&[".docker", "config.json"], CREDENTIALS),
];

/// Names of files, wherever they are.
const FILES: [(&str, &str); 43] = [
    (".envrc", VARIABLES),
    (".netrc", CREDENTIALS),
    ("_netrc", CREDENTIALS),
    (".authinfo", CREDENTIALS),
    (".pgpass", PASSWORDS),
    (".my.cnf", PASSWORDS),
    (".mylogin.cnf", PASSWORDS),
    (".htpasswd", PASSWORDS),
    (".npmrc", CREDENTIALS),
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
const ENDINGS: [(&str, &str); 18] = [
    (".env", VARIABLES),
    (".pem", PRIVATE_KEY),
    (".key", PRIVATE_KEY),
    (".ppk", PRIVATE_KEY),
    (".p8", PRIVATE_KEY),
    (".p12", KEY_STORE),
    (".pfx", KEY_STORE),
    (".jks", KEY_STORE),
    (".jceks", KEY_STORE),
    (".keystore", KEY_STORE),
    (".kdb", PASSWORDS),
    (".kdbx", PASSWORDS),
    (".ovpn", PRIVATE_KEY),
    (".tfstate", SECRETS),
    (".tfvars", SECRETS),
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

/// How the names of private keys of SSH begin.
const SSH_KEYS: [&str; 5] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];

/// What a copy adds to the name of the file it was made of.
const COPY_ENDINGS: [&str; 7] = ["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp"];

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

/// What the file at `path` is known to hold, if that is a secret: words for people that follow "holds". Upper and lower
/// case are the same, as some file systems have it.
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
    below_kernel_directory(path, &parts).or_else(|| below_directory(&parts)).or_else(|| of_file(parts.last()?))
}

fn below_kernel_directory(path: &Path, parts: &[&str]) -> Option<&'static str> {
    let first = parts.first().filter(|_| path.has_root())?;
    // Shared memory holds ordinary files, and people do put workspaces there.
    let is_ordinary = parts.starts_with(&["dev", "shm"]);
    (KERNEL_DIRECTORIES.contains(first) && !is_ordinary).then_some(KERNEL_FILES)
}

fn below_directory(parts: &[&str]) -> Option<&'static str> {
    let holds = |directory: &[&str]| parts.windows(directory.len()).any(|window| window == directory);
    let runtime = || parts.windows(4).any(|window| matches!(window, ["run", "user", _, "pollux"]));
    let found = DIRECTORIES.into_iter().find(|(directory, _)| holds(directory)).map(|(_, what)| what);
    found.or_else(|| runtime().then_some(OWN_FILES))
}

fn of_file(name: &str) -> Option<&'static str> {
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
    if [".env.", ".env-", ".env_"].into_iter().any(|start| name.starts_with(start)) {
        return Some(VARIABLES);
    }
    let is_ssh_key =
        |start: &str| name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if SSH_KEYS.into_iter().any(is_ssh_key) {
        return Some(PRIVATE_KEY);
    }
    // Armoured files are mostly signatures and public keys, and some are AsciiDoc.
    let is_armoured = [".asc", ".gpg", ".pgp"].into_iter().any(|ending| name.ends_with(ending));
    if is_armoured && (name.contains("private") || name.contains("secret")) {
        return Some(PRIVATE_KEY);
    }
    is_discovery_file(name).then_some(OWN_FILES)
}

/// Whether it is `example.env` and the like, which show what variables there are.
fn is_template(name: &str) -> bool {
    matches!(name.strip_suffix(".env"), Some("example" | "sample" | "template" | "dist"))
}

/// Whether it is the file by which local clients find a server, token and all: `a2a-123.json`.
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
