//! The plan of a command whose every part is allowed: what was judged, ready to run.

use super::{AllowedScope, ProvisionalFinding};
use crate::directory;
use crate::programs;
use crate::shell::{self, ShellWord};
use crate::silent::{SilentCommand, SilentScript};
use pollux_session::{
    CommandPlan, InnerCommand, PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRead, PlannedRedirection,
    ReadKind,
};
use std::ops::Range;

/// How many programs may each start the next one.
const MAX_INNER: usize = 5;

/// The plan of `script`, started in `directory` of a workspace that is `trusted` or not; `opinions` has one for each of its commands, in order.
pub(super) fn build(
    script: &SilentScript,
    directory: &str,
    trusted: bool,
    opinions: &[ProvisionalFinding],
) -> CommandPlan {
    let mut opinions = opinions.iter();
    let mut planned = |command: &SilentCommand| {
        let authority = match opinions.next().map(|opinion| opinion.scope) {
            Some(AllowedScope::Part(authority)) => authority,
            // Checked and confined is the safe side.
            Some(AllowedScope::Whole) | None => PlanAuthority::BuiltIn,
        };
        plan_command(command, authority)
    };
    let pipelines = script.pipelines.iter().map(|pipeline| PlannedPipeline {
        condition: pipeline.condition,
        commands: pipeline.commands.iter().map(&mut planned).collect(),
    });
    let pipelines = pipelines.collect();
    CommandPlan { directory: directory::after_cd(directory, script.directory.as_deref()), trusted, pipelines }
}

/// Which command of `plan`, if any, is allowed because it only looks, and looks at files that another one may change before.
/// All files are checked before the first command runs: by then `git switch` may have made a link to a secret of what was
/// none. The commands of one pipeline run at the same time, so their order there says nothing.
pub(super) fn read_after_change(plan: &CommandPlan) -> Option<usize> {
    let only_looks = |command: &PlannedCommand| command.authority == PlanAuthority::BuiltIn;
    let reads_content = |command: &PlannedCommand| command.reads.iter().any(|read| read.kind != ReadKind::Entry);
    let (mut may_have_changed, mut before) = (false, 0);
    for pipeline in &plan.pipelines {
        may_have_changed |= !pipeline.commands.iter().all(only_looks);
        let late = pipeline.commands.iter().position(|command| only_looks(command) && reads_content(command));
        if let Some(late) = late.filter(|_| may_have_changed) {
            return Some(before + late);
        }
        before += pipeline.commands.len();
    }
    None
}

fn plan_command(command: &SilentCommand, authority: PlanAuthority) -> PlannedCommand {
    let inputs = command.redirections.iter().filter_map(|redirection| match redirection {
        PlannedRedirection::InputFrom(path) if path.literal() != Some("/dev/null") => {
            Some(PlannedRead { path: path.clone(), kind: ReadKind::File, word: None })
        }
        _ => None,
    });
    let inputs: Vec<PlannedRead> = inputs.collect();
    let bare = PlannedCommand {
        variables: command.variables.clone(),
        timeout: command.timeout.clone(),
        words: command.words.clone(),
        redirections: command.redirections.clone(),
        reads: Vec::new(),
        runs: Vec::new(),
        authority,
    };
    let mut planned = with_reads(bare, 0);
    planned.reads.extend(inputs);
    planned
}

/// `command` with what it reads as far as its words tell, and the programs that it starts, `depth` deep in others.
fn with_reads(command: PlannedCommand, depth: usize) -> PlannedCommand {
    let reads = programs::reads_of(&command.words).and_then(Result::ok).unwrap_or_default();
    let by_person = command.authority == PlanAuthority::Person;
    let words: Vec<ShellWord> = command.words.iter().map(ShellWord::from_planned).collect();
    // What cannot be told asks already.
    let places = shell::find_inner_programs(&words).ok().filter(|_| by_person && depth < MAX_INNER);
    let inner_command = |place: Range<usize>| {
        let (at, words) = (place.start, command.words[place].to_vec());
        let bare = PlannedCommand { variables: Vec::new(), timeout: None, words, ..command.clone() };
        InnerCommand { at, command: with_reads(bare, depth + 1) }
    };
    let runs = places.into_iter().flatten().map(inner_command).collect();
    PlannedCommand { reads, runs, ..command }
}

/// Why it cannot be told which programs `words`, which a person's rule allows, start with which words: then they cannot be judged as
/// they would be alone.
pub(super) fn object_to_unread_program(words: &[ShellWord]) -> Option<String> {
    let mut rest = vec![words.to_vec()];
    for _ in 0..=MAX_INNER {
        let mut inner = Vec::new();
        for words in &rest {
            match shell::find_inner_programs(words) {
                Ok(places) => inner.extend(places.into_iter().map(|place| words[place].to_vec())),
                Err(why) => return Some(why.to_owned()),
            }
        }
        rest = inner;
    }
    (!rest.is_empty()).then(|| format!("more than {MAX_INNER} programs start one another"))
}
