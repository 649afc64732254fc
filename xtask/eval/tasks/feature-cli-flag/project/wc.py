import argparse

from counter import as_text, count

parser = argparse.ArgumentParser()
parser.add_argument("file")
args = parser.parse_args()
with open(args.file) as file:
    counts = count(file.read())
print(as_text(counts))
