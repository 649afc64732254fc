//! Installs the needs of the tests beside Rust. Only what is missing is installed, and nothing outside the target
//! directory except system packages.

mod frameworks;

use super::TestRounds;
use crate::{process, say};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;

/// Programs that a test starts, and the system package each comes in.
const PROGRAMS: &[(&str, &str)] =
    &[("git", "git"), ("tmux", "tmux"), ("curl", "curl"), ("node", "nodejs"), ("npm", "npm"), ("python3", "python3")];

/// The oldest node that the clients under test run on.
const OLDEST_NODE: u32 = 20;

/// Clients from npm, each at the version the tests were written against.
const NODE_CLIENTS: &[(&str, &str)] = &[
    ("@a2a-js/sdk", "0.3.11"),
    ("@bufbuild/protobuf", "2.17.0"),
    ("@google/gemini-cli", "0.61.0"),
    ("@grpc/grpc-js", "1.14.7"),
    ("@modelcontextprotocol/server-everything", "2026.8.31"),
    ("@modelcontextprotocol/server-filesystem", "2026.8.31"),
    ("azurite", "3.37.0"),
    ("express", "5.1.0"),
    ("wscat", "6.1.0"),
];

/// The SDK of A2A 1.0 and what its gRPC needs: it bears the name of the one of 0.3, so it lives elsewhere.
const NODE_A2A_1_0: &[(&str, &str)] =
    &[("@a2a-js/sdk", "1.3.0"), ("@bufbuild/protobuf", "2.17.0"), ("@grpc/grpc-js", "1.14.7")];

/// Google's a2a-server, which Pollux stands in for and is compared with. Half a gigabyte, so it has a place of its own, which
/// the bench uses too.
pub(crate) const A2A_SERVER: (&str, &str) = ("@google/gemini-cli-a2a-server", "0.25.2");

/// Peers from PyPI, each at the version the tests were written against.
const PYTHON_PEERS: &[(&str, &str)] = &[
    ("a2a-sdk", "1.3.0"),
    ("grpcio", "1.85.1"),
    ("grpcio-reflection", "1.85.1"),
    ("grpcio-tools", "1.85.1"),
    ("mcp", "2.3.0"),
    ("moto[s3,server]", "5.2.5"),
    ("sse-starlette", "3.7.0"),
    ("starlette", "1.10.0"),
    ("uvicorn", "0.54.0"),
];

/// The SDK of A2A 0.3 and what its gRPC needs, in an environment of their own.
const PYTHON_A2A_0_3: &[(&str, &str)] =
    &[("a2a-sdk", "0.3.26"), ("grpcio", "1.85.1"), ("grpcio-reflection", "1.85.1"), ("grpcio-tools", "1.85.1")];

/// Google's framework for agents, which brings an SDK of its own choice.
const PYTHON_ADK: &[(&str, &str)] = &[("google-adk[a2a]", "2.13.0")];

/// Install what is missing; `peers` is where clients go. A thorough run has more of them.
pub(super) fn run(root: &Path, peers: &Path, rounds: TestRounds) -> Result<()> {
    system_packages(root)?;
    node_version(root)?;
    nextest(root)?;
    node_clients(root, &peers.join("node"), NODE_CLIENTS)?;
    node_clients(root, &peers.join("node-1.0"), NODE_A2A_1_0)?;
    node_clients(root, &peers.join("a2a-server"), &[A2A_SERVER])?;
    python_peers(root, &peers.join("py"), PYTHON_PEERS)?;
    python_peers(root, &peers.join("py-0.3"), PYTHON_A2A_0_3)?;
    python_peers(root, &peers.join("py-adk"), PYTHON_ADK)?;
    match rounds {
        TestRounds::Usual => Ok(()),
        TestRounds::Many => frameworks::install(root, &peers.join("more")),
    }
}

fn system_packages(root: &Path) -> Result<()> {
    let missing = PROGRAMS.iter().filter(|(program, _)| !on_path(program)).map(|(_, package)| *package);
    apt_install(root, &Vec::from_iter(missing))
}

/// Install Debian packages; nothing to do when there are none.
fn apt_install(root: &Path, missing: &[&str]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !on_path("apt-get") {
        bail!("the tests need {list}; install them with this system's package manager and run again");
    }
    let prefix: &[&str] = match process::read(process::command("id", root).arg("-u"))?.as_deref() {
        Some("0") => &[],
        _ if on_path("sudo") => &["sudo"],
        _ => bail!("the tests need {list}; run `apt-get install {list}` as root and run again"),
    };
    say(format_args!("   installing system packages: {list}"));
    let apt = |arguments: &[&str]| {
        let line = [prefix, &["apt-get"], arguments].concat();
        process::run(process::command(line[0], root).args(&line[1..]).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-q"])?;
    apt(&[&["install", "-q", "-y", "--no-install-recommends"], missing].concat())
}

/// A virtual environment at `home` that holds these peers written in Python.
fn python_peers(root: &Path, home: &Path, peers: &[(&str, &str)]) -> Result<()> {
    let python = home.join("bin/python");
    let holds = |name: &str, version: &str| {
        // What is asked for beside a package has no version of its own.
        let name = name.split('[').next().unwrap_or(name);
        let ask = format!("import importlib.metadata as m; print(m.version({name:?}))");
        let told = process::read(process::command(&python, root).args(["-c", &ask]));
        python.exists() && told.is_ok_and(|told| told.as_deref() == Some(version))
    };
    let missing = peers.iter().filter(|(name, version)| !holds(name, version));
    let missing = Vec::from_iter(missing.map(|(name, version)| format!("{name}=={version}")));
    if missing.is_empty() {
        return Ok(());
    }
    if process::read(process::command("python3", root).args(["-c", "import ensurepip, venv; print(1)"]))?.is_none() {
        apt_install(root, &["python3-venv"])?;
    }
    say(format_args!("   installing from PyPI, below the target directory: {}", missing.join(" ")));
    process::run(process::command("python3", root).args(["-m", "venv"]).arg(home))?;
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    process::run(process::command(&python, root).args(quiet).args(&missing))
}

fn node_version(root: &Path) -> Result<()> {
    let version = process::read(process::command("node", root).arg("--version"))?.context("node does not start")?;
    match major(&version) {
        Some(major) if major >= OLDEST_NODE => Ok(()),
        _ => bail!("the tests need node {OLDEST_NODE} or newer and found {version}; put a newer one first on the PATH"),
    }
}

fn nextest(root: &Path) -> Result<()> {
    if process::read(process::cargo(root).args(["nextest", "--version"]))?.is_some() {
        return Ok(());
    }
    say("   installing cargo-nextest: a few minutes, once");
    process::run(process::cargo(root).args(["install", "cargo-nextest", "--locked"]))
}

/// Install those of these packages from npm below `prefix` that are not there in this version.
pub(crate) fn node_clients(root: &Path, prefix: &Path, clients: &[(&str, &str)]) -> Result<()> {
    let missing = clients.iter().filter(|(name, version)| installed(prefix, name).as_deref() != Some(*version));
    let missing = Vec::from_iter(missing.map(|(name, version)| format!("{name}@{version}")));
    if missing.is_empty() {
        return Ok(());
    }
    npm_install(root, prefix, &missing)
}

/// Install packages from npm below `prefix`, and nowhere else.
pub(crate) fn npm_install(root: &Path, prefix: &Path, packages: &[String]) -> Result<()> {
    say(format_args!("   installing from npm, below the target directory: {}", packages.join(" ")));
    std::fs::create_dir_all(prefix)?;
    let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    process::run(process::command("npm", root).arg("install").arg("--prefix").arg(prefix).args(quiet).args(packages))
}

/// The version of an npm package below `prefix`, if it is there.
pub(crate) fn installed(prefix: &Path, package: &str) -> Option<String> {
    let manifest = std::fs::read(prefix.join("node_modules").join(package).join("package.json")).ok()?;
    let manifest: Value = serde_json::from_slice(&manifest).ok()?;
    Some(manifest.get("version")?.as_str()?.to_owned())
}

/// True if a program is there to be started.
pub(crate) fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|directory| directory.join(program).is_file()))
}

/// The first number of `v20.1.0`.
fn major(version: &str) -> Option<u32> {
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_tells_its_version() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("v8.0.0"), Some(8));
        assert_eq!(major("unknown"), None);
    }
}
