//! Admits others: the gate, the agent card, A2A at `/`, `/a2a/v1` and `/v1`, and the endpoint guide's `/ws` and `/tasks`.
//!
//! A request passes the gate and becomes a `Who`; [`SessionAccess`] finds its seat; commands go to the seat, and what
//! comes back is read from the log through a shared feed in the dialect of the route.

pub mod discovery;
pub mod gate;
pub mod listen;

mod accept;
mod call_id;
mod cancel;
mod card;
mod client_credential_check;
mod client_profile;
mod commands;
mod cursor;
mod dialect;
mod direct;
mod errors;
mod extensions;
mod feed;
#[cfg(feature = "grpc")]
mod grpc;
mod health;
mod inbound;
mod log_context;
mod message_files;
mod ops;
mod page_route;
mod presence;
mod push;
mod rest;
mod router;
mod rpc;
mod session_access;
mod stream_end;
mod task_snapshot;
mod task_stream;
mod tasks;
mod version;
mod wire_state;
mod workspace;
mod ws;

pub use card::{
    CardConfig, CardForm, CardProvider, CardSecurity, ExtendedCard, SigningKey, SigningKeyError, SkillCatalogue,
    SkillListing, UrlScheme,
};
pub use commands::CommandSource;
pub use direct::DirectResponder;
pub use extensions::CardExtension;
pub use health::{HealthCheck, HealthReport, task_count_check};
pub use message_files::FileStore;
pub use presence::{ConnectionKind, Presence, PresentClient};
pub use push::{PushRetryPolicy, PushSettings, Resolver, read_push_host};
pub use rest::rest_routes;
pub use router::{ModelSource, ROUTES, RouterOptions, ToolingSource, router, router_with};
pub use rpc::{METHODS_V03, METHODS_V10};
pub use session_access::SessionAccess;
pub use workspace::WorkspaceRoots;
