use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_name_may_hold_anything() {
    let stat = "41 (a) R (b) S 7 8 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 2 3";
    let expected = ProcessSnapshot { parent: 7, group: 8, session: 9, start: 12345, is_live: true };
    assert_eq!(ProcessSnapshot::parse(stat), Some(expected));
    assert_eq!(ProcessSnapshot::parse(""), None);
    assert_eq!(ProcessSnapshot::parse("41 (cat) S 7"), None);
}

#[test]
fn zombies_and_those_about_to_be_do_not_run() {
    let stat = |state: &str, flags: u32| {
        let line = format!("41 (cat) {state} 7 8 9 0 -1 {flags} 1 0 0 0 0 0 0 0 20 0 1 0 12345 1 2 3");
        ProcessSnapshot::parse(&line).unwrap().is_live
    };
    assert_eq!(
        [stat("S", 0), stat("T", 0), stat("Z", 0), stat("X", 0), stat("R", 4)],
        [true, true, false, false, false]
    );
}

#[test]
fn descendants_are_all_below_and_nobody_else() {
    let process = |parent| ProcessSnapshot { parent, group: 1, session: 1, start: 0, is_live: true };
    let list = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 1), (6, 4)].map(|(pid, parent)| (pid, process(parent)));
    let list = ProcessList(list.into_iter().collect());
    assert_eq!(list.descendants(&BTreeSet::from([2])), BTreeSet::from([3, 4, 6]));
    assert_eq!(list.descendants(&BTreeSet::from([3, 5])), BTreeSet::from([4, 6]));
}

#[test]
fn this_process_is_in_the_list() {
    let us = std::process::id().cast_signed();
    let list = ProcessList::read();
    assert_eq!(list.select(|pid, stat| pid == us && stat.is_live), BTreeSet::from([us]));
}
