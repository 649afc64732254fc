//! Public types and functions say what they are for. Fields and variants may speak for themselves: a compiler that asks for a
//! sentence about `id` gets "Its id.".

use super::TidyFault;
use crate::repo::SourceFile;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Visibility};

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let is_public = |source: &&SourceFile| {
        source.is(&["rs"]) && source.path.starts_with("crates/") && source.path.contains("/src/")
    };
    let mut faults = Vec::new();
    for source in sources.iter().filter(is_public) {
        let Ok(file) = syn::parse_file(&source.text) else { continue };
        let mut items = Undocumented::default();
        items.visit_file(&file);
        faults.extend(items.0.into_iter().map(|(name, line)| {
            TidyFault::line(&source.path, line, format!("`{name}` is public; say in a sentence what it is for"))
        }));
    }
    faults
}

/// Public types and functions without a comment.
#[derive(Default)]
struct Undocumented(Vec<(String, usize)>);

impl Undocumented {
    fn look_at(&mut self, name: &Ident, visibility: &Visibility, attributes: &[Attribute]) {
        let has_doc = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        if matches!(visibility, Visibility::Public(_)) && !has_doc {
            self.0.push((name.to_string(), name.span().start().line));
        }
    }
}

impl<'ast> Visit<'ast> for Undocumented {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.look_at(&item.ident, &item.vis, &item.attrs);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.look_at(&item.ident, &item.vis, &item.attrs);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.look_at(&item.ident, &item.vis, &item.attrs);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.look_at(&item.sig.ident, &item.vis, &item.attrs);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.look_at(&item.sig.ident, &item.vis, &item.attrs);
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn public_types_and_functions_have_a_sentence() {
        let text = "/// A thing.\npub struct Told { pub id: u8 }\npub struct Untold;\npub(crate) struct Inner;\n\
                    impl Told { pub fn say(&self) {} fn whisper(&self) {} }\n#[cfg(test)]\nmod tests { pub fn room() {} }\n";
        let sources = [source("crates/a/src/x.rs", text), source("crates/a/tests/y.rs", "pub struct Untold;\n")];
        let what = |name: &str| format!("`{name}` is public; say in a sentence what it is for");
        assert_eq!(
            check(&sources),
            [
                TidyFault::line("crates/a/src/x.rs", 3, what("Untold")),
                TidyFault::line("crates/a/src/x.rs", 5, what("say")),
            ]
        );
    }
}
