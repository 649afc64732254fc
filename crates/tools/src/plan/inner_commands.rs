//! Programs that another one starts with some of its words: `git log` in `nice git log`. Policy says which words those are. Each is
//! judged as it would be alone, and told the same.

use super::left_out::LeftOutNames;
use super::{PlanObjection, PlanResolver, ResolvedWord, WordRole};
use crate::process::RunnableWord;
use pollux_session::{InnerCommand, PlannedCommand, PlannedWord};

impl PlanResolver<'_> {
    /// The words behind the name of `command`, ready to run, with what the programs that it starts are told besides.
    pub(super) fn resolved_words(
        &self,
        command: &PlannedCommand,
        left_out: &mut LeftOutNames,
    ) -> Result<Vec<ResolvedWord>, PlanObjection> {
        let mut words = Vec::new();
        let mut at = 1;
        while let Some(word) = command.words.get(at) {
            if let Some(inner) = command.runs.iter().find(|inner| inner.at == at) {
                let told = self.tell_inner(command, inner, left_out)?;
                words.extend(told.into_iter().map(|word| ResolvedWord { word, role: WordRole::Option }));
                at += inner.command.words.len().max(1);
                continue;
            }
            let is_operand = command.reads.iter().any(|read| read.word == Some(at));
            let role = match (is_operand, word.is_pattern()) {
                (true, true) => WordRole::FoundName,
                (true, false) => WordRole::Operand,
                (false, _) => WordRole::Option,
            };
            words.extend(self.words_of(word)?.into_iter().map(|word| ResolvedWord { word, role }));
            at += 1;
        }
        Ok(words)
    }

    /// What `inner`, which `outer` starts, is told: its name first.
    fn tell_inner(
        &self,
        outer: &PlannedCommand,
        inner: &InnerCommand,
        left_out: &mut LeftOutNames,
    ) -> Result<Vec<RunnableWord>, PlanObjection> {
        let InnerCommand { at, command } = inner;
        let name = command.words.first().and_then(PlannedWord::literal);
        let name = name.ok_or_else(|| PlanObjection::new("which program it starts is known only when it runs"))?;
        let own_words = outer.words.get(1..*at).unwrap_or_default();
        if let Some(directory) = self.directories_named(own_words)?.first() {
            let why = format!("`{name}` may run in {}, where it is not judged", directory.display());
            return Err(PlanObjection::new(why));
        }
        self.check_reads(command)?;
        let words = self.resolved_words(command, left_out)?;
        let told = self.tell(command, name, words, left_out)?;
        match told.environment.is_empty() {
            true => Ok(told.words),
            // The other one may give it an environment of its own.
            false => {
                Err(PlanObjection::new(format!("`{name}` cannot be kept to this repository behind another program")))
            }
        }
    }
}
