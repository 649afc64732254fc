//! Did you mean: a slip of the keys in a command's name.

use rapidfuzz::distance::damerau_levenshtein;

/// Shorter words are near to too many others.
const SHORTEST: usize = 4;

/// The name in `names` that `word` is one slip away from. Only words that could be a name have one.
pub(super) fn suggest_name<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let could_be = word.len() >= SHORTEST && word.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-');
    let near = |name: &&str| damerau_levenshtein::distance(word.chars(), name.chars()) == 1;
    names.into_iter().filter(|_| could_be).find(near)
}

#[cfg(test)]
mod tests {
    use super::suggest_name;
    use pretty_assertions::assert_eq;

    #[test]
    fn one_slip_is_near() {
        let names = ["help", "memory", "list-extensions"];
        for (word, expected) in [
            ("hlep", Some("help")),
            ("memoyr", Some("memory")),
            ("list-extension", Some("list-extensions")),
            ("hel", None),
            ("helping", None),
            ("tmp", None),
            ("he:p", None),
        ] {
            assert_eq!(suggest_name(word, names), expected, "{word}");
        }
    }
}
