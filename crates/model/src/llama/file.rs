//! Facts about a GGUF file that can be had before llama.cpp sees it.

use super::fault::GgufError;
use crate::settings::{EnvLookup, given};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The beginning of every GGUF file.
const MAGIC: &[u8; 4] = b"GGUF";
/// The variable that says how many tokens a conversation may have.
const VARIABLE: &str = "POLLUX_GGUF_CONTEXT";
/// The most tokens of a conversation, unless told otherwise: its memory is taken at once, whether it is used or not.
const USUAL: u32 = 16_384;
/// Fewer tokens than this do not hold the instructions.
const LEAST: u32 = 512;
const MIB: u64 = 1024 * 1024;

/// The size in bytes of the file at `path`, if it is one of the right kind.
pub(super) fn check(path: &Path) -> Result<u64, GgufError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => GgufError::Missing,
        _ => GgufError::Unreadable(error.to_string()),
    };
    let mut file = pollux_files::open_regular(path).map_err(unreadable)?;
    let mut head = [0; 4];
    match file.read_exact(&mut head) {
        Ok(()) if &head == MAGIC => file.metadata().map(|known| known.len()).map_err(unreadable),
        Ok(()) => Err(GgufError::NotGguf),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(GgufError::NotGguf),
        Err(error) => Err(unreadable(error)),
    }
}

/// The tokens that a conversation may have with a model that was trained for `trained`.
pub(super) fn window(trained: Option<u32>, env: EnvLookup<'_>) -> Result<u32, GgufError> {
    let wanted = match given(env, VARIABLE) {
        Some(text) => {
            let number = text.parse().ok().filter(|number| *number >= LEAST);
            number.ok_or(GgufError::Window(text))?
        }
        None => USUAL,
    };
    // More than it was trained for gives nonsense, not a longer memory.
    Ok(trained.filter(|trained| *trained >= LEAST).map_or(wanted, |trained| wanted.min(trained)))
}

/// Check that weights of so many bytes fit into what the machine has left. Where it does not say, they may.
pub(super) fn fits(bytes: u64, meminfo: Option<&str>) -> Result<(), GgufError> {
    let available = meminfo.and_then(|text| text.lines().find_map(|line| line.strip_prefix("MemAvailable:")));
    let kib = available.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    match kib {
        Some(kib) if bytes > kib.saturating_mul(1024) => {
            Err(GgufError::TooLarge { needed_mib: bytes.div_ceil(MIB), free_mib: kib / 1024 })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
