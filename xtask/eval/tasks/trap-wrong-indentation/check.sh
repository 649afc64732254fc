set -e
test "$(python3 -B scan.py)" = 2
grep -q '^            if line.strip() and' scan.py
grep -q '^                count += 1' scan.py
