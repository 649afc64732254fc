//! Where a rule stands, and what is wrong with a file of them.

use std::fmt;
use std::path::PathBuf;

/// Where a rule stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleOrigin {
    /// In the rules that come with Pollux.
    BuiltIn {
        /// The line of `built_in.toml`.
        line: usize,
    },
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line its rule begins at.
        line: usize,
    },
    /// In a flag or a settings key.
    Setting {
        /// The flag or key, as a person would write it.
        name: String,
    },
}

impl fmt::Display for RuleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleOrigin::BuiltIn { line } => write!(f, "built-in rules:{line}"),
            RuleOrigin::File { path, line } => write!(f, "{}:{line}", path.display()),
            RuleOrigin::Setting { name } => f.write_str(name),
        }
    }
}

/// Something a person should know about a rule or a file of rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyProblem {
    /// How bad it is.
    pub severity: ProblemSeverity,
    /// Where.
    pub at: RuleOrigin,
    /// What, and the way out.
    pub message: String,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemSeverity {
    /// The rule is used more strictly than it was written, or not at all.
    Warning,
    /// What the file forbids is not known: nothing that changes things is allowed without asking until it is repaired.
    Error,
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.message)
    }
}
