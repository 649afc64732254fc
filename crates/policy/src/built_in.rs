//! What comes with Pollux, as data: `built_in.toml`.

use crate::rule::PolicyRule;
use crate::rule::RuleTier;
use crate::rule_file::{self, RuleSource};
use crate::rule_origin::PolicyProblem;
use pollux_session::PlannedWord;
use std::sync::LazyLock;

const TEXT: &str = include_str!("built_in.toml");

/// What stands behind the name of an option whose value, if it has one, is attached to it.
const ATTACHED: &str = "[=]";

static LOADED: LazyLock<(rule_file::ParsedRules, ShellFacts)> = LazyLock::new(|| {
    let parsed = rule_file::parse(TEXT, &RuleSource::BuiltIn, RuleTier::Default, None);
    let facts =
        TEXT.parse::<toml_edit::DocumentMut>().map(|document| ShellFacts::from_document(&document)).unwrap_or_default();
    (parsed, facts)
});

/// The rules.
pub(crate) fn rules() -> &'static [PolicyRule] {
    &LOADED.0.rules
}

/// What is wrong with them: nothing, says a test.
pub(crate) fn problems() -> &'static [PolicyProblem] {
    &LOADED.0.problems
}

/// What the shell reader knows.
pub(crate) fn facts() -> &'static ShellFacts {
    &LOADED.1
}

/// Data the shell reader goes by.
#[derive(Debug, Default)]
pub(crate) struct ShellFacts {
    safe_variables: Vec<String>,
    prefixes: Vec<Vec<String>>,
    git_commands: Vec<String>,
    /// The words that a command begins with, and options of such a command that run nothing and read nothing new.
    harmless_options: Vec<(Vec<String>, Vec<String>)>,
}

impl ShellFacts {
    fn from_document(document: &toml_edit::DocumentMut) -> ShellFacts {
        let strings = |key: &str| -> Vec<String> {
            let array = document.get("shell").and_then(|shell| shell.get(key)).and_then(|item| item.as_array());
            array.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let split = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let harmless =
            document.get("shell").and_then(|shell| shell.get("harmlessOptions")).and_then(|item| item.as_table());
        let harmless_options = harmless
            .into_iter()
            .flatten()
            .filter_map(|(words, options)| Some((split(words), split(options.as_str()?))));
        ShellFacts {
            safe_variables: strings("safeVariables"),
            prefixes: strings("prefixes").iter().map(|text| split(text)).collect(),
            git_commands: strings("gitCommands"),
            harmless_options: harmless_options.collect(),
        }
    }

    /// Whether setting a variable changes nothing that matters.
    pub(crate) fn is_safe_variable(&self, name: &str) -> bool {
        self.safe_variables.iter().any(|safe| safe == name)
    }

    /// Whether git has a command of this name that runs no program which it is told of.
    pub(crate) fn is_git_command(&self, name: &str) -> bool {
        self.git_commands.iter().any(|command| command == name)
    }

    /// Whether an option of commands that begin with `prefix`, with this `value` attached, neither runs another program nor
    /// reads another file. One that stands alone has no value: `--ignore-scripts=false` is another thing.
    pub(crate) fn is_harmless_option(&self, prefix: &[String], name: &str, value: Option<&str>) -> bool {
        self.options_of(prefix).any(|option| match (option.strip_suffix(ATTACHED), option.split_once('='), value) {
            (Some(listed), ..) | (None, Some((listed, "")), _) => listed == name,
            (None, Some((listed, only)), Some(value)) => listed == name && only == value,
            (None, None, None) => option == name,
            (None, Some(_), None) | (None, None, Some(_)) => false,
        })
    }

    /// Whether the value of the harmless option `name`, with none attached, is the next word.
    pub(crate) fn takes_next_word(&self, prefix: &[String], name: &str) -> bool {
        self.options_of(prefix).any(|option| option.strip_suffix('=') == Some(name))
    }

    fn options_of<'a>(&'a self, prefix: &'a [String]) -> impl Iterator<Item = &'a str> {
        let fitting = self.harmless_options.iter().filter(|(words, _)| prefix.starts_with(words));
        fitting.flat_map(|(_, options)| options.iter().map(String::as_str))
    }

    /// Whether commands that begin with `prefix` are such as a standing permission may cover, and `prefix` names all of what they
    /// do, but for the name of a script (`npm run`). The bare name of a program that has commands (`cargo`) says more than that: all
    /// of them, with whatever they are told.
    pub(crate) fn names_task(&self, prefix: &[String]) -> bool {
        let fits = |task: &Vec<String>| {
            let is_word =
                |(wanted, word): (&String, &String)| if wanted == "*" { is_verb(word) } else { wanted == word };
            let is_open = task.iter().skip(prefix.len()).all(|wanted| wanted == "*");
            is_open && task.iter().zip(prefix).all(is_word)
        };
        let has_commands = |task: &Vec<String>| task.len() > 1 && task.first() == prefix.first();
        let is_bare = prefix.len() == 1 && self.prefixes.iter().any(has_commands);
        !is_bare && self.prefixes.iter().any(fits)
    }

    /// The longest beginning of `words` that a standing permission may cover.
    pub(crate) fn prefix_of(&self, words: &[PlannedWord]) -> Option<Vec<String>> {
        let fitting = self.prefixes.iter().filter_map(|prefix| {
            let taken = words.get(..prefix.len())?;
            let texts: Option<Vec<&str>> = taken.iter().map(PlannedWord::literal).collect();
            let texts = texts?;
            let fits = prefix.iter().zip(&texts).all(|(wanted, text)| match wanted.as_str() {
                "*" => is_verb(text),
                wanted => wanted == *text,
            });
            fits.then(|| texts.into_iter().map(str::to_owned).collect::<Vec<String>>())
        });
        fitting.max_by_key(Vec::len)
    }
}

/// Whether a word can be the name of something to do: no option, no path.
fn is_verb(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_alphabetic())
        && word.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RuleFirmness;
    use pollux_session::{ApprovalMode, BuiltInTool};
    use pretty_assertions::assert_eq;
    use toml_edit::DocumentMut;

    #[test]
    fn every_tool_that_a_rule_names_is_in_the_table() {
        let text: DocumentMut = TEXT.parse().unwrap();
        let rules = text["rule"].as_array_of_tables().unwrap();
        let named = rules.iter().filter_map(|rule| rule.get("toolName"));
        let names = named.flat_map(|named| match named.as_array() {
            Some(several) => several.iter().map(|one| one.as_str().unwrap()).collect(),
            None => vec![named.as_str().unwrap()],
        });
        let unknown: Vec<&str> = names.filter(|name| *name != "*" && BuiltInTool::from_name(name).is_none()).collect();
        assert!(unknown.is_empty(), "there is no tool {unknown:?}");
    }

    #[test]
    fn the_built_in_rules_are_in_order() {
        assert_eq!(problems(), []);
        assert_eq!(rules().len(), 86);
        assert!(facts().is_safe_variable("NO_COLOR") && !facts().is_safe_variable("PATH"));
    }

    #[test]
    fn what_is_firm_is_so_in_every_mode_but_yolo() {
        for rule in rules().iter().filter(|rule| rule.firmness != RuleFirmness::Ordinary) {
            for mode in [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan] {
                let is_in_force = [true, false].iter().any(|trusted| rule.is_in_force(mode, *trusted));
                assert!(is_in_force, "{mode:?}: {}", rule.describe_reason("x"));
            }
        }
    }

    #[test]
    fn the_longest_prefix_is_offered_and_no_other() {
        let prefix = |command: &str| -> Option<String> {
            let words: Vec<PlannedWord> = command.split_whitespace().map(PlannedWord::text).collect();
            facts().prefix_of(&words).map(|words| words.join(" "))
        };
        for (command, offered) in [
            ("npm test -- --watch", Some("npm test")),
            ("npm run build:all", Some("npm run build:all")),
            ("npm run", None),
            ("make", Some("make")),
            ("make all", Some("make all")),
            ("make -j4", Some("make")),
            ("cargo test", Some("cargo test")),
            ("cargo ../x", None),
            ("cargo", None),
            ("curl example.org", None),
            ("bash x.sh", None),
            ("python -c x", None),
        ] {
            assert_eq!(prefix(command).as_deref(), offered, "{command}");
        }
    }
}
