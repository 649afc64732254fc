use super::*;
use pretty_assertions::assert_eq;

fn read(text: &str) -> (Vec<(String, String, usize)>, Vec<usize>) {
    let file = parse(text);
    let assignments = file.assignments.into_iter().map(|found| (found.name, found.value, found.line)).collect();
    (assignments, file.bad_lines)
}

fn good(text: &str) -> String {
    match read(text) {
        (assignments, bad) if bad.is_empty() && assignments.len() == 1 => assignments[0].1.clone(),
        other => panic!("{text:?} read as {other:?}"),
    }
}

#[test]
fn values_are_read_in_every_form() {
    let cases = [
        ("A=b", "b"),
        ("A = b c ", "b c"),
        ("export A=b", "b"),
        ("  A=b", "b"),
        ("A=b\r\n", "b"),
        ("A=", ""),
        ("A=#b", ""),
        ("A=b#c", "b#c"),
        ("A=b # c", "b"),
        ("A=b=c", "b=c"),
        ("A='b # c'", "b # c"),
        (r"A='b\n$C'", r"b\n$C"),
        (r#"A="b\nc\t\"\\\x""#, "b\nc\t\"\\\\x"),
        ("A=`b\"'`", "b\"'"),
        ("A=\"b\" # c", "b"),
        ("A=\"b\nc\"\n", "b\nc"),
        ("A=é # ü", "é"),
        ("A=\u{a0}b", "b"),
    ];
    for (text, value) in cases {
        assert_eq!(good(text), value, "{text:?}");
    }
}

#[test]
fn comments_and_blank_lines_count_as_lines() {
    let text = "# one\n\nA=\"x\ny\"\nB=2\n   # three\nC=3";
    let wanted = [("A", "x\ny", 3), ("B", "2", 5), ("C", "3", 7)];
    let wanted = wanted.map(|(name, value, line)| (name.to_owned(), value.to_owned(), line)).to_vec();
    assert_eq!(read(text), (wanted, vec![]));
}

#[test]
fn the_last_assignment_counts() {
    assert_eq!(read("A=1\nA=2\n"), (vec![("A".into(), "2".into(), 2)], vec![]));
}

#[test]
fn lines_that_are_no_assignment_are_passed_over_and_said() {
    let text = "A\n1A=x\nA B=x\n=x\nA-B=x\nC='open\nD='x'y\nE=ok\nexport\n";
    assert_eq!(read(text), (vec![("E".into(), "ok".into(), 8)], vec![1, 2, 3, 4, 5, 6, 7, 9]));
}
