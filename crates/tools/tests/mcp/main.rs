//! The MCP client through the public door: real processes, real sockets, and a server on the public Python SDK.

#[cfg(test)]
mod desk;
#[cfg(test)]
mod http;
#[cfg(test)]
mod process;
#[cfg(test)]
mod python;
