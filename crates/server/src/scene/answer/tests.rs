//! Which of the things a turn says are its answer.

use super::{Answer, MAX_ANSWER};
use pretty_assertions::assert_eq;

fn texts(answer: &Answer) -> Vec<&str> {
    answer.whole().0.iter().map(String::as_str).collect()
}

#[test]
fn the_newest_step_that_said_anything_answers() {
    let mut answer = Answer::default();
    answer.begin("I will ");
    answer.go_on("look.");
    answer.end_step();
    assert_eq!(texts(&answer), ["I will look."]);
    answer.begin("One.");
    answer.begin("Two.");
    answer.end_step();
    answer.begin("\n");
    answer.end_step();
    assert_eq!(texts(&answer), ["One.", "Two."]);
}

#[test]
fn what_was_cut_or_tried_again_does_not_count() {
    let mut answer = Answer::default();
    answer.begin("Hello.");
    answer.begin("How a");
    answer.forget_step();
    answer.begin("Hi.");
    answer.end_step();
    assert_eq!((texts(&answer), answer.whole().1), (vec!["Hi."], 3));
}

#[test]
fn a_long_answer_is_only_counted() {
    let mut answer = Answer::default();
    answer.begin(&"x".repeat(MAX_ANSWER));
    answer.go_on("yz");
    answer.end_step();
    assert_eq!(answer.whole().1, MAX_ANSWER + 2);
    assert_eq!(answer.whole().0[0].len(), MAX_ANSWER);
}
