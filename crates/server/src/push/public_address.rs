//! Which network addresses are on the public internet. A fetch of the agent's own is vetted by the same rules, in
//! another room that this one may not use.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[cfg(test)]
mod tests;

/// True if `address` belongs to nobody's own network.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.into_iter().any(|block| is_in_v4(address, block)),
        // Loopback, mapped IPv4, NAT64, local and multicast addresses all lie outside the global block.
        IpAddr::V6(address) => {
            is_in_v6(address, GLOBAL_V6) && !NOT_PUBLIC_V6.into_iter().any(|block| is_in_v6(address, block))
        }
    }
}

/// An address and how many of its leading bits count.
type BlockV4 = ([u8; 4], u32);
type BlockV6 = ([u16; 8], u32);

const NOT_PUBLIC_V4: [BlockV4; 16] = [
    // This host, private networks, carriers' networks, loopback.
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([172, 16, 0, 0], 12),
    ([192, 168, 0, 0], 16),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Link-local: the metadata of cloud machines is there.
    ([169, 254, 0, 0], 16),
    // Protocols, 6to4 relays, AS112, benchmarks.
    ([192, 0, 0, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 31, 196, 0], 24),
    ([198, 18, 0, 0], 15),
    // Documentation.
    ([192, 0, 2, 0], 24),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast, and what is reserved.
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

const GLOBAL_V6: BlockV6 = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

const NOT_PUBLIC_V6: [BlockV6; 4] = [
    // Protocols, Teredo among them, and 6to4: both can hide an IPv4 address.
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    // Documentation.
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

fn is_in_v4(address: Ipv4Addr, (block, bits): BlockV4) -> bool {
    (address.to_bits() ^ Ipv4Addr::from(block).to_bits()) >> (32 - bits) == 0
}

fn is_in_v6(address: Ipv6Addr, (block, bits): BlockV6) -> bool {
    (address.to_bits() ^ Ipv6Addr::from(block).to_bits()) >> (128 - bits) == 0
}
