//! The MCP client through the public door: real processes, real sockets, servers on the public SDKs for
//! Python and JavaScript, and authorization servers.

mod desk;
mod http;
mod node;
mod process;
mod python;
mod sign_in;
