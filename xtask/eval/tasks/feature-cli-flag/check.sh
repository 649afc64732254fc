set -e
printf 'one two\nthree\n' > sample
test "$(python3 -B wc.py sample)" = "2 3 14"
python3 -B wc.py --json sample | python3 -c '
import json, sys
assert json.load(sys.stdin) == {"lines": 2, "words": 3, "chars": 14}
'
grep -q -e --json README.md
python3 -B -m unittest
ls test*.py
