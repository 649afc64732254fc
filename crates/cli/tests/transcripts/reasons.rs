//! Why Pollux says something else than the original: every difference that is kept, once.

/// The name of a reason, and the reason.
pub(crate) const REASONS: &[(&str, &str)] = &[
    (
        "a2a-code",
        "A2A has a code for what a task cannot do (-32004); the original answers that the request is malformed.",
    ),
    (
        "aborted",
        "In the original an answer that nobody can use hangs, and hanging up spoils the turn it was for; here the \
         turn goes on.",
    ),
    (
        "always-works",
        "To allow a tool for good works, and so the second call does not ask; the original fails the call because no \
         folder is ever trusted.",
    ),
    (
        "announced-first",
        "A call is told before anybody looks at it, so an unknown tool is announced and then fails; the tool's name \
         is told with it.",
    ),
    (
        "ask-in-status",
        "The task's status holds what is asked, so that whoever comes later need not search the history for it.",
    ),
    (
        "asks-first",
        "A command that changes files asks first and is told as a stream while it waits, as any call; the original \
         changes them unasked.",
    ),
    (
        "auto-execute",
        "`autoExecute` is heeded where the client may approve, as in 0.25.2; the 2026 source ignores it and asks.",
    ),
    ("batch", "JSON-RPC has batches, and each request in one is answered."),
    (
        "big-body",
        "Bodies are taken up to the limit in docs/PROTOCOL.md; the original refuses more than 100 KiB with a page of \
         HTML.",
    ),
    (
        "both-asked",
        "Both calls of a step ask at once and the stream ends, so that a client that waits for the end can answer; in \
         the original the second call waits for the first and the stream hangs.",
    ),
    ("card", "The card says what is true of Pollux; docs/COMPATIBILITY.md compares the cards."),
    (
        "checkpoint-saved",
        "A checkpoint is saved just before its call runs, when nobody can say no any more, and named from then on; the \
         original saves one before it asks.",
    ),
    ("citation", "The sources of an answer are told; the original loses them without Google's own login."),
    (
        "clear-error",
        "An unknown call or outcome is an error at once; the original says nothing until the client hangs up.",
    ),
    (
        "closed-socket",
        "A closed socket stops nothing: the turn goes on and so does the task; the original aborts the one and loses \
         the other.",
    ),
    ("edit-answers", "An approval with an edit runs the edited call; in 0.25.2 it hangs until the client gives up."),
    (
        "failure-told",
        "A model call that fails is told at once, and when no try is left the task fails and says why; the original \
         is silent for minutes, or rests as if the model had answered.",
    ),
    (
        "fitting-status",
        "A refusal is JSON in the route's own shape, with the status that fits: 405 for a method that a path does not \
         have, 204 with `Allow` for OPTIONS. The original sends a page of HTML, or a JSON-RPC error where nobody speaks JSON-RPC.",
    ),
    (
        "form",
        "The form of a request is checked before its body is read: a body must be there and say that it is JSON, and \
         A2A's own name for that is as good as the other.",
    ),
    (
        "ignored-settings",
        "Settings that have no effect, of another kind or with members that are not known, are named in a line of their \
         own; the original drops them in silence.",
    ),
    (
        "init-writes",
        "What `/init` was asked with is the command, not words that the person never said, and a refusal because the \
         file is there is no success; the original makes the file up empty before the model is asked.",
    ),
    ("json-rpc", "An id may be any number, as JSON-RPC has it; the original takes whole ones only."),
    ("more-commands", "One registry of commands for every surface, so there are more of them."),
    (
        "more-offered",
        "The source documents, A2A 1.0 and A2A 0.3's own options are served; the original has no such path or method.",
    ),
    (
        "never-trusted",
        "What a client says of trust is never kept; the original keeps what `POST /tasks` says and believes it.",
    ),
    (
        "no-settings",
        "A message without `coderAgent` is not from a client of that server: it is answered in A2A's own words, with the answer as an artifact.",
    ),
    (
        "older-shape",
        "Version 0.25.2 spoke an older shape: other statuses of a call on its way, no outcome, no usage, output \
         padded to the width of a screen. Pollux writes the shape of the 2026 source, which its clients read.",
    ),
    ("own-tools", "The tools are those that Pollux has, with the schemas that the original leaves out."),
    (
        "own-workspace",
        "A command without a task has a workspace too: the server's own. The original refuses unless an environment \
         variable names one.",
    ),
    (
        "post-tasks",
        "`POST /tasks` without settings is the endpoint guide's, whose answer is an object; docs/PROTOCOL.md says \
         which is sent when.",
    ),
    ("reading-allowed", "Reading in the workspace needs no approval, as in the 2026 source; 0.25.2 asks."),
    (
        "refused-first",
        "What is malformed or about no task is refused before a stream has begun, as a plain JSON-RPC answer with \
         A2A's code for it; the original begins a stream to say so, and calls a missing field an internal error.",
    ),
    ("said-once", "The original repeats an update that says nothing new."),
    ("survives", "An empty request is refused; the original ends its process."),
    ("token", "A token that nobody gave out is refused; the original looks at none, though its card asks for one."),
    (
        "true-state",
        "What the metadata says of the state is true; the original's stays `submitted`. The newest text is in the \
         history, not in the status.",
    ),
    (
        "whole-history",
        "The history is whole, with each text and each call once; the original keeps the first piece of a text, or \
         each piece by itself, repeats calls, and forgets all of it when a task is cancelled or nobody says how much \
         is wanted.",
    ),
    (
        "workspace",
        "A workspace that is not there is an error before anything is opened; the original makes it up. Both refuse what \
         lies outside of their roots, but for 0.25.2, which has none.",
    ),
];
