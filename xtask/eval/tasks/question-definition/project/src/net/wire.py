"""The wire."""


LIMIT = 4096


def parse_header(line):
    name, value = line[:LIMIT].split(":", 1)
    return name.strip(), value.strip()
