//! Programs that are no wrappers and yet run text which an option has: `split --filter=TEXT`, `git -c core.pager=TEXT`.

use super::{Inner, Word};

/// The options of a program whose values are commands.
struct TextOptions {
    programs: &'static [&'static str],
    /// They may be abbreviated.
    long: &'static [&'static str],
    short: &'static str,
    /// The other letters that have a value: what follows them in a word is no option.
    valued: &'static str,
}

const KNOWN: [TextOptions; 8] = [
    TextOptions { programs: &["split"], long: &["--filter"], short: "", valued: "" },
    TextOptions {
        programs: &["tar", "gtar", "bsdtar"],
        long: &[
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ],
        short: "FI",
        valued: "CHKLNTVXbfg",
    },
    TextOptions { programs: &["sort"], long: &["--compress-program"], short: "", valued: "" },
    TextOptions { programs: &["rg"], long: &["--hostname-bin", "--pre"], short: "", valued: "" },
    TextOptions { programs: &["rsync"], long: &["--rsh"], short: "e", valued: "BMTf@" },
    TextOptions { programs: &["man"], long: &["--pager"], short: "P", valued: "CELMRSTmrs" },
    TextOptions { programs: &["zip"], long: &["--unzip-command"], short: "", valued: "" },
    TextOptions {
        programs: &["git"],
        long: &["--exec", "--extcmd", "--open-files-in-pager", "--receive-pack", "--upload-pack"],
        short: "",
        valued: "",
    },
];

/// Settings that name no program, nor a file that does; with a dot at the end, all that begin so.
const HARMLESS_SETTINGS: [&str; 18] = [
    "advice.",
    "color.",
    "column.",
    "commit.gpgsign",
    "core.abbrev",
    "core.autocrlf",
    "core.fsmonitor=false",
    "core.quotepath",
    "fetch.prune",
    "http.extraheader",
    "init.defaultbranch",
    "log.",
    "merge.conflictstyle",
    "protocol.version",
    "pull.rebase",
    "push.default",
    "safe.directory",
    "user.",
];

/// What the program `name` runs that its `arguments` tell it to.
pub(super) fn run_by_options(name: &str, arguments: &[Word]) -> Option<Inner> {
    let known = KNOWN.iter().find(|known| known.programs.contains(&name))?;
    let mut found = known.texts_in(arguments);
    if name == "git" {
        found.extend(run_by_git(arguments));
    }
    found.into_iter().reduce(|before, next| match (before, next) {
        (Inner::Script(before), Inner::Script(next)) => Inner::Script(format!("{before}\n{next}")),
        _ => Inner::UNKNOWN_TEXT,
    })
}

impl TextOptions {
    fn texts_in(&self, arguments: &[Word]) -> Vec<Inner> {
        let mut found = Vec::new();
        for (at, word) in arguments.iter().enumerate() {
            let written = word.shown().trim_start_matches(['"', '\'']);
            let value = match written.strip_prefix("--") {
                Some("") => break,
                Some(_) => self.value_of_long(written),
                None => written.strip_prefix('-').and_then(|letters| self.value_of_letter(letters)),
            };
            match value {
                None => {}
                Some(OptionValue::NextWord) => found.push(Inner::of_word(arguments.get(at + 1))),
                Some(OptionValue::Attached(_)) if word.literal().is_none() => found.push(Inner::UNKNOWN_TEXT),
                Some(OptionValue::Attached(text)) => found.push(Inner::Script(text.to_owned())),
            }
        }
        found
    }

    fn value_of_long<'a>(&self, written: &'a str) -> Option<OptionValue<'a>> {
        let (name, value) = written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
        let option = self.long.iter().find(|option| option.starts_with(name))?;
        match (*option, value) {
            // Its other actions run nothing, and `--checkpoint` itself has a number.
            ("--checkpoint-action", Some(action)) => action.strip_prefix("exec=").map(OptionValue::Attached),
            ("--checkpoint-action", None) if name == "--checkpoint" => None,
            (_, Some(text)) => Some(OptionValue::Attached(text)),
            (_, None) => Some(OptionValue::NextWord),
        }
    }

    fn value_of_letter<'a>(&self, letters: &'a str) -> Option<OptionValue<'a>> {
        let at = letters.find(|letter| self.short.contains(letter) || self.valued.contains(letter))?;
        let (letter, attached) = letters[at..].split_at(1);
        match attached {
            _ if !self.short.contains(letter) => None,
            "" => Some(OptionValue::NextWord),
            text => Some(OptionValue::Attached(text)),
        }
    }
}

/// Where the value of an option is.
enum OptionValue<'a> {
    Attached(&'a str),
    NextWord,
}

/// What git runs by its settings, and by those of its commands that run others.
fn run_by_git(arguments: &[Word]) -> Option<Inner> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-c") if words.next().is_some_and(is_harmless_setting) => {}
            Some("-C" | "--git-dir" | "--work-tree" | "--namespace") => drop(words.next()),
            Some(option)
                if option == "-c" || ["--config-env", "--exec-path="].iter().any(|o| option.starts_with(o)) =>
            {
                return Some(Inner::UnseenScript("its settings can name programs to run"));
            }
            Some(option) if option.starts_with('-') => {}
            Some(command) => return run_by_git_command(command, words.as_slice()),
            None => return None,
        }
    }
    None
}

fn is_harmless_setting(setting: &Word) -> bool {
    let is_known = |text: &str| {
        let text = text.to_ascii_lowercase();
        let key = text.split_once('=').map_or(text.as_str(), |(key, _)| key);
        HARMLESS_SETTINGS.iter().any(|known| {
            if known.ends_with('.') { key.starts_with(known) } else { [key, text.as_str()].contains(known) }
        })
    };
    setting.literal().is_some_and(is_known)
}

fn run_by_git_command(command: &str, arguments: &[Word]) -> Option<Inner> {
    let behind = |wanted: &str| {
        let at = arguments.iter().position(|word| word.literal() == Some(wanted))?;
        let is_operand = |word: &Word| !word.literal().is_some_and(|text| text.starts_with('-'));
        let script = arguments[at..].iter().skip(1).position(is_operand)?;
        Some(&arguments[at + 1 + script..])
    };
    match command {
        "bisect" => behind("run").map(Inner::of_joined),
        "submodule" => behind("foreach").map(Inner::of_joined),
        "rebase" | "difftool" => {
            let options = TextOptions { programs: &["git"], long: &[], short: "x", valued: "CXst" };
            options.texts_in(arguments).pop()
        }
        "filter-branch" => Some(Inner::UNKNOWN_OPTION),
        _ => None,
    }
}
