//! Words that say nothing about what a thing is are not names of files, modules or types.

use super::TidyFault;
use crate::repo::SourceFile;

const BANNED: &[&str] = &["core", "common", "util", "helper", "misc", "stuff", "base", "v2"];

/// The keywords before the name of a module or a type.
const DECLARES: &[&str] = &["struct", "enum", "union", "trait", "type", "mod"];

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let code = sources.iter().filter(|source| source.is(&["rs", "ts", "sh", "toml"]));
    code.flat_map(|source| path_fault(&source.path).into_iter().chain(declared_faults(source))).collect()
}

fn path_fault(path: &str) -> Option<TidyFault> {
    let word = path.split(['/', '_', '-', '.']).find_map(banned)?;
    Some(TidyFault::file(path, format!("`{word}` says nothing in a path; name the file for what it holds")))
}

fn declared_faults(source: &SourceFile) -> Vec<TidyFault> {
    if !source.is(&["rs"]) {
        return Vec::new();
    }
    let numbered = source.text.lines().enumerate();
    numbered
        .filter_map(|(index, line)| {
            let name = declared(line)?;
            let word = words_of(name).iter().find_map(|word| banned(word))?;
            let what = format!("`{name}`: `{word}` says nothing in a name; name it for what it is or does");
            Some(TidyFault::line(&source.path, index + 1, what))
        })
        .collect()
}

/// The module or type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let keyword = words.next()?;
    let name = words.next().filter(|_| DECLARES.contains(&keyword))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// `SessionHelper` and `session_helper` are both `session`, `helper`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn banned(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    BANNED.iter().copied().find(|banned| word == *banned || word.strip_suffix('s') == Some(banned))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn empty_words_are_found_in_paths_modules_and_types() {
        let text = "//! Head.\npub(crate) struct TaskHelper<T>(T);\nmod utils;\ntype ParserV2 = ();\n";
        let faults = check(&[source("crates/x/src/string_helpers.rs", text)]);
        let places = Vec::from_iter(faults.iter().map(|fault| (fault.line, fault.what.split(':').next().unwrap())));
        assert_eq!(
            places,
            [
                (None, "`helper` says nothing in a path; name the file for what it holds"),
                (Some(2), "`TaskHelper`"),
                (Some(3), "`utils`"),
                (Some(4), "`ParserV2`"),
            ]
        );
    }

    #[test]
    fn whole_words_only() {
        let text = "struct Basement;\nenum Scored { Core }\nmod database;\nlet helper = type_of(core);\n";
        assert_eq!(check(&[source("crates/x/src/rebase.rs", text)]), []);
    }
}
