use super::*;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

#[test]
fn lines_that_stay_keep_their_ends() {
    let cases = [
        ("a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"),
        ("a\nb\n", "x\r\ny\n", "x\r\ny\n"),
        ("a\nb\nc\r\n", "x\n", "x\n"),
        ("one\r\ntwo\nthree\n", "one\ntwo\nthree\n", "one\r\ntwo\nthree\n"),
        ("one\r\ntwo\nthree\n", "ONE\ntwo\n3\n", "ONE\r\ntwo\n3\n"),
        ("one\r\ntwo\nthree\n", "zero\none\nmore\ntwo\nlast\nthree", "zero\none\r\nmore\r\ntwo\nlast\nthree"),
        ("one\ntwo\r\nthree\r\n", "three\none\n", "three\r\none\r\n"),
        ("one\r\ntwo\n", "", ""),
        ("one\r\ntwo\nlast", "one\ntwo\nlast\n", "one\r\ntwo\nlast\n"),
    ];
    for (old, new, expected) in cases {
        assert_eq!(keep_line_ends(old, new), expected, "{old:?} -> {new:?}");
    }
}

proptest! {
    /// Whatever is taken out, changed or put in between, what is left is as it was.
    #[test]
    fn what_is_not_touched_stays_byte_for_byte(
        lines in prop::collection::vec(("[ab]{0,2}", prop::sample::select(vec!["\n", "\r\n"])), 1..12),
        at in any::<prop::sample::Index>(),
        removed in 0..3_usize,
        added in prop::collection::vec("[xy]{1,2}", 0..3),
    ) {
        let old: Vec<String> = lines.iter().map(|(text, end)| format!("{text}{end}")).collect();
        let start = at.index(old.len());
        let end = (start + removed).min(old.len());
        let (head, tail) = (old[..start].concat(), old[end..].concat());
        let added: String = added.iter().map(|line| format!("{line}\n")).collect();
        let new = format!("{}{added}{}", head.replace("\r\n", "\n"), tail.replace("\r\n", "\n"));
        let kept = keep_line_ends(&old.concat(), &new).into_owned();
        prop_assert_eq!(kept.replace("\r\n", "\n"), new);
        // Lines that look alike may stand for each other where some were taken out.
        if !added.is_empty() || removed == 0 {
            prop_assert!(kept.starts_with(&head) && kept.ends_with(&tail), "{:?} -> {:?}", old.concat(), kept);
        }
    }
}
