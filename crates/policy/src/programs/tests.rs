use super::*;
use crate::silent;
use pretty_assertions::assert_eq;

/// What a command of one program reads, each path with a letter for how: f, e, t, r or c.
fn reads(command: &str) -> Result<String, String> {
    let script = silent::read(command).unwrap_or_else(|refused| panic!("{command}: {}", refused.why));
    let words = &script.commands().next().unwrap().words;
    let reads = reads_of(words).unwrap_or_else(|| Err("unknown".into()))?;
    let drawn = reads.iter().map(|read| {
        let letter = match read.kind {
            ReadKind::File => 'f',
            ReadKind::Entry => 'e',
            ReadKind::Tree => 't',
            ReadKind::Repository => 'r',
            ReadKind::RepositoryContent => 'c',
        };
        format!("{letter}:{}", read.path.unquoted())
    });
    Ok(drawn.collect::<Vec<_>>().join(" "))
}

#[test]
fn the_file_is_in_order() {
    assert_eq!(problem(), None);
}

#[test]
fn every_path_of_a_command_is_known() {
    for (command, expected) in [
        ("cat a - b*", "f:a f:b*"),
        ("cat -- -n", "f:-n"),
        ("head -n5 a", "f:a"),
        ("head -qn 5 a", "f:a"),
        ("head -qvn5 a", "f:a"),
        ("head -n 5 --bytes=3 -7 a", "f:a"),
        ("cut -d: -f 1 a", "f:a"),
        ("ls", ""),
        ("ls -la --color=never src x*", "e:src e:x*"),
        ("grep -n x a b", "f:a f:b"),
        ("grep -e x a", "f:a"),
        ("grep -f patterns a", "f:patterns f:a"),
        ("grep --file=patterns a", "f:patterns f:a"),
        ("grep -rn x", "t:."),
        ("grep -rn x src", "t:src"),
        ("grep -rn --include=*.rs x src", "t:src"),
        ("rg x", "t:."),
        ("rg --files src", "t:src"),
        ("rg -g .env x", "t:."),
        ("rg -trust x src", "t:src"),
        ("find", "e:."),
        ("find -name x -newer b", "e:b e:."),
        (r"find src -type f '(' -name a -o -name b \) '!' -empty", "e:src"),
        ("git status", "r:."),
        ("git log -p x", "c:x c:."),
        ("git log --oneline -5 main..x", "r:main..x r:."),
        ("git log --decorate --stat=80 --format=%h x", "r:x r:."),
        ("git diff HEAD~1 -- src", "c:HEAD~1 c:src c:."),
        ("git log --grep=-x -S-y", "c:."),
        ("git log --grep x -- *.rs a", "r:*.rs r:a r:."),
        ("sed -n 5,9p a b", "f:a f:b"),
        ("tr a b", ""),
        ("echo *", ""),
        ("echo -n x", ""),
        ("echo - x", ""),
        ("test -f a", "e:a"),
        ("[ -n a ]", ""),
        ("seq 3", ""),
    ] {
        assert_eq!(reads(command).as_deref(), Ok(expected), "{command}");
    }
}

#[test]
#[rustfmt::skip]
fn what_is_not_listed_asks() {
    for command in [
        "cat --x", "cat -nx", "tail -f a", "tail -nf --follow a", "head --line 5 a", "head --lines=$? a", "head -n$? a", "ls -L", "ls --dereference", "stat -L a", "wc --files0-from=x",
        "grep", "grep -R x", "grep * a", "grep -f * a", "grep -e", "grep --colo x a", "grep --directories=recurse x", "grep -d recurse x a", "grep -$? x",
        "rg", "rg -u x", "rg --hidden x", "rg -. x", "rg -L x", "rg --pre x y", "rg -z x", "rg --no-ignore x", "find -exec ls ';'", "find -delete",
        "find -L", "find -fprint x", "find -files0-from x", "find *", "find -name *", "find -name", "find . -name a b", "find -follow",
        "git log --output=x", "git log --format", "git log --date", "git log --show-signature", "git log --format=%G?", "git log -L 1,2:a", "git diff --no-index a b", "git diff /a /b",
        "git log -p --full-diff", "git diff --word-diff-regex . --word-diff-regex --ignore-submodules=none", "git log --grep -x",
        "git branch --sort=signature", "git branch --format=%(*signature)", "git log --format=%x00%+G?", "git diff a/../../b c", "git show HEAD:../x", "git diff --ext-diff", "git log --textconv", "git show :/x", "git diff :!x", "git branch x", "git branch -D x",
        "git branch -m a b", "git -C x status", "git push", "git", "git diff $?", "sed 5p a", "sed -n 5,p a", "sed -n '5w x' a", "sed -ni 5p a", "sed -n p a",
        "uniq a b", "uniq a*", "base64 a b", "uname x", "whoami x", "pwd -P", "echo -e x", "echo -n -n x", "echo -nE", "echo -$?", "test a", "test -f", "test -f a b",
        "test a = b", "[ -f a", "[ -f a b", "[ -v a ]", "[ -n * ]", "[ -n $? ]", "[ -t 1 ]", "cat $?", "cat a$?", "cat < a -x", "nl --x", "expr --x",
    ] {
        if let Ok(script) = silent::read(command) {
            let words = &script.commands().next().unwrap().words;
            assert!(!matches!(reads_of(words), Some(Ok(_))), "{command}: {:?}", reads(command));
        }
    }
}

#[test]
fn what_asks_says_which_word_it_is() {
    for (command, why) in [
        ("cat -nx a", "`cat -x (in -nx)` is not among the options that run without a question"),
        ("cat -x a", "`cat -x` is not among the options that run without a question"),
        ("pwd -P", "`pwd` is told nothing without a question"),
        ("[ -f a b", "`[` is not closed by `]`"),
    ] {
        assert_eq!(reads(command), Err(why.to_owned()), "{command}");
    }
}

#[test]
fn a_table_knows_its_own_options_and_no_others() {
    let knows = |words: &str, option: &str| {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        has_option(&words, name, value)
    };
    assert!(knows("git log", "--oneline") && knows("git log", "-n") && knows("ls", "-l"));
    assert!(knows("git log", "-5") && knows("git log", "--format=%H %s") && !knows("cargo test", "-5"));
    assert!(!knows("git log", "--format=%GG") && !knows("git branch", "--sort=signature"));
    assert!(!knows("git log", "--output") && !knows("grep", "-f") && !knows("cargo test", "--lib"));
}
