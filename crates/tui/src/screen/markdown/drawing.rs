//! Pieces as lines: what is inside a list item or a quote is drawn behind its mark.

use super::code::Brush;
use super::cut::{Gap, InList, Piece, Task};
use super::flow::Flow;
use super::{inline, leaf};
use crate::screen::theme::Theme;
use ratatui::text::{Line, Span};

/// Where less room than this is left, what is nested is drawn without its marks.
const NEST_WIDTH: usize = 24;

/// What was drawn so far, as far as it matters for what follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    /// The items and quotes that are open, the outermost first.
    frames: Vec<Frame>,
    /// What was drawn last outside of them.
    above: Option<Kind>,
    open: Option<Open>,
}

/// A list item or a quote.
#[derive(Clone, Debug)]
struct Frame {
    kind: Kind,
    gap: Gap,
    /// Before its first line, until that is drawn.
    first: Option<Span<'static>>,
    /// Before all the others.
    rest: Span<'static>,
    /// What was drawn last in it.
    above: Option<Kind>,
}

/// A block that is under way.
#[derive(Clone, Debug)]
struct Open {
    kind: Kind,
    gap: Gap,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Words(Flow),
    Code(Brush),
    Leaf,
}

/// What a block was, for what stands between it and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Paragraph,
    List,
    Other,
}

impl Kind {
    /// Whether an empty line stands between a block and the one above it, even where the text has none.
    fn has_gap_below(self, above: Kind) -> bool {
        match (above, self) {
            (Kind::Paragraph | Kind::List, Kind::Paragraph) | (Kind::List, Kind::List) => true,
            (_, Kind::Paragraph | Kind::List | Kind::Other) => false,
        }
    }
}

impl Drawing {
    /// Draw one more piece at the end of `lines`.
    pub(super) fn draw(&mut self, piece: Piece, width: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let room = self.room(width);
        match piece {
            Piece::Leaf { text, gap } => {
                self.begin(Kind::Other, gap, Body::Leaf);
                self.put(leaf::draw(&text, room, theme), width, lines);
                self.open = None;
            }
            Piece::ParagraphOpened { task, gap } => {
                let mut flow = Flow::new(room);
                match task {
                    Task::No => {}
                    Task::Open => flow.feed(&[Span::styled("[ ] ", theme.accent)]),
                    Task::Done => flow.feed(&[Span::styled("[x] ", theme.accent)]),
                }
                self.begin(Kind::Paragraph, gap, Body::Words(flow));
            }
            Piece::Words(run) => {
                if let Some(Open { body: Body::Words(flow), .. }) = &mut self.open {
                    flow.fit(room);
                    flow.feed(&inline::run(&run, theme));
                    let drawn = flow.take_lines();
                    self.put(drawn.into_iter().map(Line::from).collect(), width, lines);
                }
            }
            Piece::ParagraphClosed => {
                if let Some(Open { body: Body::Words(flow), .. }) = &mut self.open {
                    flow.fit(room);
                    let drawn = std::mem::replace(flow, Flow::new(room)).end();
                    self.put(drawn.into_iter().map(Line::from).collect(), width, lines);
                }
                self.open = None;
            }
            Piece::CodeOpened { language, gap } => {
                self.begin(Kind::Other, gap, Body::Code(Brush::new(&language, theme)));
            }
            Piece::CodeLine(text) => {
                if let Some(Open { body: Body::Code(brush), .. }) = &mut self.open {
                    let drawn = brush.draw(&text, room, theme);
                    self.put(drawn, width, lines);
                }
            }
            Piece::CodeClosed => self.open = None,
            Piece::ItemOpened { mark, place } => {
                let gap = match place {
                    InList::First(gap) => self.gap_above(Kind::List, gap),
                    InList::Later => Gap::None,
                };
                let rest = Span::raw(" ".repeat(mark.len()));
                let first = Some(Span::styled(mark, theme.accent));
                self.frames.push(Frame { kind: Kind::List, gap, first, rest, above: None });
            }
            Piece::QuoteOpened { gap } => {
                let gap = self.gap_above(Kind::Other, gap);
                let rest = Span::styled("│ ", theme.dim);
                self.frames.push(Frame { kind: Kind::Other, gap, first: None, rest, above: None });
            }
            Piece::Closed => {
                // An item without anything in it has its mark all the same.
                if self.frames.last().is_some_and(|frame| frame.first.is_some()) {
                    self.put(vec![Line::default()], width, lines);
                }
                self.frames.pop();
            }
        }
    }

    fn begin(&mut self, kind: Kind, gap: Gap, body: Body) {
        let gap = self.gap_above(kind, gap);
        self.open = Some(Open { kind, gap, body });
    }

    /// What stands above the next block. Inside of lists and quotes only what has to.
    fn gap_above(&self, kind: Kind, gap: Gap) -> Gap {
        let above = self.frames.last().map_or(self.above, |frame| frame.above);
        let Some(above) = above else { return Gap::None };
        if kind.has_gap_below(above) {
            Gap::Blank
        } else if self.frames.is_empty() {
            gap
        } else {
            Gap::None
        }
    }

    /// How many columns are left inside of all frames.
    fn room(&self, width: usize) -> usize {
        width - self.shown(width).map(|frame| frame.rest.content.chars().count()).sum::<usize>()
    }

    /// The frames whose marks there is room for.
    fn shown(&self, width: usize) -> impl Iterator<Item = &Frame> {
        let mut room = width;
        self.frames.iter().take_while(move |frame| {
            room = room.saturating_sub(frame.rest.content.chars().count());
            room >= NEST_WIDTH
        })
    }

    /// Add lines of the block that is open.
    fn put(&mut self, drawn: Vec<Line<'static>>, width: usize, lines: &mut Vec<Line<'static>>) {
        if drawn.is_empty() {
            return;
        }
        let shown = self.shown(width).count();
        for at in 0..self.frames.len() {
            if std::mem::take(&mut self.frames[at].gap) == Gap::Blank {
                lines.push(self.marked(at.min(shown), Line::default()));
            }
        }
        if let Some(open) = &mut self.open
            && std::mem::take(&mut open.gap) == Gap::Blank
        {
            lines.push(self.marked(shown, Line::default()));
        }
        let mut kind = self.open.as_ref().map_or(Kind::Other, |open| open.kind);
        for frame in self.frames.iter_mut().rev() {
            frame.above = Some(kind);
            kind = frame.kind;
        }
        self.above = Some(kind);
        for line in drawn {
            let marked = self.marked(shown, line);
            lines.push(marked);
        }
        // Where there was no room for a mark, its line is over too.
        self.frames.iter_mut().for_each(|frame| frame.first = None);
    }

    /// A line behind the marks of the outermost frames.
    fn marked(&mut self, frames: usize, line: Line<'static>) -> Line<'static> {
        let mark = |frame: &mut Frame| frame.first.take().unwrap_or_else(|| frame.rest.clone());
        let mut spans: Vec<Span<'static>> = self.frames[..frames].iter_mut().map(mark).collect();
        if line.spans.is_empty() {
            // No blanks at the end of a line.
            let shown = spans.iter().rposition(|mark| !mark.content.trim().is_empty());
            spans.truncate(shown.map_or(0, |last| last + 1));
        }
        spans.extend(line.spans);
        Line::from(spans)
    }
}
