use super::*;

fn is_loop(text: &str) -> bool {
    let mut repetition = RepetitionDetector::default();
    repetition.push(text);
    repetition.is_found()
}

#[test]
fn the_same_sentence_again_and_again_is_a_loop() {
    assert!(is_loop(&"I will now look at the file and then change it. ".repeat(30)));
    assert!(is_loop(&"sorry ".repeat(200)));
    assert!(is_loop(&"x".repeat(600)));
    let paragraph = "The build fails because the linker cannot find the library, so I add the path to it and \
                     build once more; then the build fails because the linker cannot find the library again. ";
    assert!(is_loop(&paragraph.repeat(12)));
}

#[test]
fn a_few_times_are_none() {
    assert!(!is_loop(&"I will now look at the file and then change it. ".repeat(8)));
    assert!(!is_loop(&"x".repeat(400)));
    assert!(!is_loop(&"=".repeat(5000)), "a ruler");
}

#[test]
fn it_does_not_matter_how_the_text_is_cut() {
    let mut repetition = RepetitionDetector::default();
    for piece in "Größe über alles, and then once more from the start! ".repeat(30).split_inclusive(['a', 'ö', ' '])
    {
        repetition.push(piece);
    }
    assert!(repetition.is_found());
}

#[test]
fn code_tables_lists_and_headings_may_repeat_themselves() {
    let line = "let value = compute_something(argument_one, argument_two, argument_three);";
    for mark in ["- ", "* ", "1. ", "12) ", "| ", "## ", "> "] {
        assert!(!is_loop(&format!("{mark}{line}\n").repeat(40)), "{mark}");
    }
    assert!(!is_loop(&format!("```rust\n{}```\n", format!("{line}\n").repeat(40))));
    assert!(is_loop(&format!("```\ncode\n```\n{}", format!("{line}\n").repeat(40))), "after the code");
}

#[test]
fn sentences_that_differ_are_progress() {
    let report: String =
        (0..60).map(|n| format!("Test number {n} passed with exactly the output that was expected of it.\n")).collect();
    assert!(!is_loop(&report));
}

#[test]
fn the_same_words_far_apart_are_no_loop() {
    let passage = "And this is the point that the whole argument rests upon, dear reader.";
    let text: String = (0..40)
        .map(|n| {
            let other: String = (0..40).map(|word| format!("word{} ", n * 1000 + word * 7)).collect();
            format!("{passage} {other}\n")
        })
        .collect();
    assert!(!is_loop(&text));
}
