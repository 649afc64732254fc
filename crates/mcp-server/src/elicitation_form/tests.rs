use super::{ElicitationForm, ElicitationReply, SHOWN_CHARS};
use pollux_session::{
    AnswerEdit, Ask, AskDetails, FileDiff, Grant, PatchedFile, PatchedFileChange, cancel_choice, once_choice,
    session_choice,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn command() -> ElicitationForm {
    let details = AskDetails::Execute { command: "make all".into(), directory: "/project".into() };
    let grant = Grant::Tool { tool: "run_shell_command".into() };
    ElicitationForm::new(
        "run_shell_command",
        &Ask::new(details, vec![once_choice(), session_choice(grant), cancel_choice()]),
    )
}

fn questions(schema: Value) -> ElicitationForm {
    let details = AskDetails::Generic { description: "Which colour?".into(), schema: Some(schema) };
    ElicitationForm::new("ask_user", &Ask::new(details, vec![once_choice(), cancel_choice()]))
}

fn form(question: &ElicitationForm, titled: bool) -> Value {
    serde_json::to_value(question.request(titled).unwrap()).unwrap()
}

#[test]
fn options_are_an_enum_whose_titles_say_what_is_granted() {
    assert_eq!(
        form(&command(), true),
        json!({
            "mode": "form",
            "message": "Pollux wants to run a command in /project:\n\nmake all",
            "requestedSchema": {
                "type": "object",
                "properties": { "decision": {
                    "type": "string",
                    "title": "Decision",
                    "oneOf": [
                        { "const": "proceed_once", "title": "Allow once" },
                        { "const": "proceed_always", "title": "Allow every run_shell_command in this session" },
                        { "const": "cancel", "title": "Cancel" },
                    ],
                } },
                "required": ["decision"],
            },
        })
    );
    let older = form(&command(), false);
    assert_eq!(
        older["requestedSchema"]["properties"]["decision"]["enum"],
        json!(["proceed_once", "proceed_always", "cancel"])
    );
    assert_eq!(older["requestedSchema"]["properties"]["decision"]["enumNames"][2], "Cancel");
}

#[test]
fn a_change_is_shown_as_its_diff() {
    let diff = FileDiff {
        name: "a.txt".into(),
        path: "/project/a.txt".into(),
        old: None,
        new: "x".into(),
        patch: "+x\n".into(),
    };
    let question =
        ElicitationForm::new("write_file", &Ask::new(AskDetails::Edit(diff), vec![once_choice(), cancel_choice()]));
    assert_eq!(form(&question, true)["message"], "Pollux wants to change a.txt:\n\n+x\n");
}

#[test]
fn an_accepted_form_is_the_option_in_it() {
    let chosen = |option: &str| ElicitationReply::Chosen { option: option.into(), edit: None };
    assert_eq!(command().read_answer(Some(json!({ "decision": "proceed_always" }))), chosen("proceed_always"));
    assert_eq!(command().read_answer(Some(json!({ "decision": "cancel" }))), ElicitationReply::Declined);
    // Nothing that was not offered, and no silence, lets anything run.
    assert_eq!(command().read_answer(Some(json!({ "decision": "sudo" }))), ElicitationReply::Declined);
    assert_eq!(command().read_answer(Some(json!({}))), ElicitationReply::Declined);
    assert_eq!(command().read_answer(None), ElicitationReply::Declined);
}

#[test]
fn questions_are_properties_and_their_answers_come_along() {
    let colour = json!({
        "type": "string",
        "anyOf": [{ "const": "Red" }, { "const": "Blue", "description": "calm" }, { "type": "string" }],
        "title": "Colour",
    });
    let question = questions(json!({ "type": "object", "properties": { "0": colour } }));
    assert_eq!(
        form(&question, true)["requestedSchema"],
        json!({
            "type": "object",
            "properties": { "0": { "type": "string", "enum": ["Red", "Blue"], "title": "Colour" } },
            "required": [],
        })
    );
    let answers = json!({ "0": "Red" });
    assert_eq!(
        question.read_answer(Some(answers.clone())),
        ElicitationReply::Chosen { option: "proceed_once".into(), edit: Some(AnswerEdit::Answers { answers }) }
    );
}

#[test]
fn what_does_not_fit_into_a_form_is_not_asked() {
    assert!(questions(json!({ "type": "object", "properties": { "0": { "type": "object" } } })).request(true).is_err());
    assert!(questions(json!({ "type": "object" })).request(true).is_err());
}

/// What is not shown is not allowed, be it the end of a text or a character that is drawn as nothing.
#[test]
fn what_cannot_be_shown_whole_is_not_asked_and_nothing_in_it_hides() {
    let added = |name: &str, len: usize| PatchedFile {
        written: vec![],
        change: PatchedFileChange::Add,
        diff: FileDiff {
            name: name.into(),
            path: format!("/project/{name}"),
            old: None,
            new: "x".repeat(len),
            patch: format!("+{}\n", "x".repeat(len)),
        },
    };
    let question = |files: Vec<PatchedFile>| {
        let details = AskDetails::Patch { files };
        ElicitationForm::new("apply_patch", &Ask::new(details, vec![once_choice(), cancel_choice()]))
    };
    let long = question(vec![added("a.txt", SHOWN_CHARS), added("zz-evil.sh", 1)]);
    let why = long.request(true).unwrap_err();
    assert!(why.contains("a form shows at most 40000; make smaller changes"), "{why}");
    let odd = form(&question(vec![added("a\u{202e}b\n.txt", 1)]), true);
    assert!(!odd.to_string().contains('\u{202e}') && odd["message"].as_str().unwrap().contains("U+202E"), "{odd}");
}
