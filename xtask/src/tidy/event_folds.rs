//! How many matches over `Event` have a wildcard: each passes over a new event in silence.

use crate::repo::SourceFile;
use syn::visit::{self, Visit};
use syn::{Arm, Pat, Path};

/// The matches in the sources that ship.
pub(super) fn count_wildcards(sources: &[SourceFile]) -> usize {
    let shipped = sources.iter().filter(|source| source.is(&["rs"]) && !source.path.contains("/tests"));
    shipped
        .filter_map(|source| syn::parse_file(&source.text).ok())
        .map(|file| {
            let mut folds = EventFolds::default();
            folds.visit_file(&file);
            folds.with_wildcard
        })
        .sum()
}

#[derive(Default)]
struct EventFolds {
    with_wildcard: usize,
}

impl<'ast> Visit<'ast> for EventFolds {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let names_event = |arm: &Arm| names_event(&arm.pat);
        if expression.arms.iter().any(names_event) && expression.arms.iter().any(is_wildcard) {
            self.with_wildcard += 1;
        }
        visit::visit_expr_match(self, expression);
    }
}

/// Whether a pattern is a variant of `Event` itself.
fn names_event(pattern: &Pat) -> bool {
    let is_event = |path: &Path| path.segments.len() == 2 && path.segments[0].ident == "Event";
    match pattern {
        Pat::Or(or) => or.cases.iter().any(names_event),
        Pat::Paren(inner) => names_event(&inner.pat),
        Pat::Reference(inner) => names_event(&inner.pat),
        Pat::Struct(inner) => is_event(&inner.path),
        Pat::TupleStruct(inner) => is_event(&inner.path),
        Pat::Path(inner) => is_event(&inner.path),
        _ => false,
    }
}

/// `_`, or a name that takes everything.
fn is_wildcard(arm: &Arm) -> bool {
    matches!(&arm.pat, Pat::Wild(_) | Pat::Ident(_))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_match_with_a_wildcard_counts_once() {
        let text = "fn f(e: Event) { match e { Event::A => 1, _ => 2 }; match e { Event::A => 1, Event::B { .. } => 2 };\n\
                    match x { Other::A => 1, _ => 2 }; match e { Event::A | Event::B(_) => match y { _ => 3 }, other => 4 } }\n";
        assert_eq!(count_wildcards(&[source("crates/x/src/a.rs", text), source("crates/x/tests/a.rs", text)]), 2);
    }
}
