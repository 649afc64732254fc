//! Where typed lines come from.

mod terminal;

use rustix::termios::QueueSelector;
use std::io::{self, BufRead, Read, Stdin};
use terminal::KeyByKey;
use tokio::sync::mpsc;

/// The longest line that is taken, in bytes.
const LINE_LIMIT: u64 = 1024 * 1024;

/// Whether the person sees what they type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// The terminal shows it.
    Terminal,
    /// Nothing does (a pipe, a file), so the seat prints each line it takes.
    Seat,
}

/// Lines as they are typed.
#[derive(Debug)]
pub struct Lines {
    receiver: mpsc::Receiver<io::Result<Typed>>,
    echo: Echo,
    terminal: Option<Stdin>,
    /// Puts the terminal back when it goes.
    _mode: Option<KeyByKey>,
}

/// What came from whoever types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line, complete.
    Line(String),
    /// Keys, as the terminal sends them.
    Keys(Vec<u8>),
}

#[cfg(test)]
impl From<&str> for Typed {
    fn from(line: &str) -> Typed {
        Typed::Line(line.to_owned())
    }
}

impl Lines {
    /// Lines of `reader`, read by a thread of its own: a thread that waits for a person cannot be stopped, and one of
    /// the runtime's would hold up the end of the program.
    pub fn of(reader: impl BufRead + Send + 'static, echo: Echo) -> io::Result<Lines> {
        let (sender, receiver) = mpsc::channel(1);
        std::thread::Builder::new().name("lines".into()).spawn(move || pump(reader, &sender))?;
        // What is half typed at a terminal waits in the terminal, not here.
        let terminal = (echo == Echo::Terminal).then(io::stdin);
        Ok(Lines { receiver, echo, terminal, _mode: None })
    }

    /// Lines of the terminal at standard input, key by key: whoever takes them shows them too, and can do so again after
    /// something else was printed. The terminal is as it was when this is dropped.
    pub fn key_by_key() -> io::Result<Lines> {
        let (sender, receiver) = mpsc::channel(1);
        let mode = KeyByKey::enter()?;
        let again = mode.clone();
        std::thread::Builder::new().name("keys".into()).spawn(move || pump_keys(&again, &sender))?;
        Ok(Lines { receiver, echo: Echo::Terminal, terminal: Some(io::stdin()), _mode: Some(mode) })
    }

    /// What somebody else sends.
    #[cfg(test)]
    pub(crate) fn from_channel(receiver: mpsc::Receiver<io::Result<Typed>>, echo: Echo) -> Lines {
        Lines { receiver, echo, terminal: None, _mode: None }
    }

    /// Forget what is half typed: it was meant for what stood on the screen before.
    pub(crate) fn forget_half_typed(&self) {
        if let Some(terminal) = &self.terminal {
            // Where the input is no terminal after all, there is nothing to forget.
            let _ = rustix::termios::tcflush(terminal, QueueSelector::IFlush);
        }
    }

    /// Whether the person sees what they type.
    pub(crate) fn echo(&self) -> Echo {
        self.echo
    }

    /// The next line without its end, or keys; `None` when there will be no more. A call that is dropped loses nothing.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Typed>> {
        self.receiver.recv().await
    }
}

fn pump_keys(mode: &KeyByKey, sender: &mpsc::Sender<io::Result<Typed>>) {
    let mut chunk = [0; 4096];
    loop {
        let read = match io::stdin().lock().read(&mut chunk) {
            Ok(0) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map(|count| Typed::Keys(chunk[..count].to_vec())),
        };
        // A shell that stopped and went on with this program may have left the terminal as shells like it.
        mode.again();
        let broken = read.is_err();
        if sender.blocking_send(read).is_err() || broken {
            return;
        }
    }
}

fn pump(mut reader: impl BufRead, sender: &mpsc::Sender<io::Result<Typed>>) {
    while let Some(line) = read_line(&mut reader).transpose() {
        let broken = line.is_err();
        if sender.blocking_send(line.map(Typed::Line)).is_err() || broken {
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
    use super::{Echo, LINE_LIMIT, Lines, Typed};
    use pretty_assertions::assert_eq;
    use std::io::Cursor;

    async fn all(bytes: Vec<u8>) -> Vec<Result<String, std::io::ErrorKind>> {
        let mut lines = Lines::of(Cursor::new(bytes), Echo::Seat).unwrap();
        let mut found = Vec::new();
        while let Some(line) = lines.next().await {
            let line = line.map(|typed| match typed {
                Typed::Line(line) => line,
                Typed::Keys(bytes) => panic!("keys: {bytes:?}"),
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
