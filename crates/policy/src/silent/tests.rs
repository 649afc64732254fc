use super::*;
use pollux_session::WordPiece;
use pretty_assertions::assert_eq;

/// A script as a person would draw it: words in brackets, then redirections.
fn draw_script(command: &str) -> String {
    let script = match read(command) {
        Ok(script) => script,
        Err(NotSilent { why, .. }) => return format!("asks: {why}"),
    };
    let cd = script.directory.iter().map(|directory| format!("in {directory}: "));
    let pipelines = script.pipelines.iter().map(|pipeline| {
        let joint = match pipeline.condition {
            RunCondition::Always => "; ",
            RunCondition::AfterSuccess => " && ",
            RunCondition::AfterFailure => " || ",
        };
        let commands: Vec<String> = pipeline.commands.iter().map(draw_command).collect();
        format!("{joint}{}", commands.join(" | "))
    });
    let text: String = pipelines.collect();
    cd.chain([text.trim_start_matches("; ").to_owned()]).collect()
}

fn draw_command(command: &SilentCommand) -> String {
    let variables = command.variables.iter().map(|(name, value)| format!("{name}={value} "));
    let limit = command.timeout.iter().map(|limit| format!("<{limit}> "));
    let words = command.words.iter().map(|word| {
        let pieces = word.pieces.iter().map(|piece| match piece {
            WordPiece::Text(text) => text.clone(),
            WordPiece::AnyText => "**".into(),
            WordPiece::AnyCharacter => "??".into(),
            WordPiece::ExitCode => "$?".into(),
        });
        format!("[{}]", pieces.collect::<String>())
    });
    let redirections = command.redirections.iter().map(|redirection| format!(" {redirection:?}"));
    variables.chain(limit).chain(words).chain(redirections).collect()
}

#[test]
fn words_are_what_a_shell_would_make_of_them() {
    for (command, expected) in [
        ("ls", "[ls]"),
        ("  ls\t-l  a  ", "[ls][-l][a]"),
        (r#"cat 'a b' "c d" e\ f \*"#, "[cat][a b][c d][e f][*]"),
        (r#"echo "a\\b" "c\"d" "e\f" '' """#, r#"[echo][a\b][c"d][e\f][][]"#),
        (r#"echo a'b'"c"d"#, "[echo][abcd]"),
        ("ls *.rs a?b '*'", "[ls][**.rs][a??b][*]"),
        ("echo x$?y", "[echo][x$?y]"),
        ("git diff HEAD~1 HEAD^", "[git][diff][HEAD~1][HEAD^]"),
        ("echo a=b --x=y @a %b +c ,d", "[echo][a=b][--x=y][@a][%b][+c][,d]"),
        ("[ -f x ]", "[[][-f][x][]]"),
        ("cat größe", "[cat][größe]"),
        ("l's'", "[ls]"),
        ("echo 'a\nb'", "[echo][a\nb]"),
    ] {
        assert_eq!(draw_script(command), expected, "{command}");
    }
}

#[test]
fn words_are_shown_as_they_can_be_written() {
    for (command, expected) in [
        ("ls 'a[b]' '['* '[]' ''", "ls 'a[b]' '['* '[]' ''"),
        ("[ -f \\] ]", "[ -f ] ]"),
        (r"echo 'a b'c it\'s a\*? $?", r"echo 'a bc' 'it'\''s' 'a*'? $?"),
        ("cat größe HEAD~1", "cat 'größe' 'HEAD~1'"),
    ] {
        let script = read(command).unwrap();
        let shown: Vec<String> = script.pipelines[0].commands[0].words.iter().map(PlannedWord::to_string).collect();
        assert_eq!(shown.join(" "), expected, "{command}");
        assert_eq!(draw_script(&shown.join(" ")), draw_script(command), "{command}");
    }
}

#[test]
fn commands_are_joined_and_redirected() {
    for (command, expected) in [
        ("ls | wc -l && pwd || true; id\nls", "[ls] | [wc][-l] && [pwd] || [true]; [id]; [ls]"),
        ("\n\nls\n\n", "[ls]"),
        ("ls;", "[ls]"),
        ("ls |\n wc", "[ls] | [wc]"),
        ("ls # all of them; rm x\n# 'and\npwd #", "[ls]; [pwd]"),
        ("ls | # and\n wc a#b", "asks: `#` means something to a shell; quote it if it does not"),
        ("ls \\\n  -la \\\n| wc", "[ls][-la] | [wc]"),
        ("ls \\\n# x\n", "[ls]"),
        ("cd a/b && ls", "in a/b: [ls]"),
        ("cd a && ls || pwd", "in a: [ls] || [pwd]"),
        ("ls 2>&1", "[ls] ErrorsToOutput"),
        ("ls 1>&2", "[ls] OutputToErrors"),
        ("ls >&2", "[ls] OutputToErrors"),
        ("ls > /dev/null 2>&1", "[ls] OutputToNull ErrorsToOutput"),
        ("2>/dev/null ls", "[ls] ErrorsToNull"),
        ("ls &>/dev/null", "[ls] BothToNull"),
        ("ls a2>/dev/null", "[ls][a2] OutputToNull"),
        ("LANG=C TZ=UTC ls X=1", "LANG=C TZ=UTC [ls][X=1]"),
        ("TZ=UTC LANG=\"C\" ls", "TZ=UTC LANG=C [ls]"),
        ("LANG=C timeout 1.5s ls", "LANG=C <1.5s> [ls]"),
        ("timeout 123456789 ls", "<123456789> [ls]"),
    ] {
        assert_eq!(draw_script(command), expected, "{command}");
    }
}

#[test]
fn what_asks_says_what_is_in_its_way() {
    let environment = "asks: it changes what a command finds in its environment";
    let name = "asks: it does not begin with the name of a program";
    for (command, why) in [
        ("PATH=x ls", environment),
        ("_X=1 ls", environment),
        ("X_1=1 ls", environment),
        ("LANG+=x ls", environment),
        ("1X=1 ls", name),
        ("X-Y=1 ls", name),
        ("=1 ls", name),
        ("a@b", name),
        ("ls |& cat", "asks: `|&` is not read here; write `2>&1 |`"),
        ("ls << x", "asks: only a plain `<` is read here"),
        ("ls >> f", "asks: it writes to a file"),
        ("ls &>> f", "asks: it writes to a file"),
    ] {
        assert_eq!(draw_script(command), why, "{command}");
    }
    let NotSilent { text, .. } = read("ls; PATH=x:y pwd").unwrap_err();
    assert_eq!(text, "PATH=x:y");
    let NotSilent { text, .. } = read("ls; pwd $x; id").unwrap_err();
    assert_eq!(text, "$x; id");
}

#[test]
#[rustfmt::skip]
fn everything_else_asks() {
    for command in [
        "", " \n ", "ls &", "ls &&", "&& ls", "| ls", "ls |", "ls ;; pwd", "ls |&>/dev/null cat", "; ls", "ls\n; pwd", "ls ; ; pwd",
        "ls > f", "ls >> f", "ls >| f", "ls <> f", "ls << x", "ls <<< x", "ls 3>&1", "ls 2>&-", "ls 2>&1x", "ls 2>&2",
        "ls 0</dev/null", "ls >", "ls < *", "cat <$?", "ls &> f", "ls &>> /dev/null", "ls >&/dev/null", "ls 12>/dev/null",
        "$x", "$?", "echo $x", "echo \"$x\"", "echo \"`x`\"", "echo `x`", "echo $", "echo \"\\$\"", "echo 'a", "echo \"a",
        "echo \\", "a\\\nb", "echo \"a\\\nb\"", "echo (a)", "echo {a,b}", "echo [a]", "echo [a", "echo ]a", "echo a]b", "echo a#b", "# ls", "ls 2\\\n>f", "ls\\\n-la", "ls |\\\n| wc", "ls > # f",
        "echo !x", "echo ~", "echo a=~", "echo a:~x", "echo ~x", "*ls", "''", "-x", "x=1", "PATH=x ls", "LANG=a/b ls",
        "LANG=$? ls", "LANG=* ls", "LANG+=x ls", "L'A'NG=C ls", "if ls", "for", "time ls", "exec ls", ". x", "eval ls",
        "[[ a ]]", "timeout ls", "timeout -k 1 5 ls", "timeout 5", "timeout 5 echo", "timeout 5x ls", "timeout 1234567890 ls", "timeout 1. ls", "timeout .5 ls", "timeout s ls", "timeout 5.5.5 ls",
        "timeout 5 timeout 5 ls",
        "command ls", "command ls a", "command -p ls", "command -V ls", "command -v", "command -v a b", "command -v ./a", "command -v a/b", "command -v ''", "command -v -x", "command -v cd", "command -v if", "cd", "cd a",
        "cd a; ls", "cd a || ls", "cd - && ls", "cd .. && ls", "cd a/../.. && ls", "cd '' && ls", "cd * && ls", "cd a b && ls",
        "LANG=C cd a && ls", "cd a >/dev/null && ls", "ls | cd a && ls", "ls\u{a0}x", "ls \u{202e}x", "ls \u{200b}",
        "ls\rx", "ls\0x", ": <a", "ls 'a\u{202e}b'",
    ] {
        assert!(read(command).is_err(), "{command:?}: {}", draw_script(command));
    }
    assert!(read(&"ls;".repeat(100)).is_ok() && read(&"ls;".repeat(101)).is_err());
    let of_programs = |count: usize| read(&vec!["ls"; count].join(" | "));
    assert!(of_programs(16).is_ok() && of_programs(17).is_err());
    let of_length = |length: usize| read(&format!("echo {}", "a".repeat(length - "echo ".len())));
    assert!(of_length(16_384).is_ok() && of_length(16_385).is_err());
    assert_eq!(draw_script(" \n "), "asks: there is no command in it");
}
