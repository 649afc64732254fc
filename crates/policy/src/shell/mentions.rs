//! Commands that a program's arguments may hold although nothing is known of what the program does with them. The list of
//! programs that run others is never complete, so while a rule limits commands, whatever stands in an argument as such a
//! command would stand is held against it.
//!
//! Whoever writes a command decides how long it is, so all of this takes time in proportion to its text.

use super::read_words::find_read_words;
use super::{ShellWord, SimpleCommand, find_git_command};
use crate::built_in;
use crate::programs;
use pollux_session::PlannedWord;

/// The most words of an argument that are taken for one command.
const MAX_WORDS: usize = 8;
/// The most commands that are tried. A person looks at what has more.
const MAX_MENTIONS: usize = 2_000;
/// Where a command may begin inside a word: the shells', interpreters' and programs' own marks.
const MARKS: &[char] = &[
    ' ', '\t', '\n', '\r', ';', '|', '&', ',', '=', ':', '!', '\'', '"', '`', '(', ')', '<', '>', '[', ']', '{', '}',
    '$', '\\', '#', '@', '%', '+',
];
/// Programs that look at texts, names and files and start nothing that a rule could mean, whatever they are told. None that
/// gives a program another name: `cp`, `ln`, `mv`.
#[rustfmt::skip]
const STARTS_NOTHING: [&str; 57] = [
    ":", "[", "apropos", "apt-cache", "basename", "cat", "cd", "chgrp", "chmod", "chown", "cmp", "comm", "cut",
    "date", "df", "diff", "dirname", "dpkg-query", "du", "echo", "egrep", "export", "false", "fgrep", "file", "grep",
    "head", "jq", "kill", "ls", "man", "md5sum", "mkdir", "mktemp", "nl", "pkg-config", "printf", "pwd", "readlink",
    "realpath", "rmdir", "seq", "sha256sum", "sleep", "sort", "stat", "tail", "tee", "test", "touch", "tr", "tree",
    "true", "type", "uniq", "wc", "which",
];

/// Commands of git's that take or keep settings, which can name programs.
const GIT_SETTERS: [&str; 2] = ["clone", "config"];

/// What the arguments of a command may hold.
#[derive(Debug, Default)]
pub(crate) struct CommandMentions {
    /// All of the arguments that are not read as a command already.
    pub(crate) text: String,
    /// Those of them that are patterns, or end in what is known only when they run, as they are written.
    pub(crate) patterns: Vec<String>,
    /// What may begin anywhere in them.
    pub(crate) commands: Vec<SimpleCommand>,
}

/// What the arguments of `command` may hold, or `None` if that is too much to try.
pub(crate) fn find_mentions(command: &SimpleCommand) -> Option<CommandMentions> {
    let mut mentions = CommandMentions::default();
    if starts_nothing(&command.words) {
        return Some(mentions);
    }
    let is_read = find_read_words(&command.words);
    for (at, word) in command.words.iter().enumerate().skip(1).filter(|(at, _)| !is_read[*at]) {
        let text = word.literal().unwrap_or(word.display_text());
        if word.literal().is_none() {
            mentions.patterns.push(text.to_owned());
        }
        mentions.text.push_str(text);
        mentions.text.push(' ');
        let behind = &command.words[at + 1..];
        let starts = std::iter::once(0).chain(text.match_indices(MARKS).map(|(mark, found)| mark + found.len()));
        for start in starts.filter(|start| text[*start..].starts_with(|next| !MARKS.contains(&next))) {
            if mentions.commands.len() == MAX_MENTIONS {
                return None;
            }
            let inside = text[start..].split(MARKS).filter(|part| !part.is_empty()).map(ShellWord::fixed);
            let words: Vec<ShellWord> = inside.chain(behind.iter().cloned()).take(MAX_WORDS).collect();
            mentions.commands.push(SimpleCommand::from_words(words));
        }
    }
    Some(mentions)
}

fn starts_nothing(words: &[ShellWord]) -> bool {
    let Some(program) = words.first().and_then(ShellWord::literal) else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_git_alone = || {
        let starts_none = |command: &str| built_in::facts().is_git_command(command) && !GIT_SETTERS.contains(&command);
        name == "git" && find_git_command(&words[1..]).and_then(ShellWord::literal).is_some_and(starts_none)
    };
    let only_finds = || {
        name == "command" && words.get(1).and_then(ShellWord::literal).is_some_and(|word| ["-v", "-V"].contains(&word))
    };
    STARTS_NOTHING.contains(&name) || is_git_alone() || only_finds() || only_looks(words)
}

/// Whether a command does nothing but look, by the tables of those that do.
fn only_looks(words: &[ShellWord]) -> bool {
    let planned: Option<Vec<PlannedWord>> = words.iter().map(|word| word.literal().map(PlannedWord::text)).collect();
    planned.is_some_and(|words| matches!(programs::reads_of(&words), Some(Ok(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(command: &str) -> Vec<String> {
        let commands = super::super::read(command).commands;
        let found = commands.iter().flat_map(|command| find_mentions(command).unwrap().commands);
        found.map(|command| command.plain_text()).collect()
    }

    #[test]
    fn whatever_may_be_a_command_is_found() {
        for command in [
            "conda run rm x",
            "uclampset -m rm x",
            "python3 -c 'import os; os.system(\"rm x\")'",
            "vim -es -c '!rm x'",
            "gcc -wrapper rm,x a.c",
            "apt-get -o APT::Update::Pre-Invoke::='rm x' update",
            "sqlite3 :memory: '.shell rm x'",
            "install -s --strip-program=rm x",
            "uclampset -v rm x",
            "strace -o 'rm x' ls a",
            "command uclampset rm x",
            "git clone -c core.sshCommand='rm x' y",
            "git config core.pager 'rm x'",
            "git -C add config core.pager 'rm x'",
            "git x rm x",
        ] {
            assert!(
                mentions(command).iter().any(|found| found.starts_with("rm x")),
                "{command}: {:?}",
                mentions(command)
            );
        }
    }

    #[test]
    fn what_is_read_as_a_command_or_starts_nothing_mentions_nothing() {
        for command in [
            "echo rm x",
            "grep rm x",
            "git commit -m 'rm x'",
            "sudo grep rm x",
            "sh -c 'grep rm x'",
            "git rm x",
            "git -c user.name='rm x' log",
            "command -v rm x",
            "command -V rm x",
            "find . -name a -exec grep -l rm x {} +",
            "find . -exec grep rm x {} ';' -exec head {} ';'",
            "fd a -x grep rm x",
            "xargs -0 grep -l rm x",
            "xargs -I% grep rm x %",
            "rg rm x",
            "find . -name rm -print",
            "npx eslint@9 x",
        ] {
            assert!(
                !mentions(command).iter().any(|found| found.starts_with("rm")),
                "{command}: {:?}",
                mentions(command)
            );
        }
    }

    #[test]
    fn too_many_are_not_tried() {
        let count = |words: usize| {
            let words = vec![ShellWord::fixed("x"), ShellWord::fixed(&"a ".repeat(words))];
            find_mentions(&SimpleCommand::from_words(words)).map(|mentions| mentions.commands.len())
        };
        assert_eq!(count(MAX_MENTIONS), Some(MAX_MENTIONS));
        assert_eq!(count(MAX_MENTIONS + 1), None);
    }
}
