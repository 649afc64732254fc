//! Why Pollux says something else than the original: every difference that is kept, once.

/// The name of a reason, and the reason.
pub(crate) const REASONS: &[(&str, &str)] = &[
    (
        "a2a-code",
        "A2A has a code for what a task cannot do (-32004); the original answers that the request is malformed.",
    ),
    (
        "aborted",
        "In the original an answer that nobody can use hangs, and hanging up spoils the turn it was for; here the turn \
         goes on.",
    ),
    (
        "always-works",
        "To allow a tool for good works, and so the second call does not ask; the original fails the call because no \
         folder is ever trusted.",
    ),
    (
        "announced-first",
        "A call is told before anybody looks at it, so an unknown tool is announced and then fails; the tool's name is \
         told with it.",
    ),
    (
        "ask-in-status",
        "The task's status holds what is asked, so that whoever comes later need not search the history for it.",
    ),
    (
        "both-asked",
        "Both calls of a step ask at once and the stream ends, so that a client that waits for the end can answer; in the \
         original the second call waits for the first and the stream hangs.",
    ),
    ("citation", "The sources of an answer are told; the original loses them without Google's own login."),
    (
        "clear-error",
        "An unknown call or outcome is an error at once; the original says nothing until the client hangs up.",
    ),
    (
        "closed-socket",
        "A closed socket stops nothing: the turn goes on and so does the task; the original aborts the one and loses the \
         other.",
    ),
    (
        "never-trusted",
        "What a client says of trust is never kept; the original keeps what `POST /tasks` says and believes it.",
    ),
    (
        "no-settings",
        "A message without `coderAgent` is not from a client of that server: it is answered in the RFC's dialect.",
    ),
    (
        "post-tasks",
        "`POST /tasks` without settings is the endpoint guide's, whose answer is an object; docs/PROTOCOL.md says which \
         is sent when.",
    ),
    ("said-once", "The original repeats an update that says nothing new."),
    (
        "true-state",
        "What the metadata says of the state is true; the original's stays `submitted`. The newest text is in the \
         history, not in the status.",
    ),
    (
        "whole-history",
        "The history is whole, with each text and each call once; the original keeps the first piece of a text, repeats \
         calls, and forgets all of it when a task is cancelled or nobody says how much is wanted.",
    ),
    (
        "workspace",
        "A workspace that is not there is an error before anything is opened, one that is there is used; the original \
         makes up the first and refuses what lies outside of one root.",
    ),
];
