set -e
test "$(python3 -B app.py '3 kg')" = 3000
test "$(python3 -B app.py '5 g')" = 5
! grep -q 'def parse' app.py || exit 1
python3 -B -c '
import app, parsing
assert app.parse_amount is parsing.parse_amount and app.parse_unit is parsing.parse_unit
'
