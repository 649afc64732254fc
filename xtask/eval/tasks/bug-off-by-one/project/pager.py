"""Pages of a list."""


def page(items, number, size):
    """The items of page `number`; the first page is 1."""
    start = number * size
    return items[start:start + size]


def page_count(items, size):
    """How many pages there are."""
    return len(items) // size
