//! Text to tokens. A character that is not known to stand for itself in every shell ends the reading.

use super::NotSilent;
use pollux_session::{PlannedWord, WordPiece};
use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// Characters besides letters and digits that mean nothing to a shell, wherever they stand in a word.
const PLAIN: &str = "_-./:,+@%=^";

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellToken {
    Word(LexedWord),
    /// `|`
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`
    Semicolon,
    /// The end of a line.
    Newline,
    /// A redirection without its target.
    Redirect(RedirectToken),
}

/// A redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectToken {
    /// `2>&1`: complete as it is.
    ErrorsToOutput,
    /// `1>&2`: complete as it is.
    OutputToErrors,
    /// `>` and a target.
    Output,
    /// `2>` and a target.
    Errors,
    /// `&>` and a target.
    Both,
    /// `<` and a source.
    Input,
}

/// A word, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LexedWord {
    pub(super) word: PlannedWord,
    pub(super) range: Range<usize>,
    /// How many bytes of the word are bare text from its beginning: an assignment's name is never quoted.
    pub(super) bare_prefix: usize,
}

/// The tokens of `text`.
pub(super) fn lex(text: &str) -> Result<Vec<ShellToken>, NotSilent> {
    let mut lexer = Lexer { text, chars: text.char_indices().peekable() };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.token()? {
        tokens.push(token);
    }
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
}

impl<'a> Lexer<'a> {
    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, char)| *char)
    }

    fn position(&mut self) -> usize {
        self.chars.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    /// Take the next character if it is `wanted`.
    fn take(&mut self, wanted: char) -> bool {
        self.chars.next_if(|(_, char)| *char == wanted).is_some()
    }

    fn refuse<T>(&self, from: usize, why: &str) -> Result<T, NotSilent> {
        Err(NotSilent::new(self.text.get(from..).unwrap_or_default(), why))
    }

    fn token(&mut self) -> Result<Option<ShellToken>, NotSilent> {
        self.skip_blanks();
        let from = self.position();
        let Some(first) = self.peek() else { return Ok(None) };
        let token = match first {
            '\n' => self.single(ShellToken::Newline),
            ';' => {
                self.chars.next();
                if self.take(';') {
                    return self.refuse(from, "`;;` belongs to a `case`");
                }
                ShellToken::Semicolon
            }
            '|' => {
                self.chars.next();
                match self.peek() {
                    Some('|') => self.single(ShellToken::Or),
                    Some('&') => return self.refuse(from, "`|&` is not read here; write `2>&1 |`"),
                    _ => ShellToken::Pipe,
                }
            }
            '&' => {
                self.chars.next();
                match self.peek() {
                    Some('&') => self.single(ShellToken::And),
                    Some('>') => {
                        self.chars.next();
                        self.plain_target(from)?;
                        ShellToken::Redirect(RedirectToken::Both)
                    }
                    _ => return self.refuse(from, "`&` leaves a command behind in the background"),
                }
            }
            '<' | '>' => self.redirect(from, None)?,
            '1' | '2' if self.text.get(from + 1..).is_some_and(|rest| rest.starts_with('>')) => {
                self.chars.next();
                self.redirect(from, Some(first))?
            }
            '0'..='9' if self.is_numbered_redirect(from) => {
                return self.refuse(from, "only the streams 1 and 2 are redirected without a question");
            }
            _ => ShellToken::Word(self.word(from)?),
        };
        Ok(Some(token))
    }

    /// Pass over what stands between tokens: blanks, ends of lines that a backslash takes away, and comments.
    fn skip_blanks(&mut self) {
        loop {
            let at = self.position();
            let is_joined = self.text.get(at..).is_some_and(|rest| rest.starts_with("\\\n"));
            match self.peek() {
                Some('\\') if is_joined => {
                    self.chars.next();
                    self.chars.next();
                }
                Some(' ' | '\t') => {
                    self.chars.next();
                }
                Some('#') => while self.chars.next_if(|(_, char)| *char != '\n').is_some() {},
                _ => return,
            }
        }
    }

    fn single(&mut self, token: ShellToken) -> ShellToken {
        self.chars.next();
        token
    }

    /// Digits directly before `<` or `>` name a stream.
    fn is_numbered_redirect(&self, from: usize) -> bool {
        let rest = self.text.get(from..).unwrap_or_default();
        rest.trim_start_matches(|char: char| char.is_ascii_digit()).starts_with(['<', '>'])
    }

    fn redirect(&mut self, from: usize, stream: Option<char>) -> Result<ShellToken, NotSilent> {
        if self.take('<') {
            return match self.peek() {
                Some('<' | '>' | '&' | '(') => self.refuse(from, "only a plain `<` is read here"),
                _ => Ok(ShellToken::Redirect(RedirectToken::Input)),
            };
        }
        self.chars.next();
        if self.take('&') {
            let target = self.chars.next().map(|(_, char)| char);
            let ends = self.peek().is_none_or(|char| " \t\n;|&".contains(char));
            return match (stream, target, ends) {
                (Some('2'), Some('1'), true) => Ok(ShellToken::Redirect(RedirectToken::ErrorsToOutput)),
                (None | Some('1'), Some('2'), true) => Ok(ShellToken::Redirect(RedirectToken::OutputToErrors)),
                _ => self.refuse(from, "only `2>&1` and `1>&2` join streams without a question"),
            };
        }
        self.plain_target(from)?;
        Ok(ShellToken::Redirect(if stream == Some('2') { RedirectToken::Errors } else { RedirectToken::Output }))
    }

    /// `>>`, `>|` and `>(` write, or run something.
    fn plain_target(&mut self, from: usize) -> Result<(), NotSilent> {
        match self.peek() {
            Some('>' | '|' | '(' | '&') => self.refuse(from, "it writes to a file"),
            _ => Ok(()),
        }
    }

    fn word(&mut self, from: usize) -> Result<LexedWord, NotSilent> {
        let mut pieces = Pieces::default();
        let mut bare_prefix = None;
        while let Some(char) = self.peek() {
            let at = self.position();
            let is_bare = !matches!(char, '\\' | '\'' | '"' | '$' | '*' | '?');
            if !is_bare {
                bare_prefix = bare_prefix.or(Some(at - from));
            }
            match char {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' => break,
                '\\' => self.escaped(&mut pieces)?,
                '\'' => self.single_quoted(&mut pieces)?,
                '"' => self.double_quoted(&mut pieces)?,
                '$' => {
                    self.chars.next();
                    if !self.take('?') {
                        return self.refuse(at, "`$` is expanded by a shell; only `$?` is known without one");
                    }
                    pieces.pieces.push(WordPiece::ExitCode);
                }
                '*' => {
                    self.chars.next();
                    pieces.pieces.push(WordPiece::AnyText);
                }
                '?' => {
                    self.chars.next();
                    pieces.pieces.push(WordPiece::AnyCharacter);
                }
                // The names of the test command and of its end.
                '[' | ']' if at == from && self.ends_after(at) => pieces.push(self.next_char()),
                // `HEAD~1`: a shell expands it only where a path can begin.
                '~' if self.follows_letter(from, at) => pieces.push(self.next_char()),
                _ if char.is_alphanumeric() || PLAIN.contains(char) => pieces.push(self.next_char()),
                _ => return self.refuse(at, &format!("`{char}` means something to a shell; quote it if it does not")),
            }
        }
        let to = self.position();
        let bare_prefix = bare_prefix.unwrap_or(to - from);
        Ok(LexedWord { word: PlannedWord { pieces: pieces.pieces }, range: from..to, bare_prefix })
    }

    fn next_char(&mut self) -> char {
        self.chars.next().map_or(' ', |(_, char)| char)
    }

    /// Whether the character at `at` is the last one of its word.
    fn ends_after(&self, at: usize) -> bool {
        self.text.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', '&', '|']))
    }

    fn follows_letter(&self, from: usize, at: usize) -> bool {
        self.text.get(from..at).is_some_and(|before| before.ends_with(|char: char| char.is_ascii_alphanumeric()))
    }

    fn escaped(&mut self, pieces: &mut Pieces) -> Result<(), NotSilent> {
        let from = self.position();
        self.chars.next();
        match self.chars.next() {
            None => self.refuse(from, "it ends in a backslash"),
            Some((_, '\n')) => self.refuse(from, "a word goes on over the end of a line"),
            Some((_, char)) => {
                pieces.push(char);
                Ok(())
            }
        }
    }

    fn single_quoted(&mut self, pieces: &mut Pieces) -> Result<(), NotSilent> {
        let from = self.position();
        self.chars.next();
        loop {
            match self.chars.next() {
                None => return self.refuse(from, "a quote is not closed"),
                Some((_, '\'')) => return Ok(()),
                Some((_, char)) => pieces.push(char),
            }
        }
    }

    fn double_quoted(&mut self, pieces: &mut Pieces) -> Result<(), NotSilent> {
        let from = self.position();
        self.chars.next();
        loop {
            match self.chars.next() {
                None => return self.refuse(from, "a quote is not closed"),
                Some((_, '"')) => return Ok(()),
                Some((at, '$' | '`')) => return self.refuse(at, "a shell expands it inside double quotes"),
                Some((at, '\\')) => match self.peek() {
                    Some('"' | '\\') => pieces.push(self.next_char()),
                    Some('$' | '`' | '\n') => return self.refuse(at, "a shell reads this escape inside double quotes"),
                    Some(_) | None => pieces.push('\\'),
                },
                Some((_, char)) => pieces.push(char),
            }
        }
    }
}

/// A word as it grows.
#[derive(Default)]
struct Pieces {
    pieces: Vec<WordPiece>,
}

impl Pieces {
    fn push(&mut self, char: char) {
        match self.pieces.last_mut() {
            Some(WordPiece::Text(text)) => text.push(char),
            _ => self.pieces.push(WordPiece::Text(char.into())),
        }
    }
}
