//! Programs that are no wrappers and yet run text which an option has: `split --filter=TEXT`, `git -c core.pager=TEXT`.

use super::{ShellWord, WrappedCommand};

/// The options of a program whose values are commands.
struct TextOptions {
    programs: &'static [&'static str],
    /// They may be abbreviated.
    long: &'static [&'static str],
    short: &'static str,
    /// The other letters that have a value: what follows them in a word is no option.
    valued: &'static str,
}

const KNOWN: [TextOptions; 14] = [
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
    TextOptions { programs: &["rsync"], long: &["--rsh", "--rsync-path"], short: "e", valued: "BMTf@" },
    TextOptions { programs: &["man"], long: &["--html", "--pager"], short: "HP", valued: "CELMRSTmrs" },
    TextOptions { programs: &["npm", "npx"], long: &["--call"], short: "c", valued: "" },
    TextOptions { programs: &["ssh"], long: &[], short: "", valued: "" },
    TextOptions { programs: &["scp", "sftp"], long: &[], short: "DS", valued: "BbcFiJloPRsX" },
    TextOptions {
        programs: &["nc", "ncat", "netcat"],
        long: &["--exec", "--sh-exec"],
        short: "ce",
        valued: "ginopqswxTVX",
    },
    TextOptions { programs: &["fd", "fdfind"], long: &["--exec", "--exec-batch"], short: "Xx", valued: "CESTcdejot" },
    TextOptions { programs: &["tmux"], long: &[], short: "c", valued: "LSTf" },
    TextOptions { programs: &["zip"], long: &["--unzip-command"], short: "", valued: "" },
    TextOptions {
        programs: &["git"],
        long: &["--exec", "--extcmd", "--open-files-in-pager", "--receive-pack", "--upload-pack"],
        short: "",
        valued: "",
    },
];

/// Settings of ssh's, of which some are commands.
const SSH_SETTINGS: TextOptions =
    TextOptions { programs: &["ssh", "scp", "sftp"], long: &[], short: "o", valued: "BbcDEeFIiJLlmPpQRSsWwX" };
const SSH_COMMANDS: [&str; 3] = ["knownhostscommand", "localcommand", "proxycommand"];

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
pub(super) fn run_by_options(name: &str, arguments: &[ShellWord]) -> Option<WrappedCommand> {
    let known = KNOWN.iter().find(|known| known.programs.contains(&name))?;
    // What stands behind the first operand of npx is the other program's, and of tmux its command's.
    let arguments = if ["npx", "tmux"].contains(&name) { before_operands(arguments) } else { arguments };
    let mut found = known.texts_in(arguments);
    if known.programs.contains(&"tar") {
        found.extend(known.texts_of_bundle(arguments));
    }
    if SSH_SETTINGS.programs.contains(&name) {
        found.extend(SSH_SETTINGS.texts_in(arguments).into_iter().filter_map(ssh_command));
    }
    if name == "git" {
        found.extend(run_by_git(arguments));
    }
    found.into_iter().reduce(WrappedCommand::with)
}

/// Whether `word` is an option of fd's that has it run a program, and what is attached to it.
pub(super) fn value_of_fd(word: &str) -> Option<Option<&str>> {
    let known = KNOWN.iter().find(|known| known.programs.contains(&"fd"))?;
    let value = match word.strip_prefix("--") {
        Some(_) => known.value_of_long(word).filter(|_| word.len() > 2)?,
        None => known.value_of_letter(word.strip_prefix('-')?)?,
    };
    Some(match value {
        OptionValue::Attached(text) => Some(text.trim_start_matches('=')),
        OptionValue::NextWord => None,
    })
}

/// The words before the first operand. What follows an option may be its value.
fn before_operands(words: &[ShellWord]) -> &[ShellWord] {
    let is_option = |at: usize| words[at].may_be_option();
    let operand =
        (0..words.len()).find(|at| !is_option(*at) && at.checked_sub(1).is_none_or(|before| !is_option(before)));
    &words[..operand.unwrap_or(words.len())]
}

/// The command in a setting of ssh's: `ProxyCommand=x`, `ProxyCommand x`.
fn ssh_command(setting: WrappedCommand) -> Option<WrappedCommand> {
    let WrappedCommand::Script(text) = &setting else { return Some(setting) };
    let (name, command) = text.trim_start().split_once(['=', ' ', '\t'])?;
    let is_command = SSH_COMMANDS.contains(&name.to_ascii_lowercase().as_str());
    is_command.then(|| WrappedCommand::Script(command.trim_start_matches([' ', '\t', '=']).to_owned()))
}

impl TextOptions {
    /// The same in a first word without a dash (`tar cIf x y`): the values are the next words, in the order of the letters.
    fn texts_of_bundle(&self, arguments: &[ShellWord]) -> Vec<WrappedCommand> {
        let letters = arguments.first().and_then(ShellWord::literal).filter(|first| !first.starts_with('-'));
        let valued = letters
            .unwrap_or_default()
            .chars()
            .filter(|letter| format!("{}{}", self.short, self.valued).contains(*letter));
        let texts = valued.enumerate().filter(|(_, letter)| self.short.contains(*letter));
        texts.map(|(at, _)| WrappedCommand::from_word(arguments.get(at + 1))).collect()
    }

    fn texts_in(&self, arguments: &[ShellWord]) -> Vec<WrappedCommand> {
        let mut found = Vec::new();
        for (at, word) in arguments.iter().enumerate() {
            let written = word.display_text().trim_start_matches(['"', '\'']);
            let value = match written.strip_prefix("--") {
                Some("") if self.may_be_value(arguments, at) => None,
                Some("") => break,
                // Some programs take `---call` for `--call`.
                Some(name) => self.value_of_long(&written[name.len() - name.trim_start_matches('-').len()..]),
                None => written.strip_prefix('-').and_then(|letters| self.value_of_letter(letters)),
            };
            match value {
                None => {}
                Some(OptionValue::NextWord) => {
                    let inner = WrappedCommand::from_word(arguments.get(at + 1));
                    found.extend(if written.starts_with("--checkpoint") { only_exec(inner) } else { Some(inner) });
                }
                Some(OptionValue::Attached(_)) if word.literal().is_none() => found.push(WrappedCommand::UNKNOWN_TEXT),
                Some(OptionValue::Attached(text)) => found.push(WrappedCommand::Script(text.to_owned())),
            }
        }
        found
    }

    /// Whether the word at `at` may be the value of an option before it (`tar -cf -- -I x`, `tar cf -- -I x`), and so not end
    /// the options.
    fn may_be_value(&self, arguments: &[ShellWord], at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| arguments[before].may_be_option()) || self.programs.contains(&"tar")
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

/// What an action of tar's runs: `exec=x`; the others run nothing.
fn only_exec(action: WrappedCommand) -> Option<WrappedCommand> {
    match action {
        WrappedCommand::Script(text) => Some(WrappedCommand::Script(text.strip_prefix("exec=")?.to_owned())),
        unseen => Some(unseen),
    }
}

/// Where the value of an option is.
enum OptionValue<'a> {
    Attached(&'a str),
    NextWord,
}

/// What git runs by its settings, and by those of its commands that run others.
fn run_by_git(arguments: &[ShellWord]) -> Option<WrappedCommand> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-c") if words.next().is_some_and(is_harmless_setting) => {}
            Some("-C" | "--git-dir" | "--work-tree" | "--namespace") => drop(words.next()),
            Some(option)
                if option == "-c" || ["--config-env", "--exec-path="].iter().any(|o| option.starts_with(o)) =>
            {
                return Some(WrappedCommand::UnseenScript("its settings can name programs to run"));
            }
            Some(option) if option.starts_with('-') => {}
            Some(command) => return run_by_git_command(command, words.as_slice()),
            None => return None,
        }
    }
    None
}

fn is_harmless_setting(setting: &ShellWord) -> bool {
    let is_known = |text: &str| {
        let text = text.to_ascii_lowercase();
        let key = text.split_once('=').map_or(text.as_str(), |(key, _)| key);
        HARMLESS_SETTINGS.iter().any(|known| {
            if known.ends_with('.') { key.starts_with(known) } else { [key, text.as_str()].contains(known) }
        })
    };
    setting.literal().is_some_and(is_known)
}

fn run_by_git_command(command: &str, arguments: &[ShellWord]) -> Option<WrappedCommand> {
    let behind = |wanted: &str| {
        let at = arguments.iter().position(|word| word.literal() == Some(wanted))?;
        let is_operand = |word: &ShellWord| !word.literal().is_some_and(|text| text.starts_with('-'));
        let script = arguments[at..].iter().skip(1).position(is_operand)?;
        Some(&arguments[at + 1 + script..])
    };
    let text_behind = |short, valued| {
        let options = TextOptions { programs: &["git"], long: &[], short, valued };
        options.texts_in(arguments).pop()
    };
    match command {
        "bisect" => behind("run").map(WrappedCommand::from_joined).or_else(|| {
            let viewer = behind("view").or_else(|| behind("visualize"))?;
            // Anything else is a command of git's.
            let is_program = viewer.first()?.literal().is_some_and(|name| name == "tig" || name.starts_with("git"));
            let git = (!is_program).then(|| ShellWord::fixed("git"));
            Some(WrappedCommand::Commands(vec![git.into_iter().chain(viewer.iter().cloned()).collect()]))
        }),
        "submodule" => behind("foreach").map(WrappedCommand::from_joined),
        "rebase" | "difftool" => text_behind("x", "CXst"),
        "grep" => text_behind("O", "ABCefm"),
        "clone" => text_behind("u", "bcjo"),
        "filter-branch" => Some(WrappedCommand::UNKNOWN_OPTION),
        _ => None,
    }
}
