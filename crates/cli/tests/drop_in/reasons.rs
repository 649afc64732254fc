//! Why Pollux and Google's a2a-server from npm differ: every difference that is kept, once. Where the original's 2026 source
//! differs from what npm has, its shapes decide; `transcripts/reasons.rs` has what differs from those.

/// The name of a reason, and the reason.
pub(crate) const REASONS: &[(&str, &str)] = &[
    (
        "a2a-code",
        "A2A has a code for what a task cannot do (-32004); the original answers that the request is malformed.",
    ),
    ("announced-first", "A call is told before anybody looks at it, so an unknown tool is announced and then fails."),
    (
        "answer-told",
        "The answer to an ask is told to everybody who listens, with its outcome, before the call goes on; so does the \
         original's newer source.",
    ),
    ("more-commands", "One registry for every surface: the commands of the seeds and of the terminal are here too."),
    (
        "newer-tools",
        "The tools of the original's newer source, under the names they have there, and those it has lost since.",
    ),
    (
        "no-ask-to-show",
        "With `autoExecute` nobody is asked, so no ask is shown; the original shows one that nobody may answer.",
    ),
    (
        "own-workspace",
        "The server has a workspace of its own, so commands that need one work without a variable that would move every \
         task there.",
    ),
    (
        "reads-freely",
        "Reading in the workspace asks nobody, as in the original's newer source; the rules for that are missing from \
         what npm has.",
    ),
    (
        "scheduled-first",
        "A call begins as `scheduled`, as in the original's newer source: that it is looked at is nobody else's business.",
    ),
    (
        "schemas-told",
        "Each tool comes with its schema; the original looks for it in a member that its tools do not have.",
    ),
];
