//! Whether the arguments of some program hold a command that a rule limits.

use super::{CommandTest, RuleMatch};
use crate::policy_request::PolicyDecision;
use crate::shell::CommandMentions;

impl CommandTest {
    /// What in `mentions` may be the command that a rule with this test asks about or denies.
    pub(crate) fn find_mention(&self, decision: PolicyDecision, mentions: &CommandMentions) -> Option<String> {
        let in_order = self.prefixes.iter().find(|prefix| holds_in_order(&mentions.text, prefix));
        let by_name = || in_order.map(|prefix| prefix.join(" "));
        let by_pattern = || {
            let names = || self.prefixes.iter().filter_map(|prefix| prefix.first());
            let pattern = mentions.patterns.iter().find(|pattern| names().any(|name| may_stand_for(pattern, name)));
            pattern.cloned()
        };
        let by_regex = || {
            let found = self.mentioned.as_ref().and_then(|regex| regex.find(&mentions.text));
            found.map(|found| found.as_str().trim().to_owned())
        };
        let by_words = || {
            let is_limited = |part: &&crate::shell::SimpleCommand| {
                self.prefixes.iter().any(|prefix| self.matches_prefix(decision, prefix, part) != RuleMatch::No)
            };
            mentions.commands.iter().find(is_limited).map(|part| part.text.clone())
        };
        by_words().or_else(by_name).or_else(by_regex).or_else(by_pattern)
    }
}

/// Whether the words of `prefix` stand in `text` in their order, whatever is between them. Options among them are passed by: they
/// can be written in many ways.
fn holds_in_order(text: &str, prefix: &[String]) -> bool {
    let mut words = prefix.iter().filter(|word| !word.starts_with('-')).peekable();
    let mut rest = text;
    while let Some(word) = words.next() {
        match behind_name(rest, word, words.peek().is_none()) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

/// What stands behind the first place of `name` in `text` where it is a word of its own. Unless it is the last one, a dash may lead
/// to the next (`git-push`).
fn behind_name<'t>(text: &'t str, name: &str, is_last: bool) -> Option<&'t str> {
    let is_in_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let begins = |at: usize| !text[..at].ends_with(is_in_word) || !name.starts_with(is_in_word);
    // `rm.txt` and `curl-test.py` are other names.
    let ends = |behind: &str| {
        let next = behind.strip_prefix(['.', '-']).filter(|_| is_last).unwrap_or(behind);
        !next.starts_with(is_in_word)
    };
    let place = text.match_indices(name).find(|(at, _)| begins(*at) && ends(&text[at + name.len()..]));
    place.map(|(at, _)| &text[at + name.len()..])
}

/// Whether the word that is written `pattern` may turn out to be the program `name`, wherever that lies. A word of which nothing is
/// known may be anything, and is passed by.
fn may_stand_for(pattern: &str, name: &str) -> bool {
    let pattern = pattern.trim_matches(['"', '\'']);
    let fixed_end = pattern.find(['$', '`']).unwrap_or(pattern.len());
    let (fixed, expansion) = pattern.split_at(fixed_end);
    let last = fixed.rsplit('/').next().unwrap_or_default();
    if fixed.is_empty() {
        return false;
    }
    // What a brace or a bracket stands for is not looked at.
    let end = last.find(['[', '{', '~', '\\']).unwrap_or(last.len());
    let is_open = end < last.len() || !expansion.is_empty();
    matches_glob(&last.as_bytes()[..end], name.as_bytes(), is_open)
}

/// Whether `glob` matches `name`, or its beginning if more may follow.
fn matches_glob(glob: &[u8], name: &[u8], is_open: bool) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut again = None;
    loop {
        match (glob.get(at), name.get(from)) {
            (Some(b'*'), _) => {
                at += 1;
                again = Some((at, from));
            }
            (Some(b'?'), Some(_)) => (at, from) = (at + 1, from + 1),
            (Some(wanted), Some(found)) if wanted == found => (at, from) = (at + 1, from + 1),
            (None, None) => return true,
            (None, Some(_)) if is_open => return true,
            _ => match again {
                Some((after, start)) if start < name.len() => {
                    again = Some((after, start + 1));
                    (at, from) = (after, start + 1);
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_limit_are_found_in_their_order() {
        let holds = |text: &str, prefix: &str| {
            let prefix: Vec<String> = prefix.split(' ').map(str::to_owned).collect();
            holds_in_order(text, &prefix)
        };
        for (text, prefix) in [
            ("exec q-rm v4-", "rm"),
            ("os.system(\"git -C . -c user.name=x -c user.email=y push o\")", "git push"),
            ("/usr/lib/git-core/git-push", "git push"),
            ("x;apt-get y", "apt-get"),
            ("x rmx rm", "rm"),
            ("x rm -r -f", "rm -rf"),
        ] {
            assert!(holds(text, prefix), "{text}: {prefix}");
        }
        for (text, prefix) in
            [("rm.txt curl-test.py", "rm"), ("rm_x xrm rmx", "rm"), ("push git", "git push"), ("curl-test.py", "curl")]
        {
            assert!(!holds(text, prefix), "{text}: {prefix}");
        }
    }

    #[test]
    fn a_pattern_may_stand_for_a_program() {
        for pattern in ["/bin/r?", "r*", "*", "/bin/[r]m", "/bin/{rm,x}", "/bin/$x", "r$x", "'r'*m"] {
            assert_eq!(may_stand_for(pattern, "rm"), pattern != "'r'*m", "{pattern}");
        }
        for pattern in ["*.c", "src/*.rs", "$x", "\"$f\"", "x$y", "/bin/l?", "rm?"] {
            assert!(!may_stand_for(pattern, "rm"), "{pattern}");
        }
    }
}
