//! The commands of a plan that are no programs.

use crate::process::{FoundProgramAnswer, RunnableAction, RunnableWord, UnaryTest};
use std::ffi::OsStr;

/// A builtin that Pollux runs itself.
pub(super) enum Builtin {
    Action(RunnableAction),
    FindProgram { wanted: RunnableWord, answer: FoundProgramAnswer },
}

/// The builtin `name`, told `words`; `None` when it is none, or is told something that it does not know.
pub(super) fn builtin(name: &str, words: &[RunnableWord]) -> Option<Builtin> {
    let text = |word: &RunnableWord| word.literal().and_then(OsStr::to_str).map(str::to_owned);
    let action = match (name, words) {
        ("true" | ":", _) => RunnableAction::Exit(0),
        ("false", _) => RunnableAction::Exit(1),
        ("pwd", []) => RunnableAction::PrintDirectory,
        ("echo", words) => {
            let bare = words.first().and_then(text).as_deref() == Some("-n");
            RunnableAction::Echo { words: words[usize::from(bare)..].to_vec(), newline: !bare }
        }
        ("printf", [format, words @ ..]) => RunnableAction::Printf { format: text(format)?, words: words.to_vec() },
        ("command", [_, wanted]) => {
            return Some(Builtin::FindProgram { wanted: wanted.clone(), answer: FoundProgramAnswer::Path });
        }
        ("type", [wanted]) => {
            return Some(Builtin::FindProgram { wanted: wanted.clone(), answer: FoundProgramAnswer::Sentence });
        }
        ("test", [test, operand]) | ("[", [test, operand, _]) => {
            RunnableAction::Test { test: UnaryTest::from_flag(&text(test)?)?, operand: operand.clone() }
        }
        _ => return None,
    };
    Some(Builtin::Action(action))
}
