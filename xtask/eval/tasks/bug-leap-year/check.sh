set -e
python3 -B -m unittest 2>&1 | tee "$HOME/tests"
grep -q '^OK' "$HOME/tests"
grep -q 1900 test_calendar_days.py
python3 -B -c '
import calendar
from calendar_days import days
for year in range(1800, 2401):
    assert days(year, 2) == calendar.monthrange(year, 2)[1], year
'
