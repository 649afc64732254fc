use super::*;
use pretty_assertions::assert_eq;
use std::time::{Duration, Instant};

/// The commands, one a line, unknown words as `?`, with what they write; then what is doubtful.
fn describe_script(command: &str) -> Vec<String> {
    let script = read(command);
    let commands = script.commands.iter().map(|command| {
        let words =
            command.words.iter().map(|word| word.literal().map_or_else(|| "?".to_owned(), |text| format!("[{text}]")));
        let mut line = words.collect::<Vec<_>>().join(" ");
        for redirect in &command.redirects {
            line += &format!(" writes {redirect}");
        }
        line
    });
    let doubts = script.doubts.iter().chain(&script.unseen_scripts);
    commands.chain(doubts.map(|doubt| format!("{}: {}", doubt.text, doubt.why))).collect()
}

#[test]
fn words_are_what_the_shell_makes_of_them() {
    for (command, expected) in [
        ("ls a\\ b 'c d' \"e f\" g'h'\"i\"", "[ls] [a b] [c d] [e f] [ghi]"),
        ("echo \"a \\\"b\\\" \\$c \\\\ \\d\"", "[echo] [a \"b\" $c \\ \\d]"),
        ("echo \"  spaced  out  \" '' \"\"", "[echo] [  spaced  out  ] [] []"),
        ("echo $x \"$x\" a$x ${x}", "[echo] ? ? ? ?"),
        ("echo *.rs a? [a] ~/x {a,b} a~b", "[echo] ? ? ? ? ? [a~b]"),
        ("echo \\*.rs '*'", "[echo] [*.rs] [*]"),
        ("echo $'plain' $'a\\x41'", "[echo] [plain] ?"),
        ("git log --format=\"%h %s\" -n 5", "[git] [log] [--format=%h %s] [-n] [5]"),
    ] {
        assert_eq!(describe_script(command), [expected], "{command}");
    }
}

#[test]
fn every_command_is_found_wherever_it_stands() {
    for (command, expected) in [
        ("a | b |& c && d || e; f & g", "[a] [b] [c] [d] [e] [f] [g]"),
        ("(a; { b; }) | c", "[a] [b] [c]"),
        ("if a; then b; elif c; then d; else e; fi", "[a] [b] [c] [d] [e]"),
        ("for x in $(a); do b; done; while c; do d; done; until e; do f; done", "[a] [b] [c] [d] [e] [f]"),
        ("case $(a) in x) b;; y) c;; esac", "[a] [b] [c]"),
        ("! a", "[a]"),
        ("bash -c 'a; sh -c \"b\"'; c", "[a] [b] [c]"),
        ("timeout 5 a; nice -n 3 b; time c; command d; nohup e", "[a] [b] [c] [d] [e]"),
    ] {
        assert_eq!(describe_script(command).join(" "), expected, "{command}");
    }
    assert_eq!(describe_script("a $(b \"$(c)\") <(d) `e`"), ["[c]", "[b] ?", "[d]", "[e]", "[a] ? ? ?"]);
    assert_eq!(describe_script("sudo -u root a x"), ["[a] [x]", "[sudo] [-u] [root] [a] [x]"]);
    assert_eq!(describe_script("xargs -n 1 a"), ["[a] ?", "[xargs] [-n] [1] [a]"]);
    assert_eq!(describe_script("cat <<EOF | a\n$(b)\nEOF"), ["[cat]", "[a]", "[b]"]);
    assert_eq!(
        describe_script("find . -exec a {} \\; -execdir b {} +"),
        ["[a] ?", "[b] ?", "[find] [.] [-exec] [a] ? [;] [-execdir] [b] ? [+]"]
    );
    // Only behind `{}` does a plus end it, and `{}` stands for any name.
    assert_eq!(
        describe_script("find -exec a + b \\; -o -exec c"),
        ["[a] [+] [b]", "[c]", "[find] [-exec] [a] [+] [b] [;] [-o] [-exec] [c]"]
    );
    let unknown = "which program it runs is known only when it runs";
    assert_eq!(describe_script("find x -exec '{}' p ';'").last(), Some(&format!("'{{}}' p: {unknown}")));
    assert_eq!(describe_script("find x -exec a{} p ';'").last(), Some(&format!("a{{}} p: {unknown}")));
    assert_eq!(describe_script("find $x a p ';'").last(), Some(&format!("$x: {unknown}")));
    assert_eq!(describe_script("find -exec a \"$x\" + b ';'").last(), Some(&format!("\"$x\": {unknown}")));
}

#[test]
fn redirections_that_write_are_noted() {
    for (command, expected) in [
        ("a > f", "[a] writes > f"),
        ("a 2>&1 >>f 2>/dev/null", "[a] writes >>f"),
        ("a < in", "[a]"),
        ("a < /dev/tcp/x/1", "[a] writes < /dev/tcp/x/1"),
        ("bash -c 'a' > f", "[a] writes > f"),
        ("NO_COLOR=1 a &> f", "[a] writes &> f"),
    ] {
        assert_eq!(describe_script(command), [expected], "{command}");
    }
    assert_eq!(describe_script("{ a; b; } > f"), ["[a] writes > f", "[b] writes > f"]);
    assert_eq!(describe_script("a && b | c > f"), ["[a]", "[b]", "[c] writes > f"]);
    assert_eq!(describe_script("> f"), ["> f: it opens a file"]);
}

#[test]
fn doubts_say_what_and_why() {
    for (command, expected) in [
        ("$x", "$x: which program it runs is known only when it runs"),
        ("bash -c \"$x\"", "bash -c \"$x\": the script it runs is known only when it runs"),
        ("", ": there is no command in it"),
        ("f() { :; }", "f() { :; }: a function can take the place of a program"),
        ("PATH=x", "PATH=x: it changes what a command finds in its environment"),
        ("export A", "export A: it changes what later commands find in their environment"),
    ] {
        assert_eq!(describe_script(command).last().map(String::as_str), Some(expected), "{command}");
    }
    let control = "ls \u{1b}[2K";
    assert_eq!(
        describe_script(control).last().map(String::as_str),
        Some("ls \u{1b}[2K: it holds the character U+001B, which is not what it looks like")
    );
    assert_eq!(excerpt(&"é".repeat(100)), "é".repeat(80) + "…");
}

/// Commands as deep or as entangled as 16 KiB allow, made of what the shell nests.
fn deep_commands() -> Vec<String> {
    let nested = [
        ("[[ ", "! ", "x ]]"),
        ("[[ ", "( ", "x ]]"),
        ("", "$(", ""),
        ("", "`", ""),
        ("", "${a:-", ""),
        ("", "\"$(", ""),
        ("", "( ", ""),
        ("", "{ ", ""),
        ("", "! ", "x"),
        ("", "if ", ""),
        ("", "f(){ ", ""),
        ("", "case a in b) ", ""),
        ("", "a=(", ""),
        ("", "$[", ""),
        ("", "a|", "a"),
        ("", "a;", "a"),
        ("", "a && ", "a"),
        ("", "a ", "a"),
        ("", "a <<E | ", ""),
        ("", "nice ", "a"),
        ("", "find -exec ", "a"),
        ("x $((", &format!("{}$(x $((", "(".repeat(90)), ""),
    ];
    let mut commands: Vec<String> = nested
        .iter()
        .map(|(start, piece, end)| {
            let times = (MAX_BYTES - start.len() - end.len()) / piece.len();
            format!("{start}{}{end}", piece.repeat(times))
        })
        .collect();
    for (open, close) in [("( ", ") "), ("{ ", ";} "), ("$( ", ") "), ("if a; then ", ";fi "), ("<( ", ") ")] {
        let times = MAX_BYTES / (open.len() + close.len()) - 2;
        commands.push(format!("{}a {}", open.repeat(times), close.repeat(times)));
        commands.push(format!("[[ {}a {} ]]", open.repeat(times), close.repeat(times)));
    }
    commands
}

/// The stack is a small one: what fits it here fits that of every thread.
#[test]
fn no_command_is_too_deep_to_read() {
    let read_all = || {
        for command in deep_commands() {
            assert!(command.len() <= MAX_BYTES);
            let start = Instant::now();
            let script = read(&command);
            let (took, shown) = (start.elapsed(), excerpt(&command));
            assert!(took < Duration::from_secs(2), "{shown}: {took:?}");
            let is_flat = ["! ", "a a"].iter().any(|start| command.starts_with(start));
            assert!(is_flat || !script.doubts.is_empty(), "{shown}");
        }
    };
    std::thread::Builder::new().stack_size(512 * 1024).spawn(read_all).unwrap().join().unwrap();
}

#[test]
fn a_limit_is_what_still_fits() {
    let cut = |command: &str| read(command).is_cut_short;
    let many = |count: usize| vec!["a"; count].join(";");
    assert!(!cut(&many(MAX_COMMANDS)));
    assert!(cut(&many(MAX_COMMANDS + 1)) && cut(&many(MAX_COMMANDS + 2)));
    let long = |bytes: usize| format!("a {}", "b".repeat(bytes - 2));
    assert!(!cut(&long(MAX_BYTES)));
    assert!(cut(&long(MAX_BYTES + 1)) && cut(&long(MAX_BYTES + 2)));
    // `eval` runs its words as a script, and so is a shell inside another one.
    let shells = |count: usize| format!("{}a", "eval ".repeat(count));
    let inside = read(&shells(MAX_SHELLS));
    assert!(!inside.is_cut_short && inside.commands.iter().any(|command| command.name() == Some("a")));
    assert!(cut(&shells(MAX_SHELLS + 1)) && cut(&shells(MAX_SHELLS + 2)));
}

#[test]
fn what_is_nested_too_deeply_is_told() {
    let nested = |piece: &str, times: usize, end: &str| read(&format!("{}{end}", piece.repeat(times)));
    let whys = |script: ShellScript| -> Vec<String> { script.doubts.into_iter().map(|doubt| doubt.why).collect() };
    assert_eq!(whys(nested("nice ", MAX_WRAPPERS, "a")), Vec::<String>::new());
    assert_eq!(whys(nested("nice ", MAX_WRAPPERS + 1, "a")), ["too many programs run one another"]);
    let negated = |times: usize| whys(nested("", 0, &format!("[[ {}-f x ]]", "! ".repeat(times))));
    assert_eq!(negated(20), Vec::<String>::new());
    assert_eq!(negated(200), ["it is nested too deeply"]);
    // Also where nothing else is wrong: a pattern of `case` is searched for commands only.
    let pattern = format!("case a in {}$(b){}) c;; esac", "\"${x:-".repeat(60), "}\"".repeat(60));
    assert!(whys(read(&pattern)).contains(&"it is nested too deeply".to_owned()), "{:?}", read(&pattern).doubts);
}
