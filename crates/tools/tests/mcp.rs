//! The MCP client through the public door: real processes, real sockets, servers on the public SDKs for
//! Python and JavaScript, and authorization servers.

mod http;
mod mcp_client;
mod node;
mod process;
mod python;
mod sign_in;
