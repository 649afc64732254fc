//! Options of programs whose words must all be understood: a word that is not listed here may mean anything, and asks.

/// The options of a program that change nothing about which files it writes, or say so in a way that is understood.
pub(super) struct KnownOptions {
    /// Letters without a value.
    pub(super) letters: &'static str,
    /// Letters with one, attached or in the next word.
    pub(super) valued_letters: &'static str,
    /// Long names without dashes.
    pub(super) names: &'static [&'static str],
    /// The same with a value, behind `=` or in the next word.
    pub(super) valued_names: &'static [&'static str],
}

/// The words of a call, each known for what it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KnownCall<'a> {
    /// Letters, or names, and their values.
    pub(super) options: Vec<(&'a str, Option<&'a str>)>,
    pub(super) operands: Vec<&'a str>,
}

impl KnownCall<'_> {
    /// Whether one of the options is there.
    pub(super) fn has(&self, wanted: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| wanted.contains(name))
    }
}

impl KnownOptions {
    /// What `words` are; `None` if one of them is not known.
    pub(super) fn read<'a>(&self, words: &[&'a str]) -> Option<KnownCall<'a>> {
        let mut call = KnownCall::default();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                call.operands.extend(words);
                break;
            } else if let Some(name) = word.strip_prefix("--") {
                let (name, attached) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
                match attached {
                    None if self.names.contains(&name) => call.options.push((name, None)),
                    _ if !self.valued_names.contains(&name) => return None,
                    Some(value) => call.options.push((name, Some(value))),
                    None => call.options.push((name, Some(words.next()?))),
                }
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                self.read_letters(letters, &mut words, &mut call)?;
            } else {
                call.operands.push(word);
            }
        }
        Some(call)
    }

    /// The same where the first word may be letters without a dash, whose values are the next words in turn: `tar xfC a.tar dir`.
    pub(super) fn read_bundled<'a>(&self, words: &[&'a str]) -> Option<KnownCall<'a>> {
        let Some((bundle, rest)) = words.split_first().filter(|(first, _)| !first.starts_with('-')) else {
            return self.read(words);
        };
        let mut options = Vec::new();
        let mut rest = rest;
        for at in 0..bundle.len() {
            let letter = bundle.get(at..=at)?;
            if self.valued_letters.contains(letter) {
                let (value, behind) = rest.split_first()?;
                options.push((letter, Some(*value)));
                rest = behind;
            } else if self.letters.contains(letter) {
                options.push((letter, None));
            } else {
                return None;
            }
        }
        let mut call = self.read(rest)?;
        call.options.splice(0..0, options);
        Some(call)
    }

    fn read_letters<'a>(
        &self,
        letters: &'a str,
        words: &mut impl Iterator<Item = &'a str>,
        call: &mut KnownCall<'a>,
    ) -> Option<()> {
        for at in 0..letters.len() {
            let letter = letters.get(at..=at)?;
            if self.valued_letters.contains(letter) {
                let attached = Some(&letters[at + 1..]).filter(|value| !value.is_empty());
                call.options.push((letter, Some(attached.or_else(|| words.next())?)));
                return Some(());
            }
            if !self.letters.contains(letter) {
                return None;
            }
            call.options.push((letter, None));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const KNOWN: KnownOptions =
        KnownOptions { letters: "xv", valued_letters: "fC", names: &["list"], valued_names: &["file"] };

    fn read(bundled: bool, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        let call = if bundled { KNOWN.read_bundled(&words) } else { KNOWN.read(&words) };
        let Some(KnownCall { options, operands }) = call else { return "?".into() };
        let option =
            |(name, value): (&str, Option<&str>)| value.map_or(name.to_owned(), |value| format!("{name}={value}"));
        options.into_iter().map(option).chain(operands.into_iter().map(str::to_owned)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_word_is_known_or_the_call_is_not() {
        for (words, known) in [
            ("-xvf a b", "x v f=a b"),
            ("-vfa b --list", "v f=a list b"),
            ("--file a --file=b -- -q", "file=a file=b -q"),
            ("-f -x b", "f=-x b"),
            ("- a", "- a"),
            ("-xq", "?"),
            ("--lis", "?"),
            ("--list=a", "?"),
            ("--file", "?"),
            ("-f", "?"),
            ("-\u{e9}", "?"),
        ] {
            assert_eq!(read(false, words), known, "{words}");
        }
        for (words, known) in [("xfC a b c -v", "x f=a C=b v c"), ("xq a", "?"), ("xf", "?"), ("-xv a", "x v a")] {
            assert_eq!(read(true, words), known, "{words}");
        }
    }
}
