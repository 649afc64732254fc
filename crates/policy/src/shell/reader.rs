//! Walks the syntax tree. Only kinds of node that are known here are understood; every other one is a doubt.

mod redirects;
mod words;

use super::builtins::may_run_text;
use super::shell_text::is_local;
use super::unwrap::{WrappedCommand, WrapperKind, sets_risky_variable, unwrap};
use super::word::ShellWord;
use super::{CommandDoubt, MAX_COMMANDS, MAX_DEPTH, MAX_WRAPPERS, ShellScript, SimpleCommand, excerpt, read_into};
use crate::built_in;
use crate::silent::is_reserved;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// The longest that parsing may take: a thousand times what an ordinary command needs. With many open parentheses or pipes
/// the parser's work grows with the square of the text.
const MAX_PARSING: Duration = Duration::from_millis(100);

/// Words of the grammar that are read like programs.
const READ_AS_PROGRAMS: [&str; 3] = ["[[", "coproc", "time"];

/// The syntax tree of `command`; `None` when that takes too long.
pub(crate) fn parse(command: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let start = Instant::now();
    let mut watch = |_: &ParseState| match start.elapsed() > MAX_PARSING {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let mut text_from = |at: usize, _| command.as_bytes().get(at..).unwrap_or_default();
    parser.parse_with_options(&mut text_from, None, Some(ParseOptions::new().progress_callback(&mut watch)))
}

/// Reads one script.
pub(crate) struct ScriptReader<'a> {
    text: &'a str,
    script: &'a mut ShellScript,
    /// How many shells this one is inside of.
    shells: usize,
    depth: usize,
    /// How many programs run the one that is being added.
    wrappers: usize,
    here_documents: usize,
}

impl<'a> ScriptReader<'a> {
    pub(crate) fn new(text: &'a str, script: &'a mut ShellScript, shells: usize) -> ScriptReader<'a> {
        ScriptReader { text, script, shells, depth: 0, wrappers: 0, here_documents: 0 }
    }

    /// Read the whole tree.
    pub(crate) fn program(&mut self, root: Node<'_>) {
        let all = self.text.trim_matches([' ', '\t', '\n']);
        if self.slice(root).trim_matches([' ', '\t', '\n']).len() < all.len() {
            self.doubt(root, "part of it was not parsed");
        }
        self.check_gaps(root);
        self.statement(root);
    }

    fn slice(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn doubt(&mut self, node: Node<'_>, why: impl Into<String>) {
        let text = excerpt(self.slice(node).trim());
        self.script.doubts.push(CommandDoubt { text, why: why.into() });
    }

    /// Doubt a node, and still collect the commands in it: a rule may forbid them.
    fn doubt_and_go_on(&mut self, node: Node<'_>, why: &str) {
        self.doubt(node, why);
        self.search(node);
    }

    fn search(&mut self, node: Node<'_>) {
        self.descend(node, |reader| {
            for child in children(node) {
                match child.kind() {
                    "command" | "redirected_statement" => reader.statement(child),
                    _ => reader.search(child),
                }
            }
        });
    }

    /// Read what stands below `node` with `read`. Every way down the tree leads through here, so that none is longer than
    /// the stack: the tree is as deep as whoever wrote the command wants it.
    fn descend<T>(&mut self, node: Node<'_>, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            let text = self.slice(node).trim();
            self.script.cut_short(text, "it is nested too deeply");
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        Some(found)
    }

    /// Text between two nodes that is more than space means that the parser skipped something.
    fn check_gaps(&mut self, root: Node<'_>) {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let glued = matches!(node.kind(), "concatenation" | "simple_expansion" | "variable_assignment");
            let on_one_line = matches!(node.kind(), "command" | "file_redirect" | "herestring_redirect");
            if matches!(node.kind(), "string" | "heredoc_body") {
                waiting.extend(children(node));
                continue;
            }
            let mut end = None;
            for child in children(node) {
                let gap = end.and_then(|end| self.text.get(end..child.start_byte())).unwrap_or_default();
                let gap = gap.replace("\\\n", "");
                let space = gap.chars().all(|char| matches!(char, ' ' | '\t' | '\n'));
                // The end of a line ends a command, though the tree may go on.
                if !space || (glued && !gap.is_empty()) || (on_one_line && gap.contains('\n')) {
                    self.doubt(node, "part of it was not parsed");
                }
                // The shell begins a comment only where a word can begin.
                let before = self.text.get(..child.start_byte()).and_then(|before| before.chars().next_back());
                if child.kind() == "comment" && !before.is_none_or(|char| " \t\n;&|()".contains(char)) {
                    self.doubt(child, "it is not a comment");
                }
                end = Some(child.end_byte());
                waiting.push(child);
            }
        }
    }

    /// Anything that stands where a command can stand.
    fn statement(&mut self, node: Node<'_>) {
        self.descend(node, |reader| reader.statement_of_kind(node));
    }

    fn statement_of_kind(&mut self, node: Node<'_>) {
        match node.kind() {
            "comment" => {}
            "program"
            | "list"
            | "pipeline"
            | "subshell"
            | "compound_statement"
            | "do_group"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "while_statement"
            | "negated_command"
            | "command_substitution"
            | "process_substitution" => self.sequence(node),
            "command" => self.command(node),
            "redirected_statement" => self.redirected(node),
            "variable_assignment" => self.assignment(node, Assignment::Alone),
            "variable_assignments" => {
                for child in children(node) {
                    self.statement(child);
                }
            }
            "for_statement" => self.for_loop(node),
            "case_statement" | "case_item" => self.case(node),
            "test_command" => self.test(node),
            "function_definition" => self.doubt_and_go_on(node, "a function can take the place of a program"),
            "declaration_command" | "unset_command" => {
                self.doubt_and_go_on(node, "it changes what later commands find in their environment");
            }
            "file_redirect" => self.redirect(node, None),
            "ERROR" => self.doubt_and_go_on(node, "it is not understood"),
            other => {
                let why = format!("{} is not understood", other.replace('_', " "));
                self.doubt_and_go_on(node, &why);
            }
        }
    }

    fn sequence(&mut self, node: Node<'_>) {
        for child in children(node) {
            if child.is_missing() {
                self.doubt(node, "it is not complete");
            } else if child.is_named() {
                self.statement(child);
            } else if child.kind().trim().starts_with("((") {
                return self.doubt_and_go_on(node, "arithmetic can run commands");
            }
        }
    }

    fn command(&mut self, node: Node<'_>) {
        let mut words = Vec::new();
        let (mut from, mut to) = (None, node.end_byte());
        for child in children(node) {
            match child.kind() {
                "variable_assignment" if words.is_empty() => self.assignment(child, Assignment::BeforeCommand),
                "herestring_redirect" | "file_redirect" | "heredoc_redirect" => self.redirect(child, None),
                "comment" => {}
                _ if child.is_named() && !child.is_missing() => {
                    from = from.or(Some(child.start_byte()));
                    to = child.end_byte();
                    words.push(self.word(child));
                }
                _ => self.doubt(node, "it is not understood"),
            }
        }
        let text = from.and_then(|from| self.text.get(from..to)).unwrap_or_default().trim();
        self.add(SimpleCommand { text: text.to_owned(), words, redirects: Vec::new() });
    }

    /// Add a command, and what it runs in turn.
    pub(crate) fn add(&mut self, command: SimpleCommand) {
        let command = self.strip_reserved_words(command);
        let mut doubt =
            |why: &str| self.script.doubts.push(CommandDoubt { text: excerpt(&command.text), why: why.into() });
        if self.script.commands.len() > MAX_COMMANDS {
            return;
        }
        match command.words.first() {
            None => return doubt("there is no command in it"),
            Some(name) if name.literal().is_none_or(str::is_empty) => {
                return doubt("which program it runs is known only when it runs");
            }
            Some(_) => {}
        }
        if sets_risky_variable(&command.words) {
            doubt("it changes what a command finds in its environment");
        }
        if may_run_text(&command.words) {
            let why = "the shell may run what it is told".into();
            self.script.unseen_scripts.push(CommandDoubt { text: excerpt(&command.text), why });
        }
        let Some((wrapper, inner)) = unwrap(&command.words) else {
            return self.script.commands.push(command);
        };
        match inner {
            WrappedCommand::UnseenScript(why) => {
                self.script.unseen_scripts.push(CommandDoubt { text: excerpt(&command.text), why: why.into() });
            }
            WrappedCommand::Script(script) => read_into(&script, self.script, self.shells + 1),
            WrappedCommand::Commands(commands) => {
                if self.wrappers >= MAX_WRAPPERS {
                    return self.script.cut_short(&command.text, "too many programs run one another");
                }
                self.wrappers += 1;
                for words in commands {
                    self.add(SimpleCommand::from_words(words));
                }
                self.wrappers -= 1;
            }
        }
        if wrapper == WrapperKind::Counts {
            self.script.commands.push(command);
        }
    }

    /// The tree takes a word of the grammar for a program where it does not expect it: the second one in `! ! x`, or that in
    /// `time if x`. What the shell makes of it is a doubt; what stands behind it may be the command.
    fn strip_reserved_words(&mut self, command: SimpleCommand) -> SimpleCommand {
        let is_misread =
            |word: &&ShellWord| is_reserved(word.display_text()) && !READ_AS_PROGRAMS.contains(&word.display_text());
        match command.words.iter().take_while(is_misread).count() {
            0 => command,
            misread => {
                let why = format!("`{}` is a word of the shell and no program", command.words[0].display_text());
                self.script.doubts.push(CommandDoubt { text: excerpt(&command.text), why });
                SimpleCommand::from_words(command.words[misread..].to_vec())
            }
        }
    }

    fn assignment(&mut self, node: Node<'_>, place: Assignment) {
        let mut name = None;
        for child in children(node) {
            match child.kind() {
                "variable_name" if name.is_none() => name = Some(self.slice(child)),
                "=" | "+=" => {}
                "subscript" => self.doubt(node, "an index can run commands"),
                "array" => self.doubt_and_go_on(child, "it is not understood"),
                _ => {
                    self.word(child);
                }
            }
        }
        let harmless = name.is_some_and(|name| match place {
            Assignment::BeforeCommand => built_in::facts().is_safe_variable(name),
            Assignment::Alone => built_in::facts().is_safe_variable(name) || is_local(name),
        });
        if !harmless {
            self.doubt(node, "it changes what a command finds in its environment");
        }
    }

    fn for_loop(&mut self, node: Node<'_>) {
        for child in children(node) {
            match child.kind() {
                "variable_name" if !is_local(self.slice(child)) => {
                    self.doubt(child, "it changes what a command finds in its environment");
                }
                "variable_name" | "comment" => {}
                "do_group" => self.statement(child),
                _ if child.is_missing() => self.doubt(node, "it is not complete"),
                _ if child.is_named() => {
                    self.word(child);
                }
                _ => {}
            }
        }
    }

    fn case(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let is_word = matches!(cursor.field_name(), Some("value")) && child.is_named();
            if is_word && node.kind() == "case_statement" {
                self.word(child);
            } else if is_word {
                // A pattern compares text; it only matters if it runs something.
                self.search(child);
            } else if child.is_named() {
                self.statement(child);
            }
            more = cursor.goto_next_sibling();
        }
    }

    /// `[ … ]` and `[[ … ]]` as a command like any other, so that rules can speak of it.
    fn test(&mut self, node: Node<'_>) {
        // The tree takes these for parts of the question where the shell may see the end of it.
        if self.slice(node).contains(['|', '&', ';', '<', '>', '(', ')', '\n']) {
            self.doubt(node, "it is not understood");
        }
        let mut words = Vec::new();
        self.flatten(node, &mut words);
        self.add(SimpleCommand { text: self.slice(node).to_owned(), words, redirects: Vec::new() });
    }

    fn flatten(&mut self, node: Node<'_>, words: &mut Vec<ShellWord>) {
        self.descend(node, |reader| {
            for child in children(node) {
                match child.kind() {
                    "unary_expression" | "binary_expression" | "parenthesized_expression" => {
                        reader.flatten(child, words);
                    }
                    "test_operator" => words.push(ShellWord::fixed(reader.slice(child).trim())),
                    "comment" => {}
                    _ if child.is_named() => words.push(reader.word(child)),
                    _ => words.push(ShellWord::fixed(reader.slice(child).trim())),
                }
            }
        });
    }
}

/// Where an assignment stands.
#[derive(Clone, Copy)]
enum Assignment {
    /// It sets a variable of the shell.
    Alone,
    /// It sets the environment of one command.
    BeforeCommand,
}

/// By a cursor: to find a child by its number takes longer the more stand before it.
fn children<'tree>(node: Node<'tree>) -> impl Iterator<Item = Node<'tree>> + use<'tree> {
    node.children(&mut node.walk()).collect::<Vec<_>>().into_iter()
}
