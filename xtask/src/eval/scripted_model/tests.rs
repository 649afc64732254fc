use super::super::answer_script::read_answers;
use super::*;

fn model(script: &str) -> ScriptedModel {
    ScriptedModel::new(read_answers(script).unwrap(), std::env::temp_dir())
}

/// A request of a conversation whose newest tool results are these.
fn request(results: &[&str]) -> FakeGeminiRequest {
    let part = |text: &&str| json!({ "functionResponse": { "name": "t", "response": { "output": text } } });
    let body = json!({
        "contents": [
            { "role": "user", "parts": [{ "text": "go" }] },
            { "role": "user", "parts": [part(&"an old result")] },
            { "role": "model", "parts": [{ "text": "hm" }] },
            { "role": "user", "parts": results.iter().map(part).collect::<Vec<_>>() },
        ],
        "tools": [{ "functionDeclarations": [{ "name": "t" }] }],
    });
    FakeGeminiRequest { path: "/v1beta/models/m:streamGenerateContent".into(), body: body.to_string().into_bytes() }
}

fn parts(answer: &Value) -> &Value {
    &answer["candidates"][0]["content"]["parts"]
}

#[test]
fn answers_follow_the_results() {
    let script = "[[answer]]\n[[answer.call]]\ntool = 'edit'\n\
                  [[answer]]\nwhen_result_contains = 'not found'\n[[answer.call]]\ntool = 'read'\n\
                  [[answer]]\nunless_result_contains = 'tests passed'\ntext = 'It failed.'\n\
                  [[answer]]\ntext = 'Done.'\n";
    let edited = model(script);
    assert_eq!(parts(&edited.answer(&request(&[])))[0]["functionCall"], json!({ "name": "edit", "args": {} }));
    assert_eq!(parts(&edited.answer(&request(&["ok", "all tests passed"]))), &json!([{ "text": "Done." }]));
    assert_eq!(edited.take_record().fault, None);

    let missed = model(script);
    missed.answer(&request(&[]));
    assert_eq!(parts(&missed.answer(&request(&["not found"])))[0]["functionCall"]["name"], "read");
    assert_eq!(parts(&missed.answer(&request(&["an old result"]))), &json!([{ "text": "It failed." }]));
}

#[test]
fn what_was_captured_stands_in_later_answers() {
    let model = model(
        "[[answer]]\ncapture.pid = 'process (\\d+)'\n[[answer.call]]\ntool = 'stop'\nargs.pid = '{{pid}}'\n\
         args.command = 'kill {{pid}}'\n[[answer]]\ntext = 'Stopped {{pid}}.'\n",
    );
    let first = model.answer(&request(&["started as process 12"]));
    assert_eq!(parts(&first)[0]["functionCall"]["args"], json!({ "pid": 12, "command": "kill 12" }));
    assert_eq!(parts(&model.answer(&request(&[])))[0]["text"], "Stopped 12.");
}

#[test]
fn a_result_that_was_kept_from_the_model_is_a_fault() {
    let script =
        "[[answer]]\n[[answer.call]]\ntool = 'start'\n[[answer]]\ncapture.pid = 'process (\\d+)'\ntext = '{{pid}}'\n";
    let model = model(script);
    model.answer(&request(&[]));
    let answer = model.answer(&request(&["started"]));
    let fault = "no tool result before answer 2 matches `process (\\d+)`";
    assert_eq!(parts(&answer)[0]["text"], format!("The script cannot go on: {fault}."));
    assert_eq!(model.take_record().fault, Some(format!("the script could not go on: {fault}")));
}

#[test]
fn an_agent_that_stops_early_or_goes_on_too_long_is_a_fault() {
    let script = "[[answer]]\n[[answer.call]]\ntool = 'start'\n[[answer]]\ntext = 'Done.'\n";
    let stopped = model(script);
    stopped.answer(&request(&[]));
    assert_eq!(stopped.take_record().fault, Some("the agent stopped before the model was done".into()));
    let endless = model(script);
    for _ in 0..3 {
        endless.answer(&request(&[]));
    }
    let fault = "the script could not go on: it has no answer left for this request";
    assert_eq!(endless.take_record().fault.as_deref(), Some(fault));
}

#[test]
fn what_is_asked_is_counted() {
    let model = model(
        "[[answer]]\nstatus = 503\n[[answer]]\n[[answer.call]]\ntool = 'a'\n[[answer.call]]\ntool = 'b'\n[[answer]]\ntext = 'x'\n",
    );
    assert_eq!(model.answer(&request(&[]))["error"]["code"], 503);
    let asked = request(&[]);
    let answer = model.answer(&asked);
    let tokens = asked.body.len().div_ceil(4);
    assert_eq!(answer["usageMetadata"]["promptTokenCount"], tokens);
    let side = FakeGeminiRequest { path: String::new(), body: br#"{"contents":[]}"#.to_vec() };
    assert_eq!(model.answer(&side)["error"]["code"], 400);
    let record = model.take_record();
    let ScriptUsage { calls, side_calls, tool_calls, tokens_in, .. } = record.usage;
    assert_eq!((calls, side_calls, tool_calls, tokens_in), (2, 1, 2, 2 * tokens as u64 + 4));
    assert_eq!(record.requests.split(|byte| *byte == b'\n').count(), 4);
}

#[test]
fn a_person_works_meanwhile() {
    let project = tempfile::tempdir().unwrap();
    let answers = read_answers("[[answer]]\nmeanwhile = 'echo mine > note'\ntext = 'x'\n").unwrap();
    ScriptedModel::new(answers, project.path().to_owned()).answer(&request(&[]));
    assert_eq!(std::fs::read_to_string(project.path().join("note")).unwrap(), "mine\n");
    let failing = model("[[answer]]\nmeanwhile = 'exit 3'\ntext = 'x'\n");
    failing.answer(&request(&[]));
    assert_eq!(failing.take_record().fault.as_deref(), Some("the script could not go on: `exit 3` failed"));
}
