//! Output to draw, as data: pieces of text with a style, and where they start.

use pollux_session::{CallId, ItemId};

/// Pieces in the order they are drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DrawList(pub(crate) Vec<DrawStep>);

/// One step of drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DrawStep {
    /// Start on a line of its own. What follows belongs to the strand, if there is one.
    Fresh(Option<StreamedBlock>),
    /// Go on with a strand where it was left. If something else was drawn since, start afresh with the heading.
    Resume {
        /// The strand to go on with.
        block: StreamedBlock,
        /// A strand that serves as heading when it was drawn last.
        under: Option<StreamedBlock>,
        /// The text to start with otherwise; empty for nothing.
        heading: String,
    },
    /// Put what follows at the end of the strand's line. If something else was drawn since, draw that line again.
    Reopen {
        /// The strand whose line it is.
        block: StreamedBlock,
        line: String,
    },
    /// Leave one empty line.
    Gap,
    /// Some text.
    Text {
        style: TextStyle,
        /// The start of each of its lines.
        margin: &'static str,
        /// The text, in its raw form: the pen cleans it.
        text: String,
    },
}

/// Something that is drawn bit by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamedBlock {
    /// Text of the model.
    Item(ItemId),
    /// The line that names a call; how it ended is put at its end.
    Head(CallId),
    /// The output of a call.
    Output(CallId),
}

/// The style of text. Without colours all styles look the same, so none carries a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextStyle {
    Plain,
    Dim,
    Bold,
    Good,
    Bad,
    Warn,
    Accent,
}

/// The margin of what a running call prints.
pub(crate) const INDENT: &str = "    ";
/// The margin of what a call prints that another call had made.
pub(crate) const DEEP_INDENT: &str = "        ";
/// The margin of anything a person is asked to look at: lines inside it cannot pass for ours.
pub(crate) const GUTTER: &str = "  | ";

impl DrawList {
    /// Start on a line of its own.
    pub(crate) fn fresh(&mut self) -> &mut Self {
        self.0.push(DrawStep::Fresh(None));
        self
    }

    /// Start a strand on a line of its own.
    pub(crate) fn begin(&mut self, strand: StreamedBlock) -> &mut Self {
        self.0.push(DrawStep::Fresh(Some(strand)));
        self
    }

    /// Go on with a strand.
    pub(crate) fn resume(&mut self, strand: StreamedBlock, under: Option<StreamedBlock>, heading: String) -> &mut Self {
        self.0.push(DrawStep::Resume { block: strand, under, heading });
        self
    }

    /// Go back to the end of a strand's line.
    pub(crate) fn reopen(&mut self, strand: StreamedBlock, line: String) -> &mut Self {
        self.0.push(DrawStep::Reopen { block: strand, line });
        self
    }

    /// Leave one empty line.
    pub(crate) fn gap(&mut self) -> &mut Self {
        self.0.push(DrawStep::Gap);
        self
    }

    /// Put text where the pen is.
    pub(crate) fn put(&mut self, style: TextStyle, text: impl Into<String>) -> &mut Self {
        self.put_in("", style, text)
    }

    /// Put text where the pen is; lines of it start with `margin`.
    pub(crate) fn put_in(&mut self, margin: &'static str, style: TextStyle, text: impl Into<String>) -> &mut Self {
        self.0.push(DrawStep::Text { style, margin, text: text.into() });
        self
    }

    /// Put text on lines of its own.
    pub(crate) fn line(&mut self, style: TextStyle, text: impl Into<String>) -> &mut Self {
        self.line_in("", style, text)
    }

    /// Put text on lines of its own that start with `margin`.
    pub(crate) fn line_in(&mut self, margin: &'static str, style: TextStyle, text: impl Into<String>) -> &mut Self {
        self.fresh().put_in(margin, style, text).fresh()
    }
}
