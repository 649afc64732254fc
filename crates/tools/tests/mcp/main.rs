//! The MCP client through the public door: real processes, real sockets, servers on the public SDKs for
//! Python and JavaScript, and authorization servers.

#[cfg(test)]
mod desk;
#[cfg(test)]
mod http;
#[cfg(test)]
mod node;
#[cfg(test)]
mod process;
#[cfg(test)]
mod python;
#[cfg(test)]
mod sign_in;
