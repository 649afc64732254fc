//! Words, piece by piece, and what is substituted in them.

use super::{ScriptReader, children};
use crate::shell::shell_text::{has_bare_syntax, hides_substitution, is_plain_expansion, is_plain_variable, unescape};
use crate::shell::word::{Quoting, ShellWord, WordBuilder};
use std::ops::Range;
use tree_sitter::Node;

impl<'a> ScriptReader<'a> {
    pub(super) fn word(&mut self, node: Node<'_>) -> ShellWord {
        let mut word = WordBuilder::new();
        self.piece(node, Quoting::Bare, &mut word);
        word.build(self.slice(node).trim())
    }

    /// Add one piece of a word to it. What is substituted is read too.
    pub(super) fn piece(&mut self, node: Node<'_>, quoting: Quoting, word: &mut WordBuilder) {
        if self.descend(node, |reader| reader.piece_of_kind(node, quoting, word)).is_none() {
            word.push_unknown(Quoting::Bare);
        }
    }

    fn piece_of_kind(&mut self, node: Node<'_>, quoting: Quoting, word: &mut WordBuilder) {
        let text = self.slice(node);
        match node.kind() {
            "word" => {
                if has_bare_syntax(text) {
                    self.doubt(node, "it is not understood");
                }
                word.push_bare(text);
            }
            "number" if node.child_count() == 0 => word.push(text),
            "raw_string" => word.push(text.trim_matches('\'')),
            "string" => self.string(node, word),
            "concatenation" | "command_name" => {
                for child in children(node) {
                    self.piece(child, quoting, word);
                }
            }
            "ansi_c_string" if !text.contains('\\') => word.push(text.trim_start_matches('$').trim_matches('\'')),
            "ansi_c_string" => word.push_unknown(Quoting::Double),
            "simple_expansion" => {
                if !is_plain_variable(text) {
                    self.doubt(node, "it is not understood");
                }
                word.push_unknown(quoting);
            }
            "expansion" => {
                if !is_plain_expansion(text) {
                    self.doubt_and_go_on(node, "an operator in an expansion can run commands");
                }
                word.push_unknown(quoting);
            }
            "command_substitution" | "process_substitution" => {
                if text.trim_start().starts_with('`') && text.contains('\\') {
                    self.doubt(node, "a backslash between backquotes is read twice");
                }
                self.statement(node);
                word.push_unknown(quoting);
            }
            "brace_expression" => word.push_pattern(),
            "arithmetic_expansion" => {
                self.doubt_and_go_on(node, "arithmetic can run commands");
                word.push_unknown(quoting);
            }
            _ => {
                self.doubt_and_go_on(node, "it is not understood");
                word.push_unknown(Quoting::Bare);
            }
        }
    }

    /// The text between double quotes. Only the holes in it are taken from the tree, which leaves out some spaces.
    pub(super) fn string(&mut self, node: Node<'_>, word: &mut WordBuilder) {
        let mut at = node.start_byte() + 1;
        for child in children(node).filter(|child| child.is_named() && child.kind() != "string_content") {
            word.push(&unescape(self.plain(node, at..child.start_byte())));
            self.piece(child, Quoting::Double, word);
            at = child.end_byte();
        }
        word.push(&unescape(self.plain(node, at..node.end_byte().saturating_sub(1))));
    }

    /// Text in which something is substituted, but not here, says the tree: see for ourselves.
    pub(super) fn plain(&mut self, node: Node<'_>, range: Range<usize>) -> &'a str {
        let text = self.text.get(range).unwrap_or_default();
        if hides_substitution(text) {
            self.doubt(node, "it is not understood");
        }
        text
    }
}
