//! Shell commands: what is allowed without a rule of a person's own has a plan, and the plan, written down, is the same plan.

#![no_main]

#[path = "judging.rs"]
mod judging;

use judging::{judge, plan_of};

libfuzzer_sys::fuzz_target!(|command: &str| {
    let judgement = judge(command, &[]);
    if judgement.verdict != pollux_policy::Decision::Allow {
        assert_eq!(judgement.plan, None, "only what is allowed has a plan");
        return;
    }
    let plan = judgement.plan.expect("nothing runs in a shell without a person");
    let written = plan.to_string();
    let again = plan_of(&written).unwrap_or_else(|| panic!("{command:?} is allowed and {written:?} is not"));
    assert_eq!(again.pipelines, plan.pipelines, "{written:?}");
});
