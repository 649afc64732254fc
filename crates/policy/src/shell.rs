//! A shell command, read whole: every command in it, and whatever could not be understood.
//!
//! Reading decides only whether to ask; the sandbox is what holds. So everything here fails towards a [`CommandDoubt`].

mod builtins;
mod git_command;
mod mentions;
mod read_words;
mod reader;
mod script_checks;
mod shell_text;
mod unwrap;
mod word;

#[cfg(test)]
mod tests;

pub(crate) use git_command::find_git_command;
pub(crate) use mentions::{CommandMentions, find_mentions};
pub(crate) use read_words::{find_inner_command, find_inner_programs};
pub(crate) use script_checks::find_suspicious_text as odd_character;
pub(crate) use unwrap::runs_option_text;
pub(crate) use word::ShellWord;

/// The longest command that is read.
const MAX_BYTES: usize = 16 * 1024;
/// The most commands one command may hold.
const MAX_COMMANDS: usize = 100;
/// How deep its structure may go.
const MAX_DEPTH: usize = 100;
/// How many shells may be inside one another.
const MAX_SHELLS: usize = 5;
/// How many programs may each run the next one: each of them has all the words of those behind it.
const MAX_WRAPPERS: usize = 10;

/// What a shell command does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShellScript {
    /// The commands in it, in the order they are written, those inside substitutions and inner shells included.
    pub(crate) commands: Vec<SimpleCommand>,
    /// What was not understood, or is understood and cannot be judged by reading.
    pub(crate) doubts: Vec<CommandDoubt>,
    /// Commands that run further ones whose text cannot be seen: a shell that reads its standard input, for one.
    pub(crate) unseen_scripts: Vec<CommandDoubt>,
    /// Whether there was more of it than is read.
    pub(crate) is_cut_short: bool,
}

impl ShellScript {
    /// Doubt a part that is not read to its end.
    fn cut_short(&mut self, part: &str, why: impl Into<String>) {
        self.is_cut_short = true;
        self.doubts.push(CommandDoubt { text: excerpt(part), why: why.into() });
    }

    /// Add a doubt if there were more commands than are judged.
    fn check_length(&mut self, command: &str) {
        if self.commands.len() > MAX_COMMANDS {
            self.cut_short(command, format!("it holds more than {MAX_COMMANDS} commands, too many to judge"));
        }
    }
}

/// One program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// As it is written.
    pub(crate) text: String,
    /// The program's name and its arguments.
    pub(crate) words: Vec<ShellWord>,
    /// Where it writes to by redirection, `/dev/null` and other descriptors aside.
    pub(crate) redirects: Vec<String>,
}

impl SimpleCommand {
    /// The command that `words` are, written without the quotes that are not needed to know them.
    pub(crate) fn from_words(words: Vec<ShellWord>) -> SimpleCommand {
        let shown: Vec<&str> = words.iter().map(ShellWord::display_text).collect();
        SimpleCommand { text: shown.join(" "), words, redirects: Vec::new() }
    }

    /// The words quoted only where they must be, one space between them: the same command, however it was written.
    pub(crate) fn plain_text(&self) -> String {
        let words: Vec<String> = self.words.iter().map(ShellWord::quoted).collect();
        words.join(" ")
    }

    /// Every way to write it that a rule which limits commands may have in mind: as it is, without needless quotes and
    /// spaces, and with the program by its name alone.
    pub(crate) fn spellings(&self) -> [String; 3] {
        let plain = self.plain_text();
        let named = match self.words.split_first() {
            Some((program, rest)) => {
                let program = program.quoted();
                let name = program.rsplit('/').next().unwrap_or_default();
                // Each command of git's is a program, too.
                let name =
                    name.strip_prefix("git-").map_or_else(|| name.to_owned(), |command| format!("git {command}"));
                [name].into_iter().chain(rest.iter().map(ShellWord::quoted)).collect::<Vec<_>>().join(" ")
            }
            None => String::new(),
        };
        [self.text.clone(), plain, named]
    }

    /// The program's name, when it is fixed text.
    pub(crate) fn name(&self) -> Option<&str> {
        self.words.first().and_then(ShellWord::literal)
    }
}

/// A part of a command that a person has to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandDoubt {
    /// The part.
    pub(crate) text: String,
    /// What is doubtful about it.
    pub(crate) why: String,
}

/// Read `command`.
pub(crate) fn read(command: &str) -> ShellScript {
    let mut script = ShellScript::default();
    read_into(command, &mut script, 0);
    script.check_length(command);
    if script.commands.is_empty() && script.doubts.is_empty() && script.unseen_scripts.is_empty() {
        script.doubts.push(CommandDoubt { text: excerpt(command), why: "there is no command in it".into() });
    }
    script_checks::check_whole_script(&mut script);
    script
}

/// What `command`, whose words are known already, runs in turn, itself included.
pub(crate) fn read_command(command: SimpleCommand) -> ShellScript {
    let mut script = ShellScript::default();
    let text = command.text.clone();
    reader::ScriptReader::new("", &mut script, 0).add(command);
    script.check_length(&text);
    script
}

/// Read the script of a shell that is `shells` deep in others.
fn read_into(command: &str, script: &mut ShellScript, shells: usize) {
    if command.len() > MAX_BYTES {
        return script.cut_short(command, format!("it is longer than {MAX_BYTES} bytes, too long to judge"));
    }
    if shells > MAX_SHELLS {
        return script.cut_short(command, format!("more than {MAX_SHELLS} shells are inside one another"));
    }
    if let Some(why) = script_checks::find_suspicious_text(command) {
        script.doubts.push(CommandDoubt { text: excerpt(command), why });
    }
    match reader::parse(command) {
        Some(tree) => reader::ScriptReader::new(command, script, shells).program(tree.root_node()),
        None => script.cut_short(command, "it takes too long to read"),
    }
}

/// The beginning of a text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 80;
    let line = text.replace('\n', "⏎");
    if line.chars().count() <= SHOWN { line } else { line.chars().take(SHOWN).chain(['…']).collect() }
}
