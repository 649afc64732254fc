def parse_headers(text):
    return dict(line.split(": ") for line in text.splitlines())
