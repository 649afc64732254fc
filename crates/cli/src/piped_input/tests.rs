use super::{LIMIT, PipedPrompt, read_all, read_beside_prompt};
use pretty_assertions::assert_eq;
use std::io::{self, Cursor, Read};

/// Hands out one byte at a time, then breaks.
struct Breaking(&'static [u8]);

impl Read for Breaking {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.split_first() {
            Some((byte, rest)) => {
                into[0] = *byte;
                self.0 = rest;
                Ok(1)
            }
            None => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }
}

#[test]
fn what_is_piped_stands_before_the_prompt() {
    let prompt = |text: &str, piped_len| PipedPrompt { text: text.to_owned(), piped_len };
    assert_eq!(
        read_beside_prompt("what is it?", Cursor::new("a log\nof two lines\n")).unwrap(),
        prompt("a log\nof two lines\n\nwhat is it?", 20)
    );
    assert_eq!(read_beside_prompt("hello", Cursor::new("")).unwrap(), prompt("hello", 0));
    assert_eq!(read_beside_prompt("hello", Cursor::new(" \n\n")).unwrap(), prompt("hello", 0));
    assert_eq!(read_all(Cursor::new("as it is \n")).unwrap(), prompt("as it is \n", 10));
}

#[test]
fn a_pipe_that_nobody_writes_to_does_not_hold_up_a_prompt() {
    let (reader, writer) = io::pipe().unwrap();
    assert_eq!(read_beside_prompt("hello", reader).unwrap().text, "hello");
    drop(writer);
}

#[test]
fn as_much_as_may_be_is_taken_and_not_a_byte_more() {
    assert_eq!(read_all(Cursor::new(vec![b'x'; LIMIT])).unwrap().text.len(), LIMIT);
    let refused = |error: anyhow::Error| error.to_string();
    let wanted = "standard input is longer than 8 MB; put it into a file and name that in the prompt, like @big.log";
    assert_eq!(read_all(Cursor::new(vec![b'x'; LIMIT + 1])).map_err(refused), Err(wanted.into()));
    assert_eq!(read_beside_prompt("p", Cursor::new(vec![b'x'; LIMIT + 1])).map_err(refused), Err(wanted.into()));
}

#[test]
fn half_a_pipe_is_none() {
    let wanted = "standard input cannot be read: connection reset; use -p TEXT with </dev/null";
    assert_eq!(read_beside_prompt("p", Breaking(b"half")).map_err(|error| error.to_string()), Err(wanted.into()));
    assert_eq!(read_all(Breaking(b"half")).map_err(|error| error.to_string()), Err(wanted.into()));
    assert!(read_beside_prompt("p", Cursor::new(b"caf\xe9")).unwrap_err().to_string().contains("not valid UTF-8"));
}

#[test]
fn a_command_after_the_mark_is_the_agents_shell_command() {
    let prompt = |text: &str, piped_len| PipedPrompt { text: text.to_owned(), piped_len };
    assert_eq!(prompt("! ls -la\n", 0).with_shell_mark().unwrap(), prompt("/shell ls -la", 0));
    for text in [" !ls", "hello!"] {
        assert_eq!(prompt(text, 0).with_shell_mark().unwrap(), prompt(text, 0), "{text}");
    }
    assert_eq!(prompt("!piped", 6).with_shell_mark().unwrap(), prompt("!piped", 6));
    assert!(prompt("! ", 0).with_shell_mark().is_err());
}
