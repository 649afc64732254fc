//! Pieces as lines: what is inside a list item or a quote is drawn behind its mark.

use super::code_block::CodeBlockRenderer;
use super::splitter::{BlockGap, ListPosition, MarkdownPiece, TaskCheckbox};
use super::word_wrap::WordWrapper;
use super::{inline, leaf_block};
use crate::screen::theme::Theme;
use ratatui::text::{Line, Span};

/// Where less room than this is left, what is nested is drawn without its marks.
const NEST_WIDTH: usize = 24;

/// What was drawn so far, as far as it matters for what follows.
#[derive(Clone, Debug, Default)]
pub(super) struct MarkdownRenderer {
    /// The items and quotes that are open, the outermost first.
    frames: Vec<NestedBlock>,
    /// What was drawn last outside of them.
    above: Option<BlockType>,
    open: Option<UnfinishedBlock>,
}

/// A list item or a quote.
#[derive(Clone, Debug)]
struct NestedBlock {
    kind: BlockType,
    gap: BlockGap,
    /// Before its first line, until that is drawn.
    first: Option<Span<'static>>,
    /// Before all the others.
    rest: Span<'static>,
    /// What was drawn last in it.
    above: Option<BlockType>,
}

/// A block that is under way.
#[derive(Clone, Debug)]
struct UnfinishedBlock {
    kind: BlockType,
    gap: BlockGap,
    body: OpenBody,
}

#[derive(Clone, Debug)]
enum OpenBody {
    Words(WordWrapper),
    Code(CodeBlockRenderer),
    Leaf,
}

/// What a block was, for what stands between it and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockType {
    Paragraph,
    List,
    Other,
}

impl BlockType {
    /// Whether an empty line stands between a block and the one above it, even where the text has none.
    fn has_gap_below(self, above: BlockType) -> bool {
        match (above, self) {
            (BlockType::Paragraph | BlockType::List, BlockType::Paragraph) | (BlockType::List, BlockType::List) => true,
            (_, BlockType::Paragraph | BlockType::List | BlockType::Other) => false,
        }
    }
}

impl MarkdownRenderer {
    /// Draw one more piece at the end of `lines`.
    pub(super) fn draw(&mut self, piece: MarkdownPiece, width: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let room = self.room(width);
        match piece {
            MarkdownPiece::Leaf { text, gap } => {
                self.begin(BlockType::Other, gap, OpenBody::Leaf);
                self.put(leaf_block::draw_leaf(&text, room, theme), width, lines);
                self.open = None;
            }
            MarkdownPiece::ParagraphOpened { checkbox: task, gap } => {
                let mut flow = WordWrapper::new(room);
                match task {
                    TaskCheckbox::No => {}
                    TaskCheckbox::Open => flow.feed(&[Span::styled("[ ] ", theme.accent)]),
                    TaskCheckbox::Done => flow.feed(&[Span::styled("[x] ", theme.accent)]),
                }
                self.begin(BlockType::Paragraph, gap, OpenBody::Words(flow));
            }
            MarkdownPiece::Words(run) => {
                if let Some(UnfinishedBlock { body: OpenBody::Words(flow), .. }) = &mut self.open {
                    flow.fit(room);
                    flow.feed(&inline::run_spans(&run, theme));
                    let drawn = flow.take_lines();
                    self.put(drawn.into_iter().map(Line::from).collect(), width, lines);
                }
            }
            MarkdownPiece::ParagraphClosed => {
                if let Some(UnfinishedBlock { body: OpenBody::Words(flow), .. }) = &mut self.open {
                    flow.fit(room);
                    let drawn = std::mem::replace(flow, WordWrapper::new(room)).end();
                    self.put(drawn.into_iter().map(Line::from).collect(), width, lines);
                }
                self.open = None;
            }
            MarkdownPiece::CodeOpened { language, gap } => {
                self.begin(BlockType::Other, gap, OpenBody::Code(CodeBlockRenderer::new(&language, theme)));
            }
            MarkdownPiece::CodeLine(text) => {
                if let Some(UnfinishedBlock { body: OpenBody::Code(encoder), .. }) = &mut self.open {
                    let drawn = encoder.draw(&text, room, theme);
                    self.put(drawn, width, lines);
                }
            }
            MarkdownPiece::CodeClosed => self.open = None,
            MarkdownPiece::ItemOpened { mark, position: place } => {
                let gap = match place {
                    ListPosition::First(gap) => self.gap_above(BlockType::List, gap),
                    ListPosition::Later => BlockGap::None,
                };
                let rest = Span::raw(" ".repeat(mark.len()));
                let first = Some(Span::styled(mark, theme.accent));
                self.frames.push(NestedBlock { kind: BlockType::List, gap, first, rest, above: None });
            }
            MarkdownPiece::QuoteOpened { gap } => {
                let gap = self.gap_above(BlockType::Other, gap);
                let rest = Span::styled("│ ", theme.dim);
                self.frames.push(NestedBlock { kind: BlockType::Other, gap, first: None, rest, above: None });
            }
            MarkdownPiece::Closed => {
                // An item without anything in it has its mark all the same.
                if self.frames.last().is_some_and(|frame| frame.first.is_some()) {
                    self.put(vec![Line::default()], width, lines);
                }
                self.frames.pop();
            }
        }
    }

    fn begin(&mut self, kind: BlockType, gap: BlockGap, body: OpenBody) {
        let gap = self.gap_above(kind, gap);
        self.open = Some(UnfinishedBlock { kind, gap, body });
    }

    /// What stands above the next block. Inside of lists and quotes only what has to.
    fn gap_above(&self, kind: BlockType, gap: BlockGap) -> BlockGap {
        let above = self.frames.last().map_or(self.above, |frame| frame.above);
        let Some(above) = above else { return BlockGap::None };
        if kind.has_gap_below(above) {
            BlockGap::Blank
        } else if self.frames.is_empty() {
            gap
        } else {
            BlockGap::None
        }
    }

    /// How many columns are left inside of all frames.
    fn room(&self, width: usize) -> usize {
        width - self.shown(width).map(|frame| frame.rest.content.chars().count()).sum::<usize>()
    }

    /// The frames whose marks there is room for.
    fn shown(&self, width: usize) -> impl Iterator<Item = &NestedBlock> {
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
            if std::mem::take(&mut self.frames[at].gap) == BlockGap::Blank {
                lines.push(self.marked(at.min(shown), Line::default()));
            }
        }
        if let Some(open) = &mut self.open
            && std::mem::take(&mut open.gap) == BlockGap::Blank
        {
            lines.push(self.marked(shown, Line::default()));
        }
        let mut kind = self.open.as_ref().map_or(BlockType::Other, |open| open.kind);
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
        let mark = |frame: &mut NestedBlock| frame.first.take().unwrap_or_else(|| frame.rest.clone());
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
