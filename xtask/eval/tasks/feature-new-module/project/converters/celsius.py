def convert(value):
    return value * 9 / 5 + 32
