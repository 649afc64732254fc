//! Commands, and the programs they start.

use pretty_assertions::assert_eq;

#[test]
fn the_first_word_of_every_command_counts() {
    for (command, expected) in [
        ("", &[][..]),
        ("   ls -la", &["ls"]),
        ("echo one; sleep 1; echo two", &["echo", "sleep", "echo"]),
        ("echo out; echo err 1>&2; exit 3", &["echo", "echo", "exit"]),
        ("A=1 B=2 make all && ./run | tee log || true", &["make", "./run", "tee", "true"]),
        ("echo 'a; b' \"c | d\"", &["echo"]),
        ("\"my program\" x", &["my program"]),
        ("my\\ program x", &["my program"]),
        ("(cd a; ls)\ngit status &", &["cd", "ls", "git"]),
        ("; ls", &["ls"]),
        ("a=1", &[]),
    ] {
        assert_eq!(super::root_commands(command), expected, "{command}");
    }
}
