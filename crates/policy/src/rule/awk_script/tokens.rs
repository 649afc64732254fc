//! The tokens of an awk script, where every awk (mawk, gawk, busybox, the original) reads the same ones. Where they differ, or
//! might, there are none: whoever asks what a script does has to take the worst for granted then.

/// Words behind which a slash begins a pattern, in every awk.
const BEFORE_PATTERN: [&str; 7] = ["do", "else", "exit", "in", "print", "printf", "return"];
/// Words with parentheses behind which a statement begins.
const BEFORE_CONDITION: [&str; 4] = ["for", "if", "switch", "while"];
/// Words that are a name in some awks and more in others, or that nothing can be divided by: a slash behind them is not understood.
#[rustfmt::skip]
const NO_OPERAND: [&str; 61] = [
    "BEGIN", "BEGINFILE", "END", "ENDFILE", "and", "asort", "asorti", "atan2", "bindtextdomain", "break", "case", "close", "compl",
    "continue", "cos", "dcgettext", "dcngettext", "default", "delete", "exp", "fflush", "for", "func", "function", "gensub",
    "getline", "gsub", "if", "index", "int", "intdiv", "isarray", "length", "log", "lshift", "match", "mkbool", "mktime", "next",
    "nextfile", "or", "patsplit", "rand", "rshift", "sin", "split", "sprintf", "sqrt", "srand", "strftime", "strtonum", "sub",
    "substr", "switch", "system", "systime", "tolower", "toupper", "typeof", "while", "xor",
];

/// A part of a script that means something by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwkToken<'a> {
    Number,
    /// A name or a keyword.
    Word(&'a str),
    /// A string. One with a backslash is not what it says.
    Text {
        is_plain: bool,
    },
    /// `/…/`.
    Pattern,
    LineEnd,
    /// An operator or a bracket: `||`, `&&`, `++` and `--`, or one character.
    Symbol(&'a str),
}

/// The tokens of `script`; `None` if it is not certain what they are.
pub(super) fn tokenize(script: &str) -> Option<Vec<AwkToken<'_>>> {
    let mut tokenizer =
        Tokenizer { script, rest: script, tokens: Vec::new(), open: Vec::new(), condition_ended: false };
    while !tokenizer.rest.is_empty() {
        tokenizer.take_token()?;
    }
    tokenizer.open.is_empty().then_some(tokenizer.tokens)
}

struct Tokenizer<'a> {
    script: &'a str,
    rest: &'a str,
    tokens: Vec<AwkToken<'a>>,
    open: Vec<OpenBracket>,
    /// Whether the newest `)` ended the condition of an `if` or its like.
    condition_ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenBracket {
    closed_by: char,
    holds_condition: bool,
}

impl<'a> Tokenizer<'a> {
    fn take_token(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            ' ' | '\t' => self.advance(1),
            '\n' => {
                self.take_line_end()?;
                self.advance(1);
            }
            // A line that goes on. What a slash means there is not the same everywhere, nor whether a word goes on.
            '\\' => {
                let before = &self.script[..self.script.len() - self.rest.len()];
                (!before.ends_with(is_in_word)).then_some(())?;
                let behind = self.rest.strip_prefix("\\\n")?.trim_start_matches([' ', '\t']);
                self.rest = (!behind.starts_with('/')).then_some(behind)?;
            }
            '#' => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                (!self.rest[..end].ends_with(['\\', '\r'])).then_some(())?;
                self.advance(end);
            }
            '"' => {
                let len = text_len(&self.rest[1..])?;
                let is_plain = !self.rest[1..=len].contains('\\');
                self.push(AwkToken::Text { is_plain }, len + 2);
            }
            '/' if self.begins_pattern()? => {
                let len = pattern_len(&self.rest[1..])?;
                self.push(AwkToken::Pattern, len + 2);
            }
            '.' | '0'..='9' => {
                let len = number_len(self.rest)?;
                self.push(AwkToken::Number, len);
            }
            _ if is_in_word(first) => {
                let len = self.rest.find(|char| !is_in_word(char)).unwrap_or(self.rest.len());
                self.push(AwkToken::Word(&self.rest[..len]), len);
            }
            _ => self.take_symbol(first)?,
        }
        Some(())
    }

    fn advance(&mut self, len: usize) {
        self.rest = &self.rest[len..];
    }

    fn push(&mut self, token: AwkToken<'a>, len: usize) {
        self.tokens.push(token);
        self.advance(len);
    }

    /// Between parentheses a line ends only behind what cannot end a statement.
    fn take_line_end(&mut self) -> Option<()> {
        let goes_on = matches!(self.tokens.last(), Some(AwkToken::Symbol("," | "&&" | "||")));
        let in_brackets = self.open.last().is_some_and(|open| open.closed_by != '}');
        if in_brackets && !goes_on {
            return None;
        }
        self.tokens.push(AwkToken::LineEnd);
        Some(())
    }

    fn take_symbol(&mut self, first: char) -> Option<()> {
        let len = if ["||", "&&", "++", "--"].iter().any(|pair| self.rest.starts_with(pair)) { 2 } else { 1 };
        match first {
            '(' | '[' | '{' => {
                let closed_by = match first {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                let word = self.tokens.last();
                let holds_condition = matches!(word, Some(AwkToken::Word(word)) if BEFORE_CONDITION.contains(word));
                self.open.push(OpenBracket { closed_by, holds_condition });
            }
            ')' | ']' | '}' => {
                let closed = self.open.pop().filter(|open| open.closed_by == first)?;
                self.condition_ended = closed.holds_condition;
            }
            ';' | ',' | '+' | '-' | '*' | '/' | '%' | '^' | '!' | '<' | '=' | '~' | '?' | ':' | '$' | '|' => {}
            '&' if len == 2 => {}
            // Some awks could read a comparison at the beginning of a line as a part of the line before.
            '>' if self.tokens.last() != Some(&AwkToken::LineEnd) => {}
            _ => return None,
        }
        let symbol = &self.rest[..len];
        self.push(AwkToken::Symbol(symbol), len);
        Some(())
    }

    /// Whether a slash begins a pattern; if not, it divides.
    fn begins_pattern(&self) -> Option<bool> {
        match self.tokens.last() {
            None => Some(true),
            Some(AwkToken::Number | AwkToken::Text { .. } | AwkToken::Symbol("]")) => Some(false),
            Some(AwkToken::Symbol(")")) if !self.condition_ended => Some(false),
            Some(AwkToken::Word(word)) if BEFORE_PATTERN.contains(word) => Some(true),
            Some(AwkToken::Word(word)) if !NO_OPERAND.contains(word) => Some(false),
            Some(AwkToken::LineEnd) => {
                let before = self.tokens.iter().rev().find(|token| **token != AwkToken::LineEnd);
                let is_condition = before == Some(&AwkToken::Symbol(")")) && self.condition_ended;
                (!is_condition).then_some(true)
            }
            Some(AwkToken::Symbol(
                "(" | "," | "{" | "}" | ";" | "!" | "~" | "&&" | "||" | "=" | "+" | "-" | "?" | ":",
            )) => Some(true),
            Some(AwkToken::Word(_) | AwkToken::Pattern | AwkToken::Symbol(_)) => None,
        }
    }
}

fn is_in_word(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// The length of the number at the beginning of `text`. What goes on as a word may be two tokens: `1getline`, `0x1f`.
fn number_len(text: &str) -> Option<usize> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(0);
    let mut len = whole;
    if text[len..].starts_with('.') {
        let decimals = digits(len + 1);
        (whole + decimals > 0).then_some(())?;
        len += 1 + decimals;
    }
    if text[len..].starts_with(['e', 'E']) {
        let sign = usize::from(text[len + 1..].starts_with(['+', '-']));
        let exponent = digits(len + 1 + sign);
        (exponent > 0).then_some(())?;
        len += 1 + sign + exponent;
    }
    let goes_on = text[len..].starts_with(|char: char| is_in_word(char) || char == '.');
    (!goes_on).then_some(len)
}

/// The length of the string of which `text` is what stands behind the first quote.
fn text_len(text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    let mut before = ' ';
    while let Some((at, char)) = chars.next() {
        check_bytes(before, char)?;
        match char {
            '"' => return Some(at),
            '\n' => return None,
            '\\' => before = chars.next().filter(|(_, char)| *char != '\n')?.1,
            _ => before = char,
        }
    }
    None
}

/// The length of the pattern of which `text` is what stands behind the first slash. Some awks end it at a slash between brackets,
/// and where brackets end is not the same everywhere, so neither a slash nor another bracket may stand there, classes aside.
fn pattern_len(text: &str) -> Option<usize> {
    // With `=` it may be a division of what is before.
    (!text.starts_with('=')).then_some(())?;
    let (mut before, mut at) = (' ', 0);
    let mut in_brackets = false;
    while let Some(char) = text[at..].chars().next() {
        check_bytes(before, char)?;
        let mut len = char.len_utf8();
        let behind = &text[at + len..];
        match char {
            '\n' => return None,
            '/' => return (!in_brackets).then_some(at),
            '\\' => {
                let escaped = behind.chars().next().filter(|escaped| *escaped != '\n')?;
                (!(in_brackets && "[]".contains(escaped))).then_some(())?;
                len += escaped.len_utf8();
            }
            '[' if in_brackets => {
                let name = behind.strip_prefix(':')?;
                let end = name.find(|char: char| !char.is_ascii_lowercase())?;
                name[end..].starts_with(":]").then_some(())?;
                len += end + 3;
            }
            '[' => {
                in_brackets = true;
                let first = behind.strip_prefix('^').unwrap_or(behind);
                (!first.starts_with(']')).then_some(())?;
                len += behind.len() - first.len();
            }
            ']' => in_brackets = false,
            _ => {}
        }
        before = text[at..at + len].chars().next_back()?;
        at += len;
    }
    None
}

/// Where text is not UTF-8 for an awk, the last byte of a character and one of these may be one character.
fn check_bytes(before: char, char: char) -> Option<()> {
    (before.is_ascii() || !"\\[]".contains(char)).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens in letters: `n`umbers, `s`trings, `S`trings with a backslash, `p`atterns, `¶`, words and symbols.
    fn letters(script: &str) -> Option<String> {
        let tokens = tokenize(script)?;
        let letter = |token: &AwkToken<'_>| match token {
            AwkToken::Number => "n".to_owned(),
            AwkToken::Word(word) | AwkToken::Symbol(word) => (*word).to_owned(),
            AwkToken::Text { is_plain } => if *is_plain { "s" } else { "S" }.to_owned(),
            AwkToken::Pattern => "p".to_owned(),
            AwkToken::LineEnd => "¶".to_owned(),
        };
        Some(tokens.iter().map(letter).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn scripts_are_told_apart_as_awk_does() {
        for (script, expected) in [
            ("$1 > 5 {print $2}", "$ n > n { print $ n }"),
            ("BEGIN{x=1.5e-3;y=.5;z=5.}", "BEGIN { x = n ; y = n ; z = n }"),
            (r#"{print "a#b" "c\"d"} # x | y"#, "{ print s S }"),
            ("/a|b/ && !/[^,[:alpha:]\\/]x/", "p && ! p"),
            ("{x = $3 / 2 / (a + b) / c[1] / 4}", "{ x = $ n / n / ( a + b ) / c [ n ] / n }"),
            ("{n += /x/; if (/a/ || x ~ /b/) print /c/}", "{ n + = p ; if ( p || x ~ p ) print p }"),
            ("a,\nb || \\\n c\n/x/", "a , ¶ b || c ¶ p"),
            ("f(a,\n b)", "f ( a , ¶ b )"),
            ("x++ + y--", "x ++ + y --"),
            ("{print (a)/2}", "{ print ( a ) / n }"),
            ("/]/ {print \"é\"}", "p { print s }"),
        ] {
            assert_eq!(letters(script).as_deref(), Some(expected), "{script}");
        }
    }

    #[test]
    fn what_awks_read_differently_has_no_tokens() {
        for script in [
            // Numbers end at a letter, or do not.
            "1getline",
            "1e5x",
            "1e",
            "0x1F",
            "1.2.3",
            "1..2",
            ".",
            "1_a",
            // Brackets in patterns.
            "/[^]/]\"/",
            "/[]/]\"/",
            "/[[:alpha:]/]\"/",
            "/[/]/",
            "/[[]/",
            "/[\\]/]/",
            "/[[:alpha/]:]/",
            "/[[.a.]]/",
            "/=a/",
            "/a\nb/",
            "/a",
            // A slash that may divide.
            "x++ / 2",
            "x \\\n/ 2",
            "length / 2",
            "case / 2",
            "if (x) /2/",
            "if (x)\n/2/",
            "while(x)/a/",
            "/a/ / 2",
            "$/a/",
            "x ^ /a/",
            "BEGIN / 2",
            // Strings and lines.
            "\"a",
            "\"a\nb\"",
            "\"a\\\nb\"",
            "# a\\\n",
            "x \\ \ny",
            "(a\nb)",
            "a[1\n]",
            "sys\\\ntem",
            "print \"x\"\n> \"y\"",
            "\"é\\\"\"",
            "/é[/]/",
            // No characters of awk's.
            "@f(1)",
            "a & b",
            "'x'",
            "`x`",
            "é",
            "a\rb",
            "(a",
            "a)",
            "(a]",
            "a.b",
            "{",
            "a\\b",
        ] {
            assert_eq!(letters(script), None, "{script}");
        }
    }
}
