def unused(text):
    return text * 2


def used(text):
    return text.upper()
