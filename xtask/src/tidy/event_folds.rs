//! Matches over the log's `Event` that pass over a new event in silence: they have a wildcard, or name a whole subject
//! (`events_about!`) besides one of its events. The types called `Event` of other crates are told from it by the names of their
//! variants.

use super::TidyFault;
use crate::repo::SourceFile;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Arm, Pat, Path};

/// Where the events are declared.
const EVENTS: &str = "crates/session/src/event.rs";
/// Where the macro is that names the events about a subject.
const SUBJECTS: &str = "crates/session/src/event_subjects.rs";
const SUBJECT_MACRO: &str = "events_about";

/// The matches in the sources that ship.
pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let (variants, subjects) = (event_variants(sources), event_subjects(sources));
    let shipped = sources.iter().filter(|source| source.is(&["rs"]) && !source.path.contains("/tests"));
    shipped
        .filter_map(|source| Some((source, syn::parse_file(&source.text).ok()?)))
        .flat_map(|(source, file)| {
            let mut folds = EventFolds { variants: &variants, subjects: &subjects, faults: Vec::new() };
            folds.visit_file(&file);
            folds.faults.into_iter().map(move |(line, what)| TidyFault::line(&source.path, line, what))
        })
        .collect()
}

/// The names of the events.
fn event_variants(sources: &[SourceFile]) -> BTreeSet<String> {
    let items = items_of(sources, EVENTS);
    let variants = items.filter_map(|item| match item {
        syn::Item::Enum(declared) if declared.ident == "Event" => Some(declared.variants),
        _ => None,
    });
    variants.flatten().map(|variant| variant.ident.to_string()).collect()
}

/// The subjects with their events, from the rules of the macro: `(SUBJECT) => { $crate::Event::A | ... };`.
fn event_subjects(sources: &[SourceFile]) -> BTreeMap<String, BTreeSet<String>> {
    let mut subjects = BTreeMap::new();
    for item in items_of(sources, SUBJECTS) {
        let syn::Item::Macro(declared) = item else { continue };
        if declared.ident.is_none_or(|name| name != SUBJECT_MACRO) {
            continue;
        }
        let groups = declared.mac.tokens.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(identifiers(group.stream())),
            _ => None,
        });
        let groups: Vec<Vec<String>> = groups.collect();
        for rule in groups.chunks(2) {
            if let [subject, events] = rule
                && let [subject] = subject.as_slice()
            {
                let is_event = |name: &&String| name.chars().next().is_some_and(char::is_uppercase) && *name != "Event";
                subjects.insert(subject.clone(), events.iter().filter(is_event).cloned().collect());
            }
        }
    }
    subjects
}

fn items_of(sources: &[SourceFile], path: &str) -> impl Iterator<Item = syn::Item> {
    let declared = sources.iter().find(|source| source.path == path);
    let file = declared.and_then(|source| syn::parse_file(&source.text).ok());
    file.into_iter().flat_map(|file| file.items)
}

fn identifiers(tokens: TokenStream) -> Vec<String> {
    let names = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}

struct EventFolds<'a> {
    variants: &'a BTreeSet<String>,
    subjects: &'a BTreeMap<String, BTreeSet<String>>,
    /// Lines, with what to do there.
    faults: Vec<(usize, String)>,
}

/// The names in the patterns of a match.
#[derive(Default)]
struct NamedEvents {
    events: BTreeSet<String>,
    subjects: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for EventFolds<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let mut named = NamedEvents::default();
        expression.arms.iter().for_each(|arm| self.collect_names(&arm.pat, &mut named));
        let is_fold = !named.events.is_empty() || !named.subjects.is_empty();
        if let Some(wildcard) = expression.arms.iter().find(|arm| is_fold && is_wildcard(arm)) {
            let what = "write the events out or name their subjects, so that the compiler asks about a new one; for one event \
                        use `if let`";
            self.faults.push((wildcard.fat_arrow_token.spans[0].start().line, what.to_owned()));
        }
        for subject in &named.subjects {
            let events = self.subjects.get(subject);
            if let Some(event) = events.and_then(|events| events.intersection(&named.events).next()) {
                let what = format!(
                    "write the events of the subject `{subject}` out: this match treats `{event}` on its own, so a new one \
                     matters here"
                );
                self.faults.push((expression.match_token.span.start().line, what));
            }
        }
        visit::visit_expr_match(self, expression);
    }
}

impl EventFolds<'_> {
    /// The events and subjects that a pattern names, alone or beside something else.
    fn collect_names(&self, pattern: &Pat, named: &mut NamedEvents) {
        let mut add_event = |path: &Path| {
            let [first, second] = [0, 1].map(|at| path.segments.get(at).map(|segment| segment.ident.to_string()));
            if path.segments.len() == 2 && first.as_deref() == Some("Event") {
                named.events.extend(second.filter(|name| self.variants.contains(name)));
            }
        };
        match pattern {
            Pat::Struct(inner) => add_event(&inner.path),
            Pat::TupleStruct(inner) => add_event(&inner.path),
            Pat::Path(inner) => add_event(&inner.path),
            Pat::Or(or) => or.cases.iter().for_each(|case| self.collect_names(case, named)),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|element| self.collect_names(element, named)),
            Pat::Paren(inner) => self.collect_names(&inner.pat, named),
            Pat::Reference(inner) => self.collect_names(&inner.pat, named),
            Pat::Macro(inner) if inner.mac.path.segments.last().is_some_and(|name| name.ident == SUBJECT_MACRO) => {
                named.subjects.extend(identifiers(inner.mac.tokens.clone()));
            }
            _ => {}
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

    fn faulty_lines(sources: &[SourceFile]) -> Vec<Option<usize>> {
        check(sources).iter().map(|fault| fault.line).collect()
    }

    fn sources(path: &str) -> [SourceFile; 3] {
        let text = "fn f(e: Event) { match e { Event::A => 1, _ => 2 }; match e { Event::A => 1, Event::B { .. } => 2 };\n\
                    match x { Other::A => 1, _ => 2 }; match e { Event::A | Event::B(_) => match y { _ => 3 }, other => 4 };\n\
                    match e { Event::Key => 1, _ => 2 }; match (e, x) { (Event::A, _) => 1, (_, other) => 2 };\n\
                    match e { Event::A => 1, _ if x => 2, Event::B(_) => 3 } }\n";
        [source(EVENTS, "enum Event { A, B }"), source(path, text), source("crates/x/tests/a.rs", text)]
    }

    #[test]
    fn a_match_with_a_wildcard_counts_once() {
        assert_eq!(faulty_lines(&sources("crates/x/src/a.rs")), [Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_subject_beside_one_of_its_events_is_wrong() {
        let declared = "macro_rules! events_about { (one) => { $crate::Event::A | $crate::Event::B { .. } }; (two) => { \
                        $crate::Event::C }; ($a:ident, $($b:ident),+) => { $crate::events_about!($a) }; }";
        let text = "fn f(e: Event) { match e { events_about!(one, two) => 1 };\n\
                    match e { Event::C => 1, events_about!(one) => 2 };\n\
                    match e { Event::B { x: 1 } => 1, pollux_session::events_about!(one, two) => 2 };\n\
                    match e { events_about!(one) | Event::C => 1 };\n\
                    match e { events_about!(one) => 1, _ => 2 } }\n";
        let sources =
            [source(EVENTS, "enum Event { A, B, C }"), source(SUBJECTS, declared), source("crates/x/src/a.rs", text)];
        assert_eq!(faulty_lines(&sources), [Some(3), Some(5)]);
    }
}
