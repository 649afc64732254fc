def measure(lines):
    return sum(int(line.split()[1]) for line in lines)
