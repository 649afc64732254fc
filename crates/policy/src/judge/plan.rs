//! The plan of a command whose every part is allowed: what was judged, ready to run.

use super::{AllowedScope, ProvisionalFinding};
use crate::directory;
use crate::programs;
use crate::silent::{SilentCommand, SilentScript};
use pollux_session::{
    CommandPlan, PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRead, PlannedRedirection, ReadKind,
};

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
    let judged = programs::reads_of(&command.words).and_then(Result::ok).unwrap_or_default();
    let inputs = command.redirections.iter().filter_map(|redirection| match redirection {
        PlannedRedirection::InputFrom(path) if path.literal() != Some("/dev/null") => {
            Some(PlannedRead { path: path.clone(), kind: ReadKind::File, word: None })
        }
        _ => None,
    });
    PlannedCommand {
        variables: command.variables.clone(),
        timeout: command.timeout.clone(),
        words: command.words.clone(),
        redirections: command.redirections.clone(),
        reads: judged.into_iter().chain(inputs).collect(),
        authority,
    }
}
