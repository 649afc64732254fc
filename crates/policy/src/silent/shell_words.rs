//! Names that a shell keeps for itself. None of them is a program, whatever lies on the search path.

/// The builtins that Pollux runs itself.
const OWN_BUILTINS: [&str; 11] = [":", "[", "cd", "command", "echo", "false", "printf", "pwd", "test", "true", "type"];

/// Words of the grammar of bash and dash.
const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

/// The other builtins of bash and dash.
const BUILTINS: [&str; 52] = [
    ".",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "chdir",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "newgrp",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "times",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Whether Pollux runs `name` itself.
pub(crate) fn is_own_builtin(name: &str) -> bool {
    OWN_BUILTINS.contains(&name)
}

/// Whether a shell runs `name` itself, and Pollux does not.
pub(crate) fn is_other_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Whether `name` is a word of the shell's grammar.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Whether a shell would take `name` for something other than a program that Pollux could start.
pub(super) fn belongs_to_shell(name: &str) -> bool {
    is_reserved(name) || BUILTINS.contains(&name)
}
