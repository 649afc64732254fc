//! Which network addresses are public: everything else is refused, so that no page, and no client, can send us to a
//! neighbour.

use crate::toolbox_settings::FetchReach;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[cfg(test)]
mod tests;

/// True if `address` may be talked to.
pub(crate) fn is_allowed(address: IpAddr, reach: FetchReach) -> bool {
    let public = match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    };
    match reach {
        FetchReach::Public => public,
        FetchReach::PublicAndLoopback => public || address.is_loopback(),
    }
}

/// Blocks of IPv4 that are not the public internet: address and length of the prefix.
const SPECIAL_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |(block, len): (Ipv4Addr, u32)| (address.to_bits() ^ block.to_bits()) >> (32 - len) == 0;
    !SPECIAL_V4.into_iter().any(is_in)
}

/// Blocks inside the global one (2000::/3) that are not the public internet or hide an IPv4 address.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    // Protocol assignments, Teredo among them.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_in = |(block, len): (Ipv6Addr, u32)| (address.to_bits() ^ block.to_bits()) >> (128 - len) == 0;
    // Loopback, mapped IPv4, NAT64, local and multicast addresses all lie outside the global block.
    is_in((Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)) && !SPECIAL_V6.into_iter().any(is_in)
}
