//! Matches over the log's `Event` that have a wildcard: each passes over a new event in silence. The types called `Event` of other
//! crates are told from it by the names of their variants.

use super::TidyFault;
use crate::repo::SourceFile;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Arm, Pat, Path};

/// Where the events are declared.
const EVENTS: &str = "crates/session/src/event.rs";

/// The matches in the sources that ship.
pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let variants = event_variants(sources);
    let shipped = sources.iter().filter(|source| source.is(&["rs"]) && !source.path.contains("/tests"));
    shipped
        .filter_map(|source| Some((source, syn::parse_file(&source.text).ok()?)))
        .flat_map(|(source, file)| {
            let mut folds = EventFolds { variants: &variants, wildcard_lines: Vec::new() };
            folds.visit_file(&file);
            let what = "write the events out, so that the compiler asks about a new one; for one event use `if let`";
            folds.wildcard_lines.into_iter().map(move |line| TidyFault::line(&source.path, line, what))
        })
        .collect()
}

/// The names of the events.
fn event_variants(sources: &[SourceFile]) -> BTreeSet<String> {
    let declared = sources.iter().find(|source| source.path == EVENTS);
    let file = declared.and_then(|source| syn::parse_file(&source.text).ok());
    let items = file.into_iter().flat_map(|file| file.items);
    let variants = items.filter_map(|item| match item {
        syn::Item::Enum(declared) if declared.ident == "Event" => Some(declared.variants),
        _ => None,
    });
    variants.flatten().map(|variant| variant.ident.to_string()).collect()
}

struct EventFolds<'a> {
    variants: &'a BTreeSet<String>,
    wildcard_lines: Vec<usize>,
}

impl<'ast> Visit<'ast> for EventFolds<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        if expression.arms.iter().any(|arm| self.names_event(&arm.pat))
            && let Some(wildcard) = expression.arms.iter().find(|arm| is_wildcard(arm))
        {
            self.wildcard_lines.push(wildcard.fat_arrow_token.spans[0].start().line);
        }
        visit::visit_expr_match(self, expression);
    }
}

impl EventFolds<'_> {
    /// Whether a pattern is an event, alone or beside something else.
    fn names_event(&self, pattern: &Pat) -> bool {
        let is_event = |path: &Path| {
            let is_variant = |segment: &syn::PathSegment| self.variants.contains(&segment.ident.to_string());
            path.segments.len() == 2 && path.segments[0].ident == "Event" && is_variant(&path.segments[1])
        };
        match pattern {
            Pat::Or(or) => or.cases.iter().any(|case| self.names_event(case)),
            Pat::Tuple(tuple) => tuple.elems.iter().any(|element| self.names_event(element)),
            Pat::Paren(inner) => self.names_event(&inner.pat),
            Pat::Reference(inner) => self.names_event(&inner.pat),
            Pat::Struct(inner) => is_event(&inner.path),
            Pat::TupleStruct(inner) => is_event(&inner.path),
            Pat::Path(inner) => is_event(&inner.path),
            _ => false,
        }
    }
}

/// `_`, or a name that takes everything. With a condition it leaves the rest to other arms.
fn is_wildcard(arm: &Arm) -> bool {
    fn takes_all(pattern: &Pat) -> bool {
        match pattern {
            Pat::Wild(_) | Pat::Ident(_) => true,
            Pat::Tuple(tuple) => tuple.elems.iter().all(takes_all),
            _ => false,
        }
    }
    takes_all(&arm.pat)
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn sources(path: &str) -> [SourceFile; 3] {
        let text = "fn f(e: Event) { match e { Event::A => 1, _ => 2 }; match e { Event::A => 1, Event::B { .. } => 2 };\n\
                    match x { Other::A => 1, _ => 2 }; match e { Event::A | Event::B(_) => match y { _ => 3 }, other => 4 };\n\
                    match e { Event::Key => 1, _ => 2 }; match (e, x) { (Event::A, _) => 1, (_, other) => 2 };\n\
                    match e { Event::A => 1, _ if x => 2, Event::B(_) => 3 } }\n";
        [source(EVENTS, "enum Event { A, B }"), source(path, text), source("crates/x/tests/a.rs", text)]
    }

    #[test]
    fn a_match_with_a_wildcard_counts_once() {
        let lines: Vec<Option<usize>> = check(&sources("crates/x/src/a.rs")).iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [Some(1), Some(2), Some(3)]);
    }
}
