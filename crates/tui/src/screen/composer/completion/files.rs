//! The paths that fit what was typed: those that begin with it, then names, then whatever holds its letters in order.

use super::{CompletionItem, CompletionSuffix, MatchQuality};
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use pollux_session::spell_mention;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most paths that are offered at once.
const PATHS_OFFERED: usize = 100;

/// The files of a workspace and the folders they are in.
#[derive(Debug)]
pub(super) struct CompletionFiles {
    files: Arc<Vec<String>>,
    folders: Vec<String>,
}

/// How well a path fits; less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PathMatch {
    Path,
    Name,
    Letters,
}

impl CompletionFiles {
    pub(super) fn new(files: Arc<Vec<String>>) -> CompletionFiles {
        let mut folders = BTreeSet::new();
        let mut before = "";
        for file in files.iter() {
            // Neighbours are mostly in the same folder.
            let folder = &file[..file.rfind('/').unwrap_or(0)];
            if std::mem::replace(&mut before, folder) == folder {
                continue;
            }
            for (at, _) in file.match_indices('/').filter(|(at, _)| at + 1 < file.len()) {
                folders.insert(&file[..=at]);
            }
        }
        let listed: BTreeSet<&str> = files.iter().map(String::as_str).filter(|path| path.ends_with('/')).collect();
        let folders = folders.difference(&listed).map(|&folder| folder.to_owned()).collect();
        CompletionFiles { files, folders }
    }

    /// What fits, the best first, and how many fit in all.
    pub(super) fn rows(&self, typed: &str, quote: Option<char>) -> (Vec<CompletionItem>, usize) {
        let all = self.files.iter().chain(&self.folders).map(String::as_str);
        // Inside a folder, the folder itself is no news.
        let all = all.filter(|path| !(typed.ends_with('/') && *path == typed));
        let mut fitting: Vec<_> = if typed.is_empty() {
            all.map(|path| (PathMatch::Path, depth(path), Reverse(0), path.len(), path)).collect()
        } else {
            match_paths(all, typed)
        };
        let of = fitting.len();
        if of > PATHS_OFFERED {
            fitting.select_nth_unstable(PATHS_OFFERED);
            fitting.truncate(PATHS_OFFERED);
        }
        match typed.is_empty() {
            true => fitting.sort_unstable_by_key(|&(_, deep, _, _, path)| (deep, path)),
            false => fitting.sort_unstable(),
        }
        (fitting.into_iter().map(|(_, _, _, _, path)| row(path, typed, quote)).collect(), of)
    }
}

type MatchedPath<'a> = (PathMatch, usize, Reverse<u32>, usize, &'a str);

fn match_paths<'a>(all: impl Iterator<Item = &'a str>, typed: &str) -> Vec<MatchedPath<'a>> {
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::new(typed, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
    let small = typed.to_lowercase();
    let mut letters = Vec::new();
    let each = all.filter_map(|path| {
        let score = pattern.score(Utf32Str::new(path, &mut letters), &mut matcher)?;
        Some(match () {
            () if begins(path, &small) => (PathMatch::Path, depth(path), Reverse(score), path.len(), path),
            () if begins(name(path), &small) => (PathMatch::Name, depth(path), Reverse(score), path.len(), path),
            () => (PathMatch::Letters, 0, Reverse(score), path.len(), path),
        })
    });
    each.collect()
}

fn row(path: &str, typed: &str, quote: Option<char>) -> CompletionItem {
    let then = if path.ends_with('/') { CompletionSuffix::Continue } else { CompletionSuffix::Blank };
    let like =
        if path == typed && then == CompletionSuffix::Blank { MatchQuality::Exact } else { MatchQuality::Letters };
    CompletionItem {
        name: path.to_owned(),
        about: String::new(),
        text: spell_mention(path, quote, then == CompletionSuffix::Continue),
        suffix: then,
        quality: like,
    }
}

fn begins(text: &str, small: &str) -> bool {
    let mut letters = text.chars().flat_map(char::to_lowercase);
    small.chars().all(|letter| letters.next() == Some(letter))
}

/// The last part of a path.
fn name(path: &str) -> &str {
    let path_only = path.trim_end_matches('/');
    &path[path_only.rfind('/').map_or(0, |at| at + 1)..]
}

fn depth(path: &str) -> usize {
    path.trim_end_matches('/').matches('/').count()
}
