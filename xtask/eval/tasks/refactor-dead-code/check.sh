set -e
test "$(python3 -B main.py)" = "red: X"
! grep -q unused tools.py || exit 1
grep -q '^def used' tools.py
test ! -e old_export.py
