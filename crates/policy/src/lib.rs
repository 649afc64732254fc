//! May a call run? Allow, ask or deny, and why.
//!
//! [`Policy::judge`] is the one question, [`Policy::options`] what a person may choose when the answer is to ask.
//! Rules are TOML (`rule.rs`, `rule_file.rs`, `built_in.toml`). A shell command runs without a question only as a plan
//! (`silent.rs`, `programs.rs`); any other one is read as far as it can be (`shell.rs`), to name what asks. Judging is pure; only loading ([`WorkspacePolicies`]), keeping a grant ([`save_grant`]) and trusted folders ([`TrustedFolders`]) touch files.

mod ask_options;
mod built_in;
mod directory;
mod judge;
mod policy;
mod policy_request;
mod prefix_grant;
mod programs;
mod rule;
mod rule_file;
mod rule_origin;
mod saved_grants;
mod shell;
mod silent;
mod stable_json;
mod tool_permissions;
mod trusted_folders;
mod workspace_policies;

pub use policy::Policy;
pub use policy_request::{PolicyDecision, PolicyFinding, PolicyJudgement, PolicyObjection, PolicyRequest};
pub use rule::RuleTier;
pub use rule_origin::{PolicyProblem, ProblemSeverity, RuleOrigin};
pub use saved_grants::{SaveGrantError, SavedGrants, list_saved_grants, save_grant};
pub use tool_permissions::{ToolPermissions, entry_names_tool};
pub use trusted_folders::{FolderTrust, TrustError, TrustLevel, TrustedFolders};
pub use workspace_policies::{PolicySources, WorkspacePolicies};
