//! Every crate takes its lints from the workspace.

use super::TidyFault;
use crate::repo::SourceFile;

pub(super) fn check(sources: &[SourceFile]) -> Vec<TidyFault> {
    let crates = sources.iter().filter(|source| source.path.ends_with("/Cargo.toml"));
    let deaf = crates.filter(|source| !inherits(&source.text));
    deaf.map(|source| TidyFault::file(&source.path, "add `[lints]` with `workspace = true`")).collect()
}

/// True if the `[lints]` table says `workspace = true`.
fn inherits(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines.find(|line| !line.is_empty()).is_some_and(|line| line.replace(' ', "") == "workspace=true")
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn a_crate_with_its_own_ideas_about_lints_is_a_fault() {
        let sources = [
            source("Cargo.toml", "[workspace]\n"),
            source("crates/good/Cargo.toml", "[package]\n\n[lints]\nworkspace = true\n"),
            source("crates/none/Cargo.toml", "[package]\nname = \"none\"\n"),
            source("crates/own/Cargo.toml", "[lints]\nrust.unsafe_code = \"allow\"\n\n[x]\nworkspace = true\n"),
        ];
        let what = "add `[lints]` with `workspace = true`";
        assert_eq!(
            check(&sources),
            [TidyFault::file("crates/none/Cargo.toml", what), TidyFault::file("crates/own/Cargo.toml", what)]
        );
    }
}
