//! Options a rule asks for, rules out, or confines a command to.

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

/// Whether `words` are nothing but `specs`, to the letter; a spec that ends in `=` takes any value.
pub(crate) fn has_only(specs: &[String], words: &[ShellWord]) -> bool {
    words.iter().all(|word| {
        word.literal().is_some_and(|text| {
            specs.iter().any(|spec| spec == text || (spec.ends_with('=') && text.starts_with(spec.as_str())))
        })
    })
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
                false => !text.starts_with("--") && text.starts_with(spec.as_str()),
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
