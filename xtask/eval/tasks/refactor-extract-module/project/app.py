import sys

UNITS = {"g": 1, "kg": 1000}


def parse_unit(text):
    return UNITS[text.strip()]


def parse_amount(text):
    number, unit = text.split()
    return int(number) * parse_unit(unit)


if __name__ == "__main__":
    print(parse_amount(sys.argv[1]))
