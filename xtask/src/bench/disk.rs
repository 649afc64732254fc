//! The speed of the disk itself: the ceiling for anything that is durable before it is seen.

use anyhow::Result;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// About the size of one entry.
const RECORD: [u8; 256] = [b'x'; 256];

const WINDOW: Duration = Duration::from_secs(2);

/// The number of times a second that a record can be appended and made durable, one after the other.
pub(super) fn appends_per_second(directory: &Path) -> Result<f64> {
    let mut file = File::create(directory.join("appends"))?;
    let began = Instant::now();
    let mut appends = 0_u32;
    while began.elapsed() < WINDOW {
        file.write_all(&RECORD)?;
        file.sync_data()?;
        appends += 1;
    }
    Ok(f64::from(appends) / began.elapsed().as_secs_f64())
}
