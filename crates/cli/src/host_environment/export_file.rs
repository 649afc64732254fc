//! Where `/export` without a name writes: below the person's own data directory, where neither git nor a search of the
//! workspace finds it.

use super::write_new_file;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The directory, in the data directory.
const EXPORTS: &str = "exports";

/// Write `text` to a new file called `name`, with a number where that name is taken; returns where it is.
pub(super) async fn write_export(data_dir: &Path, name: &str, text: &str) -> Result<String, String> {
    let directory = data_dir.join(EXPORTS);
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&directory)
        .map_err(|error| format!("{} cannot be made: {error}", directory.display()))?;
    write_new_file(free_path(&directory, name), text).await
}

fn free_path(directory: &Path, name: &str) -> PathBuf {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "md"));
    let numbered = (2_u32..).map(|number| format!("{stem}-{number}.{ending}"));
    let mut paths = std::iter::once(name.to_owned()).chain(numbered).map(|name| directory.join(name));
    paths.find(|path| !path.exists()).unwrap_or_else(|| directory.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[tokio::test]
    async fn a_second_export_gets_a_number() {
        let dir = tempfile::tempdir().unwrap();
        let exports = dir.path().join(EXPORTS);
        for (text, expected) in [("one", "pollux-1.md"), ("two", "pollux-1-2.md"), ("three", "pollux-1-3.md")] {
            let written = write_export(dir.path(), "pollux-1.md", text).await.unwrap();
            assert_eq!(Path::new(&written), exports.join(expected));
            assert_eq!(std::fs::read_to_string(&written).unwrap(), text);
        }
    }
}
