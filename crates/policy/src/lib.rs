//! May a call run? Allow, ask or deny, and why.
//!
//! [`Policy::judge`] is the one question, [`Policy::options`] what a person may choose when the answer is to ask.
//! Rules are TOML (`rule.rs`, `rule_file.rs`, `built_in.toml`). A shell command runs without a question only as a plan
//! (`silent.rs`, `programs.rs`); any other one is read as far as it can be (`shell.rs`), to name what asks. Judging is pure; only loading ([`Policies`]), keeping a grant ([`keep()`]) and trusted folders ([`Trust`]) touch files.

mod built_in;
mod directory;
mod judge;
mod keep;
mod options;
mod origin;
mod policies;
mod policy;
mod prefix_grant;
mod programs;
mod request;
mod rule;
mod rule_file;
mod shell;
mod silent;
mod stable_json;
mod tool_settings;
mod trust;

pub use keep::{SaveGrantError, save_grant};
pub use origin::{PolicyProblem, ProblemSeverity, RuleOrigin};
pub use policies::{PolicySources, WorkspacePolicies};
pub use policy::Policy;
pub use request::{PolicyDecision, PolicyFinding, PolicyJudgement, PolicyRequest};
pub use rule::RuleTier;
pub use tool_settings::{ToolPermissions, entry_names_tool};
pub use trust::{FolderTrust, TrustError, TrustLevel, TrustedFolders};
