//! Whole turns: the engine's calls, answered as the tools would.

use super::*;
use expect_test::{Expect, expect};

/// Play a turn to its end; `answers` are the responses to its calls, in order.
async fn play(prompt: &str, answers: &[Value], expect: Expect) {
    let mut contents =
        vec![ModelMessage::user("help"), ModelMessage::model(vec![MessagePart::text("…")]), ModelMessage::user(prompt)];
    let mut answers = answers.iter();
    let mut log = String::new();
    loop {
        let heard = hear(&contents).await;
        log.push_str(&format!("? {}\n", heard.thought));
        for line in heard.text.lines() {
            log.push_str(format!("  {line}").trim_end());
            log.push('\n');
        }
        let Some((name, args)) = heard.call else { break };
        log.push_str(&format!("> {name} {args}\n"));
        let data = PartData::FunctionCall { id: Some("c".into()), name: name.clone(), args };
        let response = answers.next().expect("an answer for every call");
        contents.push(ModelMessage::model(vec![MessagePart::text(heard.text), data.into()]));
        contents.push(ModelMessage {
            role: MessageRole::User,
            parts: vec![MessagePart::response("c", name, response.clone())],
        });
    }
    assert_eq!(answers.next(), None, "answers are left over");
    expect.assert_eq(&log);
}

#[tokio::test]
async fn a_chain_of_three() {
    play(
        "create a.txt with hi, then run cat a.txt and then list",
        &[json!({"output": "Created a.txt."}), json!({"output": "hi"}), json!({"output": "a.txt"})],
        expect![[r#"
            ? **Matched rule: write a file** Step 1 of 3: calling write_file.
              Writing 2 bytes to `a.txt`.
            > write_file {"file_path":"a.txt","content":"hi"}
            ? **Matched rule: run a command** Step 2 of 3: calling run_shell_command.
              Created a.txt.

              Running `cat a.txt`.
            > run_shell_command {"command":"cat a.txt","description":"Run the command that was asked for"}
            ? **Matched rule: list a directory** Step 3 of 3: calling list_directory.
              `cat a.txt` printed:

              ```
              hi
              ```

              Listing this directory.
            > list_directory {"dir_path":"."}
            ? **Chain finished** Every step has its result.
              In `.`:

              ```
              a.txt
              ```

              All 3 steps are done.
        "#]],
    )
    .await;
}

#[tokio::test]
async fn lines_are_steps_too() {
    play(
        "1. read a.txt\n2. ls",
        &[json!({"output": "with ``` inside\n"}), json!({"output": ""})],
        expect![[r#"
        ? **Matched rule: read a file** Step 1 of 2: calling read_file.
          Reading `a.txt`.
        > read_file {"file_path":"a.txt"}
        ? **Matched rule: list a directory** Step 2 of 2: calling list_directory.
          `a.txt` holds:

          ````
          with ``` inside
          ````

          Listing this directory.
        > list_directory {"dir_path":"."}
        ? **Chain finished** Every step has its result.
          In `.`:

          (nothing)

          All 2 steps are done.
    "#]],
    )
    .await;
}

#[tokio::test]
async fn replacing_writes_what_was_read_with_the_change() {
    play(
        "replace \"1\" with \"2\" in v.txt",
        &[json!({"output": "a = 1\nb = 11\n"}), json!({"output": "Wrote v.txt."})],
        expect![[r#"
            ? **Matched rule: replace text in a file** Step 1 of 1: calling read_file.
              Replacing `1` with `2` in `v.txt`.
            > read_file {"file_path":"v.txt"}
            ? **Matched rule: replace text in a file** Step 1 of 1: calling write_file.
            > write_file {"file_path":"v.txt","content":"a = 2\nb = 22\n"}
            ? **Chain finished** Every step has its result.
              Changed `v.txt`.
        "#]],
    )
    .await;
}

#[tokio::test]
async fn replacing_what_is_not_there_changes_nothing() {
    play(
        "replace x with y in v.txt then ls",
        &[json!({"output": "a\n"})],
        expect![[r#"
        ? **Matched rule: replace text in a file** Step 1 of 2: calling read_file.
          Replacing `x` with `y` in `v.txt`.
        > read_file {"file_path":"v.txt"}
        ? **Chain stopped** Step 1 of 2 (replace text in a file) did not work.
          `x` is not in `v.txt`; the file is as it was.

          I stop here. Not tried:
          - Listing this directory
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_file_that_was_not_shown_whole_is_not_written_back() {
    let output = "[Lines 1-2000 of 2001.]\n[To read on, call read_file with start_line 2001.]\n\nx\n";
    play(
        "replace x with y in v.txt",
        &[json!({"output": output})],
        expect![[r#"
        ? **Matched rule: replace text in a file** Step 1 of 1: calling read_file.
          Replacing `x` with `y` in `v.txt`.
        > read_file {"file_path":"v.txt"}
        ? **Chain stopped** Step 1 of 1 (replace text in a file) did not work.
          `v.txt` cannot be read whole and exactly, so I do not write it back.
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_declined_call_stops_the_chain_and_is_told_as_it_was() {
    play(
        "create a.txt with hi then run rm -rf b",
        &[json!({"error": "The user declined this call."})],
        expect![[r#"
            ? **Matched rule: write a file** Step 1 of 2: calling write_file.
              Writing 2 bytes to `a.txt`.
            > write_file {"file_path":"a.txt","content":"hi"}
            ? **Chain stopped** Step 1 of 2 (write a file) did not work.
              Writing 2 bytes to `a.txt` ended with an error: The user declined this call.

              I stop here. Not tried:
              - Running `rm -rf b`
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_failed_command_shows_what_it_printed() {
    play(
        "run make",
        &[json!({"error": "exit code 2", "output": "no rule\n"})],
        expect![[r#"
        ? **Matched rule: run a command** Step 1 of 1: calling run_shell_command.
          Running `make`.
        > run_shell_command {"command":"make","description":"Run the command that was asked for"}
        ? **Chain stopped** Step 1 of 1 (run a command) did not work.
          Running `make` ended with an error: exit code 2

          ```
          no rule
          ```
    "#]],
    )
    .await;
}

#[tokio::test]
async fn content_that_a_person_changed_is_told_as_changed() {
    let changed = json!({"output": "Wrote a.txt.", "note": "…"});
    play(
        "create a.txt with hi",
        &[changed],
        expect![[r#"
        ? **Matched rule: write a file** Step 1 of 1: calling write_file.
          Writing 2 bytes to `a.txt`.
        > write_file {"file_path":"a.txt","content":"hi"}
        ? **Chain finished** Every step has its result.
          Wrote `a.txt`, with the content changed by the person who allowed it.
    "#]],
    )
    .await;
}

#[tokio::test]
async fn long_output_is_cut_with_a_mark() {
    let output: String = (1..=100).map(|n| format!("line {n}\n")).collect();
    let contents = [
        ModelMessage::user("read a.txt"),
        ModelMessage::model(vec![
            PartData::FunctionCall { id: None, name: "read_file".into(), args: json!({}) }.into(),
        ]),
        ModelMessage {
            role: MessageRole::User,
            parts: vec![MessagePart::response("c", "read_file", json!({"output": output}))],
        },
    ];
    let heard = hear(&contents).await;
    assert!(heard.text.contains("line 40\n```\n(cut here"), "{}", heard.text);
    assert!(!heard.text.contains("line 41"), "{}", heard.text);
}
