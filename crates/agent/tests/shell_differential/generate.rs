//! Makes up commands: most in the silent language, many with something put in that a shell could read in another way.

use fastrand::Rng;

/// Simple commands that policy lets run; `@` stands for a word.
const COMMANDS: [&str; 64] = [
    "ls @",
    "ls -la @ @",
    "cat @",
    "cat -n @ @",
    "head -n 5 @",
    "head -3 @",
    "tail -n1 @",
    "wc -l @ @",
    "grep -n @ a.txt",
    "grep -e @ @",
    "grep -rn --include=*.rs @ src",
    "rg @ src",
    "find . -name @",
    "find src -type f",
    "cut -d: -f1 @",
    "tr @ @",
    "seq 3",
    "expr 1 + 1",
    "rev @",
    "nl @",
    "cat @ @ @",
    "paste @ @",
    "stat -c %s @",
    "uniq -c",
    "sed -n 2,5p @",
    "base64 @",
    "echo @",
    "echo @ @ @",
    "echo @ @",
    "pwd",
    "true",
    "false",
    ": @",
    "test -f @",
    "[ -d @ ]",
    "[ -n @ ]",
    "command -v ls",
    "uname -a",
    "sort -k2,2 -rn @",
    "sort @ @",
    "tac @",
    "comm -12 @ @",
    "diff -u @ @",
    "cmp @ b.txt",
    "fold -w 20 @",
    "column -t -s, @",
    "md5sum @ @",
    "od -c @",
    "xxd -l 16 @",
    "hexdump -C @",
    "du -sh @",
    "basename @ @",
    "dirname @",
    "realpath @",
    "date +%F",
    "sed -e 's/a/b/' -e '1!d' @",
    "awk -F: '{print $1}' @ @",
    "jq -r --arg x @ .a b.txt",
    "printf '%s|%s\\n' @ @",
    "printf @",
    "type ls",
    "make @",
    "make -k @ @",
    "npm test @",
];

/// Words, as they are written.
const WORDS: [&str; 40] = [
    "a.txt",
    "b.txt",
    "src",
    "src/lib.rs",
    "'c d'",
    "c\\ d",
    "\"c d\"",
    "*",
    "*.txt",
    "?.txt",
    "src/*",
    "src/*.rs",
    "s*/l*",
    "x=y",
    "''",
    "\"\"",
    "'$(touch p)'",
    "'`touch p`'",
    "\\$x",
    "\\*",
    "\"a b\"'c'\\d",
    "é",
    "'#h'",
    "-",
    "--",
    "nope",
    "$?",
    "x$?y",
    "'a\nb'",
    "\"it's\"",
    "'say \"hi\"'",
    "a=b",
    "HEAD~1",
    "a^b",
    "\"\\\\\"",
    "\"\\a\"",
    "'\\n'",
    "*.none",
    "./a*",
    "'~'",
];

/// Separators of two commands.
const JOINTS: [&str; 8] = [" && ", " || ", "; ", "\n", " | ", " |\n", " &&\n", ";"];

/// Endings or beginnings of a command.
const REDIRECTIONS: [&str; 9] = [
    " 2>&1",
    " 1>&2",
    " >&2",
    " >/dev/null",
    " 2>/dev/null",
    " &>/dev/null",
    " </dev/null",
    " <a.txt",
    " >/dev/null 2>&1",
];
const BEFORE: [&str; 4] = ["LANG=C ", "TZ=UTC NO_COLOR=1 ", "timeout 5 ", "2>/dev/null "];

/// Texts that are put into a command somewhere: where policy still allows it, every shell must read it alike.
const HOSTILE: [&str; 60] = [
    "$",
    "`",
    "\\",
    "'",
    "\"",
    "#",
    "!",
    "&",
    "|",
    ";",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "*",
    "?",
    "~",
    "=",
    "%",
    "^",
    " ",
    "\t",
    "$x",
    "${x@P}",
    "$(touch p)",
    "`touch p`",
    "$((x))",
    "${y[x]}",
    "$'\\''",
    "$\"x\"",
    "<(ls)",
    ">f",
    ">>f",
    "2>f",
    "<<x",
    "&&",
    "||",
    "&",
    "\\\n",
    "touch p",
    ";touch p",
    "\r",
    "\u{a0}",
    "\0",
    "x=1 ",
    "PATH=. ",
    "-a -v b[$(touch p)]",
    "[a-z]",
    "{a,b}",
    "~/",
    " -exec touch p ;",
    " # touch p\n",
    " \\\n ",
    "@(a|b)",
    "$IFS",
];

pub(crate) struct ShellCommandGenerator {
    random: Rng,
}

impl ShellCommandGenerator {
    pub(crate) fn new(seed: u64) -> ShellCommandGenerator {
        ShellCommandGenerator { random: Rng::with_seed(seed) }
    }

    pub(crate) fn command(&mut self) -> String {
        let mut text = String::new();
        if self.random.u8(..20) == 0 {
            text.push_str("cd src && ");
        }
        for at in 0..1 + self.random.usize(..3) {
            if at > 0 {
                text.push_str(self.pick(&JOINTS));
            }
            text.push_str(&self.simple());
        }
        for _ in 0..self.random.usize(..3).saturating_sub(1) {
            self.disturb(&mut text);
        }
        // No process can be given such an argument.
        text.replace('\0', "\u{1}")
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.random.usize(..from.len())]
    }

    fn simple(&mut self) -> String {
        let mut text = String::new();
        if self.random.u8(..8) == 0 {
            text.push_str(self.pick(&BEFORE));
        }
        for char in self.pick(&COMMANDS).chars() {
            match char {
                '@' => text.push_str(self.pick(&WORDS)),
                _ => text.push(char),
            }
        }
        if self.random.u8(..5) == 0 {
            text.push_str(self.pick(&REDIRECTIONS));
        }
        text
    }

    /// Put something in, take something out, or write something twice.
    fn disturb(&mut self, text: &mut String) {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = boundaries[self.random.usize(..boundaries.len())];
        match self.random.u8(..6) {
            0 if at < text.len() => drop(text.remove(at)),
            1 => {
                let rest = text[at..].to_owned();
                text.push_str(&rest);
            }
            _ => text.insert_str(at, self.pick(&HOSTILE)),
        }
    }
}
