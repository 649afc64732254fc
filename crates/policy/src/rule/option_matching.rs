//! Options a rule asks for or rules out.

use super::RuleMatch;
use crate::shell::ShellWord;

/// Whether `word` is the option `spec`, or may turn out to be it.
///
/// `-x` also sits in a cluster (`-rx`) or carries its value (`-xfoo`); `--long` also comes as `--long=value` and
/// abbreviated (`--lo`), as most programs take it; `+*` is every word that begins so; anything else (`-exec`, `status`) is
/// taken as it is. `--long=` stands for the option with a value.
pub(crate) fn is_option(spec: &str, word: &ShellWord) -> RuleMatch {
    let Some(text) = word.literal() else {
        return if word.may_be_option() { RuleMatch::Maybe } else { RuleMatch::No };
    };
    let yes = match spec.strip_prefix("--") {
        Some("") => text == spec,
        Some(_) => {
            let name = text.split_once('=').map_or(text, |(name, _)| name);
            name.len() > 2 && name.starts_with("--") && spec.trim_end_matches('=').starts_with(name)
        }
        None => match spec.strip_prefix('-') {
            Some(letter) if letter.chars().count() == 1 => {
                text.starts_with('-') && !text.starts_with("--") && text[1..].contains(letter)
            }
            Some(_) | None => match spec.strip_suffix('*') {
                Some(start) => text.starts_with(start),
                None => text == spec,
            },
        },
    };
    if yes { RuleMatch::Yes } else { RuleMatch::No }
}

/// Whether any of `words` is any of `specs`.
pub(crate) fn any_option(specs: &[String], words: &[ShellWord]) -> RuleMatch {
    let pairs = words.iter().flat_map(|word| specs.iter().map(move |spec| is_option(spec, word)));
    pairs.max().unwrap_or(RuleMatch::No)
}

/// Whether any of `words` is any of `specs` with a value that leads out of the directory where the program runs, or that is
/// its standard input. A word that is known only when it runs counts for nothing: it needs a shell, and so asks anyway.
pub(crate) fn any_outside(specs: &[String], words: &[ShellWord]) -> RuleMatch {
    let is_outside = |(at, word): (usize, &ShellWord)| {
        let next = words.get(at + 1).and_then(ShellWord::literal);
        specs
            .iter()
            .filter(|spec| is_option(spec, word) == RuleMatch::Yes)
            .any(|spec| attached_value(spec, word).or(next).is_some_and(leads_out))
    };
    if words.iter().enumerate().any(is_outside) { RuleMatch::Yes } else { RuleMatch::No }
}

/// The value in the same word as the option `spec`.
fn attached_value<'w>(spec: &str, word: &'w ShellWord) -> Option<&'w str> {
    let text = word.literal()?;
    if spec.starts_with("--") {
        return text.split_once('=').map(|(_, value)| value);
    }
    let (_, value) = text.split_once(spec.trim_start_matches('-'))?;
    Some(value.trim_start_matches('=')).filter(|value| !value.is_empty())
}

fn leads_out(value: &str) -> bool {
    value == "-" || value.starts_with(['/', '~']) || value.split('/').any(|part| part == "..")
}

/// `words` with two dashes before every option, and one before those of a single letter: for a program that does not count
/// them.
pub(crate) fn with_two_dashes(words: &[ShellWord]) -> Vec<ShellWord> {
    let spell = |word: &ShellWord| {
        let name = word.literal().filter(|text| text.starts_with('-')).map(|text| text.trim_start_matches('-'))?;
        let length = name.split_once('=').map_or(name.len(), |(name, _)| name.len());
        let dashes = match length {
            0 => return None,
            1 => "-",
            _ => "--",
        };
        Some(ShellWord::fixed(&format!("{dashes}{name}")))
    };
    words.iter().map(|word| spell(word).unwrap_or_else(|| word.clone())).collect()
}

/// Whether any of `specs` stands in `words` before the first operand. What an option takes for a value is not known, so a
/// word behind an option may be its value, and the search goes on behind it.
pub(crate) fn any_leading(specs: &[String], words: &[ShellWord]) -> RuleMatch {
    let mut may_be_value = false;
    let mut found = RuleMatch::No;
    for word in words {
        let Some(text) = word.literal() else {
            found = found.max(RuleMatch::Maybe);
            may_be_value = false;
            continue;
        };
        if text.starts_with('-') {
            let is_spec = |spec: &String| match spec.starts_with("--") {
                true => text.split('=').next().is_some_and(|name| name.len() > 2 && spec.starts_with(name)),
                false => text.starts_with(spec.as_str()),
            };
            if specs.iter().any(is_spec) {
                return RuleMatch::Yes;
            }
            may_be_value = !text.contains('=');
        } else if may_be_value {
            may_be_value = false;
        } else {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn words_of(command: &str) -> Vec<ShellWord> {
        crate::shell::read(&format!("x {command}")).commands[0].words[1..].to_vec()
    }

    #[test]
    fn an_option_is_found_in_every_spelling() {
        for (spec, word, expected) in [
            ("-x", "-x", RuleMatch::Yes),
            ("-x", "-rx", RuleMatch::Yes),
            ("-x", "-xvalue", RuleMatch::Yes),
            ("-x", "--x", RuleMatch::No),
            ("-x", "x", RuleMatch::No),
            ("-x", "$y", RuleMatch::Maybe),
            ("-x", "y\"$z\"", RuleMatch::No),
            ("-exec", "-exec", RuleMatch::Yes),
            ("-exec", "-noexec", RuleMatch::No),
            ("--long", "--long=value", RuleMatch::Yes),
            ("--long", "--lo", RuleMatch::Yes),
            ("--long", "--longer", RuleMatch::No),
            ("--long", "--", RuleMatch::No),
            ("--long", "--=value", RuleMatch::No),
            ("--", "--", RuleMatch::Yes),
            ("--", "--x", RuleMatch::No),
            ("+*", "+x", RuleMatch::Yes),
        ] {
            assert_eq!(is_option(spec, &words_of(word)[0]), expected, "{spec} {word}");
        }
    }

    #[test]
    fn dashes_are_counted_by_the_length_of_a_name() {
        let spelled: Vec<String> =
            with_two_dashes(&words_of("-prefix=a ---c=a --C -- - $x")).iter().map(ShellWord::quoted).collect();
        assert_eq!(spelled, ["--prefix=a", "-c=a", "-C", "--", "-", "$x"]);
    }

    #[test]
    fn an_option_counts_up_to_the_first_operand() {
        let specs = ["-c".to_owned(), "--config-env".to_owned()];
        for (command, expected) in [
            ("-c a=b log", RuleMatch::Yes),
            ("-ca=b log", RuleMatch::Yes),
            ("-C x -c a=b", RuleMatch::Yes),
            ("-C x log -c", RuleMatch::No),
            ("--git-dir=x -c a=b", RuleMatch::Yes),
            ("--git-dir=x log -c", RuleMatch::No),
            ("log -c", RuleMatch::No),
            ("--config-env=a=b log", RuleMatch::Yes),
            ("--conf a=b log", RuleMatch::Yes),
            ("--c a=b log", RuleMatch::Yes),
            ("-- log", RuleMatch::No),
            ("--=x log", RuleMatch::No),
            ("--config-environment log", RuleMatch::No),
            ("$x log -c", RuleMatch::Maybe),
        ] {
            assert_eq!(any_leading(&specs, &words_of(command)), expected, "{command}");
        }
    }
}
