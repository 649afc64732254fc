//! Where typed lines come from.

mod cbreak;

use cbreak::CbreakMode;
use rustix::termios::QueueSelector;
use std::io::{self, BufRead, Read, Stdin};
use tokio::sync::mpsc;

/// The longest line that is taken, in bytes.
const LINE_LIMIT: u64 = 1024 * 1024;

/// The echo of typed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoSource {
    /// The terminal shows it.
    Terminal,
    /// Nothing does (a pipe, a file), so the seat prints each line it takes.
    Seat,
}

/// Lines as they are typed.
#[derive(Debug)]
pub struct LineInput {
    receiver: mpsc::Receiver<io::Result<TypedInput>>,
    echo: EchoSource,
    terminal: Option<Stdin>,
    /// Puts the terminal back when it goes.
    _mode: Option<CbreakMode>,
}

/// Input of whoever types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedInput {
    /// A line, complete.
    Line(String),
    /// Keys, as the terminal sends them.
    Keys(Vec<u8>),
}

#[cfg(test)]
impl From<&str> for TypedInput {
    fn from(line: &str) -> TypedInput {
        TypedInput::Line(line.to_owned())
    }
}

impl LineInput {
    /// Lines of `reader`, read by a thread of its own: a thread that waits for a person cannot be stopped, and one of
    /// the runtime's would hold up the end of the program.
    pub fn from_reader(reader: impl BufRead + Send + 'static, echo: EchoSource) -> io::Result<LineInput> {
        let (sender, receiver) = mpsc::channel(1);
        std::thread::Builder::new().name("lines".into()).spawn(move || forward_lines(reader, &sender))?;
        // What is half typed at a terminal waits in the terminal, not here.
        let terminal = (echo == EchoSource::Terminal).then(io::stdin);
        Ok(LineInput { receiver, echo, terminal, _mode: None })
    }

    /// Lines of the terminal at standard input, key by key: whoever takes them shows them too, and can do so again after
    /// something else was printed. The terminal is as it was when this is dropped.
    pub fn from_terminal() -> io::Result<LineInput> {
        let (sender, receiver) = mpsc::channel(1);
        let mode = CbreakMode::enter()?;
        let again = mode.clone();
        std::thread::Builder::new().name("keys".into()).spawn(move || forward_keys(&again, &sender))?;
        Ok(LineInput { receiver, echo: EchoSource::Terminal, terminal: Some(io::stdin()), _mode: Some(mode) })
    }

    /// Input that somebody else sends.
    #[cfg(test)]
    pub(crate) fn from_channel(receiver: mpsc::Receiver<io::Result<TypedInput>>, echo: EchoSource) -> LineInput {
        LineInput { receiver, echo, terminal: None, _mode: None }
    }

    /// Forget what is half typed: it was meant for what stood on the screen before.
    pub(crate) fn forget_half_typed(&self) {
        if let Some(terminal) = &self.terminal {
            // Where the input is no terminal after all, there is nothing to forget.
            let _ = rustix::termios::tcflush(terminal, QueueSelector::IFlush);
        }
    }

    /// The echo of typed input.
    pub(crate) fn echo(&self) -> EchoSource {
        self.echo
    }

    /// The next line without its end, or keys; `None` when there will be no more. A call that is dropped loses nothing.
    pub(crate) async fn next(&mut self) -> Option<io::Result<TypedInput>> {
        self.receiver.recv().await
    }
}

fn forward_keys(mode: &CbreakMode, sender: &mpsc::Sender<io::Result<TypedInput>>) {
    let mut chunk = [0; 4096];
    loop {
        let read = match io::stdin().lock().read(&mut chunk) {
            Ok(0) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map(|count| TypedInput::Keys(chunk[..count].to_vec())),
        };
        // A shell that stopped and went on with this program may have left the terminal as shells like it.
        mode.reenter();
        let broken = read.is_err();
        if sender.blocking_send(read).is_err() || broken {
            return;
        }
    }
}

fn forward_lines(mut reader: impl BufRead, sender: &mpsc::Sender<io::Result<TypedInput>>) {
    while let Some(line) = read_line(&mut reader).transpose() {
        let broken = line.is_err();
        if sender.blocking_send(line.map(TypedInput::Line)).is_err() || broken {
            return;
        }
    }
}

/// One line; bytes that are no text are replaced, the part of a line beyond the limit is an error.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    } else if bytes.len() as u64 == LINE_LIMIT {
        let message = format!("a line of more than {LINE_LIMIT} bytes; put long text in a file and name the file");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::{EchoSource, LINE_LIMIT, LineInput, TypedInput};
    use pretty_assertions::assert_eq;
    use std::io::Cursor;

    async fn all(bytes: Vec<u8>) -> Vec<Result<String, std::io::ErrorKind>> {
        let mut lines = LineInput::from_reader(Cursor::new(bytes), EchoSource::Seat).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            let line = line.map(|typed| match typed {
                TypedInput::Line(line) => line,
                TypedInput::Keys(bytes) => panic!("keys: {bytes:?}"),
            });
            found.push(line.map_err(|error| error.kind()));
        }
        found
    }

    #[tokio::test]
    async fn lines_come_without_their_ends() {
        let found = all(b"one\r\n\ntwo \xff\nlast".to_vec()).await;
        assert_eq!(found, ["one", "", "two \u{fffd}", "last"].map(|line| Ok(line.to_owned())));
        assert_eq!(all(Vec::new()).await, vec![]);
    }

    #[tokio::test]
    async fn an_endless_line_is_an_error() {
        let found = all(vec![b'x'; LINE_LIMIT as usize + 1]).await;
        assert_eq!(found, vec![Err(std::io::ErrorKind::InvalidData)]);
    }
}
