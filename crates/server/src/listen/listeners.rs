//! The sockets of one listener. Clients that say `localhost` try 127.0.0.1 and `[::1]`, in either order. If a server had only one
//! of them, a command that it started could take the other and answer its clients there. So a server on one has both.

use std::future::pending;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// The most connections that may wait to be accepted, if the system allows it (`net.core.somaxconn`). The usual 128 are
/// full before a busy accept loop has been back once, and whoever comes then is reset.
const BACKLOG: u32 = 16 * 1024;
/// The most ports that are tried where any will do and the first was free on one address only.
const PORTS_TRIED: usize = 32;

/// A socket, and one with the same port on the other address of `localhost`.
#[derive(Debug)]
pub struct Listeners {
    first: TcpListener,
    other: Option<TcpListener>,
}

/// An address that cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {error}")]
pub struct BindError {
    pub address: SocketAddr,
    /// Why not.
    pub error: io::Error,
}

/// A listener that a burst of connections does not overrun.
pub fn bind_listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    // As everywhere on Unix: a port is free again at once when a server has ended.
    socket.set_reuseaddr(cfg!(unix))?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Listeners {
    /// Listen on `address`, and where `localhost` means this address and another one, on that one, too. Port 0 is any port
    /// that is free on both.
    pub fn bind(address: SocketAddr) -> Result<Listeners, BindError> {
        let mut tries = if address.port() == 0 { PORTS_TRIED } else { 1 };
        loop {
            tries -= 1;
            match Listeners::bind_once(address) {
                Err(taken) if taken.error.kind() == io::ErrorKind::AddrInUse && tries > 0 => {}
                bound => return bound,
            }
        }
    }

    fn bind_once(address: SocketAddr) -> Result<Listeners, BindError> {
        let at = |address: SocketAddr| move |error: io::Error| BindError { address, error };
        let first = bind_listener(address).map_err(at(address))?;
        let bound = first.local_addr().map_err(at(address))?;
        let Some(other) = other_localhost(bound) else { return Ok(first.into()) };
        match bind_listener(other) {
            Ok(listener) => Ok(Listeners { first, other: Some(listener) }),
            Err(error) if is_missing(&error) => Ok(first.into()),
            Err(error) => Err(at(other)(error)),
        }
    }

    /// The address that was asked for, with its port.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }

    pub(super) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let other = async {
            match &self.other {
                Some(other) => other.accept().await,
                None => pending().await,
            }
        };
        tokio::select! {
            accepted = self.first.accept() => accepted,
            accepted = other => accepted,
        }
    }
}

impl From<TcpListener> for Listeners {
    fn from(first: TcpListener) -> Listeners {
        Listeners { first, other: None }
    }
}

/// The other address that `localhost` stands for beside this one.
fn other_localhost(address: SocketAddr) -> Option<SocketAddr> {
    let other: IpAddr = match address.ip() {
        IpAddr::V4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => Ipv4Addr::LOCALHOST.into(),
        // Every address of IPv6 is every address of IPv4, too, and others are not called localhost.
        IpAddr::V4(_) | IpAddr::V6(_) => return None,
    };
    Some(SocketAddr::new(other, address.port()))
}

/// True if this machine does not have the address, or its whole protocol: then nobody else can have it, either.
fn is_missing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let number = Errno::from_io_error(error);
    matches!(number, Some(Errno::ADDRNOTAVAIL | Errno::AFNOSUPPORT))
}

#[cfg(test)]
mod tests;
