//! The hint when the terminal closes: how to resume the session.

use crate::settings::GlobalSettings;
use pollux_session::SessionId;
use pollux_tools::BackgroundCommand;
use pollux_tui::one_line;
use std::path::Path;

/// The line, with the place of the session where it is not the usual one.
pub(crate) fn format_hint(session: SessionId, global_settings: &GlobalSettings) -> String {
    format!(
        "Resume this session: pollux --resume {session}{}",
        data_dir_flag(&global_settings.data_dir, &global_settings.state_dir)
    )
}

/// What is said of commands in the background that end with this program.
pub(crate) fn describe_ended_commands(ending: &[BackgroundCommand]) -> Vec<String> {
    let line = |command: &BackgroundCommand| {
        format!(
            "Ended, because it ran in the background: {} (process {})",
            one_line(&command.command, 200),
            command.pid
        )
    };
    ending.iter().map(line).collect()
}

fn data_dir_flag(data_dir: &Path, usual: &Path) -> String {
    if data_dir == usual {
        return String::new();
    }
    format!(" --data-dir {}", shell_word(&data_dir.display().to_string()))
}

/// `text` as one word of a command line.
fn shell_word(text: &str) -> String {
    let is_plain = |ch: char| ch.is_alphanumeric() || matches!(ch, '/' | '.' | '_' | '-' | '+' | '=' | ':' | ',');
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_was_named_is_named_again() {
        let usual = Path::new("/home/me/.local/state/pollux");
        for (data_dir, expected) in [
            ("/home/me/.local/state/pollux", ""),
            ("/data/here", " --data-dir /data/here"),
            ("/my data/it's", r" --data-dir '/my data/it'\''s'"),
        ] {
            assert_eq!(data_dir_flag(Path::new(data_dir), usual), expected);
        }
    }
}
