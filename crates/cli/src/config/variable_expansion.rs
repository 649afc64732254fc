//! `$VAR`, `${VAR}` and `${VAR:-otherwise}` in the texts of a settings file. What comes out is not looked at again, so a
//! variable's value can smuggle nothing in.

use super::jsonc::{NodeContent, NodeField, SettingsNode, TextPosition};

#[cfg(test)]
mod tests;

/// A variable that a text names and nobody has set; the text keeps its `$NAME`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnsetVariable {
    pub(crate) name: String,
    pub(crate) at: TextPosition,
}

/// Expand every text below `fields` and say which variables were not set.
pub(crate) fn expand_all(fields: &mut [NodeField], lookup: &dyn Fn(&str) -> Option<String>) -> Vec<UnsetVariable> {
    let mut unset = Vec::new();
    for field in fields {
        expand_node(&mut field.value, lookup, &mut unset);
    }
    unset
}

fn expand_node(node: &mut SettingsNode, lookup: &dyn Fn(&str) -> Option<String>, unset: &mut Vec<UnsetVariable>) {
    match &mut node.content {
        NodeContent::Text(text) => {
            let mut missing = Vec::new();
            *text = expand(text, lookup, &mut missing);
            unset.extend(missing.into_iter().map(|name| UnsetVariable { name, at: node.at }));
        }
        NodeContent::List(nodes) => nodes.iter_mut().for_each(|node| expand_node(node, lookup, unset)),
        NodeContent::Object(fields) => fields.iter_mut().for_each(|field| expand_node(&mut field.value, lookup, unset)),
        NodeContent::Null | NodeContent::Flag(_) | NodeContent::Number(_) => {}
    }
}

fn expand(text: &str, lookup: &dyn Fn(&str) -> Option<String>, missing: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        out.push_str(&rest[..dollar]);
        rest = &rest[dollar..];
        let Some(reference) = VariableReference::at_start(rest) else {
            out.push('$');
            rest = &rest[1..];
            continue;
        };
        let found = lookup(reference.name);
        // As in a shell, `:-` also stands in for a variable that is set and empty.
        let found = found.filter(|value| reference.otherwise.is_none() || !value.is_empty());
        match found.as_deref().or(reference.otherwise) {
            Some(value) => out.push_str(value),
            None => {
                missing.push(reference.name.to_owned());
                out.push_str(&rest[..reference.len]);
            }
        }
        rest = &rest[reference.len..];
    }
    out + rest
}

/// A variable as a text names it.
struct VariableReference<'a> {
    name: &'a str,
    otherwise: Option<&'a str>,
    /// Bytes from the dollar to its end.
    len: usize,
}

impl<'a> VariableReference<'a> {
    /// The reference that `text`, which begins with a dollar, begins with. A dollar before anything else is a dollar.
    fn at_start(text: &'a str) -> Option<Self> {
        let after = &text[1..];
        if let Some(inside) = after.strip_prefix('{') {
            let inside = &inside[..inside.find('}')?];
            let (name, otherwise) = match inside.split_once(":-") {
                Some((name, otherwise)) => (name, Some(otherwise)),
                None => (inside, None),
            };
            return (name_len(name) == name.len() && !name.is_empty()).then_some(VariableReference {
                name,
                otherwise,
                len: inside.len() + "${}".len(),
            });
        }
        let len = name_len(after);
        (len > 0).then(|| VariableReference { name: &after[..len], otherwise: None, len: len + 1 })
    }
}

/// The length of the beginning of `text` that can be a variable's name.
fn name_len(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())
}
