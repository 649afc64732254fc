//! The commands that fit what was typed, with what they take and what they do.

use super::{ArgumentValue, CompletionItem, CompletionSuffix, MatchQuality};
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use pollux_session::CommandInfo;
use std::cmp::Reverse;

/// The values that fit as the argument after the words `above`, in their order.
pub(super) fn value_rows(values: &[ArgumentValue], above: &[String], word: &str) -> Vec<CompletionItem> {
    values.iter().filter(|offer| offer.after == above).filter_map(|offer| value_row(offer, word)).collect()
}

fn value_row(offer: &ArgumentValue, word: &str) -> Option<CompletionItem> {
    let small = word.to_lowercase();
    let is_named = !offer.value.starts_with(word) && offer.name.to_lowercase().starts_with(&small);
    // Whoever has begun the name goes on with it.
    let text = if is_named { &offer.name } else { &offer.value };
    let quality = match () {
        () if text == word => MatchQuality::Exact,
        () if text.to_lowercase().starts_with(&small) => MatchQuality::Begins,
        () if offer.about.to_lowercase().contains(&small) => MatchQuality::Letters,
        () => return None,
    };
    let suffix = CompletionSuffix::Nothing;
    Some(CompletionItem { name: text.clone(), about: offer.about.clone(), text: text.clone(), suffix, quality })
}

/// The commands that fit, the best first. `above` are the words before.
pub(super) fn command_rows(commands: &[CommandInfo], above: &[String], word: &str) -> Vec<CompletionItem> {
    let path: Vec<&str> = above.iter().map(String::as_str).collect();
    let here = match path.as_slice() {
        [] => commands,
        path => CommandInfo::at(commands, path).map_or(&[][..], |command| &command.subcommands),
    };
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::new(word, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut letters = Vec::new();
    let mut fitting: Vec<_> = here
        .iter()
        .enumerate()
        .filter_map(|(at, command)| {
            let score = pattern.score(Utf32Str::new(&command.name, &mut letters), &mut matcher)?;
            Some((!begins(command, word), Reverse(score), at, command))
        })
        .collect();
    fitting.sort_unstable_by_key(|(far, score, at, _)| (*far, *score, *at));
    fitting.into_iter().map(|(_, _, _, command)| row(command, path.is_empty(), word)).collect()
}

fn begins(command: &CommandInfo, word: &str) -> bool {
    command.name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn row(command: &CommandInfo, first: bool, word: &str) -> CompletionItem {
    let slash = if first { "/" } else { "" };
    let takes = command.arguments.iter().map(|argument| match argument.required {
        true => format!(" {}", argument.name.to_uppercase()),
        false => format!(" [{}]", argument.name.to_uppercase()),
    });
    let then = match () {
        () if !command.subcommands.is_empty() => CompletionSuffix::Continue,
        () if !command.arguments.is_empty() => CompletionSuffix::Blank,
        () => CompletionSuffix::Nothing,
    };
    CompletionItem {
        name: format!("{slash}{}{}", command.name, takes.collect::<String>()),
        about: command.description.clone(),
        text: format!("{slash}{}", command.name),
        suffix: then,
        quality: match () {
            () if command.name == word => MatchQuality::Exact,
            () if begins(command, word) && !word.is_empty() => MatchQuality::Begins,
            () => MatchQuality::Letters,
        },
    }
}
