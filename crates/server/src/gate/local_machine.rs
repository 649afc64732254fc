//! Recognises connections from this machine. Both ends are looked at: a process can give its connection to a loopback
//! address any other address of the machine for a source.

use std::io;
use std::net::{SocketAddr, SocketAddrV6, UdpSocket};

/// True if the peer `remote` of our `local` is on this machine. In doubt it is.
pub(super) fn is_on_this_machine(remote: SocketAddr, local: SocketAddr) -> bool {
    let (remote_ip, local_ip) = (remote.ip().to_canonical(), local.ip().to_canonical());
    // No packet from another machine is for a loopback address.
    local_ip.is_loopback() || remote_ip.is_loopback() || remote_ip == local_ip || is_own_address(remote)
}

/// True if `addr` is one of this machine's addresses: only those can be bound, also those that a route makes the
/// machine's own and no interface lists. Any other failure leaves the question open, and the answer is yes.
fn is_own_address(addr: SocketAddr) -> bool {
    let free_port = match (addr, addr.ip().to_canonical()) {
        // A link-local address is known only with its interface.
        (SocketAddr::V6(addr), ip) if ip.is_ipv6() => SocketAddrV6::new(*addr.ip(), 0, 0, addr.scope_id()).into(),
        (_, ip) => SocketAddr::new(ip, 0),
    };
    !matches!(UdpSocket::bind(free_port), Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable)
}

#[cfg(test)]
mod tests;
