//! Why Pollux says something else than the original: every difference that is kept, once.

/// The name of a reason, and the reason.
pub(crate) const REASONS: &[(&str, &str)] = &[
    (
        "a2a-code",
        "A2A has an error code for an operation that a task does not support (-32004); the original answers that the \
         request is malformed.",
    ),
    (
        "aborted",
        "In the original an answer that cannot be used hangs, and disconnecting aborts the turn it was for; here the \
         turn continues.",
    ),
    (
        "always-works",
        "Allowing a tool permanently works, so the second call does not ask; the original fails the call because no \
         folder is ever trusted.",
    ),
    (
        "announced-first",
        "A call is announced before it is checked, so an unknown tool is announced, with its name, and then fails.",
    ),
    (
        "ask-in-status",
        "The task's status holds what is asked, so a client that comes later need not search the history for it.",
    ),
    (
        "asks-first",
        "A command that changes files asks first, and is answered as a stream while it waits, like any call; the \
         original changes the files without asking.",
    ),
    (
        "auto-execute",
        "`autoExecute` takes effect if the client has the right to approve, as in 0.25.2; the 2026 source ignores it \
         and asks.",
    ),
    ("batch", "JSON-RPC has batches, and each request in a batch is answered."),
    (
        "big-body",
        "Bodies are accepted up to the limit in docs/PROTOCOL.md; the original refuses more than 100 KiB with an HTML \
         page.",
    ),
    (
        "both-asked",
        "Both calls of a step ask at once and the stream ends, so a client that waits for the end can answer; in the \
         original the second call waits for the first and the stream hangs.",
    ),
    ("card", "The card describes Pollux; docs/COMPATIBILITY.md compares the cards."),
    (
        "checkpoint-saved",
        "A checkpoint is saved just before its call runs, when it can no longer be declined, and is named from then \
         on; the original saves one before it asks.",
    ),
    ("citation", "The sources of an answer are sent; the original loses them without Google's own login."),
    (
        "clear-error",
        "An unknown call or outcome is an error at once; the original sends nothing until the client disconnects.",
    ),
    (
        "closed-socket",
        "A closed connection stops nothing: the turn continues and so does the task; the original aborts the turn and \
         loses the task.",
    ),
    ("edit-answers", "An approval with an edit runs the edited call; in 0.25.2 it hangs until the client gives up."),
    (
        "failure-told",
        "A failed model call is reported at once, and after the last retry the task fails and says why; the original \
         is silent for minutes, or ends the turn as if the model had answered.",
    ),
    (
        "fitting-status",
        "A refusal is JSON in the route's own format, with a fitting status: 405 for a method that a path does not \
         have, 204 with `Allow` for OPTIONS. The original sends an HTML page, or a JSON-RPC error on routes that do \
         not use JSON-RPC.",
    ),
    (
        "form",
        "The form of a request is checked before its body is read: there must be a body, and its content type must be \
         JSON; A2A's own media type is accepted too.",
    ),
    (
        "ignored-settings",
        "Settings that have no effect, because they are of another kind or have unknown members, are named in an event \
         of their own; the original drops them silently.",
    ),
    (
        "init-writes",
        "The prompt of `/init` is the command itself, not words that the person never wrote, and a refusal because the \
         file exists is not a success; the original creates an empty file before the model is asked.",
    ),
    ("json-rpc", "An id may be any number, as in JSON-RPC; the original accepts only whole numbers."),
    ("more-commands", "All surfaces share one registry of commands, so there are more of them."),
    (
        "more-offered",
        "The source documents, A2A 1.0 and the optional parts of A2A 0.3 are served; the original has no such path or \
         method.",
    ),
    (
        "never-trusted",
        "What a client says about trust is never stored; the original stores what `POST /tasks` says and believes it.",
    ),
    (
        "no-settings",
        "A message without `coderAgent` is not from a client of that server: it is answered in plain A2A, with the \
         answer as an artifact.",
    ),
    (
        "older-shape",
        "Version 0.25.2 used an older format: other statuses for a call in progress, no outcome, no usage, output \
         padded to the width of a screen. Pollux writes the format of the 2026 source, which its clients read.",
    ),
    ("own-tools", "The tools are Pollux's own, with the schemas that the original leaves out."),
    (
        "own-workspace",
        "A command without a task has a workspace too: the server's own. The original refuses unless an environment \
         variable names one.",
    ),
    (
        "post-tasks",
        "`POST /tasks` without settings follows the endpoint guide, whose response is an object; docs/PROTOCOL.md says \
         which response is sent when.",
    ),
    ("reading-allowed", "Reading in the workspace needs no approval, as in the 2026 source; 0.25.2 asks."),
    (
        "refused-first",
        "A request that is malformed or names no known task is refused before a stream begins, as a plain JSON-RPC \
         response with A2A's code for it; the original begins a stream to say so, and calls a missing field an \
         internal error.",
    ),
    ("said-once", "The original repeats an update that contains nothing new."),
    ("survives", "An empty request is refused; the original exits."),
    ("token", "An invalid token is refused; the original checks no token, although its card asks for one."),
    (
        "true-state",
        "The state in the metadata is the real one; in the original it stays `submitted`. The newest text is in the \
         history, not in the status.",
    ),
    (
        "whole-history",
        "The history is complete, with each text and each call once; the original keeps only the first piece of a \
         text, or each piece by itself, repeats calls, and drops all of it when a task is cancelled or the request has \
         no history length.",
    ),
    (
        "workspace",
        "A missing workspace is an error before anything is opened; the original creates it. Both refuse a workspace \
         outside of their roots, except 0.25.2, which has no roots.",
    ),
];
