//! Names, counts and times in words.

use crate::event::EntryAuthor;
use crate::ids::UnixMillis;
use crate::sanitize::one_line;

/// The most characters shown of a name that somebody gave themselves.
pub const MARK_CHARS: usize = 64;

/// The name of another client: `A2A zed`, or `A2A` when it did not give one. Another terminal keeps its own name. The
/// label is claimed, so it may not look like anything but a name.
pub fn client_name(by: &EntryAuthor, me: &EntryAuthor) -> String {
    let EntryAuthor::Client { label, .. } = by else { return by.to_string() };
    let own = matches!(me, EntryAuthor::Client { label: mine, .. } if mine == label);
    let label: String = one_line(label, MARK_CHARS)
        .chars()
        .map(|ch| match ch {
            '[' => '(',
            ']' => ')',
            _ => ch,
        })
        .collect();
    match label.as_str() {
        "" => "A2A".to_owned(),
        // The gate lets nobody from the network be called just that: it is the terminal beside the session.
        named if own || named == "terminal" || named == "A2A" || named.starts_with("A2A ") => label,
        _ => format!("A2A {label}"),
    }
}

/// A time span as short as is useful.
pub fn format_duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// `4 s`, `2 min 5 s`.
pub fn format_seconds(seconds: u64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { format_duration(seconds * 1_000) }
}

/// An age, as short as is useful.
pub fn format_age(then: UnixMillis, now: UnixMillis) -> String {
    let minutes = now.0.saturating_sub(then.0) / 60_000;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..2880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}

/// `940`, `12.3k`, `1.2M`.
pub fn format_tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// `1 prompt`, `2 prompts`.
pub fn plural(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::{client_name, format_age, format_duration, plural};
    use crate::{EntryAuthor, UnixMillis};
    use pretty_assertions::assert_eq;

    fn client(label: &str) -> EntryAuthor {
        EntryAuthor::Client { principal: "local".into(), label: label.into() }
    }

    #[test]
    fn others_are_marked_as_a2a() {
        let named = |label: &str| client_name(&client(label), &client("terminal"));
        assert_eq!(
            ["", "A2A", "A2A zed", "zed", "A2Afoo", "terminal", "x] [terminal", "a\nb\u{1b}[2J"].map(named),
            ["A2A", "A2A", "A2A zed", "A2A zed", "A2A A2Afoo", "terminal", "A2A x) (terminal", "A2A a⏎b␛(2J"],
        );
        assert_eq!(named(&"y".repeat(70)), format!("A2A {}…", "y".repeat(64)));
    }

    #[test]
    fn times_are_short() {
        assert_eq!(
            [0, 999, 1_234, 59_999, 125_000].map(format_duration),
            ["0 ms", "999 ms", "1.2 s", "59.9 s", "2 min 5 s"]
        );
    }

    #[test]
    fn ages_are_rounded_down() {
        const HOUR: u64 = 3_600_000;
        let ages = [59_999, 60_000, HOUR - 1, 47 * HOUR, 48 * HOUR];
        let told = ages.map(|ago| format_age(UnixMillis(0), UnixMillis(ago)));
        assert_eq!(told, ["just now", "1 min ago", "59 min ago", "47 h ago", "2 days ago"]);
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!([0, 1, 2].map(|count| plural(count, "ask")), ["0 asks", "1 ask", "2 asks"]);
    }
}
