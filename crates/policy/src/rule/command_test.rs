//! The part of a rule that speaks of shell commands.

use super::option_matching::{any_leading, any_option, any_outside, with_two_dashes};
use super::{RuleMatch, RuleSubject};
use super::{awk_script, git_command, sed_script};
use crate::built_in;
use crate::policy_request::PolicyDecision;
use crate::prefix_grant;
use crate::programs;
pub(crate) use crate::shell::SimpleCommand;
use crate::shell::{self, ShellWord};
use pollux_session::PlannedWord;
use regex::Regex;

/// Which shell commands a rule speaks of. At least one of the first three is there; the options narrow it down.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommandTest {
    /// The whole command, to the letter.
    pub(crate) exact: Option<String>,
    /// The words a sub-command begins with; any of them will do.
    pub(crate) prefixes: Vec<Vec<String>>,
    /// How a sub-command's text begins.
    pub(crate) regex: Option<Regex>,
    /// The same where it may stand in an argument of another program.
    pub(crate) mentioned: Option<Regex>,
    /// One of these options must be there.
    pub(crate) with: Vec<String>,
    /// One of these options must have a value that leads out of the workspace, or is the standard input.
    pub(crate) outside: Vec<String>,
    /// Options are the same with any number of dashes.
    pub(crate) any_dashes: bool,
    /// One of these options must stand before the first operand.
    pub(crate) leading: Vec<String>,
    /// None of these options may be there; for a rule that asks or denies, none may be the first word.
    pub(crate) without: Vec<String>,
    /// The command of git's must be none that is known.
    pub(crate) unlisted_git_command: bool,
    /// The script of sed's may do more than edit text.
    pub(crate) unclear_sed_script: bool,
    /// The script of awk's may run a program.
    pub(crate) unclear_awk_script: bool,
    /// An option must tell the program what to run.
    pub(crate) runs_option_text: bool,
    /// Programs that only look, by the names of their tables.
    pub(crate) programs: Vec<String>,
    /// For what a person granted when they were asked: the options they were shown. Others are not covered.
    pub(crate) shown_options: Option<Vec<String>>,
    /// Where it runs, as grants name directories.
    pub(crate) directory: Option<String>,
}

impl CommandTest {
    /// Whether the test holds for a part of a command. A rule that allows must be sure; for one that asks or denies, a word
    /// known only when the command runs is a maybe.
    pub(crate) fn matches(&self, decision: PolicyDecision, subject: &RuleSubject<'_>) -> RuleMatch {
        // Who allowed a command to the letter was shown where the call starts it.
        let here = if self.exact.is_some() { subject.started_in } else { subject.directory };
        if self.directory.is_some() && self.directory.as_deref() != here {
            return RuleMatch::No;
        }
        let sure = |yes: bool| if yes { RuleMatch::Yes } else { RuleMatch::No };
        if let Some(exact) = &self.exact {
            return sure(subject.whole == Some(exact.as_str()));
        }
        if !self.programs.is_empty() {
            return sure(subject.planned.is_some_and(|words| self.is_read_only(words)));
        }
        if let Some(options) = &self.shown_options {
            let covers = |words| {
                self.prefixes.iter().any(|prefix| prefix_grant::covers(prefix, options, words, subject.workspace))
            };
            return sure(subject.planned.is_some_and(covers));
        }
        let Some(part) = subject.part else { return RuleMatch::No };
        if self.runs_option_text {
            return sure(shell::runs_option_text(&part.words));
        }
        let is_found = |regex: &Regex| match decision {
            PolicyDecision::Allow => regex.is_match(&part.text) || regex.is_match(&part.plain_text()),
            PolicyDecision::Ask | PolicyDecision::Deny => {
                let spellings = subject.spellings.get_or_init(|| part.spellings());
                spellings.iter().any(|text| regex.is_match(text))
            }
        };
        if decision == PolicyDecision::Allow && self.prefixes.iter().any(|prefix| built_in::facts().names_task(prefix))
        {
            return self.allows_task(part, subject);
        }
        let held = match &self.regex {
            Some(regex) if is_found(regex) => self.matches_options(decision, part.words.get(1..).unwrap_or_default()),
            Some(_) => RuleMatch::No,
            None => self
                .prefixes
                .iter()
                .map(|prefix| self.matches_prefix(decision, prefix, part))
                .max()
                .unwrap_or(RuleMatch::No),
        };
        if decision == PolicyDecision::Allow && held == RuleMatch::Maybe { RuleMatch::No } else { held }
    }

    /// Whether one of the prefixes allows `part`. One that names a task covers no more than a person who is asked would: operands
    /// in the workspace and harmless options.
    fn allows_task(&self, part: &SimpleCommand, subject: &RuleSubject<'_>) -> RuleMatch {
        let is_allowed = |prefix: &Vec<String>| {
            let covers_rest = || self.words_beyond(prefix, subject).is_some_and(|words| words.is_empty());
            self.matches_prefix(PolicyDecision::Allow, prefix, part) == RuleMatch::Yes
                && (!built_in::facts().names_task(prefix) || covers_rest())
        };
        if self.prefixes.iter().any(is_allowed) { RuleMatch::Yes } else { RuleMatch::No }
    }

    /// What `prefix`, which names a task, does not cover of the command in question.
    fn words_beyond(&self, prefix: &[String], subject: &RuleSubject<'_>) -> Option<Vec<String>> {
        let words = &subject.part?.words;
        let known = || words.iter().map(|word| word.literal().map(PlannedWord::text)).collect::<Option<Vec<_>>>();
        match subject.planned {
            Some(planned) => prefix_grant::beyond_rule(prefix, planned, subject.workspace),
            None => prefix_grant::beyond_rule(prefix, &known()?, subject.workspace),
        }
    }

    /// The task that this test names and the command in question begins with, and the words beyond it that are not covered.
    pub(crate) fn find_words_beyond(&self, subject: &RuleSubject<'_>) -> Option<(String, Vec<String>)> {
        let mut tasks = self.prefixes.iter().filter(|prefix| built_in::facts().names_task(prefix));
        tasks.find_map(|prefix| Some((prefix.join(" "), self.words_beyond(prefix, subject)?)))
    }

    fn is_read_only(&self, words: &[PlannedWord]) -> bool {
        let is_named =
            programs::table_name(words).is_some_and(|name| self.programs.iter().any(|wanted| wanted == name));
        is_named && matches!(programs::reads_of(words), Some(Ok(_)))
    }

    pub(super) fn matches_prefix(
        &self,
        decision: PolicyDecision,
        prefix: &[String],
        part: &SimpleCommand,
    ) -> RuleMatch {
        let as_written = self.matches_words(decision, prefix, &part.words);
        let of_git = git_command::with_command(part).filter(|words| {
            // Such a program is none of the names that a repository's configuration has.
            let is_named = prefix.get(1).is_none_or(|wanted| words[1].literal() == Some(wanted));
            decision != PolicyDecision::Allow && !self.unlisted_git_command && is_named
        });
        as_written.max(of_git.map_or(RuleMatch::No, |words| self.matches_words(decision, prefix, &words)))
    }

    fn matches_words(&self, decision: PolicyDecision, prefix: &[String], words: &[ShellWord]) -> RuleMatch {
        let (begins, rest) = begins_with(words, prefix, decision);
        let is_unnamed = decision == PolicyDecision::Allow && sed_script::changes_files_unnamed(prefix, rest);
        if begins == RuleMatch::No || is_unnamed {
            RuleMatch::No
        } else {
            begins.min(self.matches_options(decision, rest))
        }
    }

    fn matches_options(&self, decision: PolicyDecision, words: &[ShellWord]) -> RuleMatch {
        let with = if self.with.is_empty() {
            RuleMatch::Yes
        } else {
            self.as_spelled(words, |words| any_option(&self.with, words))
        };
        let outside = if self.outside.is_empty() {
            RuleMatch::Yes
        } else {
            self.as_spelled(words, |words| any_outside(&self.outside, words))
        };
        let leading = if self.leading.is_empty() { RuleMatch::Yes } else { any_leading(&self.leading, words) };
        let without = match decision {
            PolicyDecision::Allow if any_option(&self.without, words) == RuleMatch::No => RuleMatch::Yes,
            PolicyDecision::Allow => RuleMatch::No,
            PolicyDecision::Ask | PolicyDecision::Deny if self.is_exempt(words) => RuleMatch::No,
            PolicyDecision::Ask | PolicyDecision::Deny => RuleMatch::Yes,
        };
        let unlisted = if self.unlisted_git_command { git_command::is_unlisted(words) } else { RuleMatch::Yes };
        let unclear = if self.unclear_sed_script { sed_script::is_unclear(words) } else { RuleMatch::Yes };
        let unclear_awk = if self.unclear_awk_script { awk_script::is_unclear(words) } else { RuleMatch::Yes };
        with.min(outside).min(leading).min(without).min(unlisted).min(unclear).min(unclear_awk)
    }

    /// What `held` says of the words, in the spelling of the program's options that it says most of.
    fn as_spelled(&self, words: &[ShellWord], held: impl Fn(&[ShellWord]) -> RuleMatch) -> RuleMatch {
        let as_written = held(words);
        if self.any_dashes { as_written.max(held(&with_two_dashes(words))) } else { as_written }
    }

    /// Whether an option makes an exception from a limit. Only the first word does, to the letter: a later one may be the value
    /// of another option, or an operand. `--no-get` takes `--get` back, wherever it stands.
    fn is_exempt(&self, words: &[ShellWord]) -> bool {
        let takes_back = |word: &ShellWord| word.literal().is_some_and(|text| text.starts_with("--no"));
        let is_taken_back = words.iter().any(takes_back);
        !is_taken_back
            && words
                .first()
                .and_then(ShellWord::literal)
                .is_some_and(|first| self.without.iter().any(|option| option == first))
    }
}

/// Whether `words` begin with `prefix`, and what stands behind it.
///
/// To allow, they must be exactly those. To ask or deny, a path before the program's name does not hide it, and words
/// that are unknown, or options in between (`git -C x push`), make it a maybe.
fn begins_with<'w>(
    words: &'w [ShellWord],
    prefix: &[String],
    decision: PolicyDecision,
) -> (RuleMatch, &'w [ShellWord]) {
    let no: (RuleMatch, &[ShellWord]) = (RuleMatch::No, &[]);
    let (Some((program, words)), Some((wanted, prefix))) = (words.split_first(), prefix.split_first()) else {
        return no;
    };
    let Some(name) = program.literal() else { return no };
    let strict = decision != PolicyDecision::Allow;
    let last = name.rsplit('/').next().unwrap_or(name);
    if name != wanted && !(strict && last == wanted) {
        return no;
    }
    let mut rest = words;
    for (index, wanted) in prefix.iter().enumerate() {
        match rest.split_first() {
            Some((word, behind)) if word.literal() == Some(wanted) => rest = behind,
            // `+nightly` chooses a toolchain, as an option would.
            Some((word, _)) if strict && word.literal().is_none_or(|text| text.starts_with(['-', '+'])) => {
                return hidden_behind_options(rest, &prefix[index..]).map_or(no, |behind| (RuleMatch::Maybe, behind));
            }
            // A name for the same command that some configuration has.
            _ if strict && last == "git" && git_command::is_unlisted(words) != RuleMatch::No => {
                return (RuleMatch::Maybe, words.get(prefix.len()..).unwrap_or_default());
            }
            _ => return no,
        }
    }
    (RuleMatch::Yes, rest)
}

/// What stands behind `wanted`, if those may be the words that count in `words` once options and their values are left out.
fn hidden_behind_options<'w>(words: &'w [ShellWord], wanted: &[String]) -> Option<&'w [ShellWord]> {
    wanted.iter().try_fold(words, |words, wanted| {
        let at = words.iter().position(|word| word.literal().is_none_or(|text| text == wanted))?;
        Some(&words[at + 1..])
    })
}
