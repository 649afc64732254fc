//! Which variables stay in the environment block: those that libraries and the loader read by themselves and that hold
//! no secret. Everything else is known to our own code alone.

use std::ffi::OsStr;

/// Names that stay, by who reads them.
const HARMLESS: &[&[&str]] = &[
    // The C library, temporary files, time zones.
    &["HOME", "LANG", "LANGUAGE", "LOCPATH", "LOGNAME", "PATH", "PWD", "SHELL", "TMPDIR", "TZ", "TZDIR", "USER"],
    // Whoever draws: what the terminal can do.
    &["CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "TERM", "TERMINFO", "TERMINFO_DIRS"],
    // Our terminal client: which terminal it is.
    &["KITTY_WINDOW_ID", "STY", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE", "VTE_VERSION"],
    &["XTERM_VERSION"],
    // Clients of the graphical session: the address of a display.
    &["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
    // TLS and HTTP clients. `REQUEST_METHOD` makes them ignore `HTTP_PROXY`, as CGI programs must.
    &["NO_PROXY", "REQUEST_METHOD", "SSL_CERT_DIR", "SSL_CERT_FILE", "no_proxy"],
    // Whoever reads git's settings: where they are.
    &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"],
    // The resolver, and SQLite.
    &["LOCALDOMAIN", "RES_OPTIONS", "SQLITE_TMPDIR"],
    // The Rust runtime and tokio, measuring, graphics cards.
    &["LLVM_PROFILE_FILE", "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_LOG", "RUST_MIN_STACK"],
    &["CUDA_VISIBLE_DEVICES", "GLIBC_TUNABLES", "TOKIO_WORKER_THREADS"],
];

/// Beginnings of names that stay: locale, the loader, allocators, llama.cpp and its threads, directories.
const HARMLESS_PREFIXES: &[&str] = &["LC_", "LD_", "MALLOC_", "MIMALLOC_", "GGML_", "OMP_", "XDG_"];

/// Parts of the names under which people keep secrets.
const SECRET_PARTS: &[&str] = &["AUTH", "COOKIE", "CREDENTIAL", "KEY", "PASS", "PRIVATE", "SECRET", "TOKEN"];

/// True if a variable may be in a block that every process of the same user can read.
pub(super) fn is_harmless(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    if is_proxy(name) {
        return !has_password(value);
    }
    HARMLESS.iter().any(|names| names.contains(&name))
        || HARMLESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// True if HTTP clients take a proxy from this variable, without asking us.
pub(super) fn is_proxy(name: &str) -> bool {
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].iter().any(|proxy| name.eq_ignore_ascii_case(proxy))
}

/// True if an address says who we are there. What stands alone before the `@` may be a token too.
fn has_password(address: &OsStr) -> bool {
    address.as_encoded_bytes().contains(&b'@')
}

/// True if a variable is likely to be a secret: its name says so, or it is an address with a password.
pub(super) fn is_likely_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let is_address = value.to_string_lossy().contains("://") || is_proxy(&name);
    SECRET_PARTS.iter().any(|part| name.contains(part)) || (is_address && has_password(value))
}
