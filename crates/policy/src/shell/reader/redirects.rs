//! Redirections and here-documents.

use super::{ScriptReader, children};
use crate::shell::excerpt;
use crate::shell::word::ShellWord;
use std::ops::Range;
use tree_sitter::Node;

impl ScriptReader<'_> {
    pub(super) fn redirected(&mut self, node: Node<'_>) {
        let (redirects, bodies): (Vec<_>, Vec<_>) =
            children(node).partition(|child| child.kind().ends_with("_redirect"));
        let mut body = self.script.commands.len()..self.script.commands.len();
        for child in bodies.into_iter().filter(Node::is_named) {
            body = self.redirected_part(child);
        }
        for redirect in redirects {
            self.redirect(redirect, Some(body.clone()));
        }
    }

    /// Read what is redirected. Of a pipeline or a list that is its last command, whatever the tree says.
    pub(super) fn redirected_part(&mut self, node: Node<'_>) -> Range<usize> {
        let last = children(node).filter(Node::is_named).last();
        let first = self.script.commands.len();
        let ("list" | "pipeline", Some(last)) = (node.kind(), last) else {
            self.statement(node);
            return first..self.script.commands.len();
        };
        let range = self.descend(node, |reader| {
            for child in children(node).filter(|child| *child != last) {
                if child.is_missing() {
                    reader.doubt(node, "it is not complete");
                } else if child.is_named() {
                    reader.statement(child);
                }
            }
            reader.redirected_part(last)
        });
        range.unwrap_or(first..first)
    }

    /// A redirection; where it writes is noted with the commands of `body`.
    pub(super) fn redirect(&mut self, node: Node<'_>, body: Option<Range<usize>>) {
        let mut operator = "";
        let mut target = None;
        let (mut start, mut end) = (None, None);
        for child in children(node) {
            match child.kind() {
                "file_descriptor" | "comment" => {}
                "heredoc_start" => start = Some(self.slice(child)),
                "heredoc_end" => end = Some(self.slice(child)),
                "heredoc_body" => self.here_document(start, child),
                // What follows on the line of `<<EOF` hangs below it in the tree.
                "pipeline" | "list" | "command" | "redirected_statement" => self.statement(child),
                "file_redirect" | "herestring_redirect" => {
                    self.descend(child, |reader| reader.redirect(child, body.clone()));
                }
                _ if child.is_missing() => self.doubt(node, "it is not complete"),
                // Words after the file belong to the command, and the tree keeps them from it.
                _ if child.is_named() && target.is_some() => self.doubt_and_go_on(node, "it is not understood"),
                _ if child.is_named() => target = Some(self.word(child)),
                operator_text => operator = operator_text,
            }
        }
        if let Some(start) = start
            && end.map(|end| end.trim_start_matches('\t')) != delimiter(start).map(|(delimiter, _)| delimiter)
        {
            self.doubt(node, "where the here-document ends is not understood");
        }
        let harmless = match (operator.trim(), target.as_ref().map(ShellWord::literal)) {
            ("<<<" | "<<" | "<<-" | "|" | "&&" | "||", None) | (">&-" | "<&-", None) | ("<<<", Some(_)) => true,
            (">&" | "<&", Some(Some(descriptor))) => descriptor.chars().all(|char| char.is_ascii_digit()),
            (">" | ">>" | "&>" | "&>>" | ">|", Some(Some("/dev/null"))) => true,
            // The shell itself opens network connections for `/dev/tcp/…`.
            ("<", Some(Some(file))) => !file.starts_with("/dev/") || file == "/dev/null",
            _ => false,
        };
        if harmless {
            return;
        }
        let shown = excerpt(self.slice(node).trim());
        match body {
            Some(body) if !body.is_empty() => {
                for command in self.script.commands.get_mut(body).unwrap_or_default() {
                    command.redirects.push(shown.clone());
                }
            }
            Some(_) | None => self.doubt(node, "it opens a file"),
        }
    }

    /// The text of a here-document: what is substituted in it, and whether it ends where the shell ends it.
    pub(super) fn here_document(&mut self, start: Option<&str>, body: Node<'_>) {
        self.here_documents += 1;
        let Some((delimiter, quoted)) = start.and_then(delimiter) else {
            return self.doubt_and_go_on(body, "where the here-document ends is not understood");
        };
        let ends_early = self.slice(body).lines().any(|line| line.trim_start_matches('\t') == delimiter);
        if ends_early || self.here_documents > 1 {
            self.doubt(body, "where the here-document ends is not understood");
        }
        if quoted {
            return;
        }
        let mut at = body.start_byte();
        for child in children(body).filter(|child| child.kind() != "heredoc_content") {
            self.plain(body, at..child.start_byte());
            self.word(child);
            at = child.end_byte();
        }
        self.plain(body, at..body.end_byte());
    }
}

/// The word that ends a here-document, and whether it is quoted, so that nothing is substituted in the text.
fn delimiter(start: &str) -> Option<(&str, bool)> {
    let unquoted = |quote: char| start.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let bare = unquoted('\'').or(unquoted('"')).unwrap_or(start);
    let word = !bare.is_empty() && bare.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    word.then_some((bare, bare.len() < start.len()))
}
