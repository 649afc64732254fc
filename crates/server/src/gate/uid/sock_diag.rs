//! `NETLINK_SOCK_DIAG`: the kernel's exact answer about one TCP socket, by its two ends. Any user may ask.

use super::PeerSocket;
use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

/// The kernel's reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SockDiagReply {
    /// The kernel knows the socket.
    Socket(PeerSocket),
    /// No answer about this socket: it is gone, or this kernel lacks the TCP part of `sock_diag`, which says the same.
    NotFound,
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const IPPROTO_TCP: u8 = 6;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
/// `nlmsghdr`, then `inet_diag_req_v2`.
const REQUEST_BYTES: usize = 16 + 56;
/// `nlmsghdr`, then `inet_diag_msg`.
const REPLY_BYTES: usize = 16 + 72;

/// A socket to ask on, kept from one question to the next. Whoever asks takes it along, so that every answer meets its
/// question; one that was not answered as expected is not used again.
static KEPT: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// The socket at `near` that is connected to `far`.
pub(super) fn find(near: SocketAddr, far: SocketAddr) -> SockDiagReply {
    match ask(near, far) {
        Ok(Some(socket)) => SockDiagReply::Socket(socket),
        Ok(None) | Err(_) => SockDiagReply::NotFound,
    }
}

/// The kernel answers inside the send, so the receive never waits.
fn ask(near: SocketAddr, far: SocketAddr) -> Result<Option<PeerSocket>, Errno> {
    let kept = KEPT.lock().take();
    let line = kept.map_or_else(open, Ok)?;
    sendto(&line, &request(near, far), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut reply = [0_u8; 1024];
    let (length, _) = recv(&line, &mut reply[..], RecvFlags::empty())?;
    let socket = reply.get(..length).and_then(|reply| parse(reply, near, far));
    if socket.is_some() {
        *KEPT.lock() = Some(line);
    }
    Ok(socket)
}

fn open() -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(SOCK_DIAG))
}

fn request(near: SocketAddr, far: SocketAddr) -> [u8; REQUEST_BYTES] {
    let (near_ip, far_ip) = (near.ip().to_canonical(), far.ip().to_canonical());
    let mut message = [0_u8; REQUEST_BYTES];
    put(&mut message, 0, &(REQUEST_BYTES as u32).to_ne_bytes());
    put(&mut message, 4, &SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    put(&mut message, 6, &NLM_F_REQUEST.to_ne_bytes());
    let family = if near_ip.is_ipv4() { AF_INET } else { AF_INET6 };
    put(&mut message, 16, &[family, IPPROTO_TCP, 0, 0]);
    // Every state: the caller judges it, and a socket in the wrong one must not look like no socket.
    put(&mut message, 20, &u32::MAX.to_ne_bytes());
    put(&mut message, 24, &near.port().to_be_bytes());
    put(&mut message, 26, &far.port().to_be_bytes());
    put(&mut message, 28, &octets(near_ip));
    put(&mut message, 44, &octets(far_ip));
    // No cookie: the ends alone name the socket.
    put(&mut message, 64, &[0xFF; 8]);
    message
}

/// `None` for an error message, a short one, or one about another socket (a listener on the same port).
fn parse(reply: &[u8], near: SocketAddr, far: SocketAddr) -> Option<PeerSocket> {
    let reply: &[u8; REPLY_BYTES] = reply.get(..REPLY_BYTES)?.try_into().ok()?;
    if u16::from_ne_bytes(bytes(reply, 4)?) != SOCK_DIAG_BY_FAMILY {
        return None;
    }
    let [family, state] = bytes(reply, 16)?;
    let end = |ip_at: usize, port_at: usize| {
        let octets: [u8; 16] = bytes(reply, ip_at)?;
        let ip = match family {
            AF_INET => IpAddr::V4(Ipv4Addr::from(bytes::<4>(&octets, 0)?)),
            AF_INET6 => IpAddr::V6(Ipv6Addr::from(octets)).to_canonical(),
            _ => return None,
        };
        Some((ip, u16::from_be_bytes(bytes(reply, port_at)?)))
    };
    let is_asked_for = end(24, 20)? == (near.ip().to_canonical(), near.port())
        && end(40, 22)? == (far.ip().to_canonical(), far.port());
    let uid = u32::from_ne_bytes(bytes(reply, 80)?);
    let inode = u32::from_ne_bytes(bytes(reply, 84)?);
    is_asked_for.then_some(PeerSocket { state, uid, inode })
}

fn put(message: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = message.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}

fn bytes<const N: usize>(message: &[u8], at: usize) -> Option<[u8; N]> {
    message.get(at..at + N)?.try_into().ok()
}

/// An address in the sixteen bytes the protocol has for either kind.
fn octets(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V4(v4) => {
            let [a, b, c, d] = v4.octets();
            [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        }
        IpAddr::V6(v6) => v6.octets(),
    }
}
