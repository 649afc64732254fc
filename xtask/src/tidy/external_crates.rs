//! Other people's crates in the product, each with what it does for us. One that is not here does not ship: adding it is a
//! line that a reviewer reads.

use super::TidyFault;
use std::collections::BTreeSet;

const EXTERNAL_CRATES: &[(&str, &str)] = &[
    ("anyhow", "errors of the program itself, with their causes"),
    ("async-trait", "async functions of traits whose implementation is chosen while the program runs"),
    ("axum", "routes and WebSockets"),
    ("base64", "pictures and documents on their way to a model, copied text on its way to the clipboard"),
    ("bytes", "pieces of a stream without copying"),
    ("cap-std", "files below one directory, and none beside it"),
    ("clap", "flags"),
    ("clap_complete", "what shells complete flags with"),
    ("clap_mangen", "the manual page"),
    ("crossterm", "keys, and the terminal's modes"),
    ("ctor", "test programs that supervise their own commands, behind a feature that is off"),
    ("eventsource-stream", "server-sent events of models and other agents, as leniently as the standard reads them"),
    ("flate2", "what another server packed, unpacked"),
    ("futures-util", "streams and their combinators"),
    ("getrandom", "secrets"),
    ("globset", "file patterns"),
    ("grep-matcher", "searching files: what a match is"),
    ("grep-regex", "searching files: regular expressions"),
    ("grep-searcher", "searching files: line by line, binary ones passed over"),
    ("htmd", "web pages as readable text"),
    ("http-body-util", "bodies with a limit"),
    ("hyper", "HTTP/1.1, with the strictness that the gate needs; HTTP/2 for gRPC"),
    ("hyper-util", "the connection loop around hyper"),
    ("ignore", "walking a tree as .gitignore says"),
    ("jiff", "times as text"),
    ("jsonc-parser", "settings files with comments"),
    ("landlock", "silent commands confined to reading"),
    ("libc", "numbers of signals and system calls"),
    ("llama-cpp-2", "a model in this process, behind a feature that is off"),
    ("lru", "caches that forget what was used least lately"),
    ("mimalloc", "memory that many threads take and give back, for a sixth less processor time a message"),
    ("nix", "our session and group, also where a container hides their leaders"),
    ("nucleo-matcher", "fuzzy completion of files and commands, and filters of lists"),
    ("oauth2", "the requests of signing in to MCP servers, with PKCE"),
    ("object_store", "buckets of Google, Amazon and Azure, and directories that stand for one"),
    ("parking_lot", "locks that a panic does not poison"),
    ("prost-reflect", "protobuf as JSON and back, for gRPC"),
    ("pty-process", "commands in a terminal of their own"),
    ("pulldown-cmark", "markdown"),
    ("qrcode", "the code that a phone scans to join"),
    ("rapidfuzz", "did you mean, and fuzzy edits"),
    ("ratatui", "styled text and what changed between two frames"),
    ("regex", "patterns in rules and edits"),
    ("reqwest", "HTTP to models, pages, other agents and receivers of pushed news"),
    ("ring", "signing: in to Google Cloud, agent cards, pushed news"),
    ("rmcp", "the Model Context Protocol"),
    ("rusqlite", "the log"),
    ("rustix", "locks, terminals, process groups, who is at the other end of a socket"),
    ("rustls", "TLS"),
    ("saphyr-parser", "settings files in YAML, with the place of every value"),
    ("schemars", "the schema of a tool's arguments from their type"),
    ("seccompiler", "silent commands without sockets"),
    ("serde", "data in and out"),
    ("serde_json", "JSON"),
    ("serde_path_to_error", "where in a document the mistake is"),
    ("sha2", "digests"),
    ("similar", "diffs"),
    ("sse-stream", "server-sent events of MCP servers, in the types of rmcp"),
    ("subtle", "comparing secrets in constant time"),
    ("syntect", "colours for code"),
    ("tar", "a workspace that another server packed"),
    ("tempfile", "files that are whole or not there"),
    ("thiserror", "errors of the libraries"),
    ("tokio", "the async runtime"),
    ("tokio-tungstenite", "the socket of an attached terminal"),
    ("tokio-util", "cancelling and waiting for tasks"),
    ("toml_edit", "policy files and the catalogue, read and written without losing comments"),
    ("tower", "one request through the router, for layers"),
    ("tracing", "what the program does, for whoever looks"),
    ("tracing-subscriber", "and where that is written"),
    ("tree-sitter", "parsing shell commands"),
    ("tree-sitter-bash", "the grammar of shell commands"),
    ("two-face", "the grammars and themes that colour it"),
    ("unicode-segmentation", "characters as people see them, for cursors and wrapping"),
    ("unicode-width", "how wide text is in a terminal"),
    ("uuid", "ids"),
    ("vt100", "what a terminal would show"),
    ("vte", "colours in what commands print"),
];

/// Crates that ship and are not on the list, and those on the list that do not ship.
pub(super) fn check(shipped: &BTreeSet<&str>) -> Vec<TidyFault> {
    let listed = BTreeSet::from_iter(EXTERNAL_CRATES.iter().map(|(name, _)| *name));
    let unlisted = shipped.difference(&listed).map(|name| {
        let what =
            format!("`{name}` ships without a reason; add it to xtask/src/tidy/external_crates.rs, or do without it");
        TidyFault::file("Cargo.toml", what)
    });
    let unused = listed.difference(shipped).map(|name| {
        TidyFault::file("xtask/src/tidy/external_crates.rs", format!("`{name}` is listed and nobody uses it any more"))
    });
    unlisted.chain(unused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_says_why() {
        assert!(EXTERNAL_CRATES.is_sorted_by_key(|(name, _)| *name));
        assert!(EXTERNAL_CRATES.iter().all(|(_, why)| !why.is_empty()));
    }

    #[test]
    fn what_is_not_listed_and_what_is_not_used_are_faults() {
        let mut shipped = BTreeSet::from_iter(EXTERNAL_CRATES.iter().map(|(name, _)| *name));
        assert_eq!(check(&shipped), []);
        shipped.remove("axum");
        shipped.insert("left-pad");
        let faults = check(&shipped);
        assert_eq!(faults.len(), 2);
        assert!(faults.iter().any(|fault| format!("{fault:?}").contains("left-pad")));
        assert!(faults.iter().any(|fault| format!("{fault:?}").contains("axum")));
    }
}
