"""Notes with tags."""


def first_word(text):
    return text.split()[0]


def note(text, tags=[]):
    tags.append(first_word(text))
    return {"text": text, "tags": tags}
