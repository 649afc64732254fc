//! Words of a command, told apart into options and operands as the program does it: most do as `getopt_long`.

use pollux_session::{PlannedWord, WordPiece};
use serde::Deserialize;
use std::collections::HashMap;

/// What follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionKind {
    /// Nothing.
    Flag,
    /// Text, attached to it or in the next word.
    Text,
    /// Text, attached to it.
    AttachedText,
    /// Text attached to it, or nothing.
    MaybeText,
    /// The name of a file that is read, attached to it or in the next word.
    File,
    /// Two words of text.
    TwoTexts,
    /// A word of text, and one that names a file that is read.
    NamedFile,
}

impl OptionKind {
    /// Whether no file is read for it.
    pub(super) fn is_text(self) -> bool {
        !matches!(self, OptionKind::File | OptionKind::NamedFile)
    }
}

/// How a program tells options from operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OptionReading {
    /// Options stand anywhere, letters may be joined, and the last of them may have its value attached.
    #[default]
    Getopt,
    /// The same up to the first operand. Behind it, `--` is none.
    Posix,
    /// Up to the first operand, and every option and every value is a word of its own.
    WholeWords,
    /// Options stand anywhere, letters may be joined, and a value is the next word.
    Apart,
}

/// The options of one program.
#[derive(Debug, Default)]
pub(super) struct ProgramOptions {
    pub(super) kinds: HashMap<String, OptionKind>,
    /// Whether `-5` is one.
    pub(super) numbers: bool,
    pub(super) reading: OptionReading,
}

/// A value that is text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OptionValue {
    pub(super) option: String,
    pub(super) text: String,
}

/// A command's words, told apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SplitOptions<'a> {
    /// The names of the options that were given.
    pub(super) given: Vec<String>,
    pub(super) values: Vec<OptionValue>,
    /// Whether a value that is a word of its own begins with a dash.
    pub(super) has_dashed_value: bool,
    /// Values of options that name files.
    pub(super) files: Vec<PlannedWord>,
    /// What is left, each with its place among the words.
    pub(super) operands: Vec<(usize, &'a PlannedWord)>,
}

/// Words that options take their values from.
type NextWords<'w, 'a> = &'w mut dyn Iterator<Item = (usize, &'a PlannedWord)>;

impl ProgramOptions {
    /// Tell `words` apart; the error is the option that is not known.
    pub(super) fn split<'a>(&self, words: &'a [PlannedWord]) -> Result<SplitOptions<'a>, String> {
        let ends_at_operand = matches!(self.reading, OptionReading::Posix | OptionReading::WholeWords);
        let mut split = SplitOptions::default();
        let mut words = words.iter().enumerate();
        while let Some((at, word)) = words.next() {
            let Some(text) = option_text(word)? else {
                split.operands.push((at, word));
                if ends_at_operand {
                    let end = words.clone().position(|(_, word)| word.literal() == Some("--"));
                    split.operands.extend(words.enumerate().filter(|(at, _)| Some(*at) != end).map(|(_, word)| word));
                    break;
                }
                continue;
            };
            if text == "--" {
                split.operands.extend(words);
                break;
            }
            let is_number = text[1..].chars().all(|char| char.is_ascii_digit());
            if self.numbers && is_number {
                split.given.push("-NUM".to_owned());
            } else if self.reading == OptionReading::WholeWords {
                let kind = *self.kinds.get(&text).ok_or_else(|| text.clone())?;
                split.take(text.clone(), kind, None, &mut words).ok_or(text)?;
            } else if text.starts_with("--") {
                self.take_long(&text, &mut words, &mut split)?;
            } else {
                self.take_cluster(&text, &mut words, &mut split)?;
            }
        }
        Ok(split)
    }

    fn take_long<'a>(&self, text: &str, words: NextWords<'_, 'a>, split: &mut SplitOptions<'a>) -> Result<(), String> {
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let kind = *self.kinds.get(name).ok_or_else(|| name.to_owned())?;
        if kind == OptionKind::Flag && attached.is_some() {
            return Err(text.to_owned());
        }
        split.take(name.to_owned(), kind, attached, words).ok_or_else(|| text.to_owned())
    }

    /// `-la`, `-n5`, `-n 5`.
    fn take_cluster<'a>(
        &self,
        text: &str,
        words: NextWords<'_, 'a>,
        split: &mut SplitOptions<'a>,
    ) -> Result<(), String> {
        // A few programs have short options of several letters: `git branch -vv`.
        if self.kinds.get(text) == Some(&OptionKind::Flag) {
            split.given.push(text.to_owned());
            return Ok(());
        }
        for (at, letter) in text[1..].char_indices() {
            let name = format!("-{letter}");
            let unknown = || if text.chars().count() == 2 { name.clone() } else { format!("{name} (in {text})") };
            let kind = *self.kinds.get(&name).ok_or_else(unknown)?;
            if kind == OptionKind::Flag {
                split.given.push(name);
                continue;
            }
            let rest = &text[1 + at + letter.len_utf8()..];
            let attached = (!rest.is_empty()).then(|| rest.to_owned());
            if attached.is_some() && (self.reading == OptionReading::Apart || !kind.may_be_attached_to_letter()) {
                return Err(unknown());
            }
            return split.take(name.clone(), kind, attached, words).ok_or_else(unknown);
        }
        Ok(())
    }
}

impl OptionKind {
    fn may_be_attached_to_letter(self) -> bool {
        !matches!(self, OptionKind::TwoTexts | OptionKind::NamedFile)
    }
}

impl<'a> SplitOptions<'a> {
    /// Take the option `name` with its values. `None` if one of them is not there or is known only when the command runs, or
    /// if it takes none that is attached.
    fn take(
        &mut self,
        name: String,
        kind: OptionKind,
        attached: Option<String>,
        words: NextWords<'_, 'a>,
    ) -> Option<()> {
        let mut next = || {
            let value = words.next()?.1.literal()?.to_owned();
            self.has_dashed_value |= value.starts_with('-');
            Some(value)
        };
        match (kind, attached) {
            (OptionKind::Flag | OptionKind::MaybeText, None) => {}
            (OptionKind::Text | OptionKind::AttachedText | OptionKind::MaybeText, Some(text)) => {
                self.values.push(OptionValue { option: name.clone(), text });
            }
            (OptionKind::Text, None) => {
                let text = next()?;
                self.values.push(OptionValue { option: name.clone(), text });
            }
            (OptionKind::File, Some(file)) => self.files.push(PlannedWord::text(file)),
            (OptionKind::File, None) => {
                let file = next()?;
                self.files.push(PlannedWord::text(file));
            }
            (OptionKind::TwoTexts, None) => {
                let texts = [next()?, next()?];
                self.values.extend(texts.map(|text| OptionValue { option: name.clone(), text }));
            }
            (OptionKind::NamedFile, None) => {
                next()?;
                let file = next()?;
                self.files.push(PlannedWord::text(file));
            }
            (OptionKind::Flag | OptionKind::TwoTexts | OptionKind::NamedFile, Some(_))
            | (OptionKind::AttachedText, None) => return None,
        }
        self.given.push(name);
        Some(())
    }
}

/// The text of a word that is an option: a dash and something behind it. One with a pattern in it, as in
/// `--include=*.rs`, is taken as it is written: it is checked before the start that no file has such a name.
fn option_text(word: &PlannedWord) -> Result<Option<String>, String> {
    match (word.literal(), word.pieces.first()) {
        (Some("-"), _) => Ok(None),
        (Some(text), _) => Ok(text.starts_with('-').then(|| text.to_owned())),
        (None, Some(WordPiece::Text(text))) if text.starts_with('-') => {
            let written = word.unquoted();
            if word.pieces.contains(&WordPiece::ExitCode) || !text.contains('=') {
                return Err(written);
            }
            Ok(Some(written))
        }
        (None, _) => Ok(None),
    }
}
