//! `GEMINI_SYSTEM_MD`: a file of the person's that stands in for the agent's own system prompt, as in Gemini CLI.

use crate::config::text_file;
use crate::folder_trust::folder_trust;
use crate::settings::{GlobalSettings, UsageError};
use pollux_policy::FolderTrust;
use std::path::{Path, PathBuf};

const VARIABLE: &str = "GEMINI_SYSTEM_MD";
/// The file that is meant where the variable only says yes.
const OF_FOLDER: &str = ".gemini/system.md";

/// Read the system prompt that the person's variables name, for whoever starts in `folder`. A workspace's own `.env` has no
/// say in it.
pub(crate) fn read(global_settings: &GlobalSettings, folder: &Path) -> anyhow::Result<Option<String>> {
    let Some(value) = global_settings.config.variables.get(VARIABLE) else { return Ok(None) };
    let path = match value.to_ascii_lowercase().as_str() {
        "0" | "false" => return Ok(None),
        "1" | "true" if folder_trust(global_settings, folder) == FolderTrust::Trusted => folder.join(OF_FOLDER),
        "1" | "true" => {
            let why = format!("{VARIABLE}={value} takes {OF_FOLDER} of this folder, which you do not trust");
            return Err(
                UsageError(format!("{why}; run `pollux trust`, or name a file of your own in {VARIABLE}")).into()
            );
        }
        _ => global_settings.config.path_in(folder, &value),
    };
    let refuse = |why: String| UsageError(format!("{VARIABLE} names {}, which cannot be used: {why}", path.display()));
    match text_file::read(&path) {
        Ok(Some(text)) => Ok(Some(text)),
        Ok(None) => Err(refuse("there is no such file".into()).into()),
        Err(why) => Err(refuse(why).into()),
    }
}

/// The file of the person's that [`read`] reads, if they name one.
pub(crate) fn named_file(global_settings: &GlobalSettings, folder: &Path) -> Option<PathBuf> {
    let value = global_settings.config.variables.get(VARIABLE)?;
    let is_answer = ["0", "1", "false", "true"].iter().any(|answer| value.eq_ignore_ascii_case(answer));
    (!is_answer).then(|| global_settings.config.path_in(folder, &value))
}
