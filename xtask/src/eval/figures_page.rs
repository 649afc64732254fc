//! The table that docs/EVALUATION.md keeps: `--save` writes it between two marks, and nothing else of the page.

use anyhow::{Context, Result};
use std::path::Path;

const PAGE: &str = "docs/EVALUATION.md";
const BEGIN: &str = "<!-- figures: begin, written by `cargo xtask eval --save` -->\n";
const END: &str = "<!-- figures: end -->\n";

/// Write `figures` into the page of this checkout.
pub(super) fn save(root: &Path, figures: &str) -> Result<()> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("{PAGE} cannot be read"))?;
    let new = put_between(&page, figures).with_context(|| format!("{PAGE} has lost the marks around its figures"))?;
    std::fs::write(&path, new).with_context(|| format!("{PAGE} cannot be written"))
}

fn put_between(page: &str, figures: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{}\n\n{END}{after}", figures.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = format!("# Page\n{BEGIN}old\n{END}rest\n");
        let new = put_between(&page, "| new |\n").unwrap();
        assert_eq!(new, format!("# Page\n{BEGIN}\n| new |\n\n{END}rest\n"));
        assert_eq!(put_between(&new, "| new |"), Some(new.clone()));
        assert_eq!(put_between("# Page\n", "x"), None);
    }
}
