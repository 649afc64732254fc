//! Relative links in Markdown lead to files that are there.

use super::TidyFault;
use crate::repo::SourceFile;

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let pages = sources.iter().filter(|source| source.is(&["md"]));
    pages
        .flat_map(|page| {
            let links = links(&page.text);
            links.into_iter().filter(|(_, target)| !exists(sources, page, target)).map(|(line, target)| {
                TidyFault::line(&page.path, line, format!("the link to `{target}` leads nowhere"))
            })
        })
        .collect()
}

/// Targets of `[text](target)` outside code, with their lines; addresses and anchors of the page itself left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut links = Vec::new();
    for (index, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        // Between an odd and the next backtick is code.
        let prose: String =
            if fenced { String::new() } else { line.split('`').step_by(2).collect::<Vec<_>>().join("`") };
        for rest in prose.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains(':') {
                links.push((index + 1, file.to_owned()));
            }
        }
    }
    links
}

fn exists(sources: &[SourceFile], page: &SourceFile, target: &str) -> bool {
    let mut path = Vec::from_iter(page.path.split('/'));
    path.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if path.pop().is_none() => return false,
            ".." => {}
            part => path.push(part),
        }
    }
    let path = path.join("/");
    sources.iter().any(|source| {
        source.path.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || path.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_link_to_nothing_is_a_fault() {
        let page = "[here](ARCHITECTURE.md#words) [up](../README.md) [room](../crates/wire) [web](https://a.b/c)\n\
                    [gone](GONE.md) `[code](X.md)` [out](../../x)\n```\n[fenced](Y.md)\n```\n[self](#a)\n";
        let sources = [
            source("README.md", "[docs](docs/PAGE.md)\n"),
            source("crates/wire/src/lib.rs", ""),
            source("docs/ARCHITECTURE.md", ""),
            source("docs/PAGE.md", page),
        ];
        assert_eq!(
            check(&sources),
            [
                TidyFault::line("docs/PAGE.md", 2, "the link to `GONE.md` leads nowhere"),
                TidyFault::line("docs/PAGE.md", 2, "the link to `../../x` leads nowhere"),
            ]
        );
    }
}
