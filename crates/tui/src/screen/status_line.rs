//! The line at the bottom: what answers, what is left, how freely, and who is here.

use super::theme::Theme;
use crate::sanitize::one_line;
use pollux_session::ApprovalMode;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// What stands between two facts.
const SEPARATOR: &str = " · ";
/// The most characters of a name.
const NAME_CHARS: usize = 40;

/// The warning that commands run with the person's own rights.
const NO_SANDBOX: &str = "no sandbox";

/// What the line tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StatusLine {
    pub(crate) model: String,
    /// Percent of the model's window that is free.
    pub(crate) context_left: Option<u8>,
    /// Tokens of the session, sent and received.
    pub(crate) tokens: u64,
    /// What they cost, in US dollars, where every price is known.
    pub(crate) dollars: Option<f64>,
    pub(crate) mode: ApprovalMode,
    pub(crate) branch: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) clients: usize,
    /// How many asks are put aside.
    pub(crate) asks_aside: usize,
    /// How many commands run in the background.
    pub(crate) in_background: usize,
    /// What the composer is in the middle of: `normal`, `shell`.
    pub(crate) typing: Option<&'static str>,
}

/// A fact, and how soon it gives way on a narrow screen: the largest number goes first.
struct StatusFact {
    text: String,
    style: Style,
    gives_way: u8,
}

impl StatusLine {
    /// The line, never wider than `width`.
    pub(crate) fn line(&self, width: u16, theme: &Theme) -> Line<'static> {
        let facts = keep_fitting(self.facts(theme), usize::from(width));
        let mut spans = Vec::new();
        for fact in facts {
            if !spans.is_empty() {
                spans.push(Span::styled(SEPARATOR, theme.dim));
            }
            spans.push(Span::styled(one_line(&fact.text, usize::from(width)), fact.style));
        }
        Line::from(spans)
    }

    fn facts(&self, theme: &Theme) -> Vec<StatusFact> {
        let fact = |text: String, style, gives_way| StatusFact { text, style, gives_way };
        let mut facts = Vec::new();
        if self.asks_aside > 0 {
            facts.push(fact(format!("{} waiting (Alt+A)", plural(self.asks_aside, "ask")), theme.warn, 0));
        }
        if self.in_background > 0 {
            facts.push(fact(format!("{} in background", self.in_background), theme.accent, 3));
        }
        if let Some(typing) = self.typing {
            facts.push(fact(typing.to_owned(), theme.accent, 2));
        }
        let (style, gives_way) = match self.mode {
            ApprovalMode::Default => (theme.dim, 4),
            ApprovalMode::AutoEdit | ApprovalMode::Plan => (theme.accent, 1),
            ApprovalMode::Yolo => (theme.bad, 0),
        };
        facts.push(fact(format!("{} mode", self.mode.name()), style, gives_way));
        if !self.model.is_empty() {
            facts.push(fact(one_line(&self.model, NAME_CHARS), theme.dim, 3));
        }
        if let Some(left) = self.context_left {
            let (style, gives_way) = if left < 20 { (theme.warn, 2) } else { (theme.dim, 5) };
            facts.push(fact(format!("{left}% context left"), style, gives_way));
        }
        if self.tokens > 0 {
            facts.push(fact(format!("{} tokens", short(self.tokens)), theme.dim, 7));
        }
        if let Some(dollars) = self.dollars.filter(|dollars| *dollars > 0.0) {
            facts.push(fact(format!("${dollars:.4}"), theme.dim, 6));
        }
        if let Some(branch) = &self.branch {
            facts.push(fact(one_line(branch, NAME_CHARS), theme.dim, 8));
        }
        // There is none yet, and a person should know.
        facts.push(fact(NO_SANDBOX.into(), theme.dim, 4));
        if let Some(port) = self.port {
            let here = match self.clients {
                0 => format!("shared on :{port}"),
                clients => format!("{} on :{port}", plural(clients, "client")),
            };
            facts.push(fact(here, theme.accent, 2));
        }
        facts
    }
}

/// The facts that have room, the most important ones first: a long one that does not fit leaves its room to shorter ones.
fn keep_fitting(facts: Vec<StatusFact>, width: usize) -> Vec<StatusFact> {
    let mut by_weight: Vec<usize> = (0..facts.len()).collect();
    by_weight.sort_by_key(|at| facts[*at].gives_way);
    let (mut kept, mut taken) = (Vec::new(), 0);
    for at in by_weight {
        let more = facts[at].text.width() + if kept.is_empty() { 0 } else { SEPARATOR.width() };
        if kept.is_empty() || taken + more <= width {
            kept.push(at);
            taken += more;
        } else if facts[at].text == NO_SANDBOX {
            // A shorter fact must not have the room that this one did not get.
            break;
        }
    }
    let is_kept = |(at, fact): (usize, StatusFact)| kept.contains(&at).then_some(fact);
    facts.into_iter().enumerate().filter_map(is_kept).collect()
}

fn plural(count: usize, thing: &str) -> String {
    pollux_session::plural(count, thing)
}

/// A count that fits: 999, 12.3k, 4.5M.
fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::theme::plain;
    use expect_test::expect;

    #[test]
    fn what_matters_most_stays_longest() {
        let status = StatusLine {
            model: "gemini-3-pro".into(),
            context_left: Some(87),
            tokens: 12_345,
            dollars: Some(0.0123),
            mode: ApprovalMode::Yolo,
            branch: Some("main\u{1b}[31m".into()),
            port: Some(41242),
            clients: 2,
            asks_aside: 1,
            in_background: 1,
            typing: Some("normal"),
        };
        let lines = [200, 120, 80, 40, 10].map(|width| status.line(width, &plain()).to_string());
        expect![[r#"
            1 ask waiting (Alt+A) · 1 in background · normal · yolo mode · gemini-3-pro · 87% context left · 12.3k tokens · $0.0123 · main␛[31m · no sandbox · 2 clients on :41242
            1 ask waiting (Alt+A) · 1 in background · normal · yolo mode · gemini-3-pro · $0.0123 · no sandbox · 2 clients on :41242
            1 ask waiting (Alt+A) · normal · yolo mode · gemini-3-pro · 2 clients on :41242
            1 ask waiting (Alt+A) · yolo mode
            1 ask wait…"#]]
        .assert_eq(&lines.join("\n"));
        assert_eq!(StatusLine::default().line(80, &plain()).to_string(), "default mode · no sandbox");
    }

    #[test]
    fn the_warning_stays_longer_than_the_branch() {
        let status = StatusLine {
            model: "gemini-3.8-flash".into(),
            branch: Some("x".into()),
            tokens: 5,
            ..StatusLine::default()
        };
        let lines = [60, 47, 43, 40].map(|width| status.line(width, &plain()).to_string());
        let whole = "default mode · gemini-3.8-flash · no sandbox";
        assert_eq!(lines[1], whole);
        assert!(!lines[2].contains(" x") && !lines[3].contains(" x") && !lines[3].contains("tokens"), "{lines:?}");
    }

    #[test]
    fn a_long_name_leaves_its_room_to_what_fits() {
        let model = "demo-offline-not-an-ai".to_owned();
        let status = StatusLine { model, port: Some(41242), ..StatusLine::default() };
        assert_eq!(status.line(40, &plain()).to_string(), "default mode · shared on :41242");
    }
}
