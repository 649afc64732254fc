//! The grammar as a table: what is said, and the call it becomes.

use super::*;
use pretty_assertions::assert_eq;

async fn check(prompt: &str, tool: &str, args: Value) {
    let heard = hear(&[ModelMessage::user(prompt)]).await;
    assert_eq!(heard.call, Some((tool.to_owned(), args)), "{prompt}");
    assert!(heard.thought.starts_with("**Matched rule: "), "{}", heard.thought);
}

async fn writes(prompt: &str, file: &str, content: &str) {
    check(prompt, "write_file", json!({"file_path": file, "content": content})).await;
}

async fn reads(prompt: &str, file: &str) {
    check(prompt, "read_file", json!({"file_path": file})).await;
}

async fn lists(prompt: &str, dir: &str) {
    check(prompt, "list_directory", json!({"dir_path": dir})).await;
}

async fn runs(prompt: &str, command: &str) {
    let description = "Run the command that was asked for";
    check(prompt, "run_shell_command", json!({"command": command, "description": description})).await;
}

async fn greps(prompt: &str, command: &str) {
    let heard = hear(&[ModelMessage::user(prompt)]).await;
    let (tool, args) = heard.call.unwrap();
    assert_eq!((tool.as_str(), args["command"].as_str()), ("run_shell_command", Some(command)), "{prompt}");
}

#[tokio::test]
async fn writing() {
    writes("create hello.txt with hello world", "hello.txt", "hello world").await;
    writes("Create a file called hello.txt containing Hello, world!", "hello.txt", "Hello, world!").await;
    writes("please write notes.md with \"one\\ntwo\"", "notes.md", "one\ntwo").await;
    writes("create a new file named 'my notes.txt' that says 'a \"b\" c'", "my notes.txt", "a \"b\" c").await;
    writes("write \"x = 1\" to src/a.py", "src/a.py", "x = 1").await;
    writes("create an empty file .keep", ".keep", "").await;
    writes("create a.txt with the text hi", "a.txt", "hi").await;
    writes("create a.txt with the cat", "a.txt", "the cat").await;
    writes("create a.txt with then some", "a.txt", "then some").await;
    writes("create a.txt with it's mine, then yours", "a.txt", "it's mine, then yours").await;
    writes("create a.txt with \"read this, then run it\"", "a.txt", "read this, then run it").await;
    writes(
        "create main.rs with:\n```rust\nfn main() {}\n\n// then read it\n```",
        "main.rs",
        "fn main() {}\n\n// then read it\n",
    )
    .await;
    writes("create doc.md with the following text:\n~~~~\n```\ncode\n```\n~~~~\n", "doc.md", "```\ncode\n```\n").await;
}

#[tokio::test]
async fn reading_and_listing() {
    reads("read @README.md", "README.md").await;
    reads("read Cargo.toml", "Cargo.toml").await;
    reads("Show me the file src/main.rs.", "src/main.rs").await;
    reads("cat \"a b.txt\"", "a b.txt").await;
    reads("could you read README.md?", "README.md").await;
    lists("ls", ".").await;
    lists("list", ".").await;
    lists("list the files", ".").await;
    lists("List all files in the src directory.", "src").await;
    lists("ls ..", "..").await;
    lists("ls .", ".").await;
    lists("list src/bin", "src/bin").await;
}

#[tokio::test]
async fn running() {
    runs("run cargo test", "cargo test").await;
    runs("$ echo hi | wc -c", "echo hi | wc -c").await;
    runs("run `echo 'a b'`", "echo 'a b'").await;
    runs("run the command ls -la", "ls -la").await;
    runs("exec the-tool --now.", "the-tool --now.").await;
    runs("run echo \"a, then run b\"", "echo \"a, then run b\"").await;
    runs("run if true; then cat x; fi", "if true; then cat x; fi").await;
    runs("run echo one then echo two", "echo one then echo two").await;
    runs("run:\n```sh\ncd src\nls\n```", "cd src\nls").await;
    runs("run echo grüße 🦀", "echo grüße 🦀").await;
}

#[tokio::test]
async fn finding_quotes_what_a_shell_would_read() {
    greps("find TODO", "grep -rnI -e TODO -- .").await;
    greps("grep fn main in src", "grep -rnI -e 'fn main' -- src").await;
    greps("search for \"it's\" in the my-dir folder", r"grep -rnI -e 'it'\''s' -- my-dir").await;
    greps("find '$(rm -rf /)' in `a b`", "grep -rnI -e '$(rm -rf /)' -- 'a b'").await;
    greps("find -rf in src", "grep -rnI -e -rf -- src").await;
}

#[tokio::test]
async fn replacing_reads_first() {
    reads("replace \"a\" with \"b\" in x.txt", "x.txt").await;
    reads("replace old by new in the file x.txt.", "x.txt").await;
    reads("replace “a b” with '' in x.txt", "x.txt").await;
}
