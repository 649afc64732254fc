//! Grants: what a person allowed for one command covers another one only without options that can run a program, unless the
//! first command showed them. The two commands are split at a line of their own.

#![no_main]

#[path = "judging.rs"]
mod judging;

use judging::{grants_for, judge};
use pollux_policy::Decision;
use pollux_session::{By, Grant};

/// Options that make some program run another one.
const DANGEROUS: [&str; 12] = [
    "--upload-pack", "--receive-pack", "--exec", "--config", "--config-env", "-c", "-e", "--eval", "--require", "--script-shell",
    "-exec", "--init-file",
];

/// Programs and commands whose `-c` or `-e` runs nothing.
const HARMLESS_LETTERS: [&str; 9] = ["switch", "rspec", "dotnet", "touch", "prettier", "mvn", "pytest", "composer", "gradle"];

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Some((shown, wanted)) = text.split_once("\n--\n") else { return };
    if judge(wanted, &[]).verdict == Decision::Allow {
        return;
    }
    for grant in grants_for(shown) {
        let is_exact = matches!(grant, Grant::Command { .. });
        let judgement = judge(wanted, &[(grant.clone(), By::Agent)]);
        if judgement.verdict != Decision::Allow {
            continue;
        }
        if is_exact {
            assert_eq!(shown, wanted);
            continue;
        }
        let plan = judgement.plan.expect("a beginning never allows a shell");
        for command in plan.pipelines.iter().flat_map(|pipeline| &pipeline.commands) {
            for word in &command.words {
                let name = word.literal().map(|text| text.split('=').next().unwrap_or(text));
                let is_dangerous = name.is_some_and(|name| DANGEROUS.contains(&name));
                // For these programs the letter means something harmless, and built_in.toml says so.
                let is_listed = command.words.iter().any(|word| word.literal().is_some_and(|text| HARMLESS_LETTERS.contains(&text)));
                assert!(!is_dangerous || is_listed || shown.contains(name.unwrap_or_default()), "{grant}: {wanted:?}");
            }
        }
    }
});
