//! Doubts that no single node of the syntax tree shows.

use super::{CommandDoubt, ShellScript};

/// What about a command's text makes the parser's reading unreliable, or a person's.
pub(crate) fn find_suspicious_text(command: &str) -> Option<String> {
    let odd =
        |char: char| (char.is_control() && !matches!(char, '\n' | '\t')) || (char.is_whitespace() && !char.is_ascii());
    if let Some(char) = command.chars().find(|char| odd(*char) || alters_display(*char)) {
        return Some(format!("it holds the character U+{:04X}, which is not what it looks like", char as u32));
    }
    // The shell joins the two lines into one word where the parser sees two.
    let bytes = command.as_bytes();
    let joins = |window: &[u8]| {
        !window[0].is_ascii_whitespace() && window[1..3] == *b"\\\n" && !window[3].is_ascii_whitespace()
    };
    if bytes.starts_with(b"\\\n") || bytes.windows(4).any(joins) {
        return Some("a word goes on over the end of a line".into());
    }
    None
}

/// Whether a character changes how the text around it is shown.
fn alters_display(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// What only shows when the commands are seen together.
pub(crate) fn check_whole_script(script: &mut ShellScript) {
    let named = |wanted: &[&str]| script.commands.iter().find(|c| c.name().is_some_and(|name| wanted.contains(&name)));
    // A repository's own configuration can name programs that git runs.
    if let (Some(change), Some(git)) = (named(&["cd", "pushd"]), named(&["git"])) {
        let why = format!("git runs where `{}` leads, and obeys the configuration it finds there", change.text);
        let text = git.text.clone();
        script.doubts.push(CommandDoubt { text, why });
    }
}
