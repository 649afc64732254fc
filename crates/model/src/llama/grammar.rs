//! The grammar of answers when tools are offered, in llama.cpp's notation (GBNF): words, or one call of a
//! tool with arguments of the right shape.
//!
//! Where a schema says more than the grammar can, the grammar allows more: the tool refuses what is wrong.

mod schema;

use super::form::{ARGS, SAY, TOOL};
use crate::model::ToolDeclaration;
use schema::Shapes;
use serde_json::Value;

/// Where the grammar begins.
pub(super) const ROOT: &str = "root";

/// Rules of every grammar. Control characters are written as escapes; a text has no half of a surrogate pair.
const JSON: &str = r#"string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u00" hex hex )
hex ::= [0-9a-fA-F]
integer ::= "-"? ( "0" | [1-9] [0-9]{0,15} )
number ::= integer ( "." [0-9]{1,15} )?
boolean ::= "true" | "false"
object ::= "{" ( string ": " value ( ", " string ": " value )* )? "}"
array ::= "[" ( value ( ", " value )* )? "]"
value ::= string | number | boolean | "null" | object | array
"#;

/// The grammar for these tools.
pub(super) fn grammar(tools: &[ToolDeclaration]) -> String {
    let mut rules = Rules::default();
    let mut answers = vec!["say".to_owned()];
    for tool in tools {
        let hint = hint(&tool.name);
        let args = Shapes::new(&tool.parameters, &mut rules).arguments(&format!("{hint}-args"));
        let head = literal(&format!("{TOOL}{}{ARGS}", Value::from(tool.name.as_str())));
        answers.push(rules.add(&format!("call-{hint}"), &format!("{head} {args} \"}}\"")));
    }
    let say = format!("{} \"\\\"\" char+ \"\\\"\" \"}}\"", literal(SAY));
    format!("{ROOT} ::= {}\nsay ::= {say}\n{}{JSON}", answers.join(" | "), rules.text)
}

/// Rules as they are found, each under a name of its own.
#[derive(Default)]
struct Rules {
    text: String,
    names: Vec<String>,
}

impl Rules {
    /// A name that no other rule has, like `wish`.
    fn reserve(&mut self, wish: &str) -> String {
        let taken = |name: &str| {
            matches!(name, "root" | "say")
                || JSON.contains(&format!("{name} ::="))
                || self.names.iter().any(|n| n == name)
        };
        let name = std::iter::once(wish.to_owned()).chain((2..).map(|number| format!("{wish}-{number}")));
        let name = name.into_iter().find(|name| !taken(name)).unwrap_or_default();
        self.names.push(name.clone());
        name
    }

    fn define(&mut self, name: &str, body: &str) {
        self.text.push_str(&format!("{name} ::= {body}\n"));
    }

    fn add(&mut self, wish: &str, body: &str) -> String {
        let name = self.reserve(wish);
        self.define(&name, body);
        name
    }
}

/// A text that stands as it is.
fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A name as rules may have it: letters, digits and dashes.
fn hint(name: &str) -> String {
    let plain = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let plain: String = plain.take(40).collect();
    let plain = plain.trim_matches('-');
    if plain.is_empty() { "x".to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests;
