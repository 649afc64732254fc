def measure(lines):
    return max((len(line) for line in lines), default=0)
