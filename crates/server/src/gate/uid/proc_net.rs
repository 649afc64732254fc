//! `/proc/net/tcp` and `tcp6`: one line a socket, addresses as hexadecimal words in the machine's byte order.

use super::PeerSocket;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The socket at `near` that is connected to `far`. An IPv4 peer is in `tcp6` when its program opened an IPv6 socket.
pub(super) fn find(near: SocketAddr, far: SocketAddr) -> Option<PeerSocket> {
    ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().find_map(|path| {
        let table = BufReader::new(File::open(path).ok()?);
        find_in(table, near, far)
    })
}

/// As [`find`], in one table.
pub(super) fn find_in(table: impl BufRead, near: SocketAddr, far: SocketAddr) -> Option<PeerSocket> {
    let wanted = (ends(near), ends(far));
    table.lines().map_while(Result::ok).find_map(|line| {
        let (from, to, socket) = parse(&line)?;
        ((from, to) == wanted).then_some(socket)
    })
}

/// Address and port, with IPv4-mapped addresses as the IPv4 ones they stand for.
type SocketEnd = (IpAddr, u16);

fn ends(addr: SocketAddr) -> SocketEnd {
    (addr.ip().to_canonical(), addr.port())
}

/// `sl: local remote st tx:rx tr:when retrnsmt uid timeout inode ...`; `None` for the heading.
fn parse(line: &str) -> Option<(SocketEnd, SocketEnd, PeerSocket)> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let local = parse_end(fields.next()?)?;
    let remote = parse_end(fields.next()?)?;
    let state = u8::from_str_radix(fields.next()?, 16).ok()?;
    let uid = fields.nth(3)?.parse().ok()?;
    let inode = fields.nth(1)?.parse().ok()?;
    Some((local, remote, PeerSocket { state, uid, inode }))
}

fn parse_end(text: &str) -> Option<SocketEnd> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut words = [0_u32; 4];
    let count = address.len() / 8;
    if !address.is_ascii() || address.len() % 8 != 0 || count > words.len() {
        return None;
    }
    for (word, digits) in words.iter_mut().zip(address.as_bytes().chunks(8)) {
        *word = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    let [a, b, c, d] = words.map(u32::to_ne_bytes);
    let ip = match count {
        1 => IpAddr::V4(Ipv4Addr::from(a)),
        4 => {
            let octets: [u8; 16] = [a, b, c, d].concat().try_into().ok()?;
            IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()
        }
        _ => return None,
    };
    Some((ip, port))
}

#[cfg(test)]
#[cfg(target_endian = "little")]
mod tests;
