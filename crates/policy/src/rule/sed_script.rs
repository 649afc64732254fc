//! Scripts of sed that do nothing but edit text. Others can run programs (`e`, `s/a/b/e`) and read and write files (`r`, `w`).

use super::RuleMatch;
use crate::shell::ShellWord;

/// Options that stand alone and let a script do nothing more.
const FLAGS: [&str; 10] = [
    "--quiet",
    "--silent",
    "--regexp-extended",
    "--in-place",
    "--separate",
    "--unbuffered",
    "--null-data",
    "--posix",
    "--debug",
    "--sandbox",
];
/// Commands of one letter that only edit text; some take a number.
const EDITS: &str = "dDgGhHlnNpPqx=";
/// What may stand between commands.
const BETWEEN: [char; 6] = [' ', '\t', '\n', ';', '{', '}'];

/// What seds make of a delimiter between brackets (`s/[^/]*$//`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BracketReading {
    /// It ends the pattern there, too.
    None,
    /// It stands for itself up to the first closing bracket.
    Simple,
    /// The same, and `[:alpha:]` between the brackets does not close them.
    WithClasses,
}

pollux_session::all_variants! {
    BracketReading:
        None,
        Simple,
        WithClasses,
}

/// Whether sed, told `words`, may do more than edit text.
pub(super) fn is_unclear(words: &[ShellWord]) -> RuleMatch {
    match scripts_in(words) {
        Ok(scripts) if scripts.iter().all(|script| is_plain(script)) => RuleMatch::No,
        Ok(_) => RuleMatch::Yes,
        Err(unclear) => unclear,
    }
}

/// The scripts among `words`: those behind `-e`, and the first operand unless one stands before it. Behind it, some seds look
/// for no more options and take it for the script all the same. An error says how sure it is that there is an option that is
/// not known here.
fn scripts_in(words: &[ShellWord]) -> Result<Vec<&str>, RuleMatch> {
    let (mut scripts, mut has_ended) = (Vec::new(), false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            if word.may_be_option() || scripts.is_empty() {
                return Err(RuleMatch::Maybe);
            }
            continue;
        };
        let mut next = || words.next().and_then(ShellWord::literal).ok_or(RuleMatch::Maybe);
        match text.strip_prefix('-').filter(|_| !has_ended) {
            None | Some("") if scripts.is_empty() => scripts.push(text),
            None | Some("") => {}
            Some("-") => has_ended = true,
            Some("-expression") => scripts.push(next()?),
            Some(long) if long.starts_with('-') => match text.split_once('=') {
                Some(("--expression", script)) => scripts.push(script),
                Some(("--in-place", suffix)) if is_plain_suffix(suffix) => {}
                _ if FLAGS.contains(&text) => {}
                _ => return Err(RuleMatch::Yes),
            },
            Some(letters) => {
                let behind = letters.trim_start_matches(['n', 'E', 'r', 's', 'u', 'z']);
                match (behind.get(..1), behind.get(1..)) {
                    (None, _) => {}
                    (Some("i"), suffix) if is_plain_suffix(suffix.unwrap_or_default()) => {}
                    (Some("e"), Some("")) => scripts.push(next()?),
                    (Some("e"), Some(script)) => scripts.push(script),
                    _ => return Err(RuleMatch::Yes),
                }
            }
        }
    }
    Ok(scripts)
}

/// Whether sed, told `words` behind the `prefix` of a rule, changes files, and the rule says more than its name and nothing of that:
/// who allows `sed -n` means to look.
pub(super) fn changes_files_unnamed(prefix: &[String], words: &[ShellWord]) -> bool {
    let changes = |text: &str| match text.strip_prefix('-') {
        Some(long) if long.starts_with('-') => text.len() > 3 && text.starts_with("--i"),
        Some(letters) => letters.trim_start_matches(['n', 'E', 'r', 's', 'u', 'z']).starts_with('i'),
        None => false,
    };
    let is_narrow = matches!(prefix, [program, _, ..] if program == "sed" || program == "gsed");
    is_narrow && !prefix.iter().any(|word| changes(word)) && words.iter().any(|word| word.literal().is_none_or(changes))
}

/// Whether what is attached to `-i` is only the end of a name: a slash names another directory, and the name of the file is put in
/// the place of a star.
fn is_plain_suffix(suffix: &str) -> bool {
    !suffix.contains(['/', '*'])
}

/// Whether every command of `script` is understood and edits text, whichever sed reads it.
pub(crate) fn is_plain(script: &str) -> bool {
    BracketReading::ALL.iter().all(|reading| is_plain_as(script, *reading))
}

fn is_plain_as(script: &str, reading: BracketReading) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(BETWEEN);
        if rest.is_empty() {
            return true;
        }
        let Some(behind) = behind_command(rest, reading) else { return false };
        rest = behind.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with([';', '\n', '{', '}', '#']) {
            return false;
        }
    }
}

/// What stands behind the first command of `script`, addresses included; `None` if that is not understood.
fn behind_command(script: &str, reading: BracketReading) -> Option<&str> {
    if script.starts_with('#') {
        return Some(script.find('\n').map_or("", |end| &script[end..]));
    }
    let mut rest = behind_address(script, reading)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = behind_address(second.trim_start_matches([' ', '+']), reading).filter(|behind| *behind != second)?;
    }
    let rest = rest.trim_start_matches([' ', '\t', '!']);
    let command = rest.chars().next()?;
    let behind = rest.get(1..)?;
    match command {
        's' => {
            let behind = behind_substitution(behind, reading)?;
            let next = behind.trim_start_matches(|char: char| "gpiIm".contains(char) || char.is_ascii_digit());
            // No sed has such a flag: it refuses the whole script before anything of it runs.
            Some(if next.starts_with(['/', ',', '|', ':', '@']) { "" } else { next })
        }
        'y' => behind_substitution(behind, reading),
        // The block is what follows; it is read by the caller, however deep it lies.
        '{' => Some(rest),
        // Whatever else stands there belongs to the label for some, and is the next command for others.
        ':' | 'b' | 't' | 'T' => {
            let next =
                behind.trim_start_matches(|char: char| char.is_ascii_alphanumeric()).trim_start_matches([' ', '\t']);
            let ends: &[char] = if command == ':' { &[';', '\n'] } else { &[';', '\n', '}'] };
            (next.is_empty() || next.starts_with(ends)).then_some(next)
        }
        // Text, up to the end of the line. A backslash would have it go on, except before all of it, where it keeps spaces.
        'a' | 'i' | 'c' => {
            let (line, next) = behind.split_at(behind.find('\n').unwrap_or(behind.len()));
            let text = line.strip_prefix('\\').filter(|text| !text.trim().is_empty()).unwrap_or(line);
            (!text.contains('\\')).then_some(next)
        }
        _ if EDITS.contains(command) => Some(behind_digits(behind)),
        _ => None,
    }
}

/// What stands behind both parts of `s/a/b/` or `y/a/b/`, without the letter in front.
fn behind_substitution(parts: &str, reading: BracketReading) -> Option<&str> {
    let delimiter = parts.chars().next().filter(char::is_ascii_punctuation)?;
    let (_, behind) = split_unescaped(behind_pattern(&parts[1..], delimiter, reading)?, delimiter)?;
    Some(behind)
}

/// What stands behind an address: a number, `first~step`, `$`, `/pattern/`, or none.
fn behind_address(script: &str, reading: BracketReading) -> Option<&str> {
    if let Some(pattern) = script.strip_prefix('/') {
        return Some(behind_pattern(pattern, '/', reading)?.trim_start_matches(['I', 'M']));
    }
    let behind = script.strip_prefix('$').unwrap_or_else(|| behind_digits(script));
    Some(behind.strip_prefix('~').map_or(behind, behind_digits))
}

fn behind_digits(text: &str) -> &str {
    text.trim_start_matches(|char: char| char.is_ascii_digit())
}

/// What stands behind a pattern and its `delimiter`.
fn behind_pattern(text: &str, delimiter: char, reading: BracketReading) -> Option<&str> {
    if reading == BracketReading::None {
        return split_unescaped(text, delimiter).map(|(_, behind)| behind);
    }
    let mut rest = text;
    loop {
        let at = rest.find(['\\', '[', '\n', delimiter])?;
        let (found, behind) = rest[at..].split_at(1);
        rest = match found {
            _ if found.starts_with(delimiter) => return Some(behind),
            "[" => behind_brackets(behind, reading)?,
            "\\" => &behind[behind.chars().next()?.len_utf8()..],
            _ => return None,
        };
    }
}

/// What stands behind the closing bracket of `text`, which begins behind the opening one.
fn behind_brackets(text: &str, reading: BracketReading) -> Option<&str> {
    let inside = text.strip_prefix('^').unwrap_or(text);
    // The first bracket stands for itself there.
    let mut rest = inside.strip_prefix(']').unwrap_or(inside);
    loop {
        let (before, behind) = rest.split_at(rest.find([']', '[', '\n'])?);
        // Whether a backslash quotes a bracket here is not the same everywhere.
        if behind.starts_with('\n') || before.ends_with('\\') {
            return None;
        }
        let class = behind.get(1..2).filter(|kind| behind.starts_with('[') && [":", ".", "="].contains(kind));
        rest = match (class, reading) {
            (Some(kind), BracketReading::WithClasses) => behind[2..].split_once(&format!("{kind}]"))?.1,
            _ if behind.starts_with(']') => return Some(&behind[1..]),
            _ => &behind[1..],
        };
    }
}

/// `text` before and behind the first `delimiter` that no backslash quotes.
fn split_unescaped(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut is_quoted = false;
    for (at, char) in text.char_indices() {
        match char {
            _ if is_quoted => is_quoted = false,
            '\\' => is_quoted = true,
            '\n' => return None,
            _ if char == delimiter => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unclear(command: &str) -> bool {
        let script = crate::shell::read(command);
        is_unclear(&script.commands[0].words[1..]) != RuleMatch::No
    }

    #[test]
    fn scripts_that_only_edit_text_are_clear() {
        for command in [
            "sed p a",
            "sed -n 5,9p a",
            "sed -n '/from/,/to/p' a",
            "sed -n '$p;2q' a",
            "sed '/^$/d' a",
            "sed 's/a/b/' a b",
            "sed -i 's/a/b/g' a",
            "sed -i.bak -E 's|[/x]+|\\||2g' a",
            "sed 's/\\/r/e/g' a",
            "sed -e 's/a/b/' -e '1!d' -- a",
            "sed -ne 1p a",
            "sed --expression='s,a,b,;s,c,d,I' --quiet a",
            "sed -n '/x/{s/a/b/p;d}' a",
            "sed -n '2,+3p' a",
            "sed '1i hello' a",
            "sed -i '5i\\    indented' a",
            "sed '/x/a\\y' a",
            "sed 's/[^/]*$//' a",
            "sed 's,[^,]*$,,;p' a",
            "sed -E 's/[[:space:]]+[^]x]$//' a",
            "sed 's/[\\/]/x/' a",
            "sed '/x/a y, z' a",
            "sed 'y/abc/def/;1~2d;l5' a",
            "sed ':a;N;$!ba;s/x/y/g' a",
            "sed '# a word\ns/a/b/ # and another' a",
            "sed --expression p a",
            "sed -es/a/b/ a",
            "sed --in-place=.bak p a",
            "sed p x\"$y\" -",
            "sed -e p x\"$y\"",
            "sed 's/[a]:/x/;s/[a]./x/' a",
        ] {
            assert!(!unclear(command), "{command}");
        }
    }

    /// One command text must never end the process.
    #[test]
    fn blocks_may_lie_as_deep_as_they_like() {
        let script = format!("{}p", "1{".repeat(8_000));
        let small = std::thread::Builder::new().stack_size(64 * 1024);
        assert!(small.spawn(move || is_plain(&script)).unwrap().join().unwrap());
    }

    #[test]
    fn a_script_that_may_run_a_program_or_name_a_file_is_not() {
        for command in [
            "sed '1e touch M' a",
            "sed 'y/a/b/e' a",
            "sed ':a;e touch M' a",
            "sed '1i x\\\ny' a",
            "sed '#\ne touch M' a",
            "sed e a",
            "sed 's/.*/touch M/e' a",
            "sed 's/x/y/ge' a",
            "sed -e 's/x/curl/;e' a",
            "sed 'r id_rsa' a",
            "sed rid_rsa a",
            "sed 'R id_rsa' a",
            "sed 'w .git/hooks/x' a",
            "sed 's/a/b/w x' a",
            "sed '1{r id_rsa\n}' a",
            "sed 'p;rid_rsa' a",
            "sed '/a/Ie x' a",
            "sed '\\,a,e x' a",
            "sed -f x.sed a",
            "sed -nf x.sed a",
            "sed --file=x.sed a",
            "sed --exp='e x' a",
            "sed a -e 'e x'",
            "sed p -s --expression 'e x'",
            "sed -i -e p a -ee",
            "sed \"$x\" a",
            "sed -n $x p a",
            "sed p $x",
            "sed x\"$y\" a",
            "sed - a",
            "sed -- -- p",
            "sed -- --expression p",
            "sed -- -e p",
            // Some take the first operand for the script although another follows.
            "sed 'w x' -e p",
            "sed sxaxbx a",
            "sed s\u{e9}a\u{e9}b\u{e9} a",
            "sed 's\\a\\b\\' a",
            "sed 's/a/b\ne touch M\n/' a",
            "sed '1~2e touch M' a",
            "sed '1~e touch M' a",
            // With or without regard to brackets, one of these has a flag `e`.
            "sed 's/[^]/]/;/e;#/p' a",
            "sed 's/[/]/x/e;p' a",
            "sed 's/[^/]*$//e' a",
            "sed 's/[^/]/x/;s/a/b/e' a",
            "sed 's/[[:alpha:]/]/;p;#/e' a",
            "sed 's/[[/]/;p;#/e' a",
            "sed 's/[a\\]/b]/p;#/e' a",
            "sed '1i\\\ne touch M' a",
            "sed '1i\\  \ne touch M' a",
            "sed '1i\\x\\\ny' a",
            "sed '1i \\x\ne touch M' a",
            "sed -i'.g*/config' p it",
            "sed -n -i'.gi*' p t",
            "sed -ni.git/hooks/x p a",
            "sed --in-place='.g*/config' p it",
        ] {
            assert!(unclear(command), "{command}");
        }
    }
}
