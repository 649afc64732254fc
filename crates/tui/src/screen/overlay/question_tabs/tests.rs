use super::{AskFormOutcome, QuestionTabs};
use crate::screen::overlay::ask_dialog::AskDialog;
use crate::screen::overlay::key_guard::GuardedOverlay;
use crate::screen::overlay::testing::{key, shots, text, view_of};
use crate::screen::overlay::{Overlay, OverlayStep, UiEffect};
use crate::screen::theme::{Theme, dark};
use crate::testing::FakeSession;
use insta::assert_snapshot;
use pollux_session::*;
use pretty_assertions::assert_eq;
use ratatui::text::Line;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Questions of every kind.
fn every_kind() -> Value {
    json!({ "type": "object", "required": ["name"], "properties": {
        "auth": {
            "title": "Auth", "description": "How do people sign in?", "type": "string",
            "anyOf": [
                { "const": "OAuth", "description": "in the browser, with an account they have" },
                { "const": "Key" },
                { "type": "string", "title": "Other" },
            ],
        },
        "where": {
            "title": "Where", "description": "Where shall it run?", "type": "array",
            "items": { "enum": ["linux", "macos", "windows"] },
        },
        "name": { "title": "Name", "description": "What is it called?", "type": "string", "examples": ["zed"] },
        "port": { "title": "Port", "type": "integer", "default": 8080 },
        "tests": { "title": "Tests", "description": "Write tests too?", "type": "boolean" },
    } })
}

fn send_or_dismiss() -> Vec<AskOption> {
    let send = AskOption { name: "Send the answers".into(), ..once_choice() };
    vec![send, AskOption { name: "Dismiss the questions".into(), ..cancel_choice() }]
}

struct QuestionTabsTester {
    dialog: AskDialog,
    call: CallId,
    now: Instant,
}

impl QuestionTabsTester {
    fn asked(description: &str, schema: Value, options: Vec<AskOption>) -> QuestionTabsTester {
        let session = FakeSession::open();
        session.seat("terminal").prompts("set it up");
        let call = session.asks_questions(description, schema, options);
        let now = Instant::now();
        let dialog = AskDialog::new(&view_of(&session), now).unwrap();
        let desk = QuestionTabsTester { dialog, call, now: now + Duration::from_millis(400) };
        desk.draws();
        desk
    }

    fn every_kind() -> QuestionTabsTester {
        QuestionTabsTester::asked("Some things first", every_kind(), send_or_dismiss())
    }

    /// Press keys, and type what is in quotes.
    fn presses(&mut self, keys: &[&str]) -> OverlayStep {
        let mut step = OverlayStep::Stay;
        for name in keys {
            match name.strip_prefix('"') {
                Some(typed) => {
                    for ch in typed.trim_end_matches('"').chars() {
                        step = self.dialog.key_at(key(&ch.to_string()), self.now);
                    }
                }
                None => step = self.dialog.key_at(key(name), self.now),
            }
            self.draws();
        }
        step
    }

    fn draws(&self) -> String {
        text(&self.dialog.render_at(80, 24, &dark(), self.now), 80, 24)
    }

    fn shots(&self) -> String {
        shots(24, |width, height, theme| self.dialog.render_at(width, height, theme, self.now))
    }

    fn answer(&self, option: &str, answers: Option<Value>) -> OverlayStep {
        let edit = answers.map(|answers| AnswerEdit::Answers { answers });
        OverlayStep::Do(UiEffect::Send(Command::Answer { call: self.call, option: option.into(), edit }))
    }
}

#[test]
fn one_of_a_list() {
    assert_snapshot!(QuestionTabsTester::every_kind().shots());
}

#[test]
fn one_in_own_words() {
    let mut desk = QuestionTabsTester::every_kind();
    desk.presses(&["\"with a smile\""]);
    assert_snapshot!(desk.shots());
}

#[test]
fn several_of_a_list() {
    let mut desk = QuestionTabsTester::every_kind();
    desk.presses(&["1", "space", "down", "down", "space"]);
    assert_snapshot!(desk.shots());
}

#[test]
fn a_text() {
    let mut desk = QuestionTabsTester::every_kind();
    desk.presses(&["tab", "tab", "\"one\"", "A-enter", "\"two\""]);
    assert_snapshot!(desk.shots());
}

#[test]
fn the_review() {
    let mut desk = QuestionTabsTester::every_kind();
    desk.presses(&["1", "space", "enter", "\"zed\"", "enter", "\"81\"", "enter", "2"]);
    assert_snapshot!(desk.shots());
}

#[test]
fn the_review_of_what_is_missing() {
    let mut desk = QuestionTabsTester::every_kind();
    desk.presses(&["backtab"]);
    assert_snapshot!(desk.shots());
}

#[test]
fn all_answers_are_sent_together() {
    let mut desk = QuestionTabsTester::every_kind();
    let step = desk.presses(&["2", "space", "3", "enter", "\"zed\"", "enter", "\"80\"", "enter", "1", "enter"]);
    let answers = json!({ "auth": "Key", "where": ["linux", "windows"], "name": "zed", "port": 80, "tests": true });
    assert_eq!(step, desk.answer("proceed_once", Some(answers)));
}

#[test]
fn own_words_count_and_what_is_left_out_is_left_out() {
    let mut desk = QuestionTabsTester::every_kind();
    let step = desk.presses(&["1", "backtab", "\"42 keys\"", "tab", "tab", "\"zed\"", "C-s"]);
    // A digit chooses from the list; only in the row for own words it is text.
    let answers = json!({ "auth": "Key", "name": "zed" });
    assert_ne!(step, desk.answer("proceed_once", Some(answers)));
    let mut desk = QuestionTabsTester::every_kind();
    let step = desk.presses(&["up", "\"42 keys\"", "enter", "tab", "\"zed\"", "C-s"]);
    assert_eq!(step, desk.answer("proceed_once", Some(json!({ "auth": "42 keys", "name": "zed" }))));
}

#[test]
fn what_is_required_is_asked_for_again() {
    let mut desk = QuestionTabsTester::every_kind();
    assert_eq!(desk.presses(&["C-s"]), OverlayStep::Stay);
    let seen = desk.draws();
    assert!(seen.contains("[□ Name]") && seen.contains("this one has to be answered"), "{seen}");
    assert_eq!(desk.presses(&["\"/skip\"", "enter"]), OverlayStep::Stay);
}

#[test]
fn an_answer_that_is_none_says_why() {
    let mut desk = QuestionTabsTester::every_kind();
    assert_eq!(desk.presses(&["tab", "tab", "tab", "\"8o\"", "enter"]), OverlayStep::Stay);
    assert!(desk.draws().contains("8o is not a whole number"));
    assert_eq!(desk.presses(&["back", "back", "\"/skip\"", "enter"]), OverlayStep::Stay);
    assert!(desk.draws().contains("[□ Tests]"), "{}", desk.draws());
}

#[test]
fn questions_are_declined() {
    for keys in [&["esc"][..], &["1", "esc"]] {
        let mut desk = QuestionTabsTester::every_kind();
        let no = Command::Answer { call: desk.call, option: "cancel".into(), edit: None };
        assert_eq!(desk.presses(keys), OverlayStep::Do(UiEffect::SendEach(vec![no])), "{keys:?}");
    }
    let mut desk = QuestionTabsTester::every_kind();
    assert_eq!(desk.presses(&["tab", "tab", "\"/decline\"", "enter"]), desk.answer("cancel", None));
}

#[test]
fn a_single_question_needs_no_review() {
    let schema = json!({ "properties": { "go": { "title": "Go", "type": "boolean" } } });
    let mut desk = QuestionTabsTester::asked("Go", schema.clone(), send_or_dismiss());
    assert_snapshot!(desk.shots());
    assert_eq!(desk.presses(&["2"]), desk.answer("proceed_once", Some(json!({ "go": false }))));
    let schema = json!({ "properties": { "go": { "type": "string" } } });
    let mut desk = QuestionTabsTester::asked("Go", schema, send_or_dismiss());
    assert_eq!(desk.presses(&["enter"]), desk.answer("proceed_once", None));
}

#[test]
fn text_is_pasted_into_an_answer() {
    let schema = json!({ "properties": { "go": { "enum": ["a"], "title": "Go" }, "why": { "type": "string" } } });
    let details = AskDetails::Generic { description: "Go".into(), schema: Some(schema) };
    let mut questions = QuestionTabs::from_ask(&Ask::new(details, send_or_dismiss())).unwrap();
    questions.paste("nowhere");
    questions.key(key("tab"));
    questions.paste("a\r\nb");
    let wanted = AskFormOutcome::Send { option: "proceed_once".into(), answers: Some(json!({ "why": "a\nb" })) };
    assert_eq!(questions.key(key("C-s")), wanted);
}

#[test]
fn an_ask_without_questions_has_none() {
    let details = AskDetails::Generic { description: "Go".into(), schema: Some(json!({})) };
    assert!(QuestionTabs::from_ask(&Ask::new(details, send_or_dismiss())).is_none());
    assert!(QuestionTabs::from_ask(&Ask::new(AskDetails::generic("Go"), send_or_dismiss())).is_none());
}

#[test]
fn guarded_keys_answer_no_question() {
    let mut desk = QuestionTabsTester::every_kind();
    desk.now -= Duration::from_millis(1);
    assert_eq!(desk.presses(&["1"]), OverlayStep::ForComposer);
    assert!(desk.draws().contains("[□ Auth]"));
    assert!(desk.dialog.changes_at().is_some());
}

fn loud(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let lines = text.lines().map(|line| line.to_uppercase().chars().take(usize::from(width)).collect::<String>());
    lines.map(|line| Line::styled(line, theme.strong)).collect()
}

fn plan() -> QuestionTabsTester {
    let schema = json!({ "properties": { "feedback": { "title": "Feedback", "type": "string" } } });
    let freely = AskOption { id: "proceed_always".into(), name: "Yes, and edit freely".into(), ..once_choice() };
    let asking = AskOption { name: "Yes, and ask before edits".into(), ..once_choice() };
    let text = "# Plan\n".to_owned() + &(1..40).map(|step| format!("{step}. Do step {step}\n")).collect::<String>();
    QuestionTabsTester::asked(&text, schema, vec![freely, asking, cancel_choice()])
}

#[test]
fn a_plan() {
    let mut desk = plan();
    desk.dialog = desk.dialog.with_markdown(loud);
    assert_snapshot!(desk.shots());
}

#[test]
fn a_plan_with_a_verdict_on_a_small_screen() {
    let schema = json!({ "properties": {
        "approved": { "type": "boolean" }, "approvalMode": { "enum": ["default", "autoEdit"] }, "feedback": {},
    } });
    let mut desk =
        QuestionTabsTester::asked("# Plan\n\n1. Write it\n2. Test it\n3. Ship it", schema, send_or_dismiss());
    desk.presses(&["3", "\"no\""]);
    assert_snapshot!(shots(12, |width, height, theme| desk.dialog.render_at(width, height, theme, desk.now)));
    let answers = Some(json!({ "approved": false, "feedback": "no" }));
    assert_eq!(desk.presses(&["enter"]), desk.answer("proceed_once", answers));
}

#[test]
fn a_plan_is_approved_with_a_word_about_it() {
    let mut desk = plan();
    desk.presses(&["2", "\"mind the tests\"", "enter"]);
    assert_snapshot!(desk.draws());
    let answers = Some(json!({ "feedback": "mind the tests" }));
    // The plan is longer than the screen.
    assert_eq!(desk.presses(&["enter"]), OverlayStep::Stay);
    assert!(desk.draws().contains("39. Do step 39"), "{}", desk.draws());
    assert_eq!(desk.presses(&["enter"]), desk.answer("proceed_once", answers));
}

#[test]
fn nothing_is_chosen_before_it_is_on_the_screen() {
    let mut desk = plan();
    let small = |desk: &QuestionTabsTester| text(&desk.dialog.render_at(40, 6, &dark(), desk.now), 40, 6);
    small(&desk);
    assert_eq!(desk.dialog.key_at(key("2"), desk.now), OverlayStep::Stay);
    let seen = small(&desk);
    assert!(seen.contains("❯ 1. Yes, and edit freely"), "{seen}");
    desk.dialog.key_at(key("2"), desk.now);
    assert!(small(&desk).contains("Feedback"));
}

#[test]
fn a_plan_scrolls() {
    let mut desk = plan();
    assert!(!desk.draws().contains("39. Do step 39"));
    desk.presses(&["pgdn", "pgdn", "pgdn", "pgdn"]);
    assert!(desk.draws().contains("39. Do step 39"), "{}", desk.draws());
}

#[test]
fn letters_that_a_plan_ignores_keep_enter_from_approving_it() {
    let schema = json!({ "properties": { "approved": { "type": "boolean" }, "feedback": { "type": "string" } } });
    let asked = || QuestionTabsTester::asked("1. Write it", schema.clone(), send_or_dismiss());
    let mut desk = asked();
    assert_eq!(desk.presses(&["n"]), OverlayStep::ForComposer);
    desk.now += Duration::from_secs(2);
    assert_eq!(desk.presses(&["enter"]), OverlayStep::Stay);
    assert!(desk.draws().contains("what you type goes to the composer"), "{}", desk.draws());
    let approved = desk.answer("proceed_once", Some(json!({ "approved": true })));
    assert_eq!(desk.presses(&["down", "1"]), approved);
    // Feedback takes letters.
    let mut desk = asked();
    let approved = desk.answer("proceed_once", Some(json!({ "approved": true, "feedback": "ok" })));
    assert_eq!(desk.presses(&["tab", "\"ok", "tab", "1"]), approved);
}

#[test]
fn words_about_a_plan_send_it_back() {
    let schema = json!({ "properties": { "approved": { "type": "boolean" }, "feedback": { "type": "string" } } });
    let asked = || QuestionTabsTester::asked("1. Write it", schema.clone(), send_or_dismiss());
    let mut desk = asked();
    let sent_back = desk.answer("proceed_once", Some(json!({ "approved": false, "feedback": "no, not like this" })));
    assert_eq!(desk.presses(&["tab", "\"no, not like this", "enter"]), sent_back);
    let mut desk = asked();
    desk.dialog.paste_at("no, not like this", desk.now);
    assert!(desk.draws().contains("❯ 2. Send it back with feedback"), "{}", desk.draws());
    assert_eq!(desk.presses(&["enter"]), sent_back);
}

#[test]
fn a_yes_or_no_question_takes_y_and_n() {
    let yes_or_no = json!({ "properties": { "go": { "title": "Go", "type": "boolean" } } });
    let listed = json!({ "properties": { "go": { "title": "Go", "type": "string", "anyOf": [
        { "const": "Yes" }, { "const": "No" }, { "type": "string", "title": "Other" },
    ] } } });
    let table = [(&yes_or_no, "y", json!(true)), (&yes_or_no, "N", json!(false)), (&listed, "n", json!("No"))];
    for (schema, key_name, answer) in table {
        let mut desk = QuestionTabsTester::asked("Go?", schema.clone(), send_or_dismiss());
        assert!(desk.draws().contains("y, n or a digit chooses and sends"), "{}", desk.draws());
        let sent = desk.answer("proceed_once", Some(json!({ "go": answer })));
        assert_eq!(desk.presses(&[key_name]), sent, "{key_name}");
    }
    // In the row for own words they are letters.
    let mut desk = QuestionTabsTester::asked("Go?", listed.clone(), send_or_dismiss());
    let sent = desk.answer("proceed_once", Some(json!({ "go": "yn" })));
    assert_eq!(desk.presses(&["3", "y", "n", "enter"]), sent);
}
