import sys


def lower(text):
    return text.lower()


def split(text):
    return text.split()


def order(words):
    return sorted(words)


def join(words):
    return ",".join(words)


def run(text):
    return join(order(split(lower(text))))


if __name__ == "__main__":
    print(run(sys.argv[1]))
