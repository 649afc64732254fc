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
        ("ls", "e:."),
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
        ("grep -R x src", "t:src"),
        ("rg --hidden -uu x", "t:."),
        ("sort -k2,2 -t , -rn a b", "f:a f:b"),
        ("sort --help", ""),
        ("tac a", "f:a"),
        ("diff -u a b", "t:a t:b"),
        ("diff -3 a -", "t:a"),
        ("xxd -l 16 a", "f:a"),
        ("strings -8 ./*", "f:./*"),
        ("date -r a +%F", "f:a"),
        ("realpath --relative-to=src a", "f:src e:a"),
        ("tree -aL 2 src", "e:src"),
        ("du -sh", "e:."),
        ("hostname", ""),
        ("node --version", ""),
        ("node -v", ""),
        ("git version", ""),
        ("git --version", ""),
        ("sed -n '/x/p' a", "f:a"),
        ("sed -ne 1p -e 's/a/b/' a", "f:a"),
        ("awk -F: -v n=1 '{print $n}' a -F .env", "f:a f:-F f:.env"),
        ("jq -r --arg a .env .a b.json", "f:b.json"),
        ("jq --rawfile a .env -n '$a'", "f:.env"),
        ("jq '.env, .import' a", "f:a"),
        ("printf '%s\\n' a *", ""),
        ("git --no-pager log -1", "r:."),
        ("git -C src -P diff a", "c:a c:. e:src"),
        ("git branch", "r:."),
        ("git branch --list f*", "r:f* r:."),
        ("git tag -l -n5 v1", "r:v1 r:."),
        ("git stash list -3", "r:."),
        ("git config --get user.name", "r:user.name r:."),
        ("git grep -n x -- src", "c:src c:."),
        ("git grep -e x HEAD src", "c:HEAD c:src c:."),
        ("git blame -L 1,2 a", "c:a c:."),
        ("git log --follow --oneline a", "r:a r:."),
    ] {
        assert_eq!(reads(command).as_deref(), Ok(expected), "{command}");
    }
}

#[test]
#[rustfmt::skip]
fn what_is_not_listed_asks() {
    for command in [
        "cat --x", "cat -nx", "tail -f a", "tail -nf --follow a", "head --line 5 a", "head --lines=$? a", "head -n$? a", "ls -L", "ls --dereference", "stat -L a", "wc --files0-from=x",
        "grep", "grep * a", "grep -f * a", "grep -e", "grep --colo x a", "grep --directories=recurse x", "grep -d recurse x a", "grep -$? x",
        "rg", "rg -L x", "rg --pre x y", "rg -z x", "find -exec ls ';'", "find -delete",
        "find -L", "find -fprint x", "find -files0-from x", "find *", "find -name *", "find -name", "find . -name a b", "find -follow",
        "git log --output=x", "git log --format", "git log --date", "git log --show-signature", "git log --format=%G?", "git log -L 1,2:a", "git diff --no-index a b", "git diff /a /b",
        "git log -p --full-diff", "git diff --word-diff-regex . --word-diff-regex --ignore-submodules=none", "git log --grep -x",
        "git branch --sort=signature", "git branch --format=%(*signature)", "git log --format=%x00%+G?", "git diff a/../../b c", "git show HEAD:../x", "git diff --ext-diff", "git log --textconv", "git show :/x", "git diff :!x", "git branch x", "git branch -D x",
        "git branch -m a b", "git push", "git", "git diff $?", "sed -n 5,p a", "sed -n '5w x' a", "sed -ni 5p a", "sed -n 'r .env' a", "sed -f x a", "sed -e p -e 'e id' a",
        "git -C .. status", "git -C '' status", "git -C a -C b status", "git -c a=b status", "git --git-dir=x status", "git -C * status", "git -C $? status", "git -P", "git -C x push",
        "git --help", "git log --help", "git grep", "git grep -- -Ox", "git grep x -Ox", "git grep -f x y", "git grep -O x", "git grep --no-index x", "git blame --contents x a", "git blame -S x a",
        "git branch -l x", "git branch --list -D x", "git tag x", "git tag -d x", "git tag -v x", "git tag --sort x y", "git remote add x y", "git remote show x", "git remote get-url a b",
        "git stash", "git stash show", "git stash list -p", "git stash pop", "git worktree add x", "git config user.name", "git config --get http.extraheader", "git config --get core.hookspath",
        "git config --list", "git symbolic-ref HEAD x", "git symbolic-ref -d HEAD", "git for-each-ref --format='%(raw)'", "git branch --format='%(upstream:remotename)'", "git log --follow -p a",
        "git log -Sx --simplify-by-decoration", "git rev-parse --git-path hooks", "git ls-files -X x", "git describe --dirty", "git reflog", "git show-ref --exclude-existing",
        "sort -o x a", "sort -T x a", "sort --compress-program=x a", "sort --files0-from=x", "sort --random-source=x a", "tac", "tac -", "comm a b c", "diff a b c", "diff --from-file=a b", "diff -X x a b",
        "diff -l a b", "du -L a", "du -X x a", "du --files0-from=x", "df", "xxd a b", "xxd -r a", "xxd -al .env", "xxd -l5 a", "xxd a -l 5", "strings @a", "strings *", "strings ?a", "strings $?", "strings -- @a",
        "file -f x", "file -m x a", "file -C", "file -z a", "hexdump -f x a", "date -s x", "date 01010101", "date -f x", "date a*", "hostname x", "hostname -F x", "tree -o x", "tree -Io x y", "tree -R", "tree -l",
        "tree --fromfile x", "tree -L2", "md5sum -c x", "column -n x a", "nproc x", "env", "node", "node x.js -v", "node -v x.js", "python3 -V x.py", "python3 -Vc x", "python3 --version x",
        "cargo", "cargo -V x", "gcc -v x.c", "make -v x", "awk '{print > \"x\"}' a", "awk 'BEGIN{getline x < \"a\"}'", "awk '{print ENVIRON[\"HOME\"]}' a", "awk 'BEGIN{SYMTAB[\"ARGV\"][1]=\"x\"}'", "awk -f x a",
        "awk '{print | \"id\"}'", "awk '@load \"x\"'", "awk *", "jq -f x a", "jq env a", "jq '$ENV.x' a", "jq '{env}' a", "jq 'include \"x\"; .' a", "jq 'input_filename' a", "jq -L x . a", "jq --args . a", "jq --arg a",
        "jq --rawfile a * .", "printf", "printf %d 1", "printf '%s\\q'", "printf -v x", "printf -- x", "printf %", "printf 'a\\'", "printf *",
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
        ("hostname x", "`hostname` is not told `x` without a question"),
        ("git tag x", "`git` is told names without a question only to list what matches them"),
        ("node", "`node` runs without a question only to say which version it is"),
        (
            "awk 'BEGIN{system(1)}'",
            "a script of awk's that may do more than compute with what it reads does not run without a question",
        ),
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
