//! Unpacks a `workspace.tar.gz` of another server. Extended names are read here, and not by the `tar` crate, which
//! would take one of any length into memory.

use crate::error::BucketError;
use crate::restore_roots::RestoreRoot;
use crate::trees;
use flate2::read::GzDecoder;
use std::io::{self, Read};
use tar::{EntryType, PaxExtensions};

/// The most that is unpacked.
const BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The most entries, directories included.
const ENTRIES: usize = 100_000;
/// The longest extended header.
const NAME_BYTES: u64 = 64 * 1024;

/// Unpack a workspace, files and directories only.
pub(crate) fn unpack(packed: &[u8], ground: &RestoreRoot) -> Result<(), BucketError> {
    let failed = || BucketError::disk(format!("the workspace {} cannot be unpacked", ground.path.display()));
    let site = trees::RestoreSite::begin(ground)?;
    // One byte more than is allowed is enough to see that it is too much.
    let mut archive = tar::Archive::new(GzDecoder::new(packed).take(BYTES + 1));
    let mut bytes_so_far: u64 = 0;
    let mut long_name = None;
    for (number, entry) in archive.entries().map_err(failed())?.raw(true).enumerate() {
        let mut entry = entry.map_err(failed())?;
        bytes_so_far = bytes_so_far.saturating_add(entry.size());
        if number >= ENTRIES || bytes_so_far > BYTES {
            let limits = format!("it has more than {ENTRIES} entries or {} GiB", BYTES >> 30);
            return Err(failed()(io::Error::other(limits)));
        }
        let kind = entry.header().entry_type();
        if let EntryType::GNULongName | EntryType::GNULongLink | EntryType::XHeader | EntryType::XGlobalHeader = kind {
            let header = extended(&mut entry).map_err(failed())?;
            match kind {
                EntryType::GNULongName => long_name = Some(until_nul(&header)),
                EntryType::XHeader => long_name = pax_path(&header).map_err(failed())?.or(long_name),
                _ => {}
            }
            continue;
        }
        let name = long_name.take();
        if !kind.is_file() || entry.size() > trees::FILE_BYTES {
            continue;
        }
        let name = name.unwrap_or_else(|| entry.path_bytes().into_owned());
        let path = String::from_utf8_lossy(&name).trim_start_matches("./").to_owned();
        let mode = entry.header().mode().unwrap_or(0o644);
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(failed())?;
        site.write(&path, mode, &bytes)?;
    }
    site.finish()
}

/// The bytes of an extended header.
fn extended<R: Read>(entry: &mut tar::Entry<'_, R>) -> io::Result<Vec<u8>> {
    if entry.size() > NAME_BYTES {
        return Err(io::Error::other(format!("it has an extended header of more than {} KiB", NAME_BYTES >> 10)));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A name without the zero bytes at its end.
fn until_nul(bytes: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
}

/// The name that an extended header gives. One that gives another size is refused: only files that are too large for us
/// need it.
fn pax_path(bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let mut path = None;
    for extension in PaxExtensions::new(bytes) {
        let extension = extension?;
        match extension.key_bytes() {
            b"path" => path = Some(extension.value_bytes().to_vec()),
            b"size" => return Err(io::Error::other("a header of it gives a file another size")),
            _ => {}
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests;
