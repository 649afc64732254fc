//! A type name is declared once in the workspace, says what it is of, and is no metaphor: a reader who knows the field then
//! knows where they are. Names that only one file sees are that file's business.

use super::TidyFault;
use super::names::words_of;
use crate::repo::SourceFile;
use std::collections::BTreeMap;
use std::fmt;
use syn::visit::{self, Visit};
use syn::{Ident, Visibility};

/// Words that make sense only after reading the body.
const METAPHORS: &[&str] = &[
    "hall",
    "shelf",
    "tale",
    "errand",
    "deed",
    "purse",
    "shop",
    "door",
    "desk",
    "face",
    "spot",
    "saying",
    "was",
    "went",
    "told",
    "whose",
    "toward",
    "chronicle",
    "house",
];

/// Types that several crates need under the same name.
const DECLARED_TWICE: &[(&str, &str)] = &[];

/// Figures on the names of the workspace, for docs/ARCHITECTURE.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeNameFigures {
    counted: usize,
    single_word: usize,
}

impl fmt::Display for TypeNameFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TypeNameFigures { counted, single_word } = self;
        let percent = single_word * 100 / counted.max(&1);
        write!(f, "{counted} type names that more than one file sees, {percent} % of them one word")
    }
}

pub(super) fn figures(sources: &[SourceFile]) -> TypeNameFigures {
    let declared = counted_types(sources);
    let single_word = declared.keys().filter(|name| words_of(name).len() == 1).count();
    TypeNameFigures { counted: declared.len(), single_word }
}

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let mut faults = Vec::new();
    for (name, places) in counted_types(sources) {
        let is_listed = DECLARED_TWICE.iter().any(|(listed, _)| *listed == name);
        if let [first, others @ ..] = &places[..]
            && !is_listed
        {
            faults.extend(others.iter().map(|place| {
                let what = format!("`{name}` is declared in {} too; say what it is of", first.path);
                TidyFault::line(&place.path, place.line, what)
            }));
        }
        if let Some(word) = words_of(&name).iter().find(|word| METAPHORS.contains(&word.as_str())) {
            faults.extend(places.iter().map(|place| {
                TidyFault::line(
                    &place.path,
                    place.line,
                    format!("`{name}`: `{word}` is a metaphor; use the field's word"),
                )
            }));
        }
    }
    faults
}

struct Declaration {
    path: String,
    line: usize,
}

/// Every type name that the rule is about, with where it is declared.
fn counted_types(sources: &[SourceFile]) -> BTreeMap<String, Vec<Declaration>> {
    let mut declared: BTreeMap<String, Vec<Declaration>> = BTreeMap::new();
    let is_code = |source: &&SourceFile| source.is(&["rs"]) && !speaks_a_protocol(&source.path);
    for source in sources.iter().filter(is_code) {
        // What does not parse does not compile, which other steps say better.
        let Ok(file) = syn::parse_file(&source.text) else { continue };
        let mut types = SharedTypes::default();
        types.visit_file(&file);
        for (name, line) in types.0 {
            declared.entry(name).or_default().push(Declaration { path: source.path.clone(), line });
        }
    }
    declared
}

/// Files whose types have the names that a protocol or a provider gave them.
fn speaks_a_protocol(path: &str) -> bool {
    ["crates/wire/", "crates/model/src/gemini/", "crates/model/src/openai/", "crates/model/src/anthropic/", "fuzz/"]
        .iter()
        .any(|protocol| path.starts_with(protocol))
}

/// Types that are not private to their file, without error and argument types.
#[derive(Default)]
struct SharedTypes(Vec<(String, usize)>);

impl SharedTypes {
    fn add(&mut self, name: &Ident, visibility: &Visibility) {
        let text = name.to_string();
        let is_exempt = ["Error", "Arguments", "Args"].iter().any(|ending| text.ends_with(ending));
        if !is_exempt && !matches!(visibility, Visibility::Inherited) {
            self.0.push((text, name.span().start().line));
        }
    }
}

impl<'ast> Visit<'ast> for SharedTypes {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident, &item.vis);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident, &item.vis);
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_name_that_two_files_declare_is_a_fault_in_the_second() {
        let sources = [
            source("crates/a/src/x.rs", "//! Head.\npub struct Answer;\nstruct Local;\n"),
            source(
                "crates/b/src/y.rs",
                "//! Head.\n\npub(crate) enum Answer {}\nstruct Local;\npub struct ReadError;\n",
            ),
            source("crates/b/src/z.rs", "pub struct ReadError;\n"),
            source("crates/wire/src/z.rs", "pub struct Answer;\n"),
        ];
        let what = "`Answer` is declared in crates/a/src/x.rs too; say what it is of";
        assert_eq!(check(&sources), [TidyFault::line("crates/b/src/y.rs", 3, what)]);
        assert_eq!(figures(&sources), TypeNameFigures { counted: 1, single_word: 1 });
    }

    #[test]
    fn a_metaphor_is_a_fault() {
        let sources = [source("crates/a/src/x.rs", "pub struct TaskShelf;\npub struct Shelfmark;\n")];
        let what = "`TaskShelf`: `shelf` is a metaphor; use the field's word";
        assert_eq!(check(&sources), [TidyFault::line("crates/a/src/x.rs", 1, what)]);
    }
}
