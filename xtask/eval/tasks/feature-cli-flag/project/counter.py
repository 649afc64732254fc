"""Counts of a text."""


def count(text):
    return {"lines": text.count("\n"), "words": len(text.split()), "chars": len(text)}


def as_text(counts):
    return f"{counts['lines']} {counts['words']} {counts['chars']}"
