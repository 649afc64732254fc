//! Suggestions for a mistyped name.

use rapidfuzz::distance::damerau_levenshtein;

/// The similarity that two names must have to be offered for each other, from 0 to 1.
const LIKENESS: f64 = 0.6;

/// The one of `names` that is most like `name`, if any is.
pub(crate) fn suggest_name<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing is quadratic, and nothing we know is nearly as long.
    if name.len() > 100 {
        return None;
    }
    let name = name.to_lowercase();
    let likeness = |known: &str| damerau_levenshtein::normalized_similarity(name.chars(), known.to_lowercase().chars());
    let scored = names.map(|known| (likeness(known), known)).filter(|(score, _)| *score >= LIKENESS);
    scored.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::suggest_name;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["model.name", "model.maxSessionTurns", "tools.exclude"];
        let of = |name| suggest_name(name, names.into_iter());
        assert_eq!(of("model.maxSesionTurns"), Some("model.maxSessionTurns"));
        assert_eq!(of("general.maxSessionTurns"), Some("model.maxSessionTurns"));
        assert_eq!(of("TOOLS.EXCLUDED"), Some("tools.exclude"));
        assert_eq!(of("weather"), None);
        assert_eq!(of(&"tools.exclude".repeat(1000)), None);
    }
}
