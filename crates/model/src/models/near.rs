//! Suggestions for a mistyped name.

use crate::catalogue::ModelCatalogue;
use rapidfuzz::distance::jaro_winkler;

/// The similarity that two names must have for one to be offered for the other.
const ALIKE: f64 = 0.85;
/// The most names that are offered.
const MOST: usize = 3;

/// The names most like `name`, best first.
pub(super) fn near(catalogue: &ModelCatalogue, name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let alike = |entry: &crate::catalogue::CatalogueEntry| {
        let names = entry.aliases.iter().chain([&entry.id]);
        let best = names.map(|known| jaro_winkler::similarity(name.chars(), known.chars())).fold(0.0, f64::max);
        (best >= ALIKE).then(|| (best, entry.name()))
    };
    let mut found: Vec<(f64, String)> = catalogue.entries().iter().filter_map(alike).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.into_iter().take(MOST).map(|(_, name)| name).collect()
}
