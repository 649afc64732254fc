//! What a person sees of a session: entries in, items out. Pure, and the same for every surface: a screen, a page and an editor
//! draw from it and fold no events of their own.
//!
//! - [`SessionView::apply`] folds one entry in. The seat says whose doing it is ([`EntryOrigin`]): what is "mine" is the seat's.
//! - [`SessionView::items`] is the end of the conversation: a bounded tail. An item has a stable [`ViewItemId`], and its revision is
//!   the newest entry that changed it, so that a revision is a cursor: it means the same after a restart and in every process.
//! - [`SessionView::changes_since`] is what a reader who has seen an entry has to draw and to remove; or, when that is not known any
//!   more, that they have to begin with the tail again.
//! - [`SessionView::page_before`] says which entries hold what is older, and [`SessionView::fold_page`] makes items of them. Pages begin
//!   where nothing is open, so each can be folded without those before it; what a page has to know of the time before is in the
//!   index, which is bounded too: when it is full, every other page is joined with its neighbour.
//! - Everything else a person sees is asked of the view: [`SessionView::asking`], [`SessionView::queue`], [`SessionView::mode`],
//!   [`SessionView::model`], [`SessionView::stats`] (tokens, cost, tool calls and changed lines, sub-agents included),
//!   [`SessionView::context_tokens`], [`SessionView::todos`], [`SessionView::activity`]. Prices and windows are the caller's.

mod item;
mod thought_subjects;

pub use item::{
    CallProgress, CallRemark, CallView, ItemContent, OutputPiece, OutputTail, StreamedText, ViewItem, ViewItemId,
};
pub use thought_subjects::ThoughtSubjects;
