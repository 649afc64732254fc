//! Names that stand in one table are written there and nowhere else: whoever treats a built-in tool in a special way matches
//! over the enum, and whoever wants to know what a model can do asks its `ModelInfo`, not its name.

use super::TidyFault;
use crate::repo::SourceFile;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, Lit, LitStr};

const TOOL_TABLE: &str = "crates/session/src/built_in_tool.rs";
/// Where the names of models are known.
const MODEL_TABLES: [&str; 2] = ["crates/model/src/provider.rs", "crates/model/src/gemini/names.rs"];
const MODEL_NAMES: [&str; 3] = ["gemini", "claude", "gpt"];
/// Texts that mean something else in a file, with their meaning there.
const OTHER_MEANINGS: [(&str, &str, &str); 2] = [
    ("crates/policy/src/rule_file.rs", "ask_user", "a decision in Gemini CLI's policy files"),
    ("crates/cli/src/config/fuzzing.rs", "read_file", "a settings file to begin with"),
];

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let table = sources.iter().find(|source| source.path == TOOL_TABLE);
    let tools = table.map(|table| tool_names(&table.text)).unwrap_or_default();
    let is_shipped = |source: &&SourceFile| {
        let is_program = source.path.starts_with("crates/") && source.path.contains("/src/");
        let is_test = ["/tests", "/testing", "crates/testkit/"].iter().any(|part| source.path.contains(part));
        source.is(&["rs"]) && is_program && !is_test && source.path != TOOL_TABLE
    };
    sources.iter().filter(is_shipped).flat_map(|source| check_source(source, &tools)).collect()
}

fn check_source(source: &SourceFile, tools: &[String]) -> Vec<TidyFault> {
    let Ok(file) = syn::parse_file(&source.text) else { return Vec::new() };
    let mut literals = TableNames { tools, tool_names: Vec::new(), model_names: Vec::new() };
    literals.visit_file(&file);
    let is_other =
        |name: &str| OTHER_MEANINGS.iter().any(|(path, meant, _)| source.path == *path && name.contains(meant));
    let tools = literals.tool_names.into_iter().filter(|(_, name)| !is_other(name)).map(|(line, name)| {
        TidyFault::line(&source.path, line, format!("the tool's name {name:?} is in a table: use `BuiltInTool`"))
    });
    let models = literals.model_names.into_iter().filter(|_| !MODEL_TABLES.contains(&source.path.as_str()));
    let models = models.map(|(line, name)| {
        let what = format!("what begins with {name:?} says nothing here: ask `ModelInfo` or `Provider`");
        TidyFault::line(&source.path, line, what)
    });
    tools.chain(models).collect()
}

/// The names in the table that are no ordinary words.
fn tool_names(table: &str) -> Vec<String> {
    let shipped = table.split("#[cfg(test)]").next().unwrap_or_default();
    let is_name = |text: &&str| text.contains('_') && text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    shipped.split('"').skip(1).step_by(2).filter(is_name).map(str::to_owned).collect()
}

/// The names that a file writes, with their lines.
struct TableNames<'a> {
    tools: &'a [String],
    tool_names: Vec<(usize, String)>,
    model_names: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for TableNames<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        if self.tools.contains(&text.value()) {
            self.tool_names.push((text.span().start().line, text.value()));
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let first = match call.args.first() {
            Some(Expr::Lit(first)) => match &first.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        };
        if (call.method == "starts_with" || call.method == "strip_prefix")
            && let Some(text) = first.filter(|text| MODEL_NAMES.iter().any(|name| text.starts_with(name)))
        {
            self.model_names.push((call.method.span().start().line, text));
        }
        visit::visit_expr_method_call(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_name_outside_its_table_is_found() {
        let table = source(TOOL_TABLE, "fn a() { match b { C => (\"read_file\", D), E => (\"glob\", F) } }\n");
        let text = "fn f(a: &str) { a == \"read_file\"; a == \"glob\"; }\n\
                    fn g(a: &str) { a.starts_with(\"gemini-2\"); }\n\
                    mod tests { const A: &str = \"read_file\"; }\n";
        let others = ["crates/a/src/b.rs", "crates/a/src/b/tests.rs", "crates/a/tests/b.rs", MODEL_TABLES[1]];
        let mut sources: Vec<_> = others.map(|path| source(path, text)).into();
        sources.push(table);
        let lines: Vec<_> = check(&sources).into_iter().map(|fault| (fault.path, fault.line)).collect();
        let at = |path: &str, line| (path.to_owned(), Some(line));
        assert_eq!(lines, [at(others[0], 1), at(others[0], 2), at(MODEL_TABLES[1], 1)]);
    }
}
