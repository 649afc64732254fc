//! Which replies count, and that nothing else allows anything.

use super::{AskAnswer, ReplyForm, ReplyMeaning, describe_asks, explain_unclear, misfit, read_reply};
use crate::ask::{
    AnswerEdit, Ask, AskDetails, AskOption, Grant, GrantScope, McpToolVersion, cancel_choice, lasting_choice,
    once_choice, session_choice,
};
use crate::call::{CallOutcome, CallPhase, CallState, ToolKind};
use crate::event::EntryAuthor;
use crate::ids::{CallId, PromptId, Seq, TaskId, TurnId, UnixMillis};
use crate::state::{AskClosing, AskDecision, StepState, TurnState};
use expect_test::expect;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A turn whose calls ask these, numbered from 11.
fn asking(asks: Vec<Ask>) -> TurnState {
    let task = TaskId(Uuid::nil());
    let calls = asks.into_iter().zip(11..).map(|(ask, number)| {
        let id = CallId(Seq(number));
        let is_question = matches!(ask.details, AskDetails::Generic { schema: Some(_), .. });
        let call = CallState {
            id,
            task,
            parent: None,
            place: id,
            response: None,
            tool: if is_question { "ask_user" } else { "some_tool" }.into(),
            args: json!({"what": "a\nb"}),
            kind: ToolKind::Execute,
            ask: Some(ask),
            chosen: None,
            edit: None,
            plan: None,
            phase: CallPhase::Asking { revision: 0, since: UnixMillis(0) },
        };
        (id, call)
    });
    TurnState {
        id: TurnId(Seq(2)),
        prompt: PromptId(Seq(1)),
        prompted_by: EntryAuthor::Agent,
        task,
        model: None,
        step: 1,
        doing: StepState::Acting,
        before_step: Seq(2),
        command: None,
        item: None,
        response: None,
        calls: calls.collect::<BTreeMap<_, _>>(),
        printed: BTreeMap::new(),
        declined: false,
    }
}

fn command_ask(command: &str) -> Ask {
    let exact = Grant::Command { command: command.into(), directory: None };
    let every = Grant::Tool { tool: "some_tool".into() };
    let options = vec![
        once_choice(),
        AskOption { id: "every".into(), ..session_choice(every) },
        session_choice(exact.clone()),
        lasting_choice(exact, GrantScope::Workspace),
        cancel_choice(),
    ];
    Ask::new(AskDetails::Execute { command: command.into(), directory: "/w".into() }, options)
}

fn question(properties: &Value) -> Ask {
    let schema = Some(json!({ "type": "object", "properties": properties }));
    let dismiss = AskOption { name: "Dismiss the questions".into(), ..cancel_choice() };
    Ask::new(AskDetails::Generic { description: "Which colour?".into(), schema }, vec![once_choice(), dismiss])
}

fn answered(number: u64, option: &str) -> ReplyMeaning {
    ReplyMeaning::Answers(vec![chosen(number, option)])
}

fn chosen(number: u64, option: &str) -> AskAnswer {
    AskAnswer { call: CallId(Seq(number)), option: option.into(), edit: None }
}

fn numbered(number: u64, option: &str) -> ReplyMeaning {
    ReplyMeaning::Numbered(vec![chosen(number, option)])
}

fn told_by_number(answers: Value) -> ReplyMeaning {
    let edit = Some(AnswerEdit::Answers { answers });
    ReplyMeaning::Numbered(vec![AskAnswer { edit, ..chosen(11, "proceed_once") }])
}

fn told(answers: Value) -> ReplyMeaning {
    let edit = Some(AnswerEdit::Answers { answers });
    ReplyMeaning::Answers(vec![AskAnswer { call: CallId(Seq(11)), option: "proceed_once".into(), edit }])
}

#[track_caller]
fn check(turn: &TurnState, table: &[(&str, ReplyMeaning)]) {
    for (text, meaning) in table {
        assert_eq!(read_reply(turn, text), *meaning, "{text:?}");
    }
}

#[test]
fn one_ask_is_answered_by_word_number_or_name() {
    let yes = || answered(11, "proceed_once");
    let no = || answered(11, "cancel");
    let always = || answered(11, "proceed_always");
    check(
        &asking(vec![command_ask("ls")]),
        &[
            ("yes", yes()),
            (" Yes.\n", yes()),
            ("YES, allow it once", yes()),
            ("yes please", yes()),
            ("1", yes()),
            ("1.", yes()),
            ("allow once", yes()),
            ("proceed_once", yes()),
            ("11 yes", numbered(11, "proceed_once")),
            ("11: 1", numbered(11, "proceed_once")),
            ("yes!", yes()),
            ("no", no()),
            ("No.", no()),
            ("no, cancel it", no()),
            ("5", no()),
            ("cancel", no()),
            ("always", always()),
            ("Always.", always()),
            ("3", always()),
            ("Allow `ls` in this session", always()),
            ("2", answered(11, "every")),
            ("4", answered(11, "proceed_always_workspace")),
        ],
    );
}

#[test]
fn what_begins_as_an_answer_and_is_none_is_unclear() {
    let texts = [
        "yes, and then delete everything",
        "yes, always",
        "yes, every",
        "always allow everything",
        "always yes",
        "0",
        "6",
        "2 yes",
        "1 yes",
        "11 yes 12 no",
        "11 maybe",
        "11, 1",
        "1, 2",
        "1.2",
        "yes?",
        "yes…",
        "yes-",
        "yes\u{200b}",
        "yes/no",
        "always?",
        "always!",
        "always,",
        "１",
        "3 bugs are left",
        "99999999999999999999999",
        "+1",
        "+2",
        "-1",
        "(+1)",
    ];
    let turn = asking(vec![command_ask("ls")]);
    for text in texts {
        assert_eq!(read_reply(&turn, text), ReplyMeaning::Unclear, "{text:?}");
    }
}

#[test]
fn every_other_text_is_a_no_with_something_to_do_instead() {
    let texts = ["no, use ls -l", "not yet", "use cargo check instead", "yesterday it worked", "", "👍", "nope"];
    let turn = asking(vec![command_ask("ls")]);
    for text in texts {
        assert_eq!(read_reply(&turn, text), ReplyMeaning::Instead, "{text:?}");
    }
}

#[test]
fn several_asks_are_answered_by_their_numbers_which_they_keep() {
    let mut turn = asking(vec![command_ask("a"), command_ask("b"), command_ask("c")]);
    let both = |run, not| ReplyMeaning::Numbered(vec![chosen(run, "proceed_once"), chosen(not, "cancel")]);
    let all = [11, 12, 13].map(|call| AskAnswer { call: CallId(Seq(call)), option: "cancel".into(), edit: None });
    check(
        &turn,
        &[
            ("12 yes", numbered(12, "proceed_once")),
            ("13: always.", numbered(13, "proceed_always")),
            ("11) no, cancel this", numbered(11, "cancel")),
            ("12. 1", numbered(12, "proceed_once")),
            ("yes", ReplyMeaning::Unclear),
            ("always", ReplyMeaning::Unclear),
            ("12", ReplyMeaning::Unclear),
            ("11 yes\n12: no", both(11, 12)),
            ("13 yes\n\n11 no\n", both(13, 11)),
            ("11 yes\n11 no", ReplyMeaning::Unclear),
            ("11 yes\n14 yes", ReplyMeaning::Unclear),
            ("11 yes\nyes", ReplyMeaning::Unclear),
            ("12 no, keep z.txt", ReplyMeaning::NumberedInstead(chosen(12, "cancel"))),
            ("12: don't, keep it", ReplyMeaning::NumberedInstead(chosen(12, "cancel"))),
            ("12 keep z.txt", ReplyMeaning::Unclear),
            ("2 yes", ReplyMeaning::Unclear),
            ("14 yes", ReplyMeaning::Unclear),
            ("no", ReplyMeaning::Answers(all.to_vec())),
            ("do something else", ReplyMeaning::Instead),
        ],
    );
    for decided in [11, 13] {
        turn.calls.get_mut(&CallId(Seq(decided))).unwrap().phase = CallPhase::Ended(CallOutcome::Declined);
    }
    check(
        &turn,
        &[
            ("yes", answered(12, "proceed_once")),
            ("12 yes", numbered(12, "proceed_once")),
            ("11 yes", ReplyMeaning::Unclear),
            ("13 yes", ReplyMeaning::Unclear),
        ],
    );
}

#[test]
fn a_question_takes_the_text_as_its_answer() {
    let offered = json!([{"const": "Red"}, {"const": "Blue"}, {"type": "string", "title": "Other"}]);
    let colour = json!({"0": {"type": "string", "title": "Colour", "anyOf": offered}});
    check(
        &asking(vec![question(&colour)]),
        &[
            ("blue", told(json!({"0": "Blue"}))),
            ("2.", told(json!({"0": "Blue"}))),
            ("yes, as long as it is green", told(json!({"0": "yes, as long as it is green"}))),
            ("no", told(json!({"0": "no"}))),
            ("Dismiss the questions", answered(11, "cancel")),
            ("cancel", answered(11, "cancel")),
            ("  ", ReplyMeaning::Unclear),
        ],
    );
    let several = json!({"name": {"type": "string"}, "count": {"type": "integer"}, "sure": {"type": "boolean"}});
    let read = || told(json!({"name": "Ann", "count": 3, "sure": true}));
    check(
        &asking(vec![question(&several)]),
        &[
            ("Ann\n3\nyes", read()),
            ("3: true\n1: Ann\n2: 3", read()),
            ("Ann\nthree\nyes", ReplyMeaning::Unclear),
            ("Ann\n3", ReplyMeaning::Unclear),
            ("Ann", ReplyMeaning::Unclear),
            ("11 no", numbered(11, "cancel")),
            ("11: No.", numbered(11, "cancel")),
            ("no", answered(11, "cancel")),
        ],
    );
    let list = json!({"0": {"type": "array", "items": {"type": "string", "anyOf": [{"const": "A"}, {"const": "B"}]}}});
    check(&asking(vec![question(&list)]), &[("1, b, something", told(json!({"0": ["A", "B", "something"]})))]);
}

#[test]
fn a_question_of_a_server_is_answered_by_its_number_only() {
    let mut turn = asking(vec![question(&json!({"token": {"type": "string"}}))]);
    turn.calls.get_mut(&CallId(Seq(11))).unwrap().tool = "elicitation".into();
    check(
        &turn,
        &[
            ("do something else", ReplyMeaning::Unclear),
            ("yes", ReplyMeaning::Unclear),
            ("11 abc", told_by_number(json!({"token": "abc"}))),
            ("Dismiss the questions", answered(11, "cancel")),
            ("no", answered(11, "cancel")),
        ],
    );
    let text = describe_asks(&turn, ReplyForm::Words).unwrap();
    assert!(text.contains("- token (text, optional)\nReply with 11 and your answer."), "{text}");
}

#[test]
fn the_form_of_a_server_says_what_it_takes_and_what_is_wrong() {
    let mut ask = question(&json!({
        "name": {"type": "string", "title": "Full name"},
        "colour": {"type": "string", "enum": ["red", "blue"], "enumNames": ["Rot", "Blau"]},
        "age": {"type": "integer", "description": "in years"},
        "sure": {"type": "boolean"},
    }));
    if let AskDetails::Generic { schema: Some(schema), .. } = &mut ask.details {
        schema["required"] = json!(["name", "colour"]);
    }
    let mut turn = asking(vec![ask]);
    turn.calls.get_mut(&CallId(Seq(11))).unwrap().tool = "elicitation".into();
    expect![[r#"
        Ask 11: The agent asks:
            Which colour?
        It asks for:
        - name: Full name (text, required)
        - colour (one of: red, blue, required)
        - age: in years (a whole number, optional)
        - sure (yes or no, optional)
        Reply with 11, and then a line "name: value" for each. What is optional may be left out. To give no answer, reply "11 no"."#]]
    .assert_eq(&describe_asks(&turn, ReplyForm::Words).unwrap());
    let both = || told_by_number(json!({"name": "Ann", "colour": "blue"}));
    check(
        &turn,
        &[
            ("11 name: Ann\ncolour: Blau", both()),
            ("11\nFull name = Ann\ncolour = 2", both()),
            ("11 Ann\nblue", both()),
            ("11 colour: red\nname: Ann\nage: 7", told_by_number(json!({"colour": "red", "name": "Ann", "age": 7}))),
            ("11 Ann\nred\n7\nno", told_by_number(json!({"name": "Ann", "colour": "red", "age": 7, "sure": false}))),
            ("11 name: Ann\ncolour: pink", ReplyMeaning::Unclear),
            ("11 name: Ann", ReplyMeaning::Unclear),
        ],
    );
    let wrong = |text| misfit(&turn, text).unwrap();
    assert_eq!(wrong("11 name: Ann\ncolour: pink"), "`colour`: \"pink\" is not one of: red, blue");
    assert_eq!(wrong("11 name: Ann\ncolour: red\nage: old"), "`age`: \"old\" is not a whole number");
    assert_eq!(wrong("11 name: Ann"), "`colour` is missing");
    assert_eq!(wrong("11 a\nb\nc"), "4 values are asked for, and the reply has 3");
    assert_eq!(misfit(&turn, "whatever"), None);
}

#[test]
fn a_form_tells_bounds_and_defaults_and_holds_replies_to_them() {
    let mut ask = question(&json!({
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "name": {"type": "string", "minLength": 1, "maxLength": 4},
        "sure": {"type": "boolean", "default": true},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2, "default": ["a", "b"]},
        "rate": {"type": "number", "minimum": 0.5},
    }));
    if let AskDetails::Generic { schema: Some(schema), .. } = &mut ask.details {
        schema["required"] = json!(["count", "sure"]);
    }
    let mut turn = asking(vec![ask]);
    turn.calls.get_mut(&CallId(Seq(11))).unwrap().tool = "elicitation".into();
    let text = describe_asks(&turn, ReplyForm::Words).unwrap();
    for line in [
        "- count (a whole number, 1 to 5, required)\n",
        "- name (text, at most 4 characters, optional)\n",
        "- sure (yes or no, required, default yes)\n",
        "- tags (several, with commas between them, at least 2 of them, optional, default a, b)\n",
        "- rate (a number, at least 0.5, optional)\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    // Whoever asks fills in the default.
    check(&turn, &[("11 count: 5\nrate: 0.5", told_by_number(json!({"count": 5, "rate": 0.5})))]);
    for (reply, why) in [
        ("11 count: 6", "`count`: \"6\" is not a whole number, 1 to 5"),
        ("11 count: 0", "`count`: \"0\" is not a whole number, 1 to 5"),
        ("11 count: 1\nname: Annie", "`name`: \"Annie\" is not text, at most 4 characters"),
        ("11 count: 1\ntags: a", "`tags`: \"a\" is not several, with commas between them, at least 2 of them"),
        ("11 count: 1\nrate: 0.4", "`rate`: \"0.4\" is not a number, at least 0.5"),
        ("11 count: 1\ncolour: red", "there is no value `colour`"),
        ("11 colour: red", "there is no value `colour`"),
        ("11 sure: yes", "`count` is missing"),
    ] {
        assert_eq!((read_reply(&turn, reply), misfit(&turn, reply).as_deref()), (ReplyMeaning::Unclear, Some(why)));
    }
}

#[test]
fn what_agrees_in_words_that_do_not_count_is_asked_again() {
    let turn = asking(vec![command_ask("make")]);
    for text in
        ["ok", "OK.", "y", "sure", "sure, go ahead", "Allow", "go ahead please", "fine", "approve it", "Allow every"]
    {
        assert_eq!(read_reply(&turn, text), ReplyMeaning::Unclear, "{text}");
    }
    check(
        &turn,
        &[
            ("\"yes\"", answered(11, "proceed_once")),
            ("“Yes.”", answered(11, "proceed_once")),
            ("(1)", answered(11, "proceed_once")),
            ("'no'", answered(11, "cancel")),
            ("ok, but use tabs", ReplyMeaning::Instead),
            ("stop", ReplyMeaning::Instead),
            ("\"a\" or \"b\"", ReplyMeaning::Instead),
        ],
    );
}

#[test]
fn the_arguments_of_an_mcp_tool_are_shown() {
    let details = AskDetails::Mcp { server: "m".into(), tool: "go".into(), version: McpToolVersion::default() };
    let turn = asking(vec![Ask::new(details, vec![once_choice(), cancel_choice()])]);
    let text = describe_asks(&turn, ReplyForm::Words).unwrap();
    let shown =
        "Ask 11: The agent wants to use go of the MCP server m.\nArguments:\n    {\n      \"what\": \"a\\nb\"\n    }\n";
    assert!(text.starts_with(shown), "{text}");
}

#[test]
fn a_question_says_why_it_asks() {
    let reason = "It asks because you do not trust this folder; `pollux trust` changes that.";
    let turn = asking(vec![command_ask("git status").with_reason(Some(reason.into()))]);
    for form in [ReplyForm::Words, ReplyForm::Option { how: "Name an option." }] {
        let text = describe_asks(&turn, form).unwrap();
        let shown = format!("Ask 11: The agent wants to run a command in /w:\n    git status\n{reason}\n");
        assert!(text.starts_with(&shown), "{text}");
    }
}

#[test]
fn a_plan_is_approved_and_not_answered() {
    let plan = question(&json!({"approved": {"type": "boolean"}, "approvalMode": {"type": "string"}}));
    let turn = asking(vec![plan]);
    check(&turn, &[("yes", answered(11, "proceed_once")), ("make it shorter", ReplyMeaning::Instead)]);
}

/// An ask as `exit_plan_mode` has it.
fn plan_ask() -> Ask {
    let mut ask = question(&json!({
        "approved": {"type": "boolean", "default": true},
        "approvalMode": {"type": "string", "enum": ["default", "autoEdit"], "default": "default"},
        "feedback": {"type": "string"},
    }));
    ask.options[0].name = "Approve the plan, or send it back with feedback".into();
    ask.options[1].name = "Reject the plan".into();
    ask
}

fn asking_about_plan(others: Vec<Ask>) -> TurnState {
    let mut turn = asking([vec![plan_ask()], others].concat());
    turn.calls.get_mut(&CallId(Seq(11))).unwrap().tool = "exit_plan_mode".into();
    turn
}

#[test]
fn a_plan_is_answered_by_all_that_can_be_said_to_it() {
    let turn = asking_about_plan(vec![]);
    let with = |option: &str, answers: Option<Value>| AskAnswer {
        call: CallId(Seq(11)),
        option: option.into(),
        edit: answers.map(|answers| AnswerEdit::Answers { answers }),
    };
    let approved = |mode: &str| with("proceed_once", Some(json!({ "approved": true, "approvalMode": mode })));
    let back = |text: &str| with("proceed_once", Some(json!({ "approved": false, "feedback": text })));
    let answers = |answer: AskAnswer| ReplyMeaning::Answers(vec![answer]);
    check(
        &turn,
        &[
            ("yes", answers(approved("default"))),
            ("1", answers(approved("default"))),
            ("proceed_once", answers(approved("default"))),
            ("2", answers(approved("autoEdit"))),
            ("Approve the plan; files are changed without asking", answers(approved("autoEdit"))),
            ("11 2", ReplyMeaning::Numbered(vec![approved("autoEdit")])),
            ("no", answers(with("cancel", None))),
            ("4", answers(with("cancel", None))),
            ("reject the plan", answers(with("cancel", None))),
            ("no, smaller steps", ReplyMeaning::Feedback(back("no, smaller steps"))),
            ("smaller steps, please", ReplyMeaning::Feedback(back("smaller steps, please"))),
            ("11 no, smaller steps", ReplyMeaning::Feedback(back("no, smaller steps"))),
            // They say neither which approval is meant nor what should be different.
            ("Approve the plan", ReplyMeaning::Unclear),
            ("3", ReplyMeaning::Unclear),
            ("send it back with feedback", ReplyMeaning::Unclear),
            ("5", ReplyMeaning::Unclear),
            ("yes, but smaller steps", ReplyMeaning::Unclear),
            ("ok", ReplyMeaning::Unclear),
            ("always", ReplyMeaning::Unclear),
        ],
    );
    assert_eq!(explain_unclear(&turn, &[].into(), "3"), "Say what should be different, in your own words.");
    // Beside another ask, words without a number may be about either.
    let both = asking_about_plan(vec![command_ask("ls")]);
    check(
        &both,
        &[
            ("11 no, smaller steps", ReplyMeaning::Feedback(back("no, smaller steps"))),
            ("12 no, smaller steps", ReplyMeaning::NumberedInstead(chosen(12, "cancel"))),
            ("smaller steps", ReplyMeaning::Instead),
        ],
    );
    // A remote agent's plan has the options that it says it has.
    let mut far = asking_about_plan(vec![]);
    far.calls.get_mut(&CallId(Seq(11))).unwrap().tool = "remote_ask".into();
    check(
        &far,
        &[("yes", answered(11, "proceed_once")), ("2", answered(11, "cancel")), ("smaller", ReplyMeaning::Instead)],
    );
}

#[test]
fn a_plan_is_shown_with_all_that_can_be_said_to_it() {
    expect![[r#"
        Ask 11: The agent has made a plan:
            Which colour?
        Reply with one of these, by its number, its name or its word:
        1. Approve the plan; each change of a file asks ("yes")
        2. Approve the plan; files are changed without asking
        3. Send it back with feedback: reply "no" and what should be different
        4. Reject the plan ("no")

        A reply that only resembles one of these ("ok", "yes, but …", "7") decides nothing, and you are asked again. Any other text sends the plan back to the agent, which reads it as feedback."#]].assert_eq(&describe_asks(&asking_about_plan(vec![]), ReplyForm::Words).unwrap());
    let both = describe_asks(&asking_about_plan(vec![command_ask("ls")]), ReplyForm::Words).unwrap();
    assert!(both.contains("3. Send it back with feedback: reply \"11 no\" and what should be different\n"), "{both}");
}

/// Whoever says a part of what is offered agrees to something, and must not be heard as a no.
#[test]
fn the_beginning_of_an_options_name_is_no_refusal() {
    let mut ask = command_ask("ls");
    ask.options[0].name = "Approve the plan, or send it back with feedback".into();
    let unclear = |text| (text, ReplyMeaning::Unclear);
    let begun = ["Approve the plan", "approve the plan, please", "Approve the plan.", "approve the plan or send back"];
    check(&asking(vec![ask.clone()]), &begun.map(unclear));
    check(&asking(vec![ask]), &[("approve the budget", ReplyMeaning::Instead), ("please", ReplyMeaning::Instead)]);
}

#[test]
fn far_options_count_where_only_one_can_be_meant() {
    let far = |id: &str| AskOption { id: id.into(), name: id.into(), ..once_choice() };
    let ask = |options| asking(vec![Ask::new(AskDetails::generic("x"), options)]);
    let one = ask(vec![once_choice(), far("proceed_always"), cancel_choice()]);
    check(&one, &[("always", answered(11, "proceed_always"))]);
    let two = ask(vec![once_choice(), far("proceed_always"), far("proceed_always_server"), cancel_choice()]);
    check(&two, &[("always", ReplyMeaning::Unclear)]);
    let liar =
        ask(vec![AskOption { name: "No".into(), ..far("go") }, AskOption { name: "Yes".into(), ..cancel_choice() }]);
    check(&liar, &[("no", answered(11, "cancel")), ("yes", answered(11, "go"))]);
}

/// What a question does not show, nobody means.
#[test]
fn the_ids_of_a_remote_agents_options_are_no_replies() {
    let option = |id: &str, name: &str, allows| AskOption { id: id.into(), name: name.into(), allows, ..once_choice() };
    let options = vec![option("nah", "Go", true), option("n", "Stay", false), option("proceed_always", "Far", true)];
    let mut turn = asking(vec![Ask::new(AskDetails::generic("x"), options)]);
    let other = [("nah", ReplyMeaning::Instead), ("n", ReplyMeaning::Instead), ("go", answered(11, "nah"))];
    check(&turn, &other);
    check(&turn, &[("proceed_always", answered(11, "proceed_always"))]);
    turn.calls.get_mut(&CallId(Seq(11))).unwrap().tool = "remote_ask".into();
    check(&turn, &other);
    check(&turn, &[("proceed_always", ReplyMeaning::Instead), ("stay", answered(11, "n"))]);
}

/// The reason comes first, then the question.
#[test]
fn an_unclear_reply_is_told_why() {
    let decided = AskDecision {
        call: CallId(Seq(6)),
        opened: UnixMillis(0),
        seq: Seq(7),
        at: UnixMillis(0),
        closing: AskClosing::Ended,
    };
    let why = |turn: &TurnState, text: &str| explain_unclear(turn, &[decided.clone()].into(), text);
    let one = asking(vec![command_ask("ls")]);
    assert_eq!(why(&one, "6 yes"), "Ask 6 is closed: its call or its turn has ended; ask 11 is open.");
    assert_eq!(why(&one, "7"), "There is no option 7.");
    assert_eq!(why(&one, "ok"), "It agrees and does not say to what: reply \"yes\" to allow this once.");
    assert_eq!(why(&one, "yes, and more"), "It begins like an answer and says something else.");
    let two = asking(vec![command_ask("a"), command_ask("b")]);
    assert_eq!(why(&two, "6 yes"), "Ask 6 is closed: its call or its turn has ended; asks 11 and 12 are open.");
    assert_eq!(why(&two, "yes"), "It does not begin with the number of an open ask: asks 11 and 12 are open.");
    let plain = asking(vec![Ask::new(AskDetails::generic("x"), vec![once_choice(), cancel_choice()])]);
    assert_eq!(why(&plain, "always"), "There is no \"always\" here.");
    assert_eq!(why(&plain, "11 always"), "There is no \"always\" here.");
}

/// A remote agent names its options as it likes.
#[test]
fn the_name_of_an_option_that_runs_is_never_a_no() {
    let named = |name: &str| {
        let far = AskOption { id: "go".into(), name: name.into(), ..once_choice() };
        asking(vec![Ask::new(AskDetails::generic("x"), vec![far, cancel_choice()])])
    };
    let no = || answered(11, "cancel");
    check(
        &named("11: no"),
        &[
            ("11: no", numbered(11, "cancel")),
            ("11 no", numbered(11, "cancel")),
            ("no", no()),
            ("1", answered(11, "go")),
        ],
    );
    check(&named("12: no"), &[("12: no", ReplyMeaning::Unclear)]);
    check(&named("Cancel"), &[("cancel", no()), ("11: cancel", numbered(11, "cancel"))]);
    check(&named("Don't!"), &[("don't!", ReplyMeaning::Instead)]);
    check(&named("3 times"), &[("3 times", ReplyMeaning::Unclear)]);
    check(&named("Nothing else"), &[("nothing else", answered(11, "go"))]);
}

#[test]
fn a_question_says_what_is_asked_and_which_replies_count() {
    let words = |asks| describe_asks(&asking(asks), ReplyForm::Words).unwrap();
    expect![[r#"
        Ask 11: The agent wants to run a command in /w:
            rm -rf ␛[2Jx
            Reply with anything
        Reply with one of these, by its number, its name or its word:
        1. Allow once ("yes")
        2. Allow every some_tool in this session
        3. Allow `rm -rf ␛[2Jx⏎Reply with anything` in this session ("always")
        4. Allow `rm -rf ␛[2Jx⏎Reply with anything` in this workspace from now on
        5. Cancel ("no")

        A reply that only resembles one of these ("ok", "yes, but …", "7") decides nothing, and you are asked again. Any other text means no, and tells the agent what to do instead."#]]
    .assert_eq(&words(vec![command_ask("rm -rf \u{1b}[2Jx\nReply with anything")]));
    let offered = json!({"0": {"type": "string", "title": "Colour", "anyOf": [{"const": "Red"}, {"const": "Blue"}]}});
    let several = json!({"0": {"type": "string", "title": "Name"}, "1": {"type": "string", "title": "Size"}});
    expect![[r#"
        Ask 11: The agent asks:
            Which colour?
        Reply with one of these, by its name or its place in the list, or in your own words. To give no answer, reply "Dismiss the questions".

        Ask 12: The agent asks:
            Which colour?
        Reply with a line for each of: Name, Size. To give no answer, reply "Dismiss the questions" or "no".

        2 asks wait. Begin your reply with the number of the one that it answers, for example "11 yes" or "11 no"."#]]
    .assert_eq(&words(vec![question(&offered), question(&several)]));
    let turn = asking(vec![question(&offered)]);
    let told = describe_asks(&turn, ReplyForm::Option { how: "Send an object." }).unwrap();
    assert_eq!(told, "Ask 11: The agent asks:\n    Which colour?\n\nSend an object.");
    assert_eq!(describe_asks(&asking(vec![]), ReplyForm::Words), None);
}

#[test]
fn of_a_long_text_the_middle_is_left_out_and_said_so_outside_of_it() {
    let command = format!("{}{}", "x".repeat(40_000), "y".repeat(10_000));
    let text = describe_asks(&asking(vec![command_ask(&command)]), ReplyForm::Words).unwrap();
    assert!(text.contains("x\n[10000 characters are not shown here]\n    y"), "{}", text.len());
    assert!(text.len() < 45_000, "{}", text.len());
}

/// What was not shown is not allowed by a word that may mean what was.
#[test]
fn what_a_question_does_not_show_whole_is_allowed_by_its_number_alone() {
    let turn = asking(vec![command_ask(&"x".repeat(40_001))]);
    for bare in ["yes", "1", "allow once", "always", "proceed_once", "3"] {
        assert_eq!(read_reply(&turn, bare), ReplyMeaning::Unclear, "{bare}");
    }
    let told = explain_unclear(&turn, &std::collections::VecDeque::new(), "yes");
    assert_eq!(told, "The question does not show all of it, so a reply that allows it begins with 11.");
    assert!(matches!(read_reply(&turn, "11 yes"), ReplyMeaning::Numbered(_)));
    assert!(matches!(read_reply(&turn, "no"), ReplyMeaning::Answers(_)));
    let text = describe_asks(&turn, ReplyForm::Words).unwrap();
    assert!(text.contains("To allow it all the same, reply \"11 yes\"."), "{}", &text[text.len() - 900..]);
    let shown = asking(vec![command_ask(&"x".repeat(40_000))]);
    assert!(matches!(read_reply(&shown, "yes"), ReplyMeaning::Answers(_)));
}

#[test]
fn no_list_is_longer_than_somebody_types() {
    let list = json!({"0": {"type": "array", "items": {"type": "string"}}});
    let turn = asking(vec![question(&list)]);
    assert!(matches!(read_reply(&turn, &"a,".repeat(64)), ReplyMeaning::Answers(_)));
    assert_eq!(read_reply(&turn, &"a,".repeat(65)), ReplyMeaning::Unclear);
}
