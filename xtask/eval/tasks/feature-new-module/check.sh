set -e
python3 -B -m unittest discover -s tests -t . 2>&1 | tee "$HOME/tests"
grep -q 'Ran 2 tests' "$HOME/tests"
grep -q '^OK' "$HOME/tests"
test -f tests/length/test_miles.py
python3 -B -c '
from registry import CONVERTERS
from converters.length.miles import convert
assert abs(convert(1) - 1.609344) < 1e-9 and CONVERTERS["mi-km"] is convert and CONVERTERS["c-f"](100) == 212
'
