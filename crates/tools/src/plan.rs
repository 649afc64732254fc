//! From a judged plan to one that can run: which file each program is, which names a pattern stands for, and whether
//! everything it would read may be read without a question.
//!
//! This is the half of the judgement that needs the disk. It is asked when a call is vetted, and again just before the call
//! starts: what it objects to then is asked about anew. Whatever it cannot be sure of is an [`PlanObjection`].

mod allowed_git;
mod builtins;
mod copies;
mod expand;
mod git_arguments;
mod git_config;
mod inner_commands;
mod input_names;
mod known_options;
mod left_out;
mod lookups;
mod named_directories;
mod names_inside;
mod operands;
mod packing;
mod patch_names;
mod patches;
mod push_targets;
mod readable;
mod reads;
mod repository;
mod repository_links;
mod search;
mod search_path;
mod time_limit;
mod unpacking;

#[cfg(test)]
mod tests;

use crate::built_in::run_shell_command::ShellStreams;
use crate::process::{
    EnvironmentRules, ReadablePaths, RunnableAction, RunnableCommand, RunnablePiece, RunnablePipeline, RunnablePlan,
    RunnableProgram, RunnableRedirection, RunnableWord, child_environment, confinement_available, search_directories,
};
use crate::process_environment::ProcessEnvironment;
use crate::toolbox_settings::FileFilterSettings;
use crate::workspace::{FileAccess, ObeyedPlaces, Workspace, hides_secret_names};
use allowed_git::allowed_git;
use builtins::{Builtin, builtin};
use git_arguments::{GitCall, check_operand as check_git_operand, harmless_arguments};
use left_out::LeftOutNames;
use lookups::{MAX_LOOKS, PlanLookups};
use names_inside::{curl_makes_names, names_inside};
use operands::OperandUse;
use pollux_session::{
    CommandPlan, PlanAuthority, PlannedCommand, PlannedRedirection, PlannedWord, ReadKind, WordPiece,
};
use repository::GitAccess;
use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where programs lie together with all that they need.
const SYSTEM_DIRECTORIES: [&str; 5] = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];

/// Programs that only look and start others to do so. What the others read is confined in the same way.
const STARTS_OTHERS: [&str; 1] = ["git"];

/// What it costs to see whether a repository is harmless, in looks: a handful of files is read.
const REPOSITORY_LOOKS: usize = 16;

/// The longest path that the system opens.
const MAX_PATH: usize = 4096;

/// Why a plan may not run without a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanObjection {
    /// In words for people.
    pub why: String,
    /// Whether it would read a file with a protected name: then it asks every time.
    pub is_secret: bool,
    /// The command of the plan that it is about, counted from 0; `None` if it is about several.
    pub command: Option<usize>,
}

impl PlanObjection {
    pub(crate) fn new(why: impl Into<String>) -> PlanObjection {
        PlanObjection { why: why.into(), is_secret: false, command: None }
    }

    /// It would read a file with a protected name.
    fn of_secret(why: impl Into<String>) -> PlanObjection {
        PlanObjection { is_secret: true, ..PlanObjection::new(why) }
    }
}

/// What programs of a plan are given besides what the plan says.
#[derive(Clone, Debug)]
pub(crate) struct PlanEnvironment {
    pub(crate) streams: ShellStreams,
    /// The variables that a person lets commands have besides the harmless ones.
    pub(crate) passed: Vec<String>,
}

/// A plan that can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedPlan {
    pub(crate) runnable: RunnablePlan,
    /// What its searches leave out, as a sentence for the model.
    pub(crate) left_out: Option<String>,
}

/// Look up everything that `plan` leaves open.
pub(crate) fn resolve(
    workspace: &Workspace,
    plan: &CommandPlan,
    surroundings: &PlanEnvironment,
) -> Result<ResolvedPlan, PlanObjection> {
    resolve_within(workspace, plan, surroundings, MAX_LOOKS)
}

/// The same with at most `looks` looks at the disk.
fn resolve_within(
    workspace: &Workspace,
    plan: &CommandPlan,
    surroundings: &PlanEnvironment,
    looks: usize,
) -> Result<ResolvedPlan, PlanObjection> {
    let directory = check_directory(workspace, Path::new(&plan.directory))?;
    let resolver = PlanResolver {
        workspace,
        directory,
        trusted: plan.trusted,
        plan_environment: surroundings,
        lookups: PlanLookups::new(looks),
        may_have_changed: Cell::new(false),
    };
    let mut left_out = LeftOutNames::default();
    let mut pipelines = Vec::new();
    let mut number = 0..;
    for pipeline in &plan.pipelines {
        let by_person = pipeline.commands.iter().filter(|command| command.authority == PlanAuthority::Person).count();
        resolver.may_have_changed.set(resolver.may_have_changed.get() || by_person > 1);
        resolver.check_input_names(pipeline)?;
        let commands = pipeline.commands.iter().map(|command| {
            let number = number.next();
            let resolved = resolver.command(command, &mut left_out);
            resolved.map_err(|objection| PlanObjection { command: number, ..objection })
        });
        let commands = commands.collect::<Result<_, _>>()?;
        resolver.check_patches(pipeline)?;
        pipelines.push(RunnablePipeline { condition: pipeline.condition, commands });
        resolver.may_have_changed.set(resolver.may_have_changed.get() || by_person > 0);
    }
    let left_out = left_out.describe(workspace.own_path());
    let runnable = RunnablePlan { directory: resolver.directory.into_os_string(), pipelines };
    Ok(ResolvedPlan { runnable, left_out })
}

/// What a plan may touch besides the workspace, and what it may not.
#[derive(Clone, Debug, Default)]
pub struct PlanFiles {
    /// Directories whose files are inside the workspace.
    pub include: Vec<PathBuf>,
    /// Which files are kept from the model.
    pub filtering: FileFilterSettings,
    /// Which files decide what runs without a question.
    pub obeyed: ObeyedPlaces,
}

/// What the disk says against running `plan` without a question, in `workspace` and with these `files`.
pub fn object_to_plan(workspace: &Path, files: PlanFiles, plan: &CommandPlan) -> Option<PlanObjection> {
    let PlanFiles { include, filtering, obeyed } = files;
    let reach = Arc::new(FileAccess { include, filtering, obeyed, session_files: None, seen_texts: Arc::default() });
    let surroundings = PlanEnvironment { streams: ShellStreams::Pipes, passed: Vec::new() };
    match reach.open(workspace) {
        Ok(workspace) => resolve(&workspace, plan, &surroundings).err(),
        Err(error) => Some(PlanObjection::new(error.to_string())),
    }
}

/// The directory must be the very one that was judged: inside the workspace, and reached without a link.
fn check_directory(workspace: &Workspace, directory: &Path) -> Result<PathBuf, PlanObjection> {
    let place = reads::find(workspace, directory)?;
    if place.absolute != directory {
        return Err(PlanObjection::new(format!(
            "{} leads elsewhere, to {}",
            directory.display(),
            place.absolute.display()
        )));
    }
    if !directory.is_dir() {
        return Err(PlanObjection::new(format!("{} is no directory", directory.display())));
    }
    Ok(place.absolute)
}

struct PlanResolver<'a> {
    workspace: &'a Workspace,
    directory: PathBuf,
    trusted: bool,
    plan_environment: &'a PlanEnvironment,
    lookups: PlanLookups,
    /// Whether a command that a person allowed runs before the one in question, or beside it: files may be there by then that are
    /// not there yet.
    may_have_changed: Cell<bool>,
}

impl PlanResolver<'_> {
    /// One command, ready to run. What its searches leave out is added to `left_out`.
    fn command(&self, command: &PlannedCommand, left_out: &mut LeftOutNames) -> Result<RunnableCommand, PlanObjection> {
        let name = command.words.first().and_then(PlannedWord::literal);
        let name = name.ok_or_else(|| PlanObjection::new("it does not begin with the name of a program"))?;
        let readable = self.check_reads(command)?;
        let words = self.resolved_words(command, left_out)?;
        let mut redirections = Vec::new();
        for redirection in &command.redirections {
            redirections.push(self.redirection(redirection)?);
        }
        let plain: Vec<RunnableWord> = words.iter().map(|resolved| resolved.word.clone()).collect();
        let action = match builtin(name, &plain) {
            Some(Builtin::FindProgram { wanted, answer }) => RunnableAction::FindProgram {
                name: wanted,
                search_path: search_path::join(&self.search_path(command.authority)),
                answer,
            },
            Some(Builtin::Action(action)) if command.timeout.is_none() => action,
            Some(Builtin::Action(_)) | None => self.program(command, name, words, readable, left_out)?,
        };
        Ok(RunnableCommand { action, redirections })
    }

    /// Check what `command` reads, and return what the kernel may let it read.
    fn check_reads(&self, command: &PlannedCommand) -> Result<ReadablePaths, PlanObjection> {
        let mut readable = ReadablePaths::default();
        for read in &command.reads {
            match self.check_read(&read.path, read.kind, command) {
                // A person allowed this command: only secrets still ask.
                Err(objection) if command.authority == PlanAuthority::Person && !objection.is_secret => {}
                Ok(_) if command.authority == PlanAuthority::Person => {}
                checked => self.add_readable(&mut readable, read.kind, &checked?)?,
            }
        }
        Ok(readable)
    }

    fn program(
        &self,
        command: &PlannedCommand,
        name: &str,
        arguments: Vec<ResolvedWord>,
        mut readable: ReadablePaths,
        left_out: &mut LeftOutNames,
    ) -> Result<RunnableAction, PlanObjection> {
        let is_built_in = command.authority == PlanAuthority::BuiltIn;
        if is_built_in {
            confinement_available()
                .map_err(|why| PlanObjection::new(format!("it cannot be kept to reading: {why}")))?;
        }
        let PlanEnvironment { streams, passed } = self.plan_environment;
        let passed = if is_built_in { &[] } else { passed.as_slice() };
        let mut environment = child_environment(*streams, EnvironmentRules { passed, off_path: &[] });
        let search_path = self.search_path(command.authority);
        environment.insert("PATH".into(), search_path::join(&search_path));
        environment.extend(command.variables.iter().map(|(name, value)| (name.into(), value.into())));
        // Also if it is not installed: who asks what would happen wants to know.
        let told = self.tell(command, name, arguments, left_out)?;
        let Some(file) = search_path::find(name, &search_path, &self.directory) else {
            return Ok(RunnableAction::NotFound { name: name.into() });
        };
        if is_built_in {
            self.check_program(&file)?;
        }
        environment.extend(told.environment);
        readable.own_files.extend(told.own_files);
        Ok(RunnableAction::Program(RunnableProgram {
            file: file.into_os_string(),
            words: told.words,
            environment: environment.into_iter().collect(),
            time_limit: command.timeout.as_deref().map(time_limit::read).transpose()?.flatten(),
            confined: is_built_in,
            starts_others: STARTS_OTHERS.contains(&name),
            readable: self.complete_readable(base_name(name), readable),
        }))
    }

    /// Judge the program `name`, wherever it is started, and say what it is told in the place of `arguments`.
    fn tell(
        &self,
        command: &PlannedCommand,
        name: &str,
        arguments: Vec<ResolvedWord>,
        all_left_out: &mut LeftOutNames,
    ) -> Result<ToldProgram, PlanObjection> {
        let is_built_in = command.authority == PlanAuthority::BuiltIn;
        if !is_built_in {
            self.check_operands(command, base_name(name))?;
        }
        let left_out = self.check_searched(command, base_name(name))?;
        let mut told =
            ToldProgram { words: vec![RunnableWord::text(name)], environment: Vec::new(), own_files: Vec::new() };
        let mut of_repository = command.reads.iter().filter(|read| is_repository(read.kind)).peekable();
        // Not known of a command that is not understood.
        let is_understood = of_repository.peek().is_some();
        let prints_content = of_repository.any(|read| read.kind == ReadKind::RepositoryContent);
        match base_name(name) {
            "git" if is_built_in && is_understood => {
                let call = GitCall::split(arguments);
                let directory = self.git_directory(&call)?;
                let git = GitAccess::of(self.workspace, &directory, &self.lookups)?;
                if call.prints_addresses() {
                    git.check_addresses()?;
                }
                told.words.extend(call.own_options);
                told.words.extend(harmless_arguments(&directory, call.words, prints_content)?);
                told.environment.extend(git.environment());
                told.own_files.extend(git.readable_files().map(PathBuf::into_os_string));
            }
            "git" if !is_built_in => {
                let call = GitCall::split(arguments.clone());
                let git = match self.git_directory(&call) {
                    Ok(directory) if is_understood => {
                        told.words.extend(call.own_options);
                        allowed_git(&directory, call.words, Some(prints_content), &self.lookups)?
                    }
                    Ok(_) | Err(_) => allowed_git(&self.directory, arguments, None, &self.lookups)?,
                };
                told.words.extend(git.arguments);
                told.environment.extend(git.environment);
            }
            program if search::may_search(program, &command.words) || !left_out.is_empty() => {
                told.words.extend(search::told_to_leave_out(program, arguments, &left_out)?);
            }
            _ => told.words.extend(arguments.into_iter().map(|resolved| resolved.word)),
        }
        all_left_out.extend(&left_out);
        Ok(told)
    }

    /// Where git goes, told `call`: reached without a link, inside the workspace.
    fn git_directory(&self, call: &GitCall) -> Result<PathBuf, PlanObjection> {
        match &call.goes_to {
            Some(directory) => check_directory(self.workspace, &reads::without_dots(&self.directory.join(directory))),
            None => Ok(self.directory.clone()),
        }
    }

    /// A program that runs confined comes from outside the workspace, whatever links say, and needs no files beside it.
    fn check_program(&self, file: &Path) -> Result<(), PlanObjection> {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        if self.workspace.root_paths().any(|root| real.starts_with(root)) {
            return Err(PlanObjection::new(format!("{} is a program of the workspace", file.display())));
        }
        let is_systems = SYSTEM_DIRECTORIES.iter().any(|directory| real.starts_with(directory));
        if is_systems {
            return Ok(());
        }
        // One with many names looks for another program to run, as rustup does.
        if real.file_name() != file.file_name() {
            let why = format!("{} is {}, which may need more than it could read", file.display(), real.display());
            return Err(PlanObjection::new(why));
        }
        if pollux_files::read_beginning(&real, 4).is_ok_and(|head| head == b"\x7fELF") {
            return Ok(());
        }
        Err(PlanObjection::new(format!("{} is a script that may need more than it could read", file.display())))
    }

    /// What a person allowed by its beginning covers neither secrets nor protected places that nobody named, and nothing
    /// outside the workspace to which a link leads.
    fn check_operands(&self, command: &PlannedCommand, program: &str) -> Result<(), PlanObjection> {
        let verb = command.words.get(1).and_then(PlannedWord::literal).unwrap_or_default();
        // A message may say anything.
        let names_files = program == "git" && verb != "commit";
        let use_of_operands = OperandUse::of(program, &command.words[1..]);
        let elsewhere = self.directories_named(&command.words[1..])?;
        for word in &command.words[1..] {
            for path in self.paths_of(word)? {
                let text = path.to_str().unwrap_or_default();
                if names_files {
                    // Git knows a file of the past by its name alone, or as `HEAD:file`.
                    check_git_operand(&self.directory, text)?;
                }
                self.check_operand(&path, use_of_operands)?;
                self.check_elsewhere(&elsewhere, &path, use_of_operands)?;
                if program != "git" {
                    reads::check_completed_name(Path::new(&path), &command.words, &self.lookups)?;
                }
                if names_files || program != "git" || text.starts_with('-') {
                    self.check_names_inside(text, &elsewhere, use_of_operands)?;
                }
            }
        }
        self.check_copies(command)?;
        if program == "curl" && curl_makes_names(&command.words) {
            return Err(PlanObjection::new(
                "which files it reads or writes is known only when curl has put their names together",
            ));
        }
        Ok(())
    }

    /// What a search must leave out, wherever it looks and whatever else was said against it: a person's rule is no answer to
    /// that.
    fn check_searched(&self, command: &PlannedCommand, program: &str) -> Result<LeftOutNames, PlanObjection> {
        let mut left_out = LeftOutNames::default();
        let links = search::links_followed(program, &command.words);
        let mut roots = Vec::new();
        for read in command.reads.iter().filter(|read| read.kind == ReadKind::Tree) {
            roots.extend(self.paths_of(&read.path)?);
        }
        let is_understood = !roots.is_empty();
        // Of a command that is not understood any word may be one, or hold one: `--to-file=.`.
        let may_search = command.authority == PlanAuthority::Person && search::may_search(program, &command.words);
        if !is_understood && may_search {
            for word in &command.words[1..] {
                for path in self.paths_of(word)? {
                    let inside = path.to_str().and_then(names_inside).unwrap_or_default();
                    roots.extend(inside.into_iter().map(OsString::from));
                    roots.push(path);
                }
            }
            roots.extend(search::searches_here(program).then(|| OsString::from(".")));
        }
        for root in roots {
            if let Ok(real) = self.directory.join(root).canonicalize()
                && real.is_dir()
            {
                left_out.extend(&reads::check_tree(&real, links, &self.lookups)?);
            }
        }
        // Nor is it known where it could be told to leave something out.
        if !is_understood || !search::can_leave_out(program) {
            left_out.object()?;
        }
        Ok(left_out)
    }

    /// Where programs are looked for. What the workspace brings is left out for built-in rules and where nobody trusts it.
    fn search_path(&self, authority: PlanAuthority) -> Vec<PathBuf> {
        let outside_only = authority == PlanAuthority::BuiltIn || !self.trusted;
        let off_path: Vec<PathBuf> = match outside_only {
            true => self.workspace.root_paths().map(Path::to_owned).collect(),
            false => Vec::new(),
        };
        search_directories(ProcessEnvironment::original().get_os("PATH"), &off_path)
    }

    /// Check what a command reads, and return the paths that it names for that, unless git knows them otherwise.
    fn check_read(
        &self,
        path: &PlannedWord,
        kind: ReadKind,
        command: &PlannedCommand,
    ) -> Result<Vec<PathBuf>, PlanObjection> {
        let paths = self.paths_of(path)?;
        if !is_repository(kind) {
            let paths: Vec<PathBuf> = paths.iter().map(|path| self.directory.join(path)).collect();
            paths.iter().try_for_each(|path| reads::check(self.workspace, path, kind, &self.lookups))?;
            return Ok(paths);
        }
        let words = command.words[1..].iter().map(ResolvedWord::as_written).collect();
        let directory = self.git_directory(&GitCall::split(words))?;
        paths.iter().try_for_each(|path| check_git_operand(&directory, &path.to_string_lossy()))?;
        self.lookups.spend(REPOSITORY_LOOKS)?;
        if kind == ReadKind::RepositoryContent {
            self.check_git_content(&directory)?;
        }
        GitAccess::of(self.workspace, &directory, &self.lookups).map(|_| Vec::new())
    }

    /// Whether git can be told which content to leave out.
    fn check_git_content(&self, directory: &Path) -> Result<(), PlanObjection> {
        let hiding = [self.workspace.own_path(), directory].into_iter().find(|path| hides_secret_names(path));
        if let Some(path) = hiding {
            let why = format!("{} may hold secrets that git cannot tell by their names", path.display());
            return Err(PlanObjection::of_secret(why));
        }
        if reads::keeps_files_in(self.workspace, self.workspace.own_path(), &self.lookups)? {
            return Err(PlanObjection::new("git would also show files that an ignore file keeps from the model"));
        }
        Ok(())
    }

    /// The paths that a word of a plan names.
    fn paths_of(&self, word: &PlannedWord) -> Result<Vec<OsString>, PlanObjection> {
        match word.literal() {
            Some(text) => Ok(vec![text.into()]),
            None if word.is_pattern() => Ok(self.matches(word)?.unwrap_or_else(|| vec![word.unquoted().into()])),
            // `id_ed$?5519` may be any name.
            None => Err(PlanObjection::new("what a word with `$?` in it names is known only when it runs")),
        }
    }

    /// The names that match a pattern; `None` when there are none, and the pattern stands for itself.
    fn matches(&self, word: &PlannedWord) -> Result<Option<Vec<OsString>>, PlanObjection> {
        let expand = || expand::expand(self.workspace, &self.directory, &word.pieces, &self.lookups);
        let names = self.lookups.names_of(word, expand)?;
        Ok((!names.is_empty()).then_some(names))
    }

    fn words_of(&self, word: &PlannedWord) -> Result<Vec<RunnableWord>, PlanObjection> {
        if !word.is_pattern() {
            let piece = |piece: &WordPiece| match piece {
                WordPiece::Text(text) => RunnablePiece::Text(text.into()),
                WordPiece::ExitCode | WordPiece::AnyText | WordPiece::AnyCharacter => RunnablePiece::ExitCode,
            };
            return Ok(vec![RunnableWord(word.pieces.iter().map(piece).collect())]);
        }
        let is_option = matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('-'));
        match self.matches(word)? {
            None => Ok(vec![RunnableWord::text(word.unquoted())]),
            Some(_) if is_option => {
                Err(PlanObjection::new(format!("`{}` is an option, and a file has such a name", word.unquoted())))
            }
            Some(names) => Ok(names.into_iter().map(RunnableWord::text).collect()),
        }
    }

    fn redirection(&self, redirection: &PlannedRedirection) -> Result<RunnableRedirection, PlanObjection> {
        Ok(match redirection {
            PlannedRedirection::ErrorsToOutput => RunnableRedirection::ErrorsToOutput,
            PlannedRedirection::OutputToErrors => RunnableRedirection::OutputToErrors,
            PlannedRedirection::OutputToNull => RunnableRedirection::OutputToNull,
            PlannedRedirection::ErrorsToNull => RunnableRedirection::ErrorsToNull,
            PlannedRedirection::BothToNull => RunnableRedirection::BothToNull,
            PlannedRedirection::InputFrom(path) => match path.literal() {
                Some("/dev/null") => RunnableRedirection::InputFromNull,
                Some(path) => {
                    let path = self.directory.join(path);
                    reads::check(self.workspace, &path, ReadKind::File, &self.lookups)?;
                    if path.is_dir() {
                        return Err(PlanObjection::new(format!("{} is a directory", path.display())));
                    }
                    RunnableRedirection::InputFrom { path: path.into_os_string() }
                }
                None => return Err(PlanObjection::new("which file it reads is known only when it runs")),
            },
        })
    }
}

/// How a program runs that was judged.
struct ToldProgram {
    /// Its name first.
    words: Vec<RunnableWord>,
    /// Variables besides those that every program has.
    environment: Vec<(OsString, OsString)>,
    /// Files of the person's own that it reads.
    own_files: Vec<OsString>,
}

/// A word of a command, ready to run.
#[derive(Clone)]
struct ResolvedWord {
    word: RunnableWord,
    role: WordRole,
}

impl ResolvedWord {
    /// A word as it stands in a plan, of which nothing is looked up.
    fn as_written(word: &PlannedWord) -> ResolvedWord {
        ResolvedWord { word: RunnableWord::text(word.unquoted()), role: WordRole::Option }
    }
}

/// Whether it is a read of a git repository.
fn is_repository(kind: ReadKind) -> bool {
    matches!(kind, ReadKind::Repository | ReadKind::RepositoryContent)
}

/// What a word is to its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordRole {
    /// An option, its value, or `--`.
    Option,
    /// A path, or for git a revision.
    Operand,
    /// A name that a pattern stands for.
    FoundName,
}

/// The name of a program, wherever it lies.
fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
