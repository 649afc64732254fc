//! How much of the disk is looked at for one plan.

use super::*;
use pretty_assertions::assert_eq;

impl TestWorkspace {
    /// What speaks against `cat WORDS`, which looks at each of the words so, with at most `looks` looks.
    fn objection_within(&self, looks: usize, words: &[PlannedWord], kind: ReadKind) -> Option<String> {
        let reads: Vec<_> = words.iter().map(|word| (word, kind)).collect();
        let plan = self.plan(&[&[PlannedWord::text("cat")], words].concat(), &reads);
        let workspace = Arc::new(FileAccess::default()).open(&self.root).unwrap();
        let surroundings = PlanEnvironment { streams: ShellStreams::Pipes, passed: Vec::new() };
        resolve_within(&workspace, &plan, &surroundings, looks).err().map(|objection| objection.why)
    }
}

#[test]
fn a_pattern_has_a_bounded_number_of_parts() {
    let test = TestWorkspace::new();
    let slashes = |count: usize| pattern(&format!("s*{}", "/".repeat(count)));
    assert_eq!(test.echoed(&slashes(255)).unwrap().len(), 1);
    assert_eq!(test.echoed(&slashes(16_000)), Err("a pattern has more than 256 parts".into()));
}

/// A plan is looked up while its call waits: however many patterns and searches it has, they share one budget.
#[test]
fn a_plan_looks_through_a_bounded_number_of_names() {
    let test = TestWorkspace::new();
    for number in 0..1000 {
        test.write(&format!("many/{number}"), "");
    }
    let too_many = |looks: usize| Some(format!("the command looks through more than {looks} names"));
    let patterns = |count: usize| (0..count).map(|number| pattern(&format!("many/*zq{number}"))).collect::<Vec<_>>();
    assert_eq!(test.objection_within(MAX_LOOKS, &patterns(90), ReadKind::File), None);
    assert_eq!(test.objection_within(MAX_LOOKS, &patterns(110), ReadKind::File), too_many(100_000));
    // The budget is the plan's and not a command's.
    let mut plan = test.plan(&[&[PlannedWord::text("echo")], patterns(60).as_slice()].concat(), &[]);
    assert!(test.resolve(&plan).is_ok());
    let more = patterns(120).split_off(60);
    plan.pipelines.extend(test.plan(&[&[PlannedWord::text("echo")], more.as_slice()].concat(), &[]).pipelines);
    assert_eq!(test.resolve(&plan).err(), too_many(100_000));
    // What a pattern stands for counts each time.
    let names = vec![pattern("many/*"); 10];
    assert_eq!(test.objection_within(25_000, &names, ReadKind::File), None);
    assert_eq!(test.objection_within(10_000, &names, ReadKind::File), too_many(10_000));
}

#[test]
fn what_occurs_again_is_looked_up_once() {
    let test = TestWorkspace::new();
    for number in 0..100 {
        test.write(&format!("many/{number}"), "");
    }
    let mut path = "deep".to_owned();
    let mut nested = Vec::new();
    for _ in 0..10 {
        path.push_str("/d");
        nested.push(PlannedWord::text(&*path));
    }
    for number in 0..100 {
        test.write(&format!("{path}/{number}"), "");
    }
    assert_eq!(test.objection_within(1000, &vec![pattern("many/*zq"); 300], ReadKind::File), None);
    let here: Vec<PlannedWord> = [".", "./", "src/.."].into_iter().cycle().take(300).map(PlannedWord::text).collect();
    assert_eq!(test.objection_within(1000, &here, ReadKind::Tree), None);
    // Whoever searched a directory knows those below it, and not those above it.
    assert_eq!(test.objection_within(500, &nested, ReadKind::Tree), None);
    nested.reverse();
    let too_many = Some("the command looks through more than 500 names".to_owned());
    assert_eq!(test.objection_within(500, &nested, ReadKind::Tree), too_many);
    // Patterns and searches share the budget.
    let [names, tree] = [pattern("many/*zq"), PlannedWord::text("deep")];
    for alone in [&names, &tree] {
        assert_eq!(test.objection_within(150, std::slice::from_ref(alone), ReadKind::Tree), None);
    }
    assert!(test.objection_within(150, &[names, tree], ReadKind::Tree).is_some());
}

#[test]
fn reading_large_ignore_files_counts() {
    let test = TestWorkspace::new();
    for number in 0..20 {
        test.write(&format!("files/{number}"), "x");
    }
    let files = [pattern("files/*")];
    assert_eq!(test.objection_within(500, &files, ReadKind::File), None);
    test.write("files/.geminiignore", &"# nothing\n".repeat(1000));
    assert!(test.objection_within(500, &files, ReadKind::File).is_some());
}
