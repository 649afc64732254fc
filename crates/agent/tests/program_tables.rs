//! The options of programs that only look, as policy's own tables have them.

use std::collections::BTreeMap;

const TABLES: &str = include_str!("../../policy/src/programs.toml");

/// What the file has under a program's name.
type TableRow = BTreeMap<String, serde_json::Value>;

/// The tables of all programs.
pub(crate) struct ProgramTables(BTreeMap<String, TableRow>);

impl ProgramTables {
    pub(crate) fn read() -> ProgramTables {
        ProgramTables(toml_edit::de::from_str(TABLES).unwrap())
    }

    /// Their names: `ls`, `git log`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether a table is the one of another program.
    pub(crate) fn is_copy(&self, program: &str) -> bool {
        self.0[program].contains_key("like")
    }

    /// What one key of a table says, in words.
    pub(crate) fn words(&self, program: &str, key: &str) -> Vec<String> {
        let text = self.0[program].get(key).and_then(|value| value.as_str()).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// All options of a program. One that takes a value has what `value_of` gives for its name, in as many words as it wants.
    pub(crate) fn options(&self, program: &str, value_of: impl Fn(&str) -> String) -> Vec<String> {
        let flags = self.words(program, "flags").into_iter().map(|flag| match flag.strip_suffix('=') {
            Some(name) if name.starts_with("--") => format!("{flag}{}", value_of(name)),
            Some(name) => format!("{name}{}", value_of(name)),
            None => flag,
        });
        let valued = |key: &str| self.words(program, key).into_iter().map(|name| format!("{name} {}", value_of(&name)));
        let twice = |key: &str| {
            self.words(program, key).into_iter().map(|name| format!("{name} {} {}", value_of(&name), value_of(&name)))
        };
        let recursive = self.words(program, "recursive");
        let single = flags.chain(valued("texts")).chain(valued("files")).chain(recursive);
        single.chain(twice("pairs")).chain(twice("named-files")).collect()
    }
}
